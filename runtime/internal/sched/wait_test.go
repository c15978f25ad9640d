package sched_test

import (
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// A short wait keeps the process; a long one lets the run pause, and a later process
// fires it once its time is over.
func TestStaysForShortWaits(t *testing.T) {
	hold := func(c *flow.Context) (any, error) {
		r, err := c.Ask("a", flow.Question{Wait: flow.WaitTime, Timeout: time.Hour})
		return r.Meta.Choice, err
	}
	h := &host{}
	if end, err := run(t, h, sched.Options{MaxWait: time.Hour}, hold); err != nil || string(end.Outputs) != `"`+kernel.ChoiceExpired+`"` {
		t.Errorf("%+v %v", end, err)
	}
	h = &host{}
	end, err := run(t, h, sched.Options{MaxWait: time.Hour - 1}, hold)
	if err != nil || end.Status != flow.Paused {
		t.Fatalf("%+v %v", end, err)
	}
	left := h.steps()["a"]
	left.Deadline = start.Add(-time.Second)
	if end, err := resume(t, &host{}, []flow.Record{left}, sched.Options{}, hold); err != nil || end.Status != flow.Completed {
		t.Errorf("%+v %v", end, err)
	}
}
