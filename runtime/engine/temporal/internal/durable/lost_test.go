package durable_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// loses has the first attempts at all actions lost, by an error of their activities, and
// counts the attempts.
func loses(w *trial.World, lost int, err error) *int {
	tries := new(int)
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
		env.OnActivity(wire.Perform, mock.Anything, mock.Anything).Return(func(_ context.Context, call wire.Call) (*wire.Report, error) {
			if *tries++; *tries <= lost {
				return nil, err
			}
			return &wire.Report{Of: call.Of(), Result: &wire.Result{Status: flow.Completed, Text: fmt.Sprint("try ", *tries)}}, nil
		})
	}
	return tries
}

// An attempt whose worker is gone follows the policy for interrupted steps.
func TestLostWorker(t *testing.T) {
	gone := temporal.NewHeartbeatTimeoutError()
	stopped := temporal.NewNonRetryableApplicationError("the worker was stopped", wire.TypeLost, nil)
	one := func(c *flow.Context) (any, error) {
		bash(c, "a")
		return nil, flow.Settle(c)
	}
	for _, tt := range []struct {
		name   string
		err    error
		policy settings.Policy
		status flow.Status
		tries  int
	}{
		{"default", gone, "", flow.Completed, 2},
		{"rerun", gone, settings.InterruptRerun, flow.Completed, 2},
		{"rerun after a stop", stopped, settings.InterruptRerun, flow.Completed, 2},
		{"fail", gone, settings.InterruptFail, flow.Failed, 1},
		{"ask", gone, settings.InterruptAsk, flow.Paused, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := world(t, stage{}, "a", one)
			w.Options.OnInterrupt.Default = tt.policy
			tries := loses(w, 1, tt.err)
			must(t, tt.status)(w.Process())
			if *tries != tt.tries {
				t.Errorf("%d tries", *tries)
			}
			if f := step(w, "a").Failure; tt.policy == settings.InterruptFail && (f == nil || f.Reason != "interrupted") {
				t.Errorf("%+v", f)
			}
			if tt.policy == settings.InterruptAsk {
				must(t, flow.Completed)(w.Process(store.Answer{Key: "a/interrupted#1", Choice: "rerun", By: "eve"}))
				if *tries != 2 {
					t.Errorf("%d tries after the answer", *tries)
				}
			}
		})
	}
}

// A worker that cannot perform an action fails the step, and says why.
func TestBrokenWorker(t *testing.T) {
	w := world(t, stage{}, "a", func(c *flow.Context) (any, error) {
		bash(c, "a")
		return nil, flow.Settle(c)
	})
	loses(w, 9, temporal.NewNonRetryableApplicationError("this worker has no workflow `demo`", "", nil))
	if end := must(t, flow.Failed)(w.Process()); !strings.Contains(end.Error, "this worker has no workflow `demo`") {
		t.Errorf("%+v", end)
	}
}

// A step that kills its worker each time fails; a person may run it again.
func TestPoison(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error
		policy settings.Policy
		lost   int
		status flow.Status
		tries  int
	}{
		{"always", temporal.NewHeartbeatTimeoutError(), settings.InterruptRerun, 99, flow.Failed, 3},
		{"twice", temporal.NewHeartbeatTimeoutError(), settings.InterruptRerun, 2, flow.Completed, 3},
		{"workers that stop", temporal.NewNonRetryableApplicationError("the worker was stopped", wire.TypeLost, nil), settings.InterruptRerun, 9, flow.Completed, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := world(t, stage{}, "a", func(c *flow.Context) (any, error) {
				bash(c, "a")
				return nil, flow.Settle(c)
			})
			w.Options.OnInterrupt.Default = tt.policy
			tries := loses(w, tt.lost, tt.err)
			must(t, tt.status)(w.Process())
			if *tries != tt.tries {
				t.Errorf("%d tries", *tries)
			}
			if f := step(w, "a").Failure; tt.status == flow.Failed && (f == nil || f.Reason != "interrupted") {
				t.Errorf("%+v", f)
			}
		})
	}
}
