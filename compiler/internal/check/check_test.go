package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/check"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// checked compiles the nodes of a workflow, which must be right, and checks
// it; findings are "slug text under the span".
func checked(t testing.TB, nodes string) (*ir.Program, []string) {
	t.Helper()
	var before, bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte("name: w\ndescription: d\nnodes:\n"+nodes)), &before)
	p := archon.Frontend{}.Compile(doc, &dialect.Env{Files: testkit.Memory{}}, &before)
	if before.HasErrors() || p == nil {
		t.Fatalf("%s\ndoes not compile: %s", nodes, before.Sorted()[0].Message)
	}
	check.Run(p, &bag)
	var found []string
	for _, d := range bag.Sorted() {
		text := d.Code.Slug + " " + d.Span.Text()
		if strings.Contains(d.Message, "unless both") {
			text += " unless both run"
		}
		found = append(found, text)
	}
	return p, found
}

func node(id, keys string) string { return "  - {id: " + id + ", " + keys + "}\n" }

func prompt(id, text, keys string) string {
	return node(id, "prompt: '"+strings.ReplaceAll(text, "'", "''")+"'"+keys)
}

const classify = "  - {id: c, prompt: x, output_format: {properties: {kind: {enum: [bug, feature, other]}, ok: {type: boolean}, n: {type: integer}, why: {type: string}}, required: [kind, ok, n, why]}}\n"

// presences returns the presence of each reference of the last node, its
// condition first.
func presences(p *ir.Program) string {
	all := p.Workflow.Body.All()
	n := all[len(all)-1]
	var out []string
	show := func(e expr.Expr) bool {
		found := expr.Presence(0)
		switch e := e.(type) {
		case *expr.Output:
			found = e.Presence
		case *expr.Field:
			found = e.Presence
		default:
			return true
		}
		text := ""
		for i, name := range []string{"skipped", "failed", "absent"} {
			if found&(1<<i) != 0 {
				text += "/" + name
			}
		}
		if text == "" {
			text = "/always"
		}
		out = append(out, text[1:])
		return true
	}
	expr.Walk(n.When, show)
	var text *template.Template
	switch action := n.Action.(type) {
	case *ir.Prompt:
		text = action.Text
	case *ir.Loop:
		text = action.Body.All()[0].Action.(*ir.Prompt).Text
	}
	for _, h := range text.Holes() {
		expr.Walk(h.Expr, show)
	}
	return strings.Join(out, " ")
}

func TestPresence(t *testing.T) {
	const a = "  - {id: a, bash: echo}\n"
	b := node("b", "bash: echo, depends_on: [a], when: $a.output == 'x'")
	for _, c := range []struct{ name, nodes, want string }{
		{"dependency", a + prompt("r", "$a.output", ", depends_on: [a]"), "always"},
		{"ancestor", a + b + prompt("r", "$a.output", ", depends_on: [b]"), "always"},
		{"conditional dependency", a + b + prompt("r", "$b.output", ", depends_on: [b]"), "always"},
		{"all_done", a + b + prompt("r", "$a.output $b.output", ", depends_on: [a, b], trigger_rule: all_done"), "failed skipped/failed"},
		{"none_failed", a + b + prompt("r", "$a.output $b.output", ", depends_on: [a, b], trigger_rule: none_failed_min_one_success"), "always skipped"},
		{"one_success of one", a + b + prompt("r", "$b.output", ", depends_on: [b], trigger_rule: one_success"), "always"},
		{"one_success of two", a + b + node("b2", "bash: echo, depends_on: [a]") + prompt("r", "$a.output $b.output $b2.output", ", depends_on: [b, b2], trigger_rule: one_success"), "always skipped/failed failed"},
		{"one_success, one root", a + node("z", "bash: echo") + prompt("r", "$a.output $z.output", ", depends_on: [a, z], trigger_rule: one_success"), "failed failed"},
		{"ordering edge", a + prompt("r", "$a.output", ""), "failed"},
		{"behind all_done", a + node("d", "bash: echo, depends_on: [a], trigger_rule: all_done") + prompt("r", "$a.output $d.output", ", depends_on: [d]"), "failed always"},
		// A read by a dependency proves a fact about its producer.
		{"read on the way, field", a + node("d", "prompt: $a.output.f, depends_on: [a], trigger_rule: all_done") + prompt("r", "$a.output", ", depends_on: [d]"), "always"},
		{"read on the way, whole", a + b + node("d", "prompt: $b.output, depends_on: [b], trigger_rule: all_done") + prompt("r", "$b.output", ", depends_on: [d]"), "skipped"},
		// Conditions are guards, in their lazy order.
		{"guard", a + b + prompt("r", "$b.output.f", ", depends_on: [b], trigger_rule: all_done, when: $b.output != ''"), "skipped/failed always"},
		{"guard by equality", a + b + prompt("r", "$b.output", ", depends_on: [b], trigger_rule: all_done, when: $b.output == 'x'"), "skipped/failed always"},
		{"no guard", a + b + prompt("r", "$b.output", ", depends_on: [b], trigger_rule: all_done, when: $b.output == ''"), "skipped/failed skipped"},
		{"guard before use", a + b + prompt("r", "hi", ", depends_on: [b], trigger_rule: all_done, when: \"$b.output != '' && $b.output.f == 1\""), "skipped/failed always"},
		{"guard on the other side", a + b + prompt("r", "hi", ", depends_on: [b], trigger_rule: all_done, when: \"$b.output == '' || $b.output.f == 1\""), "skipped/failed always"},
		{"negated guard", a + b + prompt("r", "$b.output", ", depends_on: [b], trigger_rule: all_done, when: \"!($b.output == '')\""), "skipped/failed always"},
		{"either guard", a + b + prompt("r", "$b.output", ", depends_on: [a, b], trigger_rule: all_done, when: \"$b.output == 'x' || $a.output == 'x'\""), "skipped/failed failed skipped"},
		{"number as guard", a + b + prompt("r", "$b.output", ", depends_on: [b], trigger_rule: all_done, when: $b.output > 5"), "skipped/failed always"},
		{"field in the condition", a + b + prompt("r", "$b.output", ", depends_on: [b], trigger_rule: all_done, when: $b.output.f == 'x'"), "skipped/failed always"},
		{"optional field", "  - {id: o, prompt: x, output_format: {properties: {f: {type: string}, g: {type: string}}, required: [g]}}\n" + prompt("r", "$o.output.f $o.output.g", ", depends_on: [o]"), "absent always"},
		{"loop", a + b + node("r", "loop: {prompt: $b.output.f END, until: END, max_iterations: 2}, depends_on: [a, b], trigger_rule: none_failed_min_one_success"), "skipped"},
	} {
		p, _ := checked(t, c.nodes)
		if got := presences(p); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFieldsThatMayNotBeThere(t *testing.T) {
	const a = "  - {id: a, bash: echo}\n"
	b := node("b", "bash: echo, depends_on: [a], when: $a.output == 'x'")
	for _, c := range []struct {
		nodes string
		want  []string
	}{
		{a + b + prompt("r", "$b.output.f $b.output.g", ", depends_on: [a, b], trigger_rule: none_failed_min_one_success"), []string{"maybe-missing $b.output.f"}},
		{a + b + prompt("r", "$b.output", ", depends_on: [a, b], trigger_rule: none_failed_min_one_success"), nil},
		{a + prompt("r", "$a.output.f", ", depends_on: [a], trigger_rule: all_done"), []string{"maybe-missing $a.output.f"}},
		{a + prompt("r", "$a.output", ", depends_on: [a], trigger_rule: all_done"), nil},
		{a + b + node("d", "bash: echo, depends_on: [b]") + prompt("r", "$d.output.f", ", depends_on: [a, d], trigger_rule: one_success"), []string{"maybe-missing $d.output.f"}},
		// A skip that only follows a failure is not a finding, and a missing
		// dependency was reported at the reference.
		{a + node("d", "bash: echo, depends_on: [a]") + node("e", "bash: echo") + prompt("r", "$a.output.f", ", depends_on: [d, e], trigger_rule: none_failed_min_one_success"), nil},
		{a + prompt("r", "$a.output.f", ""), nil},
	} {
		if _, found := checked(t, c.nodes); !slices.Equal(found, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.nodes, found, c.want)
		}
	}
}

func TestBranches(t *testing.T) {
	branch := func(id, when string) string {
		return "  - id: " + id + "\n    bash: echo\n    depends_on: [c]\n    when: " + when + "\n"
	}
	bug, feature := branch("b", "$c.output.kind == 'bug'"), branch("f", "$c.output.kind == 'feature'")
	for _, c := range []struct {
		nodes string
		want  []string
	}{
		{classify + bug + feature + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		{classify + bug + feature + node("j", "bash: echo, depends_on: [b, f], trigger_rule: one_success"), nil},
		{classify + bug + feature + node("j", "bash: echo, depends_on: [b, f], trigger_rule: none_failed_min_one_success"), nil},
		// Through nodes between; followers of a dead node are not reported.
		{classify + bug + feature + node("b2", "bash: echo, depends_on: [b]") + node("f2", "bash: echo, depends_on: [f]") + node("j", "bash: echo, depends_on: [b2, f2]") + node("k", "bash: echo, depends_on: [j]"), []string{"never-runs j"}},
		{classify + bug + node("x", "bash: echo, depends_on: [b], when: $c.output.kind != 'bug'"), []string{"never-runs x"}},
		{classify + bug + node("x", "bash: echo, depends_on: [b], when: $c.output.ok == true"), nil},
		{classify + branch("b", "$c.output.kind != 'bug'") + branch("f", "$c.output.kind != 'feature'") + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j unless both run"}},
		{classify + branch("b", "$c.output.kind != 'bug' && $c.output.kind != 'other'") + branch("f", "$c.output.kind != 'feature'") + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		{classify + branch("b", "$c.output.ok == true") + branch("f", "$c.output.ok == false") + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		{classify + branch("b", "$c.output.kind == 'bug' || $c.output.kind == 'other'") + feature + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		{classify + branch("b", "$c.output.kind == 'bug' || $c.output.ok == true") + feature + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j unless both run"}},
		{classify + branch("b", "$c.output.n > 5") + branch("f", "$c.output.n < 5") + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		{classify + branch("b", "$c.output.why == 'x' && $c.output.why == 'y'"), []string{"constant-condition $c.output.why == 'x' && $c.output.why == 'y'"}},
		{classify + branch("b", "$c.output.why != 'x' || $c.output.why != 'y'"), []string{"constant-condition $c.output.why != 'x' || $c.output.why != 'y'"}},
		{classify + branch("b", "$c.output.kind == 'bug' || $c.output.kind == 'feature' || $c.output.kind == 'other'"), []string{"constant-condition $c.output.kind == 'bug' || $c.output.kind == 'feature' || $c.output.kind == 'other'"}},
		// Conditions on several values, in any order.
		{classify + branch("b", "$c.output.why == 'x' && $c.output.ok == true && $c.output.kind == 'bug'") + branch("f", "$c.output.kind == 'feature'") + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		{classify + branch("b", "$c.output.why == 'x' && $c.output.ok == true && $c.output.kind == 'bug'") + branch("f", "$c.output.why == 'y'") + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		{classify + branch("b", "$c.output.why == 'x' && $c.output.ok == true && $c.output.kind == 'bug'") + branch("f", "$c.output.ok == false") + node("j", "bash: echo, depends_on: [b, f]"), []string{"never-runs j"}},
		// One fault, one finding.
		{classify + branch("b", "$c.output.kind == 'bugs'") + node("j", "bash: echo, depends_on: [b]"), []string{"constant-comparison $c.output.kind == 'bugs'"}},
	} {
		if _, found := checked(t, c.nodes); !slices.Equal(found, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.nodes, found, c.want)
		}
	}
}

func TestAfterCancel(t *testing.T) {
	const stop = "  - {id: a, bash: echo}\n  - {id: s, cancel: no, depends_on: [a], when: $a.output == 'x'}\n"
	for _, c := range []struct {
		nodes string
		want  []string
	}{
		{stop + node("r", "bash: echo, depends_on: [a, s]"), []string{"never-runs s"}},
		{stop + node("r", "bash: echo, depends_on: [s], trigger_rule: one_success"), []string{"never-runs s"}},
		{stop + node("r", "bash: echo, depends_on: [a, s], trigger_rule: none_failed_min_one_success"), nil},
		{stop + node("r", "bash: echo, depends_on: [s], trigger_rule: all_done"), nil},
	} {
		if _, found := checked(t, c.nodes); !slices.Equal(found, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.nodes, found, c.want)
		}
	}
}
