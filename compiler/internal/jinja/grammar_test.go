package jinja_test

import (
	"strings"

	"pgregory.net/rapid"
)

// grammar draws templates: lists of tokens, so that mutations can change them
// token by token.
type grammar struct {
	t *rapid.T
	// depth counts the templates and nested the expressions around.
	depth, nested int
}

func (g *grammar) pick(list ...string) string { return rapid.SampledFrom(list).Draw(g.t, "word") }

func (g *grammar) chance(in int) bool { return rapid.IntRange(1, in).Draw(g.t, "chance") == 1 }

func joinTypes(parts ...[]string) []string {
	var list []string
	for _, p := range parts {
		list = append(list, p...)
	}
	return list
}

func words(s string) []string { return strings.Fields(s) }

func (g *grammar) name() []string {
	return []string{g.pick("a", "b", "foo", "_x1", "größe", "loop2")}
}

// expression draws an expression.
func (g *grammar) expression() []string {
	if g.nested++; g.nested > 3 {
		defer func() { g.nested-- }()
		return g.atom()
	}
	defer func() { g.nested-- }()
	x := g.expression
	switch rapid.IntRange(0, 14).Draw(g.t, "form") {
	case 0:
		return joinTypes(x(), []string{g.pick("+", "-", "*", "/", "//", "%", "**", "~")}, x())
	case 1:
		return joinTypes(x(), []string{g.pick("==", "!=", "<", "<=", ">", ">=", "in")}, x())
	case 2:
		return joinTypes(x(), words("not in"), x())
	case 3:
		return joinTypes(x(), []string{g.pick("and", "or")}, x())
	case 4:
		return joinTypes([]string{g.pick("not", "-", "+")}, x())
	case 5:
		return joinTypes(x(), words("if"), x(), words("else"), x())
	case 6:
		return joinTypes(x(), words("if"), x())
	case 7:
		return joinTypes(words("("), x(), words(")"))
	case 8:
		return joinTypes(g.atom(), words("."), g.name())
	case 9:
		return joinTypes(g.atom(), words("["), g.subscript(), words("]"))
	case 10:
		return joinTypes(g.name(), g.arguments())
	case 11:
		return joinTypes(g.atom(), words("|"), g.filter())
	case 12:
		return joinTypes(g.atom(), g.test())
	}
	return g.atom()
}

func (g *grammar) atom() []string {
	switch rapid.IntRange(0, 8).Draw(g.t, "atom") {
	case 0:
		return []string{g.pick("1", "0", "42", "1_000", "0x1F", "00", "0b1", "1.5", "1e3", "2.5E-1")}
	case 1:
		return []string{g.pick("'a'", `"b"`, `'it\'s'`, `'\x41\n'`, `"}}"`, `'%}'`, `''`)}
	case 2:
		return []string{g.pick("true", "False", "none", "None")}
	case 3:
		return joinTypes(words("["), g.list(), words("]"))
	case 4:
		return joinTypes(words("("), g.list(), words(", )"))
	case 5:
		return words("{ 'k' : 1 }")
	}
	return g.name()
}

func (g *grammar) list() []string {
	list := g.atom()
	for range rapid.IntRange(0, 2).Draw(g.t, "more") {
		list = joinTypes(list, words(","), g.atom())
	}
	return list
}

func (g *grammar) subscript() []string {
	return rapid.SampledFrom([][]string{{"1"}, {":"}, {"1", ":"}, {":", "2"}, {":", ":", "2"}, {"1", ":", "2", ":", "3"}, {"'k'"}, {"a", "+", "1"}}).Draw(g.t, "subscript")
}

func (g *grammar) arguments() []string {
	return rapid.SampledFrom([][]string{words("( )"), words("( 1 )"), words("( 1 , b = 2 )"), words("( * a )"), words("( ** a )"), words("( 1 , * a , b = 2 , ** b )"), words("( b = 1 , )")}).Draw(g.t, "arguments")
}

func (g *grammar) filter() []string {
	return rapid.SampledFrom([][]string{{"upper"}, {"join", "(", "','", ")"}, {"default", "(", "1", ")", "|", "trim"}, {"length"}}).Draw(g.t, "filter")
}

func (g *grammar) test() []string {
	return rapid.SampledFrom([][]string{words("is defined"), words("is not none"), words("is divisibleby 3"), words("is in [ 1 ]"), words("is not eq ( 1 )"), words("is sameas a . b")}).Draw(g.t, "test")
}

func (g *grammar) open(kind string) string {
	return kind + g.pick("", "", "", "-", "+")
}

func (g *grammar) tag(inside ...string) []string {
	return joinTypes([]string{g.open("{%")}, inside, []string{g.pick("", "", "", "-", "+") + "%}"})
}

func (g *grammar) hole(inside []string) []string {
	return joinTypes([]string{g.open("{{")}, inside, []string{g.pick("", "", "", "-") + "}}"})
}

// template draws the tokens of a template.
func (g *grammar) template() []string {
	g.depth++
	defer func() { g.depth-- }()
	var list []string
	for range rapid.IntRange(1, 2).Draw(g.t, "parts") {
		list = append(list, g.part()...)
	}
	return list
}

func (g *grammar) part() []string {
	if g.depth > 2 {
		return g.hole(g.expression())
	}
	body := g.template
	switch rapid.IntRange(0, 13).Draw(g.t, "part") {
	case 0:
		return []string{g.pick("text", " \n", "}}", "%}", "{ {", "# }", "a{b")}
	case 1:
		return joinTypes(g.tag(joinTypes(words("if"), g.expression())...), body(), g.tag("elif", "a"), body(), g.tag("else"), body(), g.tag("endif"))
	case 2:
		return joinTypes(g.tag(joinTypes(words("if"), g.expression(), words(":"))...), body(), g.tag("endif"))
	case 3:
		return joinTypes(g.tag(joinTypes(words("for"), g.name(), words("in"), g.atom())...), body(), g.tag("endfor"))
	case 4:
		return joinTypes(g.tag(joinTypes(words("for a , ( b , foo ) in"), g.atom(), words("if"), g.expression())...), body(), g.tag("else"), body(), g.tag("endfor"))
	case 5:
		return g.tag(joinTypes(words("set"), g.name(), words("="), g.expression())...)
	case 6:
		return g.tag(words("set a , b = 1 , 2")...)
	case 7:
		return joinTypes(g.tag(words("set a | upper")...), body(), g.tag("endset"))
	case 8:
		return joinTypes(g.tag(words("with a = 1 , b = 2")...), body(), g.tag("endwith"))
	case 9:
		return joinTypes(g.tag(words("macro m ( a , b = 1 )")...), body(), g.tag("endmacro"), g.tag(words("call ( x ) m ( 1 )")...), body(), g.tag("endcall"))
	case 10:
		return joinTypes(g.tag(words("filter upper")...), body(), g.tag("endfilter"))
	case 11:
		return joinTypes(g.tag("raw"), words("{{ a"), g.tag("endraw"))
	case 12:
		return []string{"{#", "c {{", "#}"}
	}
	return g.hole(g.expression())
}

// mutated changes tokens at random.
func (g *grammar) mutated(list []string) []string {
	for range rapid.IntRange(0, 2).Draw(g.t, "mutations") {
		if len(list) < 2 {
			break
		}
		i := rapid.IntRange(0, len(list)-1).Draw(g.t, "at")
		switch rapid.IntRange(0, 3).Draw(g.t, "mutation") {
		case 0:
			list = joinTypes(list[:i], list[i+1:])
		case 1:
			list = joinTypes(list[:i+1], list[i:])
		case 2:
			j := rapid.IntRange(0, len(list)-1).Draw(g.t, "other")
			list = joinTypes(list)
			list[i], list[j] = list[j], list[i]
		case 3:
			list = joinTypes(list[:i], []string{g.pick("(", ")", "[", "]", "{", "}", ",", ":", "=", ".", "|", "is", "not", "if", "else", "in", "endif", "endfor", "*", "'", "{{", "}}", "{%", "%}", ";", "1", "a", "&&", "!", "007", "1.5.2")}, list[i:])
		}
	}
	return list
}

// templates draws templates, some of them faulty.
func templates() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		g := &grammar{t: t}
		list := g.template()
		if g.chance(2) {
			list = g.mutated(list)
		}
		return strings.Join(list, g.pick(" ", " ", " ", "\n"))
	})
}
