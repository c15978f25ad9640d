package local_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// inTurn is a workflow whose steps run the workflow build one after the other.
func inTurn(build *flow.Definition, keys ...string) *flow.Definition {
	def := nested(build, keys...)
	for i := range keys {
		def.Nodes[i].After = keys[max(i-1, 0):i]
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var before []flow.AnyTask
		for _, key := range keys {
			before = flow.After(flow.Spawn(c, flow.Node[string]{Key: key, Kind: "workflow", After: before, Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Child{Workflow: "build"}))
			}}))
		}
		return nil, flow.Settle(c)
	}
	return def
}

// setPrices lets steps cost ten cents and ten tokens each.
func (w *world) setPrices(keys ...string) {
	for _, key := range keys {
		w.performer.set(key, func(context.Context, *engine.Attempt) flow.Result {
			return flow.Result{Status: flow.Completed, Text: key, Meta: flow.Meta{CostUSD: 0.1, InputTokens: 10}}
		})
	}
}

// paidSteps is a workflow of three steps, one after the other.
func paidSteps() *flow.Definition {
	return define("build", step{key: "x"}, step{key: "y", after: []string{"x"}}, step{key: "z", after: []string{"y"}})
}

// A child has what is left of the limits of its parent, whose end is the child's end at them. Both
// continue with higher limits, and nothing counts twice.
func TestChildrenShareTheLimit(t *testing.T) {
	for name, limit := range map[string]func(cents float64) settings.Limits{
		"cost":   func(cents float64) settings.Limits { return settings.Limits{CostUSD: cents / 100} },
		"tokens": func(cents float64) settings.Limits { return settings.Limits{Tokens: int64(cents)} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.setPrices("x", "y", "z")
			def := inTurn(paidSteps(), "first", "second")
			opt := func(cents float64) local.Options {
				o := w.options()
				o.Limits = limit(cents)
				return o
			}
			counts := func(x, y, z int) {
				t.Helper()
				if w.performer.count("x") != x || w.performer.count("y") != y || w.performer.count("z") != z {
					t.Fatalf("performed: %v", w.performer.done)
				}
			}
			r := must(t, flow.LimitReached)(w.engine(t, nil).Run(t.Context(), def, nil, opt(35)))
			counts(2, 1, 1)
			if name == "cost" && (r.Reason != sched.LimitCost || r.Error != "the limit `limits.cost_usd` (`--max-cost`) of $0.35 is reached: $0.40 used") {
				t.Errorf("%+v", r)
			}
			if s := w.steps(t, r.ID)["second"]; s.Status != flow.Cancelled || s.Reason != kernel.SkipLimit || s.Meta.InputTokens != 10 {
				t.Errorf("%+v", s)
			}
			if child := w.run(t, r.ID+"--second"); child.Status != flow.LimitReached {
				t.Errorf("the child is %s", child.Status)
			}
			must(t, flow.LimitReached)(w.engine(t, nil).Resume(t.Context(), def, r.ID, opt(35)))
			counts(2, 1, 1)
			must(t, flow.LimitReached)(w.engine(t, nil).Resume(t.Context(), def, r.ID, opt(45)))
			counts(2, 2, 1)
			must(t, flow.Completed)(w.engine(t, nil).Resume(t.Context(), def, r.ID, opt(55)))
			counts(2, 2, 2)
			steps, err := w.store.Steps(t.Context(), r.ID)
			if used := sched.Used(steps); err != nil || math.Abs(used.CostUSD-0.6) > 1e-9 || used.InputTokens != 60 {
				t.Errorf("used %+v, %v", used, err)
			}
		})
	}
}

// The limit of a run holds for the runs that its children begin.
func TestLimitReachesGrandchildren(t *testing.T) {
	w := newWorld(t)
	w.setPrices("x", "y", "z")
	middle := inTurn(paidSteps(), "inner")
	def := inTurn(paidSteps(), "first")
	middle.Name, middle.Fingerprint = "build", "f2"
	def.Children = []*flow.Definition{middle}
	opt := w.options()
	opt.Limits.CostUSD = 0.2
	r := must(t, flow.LimitReached)(w.engine(t, nil).Run(t.Context(), def, nil, opt))
	for _, id := range []string{"--first", "--first--inner"} {
		if child := w.run(t, r.ID+id); child.Status != flow.LimitReached {
			t.Errorf("%s is %s", child.ID, child.Status)
		}
	}
	must(t, flow.Completed)(w.engine(t, nil).Resume(t.Context(), def, r.ID, w.options()))
	if w.performer.count("x") != 1 || w.performer.count("z") != 1 {
		t.Errorf("performed: %v", w.performer.done)
	}
}

// A limit of the child itself fails its step.
func TestOwnLimitOfAChild(t *testing.T) {
	w := newWorld(t)
	build := define("build", step{key: "x"})
	build.Flow = func(*flow.Context) (any, error) {
		return nil, &kernel.LimitError{Limit: "max_iterations", Used: "3 nodes", Max: "3 nodes"}
	}
	r := must(t, flow.Failed)(w.engine(t, nil).Run(t.Context(), inTurn(build, "first"), nil, w.options()))
	if f := w.steps(t, r.ID)["first"].Failure; f == nil || f.Reason != kernel.ChildFailed {
		t.Errorf("%+v", f)
	}
}

// A child that waits for people counts for the paused run, and once when it has ended.
func TestCostOfAWaitingChild(t *testing.T) {
	w := newWorld(t)
	w.setPrices("make", "ship")
	build := define("build", step{key: "make"}, step{key: "gate", after: []string{"make"}, ask: "ship?"}, step{key: "ship", after: []string{"gate"}})
	def := inTurn(build, "first")
	r := must(t, flow.Paused)(w.engine(t, nil).Run(t.Context(), def, nil, w.options()))
	if s := w.steps(t, r.ID)["first"]; s.Status != flow.Waiting || s.Meta.CostUSD != 0.1 {
		t.Errorf("%+v", s)
	}
	must(t, flow.Paused)(w.engine(t, nil).Resume(t.Context(), def, r.ID, w.options()))
	e := w.engine(t, nil)
	if err := e.Answer(t.Context(), r.ID+"--first", store.Answer{Key: "gate", Text: "yes", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	opt := w.options()
	opt.Limits.CostUSD = 0.25 // less than make twice and ship
	must(t, flow.Completed)(e.Resume(t.Context(), def, r.ID, opt))
	if s := w.steps(t, r.ID)["first"]; s.Meta.CostUSD != 0.2 {
		t.Errorf("%+v", s)
	}
}

// Settings that a run continues with stay with it, beside those of the engine.
func TestResumeKeepsSettings(t *testing.T) {
	w := newWorld(t)
	def := define("w", step{key: "gate", ask: "go on?"})
	opt := w.options()
	opt.Settings, opt.Graph = []byte(`{"a":1,"b":2}`), &flow.GraphOptions{Promise: "done"}
	r := must(t, flow.Paused)(w.engine(t, nil).Run(t.Context(), def, nil, opt))
	opt.Settings = []byte(`{"b":3}`)
	must(t, flow.Paused)(w.engine(t, nil).Resume(t.Context(), def, r.ID, opt))
	must(t, flow.Paused)(w.engine(t, nil).Resume(t.Context(), def, r.ID, w.options()))
	if got := string(w.run(t, r.ID).Settings); got != `{"a":1,"b":3,"graph":{"promise":"done"}}` {
		t.Errorf("settings %s", got)
	}
}

// A step that a limit held back is open again once the run continues with a higher one.
func TestStepsBehindARaisedLimit(t *testing.T) {
	w := newWorld(t)
	w.setPrices("x", "y")
	def := define("demo", step{key: "x"}, step{key: "gate", after: []string{"x"}, ask: "Go on?"}, step{key: "y", after: []string{"gate"}})
	opt := w.options()
	opt.Limits.CostUSD = 0.05
	id := must(t, flow.LimitReached)(w.engine(t, nil).Run(t.Context(), def, nil, opt)).ID
	status := func() flow.Status {
		t.Helper()
		s, err := w.engine(t, nil).Status(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.Steps, func(r flow.Record) bool { return r.Key == "y" })
		return s.Steps[at].Status
	}
	if got := status(); got != flow.Skipped {
		t.Errorf("at the limit: %s", got)
	}
	must(t, flow.Paused)(w.engine(t, nil).Resume(t.Context(), def, id, w.options()))
	if got := status(); got != flow.Pending {
		t.Errorf("with a higher limit, at the gate: %s", got)
	}
}
