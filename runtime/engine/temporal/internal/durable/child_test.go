package durable_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// family returns a run whose step build is a run of another workflow.
func family(t *testing.T, s stage, child func(c *flow.Context) (any, error)) *trial.World {
	t.Helper()
	w := world(t, s, "a build<a b<build", func(c *flow.Context) (any, error) {
		a := bash(c, "a")
		build := flow.Spawn(c, flow.Node[string]{Key: "build", Kind: "workflow", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Child{Workflow: "inner", Inputs: json.RawMessage(`{"what":"x"}`)}))
		}})
		bash(c, "b", build)
		return nil, flow.Settle(c)
	})
	w.Run.Definition.Children = []*flow.Definition{{
		Name: "inner", Fingerprint: "f2", Flow: child, Returns: "in", Nodes: []flow.NodeInfo{{Key: "in", Kind: "bash", Order: []string{"ask"}}, {Key: "ask", Kind: "approval", Order: []string{"in"}}, {Key: "more", Kind: "bash", After: []string{"in"}}},
		Inputs: []flow.InputInfo{{Name: "what", Type: "text"}, {Name: "size", Type: "int", Default: "3"}},
	}}
	return w
}

// A step that is a run has the output and the cost of that run.
func TestChild(t *testing.T) {
	var inputs string
	s := stage{"in": func(_ context.Context, call *engine.Attempt) flow.Result {
		inputs = string(call.Info.Inputs)
		return flow.Result{Status: flow.Completed, Text: "built by " + call.Info.ID, Meta: flow.Meta{CostUSD: 0.5}}
	}}
	w := family(t, s, func(c *flow.Context) (any, error) {
		bash(c, "in")
		return nil, flow.Settle(c)
	})
	must(t, flow.Completed)(w.Process())
	if s := step(w, "build"); s.Text != "built by demo-000001--build" || s.Meta.CostUSD != 0.5 || inputs != `{"what":"x","size":3}` {
		t.Errorf("%+v, inputs %s", s, inputs)
	}
}

func TestChildFails(t *testing.T) {
	w := family(t, stage{"in": func(context.Context, *engine.Attempt) flow.Result {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no compiler"}}
	}}, func(c *flow.Context) (any, error) {
		bash(c, "in")
		return nil, flow.Settle(c)
	})
	must(t, flow.Failed)(w.Process())
	if f := step(w, "build").Failure; f == nil || f.Reason != "child" || f.Message != "run demo-000001--build is failed: node `in`: no compiler" {
		t.Errorf("%+v", f)
	}
}

// A child that waits for a person makes its parent wait. Both continue with their journals
// after the answer, also in a new workflow.
func TestChildWaits(t *testing.T) {
	ran := 0
	w := family(t, stage{"in": func(context.Context, *engine.Attempt) flow.Result {
		ran++
		return flow.Result{Status: flow.Completed, Text: "built"}
	}}, func(c *flow.Context) (any, error) {
		gate(c, "ask", bash(c, "in"))
		return nil, flow.Settle(c)
	})
	const child = "demo-000001--build"
	must(t, flow.Paused)(w.Process())
	must(t, flow.Paused)(w.Process()) // in new workflows
	if end := w.End(child); end.Status != flow.Paused {
		t.Errorf("the child is %+v", end)
	}
	if _, err := w.Answer(child, store.Answer{Key: "ask#1", Choice: "perhaps"}); err == nil {
		t.Error("a choice that the question does not have was taken")
	}
	must(t, flow.Completed)(w.Answer(child, approve("ask#1")))
	if s := step(w, "b"); ran != 1 || s.Status != flow.Completed || w.End(child).Status != flow.Completed {
		t.Errorf("the child's step ran %d times, %+v", ran, s)
	}
}

// The end of a child counts also if it comes while its parent wakes, and takes its locks again.
// A child that failed doesn't begin once more.
func TestChildEndsWhileItsParentWakes(t *testing.T) {
	w := family(t, stage{"in": func(context.Context, *engine.Attempt) flow.Result {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no compiler"}}
	}}, func(c *flow.Context) (any, error) {
		bash(c, "in", gate(c, "ask"))
		return nil, flow.Settle(c)
	})
	w.Run.Definition.ExclusiveCheckout = true
	ended, begun := make(chan struct{}), 0
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
		env.SetOnChildWorkflowStartedListener(func(*workflow.Info, workflow.Context, converter.EncodedValues) { begun++ })
		env.SetOnChildWorkflowCompletedListener(func(*workflow.Info, converter.EncodedValue, error) {
			if begun == 1 {
				close(ended)
			}
		})
		env.OnActivity(wire.Hold, mock.Anything, mock.Anything).Return(func(ctx context.Context, p wire.Preparation) (*wire.Place, error) {
			select {
			case <-ended:
			case <-ctx.Done():
			}
			return trial.Worker(w.Run).Hold(ctx, p)
		})
	}
	must(t, flow.Paused)(w.Process())
	must(t, flow.Failed)(w.Answer("demo-000001--build", approve("ask#1")))
	if s := step(w, "build"); begun != 1 || s.Failure == nil || s.Failure.Reason != "child" {
		t.Errorf("the child began %d times, %+v", begun, s)
	}
}

// A child has what is left of the run's limit, at which both end. They continue with a higher one.
func TestChildAtTheLimit(t *testing.T) {
	ran := map[string]int{}
	pays := func(_ context.Context, call *engine.Attempt) flow.Result {
		ran[call.Action.Key]++
		if call.AtLimit(flow.Meta{CostUSD: 0.4}) || !call.AtLimit(flow.Meta{CostUSD: 1}) {
			t.Errorf("%s does not know what is left", call.Action.Key)
		}
		return flow.Result{Status: flow.Completed, Meta: flow.Meta{CostUSD: 0.5}}
	}
	w := family(t, stage{"a": pays, "in": pays, "more": pays}, func(c *flow.Context) (any, error) {
		bash(c, "more", bash(c, "in"))
		return nil, flow.Settle(c)
	})
	w.Options.Limits.CostUSD = 1
	end := must(t, flow.LimitReached)(w.Process())
	if ran["in"] != 1 || ran["more"] != 0 || end.Error != "the limit `limits.cost_usd` (`--max-cost`) of $1.00 is reached: $1.00 used" {
		t.Errorf("%+v, performed %v", end, ran)
	}
	if child := w.End("demo-000001--build"); child.Status != flow.LimitReached {
		t.Errorf("the child is %+v", child)
	}
	w.Options.Limits.CostUSD = 2
	must(t, flow.Completed)(w.Process())
	if s := step(w, "build"); ran["a"] != 1 || ran["in"] != 1 || ran["more"] != 1 || s.Meta.CostUSD != 1 {
		t.Errorf("%+v, performed %v", s, ran)
	}
}

// A child that waits for a person counts for the run above.
func TestCostOfAWaitingChild(t *testing.T) {
	w := family(t, stage{"in": func(context.Context, *engine.Attempt) flow.Result {
		return flow.Result{Status: flow.Completed, Meta: flow.Meta{CostUSD: 0.5}}
	}}, func(c *flow.Context) (any, error) {
		gate(c, "ask", bash(c, "in"))
		return nil, flow.Settle(c)
	})
	must(t, flow.Paused)(w.Process())
	if s := step(w, "build"); s.Status != flow.Waiting || s.Meta.CostUSD != 0.5 {
		t.Errorf("%+v", s)
	}
	must(t, flow.Completed)(w.Answer("demo-000001--build", approve("ask#1")))
	if s := step(w, "build"); s.Meta.CostUSD != 0.5 {
		t.Errorf("%+v", s)
	}
}
