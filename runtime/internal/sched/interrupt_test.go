package sched_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// left is what a process that died leaves of a step.
func left(key string) flow.Record {
	return flow.Record{Key: key, Kind: "bash", Status: flow.Running, Attempt: 1, Started: start}
}

// oneNode is a flow of a node that acts under its own key, or under a part's.
func oneNode(suffix string) func(c *flow.Context) (any, error) {
	return func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "n", Kind: "loop", Run: func(c *flow.Context) (string, error) {
			r, err := c.DoAs(suffix, echo("done"))
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
}

func TestPolicies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		p      settings.Interrupts
		step   string
		nodes  []string
		status flow.Status
	}{
		{"nothing set", settings.Interrupts{}, "n", nil, flow.Completed},
		{"default", settings.Interrupts{Default: settings.InterruptFail}, "n", nil, flow.Failed},
		{"kind of node", settings.Interrupts{Default: settings.InterruptFail, Kinds: map[string]settings.Policy{"loop": settings.InterruptRerun}}, "n", nil, flow.Completed},
		{"node", settings.Interrupts{Kinds: map[string]settings.Policy{"loop": settings.InterruptFail}, Nodes: map[string]settings.Policy{"n": settings.InterruptRerun}}, "n", nil, flow.Completed},
		{"another node", settings.Interrupts{Nodes: map[string]settings.Policy{"m": settings.InterruptFail}}, "n", nil, flow.Completed},
		{"part", settings.Interrupts{Nodes: map[string]settings.Policy{"n": settings.InterruptFail}}, "n#3", nil, flow.Failed},
		{"part of a kind", settings.Interrupts{Kinds: map[string]settings.Policy{"loop": settings.InterruptFail, "echo": settings.InterruptRerun}}, "n#3/until", nil, flow.Failed},
		{"the nearest node", settings.Interrupts{Nodes: map[string]settings.Policy{"n": settings.InterruptFail, "n#3": settings.InterruptRerun}}, "n#3/until", []string{"n#3"}, flow.Completed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := sched.Options{OnInterrupt: tt.p, Nodes: []flow.NodeInfo{{Key: "n", Kind: "loop"}}}
			for _, key := range tt.nodes {
				opt.Nodes = append(opt.Nodes, flow.NodeInfo{Key: key, Kind: "loop"})
			}
			h := &host{}
			end, err := resume(t, h, []flow.Record{left(tt.step)}, opt, oneNode(strings.TrimPrefix(tt.step, "n")))
			if err != nil || end.Status != tt.status || (len(h.starts) == 1) != (tt.status == flow.Completed) {
				t.Fatalf("%+v %v, begun %v", end, err, h.starts)
			}
			if tt.status == flow.Failed {
				f := h.steps()[tt.step].Failure
				if f.Reason != "interrupted" || f.Class != flow.ClassFatal || !strings.Contains(f.Message, "step `"+tt.step+"` was interrupted while it ran, and it is unknown how far it came; check what it did, then resume") {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// Only what was running was interrupted: not what waited for its next attempt,
// nor what had not begun.
func TestWhatIsNoInterruption(t *testing.T) {
	resting := left("n")
	resting.Attempt, resting.Deadline = 2, start.Add(time.Minute)
	for name, recorded := range map[string][]flow.Record{
		"resting": {resting},
		"pending": {{Key: "n", Kind: "bash", Status: flow.Pending}},
		"failed":  {{Key: "n", Kind: "bash", Status: flow.Failed, Failure: &flow.Failure{Message: "x"}}},
	} {
		h := &host{}
		end, err := resume(t, h, recorded, sched.Options{Died: true, OnInterrupt: settings.Interrupts{Default: settings.InterruptFail}}, oneNode(""))
		if err != nil || end.Status != flow.Completed || !slices.Equal(h.starts, []string{"n"}) {
			t.Errorf("%s: %+v %v, begun %v", name, end, err, h.starts)
		}
	}
}

func TestAnswersAboutAnInterruption(t *testing.T) {
	for _, tt := range []struct {
		choice, text string
		status       flow.Status
		message      string
	}{
		{sched.ChoiceRerun, "", flow.Completed, ""},
		{sched.ChoiceFail, "it paid twice", flow.Failed, "step `n` was interrupted while it ran, and it is unknown how far it came, and eve chose to fail it: it paid twice"},
		{"", "yes", flow.Failed, "step `n` was interrupted while it ran, and it is unknown how far it came, and the answer `` is neither `rerun` nor `fail`"},
	} {
		said := sched.Answered{Key: "n/interrupted#1", Result: flow.Result{Status: flow.Completed, Text: tt.text, Meta: flow.Meta{Choice: tt.choice, By: "eve"}}}
		h := &host{next: func(*host) []sched.Signal { return []sched.Signal{said} }}
		end, err := resume(t, h, []flow.Record{left("n")}, sched.Options{Attended: true, OnInterrupt: settings.Interrupts{Default: settings.InterruptAsk}}, oneNode(""))
		if err != nil || end.Status != tt.status || !slices.Equal(h.asked, []string{"n/interrupted#1"}) {
			t.Fatalf("%q: %+v %v, asked %v", tt.choice, end, err, h.asked)
		}
		if f := h.steps()["n"].Failure; tt.message != "" && f.Message != tt.message {
			t.Errorf("%q: %+v", tt.choice, f)
		}
	}
}

// A run that is cancelled while it asks is cancelled, with the step.
func TestCancelWhileAsking(t *testing.T) {
	h := &host{next: cancels}
	end, err := resume(t, h, []flow.Record{left("n#1")}, sched.Options{Attended: true, OnInterrupt: settings.Interrupts{Default: settings.InterruptAsk}}, func(c *flow.Context) (any, error) {
		_, err := c.DoAs("n#1", echo(""))
		if !errors.Is(err, flow.ErrCancelled) {
			t.Errorf("the action ends with %v", err)
		}
		return nil, err
	})
	got := h.steps()
	if err != nil || end.Status != flow.Cancelled || got["n#1"].Status != flow.Cancelled || got["n#1/interrupted#1"].Status != flow.Cancelled || len(h.starts) > 0 {
		t.Fatalf("%+v %+v %v", end, got, err)
	}
}
