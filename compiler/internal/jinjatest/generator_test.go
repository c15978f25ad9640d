package jinjatest_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// A writer draws templates whose parts mostly fit together: what a text is applied
// to is a text. Now and then it is not, so that errors are drawn, too.
type writer struct {
	t *rapid.T
	// vars are the variables that are there, by what they hold.
	vars map[string][]string
	next int
}

func (w *writer) pick(list ...string) string { return rapid.SampledFrom(list).Draw(w.t, "choice") }

func (w *writer) number(most int) int { return rapid.IntRange(0, most).Draw(w.t, "number") }

// value draws an expression of a kind: num, str, bool, list or dict.
func (w *writer) value(kind string, depth int) string {
	if w.number(60) == 0 {
		return w.pick("data.total", "data.text", "data.ok", "data.deep", "data.empty", "data.none")
	}
	if list := w.vars[kind]; len(list) > 0 && w.number(2) == 0 {
		return w.pick(list...)
	}
	if depth <= 0 {
		return w.leaf(kind)
	}
	if w.number(9) == 0 {
		return fmt.Sprintf("(%s if %s else %s)", w.value(kind, depth-1), w.value("bool", depth-1), w.value(kind, depth-1))
	}
	if w.number(12) == 0 {
		return fmt.Sprintf("(%s %s %s)", w.value(kind, depth-1), w.pick("and", "or"), w.value(kind, depth-1))
	}
	form := w.pick(forms[kind]...)
	return w.fill(form, depth-1)
}

var leaves = map[string][]string{
	"num":  {"0", "1", "2", "-3", "count", "7.5", "ratio", "info.size", "data.total", "data.rate", "10 ** 20", "data.users[1].age", "data.big", "info['size']"},
	"str":  {"'a'", "'Hello, World'", "''", "'x y  z'", "name", "info.title", "info.note", "data.text", "said", "'é\\nß'", "data.users[0].name", "'%s'", "'3'", "data['items']"},
	"bool": {"true", "false", "flag", "info.done", "data.ok", "data.nope is defined", "info.lost is defined", "nothing is defined", "nick is none", "rows is iterable"},
	"list": {"[]", "[1, 2, 3]", "['b', 'A', 'c']", "info.tags", "data.empty", "data.deep.x.y", "range(4)", "(1, 'x')", "data.users | map(attribute='name') | list", "rows | map(attribute='id') | list"},
	"dict": {"{}", "{'a': 1, 'b': none}", "data.deep", "data.users[0]", "rows[0]", "info", "dict(x=2)", "{1: 2, true: 3}"},
}

// forms are expressions with places for others: #n a number, #s a text, #b a truth
// value, #l a list, #d a dict, #v anything.
var forms = map[string][]string{
	"num": {"(#n + #n)", "(#n - #n)", "(#n * #n)", "(#n / #n)", "(#n // #n)", "(#n % #n)", "(-#n)", "#s | length", "#l | length", "#l | count", "#d | length", "#n | abs", "#n | round(1)", "#n | int",
		"#n | float", "#s | int(3)", "#l | select('number') | sum", "[#n, #n] | max", "#s.count('a')", "#s.find('l')", "#l[0]", "#l | first", "[#n, 2][-1]", "#s | wordcount", "#d.get('a', 4)", "(#n ** 2)"},
	"str": {"(#s + #s)", "(#v ~ #v)", "#s | upper", "#s | title", "#s | lower | capitalize", "#s.strip()", "#s | replace('a', #s)", "#s[1:]", "#s[:#n | int]", "#s[::-1]", "#l | join(', ')", "#v | string", "#v | tojson",
		"#s | truncate(8)", "#s | default('d')", "data.nope | default(#s)", "#s | center(9)", "#s | indent(2)", "'%s/%s' | format(#v, #n)", "#s.split(' ') | last", "#s | trim", "#s.replace('l', 'L', 1)", "'{}:{}'.format(#v, #s)",
		"(#s * 2)", "#s | wordwrap(5)", "#s.join(['1', '2'])", "#v | pprint", "#l | map('string') | join", "#s | first", "#s | reverse", "#n | filesizeformat"},
	"bool": {"(not #v)", "(#n < #n)", "(#n == #n)", "(#s == #s)", "(#s != #v)", "(#n <= #n < #n)", "(#s in #s)", "(#v in #l)", "(#v not in #l)", "(#b and #b)", "(#b or #b)", "(#v is string)", "(#v is number)", "(#v is none)", "(#n | int is even)",
		"(#v is mapping)", "(#v is sequence)", "(#n | int is divisibleby(3))", "(#s is upper)", "(#v is sameas(true))", "(#v is not defined)", "#s.startswith('a')", "(#s > #s)", "(#v is eq(#v))", "(#v is boolean)", "(#d == #d)", "(#l == #l)"},
	"list": {"#l | list", "#l | reverse | list", "#s | list", "#l | select | list", "#l | map('string') | list", "(#l + #l)", "#l | unique | list", "[#v, #v]", "[#n, #n] | sort", "#l[1:]", "#l | batch(2) | list", "#s.split('l')", "#l | reject('none') | list",
		"#d.keys() | list", "#d | dictsort", "#l | map('upper') | list", "#d.items() | list", "data.users | selectattr('age') | map(attribute='name') | list", "rows | sort(attribute=#s) | list", "#l | slice(2) | list", "#s.splitlines()", "(#l * 2)", "rows | groupby('id') | list", "#l | select('in', #l) | list"},
	"dict": {"{'k': #v, #s: #n}", "dict(#d, z=#v)", "{'l': #l}", "#d | items | list | first | list", "{'a': #d}"},
}

func (w *writer) leaf(kind string) string { return bracketed(w.pick(leaves[kind]...)) }

var kinds = map[byte]string{'n': "num", 's': "str", 'b': "bool", 'l': "list", 'd': "dict"}

func (w *writer) fill(form string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		if form[i] != '#' {
			b.WriteByte(form[i])
			continue
		}
		i++
		kind, ok := kinds[form[i]]
		if !ok {
			kind = w.pick("num", "str", "bool", "list", "dict")
		}
		b.WriteString(bracketed(w.value(kind, depth)))
	}
	return b.String()
}

// bracketed puts brackets around what is more than names, points and digits.
func bracketed(e string) string {
	if strings.ContainsFunc(e, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) || e[0] <= '9' {
		return "(" + e + ")"
	}
	return e
}

// parts draws a part of a template.
func (w *writer) parts(depth int) string {
	var b strings.Builder
	for range 1 + w.number(1) {
		b.WriteString(w.part(depth))
	}
	return b.String()
}

func (w *writer) part(depth int) string {
	anything := func() string { return w.value(w.pick("num", "str", "bool", "list", "dict"), 1+w.number(1)) }
	dash := func() string { return w.pick("", "", "", "-") }
	if depth <= 0 || w.number(1) == 0 {
		return w.pick("text ", " a\n", "", "\n  ", "{# note #}", "{% raw %}{{ raw }}{% endraw %}") + "{{" + dash() + " " + anything() + " " + dash() + "}}"
	}
	switch w.number(6) {
	case 0, 1:
		text := "{%" + dash() + " if " + w.value("bool", 1) + " %}" + w.branch(depth)
		if w.number(1) == 0 {
			text += "{% elif " + anything() + " %}" + w.branch(depth)
		}
		if w.number(1) == 0 {
			text += "{% else %}" + w.branch(depth)
		}
		return text + "{% endif " + dash() + "%}"
	case 2, 3:
		return w.loop(depth, dash)
	case 4:
		kind := w.pick("num", "str", "list")
		value := w.value(kind, 1)
		return "{% set " + w.declare(kind) + " = " + value + " %}"
	case 5:
		body := w.branch(depth)
		return "{% set " + w.declare("str") + " %}" + body + "{% endset %}"
	}
	return w.macro(depth)
}

// declare names a variable, new or known.
func (w *writer) declare(kind string) string {
	if list := w.vars[kind]; len(list) > 0 && w.number(2) == 0 {
		if name := w.pick(list...); !strings.Contains(name, ".") {
			return name
		}
	}
	w.next++
	name := fmt.Sprintf("v%d", w.next)
	w.vars[kind] = append(w.vars[kind], name)
	return name
}

// branch draws parts whose variables are not there behind them.
func (w *writer) branch(depth int) string {
	before := map[string][]string{}
	for kind, list := range w.vars {
		before[kind] = list[:len(list):len(list)]
	}
	text := w.parts(depth - 1)
	w.vars = before
	return text
}

func (w *writer) loop(depth int, dash func() string) string {
	items, where := w.value("list", 1), ""
	before := w.vars
	w.vars = map[string][]string{"num": {"loop.index", "loop.length", "loop.revindex0"}, "bool": {"loop.first", "loop.last"}}
	for kind, list := range before {
		w.vars[kind] = append(w.vars[kind], list...)
	}
	w.next++
	name := fmt.Sprintf("v%d", w.next)
	if w.number(3) == 0 {
		where = " if " + name + " is " + w.pick("string", "number", "defined", "none")
	}
	w.vars["any"] = nil
	body := "{{ " + name + " }}" + w.branch(depth)
	w.vars = before
	text := "{% for " + name + " in " + items + where + " " + dash() + "%}" + body
	if w.number(2) == 0 {
		text += "{% else %}" + w.branch(depth)
	}
	return text + "{%" + dash() + " endfor %}"
}

func (w *writer) macro(depth int) string {
	w.next++
	name := fmt.Sprintf("m%d", w.next)
	before := w.vars
	// The parameters have names of their own: a default that reads a parameter of its
	// own name is undefined in Jinja2 even where there is one outside.
	first, second := "p"+name, "q"+name
	w.vars = map[string][]string{"str": {first}, "num": {second}}
	body := w.parts(depth - 1)
	w.vars = before
	call := name + "(" + w.value("str", 1) + w.pick("", ", "+w.value("num", 1), ", "+second+"="+w.value("num", 1)) + ")"
	w.vars["str"] = append(w.vars["str"][:len(w.vars["str"]):len(w.vars["str"])], call)
	return "{% macro " + name + "(" + first + ", " + second + "=" + w.value("num", 1) + ") %}" + body + "{% endmacro %}{{ " + call + " }}"
}
