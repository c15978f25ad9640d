package xprompt_test

import (
	"slices"
	"testing"
)

// Every rule of the format about the file, its inputs and its steps, with the
// finding and its place.
func TestRules(t *testing.T) {
	const pair = "[{name: x, bash: echo v=1}, {name: y, bash: echo v=2}]"
	for _, test := range []struct {
		name, yaml string
		want       []string
	}{
		{"no mapping", "- a\n- b\n", []string{"error not-a-mapping - a"}},
		{"no steps", "name: w\n", []string{"error missing-key name"}},
		{"steps are no list", "steps: {a: {bash: ls}}\n", []string{"error wrong-value {a: {bash: ls}}"}},
		{"steps are empty", "steps: []\n", []string{"error empty-value []"}},
		{"a step is no mapping", steps("  - bash: ls\n  - ls\n"), []string{"error wrong-value ls"}},
		{"unknown key of the file", "nme: w\n" + steps("  - bash: ls\n"), []string{"error wrong-key nme"}},
		{"unknown key of a step", steps("  - {bash: ls, timeout: 5}\n"), []string{"warning unknown-key timeout"}},
		{"misplaced key", "hitl: true\n" + steps("  - bash: ls\n"), []string{"warning misplaced-key hitl"}},
		{"hidden is accepted", steps("  - {bash: ls, hidden: true}\n"), []string{"note no-effect hidden"}},
		{"a key twice", steps("  - {bash: ls, bash: cd}\n"), []string{"error duplicate-key bash"}},

		{"two actions", steps("  - {name: a, bash: ls, python: pass}\n"), []string{"error node-action python"}},
		{"no action", steps("  - {name: a, output: {x: int}}\n"), []string{"error node-action a"}},
		{"empty action", steps("  - {name: a, bash: ''}\n"), []string{"error empty-value ''"}},
		{"action of another kind", steps("  - {name: a, bash: [ls]}\n"), []string{"error wrong-value [ls]"}},

		{"a name with a hyphen", steps("  - {name: a-b, bash: ls}\n"), []string{"warning unreadable-name a-b"}},
		{"a name with a blank", steps("  - {name: a b, bash: ls}\n"), []string{"error unreadable-name a b"}},
		{"a name that is a word of templates", steps("  - {name: not, bash: ls}\n"), []string{"warning unreadable-name not"}},
		{"a name twice", steps("  - {name: a, bash: ls}\n  - {name: a, bash: ls}\n"), []string{"warning duplicate-step a"}},
		{"a name of a step without one", steps("  - {bash: ls}\n  - {name: step_0, bash: ls}\n"), []string{"warning duplicate-step step_0"}},

		{"two loops", steps("  - {name: a, bash: 'echo {{ i }}', for: {i: '[1]'}, repeat: {until: '{{ a.x }}'}}\n"), []string{"error step-loops repeat"}},
		{"while and repeat", steps("  - {name: a, bash: ls, while: '{{ a.x }}', repeat: {until: '{{ a.x }}'}}\n"), []string{"error step-loops repeat"}},
		{"parallel and while", steps("  - {name: a, parallel: " + pair + ", while: '{{ a.x }}'}\n"), []string{"error step-loops while"}},
		{"parallel and repeat", steps("  - {name: a, parallel: " + pair + ", repeat: {until: '{{ a.x }}'}}\n"), []string{"error step-loops repeat"}},
		{"for is a text", steps("  - {name: a, bash: ls, for: '[1, 2]'}\n"), []string{"error wrong-value '[1, 2]'"}},
		{"for is empty", steps("  - {name: a, bash: ls, for: {}}\n"), []string{"error empty-value {}"}},
		{"for over nothing", steps("  - {name: a, bash: 'echo {{ i }}', for: {i: }}\n"), []string{"error wrong-value i"}},
		{"for over an empty string", steps("  - {name: a, bash: 'echo {{ i }}', for: {i: ''}}\n"), []string{"error empty-value ''"}},
		{"for over an empty list", steps("  - {name: a, bash: 'echo {{ i }}', for: {i: []}}\n"), []string{"warning loop-lists []"}},
		{"lists of different lengths", steps("  - {name: a, bash: 'echo {{ i }}{{ j }}', for: {i: [1, 2], j: '[1]'}}\n"), []string{"error loop-lists [1]"}},
		{"a variable that cannot be one", steps("  - {name: a, bash: ls, for: {a b: [1]}}\n"), []string{"error unreadable-name a b"}},
		{"while is a boolean", steps("  - {name: a, bash: ls, while: true}\n"), []string{"error wrong-value true"}},
		{"while without a condition", steps("  - {name: a, bash: ls, while: {max: 3}}\n"), []string{"error missing-key while"}},
		{"repeat is a text", steps("  - {name: a, bash: ls, repeat: '{{ a.x }}'}\n"), []string{"error wrong-value '{{ a.x }}'"}},
		{"repeat without until", steps("  - {name: a, bash: ls, repeat: {max: 3}}\n"), []string{"error missing-key repeat"}},
		{"max is a word", steps("  - {name: a, bash: ls, repeat: {until: '{{ a.x }}', max: many}}\n"), []string{"error wrong-value many"}},
		{"max is 0", steps("  - {name: a, bash: ls, repeat: {until: '{{ a.x }}', max: 0}}\n"), []string{"error out-of-range 0"}},
		{"max is a fraction", steps("  - {name: a, bash: ls, repeat: {until: '{{ a.x }}', max: 2.5}}\n"), []string{"error wrong-value 2.5"}},
		{"max is a text", steps("  - {name: a, bash: ls, repeat: {until: '{{ a.x }}', max: '3'}}\n"), nil},
		{"a misspelt key of a loop", steps("  - {name: a, bash: ls, repeat: {until: '{{ a.x }}', maxx: 3}}\n"), []string{"error wrong-key maxx"}},
		{"a condition that does not change", steps("  - {name: b, bash: ls}\n  - {name: a, bash: ls, while: '{{ b.x }}'}\n"), []string{"warning unchanging-loop '{{ b.x }}'"}},

		{"a parallel of one", steps("  - {name: a, parallel: [{bash: ls}]}\n"), []string{"error misplaced-node parallel"}},
		{"a parallel that is no list", steps("  - {name: a, parallel: {x: {bash: ls}}}\n"), []string{"error wrong-value {x: {bash: ls}}"}},
		{"a child twice", steps("  - {name: a, parallel: [{name: x, bash: ls}, {name: x, bash: ls}]}\n"), []string{"error duplicate-step x"}},
		{"a loop in a parallel", steps("  - {name: a, parallel: [{name: x, bash: ls, for: {i: [1]}}, {name: y, bash: ls}]}\n"), []string{"error misplaced-node for"}},
		{"a while in a parallel", steps("  - {name: a, parallel: [{name: x, bash: ls, while: '{{ x.v }}'}, {name: y, bash: ls}]}\n"), []string{"error misplaced-node while"}},
		{"a repeat in a parallel", steps("  - {name: a, parallel: [{name: x, bash: ls, repeat: {until: '{{ x.v }}'}}, {name: y, bash: ls}]}\n"), []string{"error misplaced-node repeat"}},
		{"a parallel in a parallel", steps("  - {name: a, parallel: [{name: x, parallel: " + pair + "}, {name: y, bash: ls}]}\n"), []string{"error misplaced-node parallel"}},
		{"a review in a parallel", steps("  - {name: a, parallel: [{name: x, bash: ls, hitl: true}, {name: y, bash: ls}]}\n"), []string{"error misplaced-node hitl"}},
		{"no review in a parallel", steps("  - {name: a, parallel: [{name: x, bash: ls, hitl: false}, {name: y, bash: ls}]}\n"), nil},
		{"a review of a parallel", steps("  - {name: a, parallel: " + pair + ", hitl: true}\n"), []string{"error misplaced-node hitl"}},
		{"the output of a parallel", steps("  - {name: a, parallel: " + pair + ", output: {x: int}}\n"), []string{"warning no-effect output"}},
		{"an unknown join", steps("  - {name: a, bash: 'echo {{ i }}', for: {i: [1]}, join: concat}\n"), []string{"error unknown-value concat"}},
		{"a join of nothing", steps("  - {name: a, bash: ls, join: text}\n"), []string{"warning no-effect join"}},
		{"a join of a while", steps("  - {name: a, bash: ls, join: text, while: '{{ a.x }}'}\n"), []string{"warning no-effect join"}},
		{"fail_fast of one", steps("  - {name: a, bash: ls, fail_fast: true}\n"), []string{"warning no-effect fail_fast"}},
		{"fail_fast is a number", steps("  - {name: a, parallel: " + pair + ", fail_fast: 3}\n"), []string{"error wrong-value 3"}},

		{"a condition without braces", steps("  - {name: a, bash: ls, if: not done}\n"), []string{"warning constant-condition not done"}},
		{"a condition that is false", steps("  - {name: a, bash: ls, if: false}\n"), []string{"warning constant-condition false"}},
		{"a condition that is 0", steps("  - {name: a, bash: ls, if: 0}\n"), []string{"warning constant-condition 0"}},
		{"a condition that is a constant", steps("  - {name: a, bash: ls, if: '{{ false }}'}\n"), []string{"warning constant-condition '{{ false }}'"}},
		{"an empty condition", steps("  - {name: a, bash: ls, if: ''}\n"), []string{"warning no-effect if"}},
		{"a condition that is a list", steps("  - {name: a, bash: ls, if: [x]}\n"), []string{"error wrong-value [x]"}},
		{"a loop that never ends", steps("  - {name: a, bash: ls, repeat: {until: done}}\n"), []string{"warning constant-condition done"}},

		{"a later step", steps("  - {name: a, bash: 'echo {{ b.x }}'}\n  - {name: b, bash: ls}\n"), []string{"error reference-order b"}},
		{"a step itself", steps("  - {name: a, bash: 'echo {{ a.x }}'}\n"), []string{"error reference-order a"}},
		{"a step beside", steps("  - {name: a, parallel: [{name: x, bash: ls}, {name: y, bash: 'echo {{ x.v }}'}]}\n"), []string{"error reference-order x"}},
		{"the parallel around", steps("  - {name: a, parallel: [{name: x, bash: ls}, {name: y, bash: 'echo {{ a.x }}'}]}\n"), []string{"error reference-order a"}},
		{"a step of a parallel", steps("  - {name: a, parallel: " + pair + "}\n  - {name: b, bash: 'echo {{ x.v }}'}\n"), []string{"error reference-order x"}},
		{"a variable in a condition", steps("  - {name: a, bash: 'echo {{ i }}', if: '{{ i }}', for: {i: [1]}}\n"), []string{"error undefined-variable i"}},
		{"a variable in a list", steps("  - {name: a, bash: 'echo {{ i }}{{ j }}', for: {i: [1], j: '{{ [i] }}'}}\n"), []string{"error undefined-variable i"}},
		{"a variable behind its loop", steps("  - {name: a, bash: 'echo {{ i }}', for: {i: [1]}}\n  - {name: b, bash: 'echo {{ i }}'}\n"), []string{"error undefined-variable i"}},
		{"own output before the first round", steps("  - {name: a, bash: 'echo {{ a.x }}', while: '{{ a.x }}'}\n"), []string{"warning maybe-missing a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, list := compile(t, project(nil), test.yaml)
			if got := findings(list); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q\n%s\n%s", got, test.want, messages(list), test.yaml)
			}
		})
	}
}
