package xprompt_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
)

// guarded is a workflow whose step a may be skipped and whose step b prints the
// result of a template.
func guarded(template string) string {
	return "input: {go: bool}\nsteps:\n  - {name: a, if: '{{ go }}', bash: echo x=1}\n  - name: b\n    bash: |\n      cat <<'EOF'\n      " +
		template + "\n      EOF\n"
}

// Reads of outputs that may not be there are reported unless the template has
// found out before.
func TestGuards(t *testing.T) {
	for _, test := range []struct {
		template string
		reported bool
	}{
		{"{{ a.x }}", true},
		{"{{ a }}", true},
		{"{{ a | tojson }}", true},
		{"{{ a.x | default(1) }}", true}, // the engine fails here: a itself is not there
		{"{{ a.x is defined }}", true},
		{"{{ a is defined }}", false},
		{"{{ a is undefined }}", false},
		{"{{ (a | default({})).x }}", false},
		{"{{ (a | d({})).x }}", false},
		{"{{ a.x if a is defined else 1 }}", false},
		{"{{ 1 if a is undefined else a.x }}", false},
		{"{{ 1 if a is defined else a.x }}", true},
		{"{{ a.x if not a is undefined else 1 }}", false},
		{"{{ a is defined and a.x }}", false},
		{"{{ a is defined or a.x }}", true},
		{"{{ a is not defined or a.x }}", false},
		{"{{ a.x if a is defined and go else 1 }}", false},
		{"{{ a.x if a is defined or go else 1 }}", false}, // a runs if go
		{"{{ a.x if a is defined or not go else 1 }}", true},
		{"{% if a is defined %}{{ a.x }}{% endif %}", false},
		{"{% if a is not defined %}no{% else %}{{ a.x }}{% endif %}", false},
		{"{% if go %}1{% elif a is defined %}{{ a.x }}{% endif %}", false},
		{"{% if a is defined %}1{% endif %}{{ a.x }}", true},
		{"{% for i in [1] if a is defined %}{{ a.x }}{% endfor %}", true},
		{"{% if a is defined %}{% for i in a.x %}{{ a.x }}{% endfor %}{% endif %}", false},
		{"{% set v = a.x %}{{ v }}", true},
		{"{{ [1, a.x] }}", true},
	} {
		_, list := compile(t, project(nil), guarded(test.template))
		var want []string
		if test.reported {
			want = []string{"warning maybe-missing a"}
		}
		if got := findings(list); !slices.Equal(got, want) {
			t.Errorf("%s: %q\n%s", test.template, got, messages(list))
		}
	}
}

// A condition that proves that a step ran is proof for the step that has it.
func TestConditionsThatProve(t *testing.T) {
	for _, test := range []struct {
		cond     string
		reported bool
	}{
		{"{{ a is defined }}", false},
		{"{{ a.x }}", false},
		{"{{ a.x and go }}", false},
		{"{{ a.x or go }}", true},
		{"{{ not a.x }}", true},
		{"{{ a.x == '1' }}", false},
		{"{{ a.x != '1' }}", true},
		{"{{ a.x == c.x }}", true},
		{"{{ go }}", false}, // the very condition of a
		{" {{ go   }} ", false},
		{"x{{ a.x }}", true},
	} {
		yaml := "input: {go: bool}\nsteps:\n  - {name: a, if: '{{ go }}', bash: echo x=1}\n  - {name: c, if: '{{ not go }}', bash: echo x=1}\n" +
			"  - {name: b, if: \"" + test.cond + "\", bash: 'echo {{ a.x }}'}\n"
		_, list := compile(t, project(nil), yaml)
		var want []string
		if test.reported {
			want = []string{"warning maybe-missing a"}
		}
		if got := findings(list); !slices.Equal(got, want) {
			t.Errorf("%s: %q\n%s", test.cond, got, messages(list))
		}
	}
}

// In conditions fields of skipped steps are lenient; proved steps are always
// there, supposed ones are not.
func TestPresenceOfSteps(t *testing.T) {
	_, nodes := good(t, "input: {go: bool}\nsteps:\n  - {name: a, if: '{{ go }}', bash: echo x=1}\n"+
		"  - {name: b, if: '{{ a.x }}', bash: 'echo {{ a.x }}'}\n  - {name: c, if: '{{ go }}', bash: 'echo {{ a.x }}'}\n"+
		"  - {name: d, if: '{{ not a.approved }}', bash: 'ls'}\n")
	if got := dumpExpr(nodes[1].When); got != "holds ?a.x~" {
		t.Errorf("condition: %s", got)
	}
	for i, want := range map[int]string{1: "echo ‹a.x›", 2: "echo ‹?a.x›"} {
		if got := dump(nodes[i].Action.(*ir.Bash).Original); got != want {
			t.Errorf("%s: %s", nodes[i].ID, got)
		}
	}
}

// The facts about a parallel hold for its steps.
func TestGuardsOfParallels(t *testing.T) {
	good(t, "input: {go: bool}\nsteps:\n  - {name: a, if: '{{ go }}', bash: echo x=1}\n  - name: p\n    if: '{{ a.x }}'\n"+
		"    parallel: [{name: u, bash: 'echo {{ a.x }}'}, {name: v, if: '{{ a.x }}', bash: 'echo {{ a.x }}'}]\n")
}

// A loop's own output is there from its second round on.
func TestOwnOutput(t *testing.T) {
	good(t, "steps:\n  - {name: a, bash: 'echo x={{ a.x if a is defined else 0 }}', repeat: {until: '{{ a.x }}'}}\n")
	_, nodes := good(t, "input: {a: text}\nsteps:\n  - {name: a, bash: 'echo {{ a }}', repeat: {until: '{{ a._output }}'}}\n")
	again := nodes[0].Action.(*ir.Repeat)
	if got := dump(again.Body.Action.(*ir.Bash).Original); got != "echo ‹(a if a is defined else $a)›" {
		t.Errorf("body: %s", got)
	}
	if got := dumpExpr(again.Cond); got != "holds a._output" {
		t.Errorf("condition: %s", got)
	}
}
