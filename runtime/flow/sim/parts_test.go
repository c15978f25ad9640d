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
)

// one is a workflow of one node.
func one(run func(c *flow.Context) (string, error)) *flow.Definition {
	return &flow.Definition{
		Name: "w", Nodes: []flow.NodeInfo{{Key: "n", Kind: "loop"}},
		Flow: func(c *flow.Context) (any, error) {
			n := flow.Spawn(c, flow.Node[string]{Key: "n", Kind: "loop", Run: run})
			err := flow.Settle(c)
			return n.Final().Text, err
		},
	}
}

// says is a loop's body: an agent whose reply names what it was given.
func says(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
	return c.Do(flow.Prompt{Text: fmt.Sprintf("%d|%s|%s|%s", i.Number, i.Previous, i.Answer, i.Session)})
}

// replies performs prompts by their iteration, and tests by the key.
func replies(text func(i string) string, tests map[string]string) func(sim.Attempt) sim.Performance {
	return func(a sim.Attempt) sim.Performance {
		r := flow.Result{Status: flow.Completed}
		switch p := a.Payload.(type) {
		case flow.Prompt:
			i, _, _ := strings.Cut(p.Text, "|")
			r.Text = text(i)
			r.Meta = flow.Meta{Session: "s" + i, CostUSD: 1, InputTokens: 10}
		case flow.Bash:
			r.Text = tests[a.Key]
		}
		return sim.Performance{Result: r, Takes: time.Second}
	}
}

func answer(key, choice, text string) sim.Answer {
	return sim.Answer{Key: key, After: time.Minute, Result: flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{Choice: choice}}}
}

// explore runs a world under several seeds with a crash at every point, and
// returns the undisturbed outcome.
func explore(t *testing.T, w sim.World) *sim.Result {
	t.Helper()
	if _, err := sim.Explore(w, 1, 5, nil); err != nil {
		t.Fatal(err)
	}
	return sim.Run(w, 1)
}

func TestLoopEndsAtItsSignal(t *testing.T) {
	w := sim.World{
		Definition: one(func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: 5, Goal: "x", Body: says,
				Done:  func(text string) bool { return strings.Contains(text, "DONE") },
				Clean: func(text string) string { return strings.TrimSuffix(text, " DONE") },
			}.Run(c)
		}),
		Perform: replies(func(i string) string {
			if i == "3" {
				return "third DONE"
			}
			return "text " + i
		}, nil),
	}
	o := explore(t, w)
	if string(o.End.Outputs) != `"third"` || o.Effects["n#3"] != 1 || o.Effects["n#4"] != 0 {
		t.Errorf("%s, %v", o.End.Outputs, o.Effects)
	}
	if n := o.Step("n"); n.Meta.CostUSD != 3 || n.Meta.InputTokens != 30 || n.Started.IsZero() || n.Kind != "loop" {
		t.Errorf("the node's record is %+v", n)
	}
	if n := o.Step("n#1"); n.Text != "text 1" {
		t.Errorf("the first iteration's record is %+v", n)
	}
}

// Every iteration gets the cleaned text and the session of the one before, also
// from the journal.
func TestIterationsFollowEachOther(t *testing.T) {
	var prompts []string
	reply := replies(func(i string) string { return "<x>" + i }, map[string]string{"n#1/until": "false", "n#2/until": "false", "n#3/until": "true"})
	w := sim.World{
		Definition: one(func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: 5, Goal: "x", Body: says, Clean: func(text string) string { return strings.TrimPrefix(text, "<x>") },
				Until: func(c *flow.Context, _ *steps.Iteration) (bool, error) { return steps.Test(c, flow.Bash{Script: "x"}) },
			}.Run(c)
		}),
		Perform: func(a sim.Attempt) sim.Performance {
			if p, ok := a.Payload.(flow.Prompt); ok {
				prompts = append(prompts, p.Text)
			}
			return reply(a)
		},
	}
	want := "1||| 2|1||s1 3|2||s2"
	whole := sim.Run(w, 1)
	if got := strings.Join(prompts, " "); got != want || string(whole.End.Outputs) != `"3"` {
		t.Fatalf("%q, %s", got, whole.End.Outputs)
	}
	for point := 1; point <= whole.Points; point++ {
		prompts = nil
		if o := sim.Run(w, 1, point); sim.Same(whole, o) != nil {
			t.Errorf("crash at %d: %v", point, sim.Same(whole, o))
		}
		for _, p := range prompts {
			if !strings.Contains(want, p) {
				t.Errorf("crash at %d: an iteration was asked %q", point, p)
			}
		}
	}
	explore(t, w)
}

// A loop that used up its iterations fails, and goes on for as many when the
// run is resumed.
func TestLoopThatEndsNowhere(t *testing.T) {
	var done string
	w := sim.World{
		Definition: one(func(c *flow.Context) (string, error) {
			return steps.Loop{Max: 3, Goal: "the signal 'DONE'", Body: says, Done: func(text string) bool { return text == done }}.Run(c)
		}),
		Perform: replies(func(i string) string { return "text " + i }, nil),
	}
	o := explore(t, w)
	n := o.Step("n")
	if n.Status != flow.Failed || n.Failure.Reason != "max_iterations" || n.Failure.Message != "node `n` ran 3 iterations without reaching the signal 'DONE'" || n.Text != "text 3" {
		t.Errorf("%+v", n)
	}
	done = "text 5"
	again := resume(w, 1, o)
	if again.End.Status != flow.Completed || string(again.End.Outputs) != `"text 5"` || again.Effects["n#3"] != 0 || again.Effects["n#5"] != 1 {
		t.Errorf("%+v", again)
	}
	done = ""
	o = resume(w, 1, o)
	if o.Step("n").Failure.Message != "node `n` ran 6 iterations without reaching the signal 'DONE'" || o.Effects["n#6"] != 1 || o.Effects["n#7"] != 0 {
		t.Errorf("%+v", o)
	}
}

// An iteration that fails fails the loop; a loop with retries begins again.
func TestLoopRetries(t *testing.T) {
	w := sim.World{
		Definition: one(func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: 2, Goal: "x", Body: says, Done: func(text string) bool { return text == "DONE" },
				Retry: flow.Retry{Retries: 2, Delay: time.Minute, All: true},
			}.Run(c)
		}),
		Perform: func(a sim.Attempt) sim.Performance {
			r := flow.Result{Status: flow.Completed, Text: "not yet"}
			switch a.Key {
			case "n#2", "n/attempt2#1":
				r = flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "broken", Reason: "agent"}}
			case "n/attempt3#2":
				r.Text = "DONE"
			}
			return sim.Performance{Result: r, Takes: time.Second}
		},
	}
	o := explore(t, w)
	if string(o.End.Outputs) != `"DONE"` || o.Elapsed != 3*time.Minute+5*time.Second {
		t.Errorf("%s after %v, %+v", o.End.Outputs, o.Elapsed, o.Effects)
	}
	if len(o.Events) != 2 || o.Events[0].Message != "attempt 1 of 3 failed: iteration 2: broken" {
		t.Errorf("%+v", o.Events)
	}
	// A later process does not go through attempts that have failed.
	for point := 1; point <= o.Points; point++ {
		if got := sim.Run(w, 1, point); len(got.Events) != 2 {
			t.Errorf("crash at %d: %+v", point, got.Events)
		}
	}
}

func TestLoopTimeout(t *testing.T) {
	w := sim.World{
		Definition: one(func(c *flow.Context) (string, error) {
			return steps.Loop{Max: 100, Goal: "x", Body: says, Timeout: 3500 * time.Millisecond}.Run(c)
		}),
		Perform: replies(func(i string) string { return i }, nil),
	}
	o := sim.Run(w, 1)
	n := o.Step("n")
	if n.Status != flow.Failed || n.Failure.Reason != "timeout" || n.Failure.Message != "node `n` timed out after 3.5s" || o.Step("n#4").Status != flow.Cancelled {
		t.Errorf("%+v, %+v", n, o.Step("n#4"))
	}
	if len(o.Faults) > 0 {
		t.Error(o.Faults)
	}
}

func TestInteractiveLoop(t *testing.T) {
	w := sim.World{
		Definition: one(func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: 5, Goal: "x", Body: says, Gate: "go on?",
				Done: func(text string) bool { return strings.Contains(text, "DONE") },
			}.Run(c)
		}),
		Perform: replies(func(i string) string {
			if i == "2" {
				return "two"
			}
			return i + " DONE"
		}, nil),
		Answers: []sim.Answer{answer("n#1/gate", kernel.ChoiceApprove, "more"), answer("n#2/gate", kernel.ChoiceApprove, "")},
	}
	for _, w.Attended = range []bool{false, true} {
		o := explore(t, w)
		// The signal of the first iteration does not pass the gate.
		if string(o.End.Outputs) != `"3 DONE"` || o.Step("n#1/gate").Text != "more" {
			t.Errorf("attended %v: %s, %+v", w.Attended, o.End.Outputs, o.Steps)
		}
		if n := o.Step("n"); n.Status != flow.Completed || n.Meta.CostUSD != 3 {
			t.Errorf("%+v", n)
		}
	}
	no := answer("n#1/gate", kernel.ChoiceReject, "no")
	no.Result.Meta.By = "eve"
	w.Answers = []sim.Answer{no}
	if o := explore(t, w); o.End.Status != flow.Cancelled || o.End.Reason != "node `n` was rejected by eve: no" {
		t.Errorf("%+v", o.End)
	}
	w.Answers = nil
	w.Attended = false
	if o := explore(t, w); o.End.Status != flow.Paused || o.Step("n").Status != flow.Waiting || o.Step("n#1/gate").Question.Message != "go on?" {
		t.Errorf("%+v, %+v", o.End, o.Step("n"))
	}
}

func TestApproval(t *testing.T) {
	gate := func(a steps.Approval) *flow.Definition {
		return one(func(c *flow.Context) (string, error) { return a.Run(c) })
	}
	rework := func(c *flow.Context, reason string) (flow.Result, error) { return c.Do(flow.Prompt{Text: reason}) }
	yes, no := kernel.ChoiceApprove, kernel.ChoiceReject
	for _, c := range []struct {
		name    string
		a       steps.Approval
		answers []sim.Answer
		status  flow.Status
		out     string
		effects map[string]int
	}{
		{"approved", steps.Approval{}, []sim.Answer{answer("n#1", yes, "fine")}, flow.Completed, "", nil},
		{"captured", steps.Approval{Capture: true}, []sim.Answer{answer("n#1", yes, "fine")}, flow.Completed, "fine", nil},
		{"captured without a word", steps.Approval{Capture: true}, []sim.Answer{answer("n#1", yes, "")}, flow.Completed, "Approved", nil},
		{"rejected", steps.Approval{}, []sim.Answer{answer("n#1", no, "bad")}, flow.Cancelled, "", nil},
		{"unclear", steps.Approval{}, []sim.Answer{answer("n#1", "", "yes")}, flow.Failed, "", nil},
		{"reworked", steps.Approval{Rework: rework, MaxRejections: 3, Capture: true},
			[]sim.Answer{answer("n#1", no, "a"), answer("n#2", no, "b"), answer("n#3", yes, "c")}, flow.Completed, "c",
			map[string]int{"n/rework#1": 1, "n/rework#2": 1}},
		{"rejected for the last time", steps.Approval{Rework: rework, MaxRejections: 2},
			[]sim.Answer{answer("n#1", no, "a"), answer("n#2", no, "b")}, flow.Cancelled, "", map[string]int{"n/rework#1": 1}},
		{"late", steps.Approval{Timeout: time.Second}, []sim.Answer{answer("n#1", yes, "")}, flow.Failed, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := sim.World{Definition: gate(c.a), Answers: c.answers, Perform: replies(func(i string) string { return i }, nil), Attended: true}
			o := explore(t, w)
			if o.End.Status != c.status || o.Step("n").Text != c.out {
				t.Errorf("%+v, %+v", o.End, o.Steps)
			}
			if n := o.Step("n"); n.Meta.Session != "" {
				t.Errorf("the rework's session %s is the node's", n.Meta.Session)
			}
			if fmt.Sprint(o.Effects) != fmt.Sprint(c.effects) && len(o.Effects)+len(c.effects) > 0 {
				t.Errorf("effects %v, want %v", o.Effects, c.effects)
			}
		})
	}
}
