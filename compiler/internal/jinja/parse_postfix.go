package jinja

import (
	"github.com/wfc-lang/wfc/internal/types"
)

// postfix parses the attributes, items and calls after an operand.
func (p *parser) postfix(x node) node {
	for {
		switch {
		case p.isOp("."):
			x = p.attribute(x)
		case p.isOp("["):
			x = p.item(x)
		case p.isOp("("):
			x = p.call(x)
		default:
			return x
		}
	}
}

// filters parses filters, tests and further calls.
func (p *parser) filters(x node) node {
	for {
		switch {
		case p.isOp("|"):
			p.at++
			x = p.filter(x)
		case p.isName("is"):
			x = p.test(x)
		case p.isOp("("):
			x = p.call(x)
		default:
			return x
		}
	}
}

func (p *parser) attribute(x node) node {
	dot := p.take().start
	t := p.peek()
	switch t.kind {
	case nameToken:
		p.at++
		return &attrNode{place: p.since(x.where().start), x: x, name: t.text, at: t.place, dot: dot}
	case intToken:
		p.at++
		return &itemNode{place: p.since(x.where().start), x: x, key: &literalNode{place: t.place, text: t.text, typ: types.Int}}
	}
	p.unexpected("the name of an attribute or a number")
	return &badNode{p.since(x.where().start)}
}

func (p *parser) item(x node) node {
	open := p.take()
	var keys []node
	for !p.isOp("]") && !p.failed {
		if len(keys) > 0 && !p.separator("]") {
			break
		}
		keys = append(keys, p.subscript())
	}
	p.expectOp("]")
	at := p.since(x.where().start)
	if len(keys) == 1 {
		return &itemNode{place: at, x: x, key: keys[0]}
	}
	return &itemNode{place: at, x: x, key: &listNode{place: p.since(open.start), items: keys, tuple: true}}
}

// subscript parses the content of brackets: an expression or a slice.
func (p *parser) subscript() node {
	start := p.peek().start
	var low node
	if !p.isOp(":") {
		low = p.expression()
		if !p.isOp(":") {
			return low
		}
	}
	p.take()
	s := &sliceNode{low: low}
	if !p.isOp(":") {
		s.high = p.bound()
	}
	if p.acceptOp(":") {
		s.step = p.bound()
	}
	s.place = p.since(start)
	return s
}

func (p *parser) bound() node {
	if p.isOp("]") || p.isOp(",") {
		return nil
	}
	return p.expression()
}

func (p *parser) call(fn node) node {
	args := p.arguments()
	return &callNode{place: p.since(fn.where().start), fn: fn, args: args}
}

// arguments parses the arguments of a call with their parentheses.
func (p *parser) arguments() []argument {
	p.expectOp("(")
	var args []argument
	named, list, dict := false, false, false
	for !p.isOp(")") && !p.failed {
		if len(args) > 0 && !p.separator(")") || p.isOp(")") {
			break
		}
		t := p.peek()
		a := argument{at: t.place}
		switch next := p.look(); {
		case p.acceptOp("*"):
			if list || dict {
				p.fail(t.place, "only one `*` is allowed, before any `**`")
			}
			list, a.stars = true, 1
		case p.acceptOp("**"):
			if dict {
				p.fail(t.place, "only one `**` is allowed")
			}
			dict, a.stars = true, 2
		case t.kind == nameToken && next.kind == opToken && next.text == "=":
			if dict {
				p.fail(t.place, "no argument is allowed after `**`")
			}
			p.at += 2
			named, a.name = true, t.text
			p.repeated(args, t)
		case named || list || dict:
			p.fail(t.place, "unnamed arguments must come before named ones")
		}
		a.value = p.expression()
		args = append(args, a)
	}
	p.expectOp(")")
	return args
}

func (p *parser) repeated(args []argument, t token) {
	for _, a := range args {
		if a.name == t.text {
			p.fail(t.place, "the argument `"+t.text+"` is given twice").WithRelated(p.faults.span(a.at), "first used here")
		}
	}
}

// filter parses the name and arguments of a filter, whose | is taken.
func (p *parser) filter(x node) node {
	start := p.peek().start
	if x != nil {
		start = x.where().start
	}
	name, at, ok := p.dotted("the name of a filter")
	if !ok {
		return &badNode{p.since(start)}
	}
	f := &filterNode{x: x, name: name, at: at}
	if p.isOp("(") {
		f.args = p.arguments()
	}
	f.place = p.since(start)
	return f
}

// dotted parses the name of a filter or a test, which may hold points.
func (p *parser) dotted(what string) (name string, at place, ok bool) {
	t, ok := p.expectName(what)
	name, at = t.text, t.place
	for ok && p.acceptOp(".") {
		t, ok = p.expectName(what)
		name, at = name+"."+t.text, at.to(t.place)
	}
	return name, at, ok
}

// test parses `is` and a test, which may have one argument without parentheses.
func (p *parser) test(x node) node {
	p.take()
	not := p.acceptName("not")
	name, at, ok := p.dotted("the name of a test")
	if !ok {
		return &badNode{p.since(x.where().start)}
	}
	n := &testNode{x: x, name: name, at: at, not: not}
	switch t := p.peek(); {
	case p.isOp("("):
		n.args = p.arguments()
	case p.isName("is"):
		p.fail(t.place, "tests cannot follow each other").WithHelp("put the first test in parentheses, or join them with `and`")
	case p.startsPrimary():
		n.args = []argument{{at: t.place, value: p.postfix(p.primary())}}
	}
	n.place = p.since(x.where().start)
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
