package local_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
)

// gated is a workflow of gates side by side and, beside them, a step `side`;
// `after` follows them all.
func gated(timeout time.Duration, gates ...string) *flow.Definition {
	def := &flow.Definition{Name: "gated", Fingerprint: "f1"}
	for _, key := range gates {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "approval"})
	}
	def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "side", Kind: "bash"}, flow.NodeInfo{Key: "after", Kind: "bash", After: gates})
	def.Flow = func(c *flow.Context) (any, error) {
		var deps []flow.AnyTask
		for _, key := range gates {
			deps = append(deps, flow.Spawn(c, flow.Node[string]{Key: key, Kind: "approval", Run: func(c *flow.Context) (string, error) {
				return steps.Approval{Message: "pass " + key + "?", Capture: true, Timeout: timeout}.Run(c)
			}}))
		}
		bash := func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: "x"})
			return r.Text, err
		}
		flow.Spawn(c, flow.Node[string]{Key: "side", Kind: "bash", Run: bash})
		flow.Spawn(c, flow.Node[string]{Key: "after", Kind: "bash", After: deps, Run: bash})
		return nil, flow.Settle(c)
	}
	return def
}

func approve(key, text string) store.Answer {
	return store.Answer{Key: key, Choice: kernel.ChoiceApprove, Text: text, By: "ann", From: "here"}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %v, want %q in it", err, part)
		}
	}
}

func TestAnswerWhileNobodyRuns(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	def := gated(0, "gate", "other")
	e := w.engine(t, nil)
	id := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options())).ID
	status, err := e.Status(ctx, id)
	if err != nil || len(status.Questions) != 2 || status.Status != flow.Paused {
		t.Fatalf("%+v %v", status, err)
	}
	q := status.Questions[0]
	if q.Key != "gate#1" || q.RunID != id || q.Message != "pass gate?" || strings.Join(q.Choices, " ") != "approve reject" || q.Since.IsZero() || !q.Deadline.IsZero() {
		t.Errorf("%+v", q)
	}

	// What is no answer to an open question is refused, and changes nothing.
	wantError(t, e.Answer(ctx, id, store.Answer{Key: "gate#1", Choice: "yes", By: "ann"}), "unknown answer `yes` to `gate#1`", "use one of `approve`, `reject`")
	wantError(t, e.Answer(ctx, id, store.Answer{Key: "gate#1", Text: "ok", By: "ann"}), "needs a choice: use one of `approve`, `reject`")
	wantError(t, e.Answer(ctx, id, store.Answer{Key: "gate#1", Choice: kernel.ChoiceApprove}), "an answer to `gate#1` of run "+id+" needs By, the name of who answers")
	wantError(t, e.Answer(ctx, id, approve("gate", "")), "`gate` is not an open question", "use one of `gate#1`, `other#1`")
	if err := e.Answer(ctx, "none", approve("gate#1", "")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
	// Resuming without an answer passes nothing.
	must(t, flow.Paused)(e.Resume(ctx, def, id, local.Options{}))
	if n := w.performer.count("after"); n != 0 {
		t.Fatalf("after ran %d times", n)
	}

	if err := e.Answer(ctx, id, approve("gate#1", "fine")); err != nil {
		t.Fatal(err)
	}
	err = e.Answer(ctx, id, store.Answer{Key: "gate#1", Choice: kernel.ChoiceReject, By: "bob"})
	wantError(t, err, "`gate#1` of run "+id+" was answered already: ann on ", " from here: approve: fine")
	var twice *runerr.AnsweredError
	if !errors.As(err, &twice) || !errors.Is(err, store.ErrAnswered) || twice.Answer.By != "ann" {
		t.Errorf("%v", err)
	}
	if status, err = e.Status(ctx, id); err != nil || len(status.Questions) != 1 || status.Questions[0].Key != "other#1" || len(status.Answers) != 1 {
		t.Errorf("%+v %v", status, err)
	}
	if err := e.Answer(ctx, id, approve("other#1", "")); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Completed)(e.Resume(ctx, def, id, local.Options{}))
	steps := w.steps(t, id)
	if g := steps["gate#1"]; g.Text != "fine" || g.Meta.By != "ann" || g.Meta.From != "here" || g.Meta.Choice != kernel.ChoiceApprove {
		t.Errorf("%+v", g)
	}
	if steps["gate"].Text != "fine" || steps["other"].Text != "Approved" {
		t.Errorf("%+v", steps)
	}
	wantError(t, e.Answer(ctx, id, approve("gate#1", "")), "was answered already: ann on ")
	late := e.Answer(ctx, id, approve("gate#2", ""))
	if wantError(t, late, "run "+id+" has ended: it is completed"); !errors.Is(late, store.ErrAnswered) {
		t.Errorf("an answer after the end: %v", late)
	}
}

func TestAnswerToQuestionWithoutChoices(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	def := define("demo", step{key: "a", ask: "which one?"})
	e := w.engine(t, nil)
	id := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options())).ID
	wantError(t, e.Answer(ctx, id, approve("a", "x")), "`a` of run "+id+" has no choices")
	if err := e.Answer(ctx, id, store.Answer{Key: "a", Text: "the red one", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Completed)(e.Resume(ctx, def, id, local.Options{}))
	if s := w.steps(t, id)["a"]; s.Text != "the red one" {
		t.Errorf("%+v", s)
	}
}

// A run of the same engine hears of the answer at once: its next look at the
// store is an hour away.
func TestAnswerOfThisProcess(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.performer.set("side", w.performer.block)
	w.performer.set("after", w.performer.block)
	e := w.engine(t, func(c *local.Config) { c.Poll = time.Hour })
	id, err := e.RunAsync(ctx, gated(0, "gate"), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if err := e.Answer(ctx, id, approve("gate#1", "")); err != nil {
		t.Fatal(err)
	}
	if key := <-w.performer.begun; key != "after" {
		t.Errorf("%s began", key)
	}
}

// A run of another process hears of it within a second.
func TestAnswerFromAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ctx := newWorld(t), context.Background()
		w.performer.set("side", w.performer.block)
		w.performer.set("after", w.performer.block)
		e := w.engine(t, func(c *local.Config) { c.Poll = 0 }) // the default
		id, err := e.RunAsync(ctx, gated(0, "gate"), nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		<-w.performer.begun
		asked := time.Now()
		if err := w.engine(t, nil).Answer(ctx, id, approve("gate#1", "")); err != nil {
			t.Fatal(err)
		}
		if key := <-w.performer.begun; key != "after" {
			t.Errorf("%s began", key)
		}
		if took := time.Since(asked); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if err := e.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOneAnswerWins(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	id := must(t, flow.Paused)(w.engine(t, nil).Run(ctx, gated(0, "gate"), nil, w.options())).ID
	errs := make([]error, 8)
	var work sync.WaitGroup
	for i := range errs {
		e := w.engine(t, nil)
		work.Go(func() { errs[i] = e.Answer(ctx, id, approve("gate#1", "")) })
	}
	work.Wait()
	won := 0
	for _, err := range errs {
		var lost *runerr.AnsweredError
		switch {
		case err == nil:
			won++
		case !errors.As(err, &lost):
			t.Errorf("%v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d won: %v", won, errs)
	}
}

// A branch that failed does not hide the gate, and is tried again with the
// answer.
func TestGateBesideFailure(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	def := gated(0, "gate")
	w.performer.set("side", fails("no"))
	e := w.engine(t, nil)
	id := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options())).ID
	if s := w.steps(t, id)["side"]; s.Status != flow.Failed {
		t.Errorf("%+v", s)
	}
	if err := e.Answer(ctx, id, approve("gate#1", "")); err != nil {
		t.Fatal(err)
	}
	w.performer.set("side", nil)
	must(t, flow.Completed)(e.Resume(ctx, def, id, local.Options{}))
	if n := w.performer.count("side"); n != 2 {
		t.Errorf("side ran %d times", n)
	}
}

// An answer that comes after the time limit is refused, also while nobody works
// on the run.
func TestAnswerTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ctx := newWorld(t), context.Background()
		def := gated(time.Minute, "gate")
		e := w.engine(t, nil)
		id := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options())).ID
		time.Sleep(2 * time.Minute)
		wantError(t, e.Answer(ctx, id, approve("gate#1", "")), "`gate#1` of run "+id+" could be answered until ")
		must(t, flow.Failed)(e.Resume(ctx, def, id, local.Options{}))
	})
}

func TestHolder(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.performer.set("a", w.performer.block)
	e := w.engine(t, nil)
	id, err := e.RunAsync(ctx, define("demo", step{key: "a"}), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if name, pid := w.engine(t, nil).Holder(id); pid != os.Getpid() || !strings.HasPrefix(name, "process ") {
		t.Errorf("%q, %d", name, pid)
	}
	if err := e.Cancel(ctx, id, ""); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{id, "none"} {
		if name, pid := e.Holder(id); name != "" || pid != 0 {
			t.Errorf("%q, %d", name, pid)
		}
	}
	// A process of another machine has a number that means nothing here.
	lock, err := filelock.Acquire(w.folder.LeaseFile("far"), "process 1 on another machine")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if name, pid := e.Holder("far"); name != "process 1 on another machine" || pid != 0 {
		t.Errorf("%q, %d", name, pid)
	}
}
