package suite

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// Each answer to a question is a change, with the words that it needs; an edit changes the output
// that the review is about.
func TestAnswers(t *testing.T) {
	s := searchOf(compileSteps(t, "steps:\n  - {name: plan, prompt: p, output: {n: int}, hitl: true}\n  - {name: text, bash: print, hitl: true}\n"), nil)
	s.first = &scenario{lists: map[slot][]give{
		{"agents", "plan"}: {{data: map[string]any{"n": 1}, structured: true}},
		{"bash", "text"}:   {{data: "A text."}},
	}}
	choices := []string{"accept", "edit", "reject", "feedback", "signal"}
	for key, edit := range map[string]string{"plan/review": `{"edit":"{\"n\":1}"}`, "text/review": `{"edit":"A text. Edited."}`, "other/review": `{"edit":"Edited."}`} {
		at := slot{"answers", key}
		s.questions[at] = choices
		var got []string
		for _, f := range s.possibleAnswers(at) {
			got = append(got, encodeJSON(f.to.testFileValue("answers")))
		}
		if want := []string{`"accept"`, edit, `{"reject":"Please change it."}`, `{"feedback":"Please change it."}`, `{"signal":"{\"ok\": true}"}`, `"none"`}; !slices.Equal(got, want) {
			t.Errorf("%s: %q", key, got)
		}
	}
	var keys []string
	for _, at := range s.questionSlots() {
		keys = append(keys, at.key)
	}
	if !slices.Equal(keys, []string{"other/review", "plan/review", "text/review"}) {
		t.Errorf("asked %q", keys)
	}
}

// A change of a slot that a run uses several times is also a change of its first or second use.
func TestVariants(t *testing.T) {
	s := searchOf(compileText(t, expected), nil)
	first := &scenario{lists: map[slot][]give{{"agents", "fix.change"}: {{data: "a"}}, {"bash", "once"}: {{data: "a"}}}}
	for at, want := range map[slot][]string{{"bash", "once"}: {`"b"`}, {"agents", "fix.change"}: {`"b"`, `["b","a"]`, `["a","b","a"]`}} {
		var got []string
		for _, v := range s.flipVariants(first, flip{slot: at, at: every, to: give{data: "b"}}) {
			got = append(got, encodeJSON(v.testFileGives(at)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	if s.maxIdleRounds() != 2 {
		t.Error("patience without an exploration")
	}
	if s.found = explore.Run(&ir.Graph{}, explore.Options{}); s.maxIdleRounds() != 1 {
		t.Error("patience with an exploration")
	}
}

// The actions and questions of a run get slots: an action of a node that has one uses that, and a
// wait for a time needs no answer.
func TestDiscover(t *testing.T) {
	s := searchOf(compileText(t, expected), nil)
	s.first = &scenario{lists: map[slot][]give{{"agents", "ask"}: {{data: "a"}}}}
	p := &testjob.Run{Steps: []testjob.Step{
		{Name: "ask", Node: "ask", Kind: "prompt"}, {Name: "ask/2", Node: "ask", Kind: "prompt"}, {Name: "wait", Node: "wait", Kind: kindQuestion, Wait: "time"}, {Name: "send", Kind: "deliver"},
	}}
	if s.discoverSlots(p) {
		t.Errorf("discovered %v", s.first.lists)
	}
	p.Steps = []testjob.Step{
		{Name: "fix/until", Node: "fix", Kind: "bash", Test: true},
		{Name: "gate", Node: "gate", Kind: kindQuestion, Choices: []string{"reject", "approve"}},
		{Name: "ask/review", Node: "ask", Kind: kindQuestion, Choices: []string{"edit", "accept"}},
		{Name: "event", Node: "event", Kind: kindQuestion, Choices: []string{"signal"}},
		{Name: "pick", Node: "pick", Kind: kindQuestion, Choices: []string{"left", "right"}},
		{Name: "open", Node: "open", Kind: kindQuestion},
	}
	if !s.discoverSlots(p) || s.discoverSlots(p) {
		t.Error("the first run has new slots, and the second none")
	}
	for key, want := range map[string]string{"gate": `"approve"`, "ask/review": `"accept"`, "event": `{"signal":"{\"ok\": true}"}`, "pick": `"left"`, "open": `{"text":"An answer."}`} {
		if got := encodeJSON(s.first.testFileGives(slot{"answers", key})); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if pr := s.model.producers[slot{"bash", "fix/until"}]; pr == nil || !pr.test {
		t.Errorf("the test of the loop: %+v", pr)
	}
}
