package check_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// inGroup puts nodes into a group `g` that another node may run before.
func inGroup(keys, until string, lines ...string) string {
	yaml := "  - id: g\n" + keys + "    loop_group:\n      " + until + "\n      max_iterations: 2\n      nodes:\n"
	for _, line := range lines {
		yaml += "        - " + line + "\n"
	}
	return yaml
}

const verdict = "output_format: {type: object, properties: {ok: {type: boolean}, kind: {enum: [a, b]}, why: {type: string}}, required: [ok, kind]}"

// What is found inside a group, and what is not: the facts that hold when the group runs
// hold inside it, and no node of it reads one that has failed.
func TestNestedFindings(t *testing.T) {
	const end = "until_bash: 'true'"
	probe := node("p", "bash: x, "+verdict)
	for _, c := range []struct {
		name, yaml string
		want       []string
	}{
		{"a sibling that never skips", inGroup("", end, "{id: a, bash: x, "+verdict+"}", "{id: b, bash: echo $a.output.ok, depends_on: [a]}"), nil},
		{"a sibling that may be skipped", inGroup("", end, "{id: z, bash: z}", "{id: a, bash: x, when: $z.output == 'x', depends_on: [z], "+verdict+"}", "{id: b, bash: echo $a.output.ok, depends_on: [a], trigger_rule: all_done}"),
			[]string{"maybe-missing $a.output.ok"}},
		{"a sibling that may fail, read after all ends", inGroup("", end, "{id: a, bash: x, "+verdict+"}", "{id: b, bash: echo $a.output.ok, depends_on: [a], trigger_rule: all_done}"), []string{"maybe-missing $a.output.ok"}},
		{"a node around that always runs", probe + inGroup("    depends_on: [p]\n", end, "{id: a, bash: echo $p.output.ok}"), nil},
		{"a node around that may be skipped", node("z", "bash: z") + node("p", "bash: x, when: \"$z.output == 'x'\", depends_on: [z], "+verdict) + inGroup("    depends_on: [p]\n    trigger_rule: all_done\n", end, "{id: a, bash: echo $p.output.ok}"),
			[]string{"maybe-missing $p.output.ok"}},
		{"the condition of the group says that it ran", node("z", "bash: z") + node("p", "bash: x, when: \"$z.output == 'x'\", depends_on: [z], "+verdict) + inGroup("    depends_on: [p]\n    trigger_rule: all_done\n    when: $p.output.ok == true\n", end, "{id: a, bash: echo $p.output.ok}"), []string{"maybe-missing $p.output.ok"}},
		{"the condition of the node inside says that it ran", node("z", "bash: z") + node("p", "bash: x, when: \"$z.output == 'x'\", depends_on: [z], "+verdict) + inGroup("    depends_on: [p]\n    trigger_rule: all_done\n", end, "{id: a, bash: echo $p.output.ok, when: \"$p.output != ''\"}"), nil},
		{"a node around that may fail", probe + inGroup("    depends_on: [p]\n    trigger_rule: all_done\n", end, "{id: a, bash: echo $p.output.ok}"), []string{"maybe-missing $p.output.ok"}},
		{"the test reads a node that never skips", inGroup("", "until_bash: 'test $b.output.ok = true'", "{id: a, bash: x}", "{id: b, bash: x, depends_on: [a], "+verdict+"}"), nil},
		{"the test reads a node that may be skipped", inGroup("", "until_bash: 'test $b.output.ok = true'", "{id: a, bash: x}", "{id: b, bash: x, depends_on: [a], when: $a.output == 'x', "+verdict+"}"), []string{"maybe-missing $b.output.ok"}},
		{"a comparison with no such value", inGroup("", end, "{id: a, bash: x, "+verdict+"}", "{id: b, bash: x, depends_on: [a], when: $a.output.kind == 'c'}"), []string{"constant-comparison $a.output.kind == 'c'"}},
		{"a value that the previous iteration may lack", inGroup("", end, "{id: a, bash: x, when: \"$LOOP_PREV.a.output.kind == '' || $LOOP_PREV.a.output.kind == 'b'\", "+verdict+"}"), nil},
		{"branches that exclude each other", inGroup("", end, "{id: a, bash: x, "+verdict+"}", "{id: b, bash: x, depends_on: [a], when: $a.output.kind == 'a'}", "{id: c, bash: x, depends_on: [a], when: $a.output.kind == 'b'}", "{id: d, bash: x, depends_on: [b, c]}"), []string{"never-runs d"}},
		{"a condition that the group's excludes", probe + inGroup("    depends_on: [p]\n    when: $p.output.kind == 'a'\n", end, "{id: a, bash: x, when: $p.output.kind == 'b'}"), []string{"never-runs a"}},
		{"now and before differ", inGroup("", end, "{id: a, bash: x, "+verdict+"}", "{id: b, bash: x, depends_on: [a], when: \"$a.output.kind == 'a' && $LOOP_PREV.a.output.kind == 'b'\"}"), nil},
		{"after a cancel", inGroup("", end, "{id: a, cancel: stop}", "{id: b, bash: x, depends_on: [a]}"), []string{"never-runs a"}},
		{"the last prompt tells the signal", inGroup("", "until: DONE", "{id: a, prompt: x}", "{id: b, prompt: Say DONE, depends_on: [a]}"), nil},
		{"another prompt tells it", inGroup("", "until: DONE", "{id: a, prompt: Say DONE}", "{id: b, prompt: x, depends_on: [a]}"), []string{"loop-signal DONE"}},
		{"a script may print it", inGroup("", "until: DONE", "{id: a, prompt: x}", "{id: b, bash: ./b, depends_on: [a]}"), nil},
		{"a test ends it, too", inGroup("", "until: DONE\n      until_bash: ls", "{id: a, prompt: x}"), nil},
		{"an inner group's prompt tells it", inGroup("", "until: DONE", "{id: h, loop_group: {until: DONE, max_iterations: 2, nodes: [{id: a, prompt: Say DONE}]}}"), nil},
		{"an inner group's prompt does not", inGroup("", "until: DONE", "{id: h, loop_group: {until_bash: ls, max_iterations: 2, nodes: [{id: a, prompt: x}]}}"), []string{"loop-signal DONE"}},
		{"two groups deep", probe + inGroup("    depends_on: [p]\n", end, "{id: m, bash: x, "+verdict+"}", "{id: h, depends_on: [m], loop_group: {until_bash: 'test $q.output = $m.output.kind', max_iterations: 2, nodes: [{id: q, bash: echo $m.output.ok $p.output.ok}]}}"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, found := checked(t, c.yaml)
			if !slices.Equal(found, c.want) {
				t.Errorf("findings %q, want %q\n%s", found, c.want, c.yaml)
			}
		})
	}
}

// A value inside a group that is always there is read without a check.
func TestNestedPresence(t *testing.T) {
	p, _ := checked(t, node("p", "bash: x, "+verdict)+inGroup("    depends_on: [p]\n", "until_bash: 'test $c.output = $d.output'",
		"{id: a, bash: x}", "{id: b, bash: x, depends_on: [a]}", "{id: c, bash: 'echo $a.output $b.output $p.output.ok', depends_on: [b]}",
		"{id: d, bash: x, depends_on: [c], when: $c.output == 'x'}", "{id: e, bash: echo $d.output, depends_on: [d], trigger_rule: all_done}"))
	maybe := map[string]bool{}
	loop := p.Workflow.Body.All()[1].Action.(*ir.Loop)
	note := func(reader string, bindings []ir.Binding) {
		for _, b := range bindings {
			switch e := b.Value.(type) {
			case *expr.Output:
				maybe[reader+" "+e.Node] = !e.Presence.Always()
			case *expr.Field:
				maybe[reader+" "+e.Node] = !e.Presence.Always()
			}
		}
	}
	for _, n := range loop.Body.All() {
		note(n.ID, n.Action.(*ir.Bash).Bindings)
	}
	note("until", loop.Until.Bindings)
	for read, want := range map[string]bool{"g.c g.a": false, "g.c g.b": false, "g.c p": false, "g.e g.d": true, "until g.c": false, "until g.d": true} {
		if got, found := maybe[read]; got != want || !found {
			t.Errorf("%s may be absent: %v, want %v (%v)", read, got, want, maybe)
		}
	}
}
