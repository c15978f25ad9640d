package sched_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

func TestRetry(t *testing.T) {
	for _, tt := range []struct {
		name  string
		retry flow.Retry
		after time.Duration
		class flow.Class
		fails int
		tries int
		waits time.Duration
		ends  flow.Status
	}{
		{"never", flow.Retry{}, 0, flow.ClassTransient, 9, 1, 0, flow.Failed},
		{"passes", flow.Retry{Retries: 3, Delay: time.Second}, 0, flow.ClassTransient, 2, 3, 3 * time.Second, flow.Completed},
		{"gives up", flow.Retry{Retries: 3, Delay: time.Second}, 0, flow.ClassTransient, 9, 4, 7 * time.Second, flow.Failed},
		{"unknown is not tried again", flow.Retry{Retries: 3}, 0, flow.ClassUnknown, 9, 1, 0, flow.Failed},
		{"unless all are", flow.Retry{Retries: 3, All: true}, 0, flow.ClassUnknown, 9, 4, 0, flow.Failed},
		{"but not fatal ones", flow.Retry{Retries: 3, All: true}, 0, flow.ClassFatal, 9, 1, 0, flow.Failed},
		{"the wait has a limit", flow.Retry{Retries: 70, Delay: 12 * time.Hour, All: true}, 0, "", 70, 71, (69*24 + 12) * time.Hour, flow.Completed},
		{"the service asks to wait", flow.Retry{Retries: 3, Delay: time.Second}, time.Minute, flow.ClassTransient, 2, 3, 2 * time.Minute, flow.Completed},
		{"and asks for less than the step waits", flow.Retry{Retries: 1, Delay: time.Minute}, time.Second, flow.ClassTransient, 1, 2, time.Minute, flow.Completed},
		{"and asks for more than a retry waits", flow.Retry{Retries: 3, Delay: time.Second}, 61 * time.Minute, flow.ClassTransient, 9, 1, 0, flow.Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, tries := &host{}, 0
			h.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
				if tries++; attempt != tries {
					t.Errorf("attempt %d comes as %d", tries, attempt)
				}
				r := flow.Result{Status: flow.Completed, Meta: flow.Meta{CostUSD: 1, InputTokens: 2, Session: fmt.Sprint("s", attempt)}}
				if attempt <= tt.fails {
					r.Status, r.Failure = flow.Failed, &flow.Failure{Message: "no", Class: tt.class, RetryAfter: tt.after}
				}
				return r, true
			}
			var got flow.Result
			_, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
				f := c.Scheduler().Do(flow.Action{Key: "a", Payload: echo(""), Retry: tt.retry})
				err := c.Scheduler().Await(f)
				got = f.Result()
				return nil, err
			})
			if err != nil || tries != tt.tries || got.Status != tt.ends || h.now.Sub(start) != tt.waits {
				t.Fatalf("%v, %d tries, %+v, after %v", err, tries, got, h.now.Sub(start))
			}
			want := flow.Meta{CostUSD: float64(tries), InputTokens: int64(2 * tries), Session: fmt.Sprint("s", tries), Attempts: tries}
			if got.Meta != want {
				t.Errorf("meta %+v", got.Meta)
			}
		})
	}
}

// A crash while an action waits for its next attempt neither shortens the wait
// nor forgets the attempts.
func TestRetryGoesOnAfterACrash(t *testing.T) {
	due := start.Add(time.Minute)
	recorded := []flow.Record{{Key: "a", Kind: "echo", Status: flow.Running, Attempt: 3, Deadline: due, Meta: flow.Meta{CostUSD: 2}}}
	h := &host{}
	h.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
		if attempt != 3 || !h.now.Equal(due) {
			t.Errorf("attempt %d at %v", attempt, h.now)
		}
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no", Class: flow.ClassTransient}}, true
	}
	end, err := resume(t, h, recorded, sched.Options{}, func(c *flow.Context) (any, error) {
		_, err := c.Scheduler(), c.Scheduler().Await(c.Scheduler().Do(flow.Action{Key: "a", Payload: echo(""), Retry: flow.Retry{Retries: 2, Delay: time.Second}}))
		return nil, err
	})
	if err != nil || end.Status != flow.Completed || len(h.starts) != 1 || h.steps()["a"].Status != flow.Failed || h.steps()["a"].Meta.CostUSD != 2 {
		t.Fatal(end, err, h.starts, h.steps()["a"])
	}
}

// A waiting attempt holds no slot.
func TestRetryLeavesItsSlot(t *testing.T) {
	h := &host{}
	h.perform = func(a flow.Action, attempt int) (flow.Result, bool) {
		if a.Key == "a" && attempt == 1 {
			return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Class: flow.ClassTransient}}, true
		}
		return flow.Result{Status: flow.Completed}, true
	}
	_, err := run(t, h, sched.Options{MaxParallel: 1}, func(c *flow.Context) (any, error) {
		a := c.Scheduler().Do(flow.Action{Key: "a", Payload: echo(""), Retry: flow.Retry{Retries: 1, Delay: time.Hour}})
		return nil, c.Scheduler().Await(a, c.Scheduler().Do(flow.Action{Key: "b", Payload: echo("")}))
	})
	if err != nil || fmt.Sprint(h.starts) != "[a b a]" {
		t.Fatal(err, h.starts)
	}
}

func TestPerformerThatBreaksItsContract(t *testing.T) {
	for status, want := range map[flow.Status]string{
		flow.Running: "internal error: the performer of step `a` returned the status `running`",
		flow.Failed:  "failed without a reason",
	} {
		h := &host{perform: func(flow.Action, int) (flow.Result, bool) { return flow.Result{Status: status}, true }}
		_, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
			_, err := c.DoAs("a", echo(""))
			return nil, err
		})
		if got := h.steps()["a"]; err != nil || got.Status != flow.Failed || got.Failure.Message != want {
			t.Errorf("%s: %+v %v", status, got, err)
		}
	}
}
