package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// Workflows that were accepted and whose code did not compile.
func TestAcceptedIsCompiled(t *testing.T) {
	typeErrors := testkit.TypeErrors[gen.File](t)
	try := func(name, file, text string, files testkit.Memory) {
		t.Helper()
		p := compile(file, text, files)
		for _, opt := range []gen.Options{{}, {Cover: true}, {LineDirectives: true}} {
			opt.ImportPath = "goldens/drawn"
			for _, fault := range check(gen.Generate(p, opt), opt.LineDirectives, typeErrors) {
				t.Errorf("%s: %s", name, fault)
			}
		}
	}
	const head = "name: faults\ndescription: Found by drawing.\nnodes:\n"
	schema := func(field string) string {
		return fmt.Sprintf("{type: object, properties: {%s: {type: boolean}}, required: [%[1]s]}", field)
	}

	// The list of all types may have spare capacity behind those of one node.
	for n := range 21 {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, "  - {id: b%d, prompt: Hi, output_format: %s}\n", i, schema(fmt.Sprint("b", i)))
		}
		fmt.Fprintf(&b, "  - id: g\n    loop_group: {until_bash: test \"$x.output\", max_iterations: 2, nodes: [{id: x, prompt: Hi, output_format: %s}]}\n", schema("x"))
		fmt.Fprintf(&b, "  - {id: v, prompt: Hi, output_format: %s}\n", schema("v"))
		try(fmt.Sprintf("%d typed nodes", n), "faults.yaml", b.String(), nil)
	}

	const block = "name: block\ndescription: d\nnodes:\n  - {id: a, bash: echo}\n  - {id: b, bash: echo, depends_on: [a], when: \"!($a.output == 'x') || $a.output == 'y'\"}\n"
	try("a condition in a block, with coverage", "faults.yaml", head+"  - {id: i, include: block}\n", testkit.Memory{"/project/block.yaml": block})

	previous := "  - id: g\n    loop_group: {until: DONE, max_iterations: 2, nodes: [{id: x, prompt: Hi, output_format: " + schema("ok") + "}, {id: y, bash: echo, depends_on: [x], when: \"$LOOP_PREV.x.output.ok == 'x' && $x.output.ok == 'true'\"}]}\n"
	try("a comparison that never holds, with the previous iteration", "faults.yaml", head+previous, nil)

	for _, name := range []string{"inputs", "nodes", "slices", "atomic", "covered"} {
		kid := "name: " + name + "\ndescription: d\nmutates_checkout: false\nnodes: [{id: a, bash: echo}]\n"
		try("a child called "+name, "faults.yaml", head+"  - {id: list, bash: \"echo '[1]'\"}\n  - {id: a, workflow: "+name+", depends_on: [list], fan_out: {items: $list.output}}\n", testkit.Memory{"/project/" + name + ".yaml": kid})
	}

	for _, template := range []string{"{% for v in rows if v.a is defined %}x{% endfor %}", "{% for v in rows %}{{ v.a is defined }}{% endfor %}", "{% for v in rows %}{% if v.a is undefined %}x{% endif %}{{ v.n }}{% endfor %}"} {
		try(template, "faults.yml", fmt.Sprintf("name: faults\nsteps:\n  - {name: rows, bash: echo, output: [{a: word, n: int}]}\n  - {name: p, prompt: %q}\n", template), nil)
	}

	try("an output without letters", "faults.yaml", `workflow: faults
nodes:
  p: {type: parallel, branches: [a, b], outputs: [_]}
  a: {type: task, agent: self, prompt: Go, outputs: [_, __]}
  b: {type: task, agent: self, prompt: Go, outputs: [done]}
  j: {type: join, wait_for: [a, b], outputs: [_-]}
edges: [{from: START, to: p}, {from: p, to: j, condition: _}, {from: j, to: END}]
`, nil)
}
