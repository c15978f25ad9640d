package sched_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// After HandOver nothing begins, what runs is waited for, and a later process goes on.
func TestHandOver(t *testing.T) {
	chain := func(c *flow.Context) (any, error) {
		node(c, "b", "B", node(c, "a", "A"))
		return nil, flow.Settle(c)
	}
	asked := false
	h := &host{perform: endless, next: func(*host) []sched.Signal {
		if !asked {
			asked = true
			return []sched.Signal{sched.HandOver{}}
		}
		return []sched.Signal{sched.Done{Key: "a", Result: flow.Result{Status: flow.Completed, Text: "A"}}}
	}}
	if _, err := run(t, h, sched.Options{}, chain); !errors.Is(err, sched.ErrHandedOver) {
		t.Fatal(err)
	}
	if !slices.Equal(h.starts, []string{"a"}) || h.steps()["a"].Text != "A" {
		t.Errorf("begun %v, a is %+v", h.starts, h.steps()["a"])
	}
	var recorded []flow.Record
	for _, r := range h.steps() {
		recorded = append(recorded, r)
	}
	next := &host{}
	end, err := resume(t, next, recorded, sched.Options{}, chain)
	if err != nil || end.Status != flow.Completed || !slices.Equal(next.starts, []string{"b"}) {
		t.Errorf("%+v %v, begun %v", end, err, next.starts)
	}
}

// An attempt that is lost in the process follows the same policy as after a death.
func TestLost(t *testing.T) {
	for _, tt := range []struct {
		policy settings.Policy
		status flow.Status
		starts int
		asked  []string
	}{
		{settings.InterruptRerun, flow.Completed, 2, nil},
		{settings.InterruptFail, flow.Failed, 1, nil},
		{settings.InterruptAsk, flow.Paused, 1, []string{"n/interrupted#1"}},
	} {
		h := &host{}
		h.perform = func(flow.Action, int) (flow.Result, bool) {
			return flow.Result{Status: flow.Completed, Text: "done"}, len(h.starts) > 1
		}
		h.next = func(h *host) []sched.Signal {
			if len(h.starts) == 1 && h.steps()["n"].Status == flow.Running {
				return []sched.Signal{sched.Lost{Key: "n"}}
			}
			return nil
		}
		opt := sched.Options{OnInterrupt: settings.Interrupts{Default: tt.policy}, Nodes: []flow.NodeInfo{{Key: "n", Kind: "loop"}}}
		end, err := run(t, h, opt, oneNode(""))
		if err != nil || end.Status != tt.status || len(h.starts) != tt.starts || !slices.Equal(h.asked, tt.asked) {
			t.Errorf("%s: %+v %v, begun %v, asked %v", tt.policy, end, err, h.starts, h.asked)
		}
	}
}

// A lost attempt whose step was cancelled meanwhile is cancelled, whatever the policy.
func TestLostAfterCancel(t *testing.T) {
	h := &host{perform: endless, next: func(*host) []sched.Signal {
		return []sched.Signal{sched.CancelRun{Reason: "enough"}, sched.Lost{Key: "n"}}
	}}
	end, err := run(t, h, sched.Options{}, oneNode(""))
	if err != nil || end.Status != flow.Cancelled || h.steps()["n"].Status != flow.Cancelled {
		t.Errorf("%+v %v %+v", end, err, h.steps()["n"])
	}
}
