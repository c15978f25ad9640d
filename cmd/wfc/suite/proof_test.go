package suite

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
)

// A proof holds for every run. Each workflow has a pair of items: one with a proof, and one that
// differs in what makes the proof wrong.
func TestProofsOfNodes(t *testing.T) {
	const gone = "  - {id: gone, command: missing}\n"
	for _, tt := range []struct {
		name, nodes string
		// proven are items with a part of the reason, and open those without a proof.
		proven map[string]string
		open   []string
	}{
		{"a failed dependency and trigger rules", gone + `
  - {id: other, prompt: p}
  - {id: all, depends_on: [gone, other], prompt: p}
  - {id: one, depends_on: [gone, other], trigger_rule: one_success, prompt: p}
  - {id: none, depends_on: [gone], trigger_rule: one_success, prompt: p}
  - {id: done, depends_on: [gone], trigger_rule: all_done, prompt: p}
`, map[string]string{"node all": "`gone` always fails", "node none": "`gone` always fails", "edge other all": "`gone` always fails"},
			[]string{"node one", "node done", "edge gone done", "edge other one"}},
		{"a condition", `
  - {id: a, prompt: p, output_format: {type: object, properties: {ok: {type: boolean}}, required: [ok]}}
  - {id: b, depends_on: [a], when: "$a.output.ok == 'true'", prompt: p}
  - {id: c, depends_on: [b], prompt: p}
`, nil, []string{"node b", "when b true", "when b false", "edge a b", "alt a .ok true", "node c"}},
		{"a loop whose only node always fails", `
  - {id: l, loop_group: {max_iterations: 2, until: DONE, nodes: [{id: x, command: missing}]}}
  - {id: behind, depends_on: [l], prompt: p}
`, map[string]string{"loop l done": "`l` always fails", "loop l limit": "`l` always fails", "node behind": "`l` always fails"}, []string{"loop l error", "node l"}},
		{"a loop whose only node may be skipped", `
  - {id: a, bash: print}
  - {id: l, depends_on: [a], loop_group: {max_iterations: 2, until_bash: "true", nodes: [{id: x, command: missing, when: "$a.output == 'x'"}]}}
  - {id: behind, depends_on: [l], prompt: p}
`, nil, []string{"loop l done", "loop l limit", "node behind"}},
		{"a node that is never skipped", `
  - {id: a, prompt: p}
  - {id: b, depends_on: [a], prompt: p, trigger_rule: all_done}
  - {id: c, depends_on: [b], prompt: p, trigger_rule: all_done}
`, map[string]string{"rule b skipped": "`a` is never skipped", "rule c skipped": "`b` is never skipped"}, []string{"rule b failed", "rule c failed"}},
		{"a node that may be skipped", `
  - {id: a, prompt: p}
  - {id: b, depends_on: [a], prompt: p}
  - {id: c, depends_on: [b], prompt: p, trigger_rule: all_done}
`, nil, []string{"rule c skipped", "rule c failed"}},
		{"a node that never fails", `
  - {id: a, approval: {message: Go?}}
  - {id: b, depends_on: [a], prompt: p, trigger_rule: all_done}
`, map[string]string{"rule b failed": "`a` waits for a person"}, []string{"rule b skipped"}},
		{"a gate with a value, which may fail", `
  - {id: first, prompt: p}
  - {id: a, depends_on: [first], approval: {message: "Go? $first.output"}}
  - {id: b, depends_on: [a], prompt: p, trigger_rule: all_done}
`, nil, []string{"rule b failed"}},
		{"a gate that asks an agent after a rejection", `
  - {id: a, approval: {message: Go?, on_reject: {prompt: Again}}}
  - {id: b, depends_on: [a], prompt: p, trigger_rule: all_done}
`, nil, []string{"rule b failed"}},
		{"a cancelled run", `
  - {id: a, prompt: p}
  - {id: stop, depends_on: [a], cancel: Enough.}
  - {id: b, depends_on: [stop], prompt: p}
  - {id: c, depends_on: [stop], prompt: p, trigger_rule: all_done}
`, map[string]string{"node b": "`stop` cancels the run", "rule c failed": "`stop` cancels the run"}, []string{"node stop", "rule c skipped"}},
		{"runs for the items of a constant list", `
  - {id: a, workflow: child, fan_out: {items: '["x", "y"]', join: all_done}}
  - {id: b, workflow: child, fan_out: {items: '["x", "y"]', join: all_success}}
  - {id: c, depends_on: [a], prompt: p, trigger_rule: all_done}
  - {id: d, depends_on: [b], prompt: p, trigger_rule: all_done}
`, map[string]string{"rule c failed": "`a` completes however its runs end"}, []string{"rule d failed"}},
		{"a child run that cannot cancel", `
  - {id: a, workflow: child}
  - {id: b, depends_on: [a], prompt: p, trigger_rule: all_done}
`, map[string]string{"rule b skipped": "`a` is never skipped"}, []string{"rule b failed"}},
		{"a child run that can cancel", `
  - {id: a, workflow: stopping}
  - {id: b, depends_on: [a], prompt: p, trigger_rule: all_done}
`, nil, []string{"rule b skipped"}},
		{"a cancelled run with a reason that may fail", `
  - {id: a, prompt: p}
  - {id: stop, depends_on: [a], cancel: "Enough: $a.output"}
  - {id: c, depends_on: [stop], prompt: p, trigger_rule: all_done}
`, nil, []string{"rule c failed"}},
	} {
		s := searchOf(compileText(t, "name: w\ndescription: d\ninteractive: true\nnodes:\n"+tt.nodes), nil)
		for item, want := range tt.proven {
			if reason, proven := s.whyUnreachable(cover.Item{Name: item}); !proven || !strings.HasPrefix(reason, want) {
				t.Errorf("%s: %s: %t, %s, want %s", tt.name, item, proven, reason, want)
			}
		}
		for _, item := range tt.open {
			if reason, proven := s.whyUnreachable(cover.Item{Name: item}); proven {
				t.Errorf("%s: %s is proven: %s", tt.name, item, reason)
			}
		}
	}
}

// A step of finally runs after a rejection, so a condition on an accepted output can be false
// there. Loops over constants have a fixed number of items.
func TestProofsOfSteps(t *testing.T) {
	s := searchOf(compileSteps(t, `input: { rows: text }
steps:
  - {name: plan, prompt: p, output: {n: int}, hitl: true}
  - {name: go, if: "{{ plan.approved }}", bash: print}
  - {name: none, for: {x: "[]"}, bash: "print {{ x }}"}
  - {name: object, for: {x: "{}"}, bash: "print {{ x }}"}
  - {name: two, for: {x: "[1, 2]", y: "{{ rows }}"}, bash: "print {{ x }} {{ y }}"}
  - {name: clean, finally: true, if: "{{ plan.approved }}", bash: print}
`), nil)
	for item, want := range map[string]string{
		"way go skip": "only an accepted output of `plan` lets the run continue", "way clean skip": "",
		"when go false": "only an accepted output of `plan` lets the run continue", "when clean false": "",
		"way none item": "`x` always has no item", "way none next": "`x` always has no item", "way none empty": "", "loop none error": "`x` always has no item",
		"way object item": "", "way object next": "`x` always has one item", "way object empty": "`x` always has items", "loop object error": "",
		"loop two error": "", "way two next": "",
		"way clean completed": "", "way clean failed": "", "way END": "",
	} {
		if reason, proven := s.whyUnreachable(cover.Item{Name: item}); proven != (want != "") || proven && reason != want {
			t.Errorf("%s: %t, %s, want %q", item, proven, reason, want)
		}
	}
}
