package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// inGroup puts nodes into a loop_group `g`, behind a node `o`. Each line is a node in the
// short form.
func inGroup(lines ...string) string {
	var b strings.Builder
	b.WriteString("  - {id: o, bash: echo o}\n  - id: g\n    depends_on: [o]\n    loop_group:\n      until: D\n      max_iterations: 2\n      nodes:\n")
	for _, line := range lines {
		b.WriteString("        - " + line + "\n")
	}
	return nodes(b.String())
}

// group returns the node `g` of such a workflow with the nodes inside it.
func group(t *testing.T, yaml string) (*ir.Node, *ir.Loop, []*ir.Node) {
	t.Helper()
	p, list := lint(t, project(keyFiles), yaml)
	if hasError(list) {
		t.Fatalf("%s\n%q", yaml, findings(list))
	}
	g := p.Workflow.Body.All()[1]
	loop := g.Action.(*ir.Loop)
	return g, loop, loop.Body.All()
}

// What a loop_group and the nodes inside it cannot be.
func TestGroupFaults(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		want       []string
	}{
		{"a dependency on a node outside", inGroup("{id: k, bash: x, depends_on: [o]}"), []string{"error unknown-node o"}},
		{"an outer node depends on one inside", inGroup("{id: k, bash: x}") + "  - {id: z, bash: z, depends_on: [k]}\n", []string{"error unknown-node k"}},
		{"an outer node reads one inside", inGroup("{id: k, bash: x}") + "  - {id: z, bash: 'echo $k.output', depends_on: [g]}\n", []string{"error unknown-node-reference $k.output"}},
		{"a cycle", inGroup("{id: k, bash: x, depends_on: [m]}", "{id: m, bash: x, depends_on: [k]}"), []string{"error dependency-cycle m"}},
		{"one id twice", inGroup("{id: k, bash: x}", "{id: k, bash: x}"), []string{"error duplicate-name k"}},
		{"the id of a node outside", inGroup("{id: o, bash: x}"), []string{"error duplicate-name o"}},
		{"the id of a node that comes later", inGroup("{id: z, bash: x}") + "  - {id: z, bash: x}\n", []string{"error duplicate-name z"}},
		{"the id of the group", inGroup("{id: g, bash: x}"), []string{"error duplicate-name g"}},
		{"the id of a node two groups outside", inGroup("{id: h, loop_group: {until: D, max_iterations: 1, nodes: [{id: o, bash: x}]}}"), []string{"error duplicate-name o"}},
		{"a child run", inGroup("{id: k, workflow: other}"), []string{"error misplaced-node workflow"}},
		{"a child run in an inner group", inGroup("{id: h, loop_group: {until: D, max_iterations: 1, nodes: [{id: k, workflow: other}]}}"), []string{"error misplaced-node workflow"}},
		{"its own group", inGroup("{id: k, bash: 'echo $g.output'}"), []string{"error reference-order $g.output"}},
		{"a node after the group", inGroup("{id: k, bash: 'echo $z.output'}") + "  - {id: z, bash: z, depends_on: [g]}\n", []string{"error reference-order $z.output"}},
		{"the previous iteration of an unknown node", inGroup("{id: key, bash: 'echo $LOOP_PREV.kez.output'}"), []string{"error unknown-node-reference $LOOP_PREV.kez.output"}},
		{"the previous iteration of a node outside", inGroup("{id: k, bash: 'echo $LOOP_PREV.o.output'}"), []string{"error unknown-node-reference $LOOP_PREV.o.output"}},
		{"the previous iteration of an outer group's node", inGroup("{id: m, bash: x}", "{id: h, loop_group: {until: D, max_iterations: 1, nodes: [{id: k, bash: 'echo $LOOP_PREV.m.output D'}]}}"), []string{"error unknown-node-reference $LOOP_PREV.m.output"}},
		{"the previous iteration outside a group", inGroup("{id: k, bash: x}") + "  - {id: z, bash: 'echo $LOOP_PREV.k.output'}\n", []string{"error misplaced-node $LOOP_PREV.k.output"}},
		{"a previous iteration without output", inGroup("{id: k, prompt: 'Say D after $LOOP_PREV.k.'}"), []string{"warning literal-reference $LOOP_PREV.k"}},
		{"a condition on the previous iteration without output", inGroup("{id: k, bash: x, when: $LOOP_PREV.k.done == true}"), []string{"error condition-path $LOOP_PREV.k.done"}},
		{"an undeclared field of the previous iteration", inGroup("{id: k, bash: 'echo $LOOP_PREV.k.output.b', output_format: {type: object, properties: {a: {type: string}}}}"), []string{"warning unknown-field $LOOP_PREV.k.output.b", "note loose-schema properties"}},
		{"the previous iteration in a binding with a fallback", inGroup("{id: k, script: hello, runtime: bun, with: {a: {from: $LOOP_PREV.k.output}}}"), []string{"warning unused-value a", "error wrong-value $LOOP_PREV.k.output"}},
		{"a whole reply of the previous iteration", inGroup("{id: k, prompt: Say D.}", "{id: m, bash: x, when: \"$LOOP_PREV.k.output == 'x'\"}"), []string{"error prose-comparison $LOOP_PREV.k.output"}},
		{"the first iteration", inGroup("{id: k, prompt: Say D.}", "{id: m, bash: x, when: \"$LOOP_PREV.k.output == ''\"}"), nil},
		{"a wait before other nodes", inGroup("{id: k, wait: {duration_ms: 1}}", "{id: m, bash: x, depends_on: [k]}"), []string{"error misplaced-node k"}},
		{"a wait beside another last node", inGroup("{id: k, wait: {duration_ms: 1}}", "{id: m, bash: x}"), []string{"error misplaced-node k"}},
		{"a wait in an inner group", inGroup("{id: h, loop_group: {until: D, max_iterations: 1, nodes: [{id: k, wait: {duration_ms: 1}}]}}"), []string{"error misplaced-node k"}},
		{"a wait at the end", inGroup("{id: m, bash: x}", "{id: k, wait: {duration_ms: 1}, depends_on: [m]}"), nil},
		{"always_run inside", inGroup("{id: k, bash: x, always_run: true}"), []string{"warning no-effect always_run"}},
		{"persist_session inside", inGroup("{id: k, prompt: Say D., persist_session: true}"), []string{"warning no-effect persist_session"}},
		{"the output of the previous iteration as a whole", inGroup("{id: k, prompt: Say D after $LOOP_PREV_OUTPUT}"), []string{"warning empty-variable $LOOP_PREV_OUTPUT"}},
		{"an answer where nobody is asked", inGroup("{id: k, prompt: Say D after $LOOP_USER_INPUT}"), []string{"warning empty-variable $LOOP_USER_INPUT"}},
		{"an unknown key inside", inGroup("{id: k, bash: x, colour: red}"), []string{"warning unknown-key colour"}},
		{"approvals and includes", inGroup("{id: k, approval: {message: m}}", "{id: i, cancel: stop, depends_on: [k]}"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, list := lint(t, project(keyFiles), c.yaml)
			if got := findings(list); !slices.Equal(got, c.want) {
				t.Errorf("findings %q, want %q\n%s", got, c.want, c.yaml)
			}
		})
	}
}

// The nodes inside have ids of their own in the program, and read nodes around the group.
func TestGroupReferences(t *testing.T) {
	g, loop, inside := group(t, inGroup(
		"{id: k, prompt: 'Say D after $o.output and $LOOP_PREV.m.output.n'}",
		"{id: m, bash: 'echo $k.output $p.output', depends_on: [k]}",
		"{id: h, loop_group: {until_bash: 'test $x.output = $m.output', max_iterations: 1, nodes: [{id: x, bash: 'echo $m.output $o.output'}]}}",
	)+"  - {id: p, bash: x}\n  - {id: g2, loop_group: {until: D, max_iterations: 1, nodes: [{id: k, bash: x}]}}\n")
	var ids []string
	ir.Walk(&ir.DAG{Nodes: []*ir.Node{g}}, func(n *ir.Node) { ids = append(ids, n.ID) })
	if want := "[g g.k g.m g.h g.h.x]"; fmt.Sprint(ids) != want {
		t.Errorf("ids %v, want %s", ids, want)
	}
	read := map[string]bool{}
	(&ir.Workflow{Body: loop.Body}).Rewrite(func(e expr.Expr) expr.Expr {
		switch e := e.(type) {
		case *expr.Output:
			read[e.Node] = true
		case *expr.Field:
			read[fmt.Sprint("previous ", e.Previous, " ", e.Node, e.Path)] = true
		}
		return e
	})
	for _, want := range []string{"o", "g.k", "p", "g.m", "g.h.x", "previous true g.m[n]"} {
		if !read[want] {
			t.Errorf("nothing reads %s: %v", want, read)
		}
	}
	var needs []string
	for _, n := range []*ir.Node{g, inside[1], inside[2]} {
		for _, need := range n.Needs {
			needs = append(needs, fmt.Sprint(n.ID, " ", need.Node.ID, " ", need.Order))
		}
	}
	if want := "[g o false g p true g.m g.k false g.h g.m true]"; fmt.Sprint(needs) != want {
		t.Errorf("dependencies %v, want %s", needs, want)
	}
	if len(loop.Last) != 2 || loop.Last[0].ID != "g.m" || loop.Last[1].ID != "g.h" {
		t.Errorf("the last nodes are %v: an order between two nodes does not count", loop.Last)
	}
}

// A reference inside a group to a node that the group does not wait for has a fix at the
// group, one to a node inside has a fix at the reader.
func TestGroupDependencyFixes(t *testing.T) {
	_, list := lint(t, project(nil), inGroup("{id: k, bash: 'echo $p.output D'}", "{id: m, bash: 'echo $k.output'}")+"  - {id: p, bash: x}\n")
	var fixes []string
	for _, d := range list {
		for _, fix := range d.Fixes {
			fixes = append(fixes, fix.Edits[0].New)
		}
	}
	if want := `[", p" ", depends_on: [k]"]`; fmt.Sprintf("%q", fixes) != want {
		t.Errorf("fixes %q, want %s; findings %q", fixes, want, findings(list))
	}
}

// Prompts inside a group continue each other's conversations, also those of the previous
// iteration, and never those around the group.
func TestGroupConversations(t *testing.T) {
	chain := []string{"{id: k, prompt: p}", "{id: b, bash: x, depends_on: [k]}", "{id: m, prompt: Say D., depends_on: [b]}"}
	text := func(p *ir.Prompt) string { return fmt.Sprintf("%v%v", p.Continues, p.ContinuesPrevious) }
	for _, c := range []struct{ name, yaml, want string }{
		{"a chain", inGroup(chain...), "[][g.m] [g.k][]"},
		{"a chain with a condition at its end", inGroup(chain[0], chain[1], "{id: m, prompt: Say D., depends_on: [b], when: $b.output == 'x'}"), "[][g.m g.k] [g.k][]"},
		{"fresh iterations", strings.Replace(inGroup(chain...), "until: D", "until: D\n      fresh_context: true", 1), "[][] [g.k][]"},
		{"a fresh prompt", inGroup("{id: k, prompt: p, context: fresh}", chain[1], chain[2]), "[][] [g.k][]"},
		{"two at the end", inGroup(chain[0], "{id: m, prompt: Say D., depends_on: [k]}", "{id: n, bash: x, depends_on: [k]}"), "[][] [][]"},
		{"two at the beginning", inGroup(chain[0], "{id: b, bash: x}", "{id: m, prompt: Say D., depends_on: [k, b]}"), "[][] [][]"},
		{"another agent at the end", inGroup(chain[0], chain[1], "{id: m, prompt: Say D., depends_on: [b], provider: codex}"), "[][] [][]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, inside := group(t, strings.Replace(c.yaml, "bash: echo o", "prompt: o", 1)+"  - {id: z, prompt: z, depends_on: [g]}\n")
			var got []string
			for _, n := range inside {
				if p, ok := n.Action.(*ir.Prompt); ok {
					got = append(got, text(p))
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("the prompts continue %v, want %s", got, c.want)
			}
		})
	}
	p, _ := lint(t, project(nil), strings.Replace(inGroup(chain...), "bash: echo o", "prompt: o", 1)+"  - {id: z, prompt: z, depends_on: [g]}\n")
	if got := text(p.Workflow.Body.All()[2].Action.(*ir.Prompt)); got != "[o][]" {
		t.Errorf("the prompt after the group continues %s", got)
	}
}

// The agent of a group is the default of the nodes inside; its model is not.
func TestGroupAgents(t *testing.T) {
	yaml := "model: wm\n" + nodes("  - {id: o, bash: x}\n  - id: g\n    provider: codex\n    loop_group:\n      until: D\n      max_iterations: 1\n      nodes:\n"+
		"        - {id: k, prompt: Say D.}\n        - {id: m, prompt: Say D., provider: claude}\n        - {id: n, prompt: Say D., model: own}\n"+
		"        - {id: h, loop_group: {until: D, max_iterations: 1, nodes: [{id: x, prompt: Say D.}]}}\n        - {id: l, loop: {prompt: Say D., until: D, max_iterations: 1}}\n"+
		"  - {id: z, prompt: z}\n")
	p, list := lint(t, project(nil), yaml)
	if hasError(list) {
		t.Fatalf("%q", findings(list))
	}
	var got []string
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		if p, ok := n.Action.(*ir.Prompt); ok {
			got = append(got, n.ID+" "+p.Agent.Name+":"+p.Agent.Model)
		}
	})
	want := "g.k codex:, g.m claude:, g.n codex:own, g.h.x codex:, g.l codex:, z claude:wm"
	if strings.Join(got, ", ") != want {
		t.Errorf("agents %s, want %s", strings.Join(got, ", "), want)
	}
	if _, list := lint(t, project(nil), strings.Replace(yaml, "provider: codex", "provider: codez", 1)); !slices.Contains(findings(list), "error unknown-agent codez") {
		t.Errorf("an unknown agent of a group: %q", findings(list))
	}
}

// A group has the output of its only last node, if nothing skips that.
func TestGroupOutput(t *testing.T) {
	const typed = "output_format: {type: object, properties: {ok: {type: boolean}}, required: [ok]}"
	for _, c := range []struct {
		name  string
		lines []string
		typed bool
	}{
		{"one node", []string{"{id: k, bash: x, " + typed + "}"}, true},
		{"a chain", []string{"{id: a, bash: x}", "{id: k, bash: x, depends_on: [a], " + typed + "}"}, true},
		{"an inner group", []string{"{id: h, loop_group: {until_bash: ls, max_iterations: 1, nodes: [{id: k, bash: x, " + typed + "}]}}"}, true},
		{"two last nodes", []string{"{id: a, bash: x}", "{id: k, bash: x, " + typed + "}"}, false},
		{"a condition", []string{"{id: a, bash: x}", "{id: k, bash: x, depends_on: [a], when: $a.output == 'x', " + typed + "}"}, false},
		{"a condition before", []string{"{id: z, bash: x}", "{id: a, bash: x, depends_on: [z], when: $z.output == 'x'}", "{id: k, bash: x, depends_on: [a], " + typed + "}"}, false},
		{"a condition before a join of all ends", []string{"{id: z, bash: x}", "{id: a, bash: x, depends_on: [z], when: $z.output == 'x'}", "{id: k, bash: x, depends_on: [a], trigger_rule: all_done, " + typed + "}"}, true},
		{"a timeout that skips", []string{"{id: k, bash: x, timeout: 5, on_timeout: skip, " + typed + "}"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _, _ := group(t, inGroup(c.lines...))
			if got := g.Schema != ""; got != c.typed {
				t.Errorf("the output of the group is %v", g.Output)
			}
		})
	}
	_, list := lint(t, project(nil), "returns: g\noutcome_field: ok\n"+inGroup("{id: k, bash: x, "+typed+"}"))
	if got := findings(list); !slices.Equal(got, []string{"error bool-field ok"}) {
		t.Errorf("the verdict of a group: %q", got)
	}
}
