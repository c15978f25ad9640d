package local_test

import (
	"context"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// cleaning is a sequence of a step, another one or a question, and a step that cleans up.
func cleaning(ask bool) *flow.Definition {
	do := func(key string) func(c *flow.Context) (string, error) {
		return func(c *flow.Context) (string, error) {
			if ask && key == "b" {
				r, err := c.Ask("", flow.Question{Message: "go on?"})
				return r.Text, err
			}
			r, err := c.Do(flow.Bash{Script: key})
			return r.Text, err
		}
	}
	return &flow.Definition{
		Name: "demo", Fingerprint: "f1",
		Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash"}, {Key: "c", Kind: "bash"}, {Key: "clean", Kind: "bash", Finally: true}},
		Flow: func(c *flow.Context) (any, error) {
			for _, key := range []string{"a", "b", "c"} {
				flow.RunNext(c, flow.Node[string]{Key: key, Kind: "bash", Run: do(key)})
			}
			flow.RunNext(c, flow.Node[string]{Key: "clean", Kind: "bash", Finally: true, Run: do("clean")})
			return nil, flow.Settle(c)
		},
	}
}

// A cancelled run cleans up before Cancel returns, whoever cancels it.
func TestCancelCleansUp(t *testing.T) {
	for _, other := range []bool{false, true} {
		w := newWorld(t)
		w.performer.set("b", w.performer.block)
		e := w.engine(t, nil)
		id, err := e.RunAsync(context.Background(), cleaning(false), nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		<-w.performer.begun
		if other {
			e = w.engine(t, nil)
		}
		if err := e.Cancel(context.Background(), id, "ann"); err != nil {
			t.Fatal(err)
		}
		checkCancelled(t, w, id, "cancelled by ann")
		if s := w.steps(t, id)["clean"]; s.Status != flow.Completed || w.performer.count("clean") != 1 {
			t.Errorf("%+v, performed %d times", s, w.performer.count("clean"))
		}
	}
}

// A run that no process works on cleans up when it is resumed to be cancelled.
func TestResumeToCancel(t *testing.T) {
	w := newWorld(t)
	r := must(t, flow.Paused)(w.engine(t, nil).Run(context.Background(), cleaning(true), nil, w.options()))
	if w.performer.count("clean") != 0 {
		t.Error("a paused run cleaned up")
	}
	r = must(t, flow.Cancelled)(w.engine(t, nil).Resume(context.Background(), cleaning(true), r.ID, local.Options{CancelBy: "ann"}))
	if r.Reason != "cancelled by ann" || w.performer.count("clean") != 1 || w.performer.count("c") != 0 {
		t.Errorf("%+v, %v", r, w.performer.done)
	}
	// Who wants the run after all can have it, and it does not clean up again.
	must(t, flow.Paused)(w.engine(t, nil).Resume(context.Background(), cleaning(true), r.ID, local.Options{}))
	if w.performer.count("clean") != 1 {
		t.Error("it cleaned up twice")
	}
}

// A run whose process dies while a cancelled run cleans up stays cancelled.
func TestStoppedWhileCleaningUp(t *testing.T) {
	w := newWorld(t)
	w.performer.set("b", w.performer.block)
	w.performer.set("clean", w.performer.block)
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), cleaning(false), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	cancelled := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() { cancelled <- e.Cancel(ctx, id, "ann") }()
	if key := <-w.performer.begun; key != "clean" {
		t.Fatalf("step %s began", key)
	}
	gone, now := context.WithCancel(context.Background())
	now()
	_ = e.Shutdown(gone) // stops the run where it is
	stop()
	<-cancelled
	w.performer.set("clean", nil)
	w.performer.set("b", func(context.Context, *engine.Attempt) flow.Result { return completed("b") })
	r := must(t, flow.Cancelled)(w.engine(t, nil).Resume(context.Background(), cleaning(false), id, local.Options{}))
	if w.performer.count("b") != 1 || w.performer.count("clean") != 2 || w.performer.count("c") != 0 {
		t.Errorf("%+v, %v", r, w.performer.done)
	}
}
