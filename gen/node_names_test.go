package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// usedNames are the names of packages, variables and functions in generated code, and of
// what Go declares.
var usedNames = strings.Fields(`flow steps value json slices strconv time output structured signal local context py
	c i in err t r now last run done gate message prompt reason until attention item word script text data complete items
	count part attempt previous tasks inputs nodes workflow len new string append any panic min`)

// Nodes of a DAG may have the names that functions of other nodes use.
func TestNodesNamedAsVariables(t *testing.T) {
	kid := testkit.Memory{"kid.yaml": "name: kid\ndescription: d\nmutates_checkout: false\ninputs: {word: {required: true}, more: {default: ''}}\nnodes: [{id: say, bash: echo $INPUTS.word}]\n"}
	check := testkit.TypeChecker(t)
	for _, name := range usedNames {
		text := strings.ReplaceAll(`name: names
description: Nodes with the names of variables.
nodes:
  - {id: NAME, bash: "echo '[1]'"}
  - id: b-typed
    depends_on: [NAME]
    bash: cat $NAME.output
    output_format: {type: object, properties: {a: {type: integer}, list: {type: array, items: {type: string}}}, required: [a]}
  - id: b-cond
    depends_on: [NAME, b-typed]
    when: $NAME.output == 'x' && $b-typed.output.a > 3 && $NAME.output.field == 'y'
    bash: "true"
  - id: b-loop
    depends_on: [NAME]
    loop: {prompt: "One\n\n$NAME.output $LOOP_PREV_OUTPUT", until: DONE, until_bash: test "$NAME.output", interactive: true, gate_message: "Go?", max_iterations: 2}
  - id: b-group
    depends_on: [NAME]
    loop_group: {until: END, max_iterations: 2, nodes: [{id: x, prompt: "$NAME.output after $LOOP_PREV.x.output"}]}
  - id: b-child
    depends_on: [NAME]
    workflow: kid
    fan_out: {items: $NAME.output, as: word}
    with: {more: "$NAME.output"}
  - id: b-ask
    depends_on: [NAME]
    approval: {message: "One\n\n$NAME.output", on_reject: {prompt: "One\n\n$REJECTION_REASON $NAME.output"}}
  - id: b-wait
    depends_on: [NAME]
    wait: {until: $NAME.output}
  - id: b-cancel
    depends_on: [NAME]
    cancel: "One\n\n$NAME.output"
`, "NAME", name)
		p := compile("names.yaml", text, kid)
		for _, directives := range []bool{false, true} {
			files := gen.Generate(p, gen.Options{LineDirectives: directives, ImportPath: "goldens/names"})
			for i := len(files) - 1; i >= 0; i-- { // those that a workflow runs come behind it
				check("goldens/names", files[i])
			}
		}
	}
}

// Steps of a sequence may have the names that functions of other steps use.
func TestStepsNamedAsVariables(t *testing.T) {
	check := testkit.TypeChecker(t)
	for _, name := range usedNames {
		text := fmt.Sprintf(`name: names
input: { most: { type: int, default: 3 } }
steps:
  - { name: %[1]s, bash: echo a=1, output: { a: int, b: { type: line, default: "" } } }
  - { name: lists, bash: echo, output: [{ a: word }] }
  - name: b_each
    for: { one: "{{ lists }}", two: [1, 2] }
    if: "{{ %[1]s.a <= most }}"
    prompt: "{{ one.a }} {{ two }} {{ %[1]s.a }} {{ %[1]s.b | upper }}"
    output: { text: line }
  - name: b_fork
    parallel:
      - { name: x, bash: "echo {{ %[1]s.a }}" }
      - { name: y, python: "print({{ %[1]s }})" }
  - name: b_poll
    bash: echo "a={{ %[1]s.a }}{{ b_poll.a if b_poll is defined else 0 }}"
    repeat: { until: "{{ b_poll.a >= 2 and %[1]s.b }}", max: 5 }
    output: { a: int }
  - name: b_draft
    prompt: "{%% for l in lists %%}{{ l.a }}{%% endfor %%}{{ %[1]s.b }}{%% if %[1]s.a > 2 %%}x{%% endif %%}"
    hitl: true
`, name)
		p := compile("names.yml", text, nil)
		for _, directives := range []bool{false, true} {
			check("goldens/names", gen.Generate(p, gen.Options{LineDirectives: directives})[0])
		}
	}
}
