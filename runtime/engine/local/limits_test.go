package local_test

import (
	"context"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A limit holds over the processes of a run, and what it lets a run do is for
// whoever resumes it to say.
func TestLimits(t *testing.T) {
	w, at := newWorld(t), map[string]bool{}
	for _, key := range []string{"a", "b", "c"} {
		w.performer.set(key, func(_ context.Context, call *engine.Attempt) flow.Result {
			at[key] = call.AtLimit(flow.Meta{CostUSD: 0.2})
			return flow.Result{Status: flow.Completed, Text: key, Meta: flow.Meta{CostUSD: 0.5, InputTokens: 10}}
		})
	}
	def := define("w", step{key: "a"}, step{key: "b", after: []string{"a"}}, step{key: "c", after: []string{"b"}})
	opt := func(usd float64) local.Options {
		o := w.options()
		o.Limits = settings.Limits{CostUSD: usd}
		return o
	}
	e := w.engine(t, nil)
	r := must(t, flow.LimitReached)(e.Run(t.Context(), def, nil, opt(0.4)))
	if r.Reason != sched.LimitCost || r.Error != "the limit `limits.cost_usd` (`--max-cost`) of $0.40 is reached: $0.50 used" {
		t.Errorf("%+v", r)
	}
	if s := w.steps(t, r.ID)["b"]; s.Status != flow.Skipped || s.Reason != kernel.SkipLimit {
		t.Errorf("%+v", s)
	}
	e = w.engine(t, nil)
	must(t, flow.LimitReached)(e.Resume(t.Context(), def, r.ID, opt(0.4)))
	must(t, flow.LimitReached)(e.Resume(t.Context(), def, r.ID, opt(0.6)))
	if w.performer.count("a") != 1 || w.performer.count("b") != 1 || w.performer.count("c") != 0 {
		t.Errorf("%v", w.performer.done)
	}
	must(t, flow.Completed)(e.Resume(t.Context(), def, r.ID, opt(0)))
	if w.performer.count("a") != 1 || w.performer.count("b") != 1 || w.performer.count("c") != 1 {
		t.Errorf("%v", w.performer.done)
	}
	if at["a"] || !at["b"] || at["c"] { // $0.40, $0.10 and no limit were left
		t.Errorf("at the limit after $0.20: %v", at)
	}
}

// An attempt that only the limit keeps from going on ends the run at its limit: with a higher one it
// is made again, and what it has cost stays spent.
func TestAttemptsThatTheLimitEnds(t *testing.T) {
	for name, retries := range map[string]int{"no retry": 0, "a retry": 1} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
				r := flow.Result{Status: flow.Completed, Text: "a", Meta: flow.Meta{CostUSD: 0.5}}
				if call.AtLimit(r.Meta) {
					r.Status, r.Failure = flow.Failed, &flow.Failure{Reason: kernel.AtLimit, Message: "the answer is no JSON"}
				}
				return r
			})
			def := define("w", step{key: "a", retry: retries})
			opt := w.options()
			opt.Limits = settings.Limits{CostUSD: 0.4}
			r := must(t, flow.LimitReached)(w.engine(t, nil).Run(t.Context(), def, nil, opt))
			if r.Reason != sched.LimitCost {
				t.Errorf("%+v", r)
			}
			must(t, flow.LimitReached)(w.engine(t, nil).Resume(t.Context(), def, r.ID, opt))
			opt.Limits.CostUSD = 2
			must(t, flow.Completed)(w.engine(t, nil).Resume(t.Context(), def, r.ID, opt))
			if got := w.steps(t, r.ID)["a"]; got.Meta.CostUSD != 1 || w.performer.count("a") != 2 {
				t.Errorf("%d attempts, %+v", w.performer.count("a"), got)
			}
		})
	}
}
