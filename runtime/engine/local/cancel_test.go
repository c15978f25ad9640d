package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/store"
)

func checkCancelled(t *testing.T, w *world, id, reason string) {
	t.Helper()
	if kept := w.run(t, id); kept.Status != flow.Cancelled || kept.Reason != reason {
		t.Errorf("run is %s: %q, want cancelled: %q", kept.Status, kept.Reason, reason)
	}
	steps := w.steps(t, id)
	if s := steps["b"]; s.Status != flow.Cancelled {
		t.Errorf("the running step is %+v", s)
	}
	if s := steps["c"]; s.Status != flow.Skipped || s.Reason != kernel.SkipCancelled {
		t.Errorf("the pending step is %+v", s)
	}
}

func threeSteps() *flow.Definition {
	return define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}}, step{key: "c", after: []string{"b"}})
}

func TestCancel(t *testing.T) {
	w := newWorld(t)
	w.performer.set("b", w.performer.block)
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), threeSteps(), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if err := e.Cancel(context.Background(), id, "ann"); err != nil {
		t.Fatal(err)
	}
	checkCancelled(t, w, id, "cancelled by ann")
	if err := e.Cancel(context.Background(), id, "ann"); err == nil || !strings.Contains(err.Error(), "has ended: it is cancelled") {
		t.Errorf("cancelled twice: %v", err)
	}
	if err := e.Cancel(context.Background(), "none", ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
}

func TestCancelFromAnotherProcess(t *testing.T) {
	w := newWorld(t)
	w.performer.set("b", w.performer.block)
	id, err := w.engine(t, nil).RunAsync(context.Background(), threeSteps(), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if err := w.engine(t, nil).Cancel(context.Background(), id, "bob"); err != nil {
		t.Fatal(err)
	}
	checkCancelled(t, w, id, "cancelled by bob")
}

// A run that is never idle hears of it within a second too.
func TestCancelOfABusyRunFromAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.performer.set("a", func(context.Context, *engine.Attempt) flow.Result {
			time.Sleep(100 * time.Millisecond)
			return fails("once more")(nil, nil)
		})
		begun := make(chan struct{}, 1000)
		e := w.engine(t, func(c *local.Config) {
			c.Poll = 0 // the default
			c.Watch = func(n local.Notice) {
				if n.Step != nil {
					begun <- struct{}{}
				}
			}
		})
		id, err := e.RunAsync(context.Background(), define("demo", step{key: "a", retry: 600}), nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		<-begun
		at := time.Now()
		if err := w.engine(t, nil).Cancel(context.Background(), id, ""); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(at); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestCancelOfADeadHoldersRun(t *testing.T) {
	w := newWorld(t)
	w.performer.set("b", w.performer.block)
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), threeSteps(), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	_ = e.Shutdown(context.Background())
	if err := w.engine(t, nil).Cancel(context.Background(), id, "ann"); err != nil {
		t.Fatal(err)
	}
	checkCancelled(t, w, id, "cancelled by ann")
	if n := w.performer.count("c"); n != 0 {
		t.Error("c was performed")
	}
	w.performer.set("b", nil)
	must(t, flow.Completed)(w.engine(t, nil).Resume(context.Background(), threeSteps(), id, local.Options{}))
}

// The holder may complete the run before the request reaches it.
func TestCancelThatComesTooLate(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", func(ctx context.Context, call *engine.Attempt) flow.Result {
		w.performer.begun <- "a"
		<-ctx.Done()
		return completed("all the same")
	})
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), define("demo", step{key: "a"}), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	err = e.Cancel(context.Background(), id, "")
	if status := w.run(t, id).Status; (err == nil) != (status == flow.Cancelled) {
		t.Errorf("the run is %s, and the error %v", status, err)
	}
}

func TestCancelWaitsNoLongerThanItMay(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	defer close(release)
	w.performer.set("a", func(context.Context, *engine.Attempt) flow.Result {
		w.performer.begun <- "a"
		<-release
		return completed("")
	})
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), define("demo", step{key: "a"}), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	for name, e := range map[string]*local.Engine{"the holder": e, "another": w.engine(t, nil)} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if err := e.Cancel(ctx, id, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

func TestPauseAndAnswers(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "gate", ask: "go on?"}, step{key: "a", after: []string{"gate"}})
	e := w.engine(t, nil)
	r := must(t, flow.Paused)(e.Run(context.Background(), def, nil, w.options()))
	// Resuming passes no gate.
	must(t, flow.Paused)(e.Resume(context.Background(), def, r.ID, local.Options{}))
	if n := w.performer.count("a"); n != 0 {
		t.Fatal("a was performed before the answer")
	}
	if err := w.store.Answer(context.Background(), r.ID, store.Answer{Key: "gate", Text: "yes", By: "ann", From: "terminal"}); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, local.Options{}))
	if s := w.steps(t, r.ID)["gate"]; s.Text != "yes" || s.Meta.By != "ann" || s.Meta.From != "terminal" {
		t.Errorf("gate: %+v", s)
	}
}

// A live run takes an answer that another process has written.
func TestAnswerToALiveRun(t *testing.T) {
	w := newWorld(t)
	w.performer.set("other", w.performer.block)
	def := define("demo", step{key: "gate", ask: "go on?"}, step{key: "a", after: []string{"gate"}}, step{key: "other"})
	passed := make(chan struct{})
	w.performer.set("a", func(context.Context, *engine.Attempt) flow.Result {
		close(passed)
		return completed("")
	})
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if err := w.store.Answer(context.Background(), id, store.Answer{Key: "gate", Text: "yes"}); err != nil {
		t.Fatal(err)
	}
	<-passed
}

// An answer that comes in the last moment before a pause is not missed.
func TestAnswerJustBeforeThePause(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "gate", ask: "go on?"})
	e := w.engine(t, func(c *local.Config) {
		c.Poll = time.Hour
		c.Watch = func(n local.Notice) {
			if s := n; s.Step != nil && s.Step.Status == flow.Waiting {
				if err := w.store.Answer(context.Background(), n.RunID, store.Answer{Key: "gate", Text: "yes"}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
}

func TestCancelOfAPausedRun(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "b", ask: "go on?"}, step{key: "c", after: []string{"b"}})
	e := w.engine(t, nil)
	r := must(t, flow.Paused)(e.Run(context.Background(), def, nil, w.options()))
	if err := e.Cancel(context.Background(), r.ID, "ann"); err != nil {
		t.Fatal(err)
	}
	checkCancelled(t, w, r.ID, "cancelled by ann")
}
