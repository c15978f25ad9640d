package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// interrupted is a world of an action, a loop of two iterations after it, and
// beside them something long that takes the only slot again and again, so that
// answers and failures are committed before what follows them. A person gives
// every question about an interruption the same answer.
func interrupted(choice string, p settings.Interrupts) sim.World {
	w := sim.World{
		Definition: &flow.Definition{
			Name: "w", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "n", Kind: "loop", After: []string{"a"}}, {Key: "long", Kind: "bash"}},
			Flow: func(c *flow.Context) (any, error) {
				a := flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Run: func(c *flow.Context) (string, error) {
					r, err := c.Do(flow.Bash{Script: "a"})
					return r.Text, err
				}})
				n := flow.Spawn(c, flow.Node[string]{Key: "n", Kind: "loop", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
					return steps.Loop{Max: 3, Goal: "x", Body: says, Done: func(text string) bool { return text == "2" }}.Run(c)
				}})
				flow.Spawn(c, flow.Node[string]{Key: "long", Kind: "bash", Run: func(c *flow.Context) (string, error) {
					r, err := c.Do(flow.Bash{Script: "long"})
					return r.Text, err
				}})
				err := flow.Settle(c)
				return []string{a.Final().Text, n.Final().Text}, err
			},
		},
		Perform: func(a sim.Attempt) sim.Performance {
			if a.Key == "long" {
				return sim.Performance{Result: flow.Result{Status: flow.Completed}, Takes: 90 * time.Second}
			}
			if a.Key == "a" {
				return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: "a"}, Takes: time.Second}
			}
			return replies(func(i string) string { return i }, nil)(a)
		},
		OnInterrupt: p, MaxParallel: 1,
	}
	if w.OnInterrupt.Nodes == nil {
		w.OnInterrupt.Nodes = map[string]settings.Policy{}
	}
	w.OnInterrupt.Nodes["long"] = settings.InterruptRerun
	for _, key := range []string{"a", "n#1", "n#2"} {
		for n := 1; n <= 3; n++ {
			said := answer(fmt.Sprintf("%s/interrupted#%d", key, n), choice, "")
			said.Result.Meta.By = "eve"
			w.Answers = append(w.Answers, said)
		}
	}
	return w
}

var stepKeys = []string{"a", "n#1", "n#2"}

// questions counts the questions about the interruptions of a step.
func questions(o *sim.Result, key string) (n int) {
	for _, s := range o.Steps {
		if strings.HasPrefix(s.Key, key+"/interrupted#") {
			n++
		}
	}
	return n
}

// everyTwoDeaths runs a world with one death and with two, at every pair of
// points, and returns how many runs there were.
func everyTwoDeaths(t *testing.T, w sim.World, check func(t *testing.T, whole, got *sim.Result)) {
	t.Helper()
	runs := 0
	// The seeds decide, among other things, what begins first.
	for seed := range uint64(6) {
		w.Attended = seed%2 == 0
		whole := sim.Run(w, seed)
		if whole.End.Status != flow.Completed || len(whole.Faults) > 0 {
			t.Fatalf("undisturbed: %+v %v", whole.End, whole.Faults)
		}
		for first := 1; first <= whole.Points; first++ {
			once := sim.Run(w, seed, first)
			for second := first; second <= once.Points; second++ {
				got := sim.Run(w, seed, first, second) // two at one point are one
				runs++
				t.Run(fmt.Sprint(seed, first, second), func(t *testing.T) {
					if len(got.Faults) > 0 {
						t.Error(got.Faults)
					}
					check(t, whole, got)
				})
			}
		}
	}
	if runs < 500 {
		t.Errorf("only %d runs", runs)
	}
}

// A person is asked once for every interruption, and the run ends as if there
// had been none.
func TestAskAboutEveryInterruption(t *testing.T) {
	asked := 0
	everyTwoDeaths(t, interrupted(sched.ChoiceRerun, settings.Interrupts{Default: settings.InterruptAsk}), func(t *testing.T, whole, got *sim.Result) {
		if got.End.Status != flow.Completed || string(got.End.Outputs) != string(whole.End.Outputs) {
			t.Errorf("ended as %+v", got.End)
		}
		for _, key := range stepKeys {
			if n := questions(got, key); n != got.Begun[key]-1 {
				t.Errorf("`%s` began %d times, and %d questions were asked", key, got.Begun[key], n)
			} else {
				asked += n
			}
		}
		for _, s := range got.Steps {
			if !s.Status.Ended() || s.Reason != "" {
				t.Errorf("in the end %+v", s)
			}
		}
	})
	if asked < 100 {
		t.Errorf("only %d questions were asked", asked)
	}
}

// What fails by policy, or by a person's word, is never performed a second
// time, and the failure stays however often processes die.
func TestFailInterrupted(t *testing.T) {
	for name, w := range map[string]sim.World{
		"policy": interrupted("", settings.Interrupts{Default: settings.InterruptFail}),
		"person": interrupted(sched.ChoiceFail, settings.Interrupts{Default: settings.InterruptAsk}),
	} {
		t.Run(name, func(t *testing.T) {
			failed := 0
			everyTwoDeaths(t, w, func(t *testing.T, whole, got *sim.Result) {
				for _, key := range stepKeys {
					if got.Begun[key] > 1 || got.Effects[key] > 1 || questions(got, key) > 1 {
						t.Errorf("`%s` began %d times, took effect %d times, was asked about %d times", key, got.Begun[key], got.Effects[key], questions(got, key))
					}
				}
				if got.End.Status == flow.Completed {
					if err := sim.Same(whole, got); err != nil {
						t.Error(err)
					}
					return
				}
				failed++
				broken := 0
				for _, key := range stepKeys {
					if s := got.Step(key); s.Failure != nil && s.Failure.Reason == sched.ReasonInterrupted {
						broken++
					}
				}
				if got.End.Status != flow.Failed || broken != 1 {
					t.Errorf("%+v with %d interrupted steps", got.End, broken)
				}
			})
			if failed < 20 {
				t.Errorf("only %d runs failed", failed)
			}
		})
	}
}

// A failed run goes on when it is resumed: the step that was failed runs again,
// and its next interruption is asked about anew.
func TestResumeAfterAFailedInterruption(t *testing.T) {
	w := interrupted(sched.ChoiceFail, settings.Interrupts{Default: settings.InterruptAsk})
	for point := 1; point <= sim.Run(w, 1).Points; point++ {
		failed := sim.Run(w, 1, point)
		if failed.End.Status != flow.Failed {
			continue
		}
		w.Answers = interrupted(sched.ChoiceRerun, w.OnInterrupt).Answers
		again := resume(w, 1, failed)
		if again.End.Status != flow.Completed || questions(again, "a")+questions(again, "n#1")+questions(again, "n#2") != 1 {
			t.Fatalf("crash at %d: %+v", point, again.End)
		}
		for next := 1; next <= again.Points; next++ {
			got := resume(w, 1, failed, next)
			if got.End.Status == flow.Failed && got.Begun["a"] == 0 {
				// Nothing was committed before the death, so nobody knows that a
				// person wanted the step to run again: the failure still stands.
				got = resume(w, 1, got)
			}
			if got.End.Status != flow.Completed || len(got.Faults) > 0 {
				t.Errorf("crash at %d, then at %d: %+v %v", point, next, got.End, got.Faults)
			}
			for _, key := range stepKeys {
				before := questions(failed, key)
				if n := questions(got, key) - before; n != max(got.Begun[key]-1, 0) {
					t.Errorf("crash at %d, then at %d: `%s` began %d times, and %d more questions were asked", point, next, key, got.Begun[key], n)
				}
			}
		}
		return
	}
	t.Error("no crash failed the run")
}

// While nobody has answered, the run is paused and the step and its node wait.
func TestUnansweredInterruption(t *testing.T) {
	w := interrupted(sched.ChoiceRerun, settings.Interrupts{Nodes: map[string]settings.Policy{"n": settings.InterruptAsk}})
	answers := w.Answers
	w.Answers = nil
	paused := 0
	for point := 1; point <= sim.Run(w, 1).Points; point++ {
		o := sim.Run(w, 1, point)
		if o.End.Status != flow.Paused {
			continue
		}
		paused++
		for _, key := range []string{"n#1", "n#2"} {
			q := o.Step(key + "/interrupted#1")
			if q.Status == "" {
				continue
			}
			want := "step `" + key + "` was interrupted while it ran, and it is unknown how far it came; run it again?"
			if q.Status != flow.Waiting || q.Question == nil || q.Question.Message != want || fmt.Sprint(q.Question.Choices) != "[rerun fail]" {
				t.Errorf("crash at %d: %+v", point, q)
			}
			if o.Step(key).Status != flow.Waiting || o.Step("n").Status != flow.Waiting {
				t.Errorf("crash at %d: %s, in a node that is %s", point, o.Step(key).Status, o.Step("n").Status)
			}
		}
		w.Answers = answers
		if got := resume(w, 1, o); got.End.Status != flow.Completed || got.Step("n").Status != flow.Completed {
			t.Errorf("crash at %d, answered: %+v", point, got.End)
		}
		w.Answers = nil
	}
	if paused < 4 {
		t.Errorf("only %d runs were paused", paused)
	}
}
