package jinja_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/internal/template"
)

// TestScopes shows by the tree which variable each name is. In Jinja2 3.1 the
// templates print what the comment says, with x = 5, n = 1 and flag false.
func TestScopes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		// 55: what is set in a branch that is not taken reads as what is outside.
		{"{{ x }}{% if flag %}{% set x = 1 %}{% endif %}{{ x }}", `set x:int = $x; $x if $flag {set x:int = 1;} x`},
		// Fails: there is no a outside.
		{"{% if flag %}{% set a = 1 %}{% endif %}{{ a }}", `if $flag {set a:int = 1;} a?`},
		// 2: every branch sets it.
		{"{% if flag %}{% set a = 1 %}{% elif n > 3 %}{% set a = 3 %}{% else %}{% set a = 2 %}{% endif %}{{ a }}",
			`if $flag {set a:int = 1;} elif ($n > 3) {set a:int = 3;} else {set a:int = 2;} a`},
		// 51525: each run of a loop's body begins with the variable outside.
		{"{% for i in [1, 2] %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}", `for i:int in [1, 2] {$x set x:int = i; x} $x`},
		// 1: the branch is not a body of its own, the loop is.
		{"{% for i in [1] %}{% if n %}{% set x = i %}{% endif %}{{ x }}{% endfor %}", `for i:int in [1] {set x:int = $x; if $n {set x:int = i;} x}`},
		// 00: what the loop sets ends with its body.
		{"{% set a = 0 %}{% for i in [1, 2] %}{{ a }}{% set a = a + 1 %}{% endfor %}", `set a:int = 0; for i:int in [1, 2] {a set a:int = (a + 1);}`},
		// 545: the values of with are those outside.
		{"{% with x = 3, y = x %}{{ y }}{% set x = 4 %}{{ x }}{% endwith %}{{ x }}", `{set x:int = 3; set y:int = $x; y set x:int = 4; x} $x`},
		// Q5 and q5: filter and set blocks have variables of their own.
		{"{% filter upper %}{% set x = 'q' %}{{ x }}{% endfilter %}{{ x }}", `(<set x:text = "q"; x> | upper()) $x`},
		{"{% set b %}{% set x = 'q' %}{{ x }}{% endset %}{{ b }}{{ x }}", `set b:text = <set x:text = "q"; x>; b $x`},
		// 1: a macro sees what is set before it is called.
		{"{% macro m() %}{{ a }}{% endmacro %}{% set a = 1 %}{{ m() }}", `macro m() {a?} set a:any = 1; m()`},
		// B: and macros that come later.
		{"{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}", `macro a() {b?()} macro b() {"B"} a()`},
		// A macro may call itself.
		{"{% macro m(a) %}{{ m(a - 1) if a else 0 }}{% endmacro %}{{ m(n) }}", `macro m(a) {(m((a? - 1)) if a? else 0)} m($n)`},
		// What a macro takes is known behind it only.
		{"{% macro m(a) %}{{ m(1, 2) if a }}{{ varargs }}{% endmacro %}", `macro m(a, +varargs) {(m(1, 2) if a? else -) varargs}`},
		// 1122: loops hide variables and each other's loop.
		{"{% for n in words %}{% for i in words if loop.first %}{{ loop.index }}{{ n }}{% endfor %}{% endfor %}",
			`for n:word in $words {for i:word in $words if loop.first {loop.index n}}`},
		// The default of a parameter may be one before it.
		{"{% macro m(a, b=a) %}{{ kwargs }}{% endmacro %}{{ m(1, c=2) }}", `macro m(a, b=a?, +kwargs) {kwargs} m(1, c=2)`},
		// A global can be hidden.
		{"{% set range = 3 %}{{ range + 1 }}", `set range:int = 3; (range + 1)`},
		// A type is one for all places, also those before.
		{"{% set a = 1 %}{% for i in words %}{{ a + n }}{% endfor %}{% set b = a %}{% set a = 1.5 %}{{ b }}",
			`set a:any = 1; for i:word in $words {(a + $n)} set b:any = a; set a:any = 1.5; b`},
	} {
		tmpl, list := parse(test.text, jinja.Options{})
		compareSaid(t, test.text, list)
		if got := dump(tmpl.Parts); got != test.want {
			t.Errorf("%q\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// TestLoopsHaveTheirOwnVariables looks at identities, which the printed tree does
// not show.
func TestLoopsHaveTheirOwnVariables(t *testing.T) {
	tmpl, list := parse("{% for a in words %}{% for a in words %}{{ a }}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}", jinja.Options{})
	compareSaid(t, "nested loops", list)
	outer := tmpl.Parts[0].(*template.For)
	inner := outer.Body[0].(*template.For)
	if outer.Loop == inner.Loop || outer.Target.Var == inner.Target.Var {
		t.Error("two loops share a variable")
	}
}

func TestConditionsAreLenient(t *testing.T) {
	for _, test := range []struct {
		text      string
		condition bool
		want      string
	}{
		{"{{ later.count }}", true, "@later.count~"},
		{"{{ later.inner.deep }}", true, "@later.inner~.deep~"},
		{"{{ later['count'] == 1 }}", true, "(@later.count~ == 1)"},
		{"{{ later.count }}", false, "@later.count"},
		{"{{ orders.count }}", true, "@orders.count~"},
	} {
		tmpl, list := parse(test.text, jinja.Options{Condition: test.condition})
		compareSaid(t, test.text, list)
		if got := dump(tmpl.Parts); got != test.want {
			t.Errorf("%s is %s, want %s", test.text, got, test.want)
		}
	}
}

func TestGuards(t *testing.T) {
	for _, text := range []string{
		"{% if nope is defined %}{{ nope }}{% endif %}",
		"{% if nope is not defined %}{% else %}{{ nope }}{% endif %}",
		"{% if nope is undefined %}{% elif nope > 1 %}{{ nope }}{% endif %}",
		"{% if not (nope is undefined or flag) %}{{ nope }}{% endif %}",
		"{% if nope is defined and flag %}{{ nope }}{% endif %}",
		"{{ nope is defined and nope > 1 }}",
		"{{ nope is undefined or nope > 1 }}",
		"{{ 1 if nope is undefined else nope }}",
		"{{ orders.nope.x if orders.nope is defined else 2 }}",
		"{{ both.nope | default('') }}{{ both['nope'] is defined }}",
	} {
		_, list := parse(text, jinja.Options{})
		compareSaid(t, text, list)
	}
	for _, text := range []string{
		"{% if nope is defined %}{% else %}{{ nope }}{% endif %}",
		"{% if nope is defined %}{% endif %}{{ nope }}",
		"{% if nope is defined or flag %}{{ nope }}{% endif %}",
		"{{ nope is undefined and nope > 1 }}",
		"{{ nope.x is defined }}",
		"{{ nope | upper | default(1) }}",
		"{{ both.nope.x | default(1) }}",
	} {
		if _, list := parse(text, jinja.Options{}); !diag.HasErrors(list) {
			t.Errorf("no error in %s", text)
		}
	}
}

// TestFixesMend applies the fixes of a template and parses what comes out.
func TestFixesMend(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"{{ nam }} {{ name | uper }}", "{{ name }} {{ name | upper }}"},
		{"{{ 1 if n = 1 && !flag || n === 2 }}", "{{ 1 if n == 1 and not flag or n == 2 }}"},
		{"{{ 1 if !flag }}", "{{ 1 if not flag }}"},
		{"{{ null }}", "{{ none }}"},
		{"{{ name + n }}", "{{ name ~ n }}"},
		{"{{ orders.items }}", `{{ orders["items"] }}`},
		{"{{ orders.cuont }}", "{{ orders.count }}"},
		{"{{ words | map('uper') | join }}", "{{ words | map('upper') | join }}"},
		{"{{ name | truncate(lenght=3) }}", "{{ name | truncate(length=3) }}"},
		{"{% if n %}a{% elsif x %}{% fi %}", "{% if n %}a{% elif x %}{% endif %}"},
		{"{% for w in words %}{% endif %}", "{% for w in words %}{% endfor %}"},
		{"{% if n }}a{% endif %}", "{% if n %}a{% endif %}"},
	} {
		text := test.text
		for range 3 { // an operator that is not known may hide another
			_, list := parse(text, jinja.Options{})
			slices.Reverse(list)
			for _, d := range list {
				for _, fix := range d.Fixes[:min(1, len(d.Fixes))] {
					e := fix.Edits[0]
					from := e.Span.Start - len("bash: |\n    ")
					text = text[:from] + e.New + text[from+e.Span.End-e.Span.Start:]
				}
			}
		}
		if _, list := parse(text, jinja.Options{}); text != test.want || len(list) > 0 {
			t.Errorf("%s became %s: %s", test.text, text, strings.Join(said(list), "; "))
		}
	}
}
