package sched_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// optional asks two questions at once that need no answer.
func optional(c *flow.Context) (any, error) {
	e := c.Scheduler()
	a := e.Ask(flow.Question{Key: "a", Choices: []string{"yes", "no"}, Unattended: "yes"})
	b := e.Ask(flow.Question{Key: "b", Choices: []string{"yes", "no"}, Unattended: "no"})
	err := e.Await(a, b)
	return fmt.Sprint(a.Result().Meta.Choice, a.Result().Meta.From, b.Result().Meta.Choice, b.Result().Meta.From), err
}

func TestQuestionsThatNeedNoAnswer(t *testing.T) {
	// Nobody is there: they are settled at once and nobody is asked.
	h := &host{}
	end, err := run(t, h, sched.Options{}, optional)
	if err != nil || end.Status != flow.Completed || string(end.Outputs) != `"yesunattendednounattended"` || len(h.asked) > 0 {
		t.Fatalf("%+v %v %q", end, err, h.asked)
	}
	if got := h.steps()["b"]; got.Status != flow.Completed || got.Meta.Choice != "no" || got.Question == nil {
		t.Errorf("%+v", got)
	}
	// What is journalled counts, whoever is there later.
	again := &host{}
	recorded := []flow.Record{h.steps()["a"], h.steps()["b"]}
	if end, err := resume(t, again, recorded, sched.Options{Attended: true}, optional); err != nil || end.Status != flow.Completed || len(again.asked) > 0 {
		t.Errorf("%+v %v", end, err)
	}
	// Somebody is there, answers one, and leaves.
	said := false
	h = &host{next: func(*host) []sched.Signal {
		if said {
			return []sched.Signal{sched.Unattended{}}
		}
		said = true
		return []sched.Signal{sched.Answered{Key: "b", Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: "yes"}}}}
	}}
	end, err = run(t, h, sched.Options{Attended: true}, optional)
	if err != nil || string(end.Outputs) != `"yesunattendedyes"` || len(h.asked) != 2 {
		t.Errorf("%+v %v %q", end, err, h.asked)
	}
	// An answer that was given meanwhile wins.
	h = &host{done: []sched.Signal{sched.Answered{Key: "a", Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: "no"}}}}}
	if end, _ := run(t, h, sched.Options{}, optional); string(end.Outputs) != `"nonounattended"` {
		t.Errorf("%+v", end)
	}
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status flow.Status
		reason string
		text   string
	}{
		{&kernel.StopError{Reason: "stopped", Message: "no"}, flow.Paused, "stopped", "no"},
		{fmt.Errorf("at the end: %w", &kernel.GoalsError{}), flow.Completed, kernel.ReasonGoals, ""},
		{&kernel.LimitError{Limit: "max_iterations", Used: "2 nodes", Max: "2 nodes"}, flow.LimitReached, "max_iterations", "the limit `max_iterations` of 2 nodes is reached: 2 nodes used"},
		{errors.New("no"), flow.Failed, "", "no"},
	} {
		h := &host{}
		end, err := run(t, h, sched.Options{Nodes: []flow.NodeInfo{{Key: "never"}}}, func(*flow.Context) (any, error) { return nil, tt.err })
		if err != nil || end.Status != tt.status || end.Reason != tt.reason || end.Error != tt.text {
			t.Errorf("%v: %+v %v", tt.err, end, err)
		}
		// What a paused run did not come to is still to come.
		if got := h.steps()["never"].Status; (got == "") != (tt.status == flow.Paused) {
			t.Errorf("%v: the node is %q", tt.err, got)
		}
	}
}

type told string

func (o told) Summary() string { return "in short: " + string(o) }

func TestOutputsThatSumThemselvesUp(t *testing.T) {
	end, err := run(t, &host{}, sched.Options{}, func(*flow.Context) (any, error) { return told("fine"), nil })
	if err != nil || end.Summary != "in short: fine" {
		t.Errorf("%+v %v", end, err)
	}
}

// state is an action that may be repeated.
type state struct{ echo }

func (state) Repeatable() {}

// What becomes of interrupted actions does not concern those that may be repeated.
func TestRepeatableActionsAreRepeated(t *testing.T) {
	for _, policy := range []settings.Policy{settings.InterruptAsk, settings.InterruptFail} {
		h := &host{}
		recorded := []flow.Record{{Key: "a", Kind: "echo", Status: flow.Running, Attempt: 1, Started: start}}
		end, err := resume(t, h, recorded, sched.Options{OnInterrupt: settings.Interrupts{Default: policy}}, func(c *flow.Context) (any, error) {
			_, err := c.DoAs("a", state{"x"})
			return nil, err
		})
		if err != nil || end.Status != flow.Completed || len(h.starts) != 1 {
			t.Errorf("%s: %+v %v", policy, end, err)
		}
	}
}
