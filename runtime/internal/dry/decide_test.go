package dry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/dry"
	"github.com/wfc-lang/wfc/runtime/value"
)

// small plans a flow whose nodes are those of the keys, which come after one
// another as described: "b<a" is node b after a, and "b<a:all_done" with a rule.
func small(t *testing.T, outputs, nodes string, fn func(c *flow.Context)) *dry.Plan {
	t.Helper()
	def := &flow.Definition{Name: "small", Flow: func(c *flow.Context) (any, error) {
		fn(c)
		return nil, flow.Settle(c)
	}}
	for _, n := range strings.Fields(nodes) {
		key, after, _ := strings.Cut(n, "<")
		after, rule, _ := strings.Cut(after, ":")
		info := flow.NodeInfo{Key: key, Kind: "bash", Rule: rule}
		if after != "" {
			info.After = strings.Split(after, ",")
		}
		def.Nodes = append(def.Nodes, info)
	}
	return plan(t, def, outputs)
}

// Which ends of which dependencies make a node run for sure, maybe, or not.
func TestTriggerRulesInDoubt(t *testing.T) {
	rules := map[string]flow.Rule{"all": flow.AllSuccess, "one": flow.OneSuccess, "none": flow.NoneFailedMinOneSuccess, "any": flow.AllDone}
	names := map[string]string{"one": "one_success", "none": "none_failed_min_one_success", "any": "all_done"}
	// The dependencies: s runs, x is skipped, f fails, m may run, n may run and
	// then fails.
	for _, tt := range []struct {
		deps, rule string
		want       dry.Decision
	}{
		{"s", "all", dry.Runs}, {"x", "all", dry.Skipped}, {"m", "all", dry.Maybe}, {"m,x", "all", dry.Skipped}, {"m,f", "all", dry.Skipped}, {"n", "all", dry.Skipped}, {"s,m", "all", dry.Maybe},
		{"s,m", "one", dry.Runs}, {"x,m", "one", dry.Maybe}, {"n,x", "one", dry.Skipped}, {"f,m", "one", dry.Maybe}, {"m,n", "one", dry.Maybe},
		{"s,m", "none", dry.Runs}, {"s,n", "none", dry.Maybe}, {"m,n", "none", dry.Maybe}, {"m,f", "none", dry.Skipped}, {"n", "none", dry.Skipped},
		{"m,n,x,f", "any", dry.Runs},
	} {
		t.Run(tt.rule+" "+tt.deps, func(t *testing.T) {
			p := small(t, `{"f": {"fail": "f"}, "n": {"fail": "n"}}`, "u s x f m<u n<u end<"+tt.deps+":"+names[tt.rule], func(c *flow.Context) {
				u := bash(c, "u", "u", nil, flow.Node[string]{})
				perhaps := func() (bool, error) { text, err := u.Text(); return text == "yes", err }
				tasks := map[string]flow.AnyTask{
					"s": bash(c, "s", "s", nil, flow.Node[string]{}),
					"x": bash(c, "x", "x", nil, flow.Node[string]{When: func() (bool, error) { return false, nil }}),
					"f": bash(c, "f", "f", nil, flow.Node[string]{}),
					"m": bash(c, "m", "m", nil, flow.Node[string]{After: flow.After(u), When: perhaps}),
					"n": bash(c, "n", "n", nil, flow.Node[string]{After: flow.After(u), When: perhaps}),
				}
				var after []flow.AnyTask
				for _, key := range strings.Split(tt.deps, ",") {
					after = append(after, tasks[key])
				}
				bash(c, "end", "end", nil, flow.Node[string]{After: after, Rule: rules[tt.rule]})
			})
			if s := step(p, "end"); s.Decision != tt.want || (s.Decision == dry.Runs) != (len(s.Why) == 0) {
				t.Errorf("%+v, want %s", s, tt.want)
			}
		})
	}
}

// A condition is decided as far as what it reads is known.
func TestConditions(t *testing.T) {
	eval := func(outputs string, when func(known, unknown *flow.Task[string]) (bool, error)) *dry.Step {
		p := small(t, outputs, "known unknown end<known,unknown", func(c *flow.Context) {
			known, unknown := bash(c, "known", "k", nil, flow.Node[string]{}), bash(c, "unknown", "u", nil, flow.Node[string]{})
			bash(c, "end", "e", nil, flow.Node[string]{After: flow.After(known, unknown), When: func() (bool, error) { return when(known, unknown) }})
		})
		return step(p, "end")
	}
	const known = `{"known": {"a": 1}}`
	for name, tt := range map[string]struct {
		when func(known, unknown *flow.Task[string]) (bool, error)
		want dry.Decision
		why  string
	}{
		"known": {func(k, _ *flow.Task[string]) (bool, error) { return k.MustOutput().Text == `{"a":1}`, nil }, dry.Runs, ""},
		"known field": {func(k, _ *flow.Task[string]) (bool, error) {
			a, err := value.Field(k, "$known.output.a", "a")
			return a == "2", err
		}, dry.Skipped, "its condition is false"},
		"lazy": {func(k, u *flow.Task[string]) (bool, error) {
			return k.MustOutput().Text == "" && u.MustOutput().Text == "", nil
		}, dry.Skipped, "its condition is false"},
		"text": {func(_, u *flow.Task[string]) (bool, error) { s, err := u.Text(); return s == "", err }, dry.Maybe, "it depends on `$unknown.output`"},
		"out":  {func(_, u *flow.Task[string]) (bool, error) { return u.MustOutput().Text == "", nil }, dry.Maybe, "it depends on `$unknown.output`"},
		"field": {func(_, u *flow.Task[string]) (bool, error) {
			a, err := value.Field(u, "$unknown.output.a", "a")
			return a == "2", err
		}, dry.Maybe, "it depends on `$unknown.output.a`"},
		"declared": {func(_, u *flow.Task[string]) (bool, error) {
			a, err := value.FieldOrEmpty(u, "$unknown.output.a", "a")
			return a == "2", err
		}, dry.Maybe, "it depends on `$unknown.output.a`"},
	} {
		s := eval(known, tt.when)
		if s.Decision != tt.want || strings.Join(s.Why, "; ") != tt.why {
			t.Errorf("%s: %+v", name, s)
		}
	}
	// A mistake in a condition stays one.
	s := eval("", func(_, u *flow.Task[string]) (bool, error) { return false, errors.New("broken") })
	if s.Decision != dry.Runs || s.Status != flow.Failed || s.Failure != "broken" {
		t.Errorf("broken: %+v", s)
	}
}

// Outside of conditions, what is not known is read as what stands for it, and
// never fails the reader.
func TestReadingTheUnknown(t *testing.T) {
	p := small(t, "", "u end<u", func(c *flow.Context) {
		u := bash(c, "u", "u", nil, flow.Node[string]{})
		bash(c, "end", "e", func() ([]flow.Binding, error) {
			text, err1 := u.Text()
			v, err2 := u.RequireValue("$u.output")
			field, err3 := value.Field(u, "$u.output.a.b", "a", "b")
			declared, err4 := value.FieldOrEmpty(u, "$u.output.c", "c")
			return []flow.Binding{{Name: "ALL", Value: strings.Join([]string{text, v, u.MustOutput().Text, field, declared}, "|")}}, errors.Join(err1, err2, err3, err4)
		}, flow.Node[string]{After: flow.After(u)})
	})
	want := "‹output of u›|‹output of u›|‹output of u›|‹u.output.a.b›|‹u.output.c›"
	if s := step(p, "end"); s.Status != flow.Completed || s.Actions[0].Bindings[0].Value != want {
		t.Errorf("%+v", s)
	}
}

// Whether a node runs that may not matters to who reads whether it did.
func TestReadingWhatMayNotRun(t *testing.T) {
	p := small(t, `{"m": "text"}`, "u m<u after<m beside<m:all_done", func(c *flow.Context) {
		u := bash(c, "u", "u", nil, flow.Node[string]{})
		m := bash(c, "m", "m", nil, flow.Node[string]{After: flow.After(u), When: func() (bool, error) { return u.MustOutput().Text == "", nil }})
		bash(c, "after", "a", nil, flow.Node[string]{After: flow.After(m), When: func() (bool, error) { return m.MustOutput().Text == "text", nil }})
		bash(c, "beside", "b", nil, flow.Node[string]{After: flow.After(m), Rule: flow.AllDone, When: func() (bool, error) { s, err := m.Text(); return s == "text", err }})
	})
	if s := step(p, "after"); s.Decision != dry.Maybe || fmt.Sprint(s.Why) != "[it depends on whether `m` runs]" {
		t.Errorf("after: %+v", s)
	}
	if s := step(p, "beside"); s.Decision != dry.Maybe || fmt.Sprint(s.Why) != "[it depends on `$m.output`]" {
		t.Errorf("beside: %+v", s)
	}
	if p.Verdict.Status != "completed" {
		t.Errorf("%+v", p.Verdict)
	}
}

func TestVerdicts(t *testing.T) {
	perhaps := func(u *flow.Task[string]) func() (bool, error) {
		return func() (bool, error) { return u.MustOutput().Text == "", nil }
	}
	p := small(t, `{"m": {"fail": "m is broken"}}`, "u m<u", func(c *flow.Context) {
		u := bash(c, "u", "u", nil, flow.Node[string]{})
		bash(c, "m", "m", nil, flow.Node[string]{After: flow.After(u), When: perhaps(u)})
	})
	if p.Verdict.Status != dry.Undecided || p.Verdict.Reasons[0] != "`m` fails if it runs: m is broken" {
		t.Errorf("a node that may fail: %+v", p.Verdict)
	}
	p = small(t, `{"u": {"fail": "u is broken"}}`, "u m", func(c *flow.Context) {
		bash(c, "m", "m", nil, flow.Node[string]{When: func() (bool, error) { return false, nil }})
		bash(c, "u", "u", nil, flow.Node[string]{When: func() (bool, error) { return false, nil }})
	})
	if p.Verdict.Status != "failed" || !strings.Contains(p.Verdict.Reasons[0], "no node completed") {
		t.Errorf("nothing runs: %+v", p.Verdict)
	}
	p = small(t, "", "u ask<u", func(c *flow.Context) {
		u := bash(c, "u", "u", nil, flow.Node[string]{})
		flow.Spawn(c, flow.Node[string]{Key: "ask", Kind: "approval", After: flow.After(u), When: perhaps(u), Run: func(c *flow.Context) (string, error) {
			r, err := c.Ask("#1", flow.Question{Message: "What now?"})
			c.CancelRun("enough: " + r.Text)
			return "", errors.Join(err, flow.ErrCancelled)
		}})
	})
	if p.Verdict.Status != dry.Undecided || p.Verdict.Reasons[0] != "`ask` cancels the run if it runs: enough: ‹answer to ask#1›" {
		t.Errorf("a node that may cancel: %+v", p.Verdict)
	}
}

// A flow that sleeps, waits for a clock and panics is planned as any other.
func TestClockAndPanics(t *testing.T) {
	began := time.Now()
	p := small(t, "", "sleeper timed broken", func(c *flow.Context) {
		flow.Spawn(c, flow.Node[string]{Key: "sleeper", Kind: "wait", Run: func(c *flow.Context) (string, error) {
			before := c.Scheduler().Now("before")
			err := c.Sleep("/nap", 1000*time.Hour)
			return c.Scheduler().Now("after").Sub(before).String(), err
		}})
		flow.Spawn(c, flow.Node[string]{Key: "timed", Kind: "wait", Run: func(c *flow.Context) (string, error) {
			return c.WithTimeout(time.Minute, func(c *flow.Context) (string, error) { return "", c.Sleep("/nap", time.Hour) })
		}})
		flow.Spawn(c, flow.Node[string]{Key: "broken", Kind: "wait", Run: func(*flow.Context) (string, error) { panic("ouch") }})
	})
	if s := step(p, "sleeper"); s.Output != "1000h0m0s" || !s.OutputKnown {
		t.Errorf("%+v", s)
	}
	if s := step(p, "timed"); s.Failure != "node `timed` timed out after 1m0s" {
		t.Errorf("%+v", s)
	}
	if s := step(p, "broken"); !strings.HasPrefix(s.Failure, "panic: ouch") {
		t.Errorf("%+v", s)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}

// The secrets of the environment are nowhere in a plan, nor are the values of
// variables whose names say that they are secret.
func TestSecrets(t *testing.T) {
	def := triage()
	opt := options(t, def, `{"lint": "it says correct-horse"}`)
	opt.Inputs = []byte(`{"arguments":"correct-horse"}`)
	opt.Environ = []string{"A_TOKEN=correct-horse"}
	p, err := dry.Make(def, opt)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := p.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"correct-horse", "hunter2"} {
		if strings.Contains(text.String(), secret) {
			t.Errorf("%s is in\n%s", secret, text.String())
		}
	}
	if !strings.Contains(text.String(), `inputs: {"arguments":"***"}`) {
		t.Error("the inputs are not shown")
	}
}

// A flow that forgets its nodes fails in a plan as in a run.
func TestUnsettledNodes(t *testing.T) {
	def := &flow.Definition{Name: "small", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}}, Flow: func(c *flow.Context) (any, error) {
		bash(c, "a", "a", nil, flow.Node[string]{})
		return nil, nil
	}}
	if p := plan(t, def, ""); p.Verdict.Status != "failed" || !strings.Contains(p.Verdict.Reasons[0], "the flow returned while `a` had not settled") {
		t.Errorf("%+v", p.Verdict)
	}
}
