package jinja_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// seeds are texts in which much of the language occurs.
var seeds = []string{
	"Hello {{ name }}, {{ n + 1 }} of {{ words | join(', ') | upper }}{# c #}\n",
	"{%- for w in words if w is not in ['a'] -%} {{ loop.index ~ w[0:-1] }} {%- else %}none{% endfor +%}",
	"{% if flag and n >= 0x1F or not x == -2**3 %}{% set a, b = (1, 'x\\u00e9') %}{{ a }}{% elif n %}{{ {'k': [1, (2,)]} }}{% else %}{{ 'y' if n }}{% endif %}",
	"{% macro m(a, b=1) %}{{ a }}{{ caller(b, *varargs, **kwargs) }}{% endmacro %}{% call(x) m(1, b=2) %}{{ x }}{% endcall %}",
	"{% set ns = namespace(i=0) %}{% with a = ns.i %}{% set ns.i = a.b.0.c(1)|default(none, true) %}{% endwith %}{% filter trim %} x {% endfilter %}",
	"{% raw %}{{ {% {# {% endraw %}{% set t %}{{ t is defined }}{% endset %}{% print 1, 2 %}",
	"${#a[@]} {{ f( }} {% if %}{% fi %} {{ 'abc }} {{ a && !b ? c : d }} {% endfor %} {{ n %} {% x }} #} {{ \"\\N{a}\" }}",
}

// check parses a text in each way and looks for what must hold of any.
func check(t *testing.T, text string) {
	var bag diag.Bag
	tmpl := jinja.Template(inFile(text), world{}, jinja.Options{Condition: len(text)%2 == 0}, &bag)
	for _, d := range bag.Sorted() {
		if s := d.Span; !s.IsValid() || s.Start > s.End || s.End > len(s.File.Content) || d.Message == "" {
			t.Fatalf("%q: %v at %d to %d of %d", text, d.Message, s.Start, s.End, len(s.File.Content))
		}
		for _, fix := range d.Fixes {
			for _, e := range fix.Edits {
				if !e.Span.IsValid() || e.Span.Start > e.Span.End || e.New == "" {
					t.Fatalf("%q: the fix %q of %q", text, fix.Title, d.Message)
				}
			}
		}
	}
	errors := bag.HasErrors()
	tmpl.Exprs(func(e expr.Expr) bool {
		if e == nil || e.Type() == nil {
			t.Fatalf("%q: an expression without a type: %#v", text, e)
		}
		if _, bad := e.(*expr.Bad); bad && !errors {
			t.Fatalf("%q: something is bad, but nothing was reported", text)
		}
		return true
	})
	template.WalkParts(tmpl.Parts, func(p template.Part) bool {
		if h, ok := p.(*template.Hole); ok && (h.Start > h.End || h.End > len(text)) {
			t.Fatalf("%q: a hole from %d to %d", text, h.Start, h.End)
		}
		return true
	})
	if e := jinja.Expression(inFile(text), world{}, jinja.Options{}, &bag); e == nil || e.Type() == nil {
		t.Fatalf("%q is no expression", text)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(check)
}

func FuzzExpression(f *testing.F) {
	for _, s := range []string{"words", "{{ n + 1 }}", "[1, 'a', (2,), {'k': x.y[0]}]", "a if b is defined else -c|f(1, k=2)", "x ? y : z", "1 2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, "{{ "+text+" }}")
		check(t, "{% if "+text+" %}{% set a = "+text+" %}{% endif %}")
	})
}
