package xprompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A workflow is called like its file unless it says otherwise.
func TestName(t *testing.T) {
	w, _ := good(t, "steps: [{bash: ls}]\n")
	named, _ := good(t, "name: x\nsteps: [{bash: ls}]\n")
	if w.Name != "flow" || named.Name != "x" {
		t.Errorf("%q and %q", w.Name, named.Name)
	}
}

// Steps without a name are numbered; ids are unique, and a name means the last
// step that has it.
func TestNamesOfSteps(t *testing.T) {
	p, _ := compile(t, project(nil), "steps:\n  - bash: echo a=1\n  - bash: echo a=2\n  - {name: s, bash: echo a=3}\n  - {name: s_2, bash: ls}\n"+
		"  - {name: s, bash: 'echo {{ s.a }}{{ step_0.a }}{{ step_1.a }}'}\n  - {bash: 'echo {{ s.a }}'}\n")
	var ids []string
	for _, n := range p.Workflow.Body.All() {
		ids = append(ids, n.ID)
	}
	if want := []string{"step_0", "step_1", "s", "s_2", "s_3", "step_5"}; !slices.Equal(ids, want) {
		t.Errorf("%q", ids)
	}
	nodes := p.Workflow.Body.All()
	if got := dump(nodes[4].Action.(*ir.Bash).Original) + dump(nodes[5].Action.(*ir.Bash).Original); got != "echo ‹s.a›‹step_0.a›‹step_1.a›echo ‹s_3.a›" {
		t.Errorf("%s", got)
	}
}

// The items of loops.
func TestLists(t *testing.T) {
	for _, test := range []struct{ list, items, item string }{
		{`"[1, 2]"`, `[int "1", int "2"]`, "int"},
		{`"{{ [1, 2] }}"`, `[int "1", int "2"]`, "int"},
		{"[1, 2]", `[int "1", int "2"]`, "int"},
		{"[a b, c]", `[text "a b", text "c"]`, "text"},
		{"[1, c]", `[int "1", text "c"]`, "any"},
		{"[[1], [2]]", `[[int "1"], [int "2"]]`, "list of int"},
		{"['{{ t }}', 'x{{ t }}']", `[$t, [x‹$t›]]`, "text"},
		{`"{{ t }}"`, "$t", "any"},
		{"t", "$t", "any"},
		{"5", `int "5"`, "int"},
		{"'(1, 2)'", `[[int "1", int "2"]]`, "any"},
		{"'{{ d.xs }}'", "d.xs", "any"},
		{"'{{ d }}'", "d", "any"},
	} {
		_, nodes := good(t, "input: {t: text}\nsteps:\n  - {name: d, bash: 'echo {{ t }}'}\n  - {name: s, bash: 'echo {{ i }}', for: {i: "+test.list+"}}\n")
		v := nodes[1].Action.(*ir.ForEach).Vars[0]
		if got := dumpExpr(v.Items); got != test.items {
			t.Errorf("%s: %s, want %s", test.list, got, test.items)
		}
		if got := v.Var.Typ.String(); got != test.item && test.list != "'(1, 2)'" {
			t.Errorf("%s: items are %s, want %s", test.list, got, test.item)
		}
	}
}

// Conditions.
func TestConditions(t *testing.T) {
	for _, test := range []struct{ cond, want string }{
		{"'{{ b }}'", "holds $b"},
		{"' {{ b }}\n'", "holds $b"},
		{"'x{{ b }}'", "holds [x‹$b›]"},
		{"'{{ b }}{{ b }}'", "holds [‹$b›‹$b›]"},
		{"'{% if b %}x{% endif %}'", "holds [‹if $b›x‹else›‹end›]"},
		{"'{{ r.approved }}'", "holds approved(r)"},
		{"'{{ q.approved }}'", "holds q.approved"},
		{"'{{ l.approved }}'", "holds approved(l)"},
	} {
		_, nodes := good(t, "input: {b: bool}\nsteps:\n  - {name: r, bash: 'echo {{ b }}', hitl: true}\n  - {name: q, bash: ls, output: {a: int}, hitl: true}\n"+
			"  - {name: l, bash: ls, output: [{a: int}], hitl: true}\n  - {name: s, bash: ls, if: "+test.cond+"}\n")
		if got := dumpExpr(nodes[3].When); got != test.want {
			t.Errorf("%s: %s, want %s", test.cond, got, test.want)
		}
	}
	for cond, want := range map[string]string{"false": "false", "'no'": "true", "0": "false", "'[]'": "false", "'{}'": "false", "None": "false", "' '": "false", "x": "true"} {
		p, list := compile(t, project(nil), "steps:\n  - {name: s, bash: ls, if: "+cond+"}\n")
		if lit, ok := p.Workflow.Body.All()[0].When.(*expr.Literal); !ok || lit.Text != want || len(list) != 1 {
			t.Errorf("%s: %s %q", cond, dumpExpr(p.Workflow.Body.All()[0].When), findings(list))
		}
	}
}

// The nodes of steps.
func TestNodes(t *testing.T) {
	_, nodes := good(t, `
steps:
  - name: a
    bash: echo "v={{ i }}"
    if: "{{ true and 1 is odd }}"
    for: {i: "[1, 2]"}
    output: {v: int}
    hitl: true
  - name: b
    python: print({{ a | tojson if a is defined else 0 }})
    repeat: {until: "{{ b._output }}", max: 7}
  - name: c
    fail_fast: false
    parallel:
      - {name: x, prompt: "Read {{ b._output }}"}
      - {name: y, bash: "ls"}
`)
	a := nodes[0].Action.(*ir.ForEach)
	if nodes[0].When == nil || nodes[0].Review == nil || a.Body.ID != "a" || a.Body.Review != nil || a.Body.Spec == nil || nodes[0].Given == nil || nodes[0].Given.Replaces != "a" {
		t.Errorf("for: %+v", nodes[0])
	}
	script := a.Body.Action.(*ir.Bash)
	if !script.EchoEscapes || a.Body.Parsing != ir.Printed || len(script.Bindings) != 1 || script.Bindings[0].Name != "i" {
		t.Errorf("bash: %+v", script)
	}
	b := nodes[1].Action.(*ir.Repeat)
	if !b.Until || b.Max != 7 || b.CondText != "{{ b._output }}" || b.Body.Action.(*ir.Script).Runtime != "python" {
		t.Errorf("repeat: %+v", b)
	}
	c := nodes[2].Action.(*ir.Fork)
	if c.FailFast || c.Join != ir.JoinObject || len(c.Nodes) != 2 || c.Nodes[0].Parsing != ir.Replied {
		t.Errorf("parallel: %+v", c)
	}
	if p := c.Nodes[0].Action.(*ir.Prompt); p.Agent.Name != "claude" || dump(p.Text) != "Read ‹b._output›" {
		t.Errorf("prompt: %+v", p)
	}
}

// Faults in block scalars are where they are.
func TestPlaces(t *testing.T) {
	_, list := compile(t, project(nil), "steps:\n  - name: a\n    bash: |\n      echo one\n      echo \"größe {{ nope }}\"\n  - name: b\n    prompt: >\n      folded\n      text {{ 1 + }}\n")
	var got []string
	for _, d := range list {
		p := d.Span.Position()
		got = append(got, strings.Join([]string{d.Code.Slug, d.Span.Text()}, " "))
		if want := map[string][2]int{"nope": {5, 22}, "+": {9, 17}}[d.Span.Text()]; want != [2]int{p.Line, p.Column} {
			t.Errorf("%s is at %v, want %v", d.Span.Text(), p, want)
		}
	}
	if len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// Independent faults are all reported, once each, and nothing follows from them.
func TestManyFaults(t *testing.T) {
	_, list := compile(t, project(nil), "input: {n: itn}\nsteps:\n  - {name: a, bash: 'echo {{ n + x }}', output: {v: foo}}\n"+
		"  - {name: b, bash: 'echo {{ a.v + 1 }} {{ c }}', while: true}\n  - {name: c, parallel: [{bash: ls}]}\n")
	want := []string{"error unknown-value itn", "error undefined-variable x", "error unknown-value foo", "error reference-order c", "error wrong-value true", "error misplaced-node parallel"}
	if got := findings(list); !slices.Equal(got, want) || !diag.HasErrors(list) {
		t.Errorf("%q", got)
	}
}
