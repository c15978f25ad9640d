package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// priced performs prompts that cost a dollar and ten tokens each.
func priced(a sim.Attempt) sim.Performance {
	r := flow.Result{Status: flow.Completed, Text: a.Key}
	if _, ok := a.Payload.(flow.Prompt); ok {
		r.Meta = flow.Meta{CostUSD: 1, InputTokens: 7, OutputTokens: 3, Turns: 1}
	}
	return sim.Performance{Result: r, Takes: time.Second}
}

// laps is a loop of n prompts.
func laps(n int) *flow.Definition {
	return one(func(c *flow.Context) (string, error) {
		return steps.Loop{
			Max: 20, Goal: "x", Body: func(c *flow.Context, _ *steps.Iteration) (flow.Result, error) {
				return c.Do(flow.Prompt{Agent: "bot", Text: "x"})
			},
			Done: func(text string) bool { return text == fmt.Sprintf("n#%d", n) },
		}.Run(c)
	})
}

// everywhere runs a world under several seeds with a death at every point, and
// has check look at each outcome.
func everywhere(t *testing.T, w sim.World, check func(o *sim.Result) error) *sim.Result {
	t.Helper()
	for seed := range uint64(5) {
		whole := sim.Run(w, seed)
		for point := range whole.Points + 1 {
			o := whole
			if point > 0 {
				o = sim.Run(w, seed, point)
			}
			err := check(o)
			if len(o.Faults) > 0 {
				err = fmt.Errorf("%s", o.Faults[0])
			}
			if err != nil {
				t.Fatalf("seed %d, crash at %d of %d: %v", seed, point, whole.Points, err)
			}
		}
	}
	return sim.Run(w, 0)
}

// A limit ends a run wherever its processes die, not before what runs has ended,
// and nothing begins afterwards.
func TestLimitEndsTheRun(t *testing.T) {
	for name, limits := range map[string]settings.Limits{"cost": {CostUSD: 3}, "cost in between": {CostUSD: 2.5}, "tokens": {Tokens: 30}} {
		w := sim.World{Definition: laps(6), Perform: priced, Limits: limits}
		everywhere(t, w, func(o *sim.Result) error {
			switch {
			case o.End.Status != flow.LimitReached || o.End.Reason == "" || !strings.Contains(o.End.Error, " is reached: "):
				return fmt.Errorf("%s: it ended as %+v", name, o.End)
			case o.Effects["n#4"] != 0 || o.Effects["n#3"] == 0 || sched.Used(o.Steps).CostUSD != 3:
				return fmt.Errorf("%s: effects %v, used %+v", name, o.Effects, sched.Used(o.Steps))
			case o.Step("n#3").Status != flow.Completed || o.Step("n").Status == flow.Running:
				return fmt.Errorf("%s: %+v", name, o.Steps)
			}
			return nil
		})
	}
	o := sim.Run(sim.World{Definition: laps(6), Perform: priced, Limits: settings.Limits{CostUSD: 2.5}}, 1)
	if o.End.Error != "the limit `limits.cost_usd` (`--max-cost`) of $2.50 is reached: $3.00 used" || o.End.Reason != sched.LimitCost {
		t.Errorf("%+v", o.End)
	}
	o = sim.Run(sim.World{Definition: laps(6), Perform: priced, Limits: settings.Limits{Tokens: 30}}, 1)
	if o.End.Error != "the limit `limits.tokens` (`--max-tokens`) of 30 tokens is reached: 30 tokens used" || o.End.Reason != sched.LimitTokens {
		t.Errorf("%+v", o.End)
	}
}

// A resumed run whose limit is still reached begins nothing; with a higher one
// it goes on where it was.
func TestResumeAtLimit(t *testing.T) {
	w := sim.World{Definition: laps(6), Perform: priced, Limits: settings.Limits{CostUSD: 3}}
	before := sim.Run(w, 1)
	for point := range resume(w, 1, before).Points + 1 {
		o := resume(w, 1, before, point)
		if o.End.Status != flow.LimitReached || len(o.Effects) > 0 || len(o.Faults) > 0 {
			t.Fatalf("crash at %d: %+v, %v, %v", point, o.End, o.Effects, o.Faults)
		}
	}
	for _, limits := range []settings.Limits{{CostUSD: 6}, {}} {
		w.Limits = limits
		for point := range resume(w, 1, before).Points + 1 {
			o := resume(w, 1, before, point)
			if o.End.Status != flow.Completed || string(o.End.Outputs) != `"n#6"` || o.Effects["n#3"] > 0 || sched.Used(o.Steps).CostUSD != 6 || len(o.Faults) > 0 {
				t.Fatalf("crash at %d: %+v, %v, %v", point, o.End, o.Effects, o.Faults)
			}
		}
	}
}

// Work that is over when the limit is reached is not taken from anybody.
func TestLimitReachedAtTheEnd(t *testing.T) {
	everywhere(t, sim.World{Definition: laps(3), Perform: priced, Limits: settings.Limits{CostUSD: 3}}, func(o *sim.Result) error {
		if o.End.Status != flow.Completed || string(o.End.Outputs) != `"n#3"` {
			return fmt.Errorf("it ended as %+v", o.End)
		}
		return nil
	})
}

// wide has prompts side by side, and a bash node behind each.
func wide(n int) *flow.Definition {
	def := &flow.Definition{Name: "w"}
	for i := range n {
		p, b := fmt.Sprintf("p%d", i), fmt.Sprintf("b%d", i)
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: p, Kind: "prompt"}, flow.NodeInfo{Key: b, Kind: "bash", After: []string{p}})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		for i := range n {
			p := flow.Spawn(c, flow.Node[string]{Key: fmt.Sprintf("p%d", i), Kind: "prompt", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: "bot", Text: "x"})
				return r.Text, err
			}})
			flow.Spawn(c, flow.Node[string]{Key: fmt.Sprintf("b%d", i), Kind: "bash", After: flow.After(p), Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: "x"})
				return r.Text, err
			}})
		}
		return nil, flow.Settle(c)
	}
	return def
}

// What runs when the limit is reached goes on to its end, and counts; what has
// not begun is skipped for that reason, whatever it costs.
func TestLimitLetsWhatRunsFinish(t *testing.T) {
	w := sim.World{Definition: wide(8), Perform: priced, MaxParallel: 3, Limits: settings.Limits{CostUSD: 4}}
	everywhere(t, w, func(o *sim.Result) error {
		if o.End.Status != flow.LimitReached {
			return fmt.Errorf("it ended as %+v", o.End)
		}
		if used := sched.Used(o.Steps).CostUSD; used < 4 || used > 6 {
			return fmt.Errorf("%v dollars were spent", used)
		}
		completed := 0
		for _, s := range o.Steps {
			switch {
			case s.Status == flow.Completed:
				completed++
			case s.Status == flow.Cancelled && o.Deaths == 1 && s.Reason == kernel.SkipLimit: // it ran when the process died
			case s.Status != flow.Skipped || s.Reason != kernel.SkipLimit || o.Effects[s.Key] > 0:
				return fmt.Errorf("step %s is %s (%s)", s.Key, s.Status, s.Reason)
			}
		}
		if completed == 16 {
			return fmt.Errorf("everything completed")
		}
		return nil
	})
	if _, err := sim.Explore(sim.World{Definition: wide(4), Perform: priced, MaxParallel: 3, Limits: settings.Limits{CostUSD: 400}}, 1, 2, nil); err != nil {
		t.Error(err)
	}
}

// A failed attempt counts, and the next one is not waited for.
func TestLimitInRetries(t *testing.T) {
	def := one(func(c *flow.Context) (string, error) {
		r, err := c.Do(flow.Prompt{Agent: "bot", Text: "x"})
		return r.Text, err
	})
	inner := def.Flow
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "r", Kind: "prompt", Retry: flow.Retry{Retries: 9, Delay: time.Hour, All: true}, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "bot", Text: "x"})
			return r.Text, err
		}})
		return inner(c)
	}
	def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "r", Kind: "prompt"})
	w := sim.World{Definition: def, Limits: settings.Limits{CostUSD: 3}, Perform: func(a sim.Attempt) sim.Performance {
		p := priced(a)
		if a.Key == "r" {
			p.Result.Status, p.Result.Failure = flow.Failed, &flow.Failure{Message: "no"}
		}
		return p
	}}
	o := everywhere(t, w, func(o *sim.Result) error {
		if o.End.Status != flow.LimitReached || sched.Used(o.Steps).CostUSD != 3 || o.Step("n").Status != flow.Completed || o.Step("r").Status == flow.Running {
			return fmt.Errorf("%+v: %+v", o.End, o.Steps)
		}
		return nil
	})
	if o.Elapsed > 2*time.Hour {
		t.Errorf("it took %s", o.Elapsed)
	}
}

// Nobody is asked at the limit, because an answer would only lead to it: the run ends, and a
// question that was open before ends with it. A resumed run without the limit asks.
func TestLimitAndQuestions(t *testing.T) {
	for name, begin := range map[string]func(c *flow.Context) (string, error){
		"before the question": func(c *flow.Context) (string, error) {
			if _, err := c.DoAs("#1", flow.Prompt{Agent: "bot", Text: "x"}); err != nil {
				return "", err
			}
			r, err := c.Ask("#ask", flow.Question{Message: "on?"})
			return r.Text, err
		},
		"beside the question": func(c *flow.Context) (string, error) {
			r, err := c.Ask("#ask", flow.Question{Message: "on?"})
			return r.Text, err
		},
	} {
		def := one(func(c *flow.Context) (string, error) {
			if _, err := begin(c); err != nil {
				return "", err
			}
			r, err := c.DoAs("#2", flow.Prompt{Agent: "bot", Text: "y"})
			return r.Text, err
		})
		if name == "beside the question" {
			alone := def.Flow
			def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "other", Kind: "prompt"})
			def.Flow = func(c *flow.Context) (any, error) {
				flow.Spawn(c, flow.Node[string]{Key: "other", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
					return flow.TextOf(c.DoAs("#1", flow.Prompt{Agent: "bot", Text: "x"}))
				}})
				return alone(c)
			}
		}
		w := sim.World{Definition: def, Perform: priced, Limits: settings.Limits{CostUSD: 1}}
		before := everywhere(t, w, func(o *sim.Result) error {
			if o.End.Status != flow.LimitReached || o.Step("n#ask").Status != flow.Cancelled || o.Effects["n#2"] > 0 {
				return fmt.Errorf("%s: %+v: %+v", name, o.End, o.Steps)
			}
			return nil
		})
		w.Limits, w.Answers = settings.Limits{}, []sim.Answer{answer("n#ask", "", "yes")}
		if o := resume(w, 1, before); o.End.Status != flow.Completed || o.Step("n#ask").Text != "yes" || len(o.Effects) != 1 {
			t.Errorf("%s: %+v after %v", name, o.End, o.Effects)
		}
	}
}

// What a step cost in an earlier process stays spent when it is not performed
// any more.
func TestCostOfStepsThatAreSkippedLater(t *testing.T) {
	skip := false
	def := &flow.Definition{Name: "w", Nodes: []flow.NodeInfo{{Key: "a", Kind: "prompt"}, {Key: "b", Kind: "prompt"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		for _, key := range []string{"a", "b"} {
			flow.Spawn(c, flow.Node[string]{Key: key, Kind: "prompt", When: func() (bool, error) { return key != "a" || !skip, nil }, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: "bot", Text: "x"})
				return r.Text, err
			}})
		}
		return nil, flow.Settle(c)
	}
	w := sim.World{Definition: def, Perform: func(a sim.Attempt) sim.Performance {
		p := priced(a)
		if a.Key == "a" {
			p.Result.Status, p.Result.Failure = flow.Failed, &flow.Failure{Message: "no"}
		}
		return p
	}}
	before := sim.Run(w, 1)
	skip = true
	o := resume(w, 1, before)
	if o.End.Status != flow.Completed || o.Step("a").Status != flow.Skipped || sched.Used(o.Steps).CostUSD != 2 || o.Step("a").Meta.CostUSD != 1 {
		t.Errorf("%+v: %+v", o.End, o.Steps)
	}
}

// A turn whose cost nobody knows reaches the limit, with a warning at once: the run's next step is
// not begun, in no later process either, unless that has no such limit.
func TestUnknownCostReachesTheLimit(t *testing.T) {
	unpriced := flow.Meta{Turns: 1, OutputTokens: 1, Unpriced: "agent `bot` did not report the cost of its turn"}
	uncounted := flow.Meta{Turns: 1, CostUSD: 1, Uncounted: "agent `bot` did not report the tokens of its turn"}
	for name, c := range map[string]struct {
		limits        settings.Limits
		meta          flow.Meta
		warning, ends string
	}{
		"cost": {settings.Limits{CostUSD: 5}, unpriced,
			"agent `bot` did not report the cost of its turn, so the limit `limits.cost_usd` (`--max-cost`) counts as reached; set `price` for the agent in wfc.yaml, or limit tokens instead of dollars",
			"the limit `limits.cost_usd` (`--max-cost`) of $5.00 is reached: agent `bot` did not report the cost of its turn"},
		"tokens": {settings.Limits{Tokens: 500}, uncounted,
			"agent `bot` did not report the tokens of its turn, so the limit `limits.tokens` (`--max-tokens`) counts as reached; limit the cost or the time of the run instead",
			"the limit `limits.tokens` (`--max-tokens`) of 500 tokens is reached: agent `bot` did not report the tokens of its turn"},
		"the other cost":   {settings.Limits{CostUSD: 5}, uncounted, "", ""},
		"the other tokens": {settings.Limits{Tokens: 500}, unpriced, "", ""},
		"no limit":         {settings.Limits{}, unpriced, "", ""},
		"a free turn":      {settings.Limits{CostUSD: 5, Tokens: 500}, flow.Meta{Turns: 1}, "", ""},
	} {
		w := sim.World{Definition: laps(3), Limits: c.limits, Perform: func(a sim.Attempt) sim.Performance {
			return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: a.Key, Meta: c.meta}}
		}}
		first := everywhere(t, w, func(o *sim.Result) error {
			switch {
			case o.End.Error != c.ends || c.ends != "" && (o.End.Status != flow.LimitReached || o.Effects["n#2"] != 0):
				return fmt.Errorf("%s: it ended as %+v after %v", name, o.End, o.Effects)
			case c.ends == "" && o.End.Status != flow.Completed:
				return fmt.Errorf("%s: it ended as %+v", name, o.End)
			}
			return nil
		})
		var warnings []string
		for _, e := range first.Events {
			if e.Type == sched.EventWarning {
				warnings = append(warnings, e.Message)
			}
		}
		if got := strings.Join(warnings, "\n"); got != c.warning {
			t.Errorf("%s: warnings %q", name, got)
		}
		if c.ends == "" {
			continue
		}
		w.Limits.CostUSD, w.Limits.Tokens = w.Limits.CostUSD*2, w.Limits.Tokens*2
		if o := resume(w, 1, first); o.End.Status != flow.LimitReached || len(o.Effects) > 0 {
			t.Errorf("%s: with a higher limit %+v, %v", name, o.End, o.Effects)
		}
		w.Limits = settings.Limits{}
		if o := resume(w, 1, first); o.End.Status != flow.Completed {
			t.Errorf("%s: without the limit %+v", name, o.End)
		}
	}
}
