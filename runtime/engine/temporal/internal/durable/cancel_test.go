package durable_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/testsuite"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestCancelWhilePaused(t *testing.T) {
	w := world(t, stage{}, "gate", func(c *flow.Context) (any, error) {
		gate(c, "gate")
		return nil, flow.Settle(c)
	})
	must(t, flow.Paused)(w.Process())
	if end := must(t, flow.Cancelled)(w.Signal(wire.Cancel, wire.Cancellation{By: "eve"})); end.Reason != "cancelled by eve" {
		t.Errorf("%+v", end)
	}
	if s := step(w, "gate#1"); s.Status != flow.Cancelled {
		t.Errorf("%+v", s)
	}
}

// An action that runs is told to end, its end is waited for, and what cleans up still runs.
func TestCancelAction(t *testing.T) {
	for name, cancel := range map[string]func(env *testsuite.TestWorkflowEnvironment){
		"by a person": func(env *testsuite.TestWorkflowEnvironment) {
			env.SignalWorkflow(wire.Cancel, wire.Cancellation{By: "eve"})
		},
		"by Temporal itself": func(env *testsuite.TestWorkflowEnvironment) { env.CancelWorkflow() },
	} {
		t.Run(name, func(t *testing.T) {
			s := stage{}
			w := world(t, s, "a b clean", func(c *flow.Context) (any, error) {
				perform := func(key string, finally bool) {
					flow.RunNext(c, flow.Node[string]{Key: key, Kind: "bash", Finally: finally, Run: func(c *flow.Context) (string, error) {
						return flow.TextOf(c.Do(flow.Bash{Script: key}))
					}})
				}
				perform("a", false)
				perform("b", false)
				perform("clean", true)
				return nil, flow.Settle(c)
			})
			w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
				s["a"] = func(ctx context.Context, _ *engine.Attempt) flow.Result {
					cancel(env)
					<-ctx.Done()
					return flow.Result{Status: flow.Cancelled}
				}
			}
			must(t, flow.Cancelled)(w.Process())
			if a, b, c := step(w, "a"), step(w, "b"), step(w, "clean"); a.Status != flow.Cancelled || b.Status != flow.Skipped || c.Text != "ran clean" {
				t.Errorf("a is %s, b is %s, clean is %s %q", a.Status, b.Status, c.Status, c.Text)
			}
		})
	}
}
