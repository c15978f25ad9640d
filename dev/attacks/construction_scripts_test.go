//go:build unix

package attacks

// The statements of Python and JavaScript that are drawn hand each value to out, which
// prints it with a bar behind it.

const (
	pythonHead     = "import sys\nsys.stdout.reconfigure(newline='')\ndef out(*values):\n    for x in values:\n        sys.stdout.write(str(x) + '|')\n"
	javascriptHead = "const out = (...values) => process.stdout.write(values.map((x) => x + '|').join(''))\n"
)

// content draws the inside of a literal between quotes.
func (d *drawer) content() text {
	return join(d.literal(), d.branch("", func() text { return join(d.hole(), d.literal()) }))
}

// pythonValue draws an expression.
func (d *drawer) pythonValue(depth int) text {
	kind := d.upTo(16)
	if depth <= 0 {
		kind %= 9
	}
	inner := func() text { return d.pythonValue(depth - 1) }
	switch kind {
	case 0:
		return d.hole()
	case 1:
		return d.content().in(`'①'`, "①")
	case 2:
		return d.content().in(`"①"`, "①")
	case 3:
		return d.content().in("'''①\n\"'''", "①\n\"")
	case 4:
		return d.content().in("\"\"\"'\n①\"\"\"", "'\n①")
	case 5:
		return d.content().in(`r'\d①'`, `\d①`)
	case 6:
		return d.content().in(`f'{1}①'`, "1①")
	case 7:
		return d.content().in(`rf"①\{2}"`, `①\2`)
	case 8:
		return d.content().in(`'\\①\'\x41'`, `\①'A`)
	case 9:
		return join(d.literal(), d.hole()).in(`f"①{'①'}"`, "①①")
	case 10:
		return in2(inner(), d.content(), `(① + '②')`, "①②")
	case 11:
		return in2(inner(), d.content(), "{'k': ①, \"l\": '②'}['k']", "①")
	case 12:
		return in2(inner(), inner(), "[①,\n   ②][1]", "②")
	case 13:
		return inner().in("(lambda x=①: x)()", "①")
	case 14:
		return in2(d.content(), d.content(), `('①' "②")`, "①②")
	case 15:
		return inner().in("('%s-{}' % ①)", "①-{}")
	}
	return inner().in("str(①)", "①")
}

// pythonLine draws a statement.
func (d *drawer) pythonLine() text {
	value := func() text { return d.pythonValue(2) }
	form := func(source, want string) text { return in2(value(), value(), source+"\n", want) }
	switch d.upTo(9) {
	case 0:
		return form("x = ①; y = ②\nout(x, y)", "①|②|")
	case 1:
		return form("def f(x, y=①):\n    z = ②\n    return x + y + z\nout(f('-'))", "-①②|")
	case 2:
		return form("class C:\n    a = ①\n    def b(self): return ②\nout(C.a, C().b())", "①|②|")
	case 3:
		return d.hole().in("if ① == '①' and \"①\" in [①]:\n    out('same')\n", "same|")
	case 4:
		return form("for x in (①, ②):\n    out(x) # «v» «n»", "①|②|")
	case 5:
		return same("").in("out(«n» + 1 - «n», '«n»' == str(«n»), [5, 6][«n» - «n»])\n", "1|True|5|")
	case 6:
		return form("with open(__import__('os').devnull, 'w') as f:\n    print(①, ②, file=f)", "")
	case 7:
		return form("import json\nout(json.loads(json.dumps([①, ②]))[1])", "②|")
	case 8:
		return form("try:\n    raise ValueError(①)\nexcept ValueError as e:\n    out(e, ②)", "①|②|")
	}
	return form("out(①,\n    ②)", "①|②|")
}

// javascriptValue draws an expression.
func (d *drawer) javascriptValue(depth int) text {
	kind := d.upTo(14)
	if depth <= 0 {
		kind %= 7
	}
	inner := func() text { return d.javascriptValue(depth - 1) }
	switch kind {
	case 0:
		return d.hole()
	case 1:
		return d.content().in(`'①'`, "①")
	case 2:
		return d.content().in(`"①"`, "①")
	case 3:
		return d.content().in("`①\n\"${1}`", "①\n\"1")
	case 4:
		return d.content().in("`'${2}①`", "'2①")
	case 5:
		return d.content().in("String.raw`\\d①`", `\d①`)
	case 6:
		return d.content().in(`'\\①\'\x41'`, `\①'A`)
	case 7:
		return in2(d.content(), inner(), "`①${②}`", "①②")
	case 8:
		return in2(inner(), d.content(), `(① + '②')`, "①②")
	case 9:
		return in2(inner(), d.content(), "({ k: ①, \"l\": '②' }).k", "①")
	case 10:
		return in2(inner(), inner(), "[①,\n   ②][1]", "②")
	case 11:
		return inner().in("((x = ①) => x)()", "①")
	case 12:
		return inner().in("(true ? ① : /'/)", "①")
	case 13:
		return inner().in("`${`${①}`}`", "①")
	}
	return inner().in("String(①)", "①")
}

// javascriptLine draws a statement.
func (d *drawer) javascriptLine() text {
	value := func() text { return d.javascriptValue(2) }
	form := func(source, want string) text { return in2(value(), value(), source+"\n", want) }
	switch d.upTo(8) {
	case 0:
		return form("{ const x = ①; let y = ②; out(x, y) }", "①|②|")
	case 1:
		return form("out(((x, y = ①) => { const z = ②; return x + y + z })('-'))", "-①②|")
	case 2:
		return form("{ class C { static a = ①; b() { return ② } } out(C.a, new C().b()) }", "①|②|")
	case 3:
		return d.hole().in("if (① === '①' && [\"①\"].includes(①)) out('same')\n", "same|")
	case 4:
		return form("for (const x of [①, ②]) out(x) // «v» «n»", "①|②|")
	case 5:
		return same("").in("out(«n» + 1 - «n», '«n»' === String(«n»), [5, 6][«n» - «n»])\n", "1|true|5|")
	case 6:
		return form("switch (①) { case '': out('other'); break; default: out(②) } /* «v» */", "②|")
	case 7:
		return form("out(JSON.parse(JSON.stringify([①, ②]))[1])", "②|")
	}
	return form("out(①,\n    ②)", "①|②|")
}
