package local_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// nested is a workflow whose steps run the workflow build.
func nested(build *flow.Definition, keys ...string) *flow.Definition {
	def := &flow.Definition{Name: "release", Fingerprint: "f1", Children: []*flow.Definition{build}}
	for _, key := range keys {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "workflow"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		outputs := map[string]string{}
		var tasks []*flow.Task[string]
		for _, key := range keys {
			tasks = append(tasks, flow.Spawn(c, flow.Node[string]{Key: key, Kind: "workflow", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Child{Workflow: "build"})
				return r.Text, err
			}}))
		}
		err := flow.Settle(c)
		for i, key := range keys {
			outputs[key] = tasks[i].Final().Text
		}
		return outputs, err
	}
	return def
}

func TestChildRuns(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	def := nested(define("build", step{key: "make"}, step{key: "ship", after: []string{"make"}}), "left", "right")
	r := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	if string(r.Outputs) != `{"left":"ran ship","right":"ran ship"}` {
		t.Errorf("outputs %s", r.Outputs)
	}
	left, err := e.Status(context.Background(), r.ID+"--left")
	if err != nil || left.Status != flow.Completed || left.Workflow != "build" || parentOf(left) != r.ID+" left" || len(left.Steps) != 2 {
		t.Errorf("the child: %+v %v", left, err)
	}
	// It is found by its id only, and goes with its parent.
	if id, err := e.Find(context.Background(), "", "release"); err != nil || id != r.ID {
		t.Errorf("release is %q %v", id, err)
	}
	if _, err := e.Find(context.Background(), "build", "latest"); err == nil {
		t.Error("a child is the latest run of its workflow")
	}
	if id, err := e.Find(context.Background(), "", r.ID+"--ri"); err != nil || id != r.ID+"--right" {
		t.Errorf("the prefix of a child is %q %v", id, err)
	}
	if err := e.Remove(context.Background(), r.ID, false); err != nil {
		t.Fatal(err)
	}
	if runs, err := w.store.Runs(context.Background(), store.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("left: %v %v", runs, err)
	}
}

// A gate in a child pauses its parent, too. It is answered under the child's id, while the
// parent works or when it is resumed.
func TestGateInChild(t *testing.T) {
	w := newWorld(t)
	def := nested(define("build", step{key: "make"}, step{key: "gate", after: []string{"make"}, ask: "ship?"}), "left", "right")
	r := must(t, flow.Paused)(w.engine(t, nil).Run(context.Background(), def, nil, w.options()))
	if s := w.steps(t, r.ID)["left"]; s.Status != flow.Waiting {
		t.Errorf("the step is %s", s.Status)
	}
	e := w.engine(t, nil)
	answer := func(key string) {
		if err := e.Answer(context.Background(), r.ID+"--"+key, store.Answer{Key: "gate", Text: "yes " + key, By: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	answer("left")
	must(t, flow.Paused)(e.Resume(context.Background(), def, r.ID, w.options()))
	if s := w.steps(t, r.ID)["left"]; s.Status != flow.Completed || w.performer.count("make") != 2 {
		t.Errorf("the step is %s", s.Status)
	}
	answer("right")
	r = must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, w.options()))
	if string(r.Outputs) != `{"left":"yes left","right":"yes right"}` {
		t.Errorf("outputs %s", r.Outputs)
	}
	if n := w.performer.count("make"); n != 2 {
		t.Errorf("make ran %d times", n)
	}
}

// While a sibling works, an answer moves a child on in the living process.
func TestAnswerWhileTheParentWorks(t *testing.T) {
	w := newWorld(t)
	build := define("build", step{key: "gate", ask: "ship?"}, step{key: "ship", after: []string{"gate"}})
	def := nested(build, "left")
	inner := def.Flow
	def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "long", Kind: "bash"})
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "long", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: "long"})
			return r.Text, err
		}})
		return inner(c)
	}
	shipped := make(chan struct{})
	w.performer.set("long", func(ctx context.Context, _ *engine.Attempt) flow.Result {
		select {
		case <-shipped:
			return completed("")
		case <-ctx.Done():
			return flow.Result{Status: flow.Cancelled}
		}
	})
	w.performer.set("ship", func(context.Context, *engine.Attempt) flow.Result {
		close(shipped)
		return completed("shipped")
	})
	waits := make(chan struct{}, 1)
	e := w.engine(t, func(cfg *local.Config) {
		cfg.Watch = func(n local.Notice) {
			if n.Step != nil && n.Step.Key == "left" && n.Step.Status == flow.Waiting {
				waits <- struct{}{}
			}
		}
	})
	id, err := e.RunAsync(context.Background(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-waits
	if err := w.engine(t, nil).Answer(context.Background(), id+"--left", store.Answer{Key: "gate", Text: "yes", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	if status, err := e.Wait(context.Background(), id); err != nil || status.Status != flow.Completed {
		t.Errorf("%+v %v", status, err)
	}
}

// When the process of the parent stops, the next one goes on in the child with what that
// has not completed.
func TestChildOfAStoppedProcess(t *testing.T) {
	w := newWorld(t)
	def := nested(define("build", step{key: "make"}, step{key: "ship", after: []string{"make"}}), "left")
	w.performer.set("ship", w.performer.block)
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if err := e.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.performer.set("ship", nil)
	r := must(t, flow.Completed)(w.engine(t, nil).Resume(context.Background(), def, id, w.options()))
	if string(r.Outputs) != `{"left":"ran ship"}` || w.performer.count("make") != 1 {
		t.Errorf("outputs %s, make ran %d times", r.Outputs, w.performer.count("make"))
	}
}

// A failed child fails its step, and goes on when the parent is resumed.
func TestFailedChild(t *testing.T) {
	w := newWorld(t)
	def := nested(define("build", step{key: "make"}, step{key: "ship", after: []string{"make"}}), "left")
	w.performer.set("ship", fails("no ship"))
	e := w.engine(t, nil)
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	if !strings.Contains(r.Error, "run "+r.ID+"--left is failed: node `ship`: no ship") {
		t.Errorf("error %q", r.Error)
	}
	w.performer.set("ship", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, w.options()))
	if w.performer.count("make") != 1 {
		t.Errorf("make ran %d times", w.performer.count("make"))
	}
}

// Cancelling a run cancels its children: one that works, and one that waits for people.
func TestCancelWithChildren(t *testing.T) {
	w := newWorld(t)
	def := nested(define("build", step{key: "make"}), "left")
	w.performer.set("make", w.performer.block)
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if err := e.Cancel(context.Background(), id, "ann"); err != nil {
		t.Fatal(err)
	}
	if a, b := w.run(t, id).Status, w.run(t, id+"--left").Status; a != flow.Cancelled || b != flow.Cancelled {
		t.Errorf("the run is %s, its child %s", a, b)
	}
	// It was cancelled with its parent, so it goes on with it.
	w.performer.set("make", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), def, id, w.options()))

	gated := nested(define("build", step{key: "gate", ask: "ship?"}), "left")
	r := must(t, flow.Paused)(e.Run(context.Background(), gated, nil, w.options()))
	if err := e.Cancel(context.Background(), r.ID, "ann"); err != nil {
		t.Fatal(err)
	}
	if b := w.run(t, r.ID+"--left").Status; b != flow.Cancelled {
		t.Errorf("the child of a paused run that was cancelled is %s", b)
	}
}

// A child that a person cancelled fails its step and stays cancelled.
func TestCancelledChild(t *testing.T) {
	w := newWorld(t)
	def := nested(define("build", step{key: "gate", ask: "ship?"}), "left")
	e := w.engine(t, nil)
	r := must(t, flow.Paused)(e.Run(context.Background(), def, nil, w.options()))
	if err := e.Cancel(context.Background(), r.ID+"--left", "ann"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r = must(t, flow.Failed)(e.Resume(context.Background(), def, r.ID, w.options()))
		if !strings.Contains(r.Error, "is cancelled: cancelled by ann") {
			t.Errorf("error %q", r.Error)
		}
	}
}

// Children work on the checkout of their parent, but not two at the same time if they
// change it.
func TestChildrenShareACheckout(t *testing.T) {
	w := newWorld(t)
	build := define("build", step{key: "make"})
	build.ExclusiveCheckout = true
	def := nested(build, "left")
	def.ExclusiveCheckout = true
	e := w.engine(t, nil)
	must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))

	def = nested(build, "left", "right")
	def.ExclusiveCheckout = true
	var first string
	w.performer.set("make", func(ctx context.Context, call *engine.Attempt) flow.Result {
		first = call.Info.ID
		select { // until the other one is refused
		case <-time.After(time.Minute):
		case <-ctx.Done():
		case <-w.refused:
		}
		return completed("")
	})
	e = w.engine(t, func(cfg *local.Config) {
		cfg.Watch = func(n local.Notice) {
			if n.Step != nil && n.Step.Status == flow.Failed {
				close(w.refused)
			}
		}
	})
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	if !strings.Contains(r.Error, "run "+first+" works on the folder") {
		t.Errorf("error %q", r.Error)
	}
}
