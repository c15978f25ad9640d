package jinjatest_test

import (
	"strings"
	"sync"
	"testing"
)

// cases are templates with what they come to; "!" begins an error.
var cases = []struct{ text, want string }{
	// Texts, inputs and typed fields.
	{"Hello, {{ name }}!\n", "Hello, Ada <Löve>!"},
	{"{{ count }} {{ flag }} {{ ratio }} {{ nick }}", "7 False 2.5 None"},
	{"{{ info.title }}: {{ info.size }}, {{ info.done }}", "It's: 3, True"},
	{"{{ info.note }}/{{ info.more }}", `n"q"/5`},
	{"{{ said }}|{{ said | trim }}", "line one\nline two\n|line one\nline two"},
	{"{{ info.lost }}", "!step 'info' returned no field `lost` in {{ info.lost }} (line 1); it returned the fields `title`, `size`, `done`, `note`, `nil`, `tags`, `more`"},
	{"{{ info.lost is defined }} {{ info.note is defined }} {{ info.nil is defined }} {{ info.nil is none }} {{ name is defined }}", "False True True True True"},
	{"{{ info.lost | default('none') }} {{ name | default('x') }} {{ nick | default('x') }} {{ nick | default('x', true) }}", "none Ada <Löve> None x"},
	{"{% if name and count > 3 and not flag %}yes{% else %}no{% endif %}", "yes"},
	{"{{ 'big' if count >= 7 else 'small' }} {{ name == 'x' or count == 7 }} {{ flag or name }}", "big True Ada <Löve>"},
	{"{{ rows | length }} {{ info.tags | length }} {{ name | length }} {{ data.users | count }}", "3 3 10 3"},
	{"{{ 1 < count < 10 }} {{ 1 < count < 5 }} {{ 'a' < 'b' <= name }}", "True False False"},
	// Numbers.
	{"{{ count + 1 }} {{ count / 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 100 }}", "8 3.5 -4 2 1267650600228229401496703205376"},
	{"{{ 9223372036854775807 + count }} {{ data.big + 1 }} {{ 1.0 }} {{ 1e20 }}", "9223372036854775814 123456789012345678901234567891 1.0 1e+20"},
	{"{{ 1 / (count - 7) }}", "!division by zero in {{ 1 / (count - 7) }} (line 1)"},
	{"a\nb\n{{ data.text + count }}", "!can only concatenate str (not \"int\") to str in {{ data.text + count }} (line 3)"},
	// Lists, dicts, methods.
	{"{{ data.users[0].name.upper() }} {{ data.deep.x.y }} {{ data['items'] }} {{ data.users[-1]['tags'] }}", "BOB [1, 2, [3]] hidden ['b']"},
	{"{{ data.users | map(attribute='name') | join(', ') }} {{ rows | sort(attribute='id') | map(attribute='label') | list }}", "bob, Al, zoë ['one', 'two', 'Ten']"},
	{"{{ data.users | selectattr('tags') | map(attribute='name') | map('upper') | list }}", "['BOB', 'ZOË']"},
	{"{{ data.users | rejectattr('age', 'none') | sum(attribute='age') }}", "34.5"},
	{"{{ [3, 1, 2] | select('odd') | list }} {{ (1, 'a') }} {{ {'k': [none, true]} }} {{ 'abcdef'[1:4] }} {{ 'abc'[::-1] }}", "[3, 1] (1, 'a') {'k': [None, True]} bcd cba"},
	{"{{ info.tags | tojson }} {{ data.deep | tojson(indent=1) }}", "[\"x\", \"Y\", \"z\"] {\n \"x\": {\n  \"y\": [\n   1,\n   2,\n   [\n    3\n   ]\n  ]\n }\n}"},
	{"{{ '%s-%d' | format(name, count) }} {{ 'a{}b'.format(count) }} {{ dict(a=1, **{'b': 2}) }} {{ range(1, *[4]) | list }}", "Ada <Löve>-7 a7b {'a': 1, 'b': 2} [1, 2, 3]"},
	{"{{ name ~ count ~ flag ~ none }} {{ 'd' in name }} {{ 'q' not in name }} {{ 2 in [1, 2] }}", "Ada <Löve>7FalseNone True True True"},
	// Steps that were skipped.
	{"{{ nothing is defined }} {{ nothing | default('gone') }}", "False gone"},
	{"{{ nothing }}", "!'nothing' is undefined in {{ nothing }} (line 1)"},
	{"{{ nothing.x }}", "!'nothing' is undefined in {{ nothing.x }} (line 1)"},
	{"{{ nothing.x if count > 10 else 'fine' }} {{ count > 10 and nothing.x }}", "fine False"},
	// Statements.
	{"{% for u in data.users %}{{ loop.index }}/{{ loop.length }}:{{ u.name }}{% if not loop.last %}, {% endif %}{% endfor %}.", "1/3:bob, 2/3:Al, 3/3:zoë."},
	{"{% for u in data.users if u.tags %}{{ u.name }};{% endfor %}", "bob;zoë;"},
	{"{% for k, v in data.deep.items() %}{{ k }}={{ v }}{% endfor %}", "x={'y': [1, 2, [3]]}"},
	{"{% for r in rows %}{{ r.id }}{{ r.label | upper }}{% endfor %}{% for r in rows if r.id > 1 %}{{ r.id + 1 }}{% else %}no{% endfor %}{% for r in rows if r.id > 50 %}x{% else %}no{% endfor %}", "2TWO1ONE10TEN311no"},
	{"{% for t in info.tags %}{{ t }}{{ t | upper }}{% endfor %}{% for t in info.tags %}{{ loop.index }}{{ t }}{% endfor %}{% for t in info.tags %}.{% endfor %}", "xXYYzZ1x2Y3z..."},
	{"{% for r in rows %}{{ r }}{% endfor %}{% for r in rows %}{{ r.nope is defined }}{% endfor %}{% for r in rows %}{% set r = 1 %}{{ r }}{% endfor %}", "{'id': 2, 'label': 'two'}{'id': 1, 'label': 'one'}{'id': 10, 'label': 'Ten'}FalseFalseFalse111"},
	{"{% for a, (b, c) in [(1, (2, 3))] %}{{ c }}{{ a }}{% endfor %}", "31"},
	{"{% for x in data.empty %}{{ x }}{% else %}none{% endfor %}{% for x in [1] %}{% else %}none{% endfor %}", "none"},
	{"{% for x in range(2) %}x{% endfor %}{% for x in 'ab' %}{{ loop.cycle('o', 'e') }}{{ loop.previtem is defined }}{% endfor %}", "xxoFalseeTrue"},
	{"{% for x in range(2) %}{% for y in 'ab' %}{{ x }}{{ y }}{{ loop.index }} {% endfor %}{% endfor %}", "0a1 0b2 1a1 1b2 "},
	{"{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = i + 10 %}{{ x }}{% endfor %}{{ x }}", "1111121"},
	{"{% set ns = namespace(n=0) %}{% for i in range(4) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "6"},
	{"{% if flag %}{% set a = 1 %}{% else %}{% set a = 2 %}{% endif %}{{ a }}", "2"},
	{"{% if flag %}{% set a = 1 %}{% endif %}{{ a is defined }}", "False"},
	{"{% set greeting = 'Hi ' ~ name %}{{ greeting }}{{ greeting | length }}", "Hi Ada <Löve>13"},
	{"{% set a, b = 1, 'x' %}{{ b }}{{ a }}{% set unused = 3 %}", "x1"},
	{"{% set block %}[{{ name }}]{% endset %}{{ block | upper }}", "[ADA <LÖVE>]"},
	{"{% macro m(a, b='B' ~ 1) %}{{ a }}-{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 2) }} {{ m(b=3, a=4) }} {{ m('x') | upper }}", "1-B1 1-2 4-3 X-B1"},
	{"{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, x=2) }}", "(1,){'x': 2}"},
	{"{% macro fact(n) %}{{ 1 if n < 2 else n * fact(n - 1) | int }}{% endmacro %}{{ fact(5) }}", "120"},
	{"{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}", "!parameter 'a' was not provided in {{ a }} (line 1)"},
	{"{% macro box(t) %}<{{ t }}>{{ caller(1) }}</>{% endmacro %}{% call(n) box('x') %}in{{ n }}{% endcall %}", "<x>in1</>"},
	{"{% filter upper %}a{{ name }}{% endfilter %}{% raw %}{{ x }}{% endraw %}{# c #}", "AADA <LÖVE>{{ x }}"},
	{"{% with a = 1, b = count %}{{ a + b }}{% endwith %}", "8"},
	{"x\n{%- for i in [1] -%}\n y {{ i -}}\n z\n{%- endfor %}\n", "xy 1z"},
	{"{% for u in data.users %}\n{{ u.name.nope }}\n{% endfor %}", "!'str object' has no attribute 'nope' in {{ u.name.nope }} (line 2)"},
	{"{% for x in count %}{% endfor %}{{ x }}", "?"},
	{"{% for x in data.total %}{{ x }}{% endfor %}", "!'int' object is not iterable in {% for x in data.total %} (line 1)"},
	{"{% if data.nope %}{% endif %}", "!step 'data' returned no field `nope` in {% if data.nope %} (line 1); it returned the fields `users`, `total`, `rate`, `ok`, `none`, `text`, `empty`, `deep`, `items`, `big`"},
	{"{% set j = joiner('|') %}{% for x in [1, 2] %}{{ j() }}{{ x }}{% endfor %}{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}", "1|2ab"},
	// Odd places of variables: what nobody reads, and what is set late or in a branch.
	{"{% for x in [1, 2] if x > 1 %}{% set x = 3 %}y{% endfor %}{% for x in [1] %}{% set x = 5 %}{{ x }}{% endfor %}", "y5"},
	{"{% for x in [1] %}{% set x = 5 %}z{% endfor %}{% for a, b in [(1, 2)] %}{% set b = 3 %}{% endfor %}{% for a in [[1, 2]] %}{% set c, d = a %}{{ d }}{% endfor %}", "z2"},
	{"{% macro m() %}{{ late }}{% endmacro %}{% set late = 'x' %}{{ m() }}{% set late = 'y' %}{{ m() }}", "xy"},
	{"{% macro dead(a, b=1 / (count - 7)) %}{{ a }}{% endmacro %}{% macro m(a, b=none) %}{{ a }}{% endmacro %}{{ m(1) }}", "1"},
	{"{% for i in range(3) %}{% if i == 1 %}{% set seen = i %}{% endif %}{{ seen is defined }}{% endfor %}", "FalseTrueFalse"},
	{"{% set a %}{% set b = 2 %}{{ b }}{% endset %}{{ a }}{% set a = a ~ 1 %}{{ a }}", "221"},
	{"{% set n = 1 %}{% set n = n + 1 %}{{ n }}{% set s = 'a' %}{% if flag %}{% set s = 'b' %}{% endif %}{{ s }}{% set t = count %}{{ t + 1 }}", "2a8"},
	{"{% set x = namespace() %}{% for x.item in [1, 2] %}{{ x.item }}{% endfor %}", "?"},
	{"{% block a %}{% set v = 1 %}{{ v }}{% endblock %}", "?"},
	// What is inserted is not looked at again, and every hole is computed once.
	{"{% set l = [] %}{% set x = l.append(1) %}{{ l }}{{ l.append(2) }}{{ l }}", "[1]None[1, 2]"},
	{"{{ '{{ count }}' }}", "{{ count }}"},
	// Names that Go has, too.
	{"{% for err in [1] %}{{ err }}{% endfor %}{% set string = 2 %}{{ string }}{% set func = 3 %}{{ func }}{% set e = 4 %}{{ e }}{{ data.total }}{% set _x_ = 5 %}{{ _x_ }}", "1234125"},
}

// conditions are conditions with what they come to: "true", "false", or an error.
var conditions = []struct{ text, want string }{
	{"{{ flag }}", "false"},
	{"{{ count }}", "true"},
	{"{{ count - 7 }}", "false"},
	{"{{ data.empty }}", "false"},
	{"{{ data.none }}", "false"},
	{"{{ name == 'x' }}", "false"},
	{"{{ info.done and count > 1 }}", "true"},
	{"{{ nothing.approved }}", "false"},
	{"{{ not nothing.approved }}", "true"},
	{"{{ nothing.approved == false }}", "true"},
	{"{{ nothing.approved == true }}", "false"},
	{"{{ nothing.a.b is defined }}", "false"},
	{"{{ nothing }}", "!'nothing' is undefined in {{ nothing }} (line 1)"},
	{"{% if count > 3 %}  FALSE {% endif %}", "false"},
	{"{{ data.nope }}", "!step 'data' returned no field `nope` in {{ data.nope }} (line 1); it returned the fields `users`, `total`, `rate`, `ok`, `none`, `text`, `empty`, `deep`, `items`, `big`"},
	{"no", "true"},
	{" None ", "false"},
	{"{{ flag }}{{ flag }}", "true"},
}

// tables is the batch of the two tables.
var tables = sync.OnceValue(func() *batch {
	b := &batch{}
	for _, c := range cases {
		b.texts = append(b.texts, c.text)
	}
	for _, c := range conditions {
		b.conditions = append(b.conditions, c.text)
	}
	return b
})

func TestTemplates(t *testing.T) {
	b := tables()
	ends := b.run(t)
	for i, c := range cases {
		if fault, ok := b.faults[i]; ok {
			if c.want != "?" {
				t.Errorf("%s: it does not compile: %s", c.text, fault)
			}
			continue
		}
		got := ends[i].Text
		if ends[i].Status != "completed" {
			got = "!" + ends[i].Error
		}
		if got != c.want {
			t.Errorf("%s\ngives %q\nnot   %q", c.text, got, c.want)
		}
	}
}

func TestConditions(t *testing.T) {
	b := tables()
	ends := b.run(t)
	for i, c := range conditions {
		i += len(cases)
		if fault, ok := b.faults[i]; ok {
			t.Errorf("%s: it does not compile: %s", c.text, fault)
			continue
		}
		got := map[string]string{"completed": "true", "skipped": "false"}[ends[i].Status]
		if got == "" {
			got = "!" + ends[i].Error
		}
		if got != c.want && !strings.HasSuffix(got, strings.TrimPrefix(c.want, "!")) {
			t.Errorf("%s gives %q, not %q", c.text, got, c.want)
		}
	}
}
