package jinja_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
)

func TestExpressions(t *testing.T) {
	for _, test := range []struct{ text, want, typ string }{
		{"1", "1", "int"},
		{"0x1F + 0b1_1 + 0o17 + 1_000 + 00", "((((31 + 3) + 15) + 1000) + 0)", "int"},
		{"99999999999999999999", `("99999999999999999999" | int())`, "any"},
		{"1.5 + 1e3 + 1_0.2_5E-1", "((1.5 + 1e3) + 10.25E-1)", "float"},
		{`'a' "b" 'c'`, `"abc"`, "text"},
		{`'\x41\u00e9\n\q\101\''`, `"Aé\n\\qA'"`, "text"},
		{"true and False or none", "((true and false) or null)", "any"},
		{"-2 ** 2", "(-2 ** 2)", "any"},
		{"2 ** 3 ** 2", "((2 ** 3) ** 2)", "any"},
		{"-n|abs", "(-$n | abs())", "int"},
		{"-n.real", "-$n.real", "int"},
		{"1 + 2 * 3 - 4 // 5 % 6", "((1 + (2 * 3)) - ((4 // 5) % 6))", "int"},
		{"n / 2", "($n / 2)", "float"},
		{"n * ratio", "($n * $ratio)", "float"},
		{"name * 2 + 'x'", `(($name * 2) + "x")`, "text"},
		{"1 ~ 2 ~ name + 'x'", `(concat(1, 2, $name) + "x")`, "text"},
		{"1 < n <= 3 != 4", "(1 < $n <= 3 != 4)", "bool"},
		{"n in [1, 2,] and n not in (3,)", "(($n in [1, 2]) and ($n not in tuple(3)))", "bool"},
		{"not n == 1", "not ($n == 1)", "bool"},
		{"not not flag", "not not $flag", "bool"},
		{"'a' if flag else 'b' if n else 'c'", `("a" if $flag else ("b" if $n else "c"))`, "text"},
		{"'a' if flag", `("a" if $flag else -)`, "any"},
		{"name or 'x'", `($name or "x")`, "text"},
		{"n or name", "($n or $name)", "any"},
		{"()", "tuple()", "any"},
		{"(1)", "1", "int"},
		{"1, 'a'", `tuple(1, "a")`, "any"},
		{"[]", "[]", "any"},
		{"[1, n]", "[1, $n]", "list of int"},
		{"[1, 'a']", `[1, "a"]`, "list of any"},
		{"{'a': 1, n: [2],}", `{"a": 1, $n: [2]}`, "any"},
		{"{'a':{'b':1}}", `{"a": {"b": 1}}`, "any"},
		{"words[0]", "$words[0]", "word"},
		{"words.0", "$words[0]", "word"},
		{"plain.0.1.b", "@plain[0][1].b", "any"},
		{"words[1:]", "$words[1:-:-]", "list of word"},
		{"name[::-1]", "$name[-:-:-1]", "text"},
		{"name[1:n:2]", "$name[1:$n:2]", "text"},
		{"orders.count", "@orders.count", "int"},
		{"orders.title", "@orders.title?", "line"},
		{"orders['count']", "@orders.count", "int"},
		{"orders['items'][0]", `@orders["items"][0]`, "text"},
		{"orders.inner.deep", "@orders.inner.deep", "bool"},
		{"orders.items()", "@orders.items()", "any"},
		{"plain.a['b'].c(1, k=2, *words, **plain)", `@plain.a["b"].c(1, k=2, *$words, **@plain)`, "any"},
		{"name.upper().split(',', maxsplit=1)", `$name.upper().split(",", maxsplit=1)`, "list of text"},
		{"name.startswith('a')", `$name.startswith("a")`, "bool"},
		{"name|upper|length + 1", "((($name | upper()) | length()) + 1)", "int"},
		{"name | replace('a', new='b')", `($name | replace("a", new="b"))`, "text"},
		{"words | join(', ')", `($words | join(", "))`, "text"},
		{"words | first", "($words | first())", "any"},
		{"orders.title | default('none')", `(@orders.title? | default("none"))`, "text"},
		{"nope | default(1)", "(undefined:nope | default(1))", "any"},
		{"nope is defined", "(undefined:nope is defined())", "bool"},
		{"orders.nope is not defined", "(@orders.nope? is not defined())", "bool"},
		{"n is divisibleby 3", "($n is divisibleby(3))", "bool"},
		{"n is in [5] and n is eq(1)", "(($n is in([5])) and ($n is eq(1)))", "bool"},
		{"n is sameas plain.b or flag", "(($n is sameas(@plain.b)) or $flag)", "bool"},
		{"name is string|upper", "(($name is string()) | upper())", "text"},
		{"range(3)", "global:range(3)", "any"},
		{"name if nope is defined and nope.x else 2", "($name if ((undefined:nope is defined()) and undefined:nope.x) else 2)", "any"},
		{"nope if nope is defined else 2", "(undefined:nope if (undefined:nope is defined()) else 2)", "any"},
	} {
		tmpl, list := parse("{{ "+test.text+" }}", jinja.Options{})
		e := onlyHole(tmpl)
		if test.typ == "" {
			if !diag.HasErrors(list) || show(e) != "BAD" {
				t.Errorf("%s is %s, without an error", test.text, show(e))
			}
			continue
		}
		compareSaid(t, test.text, list)
		if got := show(e); got != test.want || e.Type().String() != test.typ {
			t.Errorf("%s\n got %s of type %s\nwant %s of type %s", test.text, got, e.Type(), test.want, test.typ)
		}
	}
}

// TestUnclosedStatementsAreLeftOut: what reads a script behind the template would
// only say that its statements are where they must not be.
func TestUnclosedStatementsAreLeftOut(t *testing.T) {
	for _, text := range []string{`a "{% if n %}b{% for w in words %}{{ w }}"`, `a "{% else %}{{ n }}{% if n %}b{% endif %}"`} {
		tmpl, list := parse(text, jinja.Options{})
		if !diag.HasErrors(list) || tmpl.Statements() || len(tmpl.Holes()) > 1 {
			t.Errorf("%s is %s", text, dump(tmpl.Parts))
		}
	}
}

func TestStatements(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a{{ n }}b\n", `"a" $n "b"`},
		{"a\n\n", `"a\n"`},
		{"a {{- n -}} \n b", `"a" $n "b"`},
		{"a {{+ n }} b", `"a " $n " b"`},
		{"a {#- c -#} {#- d #} b", `"a" " b"`},
		{"{%- raw -%} {{ x }} {%- endraw -%} z", `"{{ x }}" "z"`},
		{"{% raw %}{% if %}{% endraw +%}", `"{% if %}"`},
		{"{% if flag %}a{% elif n: %}b{% else: %}c{% endif %}", `if $flag {"a"} elif $n {"b"} else {"c"}`},
		{"{% if n, %}{% endif %}", `if tuple($n) {}`},
		{"{% for w in words if w != 'a' %}{{ loop.index }}{{ w }}{% else %}none{% endfor %}", `for w:word in $words if (w != "a") {loop.index w} else {"none"}`},
		{"{% for a, (b, c) in plain.items() %}{{ a ~ b ~ c }}{% endfor %}", `for (a:any, (b:any, c:any)) in @plain.items() {concat(a, b, c)}`},
		{"{% for i in range(n) %}{{ i + 1 }}{% endfor %}", `for i:int in global:range($n) {(i + 1)}`},
		{"{% for i in 1, 2 %}{{ i }}{% endfor %}", `for i:int in tuple(1, 2) {i}`},
		{"{% set a = n %}{{ a }}", `set a:int = $n; a`},
		{"{% set a, b = 1, 'x' %}{{ a }}{{ b }}", `set (a:int, b:text) = tuple(1, "x"); a b`},
		{"{% set a = 1 %}{{ a + 1 }}{% set a = 'x' %}{{ a }}", `set a:any = 1; (a + 1) set a:any = "x"; a`},
		{"{% set a = none %}{{ a }}", `set a:any = null; a`},
		{"{% set a %}x{{ n }}{% endset %}{{ a }}", `set a:text = <"x" $n>; a`},
		{"{% set a | upper | trim %}x{% endset %}", `set a:text = ((<"x"> | upper()) | trim());`},
		{"{% set ns = namespace(a=1) %}{% set ns.a = ns.a + 1 %}", `set ns:any = global:namespace(a=1); set ns.a = (ns.a + 1);`},
		{"{% set l = [1] %}{% set _ = l.append('x') %}{{ l[0] }}", `set l:any = [1]; set _:any = l.append("x"); l[0]`},
		{"{% set l = words %}{% set _ = l.append('x') %}{{ l }}", `set l:any = $words; set _:any = l.append("x"); l`},
		{"{% with a = 1, b = n %}{{ a + b }}{% endwith %}", `{set a:int = 1; set b:int = $n; (a + b)}`},
		{"{% filter upper | replace('a', 'b') %}a{{ n }}{% endfilter %}", `((<"a" $n> | upper()) | replace("a", "b"))`},
		{"{% print n, name %}", `concat($n, $name)`},
		{"{% macro m(a, b=a) %}{{ a }}{{ b }}{{ varargs }}{% endmacro %}{{ m(1) }}", `macro m(a, b=a?, +varargs) {a? b varargs} m(1)`},
		{"{% macro m() %}{{ caller(1) }}{% endmacro %}{% call(x) m() %}{{ x }}{% endcall %}", `macro m(+caller) {caller?(1)} {macro caller(x) {x?} m(caller=caller)}`},
	} {
		tmpl, list := parse(test.text, jinja.Options{})
		compareSaid(t, test.text, list)
		if got := dump(tmpl.Parts); got != test.want {
			t.Errorf("%q\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}
