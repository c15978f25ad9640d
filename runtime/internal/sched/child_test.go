package sched_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// bounder is a host that notes the limits of its children.
type bounder struct {
	host
	bounds []settings.Limits
}

func (b *bounder) Start(a flow.Action, attempt int, left settings.Limits) {
	if _, child := a.Payload.(flow.Child); child {
		b.bounds = append(b.bounds, left)
	}
	b.host.Start(a, attempt, left)
}

// A further attempt at a child continues its run, whose cost so far stays a part of its limit.
func TestLimitsOfAChild(t *testing.T) {
	b := &bounder{host: host{now: start}}
	b.perform = func(a flow.Action, attempt int) (flow.Result, bool) {
		r := flow.Result{Status: flow.Completed, Meta: flow.Meta{CostUSD: 0.25 * float64(attempt), InputTokens: int64(100 * attempt)}}
		if a.Key == "child" && attempt == 1 {
			r.Status, r.Failure = flow.Failed, &flow.Failure{Message: "no", Class: flow.ClassTransient}
		}
		return r, true
	}
	opt := sched.Options{Limits: settings.Limits{CostUSD: 2, Tokens: 1000}}
	_, err := sched.Run(b, &flow.RunInfo{ID: "t-000001"}, nil, opt, func(c *flow.Context) (any, error) {
		for _, a := range []flow.Action{
			{Key: "first", Payload: echo("")}, {Key: "child", Payload: flow.Child{}, Retry: flow.Retry{Retries: 1}}, {Key: "last", Payload: flow.Child{}},
		} {
			if err := c.Scheduler().Await(c.Scheduler().Do(a)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil || len(b.bounds) != 3 {
		t.Fatalf("%v, %+v", err, b.bounds)
	}
	for i, want := range []settings.Limits{{CostUSD: 1.75, Tokens: 900}, {CostUSD: 1.75, Tokens: 900}, {CostUSD: 1.25, Tokens: 700}} {
		if got := b.bounds[i]; got.Tokens != want.Tokens || got.CostUSD < want.CostUSD || got.CostUSD > want.CostUSD+1e-9 {
			t.Errorf("start %d of a child has %+v, want %+v", i+1, got, want)
		}
	}
}

// A child that cleans up at the limit fails, because the limit doesn't keep it from another begin.
func TestChildThatCleansUpAtTheLimit(t *testing.T) {
	h := &host{perform: func(flow.Action, int) (flow.Result, bool) {
		return flow.Result{Status: flow.LimitReached, Failure: &flow.Failure{Message: "at the limit"}, Meta: flow.Meta{CostUSD: 1}}, true
	}}
	var got flow.Result
	_, err := run(t, h, sched.Options{Limits: settings.Limits{CostUSD: 1}}, func(c *flow.Context) (any, error) {
		e := c.Scheduler().Cleanup()
		f := e.Do(flow.Action{Key: "tidy", Payload: flow.Child{}})
		err := e.Await(f)
		got = f.Result()
		return nil, err
	})
	if err != nil || len(h.starts) != 1 || got.Status != flow.Failed || got.Failure.Message != "at the limit" {
		t.Errorf("%v, %v, %+v", err, h.starts, got)
	}
}
