package compiler_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// including compiles nodes beside other workflows, given as nodes by their names.
func including(t *testing.T, nodes string, others map[string]string, opt compiler.Options) *compiler.Result {
	t.Helper()
	text := func(name, nodes string) string { return "name: " + name + "\ndescription: d\n" + nodes }
	files := testkit.Memory{}
	for name, nodes := range others {
		files["/project/"+name+".yaml"] = text(name, nodes)
	}
	opt.Path, opt.Root, opt.Files = "/project/w.yaml", "/project", files
	return compiler.Compile(source.NewFile("w.yaml", []byte(text("w", nodes))), opt)
}

// places lists findings as "severity code file:line", with the related places behind them.
func places(list []*diag.Diagnostic) []string {
	place := func(at source.Span) string { return fmt.Sprintf("%s:%d", at.File.Name, at.Position().Line) }
	var lines []string
	for _, d := range list {
		line := d.Severity.String() + " " + d.Code.Slug + " " + place(d.Span)
		for _, r := range d.Related {
			line += " " + place(r.Span)
		}
		lines = append(lines, line)
	}
	return lines
}

// A finding is where its fault is, in the file that has it, and says through which includes
// it came. What a file has alone is not repeated.
func TestFindingsOfIncludes(t *testing.T) {
	run := "nodes:\n  - {id: r, bash: $INPUTS.command}\n"
	for name, c := range map[string]struct {
		nodes  string
		others map[string]string
		want   []string
	}{
		"clean": {
			"nodes:\n  - {id: i, include: run, with: {command: make test}}\n", map[string]string{"run": run}, nil,
		},
		"a fault in a constant": {
			"nodes:\n  - id: i\n    include: run\n    with:\n      command: echo $(\n", map[string]string{"run": run},
			[]string{"error script-syntax w.yaml:7 w.yaml:5"},
		},
		"a value in a place for code": {
			"nodes:\n  - id: i\n    include: run\n    with:\n      command: $ARGUMENTS\n", map[string]string{"run": run},
			[]string{"error value-as-command w.yaml:7 w.yaml:5"},
		},
		"through two includes": {
			"nodes:\n  - {id: i, include: mid, with: {c: $ARGUMENTS}}\n",
			map[string]string{"run": run, "mid": "nodes:\n  - id: j\n    include: run\n    with:\n      command: $INPUTS.c\n"},
			[]string{"error value-as-command w.yaml:4 mid.yaml:5 w.yaml:4"},
		},
		"warnings of the file alone": {
			"nodes:\n  - {id: i, include: odd}\n",
			map[string]string{"odd": "nodes:\n  - {id: a, bash: x}\n  - {id: b, bash: 'echo $a.output'}\n  - {id: c, loop: {prompt: x, until: DONE, max_iterations: 2}}\n"}, nil,
		},
		"errors of the file alone": {
			"nodes:\n  - {id: i, include: odd}\n  - {id: j, include: odd}\n",
			map[string]string{"odd": "nodes:\n  - {id: a, bash: x, timeot: 5}\n  - {id: b, bash: 'echo $a.output'}\n  - {id: c, loop: {prompt: x, until: DONE, max_iterations: 2}}\n"},
			[]string{"error faulty-workflow w.yaml:4 odd.yaml:4", "error faulty-workflow w.yaml:5 odd.yaml:4"},
		},
		"findings with other severities": {
			"nodes:\n  - {id: i, include: odd}\n",
			map[string]string{"odd": "nodes:\n  - {id: c, loop: {prompt: x, until: DONE, max_iterations: 2}}\n"}, nil,
		},
		"findings that the file hides": {
			"nodes:\n  - {id: i, include: quiet}\n",
			map[string]string{"quiet": "nodes:\n  - id: c\n    # wfc:ignore[loop-signal]\n    loop: {prompt: x, until: DONE, max_iterations: 2}\n"}, nil,
		},
		"a condition that the include decides": {
			"nodes:\n  - {id: a, bash: x}\n  - {id: i, include: when, depends_on: [a], when: $a.output == 'x', with: {o: $a.output}}\n",
			map[string]string{"when": "nodes:\n  - {id: b, bash: x}\n  - {id: c, bash: x, depends_on: [b], when: $INPUTS.o == 'y'}\n"},
			[]string{"warning never-runs when.yaml:5 w.yaml:5 when.yaml:5 w.yaml:5"},
		},
	} {
		unmentioned, _ := codes.Lookup("loop-signal")
		r := including(t, c.nodes, c.others, compiler.Options{Severities: map[*diag.Code]diag.Severity{unmentioned: diag.Note}})
		if got := places(r.Diagnostics); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The files of a program are its own, those that it includes and those that they name.
func TestFilesOfIncludes(t *testing.T) {
	r := including(t, "nodes:\n  - {id: i, include: outer}\n", map[string]string{
		"outer": "nodes:\n  - {id: j, include: inner}\n  - {id: c, command: ask}\n", "inner": "nodes:\n  - {id: a, bash: x}\n",
	}, compiler.Options{})
	if len(r.Diagnostics) != 1 || r.Workflow == nil {
		t.Fatalf("%q", places(r.Diagnostics))
	}
	var files []string
	for _, f := range r.Workflow.Resources {
		files = append(files, f.Name)
	}
	slices.Sort(files)
	if !slices.Equal(files, []string{"inner.yaml", "outer.yaml"}) {
		t.Errorf("the program has the files %q", files)
	}
	var ids []string
	for _, n := range r.Workflow.Workflow.Body.All() {
		id := n.ID
		if n.Include != nil {
			id += " in " + n.Include.ID
		}
		ids = append(ids, id+" of "+n.IDSpan.File.Name)
	}
	want := "i of w.yaml, i__j in i of outer.yaml, i__j__a in i__j of inner.yaml, i__c in i of outer.yaml"
	if got := strings.Join(ids, ", "); got != want {
		t.Errorf("the nodes are %s, want %s", got, want)
	}
}

// A change of an included file changes the fingerprint, a comment in it does not.
func TestFingerprintOfIncludes(t *testing.T) {
	fingerprint := func(block string) string {
		r := including(t, "nodes:\n  - {id: i, include: b}\n", map[string]string{"b": block}, compiler.Options{})
		if r.Workflow == nil || r.HasErrors() {
			t.Fatalf("%q", places(r.Diagnostics))
		}
		return r.Workflow.Fingerprint()
	}
	first := fingerprint("nodes:\n  - {id: a, bash: x}\n")
	if fingerprint("# A comment.\nnodes:\n  - {id: a, bash: x}\n") != first {
		t.Error("a comment changes the fingerprint")
	}
	if fingerprint("nodes:\n  - {id: a, bash: y}\n") == first {
		t.Error("another script does not change the fingerprint")
	}
}

// An entry without a rule depends on the include, which has the weakest rule of its entries;
// one with a stricter rule keeps the dependencies.
func TestRulesOfIncludes(t *testing.T) {
	for _, c := range []struct{ include, entry, want string }{
		{"", "", "i all_success; i__a all_success i; i__b all_success i"},
		{"all_done", "", "i all_done; i__a all_success i; i__b all_success i"},
		{"", "all_done", "i all_done; i__a all_success p q (i); i__b all_success i"},
		{"all_done", "one_success", "i all_done; i__a all_success i; i__b one_success p q (i)"},
		{"one_success", "none_failed_min_one_success", "i one_success; i__a all_success i; i__b none_failed_min_one_success p q (i)"},
		{"none_failed_min_one_success", "one_success", "i one_success; i__a none_failed_min_one_success p q (i); i__b all_success i"},
	} {
		r := including(t, "nodes:\n  - {id: p, bash: x}\n  - {id: q, bash: x}\n  - {id: i, include: b, depends_on: [p, q]"+triggered(c.include)+"}\n",
			map[string]string{"b": "nodes:\n  - {id: a, bash: x}\n  - {id: b, bash: x" + triggered(c.entry) + "}\n"}, compiler.Options{})
		if got := rules(r); got != c.want {
			t.Errorf("include %q, entry %q: %q, want %q", c.include, c.entry, got, c.want)
		}
	}
}

// The entries of a block inside a block depend on the nodes before both, by their own rules.
func TestRulesOfNestedIncludes(t *testing.T) {
	for _, c := range []struct{ outer, inner, entry, want string }{
		{"", "", "", "i all_success; i__j all_success i; i__j__a all_success i__j; i__j__b all_success i__j; i__c all_success i"},
		{"all_done", "", "", "i all_done; i__j all_success i; i__j__a all_success i__j; i__j__b all_success i__j; i__c all_success i"},
		{"", "all_done", "", "i all_done; i__j all_success i; i__j__a all_success i__j; i__j__b all_success i__j; i__c all_success p q (i)"},
		{"", "", "all_done", "i all_done; i__j all_success i; i__j__a all_success p q (i__j); i__j__b all_success i__j; i__c all_success p q (i)"},
		{"one_success", "", "all_done", "i all_done; i__j all_success i; i__j__a one_success p q (i__j); i__j__b all_success i__j; i__c one_success p q (i)"},
		{"all_done", "one_success", "all_success", "i all_done; i__j one_success p q (i); i__j__a all_success i__j; i__j__b all_success p q (i__j); i__c all_success i"},
		{"", "none_failed_min_one_success", "one_success", "i one_success; i__j all_success i; i__j__a none_failed_min_one_success p q (i__j); i__j__b all_success i__j; i__c all_success p q (i)"},
	} {
		r := including(t, "nodes:\n  - {id: p, bash: x}\n  - {id: q, bash: x}\n  - {id: i, include: o, depends_on: [p, q]"+triggered(c.outer)+"}\n", map[string]string{
			"o": "nodes:\n  - {id: j, include: b" + triggered(c.inner) + "}\n  - {id: c, bash: x}\n",
			"b": "nodes:\n  - {id: a, bash: x}\n  - {id: b, bash: x" + triggered(c.entry) + "}\n",
		}, compiler.Options{})
		if got := rules(r); got != c.want {
			t.Errorf("outer %q, inner %q, entry %q: %q, want %q", c.outer, c.inner, c.entry, got, c.want)
		}
	}
}

func triggered(rule string) string {
	if rule == "" {
		return ""
	}
	return ", trigger_rule: " + rule
}

// rules lists the nodes behind the first two with their rules and dependencies, those that
// only order them in parentheses. Those of the first include are left out.
func rules(r *compiler.Result) string {
	var got []string
	for i, n := range r.Workflow.Workflow.Body.All()[2:] {
		text := n.ID + " " + n.Rule.String()
		for _, need := range n.Needs {
			switch {
			case i == 0:
			case need.Order:
				text += " (" + need.Node.ID + ")"
			default:
				text += " " + need.Node.ID
			}
		}
		got = append(got, text)
	}
	return strings.Join(got, "; ")
}

// An include in a loop_group expands in its body, and a loop_group in a block reads the
// nodes and inputs of the block.
func TestIncludesAndGroups(t *testing.T) {
	r := including(t, `nodes:
  - {id: o, bash: x}
  - id: g
    depends_on: [o]
    loop_group:
      until: D
      max_iterations: 2
      nodes:
        - {id: n, bash: echo $LOOP_PREV.n.output}
        - {id: i, include: b, depends_on: [n], with: {v: $n.output}}
        - {id: e, bash: echo D $i.output $o.output, depends_on: [i]}
`, map[string]string{"b": `nodes:
  - {id: p, bash: x}
  - id: h
    depends_on: [p]
    loop_group:
      until: D
      max_iterations: 2
      nodes:
        - {id: q, prompt: "Say D about $INPUTS.v and $p.output"}
        - {id: r, prompt: "Say D again", depends_on: [q]}
`}, compiler.Options{})
	if len(r.Diagnostics) > 0 {
		t.Fatalf("%q", places(r.Diagnostics))
	}
	var ids []string
	ir.Walk(r.Workflow.Workflow.Body, func(n *ir.Node) {
		id := n.ID
		if n.Include != nil {
			id += " in " + n.Include.ID
		}
		if p, ok := n.Action.(*ir.Prompt); ok && len(p.Continues) > 0 {
			id += " after " + p.Continues[0]
		}
		ids = append(ids, id)
	})
	want := "o, g, g.n, g.i, g.i__p in g.i, g.i__h in g.i, g.i__h.q, g.i__h.r after g.i__h.q, g.e"
	if got := strings.Join(ids, ", "); got != want {
		t.Errorf("the nodes are %s, want %s", got, want)
	}
}

// Blocks inside blocks read their own nodes in the previous iteration of the group around
// them.
func TestPreviousIterationInNestedBlocks(t *testing.T) {
	r := including(t, "nodes:\n  - id: g\n    loop_group: {until: D, max_iterations: 2, nodes: [{id: o, include: outer}]}\n", map[string]string{
		"outer": "nodes:\n  - {id: i, include: inner}\n  - {id: e, bash: echo $LOOP_PREV.e.output, depends_on: [i]}\n",
		"inner": "nodes:\n  - {id: a, bash: echo D $LOOP_PREV.a.output}\n",
	}, compiler.Options{})
	if len(r.Diagnostics) > 0 {
		t.Fatalf("%q", places(r.Diagnostics))
	}
	read := map[string]string{}
	ir.Walk(r.Workflow.Workflow.Body, func(n *ir.Node) {
		if b, ok := n.Action.(*ir.Bash); ok {
			for _, bound := range b.Bindings {
				if out, ok := bound.Value.(*expr.Output); ok && out.Previous {
					read[n.ID] = out.Node
				}
			}
		}
	})
	if want := map[string]string{"g.o__i__a": "g.o__i__a", "g.o__e": "g.o__e"}; !maps.Equal(read, want) {
		t.Errorf("the nodes read %v, want %v", read, want)
	}
}
