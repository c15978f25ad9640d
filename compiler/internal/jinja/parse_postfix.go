package jinja

import (
	"github.com/wfc-lang/wfc/internal/types"
)

// parsePostfix parses the attributes, items and calls after an operand.
func (p *parser) parsePostfix(x node) node {
	for {
		switch {
		case p.isOp("."):
			x = p.parseAttribute(x)
		case p.isOp("["):
			x = p.parseItem(x)
		case p.isOp("("):
			x = p.parseCall(x)
		default:
			return x
		}
	}
}

// parseFilters parses filters, tests and further calls.
func (p *parser) parseFilters(x node) node {
	for {
		switch {
		case p.isOp("|"):
			p.at++
			x = p.parseFilter(x)
		case p.isName("is"):
			x = p.parseTest(x)
		case p.isOp("("):
			x = p.parseCall(x)
		default:
			return x
		}
	}
}

func (p *parser) parseAttribute(x node) node {
	dot := p.take().start
	t := p.peek()
	switch t.kind {
	case nameToken:
		p.at++
		return &attrNode{place: p.placeSince(x.where().start), x: x, name: t.text, at: t.place, dot: dot}
	case intToken:
		p.at++
		return &itemNode{place: p.placeSince(x.where().start), x: x, key: &literalNode{place: t.place, text: t.text, typ: types.Int}}
	}
	p.reportUnexpected("the name of an attribute or a number")
	return &badNode{p.placeSince(x.where().start)}
}

func (p *parser) parseItem(x node) node {
	open := p.take()
	var keys []node
	for !p.isOp("]") && !p.failed {
		if len(keys) > 0 && !p.takeSeparator("]") {
			break
		}
		keys = append(keys, p.parseSubscript())
	}
	p.expectOp("]")
	at := p.placeSince(x.where().start)
	if len(keys) == 1 {
		return &itemNode{place: at, x: x, key: keys[0]}
	}
	return &itemNode{place: at, x: x, key: &listNode{place: p.placeSince(open.start), items: keys, tuple: true}}
}

// parseSubscript parses the content of brackets: an expression or a slice.
func (p *parser) parseSubscript() node {
	start := p.peek().start
	var low node
	if !p.isOp(":") {
		low = p.parseExpression()
		if !p.isOp(":") {
			return low
		}
	}
	p.take()
	s := &sliceNode{low: low}
	if !p.isOp(":") {
		s.high = p.parseBound()
	}
	if p.acceptOp(":") {
		s.step = p.parseBound()
	}
	s.place = p.placeSince(start)
	return s
}

func (p *parser) parseBound() node {
	if p.isOp("]") || p.isOp(",") {
		return nil
	}
	return p.parseExpression()
}

func (p *parser) parseCall(fn node) node {
	args := p.parseArguments()
	return &callNode{place: p.placeSince(fn.where().start), fn: fn, args: args}
}

// parseArguments parses the arguments of a call with their parentheses.
func (p *parser) parseArguments() []argument {
	p.expectOp("(")
	var args []argument
	named, list, dict := false, false, false
	for !p.isOp(")") && !p.failed {
		if len(args) > 0 && !p.takeSeparator(")") || p.isOp(")") {
			break
		}
		t := p.peek()
		a := argument{at: t.place}
		switch next := p.peekSecond(); {
		case p.acceptOp("*"):
			if list || dict {
				p.reportFault(t.place, "only one `*` is allowed, before any `**`")
			}
			list, a.stars = true, 1
		case p.acceptOp("**"):
			if dict {
				p.reportFault(t.place, "only one `**` is allowed")
			}
			dict, a.stars = true, 2
		case t.kind == nameToken && next.kind == opToken && next.text == "=":
			if dict {
				p.reportFault(t.place, "no argument is allowed after `**`")
			}
			p.at += 2
			named, a.name = true, t.text
			p.reportRepeated(args, t)
		case named || list || dict:
			p.reportFault(t.place, "unnamed arguments must come before named ones")
		}
		a.value = p.parseExpression()
		args = append(args, a)
	}
	p.expectOp(")")
	return args
}

func (p *parser) reportRepeated(args []argument, t token) {
	for _, a := range args {
		if a.name == t.text {
			p.reportFault(t.place, "the argument `"+t.text+"` is given twice").WithRelated(p.faults.placeSpan(a.at), "first used here")
		}
	}
}

// parseFilter parses the name and arguments of a filter, whose | is taken.
func (p *parser) parseFilter(x node) node {
	start := p.peek().start
	if x != nil {
		start = x.where().start
	}
	name, at, ok := p.parseDottedName("the name of a filter")
	if !ok {
		return &badNode{p.placeSince(start)}
	}
	f := &filterNode{x: x, name: name, at: at}
	if p.isOp("(") {
		f.args = p.parseArguments()
	}
	f.place = p.placeSince(start)
	return f
}

// parseDottedName parses the name of a filter or a test, which may hold points.
func (p *parser) parseDottedName(what string) (name string, at place, ok bool) {
	t, ok := p.expectName(what)
	name, at = t.text, t.place
	for ok && p.acceptOp(".") {
		t, ok = p.expectName(what)
		name, at = name+"."+t.text, at.spanTo(t.place)
	}
	return name, at, ok
}

// parseTest parses `is` and a test, which may have one argument without parentheses.
func (p *parser) parseTest(x node) node {
	p.take()
	not := p.acceptName("not")
	name, at, ok := p.parseDottedName("the name of a test")
	if !ok {
		return &badNode{p.placeSince(x.where().start)}
	}
	n := &testNode{x: x, name: name, at: at, not: not}
	switch t := p.peek(); {
	case p.isOp("("):
		n.args = p.parseArguments()
	case p.isName("is"):
		p.reportFault(t.place, "tests cannot follow each other").WithHelp("put the first test in parentheses, or join them with `and`")
	case p.startsPrimary():
		n.args = []argument{{at: t.place, value: p.parsePostfix(p.parsePrimary())}}
	}
	n.place = p.placeSince(x.where().start)
	return n
}

// startsPrimary reports whether the argument of a test begins here. Every name is
// one, but for those three.
func (p *parser) startsPrimary() bool {
	t := p.peek()
	switch t.kind {
	case nameToken:
		return t.text != "else" && t.text != "or" && t.text != "and"
	case opToken:
		return t.text == "[" || t.text == "{"
	}
	return t.kind != endToken
}
