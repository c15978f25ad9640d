package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

const loopGraph = `workflow: loop
limits: {max_iterations: 9}
nodes:
  write: {type: task, agent: codex, prompt: Write, outputs: [done]}
  review: {type: task, agent: codex, prompt: Review, outputs: [good, bad]}
edges:
  - {from: START, to: write}
  - {from: write, to: review}
  - {from: review, to: write, condition: "bad"}
  - {from: review, to: END, condition: "good"}
`

// graphOf returns the search for tests of a state graph after its exploration, with the first
// scenario.
func graphOf(t *testing.T, text string) *search {
	t.Helper()
	s := searchOf(compileGraph(t, text), nil)
	g := s.model.program.Workflow.Body.(*ir.Graph)
	s.found = explore.Run(g, explore.Options{})
	s.results = s.found.Terms()
	s.first = &scenario{lists: map[slot][]give{}}
	for _, at := range s.model.order {
		s.first.lists[at] = []give{s.model.baseGive(s.model.producers[at])}
	}
	return s
}

const asked = `workflow: asked
state: {variables: {n: 0}}
nodes:
  try: {type: task, agent: bash, command: ./try, outputs: [done, more], on_output: {done: {set: {n: output}}}}
  ask: {type: human, prompt: Good?, outputs: ["yes", "no"]}
  again: {type: task, agent: codex, prompt: Again, outputs: [done]}
edges:
  - {from: START, to: try}
  - {from: try, to: ask, condition: "done"}
  - {from: try, to: try, condition: "more"}
  - {from: ask, to: END, condition: "yes && state.n > 3"}
  - {from: ask, to: again}
  - {from: again, to: END}
interrupts:
  - {before: again, prompt: Really?}
limits: {max_iterations: 5}
`

// Each run of the exploration is a scenario: replies, results and answers in the order of the
// visits, which the names say where a node has several outputs.
func TestExploredRuns(t *testing.T) {
	s := graphOf(t, asked)
	found := map[string]string{}
	for _, c := range s.model.exploredScenarios(s.first, s.found) {
		var names []string
		for _, f := range c.flips {
			if f.text != "" {
				names = append(names, f.text)
			}
		}
		lists := ""
		for _, kind := range kinds {
			for _, at := range c.writtenSlots(kind) {
				lists += at.key + " " + encodeJSON(c.testFileGives(at)) + "; "
			}
		}
		found[strings.Join(names, ", ")] = lists
	}
	for name, want := range map[string]string{
		"try ends with done, ask ends with yes":                     `again "well"; try "well"; again/before "continue"; ask {"choice":"yes","text":"well"}; `,
		"try ends with more, try ends with done, ask ends with yes": `again "Reply of again."; try [{"exit":1,"output":"well"},"4"]; ask {"choice":"yes","text":"well"}; `,
		"try ends with done, ask ends with no":                      `again "well"; try "well"; again/before "continue"; ask {"choice":"no","text":"well"}; `,
	} {
		if found[name] != want {
			t.Errorf("%s: %s, want %s", name, found[name], want)
		}
		delete(found, name)
	}
	for name, lists := range found {
		t.Errorf("also %s: %s", name, lists)
	}
}

// A node of a state graph fails, is late or answers again as the exploration says.
func TestGivesOfVisits(t *testing.T) {
	s := graphOf(t, asked)
	for _, tt := range []struct {
		node  string
		visit explore.Visit
		want  string
	}{
		{"try", explore.Visit{Give: explore.Give{Text: "out", Exit: 2}}, `bash:{"exit":2,"output":"out"}`},
		{"try", explore.Visit{Give: explore.Give{Text: "out", Late: true}}, `bash:{"delay":"240h","output":"out"}`},
		{"try", explore.Visit{Give: explore.Give{Fails: true}}, `bash:{"error":"It failed.","exit":1}`},
		{"ask", explore.Visit{Label: "yes", Give: explore.Give{Text: "yes"}}, `answers:"yes"`},
		{"ask", explore.Visit{Label: "no", Give: explore.Give{Text: "never"}}, `answers:{"choice":"no","text":"never"}`},
		{"again", explore.Visit{Give: explore.Give{Text: "one"}}, `agents:"one"`},
		{"again", explore.Visit{Give: explore.Give{Text: "one", Again: "two"}}, `agents:["one","two"]`},
		{"again", explore.Visit{Give: explore.Give{Fails: true}}, `agents:{"class":"fatal","fail":"It failed."}`},
	} {
		given := map[slot][]give{}
		s.model.visitGives(s.model.top.places[tt.node], &tt.visit, given)
		got := ""
		for at := range given {
			got += at.kind + ":" + encodeJSON((&scenario{lists: given}).testFileGives(at))
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.node, got, tt.want)
		}
	}
	if yes, no := interruptGive("yes"), interruptGive("stop"); yes.choice != "continue" || no.choice != "stop" {
		t.Errorf("answers to interrupts: %+v and %+v", yes, no)
	}
}

// The exploration proves which nodes, edges and terms of a state graph no run comes to.
func TestProofsOfGraphs(t *testing.T) {
	const text = `workflow: w
state: {variables: {n: 0, set: 0}}
nodes:
  work: {type: task, agent: self, prompt: p, outputs: [bad, good], on_output: {bad: {set: {set: output}}}}
  more: {type: task, agent: self, prompt: p, outputs: [done]}
edges:
  - {from: START, to: work}
  - {from: work, to: work, condition: "bad && state.n < 3"}
  - {from: work, to: more, condition: "bad && state.n > 7"}
  - {from: work, to: END, condition: "good || state.set > 8"}
  - {from: more, to: END}
completion:
  - work.good
  - more.done
`
	s := graphOf(t, text)
	term := func(words string) string { // the words begin with the term
		first, _, _ := strings.Cut(words, " ||")
		start := strings.Index(text, words)
		return fmt.Sprintf("term %d-%d ", start, start+len(first))
	}
	for item, want := range map[string]string{
		"node work":                    "",
		"node more":                    "the exploration of the graph shows that no run reaches `more`",
		"edge more END":                "the exploration of the graph shows that no run reaches `more`",
		"edge work work":               "",
		"edge work END":                "",
		term("state.n < 3") + "false":  "the exploration of the graph shows that it is always true",
		term("state.n < 3") + "true":   "",
		term("state.n > 7") + "true":   "the exploration of the graph shows that no run evaluates it",
		term("state.set > 8") + "true": "the exploration of the graph shows that no run evaluates it",
		term("good ||") + "false":      "the exploration of the graph shows that it is always true",
		term("work.good") + "true":     "",
		term("work.good") + "false":    "the exploration of the graph shows that it is always true",
		term("more.done") + "true":     "the exploration of the graph shows that no run evaluates it",
	} {
		if reason, proven := s.whyUnreachable(cover.Item{Name: item}); proven != (want != "") || proven && reason != want {
			t.Errorf("%s: %t, %s, want %q", item, proven, reason, want)
		}
	}
}

// A variable that nothing sets gives a term of a decision one result: the one that a run saw.
func TestProofsOfDecisions(t *testing.T) {
	const text = `workflow: w
state: {variables: {force: false, said: "a"}}
nodes:
  r: {type: task, agent: self, prompt: p, outputs: [ok], on_output: {ok: {set: {said: output}}}}
  gate: {type: decision, condition: "state.force == true || state.said == 'a'", outputs: [pass, fail]}
edges:
  - {from: START, to: r}
  - {from: r, to: gate}
  - {from: gate, to: END}
`
	s := graphOf(t, text)
	for words, want := range map[string]string{"state.force == true": "nothing sets `state.force`", "state.said == 'a'": ""} {
		start := strings.Index(text, words)
		place := fmt.Sprintf("term %d-%d ", start, start+len(words))
		if reason, proven := s.whyUnreachable(cover.Item{Name: place + "true"}); proven {
			t.Errorf("%s, before a run saw it: %s", words, reason)
		}
		s.known[place+"false"] = true
		if reason, proven := s.whyUnreachable(cover.Item{Name: place + "true"}); proven != (want != "") || proven && reason != want {
			t.Errorf("%s: %t, %s, want %q", words, proven, reason, want)
		}
	}
}
