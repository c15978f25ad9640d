package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// The facts of a run are its hits that are items, the results of terms alone and together, the
// ends of nodes and of their dependencies, answers, and the values that the test changed and
// the run used.
func TestFactsOfRuns(t *testing.T) {
	s := searchOf(compileText(t, deep), nil)
	s.items = []cover.Item{{Name: "loop l done"}}
	term := func(i int) string {
		at := conditionTerms(s.model.top.places["fix"].node.When)[i].Span()
		return fmt.Sprintf("%d-%d", at.Start, at.End)
	}
	p := &testjob.Run{
		Status: "failed", Reason: "node_failed: fix", Hits: map[string]int{"node ask": 2, "loop l done": 1, "loop l limit": 1, "way x run": 1, "node fix": 0},
		Terms:      map[string][2]uint64{term(0): {1, 2}, term(1): {0, 1}},
		Nodes:      []testjob.Node{{Key: "ask", Status: "completed", Attempts: 1}, {Key: "check", Status: "skipped", Reason: "condition false"}, {Key: "last", Status: "completed"}},
		Steps:      []testjob.Step{{Name: "ask", Node: "ask", Kind: "prompt"}, {Name: "gate", Node: "gate", Kind: kindQuestion, Choice: "approve"}},
		Iterations: map[string]int{"l": 7},
	}
	facts := s.factsOf(&trial{probe: p, scenario: &scenario{flips: []flip{
		{slot: slot{"agents", "ask"}, path: []string{"kind"}, to: give{data: "bug", structured: true}},
		{slot: slot{"agents", "unused"}, to: give{data: "x"}},
		{slot: slot{"inputs", "n"}, to: give{data: 1}},
	}}})
	want := []string{
		"after completed skipped: last is completed", "answer gate approve",
		"end ask completed  1", "end check skipped condition 0", "end last completed  0", "iterations l 3", "loop l done", "node ask",
		"run failed node_failed:", "term " + term(0) + " false", "term " + term(0) + " true", "term " + term(1) + " true", "terms of condition 0: bt",
		`value agents ask [kind] {"json":"bug"}`, "value inputs n [] 1",
	}
	slices.Sort(want)
	if !slices.Equal(facts, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(facts, "\n"), strings.Join(want, "\n"))
	}
}

// A term of a condition gets solutions in which a run comes to it, with both results; the other
// operands let it decide.
func TestSolutionsOfTerms(t *testing.T) {
	m := newModel(compileText(t, deep))
	for i, want := range [][2]string{
		{"ask kind is bug, ask size is 4", "ask kind is idea, ask size is 4"}, {"ask size is 4, ask kind is bug", "ask size is 3, ask kind is bug"},
	} {
		at := conditionTerms(m.top.places["fix"].node.When)[i].Span()
		for j, result := range []string{"true", "false"} {
			var found []string
			for _, flips := range m.solveItem(cover.Item{Name: fmt.Sprintf("term %d-%d %s", at.Start, at.End, result)}) {
				var texts []string
				for _, f := range flips {
					texts = append(texts, f.text)
				}
				found = append(found, strings.Join(texts, ", "))
			}
			if !slices.Contains(found, want[j]) {
				t.Errorf("term %d %s: no solution %q in\n%s", i, result, want[j], strings.Join(found, "\n"))
			}
		}
	}
}

// The length of a list gets elements of its schema, or of the form that its uses need.
func TestLengths(t *testing.T) {
	m := newModel(compileSteps(t, `steps:
  - {name: d, bash: print}
  - {name: e, bash: print, output: {l: [{k: word}]}}
  - {name: s, bash: "echo {% for x in d.xs if x > 1 %}{{ x }}{% endfor %}{% if d.xs | length > 1 or e.l | length > 1 %}y{% endif %}"}
`))
	for key, want := range map[string]string{"d": `{"xs":[3,2]}`, "e": `{"l":[{"k":"k of element 1"},{"k":"k of element 2"}]}`} {
		p := m.producers[slot{"bash", key}]
		found := false
		for _, f := range m.allFlips(p) {
			s := (&scenario{lists: map[slot][]give{p.slot: {m.baseGive(p)}}}).withFlips(f)
			found = found || encodeJSON(s.lists[p.slot][0].data) == want
		}
		if !found {
			t.Errorf("%s: no %s", key, want)
		}
	}
}

// An integer beside a constant is whole.
func TestIntegersBesideConstants(t *testing.T) {
	m := newModel(compileText(t, "name: w\ndescription: d\nnodes:\n  - {id: a, prompt: p, output_format: {type: object, properties: {n: {type: integer}, f: {type: number}}, required: [n, f]}}\n"+
		"  - {id: b, depends_on: [a], when: \"$a.output.n > 1 && $a.output.f > 1\", bash: ./b}\n"))
	var got []string
	for _, f := range m.allFlips(m.producers[slot{"agents", "a"}]) {
		got = append(got, f.text)
	}
	for _, want := range []string{"a n is 0", "a n is 1", "a n is 2", "a f is 0.875", "a f is 1", "a f is 1.125"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}
