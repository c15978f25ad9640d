package sim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// single is a sequence of one step and one that follows it.
func single(run func(c *flow.Context) (string, error)) *flow.Definition {
	return &flow.Definition{
		Name: "w", Nodes: []flow.NodeInfo{{Key: "n", Kind: "step"}, {Key: "next", Kind: "step"}},
		Flow: func(c *flow.Context) (any, error) {
			n := flow.RunNext(c, flow.Node[string]{Key: "n", Kind: "step", Run: run})
			flow.RunNext(c, flow.Node[string]{Key: "next", Kind: "step", Run: func(*flow.Context) (string, error) { return "", nil }})
			return n.Final().Text, flow.Settle(c)
		},
	}
}

// acting performs works, each of which takes a second unless takes says otherwise.
func acting(takes map[string]time.Duration, fails ...string) func(sim.Attempt) sim.Performance {
	return func(a sim.Attempt) sim.Performance {
		p := sim.Performance{Takes: time.Second, Result: flow.Result{Status: flow.Completed, Text: a.Payload.(work).Text, Meta: flow.Meta{CostUSD: 1, Session: "of " + a.Key}}}
		if d, ok := takes[a.Key]; ok {
			p.Takes = d
		}
		for _, key := range fails {
			if key == a.Key {
				p.Result = flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "broken", Reason: "exit", ExitCode: 1}}
			}
		}
		return p
	}
}

func doing(text string) func(c *flow.Context) (string, error) {
	return func(c *flow.Context) (string, error) {
		r, err := c.Do(work{Text: text})
		return r.Text, err
	}
}

func forking(failFast bool, names ...string) func(c *flow.Context) (string, error) {
	return func(c *flow.Context) (string, error) {
		var branches []steps.Branch
		for _, name := range names {
			branches = append(branches, steps.Branch{Name: name, Kind: "work", Run: doing(name)})
		}
		return steps.Fork{FailFast: failFast, Branches: branches}.Run(c, joinEnds)
	}
}

// A failing child ends the others at once, when that is wanted.
func TestForkFailsFast(t *testing.T) {
	takes := map[string]time.Duration{"n/slow": time.Hour}
	w := sim.World{Definition: single(forking(true, "slow", "bad")), Perform: acting(takes, "n/bad")}
	o := explore(t, w)
	n, next := o.Step("n"), o.Step("next")
	if n.Status != flow.Failed || n.Failure.Message != "`bad` failed: broken" || n.Failure.Reason != "exit" || next.Reason != kernel.SkipFailure {
		t.Errorf("%+v, %+v", n, next)
	}
	if s := o.Step("n/slow"); s.Status != flow.Cancelled || o.Elapsed != time.Second {
		t.Errorf("%+v after %v", s, o.Elapsed)
	}

	// One that has not begun by then is skipped.
	w.MaxParallel, w.Definition = 1, single(forking(true, "bad", "slow"))
	skipped := 0
	for seed := range uint64(20) {
		o := sim.Run(w, seed)
		if s := o.Step("n/slow"); o.Effects["n/slow"] == 0 {
			skipped++
			if s.Status != flow.Skipped || s.Reason != kernel.SkipCancelled {
				t.Errorf("%+v", s)
			}
		}
	}
	if skipped == 0 {
		t.Error("the slow child always began first")
	}

	w.MaxParallel, w.Definition = 0, single(forking(false, "slow", "bad"))
	o = explore(t, w)
	if s := o.Step("n/slow"); s.Status != flow.Completed || o.Elapsed != time.Hour || o.Step("n").Failure.Message != "`bad` failed: broken" {
		t.Errorf("%+v after %v, %+v", s, o.Elapsed, o.Step("n").Failure)
	}
	// What completed is not performed again when the run is resumed.
	w.Perform = acting(takes)
	o = resume(w, 1, o)
	if string(o.End.Outputs) != `"{slow=slow,bad=bad}"` || o.Effects["n/slow"] != 0 || o.Effects["n/bad"] != 1 {
		t.Errorf("%s, %v", o.End.Outputs, o.Effects)
	}
}

// All children that failed are named.
func TestForkNamesItsFailures(t *testing.T) {
	o := explore(t, sim.World{Definition: single(forking(false, "a", "b", "c")), Perform: acting(nil, "n/c", "n/a")})
	if m := o.Step("n").Failure.Message; m != "`a` failed: broken; `c` failed: broken" {
		t.Error(m)
	}
}

// An item that fails ends the loop; a resumed run goes on with it.
func TestEachGoesOnWhereItFailed(t *testing.T) {
	each := func(c *flow.Context) (string, error) {
		return steps.Each(c, 3, joinTexts, func(c *flow.Context, i int) (string, error) { return doing(fmt.Sprint(i))(c) })
	}
	w := sim.World{Definition: single(each), Perform: acting(nil, "n[1]")}
	o := explore(t, w)
	if n := o.Step("n"); n.Failure.Message != "n[1]: broken" || n.Meta.CostUSD != 1 || o.Effects["n[2]"] != 0 {
		t.Errorf("%+v", n)
	}
	w.Perform = acting(nil)
	o = resume(w, 1, o)
	if n := o.Step("n"); n.Text != "[0,1,2]" || n.Meta.CostUSD != 3 || o.Effects["n[0]"] != 0 {
		t.Errorf("%+v, %v", n, o.Effects)
	}
}

func TestLengthsOfLists(t *testing.T) {
	uneven := func(c *flow.Context) (string, error) {
		n, err := steps.Length(c, steps.List{Name: "a", Items: 2}, steps.List{Name: "b", Items: 1})
		return fmt.Sprint(n), err
	}
	n := explore(t, sim.World{Definition: single(uneven)}).Step("n")
	if n.Failure == nil || n.Failure.Reason != "items" || n.Failure.Message != "step `n` loops over lists of different lengths: `a` has 2 items, `b` has 1 item" {
		t.Errorf("%+v", n)
	}
	even := func(c *flow.Context) (string, error) {
		n, err := steps.Length(c, steps.List{Name: "a", Items: 2}, steps.List{Name: "b", Items: 2})
		return fmt.Sprint(n), err
	}
	if n := explore(t, sim.World{Definition: single(even)}).Step("n"); n.Text != "2" {
		t.Errorf("%+v", n)
	}
}

// Rounds that do not reach their end fail, and go on for as many when the run is
// resumed.
func TestRoundsThatEndNowhere(t *testing.T) {
	done := ""
	rounds := func(until bool, most int) func(c *flow.Context) (string, error) {
		return func(c *flow.Context) (string, error) {
			repeat := steps.Repeat{
				Max: most, Condition: "{{ s.done }}",
				Body: func(c *flow.Context, p steps.Previous) (string, error) { return doing(p.Text + "x")(c) },
			}
			repeat.While = func(text string) (bool, error) { return text != done, nil }
			if until {
				repeat.Until, repeat.While = func(text string) (bool, error) { return text == done, nil }, nil
			}
			return repeat.Run(c)
		}
	}
	w := sim.World{Definition: single(rounds(true, 2)), Perform: acting(nil)}
	o := explore(t, w)
	if n := o.Step("n"); n.Failure.Reason != "max_iterations" || n.Failure.Message != "step `n` ran 2 iterations (its limit) without reaching its condition: {{ s.done }}" {
		t.Errorf("%+v", n.Failure)
	}
	done = "xxxx"
	again := resume(w, 1, o)
	if string(again.End.Outputs) != `"xxxx"` || again.Effects["n#2"] != 0 || again.Effects["n#4"] != 1 {
		t.Errorf("%s, %v", again.End.Outputs, again.Effects)
	}
	done = ""
	w.Definition = single(rounds(false, 1))
	if n := explore(t, w).Step("n"); n.Failure.Message != "step `n` ran 1 iteration (its limit) and its condition still holds: {{ s.done }}" {
		t.Errorf("%+v", n.Failure)
	}
	w.Definition = single(rounds(true, 0))
	if o := explore(t, w); o.Step("n").Failure.Reason != "misuse" || len(o.Effects) > 0 {
		t.Errorf("%+v, %v", o.Step("n"), o.Effects)
	}
}

// A round whose condition cannot be decided has failed, and is performed again by
// a resumed run.
func TestRoundWithoutDecision(t *testing.T) {
	broken := true
	w := sim.World{Perform: acting(nil), Definition: single(func(c *flow.Context) (string, error) {
		return steps.Repeat{
			Max: 3, Body: func(c *flow.Context, _ steps.Previous) (string, error) { return doing("x")(c) },
			Until: func(string) (bool, error) {
				if broken {
					return false, fmt.Errorf("'y' is undefined")
				}
				return true, nil
			},
		}.Run(c)
	})}
	o := explore(t, w)
	if n := o.Step("n"); n.Failure.Message != "iteration 1: 'y' is undefined" || o.Step("n#1").Status != flow.Failed {
		t.Errorf("%+v, %+v", n, o.Step("n#1"))
	}
	broken = false
	if o = resume(w, 1, o); o.End.Status != flow.Completed || o.Effects["n#1"] != 1 {
		t.Errorf("%+v", o)
	}
}

func TestReviews(t *testing.T) {
	review := func(prompt bool) *flow.Definition {
		return single(func(c *flow.Context) (string, error) {
			return steps.Review{
				Step: "plan", ByAgent: prompt,
				Make: func(c *flow.Context, a steps.Draft) (string, error) {
					return doing(fmt.Sprintf("%d|%s|%s", a.Number, a.Previous, strings.Join(a.Feedback, ",")))(c)
				},
				Accept: func(text string) (string, error) {
					if strings.HasSuffix(text, "unfit") {
						return "", fmt.Errorf("it does not fit")
					}
					return text + " ok", nil
				},
				ReadEdit: func(text string) (string, error) {
					if text == "bad" {
						return "", fmt.Errorf("`n` must be an integer")
					}
					return "edited " + text, nil
				},
			}.Run(c)
		})
	}
	for _, c := range []struct {
		name    string
		prompt  bool
		answers []string
		status  flow.Status
		out     string
		makes   int
	}{
		{"accepted", true, []string{"accept fine"}, flow.Completed, "1|| ok", 1},
		{"edited", true, []string{"edit mine"}, flow.Completed, "edited mine ok", 1},
		{"edited wrongly", false, []string{"edit bad", "edit good"}, flow.Completed, "edited good ok", 1},
		{"accepted although it does not fit", true, []string{"feedback unfit", "accept", "edit mine"}, flow.Completed, "edited mine ok", 2},
		{"rejected", true, []string{"reject no"}, flow.Cancelled, "", 1},
		{"feedback", true, []string{"feedback a", "feedback b", "accept"}, flow.Completed, "3|2|1|||a|a,b ok", 3},
		{"feedback without words", true, []string{"feedback", "accept"}, flow.Completed, "1|| ok", 1},
		{"rerun", false, []string{"rerun ignored", "accept"}, flow.Completed, "2|1||| ok", 2},
		{"feedback to a program", false, []string{"feedback a"}, flow.Failed, "", 1},
		{"approve is no answer", true, []string{"approve"}, flow.Failed, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := sim.World{Definition: review(c.prompt), Perform: acting(nil)}
			for i, a := range c.answers {
				choice, words, _ := strings.Cut(a, " ")
				w.Answers = append(w.Answers, answer(fmt.Sprintf("n/review#%d", i+1), choice, words))
			}
			for _, w.Attended = range []bool{false, true} {
				o := explore(t, w)
				if o.End.Status != c.status || o.Step("n").Text != c.out && c.status == flow.Completed {
					t.Errorf("%+v, %+v", o.End, o.Step("n"))
				}
				for i := 1; i <= c.makes; i++ {
					if o.Effects[fmt.Sprintf("n/make%d", i)] != 1 {
						t.Errorf("effects %v", o.Effects)
					}
				}
				if n := o.Step("n"); c.status == flow.Completed && n.Meta.CostUSD != float64(c.makes) {
					t.Errorf("%d makes cost %v", c.makes, n.Meta.CostUSD)
				}
			}
		})
	}
}

// A question shows what it is about, and why it is asked again.
func TestReviewShowsTheOutput(t *testing.T) {
	w := sim.World{Perform: acting(nil), Definition: single(func(c *flow.Context) (string, error) {
		return steps.Review{
			Step: "plan", Make: func(c *flow.Context, _ steps.Draft) (string, error) { return doing(`{"n":1}`)(c) },
			Accept:   func(text string) (string, error) { return text, nil },
			ReadEdit: func(string) (string, error) { return "", fmt.Errorf("`n` is missing") },
		}.Run(c)
	}), Answers: []sim.Answer{answer("n/review#1", kernel.ChoiceEdit, "{}")}}
	o := explore(t, w)
	first, second := o.Step("n/review#1").Question, o.Step("n/review#2").Question
	if o.End.Status != flow.Paused || o.Step("n").Status != flow.Waiting || !first.IsReview() ||
		first.Message != "is the output of step `plan` right?" || first.Output != `{"n":1}` || strings.Join(first.Choices, " ") != "accept edit reject rerun" {
		t.Errorf("%+v, %+v", o.End, first)
	}
	if second.Message != "the edit cannot be used: `n` is missing\nis the output of step `plan` right?" || second.Output != `{"n":1}` || second.LastEdit != "{}" || first.LastEdit != "" {
		t.Errorf("%+v", second)
	}
}

// Approved is true of steps that completed or were given, and false of others.
func TestApprovedSteps(t *testing.T) {
	w := sim.World{Definition: &flow.Definition{Name: "w", Flow: func(c *flow.Context) (any, error) {
		var got []bool
		for i, given := range []bool{true, false} {
			s := flow.RunNext(c, flow.Node[string]{Key: key(i), Kind: "step", When: func() (bool, error) { return false, nil },
				Replace: func() (string, bool, error) { return "x", given, nil }})
			got = append(got, s.Approved())
		}
		return got, flow.Settle(c)
	}}}
	// A sequence of which every step is skipped has completed.
	if o := explore(t, w); string(o.End.Outputs) != `[true,false]` || o.End.Status != flow.Completed {
		t.Errorf("%+v", o.End)
	}
}

// A typed output that is given must have its form.
func TestGivenOutputIsChecked(t *testing.T) {
	w := sim.World{Definition: &flow.Definition{Name: "w", Nodes: []flow.NodeInfo{{Key: "n"}}, Flow: func(c *flow.Context) (any, error) {
		n := flow.RunNext(c, flow.Node[map[string]int]{Key: "n", Kind: "step", Decode: decode,
			Replace: func() (string, bool, error) { return "[]", true, nil }})
		return n.Final().Value, flow.Settle(c)
	}}}
	if n := explore(t, w).Step("n"); n.Status != flow.Failed || n.Failure.Reason != "output" {
		t.Errorf("%+v", n)
	}
}

// decode decodes the JSON of an output.
func decode(text string) (v map[string]int, err error) { return v, json.Unmarshal([]byte(text), &v) }
