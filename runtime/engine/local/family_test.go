package local_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// parentOf names the step that began a run.
func parentOf(s *local.RunStatus) string {
	run, step := s.Parent()
	return run + " " + step
}

// An answer that comes to a child just when its parent is about to pause keeps the parent
// from that, also if the child looks at the store rarely.
func TestAnswerBeforeThePause(t *testing.T) {
	w := newWorld(t)
	def := nested(define("build", step{key: "gate", ask: "ship?"}), "left")
	other := w.engine(t, nil)
	e := w.engine(t, func(cfg *local.Config) {
		cfg.Poll = time.Hour
		cfg.Watch = func(n local.Notice) {
			if n.Step == nil || n.Step.Key != "left" || n.Step.Status != flow.Waiting {
				return
			}
			if err := other.Answer(context.Background(), n.RunID+"--left", store.Answer{Key: "gate", Text: "yes", By: "ann"}); err != nil {
				t.Error(err)
			}
		}
	})
	r := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	if string(r.Outputs) != `{"left":"yes"}` {
		t.Errorf("outputs %s", r.Outputs)
	}
}

// Nobody works on a child alone: it is neither resumed nor removed without its parent.
func TestChildGoesWithItsParent(t *testing.T) {
	w := newWorld(t)
	build := define("build", step{key: "gate", ask: "ship?"})
	def := nested(build, "left", "right")
	e := w.engine(t, nil)
	r := must(t, flow.Paused)(e.Run(context.Background(), def, nil, w.options()))
	child := r.ID + "--left"
	if _, err := e.Resume(context.Background(), build, child, w.options()); err == nil || !strings.Contains(err.Error(), "is a part of run "+r.ID) {
		t.Errorf("resuming the child: %v", err)
	}
	if err := e.Remove(context.Background(), child, true); err == nil || !strings.Contains(err.Error(), "removed with it") {
		t.Errorf("removing the child: %v", err)
	}
	if root, err := e.Root(context.Background(), child); err != nil || root != r.ID {
		t.Errorf("the root is %q %v", root, err)
	}
	// It is one of the workflow of its root, and only its own prefix names it.
	if id, err := e.Find(context.Background(), "release", child); err != nil || id != child {
		t.Errorf("%q %v", id, err)
	}
	if _, err := e.Find(context.Background(), "build", child); err == nil || !strings.Contains(err.Error(), "belongs to workflow release") {
		t.Errorf("%v", err)
	}
	if id, err := e.Find(context.Background(), "release", r.ID+"--l"); err != nil || id != child {
		t.Errorf("%q %v", id, err)
	}
	for _, f := range []store.Filter{{}, {Limit: 1}, {Status: flow.Paused}, {Prefix: r.ID}} {
		if list, err := e.ListRuns(context.Background(), f); err != nil || len(list) != 1 || list[0].ID != r.ID {
			t.Errorf("%+v lists %d runs, %v", f, len(list), err)
		}
	}
	children, err := e.Children(context.Background(), r.ID)
	if err != nil || len(children) != 2 || len(children[0].Questions) != 1 {
		t.Errorf("children %v %v", children, err)
	}
}

// The family of a run is whole although ids of children are cut when they are long.
func TestLongFamily(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 60)
	inner := define("inner", step{key: "make"})
	build := nested(inner, long)
	build.Name = "build"
	build.Flow = calls("inner", long)
	def := nested(build, long)
	opt := w.options()
	opt.ID = "r-" + strings.Repeat("y", 45)
	e := w.engine(t, nil)
	must(t, flow.Completed)(e.Run(context.Background(), def, nil, opt))
	children, err := e.Children(context.Background(), opt.ID)
	if err != nil || len(children) != 2 {
		t.Fatalf("%d children, %v", len(children), err)
	}
	if p, _ := children[1].Parent(); p != children[0].ID {
		t.Errorf("the parent of the second is %s", p)
	}
	if err := e.Remove(context.Background(), opt.ID, false); err != nil {
		t.Fatal(err)
	}
	if left, err := w.store.Runs(context.Background(), store.Filter{}); err != nil || len(left) != 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// calls is the code of a workflow whose only step runs another one.
func calls(workflow, key string) func(c *flow.Context) (any, error) {
	return func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: key, Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Child{Workflow: workflow})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
}

// A program that cancels or ends its runs reaches the children through their parents.
func TestLiveRunsAreRoots(t *testing.T) {
	w := newWorld(t)
	def := nested(define("build", step{key: "make"}), "left")
	w.performer.set("make", w.performer.block)
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	if live := e.Live(); !slices.Equal(live, []string{id}) {
		t.Errorf("live: %v", live)
	}
	if err := e.Cancel(context.Background(), id, "ann"); err != nil {
		t.Fatal(err)
	}
}
