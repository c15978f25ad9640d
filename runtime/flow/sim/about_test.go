package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// attributed are the words that a question asks about, behind who said them.
func attributed(q flow.Question) string {
	if len(q.Speakers) != 1 || q.Speakers[0].Length != len(q.Output) {
		return q.Output
	}
	return q.Speakers[0].Node + ": " + q.Output
}

// Every question has the words that it asks about, and says whose they are.
func TestQuestionsHaveTheirSubject(t *testing.T) {
	said := func(text string) func(c *flow.Context) (string, error) {
		return func(c *flow.Context) (string, error) { return flow.TextOf(c.Do(flow.Prompt{Text: text})) }
	}
	loop := steps.Loop{Max: 2, Goal: "x", Gate: "Answer the questions above.", Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
		return c.Do(flow.Prompt{Text: "which colour? " + i.Answer})
	}, Done: func(text string) bool { return strings.Contains(text, "blue") }, AcceptFirst: true}
	review := func(c *flow.Context) (string, error) {
		return flow.TextOf(c.Ask("#1", flow.Question{Message: "right?", Choices: []string{kernel.ChoiceAccept, kernel.ChoiceEdit}}))
	}
	rework := func(c *flow.Context, reason string) (flow.Result, error) {
		return c.Do(flow.Prompt{Text: "shorter: " + reason})
	}
	for _, c := range []struct {
		name, kind, before string
		gate               func(c *flow.Context) (string, error)
		want               []string
	}{
		{"a loop", "prompt", "", loop.Run, []string{"g: which colour? "}},
		{"an approval", "prompt", "the plan", steps.Approval{Message: "ok?"}.Run, []string{"a: the plan"}},
		{"an approval of a loop's result", "loop", "the plan", steps.Approval{Message: "ok?"}.Run, []string{"a: the plan"}},
		{"a decision", "prompt", "the plan", steps.Decision[string]{Message: "ok?", Choices: []string{"go"}}.Run, []string{"a: the plan"}},
		{"a message with the words", "prompt", "the plan", steps.Approval{Message: "do the plan?"}.Run, []string{""}},
		{"data", "prompt", `{"verdict":"poor"}`, steps.Approval{Message: "ok?"}.Run, []string{`a: {"verdict":"poor"}`}},
		{"a message with a part of the data", "prompt", `{"verdict":"poor","why":["x y"]}`, steps.Approval{Message: "it's poor, ok?"}.Run, []string{`a: {"verdict":"poor","why":["x y"]}`}},
		{"a message with all strings", "prompt", `{"verdict":"poor","why":["x y"],"n":1}`, steps.Approval{Message: "it's poor: x y, ok?"}.Run, []string{""}},
		{"a fan-out", "include", `["the plan"]`, steps.Approval{Message: "ok?"}.Run, []string{`a: ["the plan"]`}},
		{"a child run", "workflow", "the plan", steps.Approval{Message: "ok?"}.Run, []string{"a: the plan"}},
		{"a script", "bash", "made it", steps.Approval{Message: "ok?"}.Run, []string{""}},
		{"an answer", "approval", "go on", steps.Approval{Message: "ok?"}.Run, []string{""}},
		{"a review of nothing", "prompt", "the plan", review, []string{"g: "}},
		{"rework", "prompt", "the plan", steps.Approval{Message: "ok?", Rework: rework, MaxRejections: 2}.Run, []string{"a: the plan", "g/rework#1: shorter: blue"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			w := sim.World{
				Definition: &flow.Definition{Name: "w", Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: "a", Kind: c.kind}, {Key: "g", Kind: "approval", After: []string{"a"}}},
					Flow: func(fc *flow.Context) (any, error) {
						a := flow.Spawn(fc, flow.Node[string]{Key: "a", Kind: c.kind, Run: said(c.before)})
						flow.Spawn(fc, flow.Node[string]{Key: "g", Kind: "approval", After: []flow.AnyTask{a}, Run: c.gate})
						return nil, flow.Settle(fc)
					}},
				Perform: func(a sim.Attempt) sim.Performance {
					return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: a.Payload.(flow.Prompt).Text}}
				},
				Person: func(_ string, q flow.Question) (sim.Answer, bool) {
					got = append(got, attributed(q))
					choice := kernel.ChoiceApprove
					if len(got) < len(c.want) {
						choice = kernel.ChoiceReject
					}
					if slices.Contains(q.Choices, "go") {
						choice = "go"
					}
					return sim.Answer{Key: q.Key, Result: flow.Result{Status: flow.Completed, Text: "blue", Meta: flow.Meta{Choice: choice}}}, true
				},
			}
			sim.Run(w, 1)
			if !slices.Equal(got[:len(c.want)], c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// The first gate of an included workflow is about what the include depends on, once if it comes by
// two ways.
func TestFirstQuestionOfAnIncludeHasItsSubject(t *testing.T) {
	got := ""
	sim.Run(sim.World{
		Definition: &flow.Definition{Name: "w", Fingerprint: "f", Flow: func(c *flow.Context) (any, error) {
			plan := flow.Spawn(c, flow.Node[string]{Key: "plan", Kind: "prompt", Run: func(c *flow.Context) (string, error) { return "the plan", nil }})
			made := flow.Spawn(c, flow.Node[string]{Key: "made", Kind: "bash", Run: func(c *flow.Context) (string, error) { return "made it", nil }})
			outer := flow.Spawn(c, flow.Node[string]{Key: "outer", Kind: "include", After: flow.After(plan, made)})
			inner := flow.Spawn(c, flow.Node[string]{Key: "inner", Kind: "include", Include: outer, After: flow.After(outer, plan)})
			flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Include: inner, After: flow.After(inner), Run: steps.Approval{Message: "ok?"}.Run})
			return nil, flow.Settle(c)
		}},
		Person: func(_ string, q flow.Question) (sim.Answer, bool) {
			got = attributed(q)
			return sim.Answer{Key: q.Key, Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: kernel.ChoiceApprove}}}, true
		},
	}, 1)
	if want := "plan: the plan"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGraphQuestionsHaveTheirSubject(t *testing.T) {
	spec := chained(gnode{id: "a"}, gnode{id: "b", before: ask(graph.Interrupt[string, ggraph]{Required: true})}, gnode{id: "c", kind: "human", labels: []string{"yes", "no"}})
	w := newWorld(spec, nil)
	got := map[string]string{}
	w.Person = func(_ string, q flow.Question) (sim.Answer, bool) {
		got[q.Key] = attributed(q)
		return sim.Answer{Key: q.Key, Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: q.Choices[0]}}}, true
	}
	w.Attended = true
	o, _ := w.run(t)
	for _, c := range []struct{ question, of, node string }{{"b@2/before#1", "a@1", "a"}, {"c@3#1", "b@2", "b"}} {
		if want := o.Step(c.of).Text; want == "" || got[c.question] != c.node+": "+strings.TrimSpace(want) {
			t.Errorf("%s: %q, want %q (%v)", c.question, got[c.question], want, got)
		}
	}
}
