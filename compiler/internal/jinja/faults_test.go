package jinja_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
)

// TestFaults says what is reported where: line, column and text of the place, the
// code, the message.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{`{{ nam }}`, []string{
			"1:4 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{"a\n  {{ n + }} {{ nope }}\n{{ name | uper }}", []string{
			`2:8 "+" template-syntax: expected an expression after this`,
			"2:16 \"nope\" undefined-variable: `nope` is not defined here",
			"3:11 \"uper\" unknown-filter: unknown filter `uper`",
		}},
		{`{{ name + 1 }}`, []string{
			`1:9 "+" template-type: a string and an integer cannot be added`,
		}},
		{`{{ f(n }} {{ nam }}`, []string{
			"1:5 \"(\" template-syntax: `(` is never closed: `)` is missing",
			"1:14 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{`{{ {'a': 1 }} {{ nam }}`, []string{
			"1:4 \"{\" template-syntax: `{` is never closed: `}` is missing",
			"1:18 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{`{{ 'abc }} {{ n }} {{ 'x' }}`, []string{
			`1:4 "'" template-syntax: the quote ' is never closed`,
		}},
		{`{{ 'a }} {{ 'b }}`, []string{
			`1:4 "'" template-syntax: the quote ' is never closed`,
		}},
		{`{{ {'a':{'b':1}} && n }}`, []string{
			"1:18 \"&&\" unknown-operator: `&&` is not an operator in templates",
		}},
		{`{{ 'abc }} x`, []string{
			`1:4 "'" template-syntax: the quote ' is never closed`,
		}},
		{`{{ n`, []string{
			"1:1 \"{{\" template-syntax: `{{` is never closed: `}}` is missing",
		}},
		{`{{ n {{ name }}`, []string{
			"1:1 \"{{\" template-syntax: `{{` is never closed: `}}` is missing",
		}},
		{`{% if n %}a`, []string{
			"1:1 \"{% if n %}\" template-syntax: `{% if %}` is never closed: `{% endif %}` is missing",
		}},
		{`{% if n %}{% for i in words %}{% endif %}`, []string{
			"1:11 \"{% for i in words %}\" template-syntax: `{% for %}` is never closed: `{% endfor %}` is missing",
		}},
		{`{% for i in words %}x{% endif %}`, []string{
			"1:25 \"endif\" template-syntax: `endif` does not end `if`: the open tag is `for`",
		}},
		{`{% endif %}`, []string{
			"1:4 \"endif\" template-syntax: `endif` has no open `if`",
		}},
		{`{% if n %}a{% fi %}`, []string{
			"1:15 \"fi\" template-syntax: unknown statement `fi`",
		}},
		{`{% if n %}{% else if name %}{% endif %}`, []string{
			"1:19 \"if\" template-syntax: `else` takes no condition",
		}},
		{`{% if n %}{% elsif name %}{% end if %}`, []string{
			"1:14 \"elsif\" template-syntax: unknown statement `elsif`",
			"1:30 \"end\" template-syntax: unknown statement `end`",
		}},
		{`{% if n = 1 %}{% endif %}`, []string{
			"1:9 \"=\" unknown-operator: `=` is not an operator in templates",
		}},
		{`{{ n == 1 && flag || !flag }}`, []string{
			"1:11 \"&&\" unknown-operator: `&&` is not an operator in templates",
			"1:19 \"||\" unknown-operator: `||` is not an operator in templates",
			"1:22 \"!\" unknown-operator: `!` is not an operator in templates",
		}},
		{`{{ flag ? 'a' : 'b' }}`, []string{
			"1:9 \"?\" template-syntax: unexpected `?`",
		}},
		{`{{ n === 1 }}`, []string{
			"1:6 \"===\" unknown-operator: `===` is not an operator in templates",
		}},
		{`{{ null }} {{ undefined }}`, []string{
			"1:4 \"null\" undefined-variable: `null` is not defined here",
			"1:15 \"undefined\" undefined-variable: `undefined` is not defined here",
		}},
		{`{{ len(words) }}`, []string{
			"1:4 \"len\" undefined-variable: `len` is not defined here",
		}},
		{`{{ words.length }}`, []string{
			"1:10 \"length\" no-such-field: the input `words`, a list, has no field `length`",
		}},
		{`{{ orders.cuont }}`, []string{
			"1:11 \"cuont\" unknown-field: the output of `orders` does not declare the field `cuont`",
		}},
		{`{{ both.lef }}`, []string{
			"1:9 \"lef\" no-such-field: the output of `both` has no field `lef`",
		}},
		{`{{ orders.items }}`, []string{
			"1:10 \".items\" field-behind-method: this reads the method `items` of all objects, not the field",
		}},
		{`{{ orders.inner.dep }}`, []string{
			"1:17 \"dep\" no-such-field: `inner`, an object, has no field `dep`",
		}},
		{`{{ name.uper() }}`, []string{
			"1:9 \"uper\" no-such-field: the input `name`, a string, has no field `uper`",
		}},
		{`{{ name.upper }}`, []string{
			"1:9 \"upper\" template-type: `upper` is a method: call it",
		}},
		{`{{ name.upper(1) }}`, []string{
			"1:9 \"upper\" template-arguments: the method `upper` takes no argument, got 1 argument",
		}},
		{`{{ name | replace('a') }}`, []string{
			"1:11 \"replace\" template-arguments: the filter `replace` needs the argument `new`",
		}},
		{`{{ name | truncate(lenght=3) }}`, []string{
			"1:20 \"lenght\" template-arguments: the filter `truncate` has no argument `lenght`",
		}},
		{`{{ n is foo }}`, []string{
			"1:9 \"foo\" unknown-filter: unknown test `foo`",
		}},
		{`{{ n is name }}`, []string{
			"1:9 \"name\" unknown-filter: unknown test `name`",
		}},
		{`{{ n is eq }}`, []string{
			"1:9 \"eq\" template-arguments: the test `eq` needs an argument",
		}},
		{`{{ n is eq -1 }}`, []string{
			"1:9 \"eq\" template-arguments: the test `eq` needs an argument",
		}},
		{`{{ n is defined if flag }}`, []string{
			`1:20 "flag" template-syntax: this is the argument of the test before it`,
		}},
		{`{{ n is number is string }}`, []string{
			`1:16 "is" template-syntax: tests cannot follow each other`,
		}},
		{`{{ words | random }}`, []string{
			"1:12 \"random\" template-unsupported: the filter `random` is not supported: a resumed run would choose differently",
		}},
		{`{{ lipsum() }}`, []string{
			"1:4 \"lipsum\" template-unsupported: `lipsum` is not supported: a resumed run would choose differently",
		}},
		{`{% include 'x' %}`, []string{
			"1:4 \"include\" template-unsupported: unsupported statement `include`: other templates are not available",
		}},
		{`{% block a %}{{ nam }}{% endblock %}`, []string{
			"1:4 \"block\" template-unsupported: unsupported statement `block`: other templates are not available",
			"1:17 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{`{% do words.append(1) %}`, []string{
			"1:4 \"do\" template-unsupported: unsupported statement `do`: the original engine does not load its extension",
		}},
		{`{% n = 1 %}`, []string{
			"1:4 \"n\" template-syntax: unknown statement `n`",
		}},
		{`{% foo %}`, []string{
			"1:4 \"foo\" template-syntax: unknown statement `foo`",
		}},
		{`{% forr i in words %}`, []string{
			"1:4 \"forr\" template-syntax: unknown statement `forr`",
		}},
		{`{% for i in n %}{% endfor %}`, []string{
			`1:13 "n" template-type: cannot loop over an integer`,
		}},
		{`{% for i in orders.items %}{% endfor %}`, []string{
			"1:19 \".items\" field-behind-method: this reads the method `items` of all objects, not the field",
		}},
		{`{% for i in words recursive %}{{ loop(1) }}{% endfor %}`, []string{
			`1:19 "recursive" template-unsupported: recursive loops are not supported`,
			`1:34 "loop" template-unsupported: recursive loops are not supported`,
		}},
		{`{{ n() }}`, []string{
			"1:4 \"n\" template-type: the input `n`, an integer, is not a function",
		}},
		{`{{ name() }}`, []string{
			"1:4 \"name\" template-type: the input `name`, a string, is not a function",
		}},
		{`{{ n / 0 }} {{ n % 0 }} {{ n is divisibleby 0 }}`, []string{
			`1:6 "/" template-type: this divides by zero`,
			`1:18 "%" template-type: this divides by zero`,
			`1:45 "0" template-type: this divides by zero`,
		}},
		{`{{ name < n }} {{ n == 'a' }}`, []string{
			"1:9 \"<\" template-type: `<` cannot compare a string with an integer",
			`1:21 "==" constant-comparison: always false: an integer never equals a string`,
		}},
		{`{{ 5 in 'abc' }} {{ n in 5 }}`, []string{
			"1:6 \"in\" template-type: `in` needs a string on the left, got an integer",
			"1:23 \"in\" template-type: `in` cannot search an integer",
		}},
		{`{{ n[0] }} {{ none.x }} {{ -name }} {{ words[0:name] }}`, []string{
			`1:4 "n[0]" template-type: an integer has no items`,
			"1:20 \"x\" no-such-field: none has no field `x`",
			"1:28 \"-name\" template-type: `-` needs a number, got a string",
			`1:48 "name" template-type: the bounds of a slice must be integers, got a string`,
		}},
		{`${#a[@]} {{ n }}`, []string{
			"1:2 \"{#\" template-syntax: `{#` is never closed: `#}` is missing",
		}},
		{`${#a} ${a#} {{ nam }}`, []string{
			"1:2 \"{#\" template-comment-in-script: `{#` starts a template comment: the script loses everything up to `#}`",
			"1:16 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{`{# {{ n }}`, []string{
			"1:1 \"{#\" template-syntax: `{#` is never closed: `#}` is missing",
		}},
		{`{% raw %}{{ n }}`, []string{
			"1:1 \"{% raw %}\" template-syntax: `{% raw %}` is never closed: `{% endraw %}` is missing",
		}},
		{`{% set true = 1 %}`, []string{
			"1:8 \"true\" template-syntax: only names can be set, not `true`",
		}},
		{`{% set n + 1 %}`, []string{
			"1:10 \"+\" template-syntax: expected `=`, got `+`",
		}},
		{`{% set [a, b] = words %}`, []string{
			`1:8 "[a, b]" template-syntax: only names can be set, not a list`,
		}},
		{`{% set a.b.c = 1 %}`, []string{
			"1:11 \".\" template-syntax: expected `=`, got `.`",
		}},
		{`{% set a, b = 1, 2, 3 %}`, []string{
			`1:8 "a, b" template-type: 3 values cannot be unpacked into 2 variables`,
		}},
		{`{% for loop in words %}{% endfor %}`, []string{
			"1:8 \"loop\" template-type: `loop` cannot be set",
		}},
		{`{% for i in words %}{% set loop = 1 %}{% endfor %}`, []string{
			"1:28 \"loop\" template-type: `loop` cannot be set",
		}},
		{`{% macro m(a, a) %}{% endmacro %}`, []string{
			"1:15 \"a\" template-syntax: the parameter `a` is duplicated",
		}},
		{`{% macro m(a=1, b) %}{% endmacro %}`, []string{
			`1:17 "b" template-syntax: parameters without defaults must come first`,
		}},
		{`{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}{{ m(c=1) }}`, []string{
			"1:39 \"2\" template-arguments: the macro `m` takes at most 1 argument, got 2 arguments",
			"1:49 \"c\" template-arguments: the macro `m` has no argument `c`",
		}},
		{`{% macro m(a) %}{% endmacro %}{% call m() %}{% endcall %}`, []string{
			"1:39 \"m\" template-arguments: the macro `m` does not use the content of the `call` block",
		}},
		{`{% call m %}{% endcall %}`, []string{
			"1:9 \"m\" template-syntax: expected a call such as `m()`",
		}},
		{`{{ a }}{% set a = 1 %}`, []string{
			"1:4 \"a\" undefined-variable: `a` is not defined here",
		}},
		{`{{ m() }}{% macro m() %}{% endmacro %}`, []string{
			"1:4 \"m\" undefined-variable: `m` is not defined here",
		}},
		{`{{ loop.index }}`, []string{
			"1:4 \"loop\" undefined-variable: `loop` is not defined here",
		}},
		{`{% for i in words %}{{ loop.idx }}{% endfor %}`, []string{
			"1:29 \"idx\" no-such-field: `loop` has no field `idx`",
		}},
		{`{{ }}`, []string{
			`1:1 "{{ }}" template-syntax: expected an expression`,
		}},
		{`{% %}`, []string{
			`1:1 "{% %}" template-syntax: this tag is empty`,
		}},
		{`{% if %}{% endif %}`, []string{
			`1:4 "if" template-syntax: expected an expression after this`,
		}},
		{`{{ 1 if }}`, []string{
			`1:6 "if" template-syntax: expected an expression after this`,
		}},
		{`{{ a b }}`, []string{
			"1:6 \"b\" template-syntax: missing operator before `b`",
		}},
		{`{{ n n }}`, []string{
			"1:6 \"n\" template-syntax: missing operator before `n`",
		}},
		{`{{ n. }}`, []string{
			`1:5 "." template-syntax: expected the name of an attribute or a number after this`,
		}},
		{`{{ f(a=1, a=2) }}`, []string{
			"1:11 \"a\" template-syntax: the argument `a` is given twice",
		}},
		{`{{ f(*a, 1) }}`, []string{
			`1:10 "1" template-syntax: unnamed arguments must come before named ones`,
		}},
		{`{{ x; n }}`, []string{
			"1:5 \";\" template-syntax: unexpected `;`",
		}},
		{`{{ $n }}`, []string{
			"1:4 \"$\" template-syntax: unexpected `$`",
		}},
		{"{{ `a` }}", []string{
			"1:4 \"`\" template-syntax: unexpected ```",
			"1:6 \"`\" template-syntax: unexpected ```",
		}},
		{`{{ and }}`, []string{
			"1:4 \"and\" template-syntax: expected an expression, got `and`",
		}},
		{`{{ {[1]: 2} }}`, []string{
			`1:5 "[1]" template-type: a list cannot be the key of a dict`,
		}},
		{`{{ words | map('uper') | select('evn') | list }}`, []string{
			"1:17 \"uper\" unknown-filter: unknown filter `uper`",
			"1:34 \"evn\" unknown-filter: unknown test `evn`",
		}},
		{`{{ name | abs }} {{ n | join }}`, []string{
			"1:11 \"abs\" template-type: the filter `abs` needs a number, got a string",
			"1:25 \"join\" template-type: the filter `join` needs a list or a string, got an integer",
		}},
		{`{{ name.__class__ }}`, []string{
			`1:9 "__class__" template-unsupported: unsupported name: it starts with two underscores`,
		}},
		{`{{ 007 }}`, []string{
			`1:6 "7" template-syntax: missing operator before the number 7`,
		}},
		{`{{ 1abc }}`, []string{
			"1:5 \"abc\" template-syntax: missing operator before `abc`",
		}},
		{`{{ n } }}`, []string{
			"1:6 \"}\" template-syntax: `}` has no opening bracket",
		}},
		{`{{ n) }}`, []string{
			"1:5 \")\" template-syntax: `)` has no opening bracket",
		}},
		{`{{ (n] }}`, []string{
			"1:6 \"]\" template-syntax: `]` must be `)` to close `(`",
		}},
		{`{{ '\u12' }}`, []string{
			"1:5 \"\\\\u12\" template-syntax: `\\u` must be followed by 4 hexadecimal digits",
		}},
		{`{{ nope.x is defined }}`, []string{
			"1:4 \"nope\" undefined-variable: `nope` is not defined here",
		}},
		{`{{ nope.x | default(1) }}`, []string{
			"1:4 \"nope\" undefined-variable: `nope` is not defined here",
		}},
		{`{% if nope is defined %}{{ nope }}{% else %}{{ nope }}{% endif %}`, []string{
			"1:48 \"nope\" undefined-variable: `nope` is not defined here",
		}},
		{`{{ n ? 1 : 2 }} {{ nam }}`, []string{
			"1:6 \"?\" template-syntax: unexpected `?`",
			"1:20 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{`{% if n %}{% with a = 1 %}{% else %}{% endwith %}{% endif %}`, []string{
			"1:30 \"else\" template-syntax: `else` is not allowed in `with`",
		}},
		{`{% endraw %}`, []string{
			"1:4 \"endraw\" template-syntax: `endraw` has no open `raw`",
		}},
		{`{{ range() }} {{ range(1,2,3,4) }}`, []string{
			"1:4 \"range\" template-arguments: `range` needs an argument",
			"1:30 \"4\" template-arguments: `range` takes at most 3 arguments, got 4 arguments",
		}},
		{`{{ orders.nope }}`, []string{
			"1:11 \"nope\" unknown-field: the output of `orders` does not declare the field `nope`",
		}},
		{`{{ name ~ }}`, []string{
			`1:9 "~" template-syntax: expected an expression after this`,
		}},
		{`{{ [1, 2 }} {{ nam }}`, []string{
			"1:4 \"[\" template-syntax: `[` is never closed: `]` is missing",
			"1:16 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{`{{ n | }}`, []string{
			`1:6 "|" template-syntax: expected the name of a filter after this`,
		}},
		{`{{ ('a' 'b' }}`, []string{
			"1:4 \"(\" template-syntax: `(` is never closed: `)` is missing",
		}},
		{`{% set x %}a`, []string{
			"1:1 \"{% set x %}\" template-syntax: `{% set %}` is never closed: `{% endset %}` is missing",
		}},
		{`{% macro %}{% endmacro %}`, []string{
			`1:4 "macro" template-syntax: expected the name of the macro after this`,
		}},
		{`{% macro m %}{% endmacro %}`, []string{
			"1:10 \"m\" template-syntax: expected `(` after this",
		}},
		{`{% for in words %}{% endfor %}`, []string{
			"1:8 \"in\" template-syntax: expected an expression, got `in`",
		}},
		{`{% for x on words %}{% endfor %}`, []string{
			"1:10 \"on\" template-syntax: expected `in`, got `on`",
		}},
		{`{% for x %}{% endfor %}`, []string{
			"1:8 \"x\" template-syntax: expected `in` after this",
		}},
		{`{% if n %}{% endif x %}`, []string{
			"1:20 \"x\" template-syntax: `endif` takes no arguments",
		}},
		{`{{ name.foo }}`, []string{
			"1:9 \"foo\" no-such-field: the input `name`, a string, has no field `foo`",
		}},
		{`{{ n.foo }}`, []string{
			"1:6 \"foo\" no-such-field: the input `n`, an integer, has no field `foo`",
		}},
		{`{{ orders() }}`, []string{
			"1:4 \"orders\" template-type: the output of `orders` is not a function",
		}},
		{`{{ True }} {{ TRUE }}`, []string{
			"1:15 \"TRUE\" undefined-variable: `TRUE` is not defined here",
		}},
		{`{{ {'a' = 1} }}`, []string{
			"1:9 \"=\" template-syntax: expected `:`, got `=`",
		}},
		{`{{ 'it's' }} {{ nam }}`, []string{
			`1:9 "'" template-syntax: the quote ' is never closed`,
			"1:17 \"nam\" undefined-variable: `nam` is not defined here",
		}},
		{`{{ caller() }}`, []string{
			"1:4 \"caller\" undefined-variable: `caller` is not defined here",
		}},
		{`{{ x is defined and }}`, []string{
			`1:17 "and" template-syntax: expected an expression after this`,
		}},
		{`{{ %}`, []string{
			"1:4 \"%}\" template-syntax: `%}` must be `}}` at the end of the tag",
		}},
		{`{% if n }}a{% endif %}`, []string{
			"1:9 \"}}\" template-syntax: `}}` must be `%}` at the end of the tag",
		}},
	} {
		_, list := parse(test.text, jinja.Options{})
		compareSaid(t, test.text, list, test.want...)
	}
}
