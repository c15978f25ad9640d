package jinja

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/types"
)

// Expressions, from the operators that bind least to those that bind most:
//
//	choose  = or { "if" or [ "else" choose ] }
//	or      = and { "or" and }
//	and     = not { "and" not }
//	not     = "not" not | compare
//	compare = sum { ("==" | "!=" | "<" | … | "in" | "not" "in") sum }
//	sum     = concat { ("+" | "-") concat }
//	concat  = product { "~" product }
//	product = power { ("*" | "/" | "//" | "%") power }
//	power   = unary { "**" unary }
//	unary   = ("-" | "+") unary without filters | primary, then postfixes, filters and tests
//
// so that -2 ** 2 is 4 and 2 ** 3 ** 2 is 64, other than in Python.

func (p *parser) expression() node {
	if !p.enter() {
		return &badNode{p.peek().place}
	}
	defer p.leave()
	x := p.or()
	for p.acceptName("if") {
		cond := p.or()
		var els node
		if p.acceptName("else") {
			els = p.expression()
		}
		x = &chooseNode{place: p.since(x.where().start), cond: cond, then: x, els: els}
	}
	return x
}

func (p *parser) or() node { return p.connected("or", p.and) }

func (p *parser) and() node { return p.connected("and", p.not) }

func (p *parser) connected(op string, operand func() node) node {
	x := operand()
	for p.isName(op) {
		at := p.take().place
		y := operand()
		x = &binaryNode{place: p.since(x.where().start), op: op, opAt: at, x: x, y: y}
	}
	return x
}

func (p *parser) not() node {
	if !p.isName("not") {
		return p.compare()
	}
	start := p.take().start
	if !p.enter() {
		return &badNode{p.peek().place}
	}
	defer p.leave()
	x := p.not()
	return &unaryNode{place: p.since(start), op: "not", x: x}
}

func (p *parser) compare() node {
	x := p.sum()
	var links []comparison
	for {
		op, at, ok := p.comparison()
		if !ok {
			break
		}
		links = append(links, comparison{op: op, at: at, y: p.sum()})
	}
	if links == nil {
		return x
	}
	return &compareNode{place: p.since(x.where().start), x: x, links: links}
}

// comparison takes the operator of a comparison.
func (p *parser) comparison() (op string, at place, ok bool) {
	t := p.peek()
	if t.kind == opToken {
		switch t.text {
		case "==", "!=", "<", "<=", ">", ">=":
			p.at++
			return t.text, t.place, true
		}
		return "", place{}, false
	}
	if p.acceptName("in") {
		return "in", t.place, true
	}
	if next := p.look(); p.isName("not") && next.kind == nameToken && next.text == "in" {
		p.at += 2
		return "not in", t.to(next.place), true
	}
	return "", place{}, false
}

// binary parses operands joined by operators of one rank, from left to right. ops has
// spaces around each operator.
func (p *parser) binary(ops string, operand func() node) node {
	x := operand()
	for {
		t := p.peek()
		if t.kind != opToken || !strings.Contains(ops, " "+t.text+" ") {
			return x
		}
		p.at++
		y := operand()
		x = &binaryNode{place: p.since(x.where().start), op: t.text, opAt: t.place, x: x, y: y}
	}
}

func (p *parser) sum() node { return p.binary(" + - ", p.concat) }

func (p *parser) concat() node {
	x := p.product()
	if !p.isOp("~") {
		return x
	}
	parts := []node{x}
	for p.acceptOp("~") {
		parts = append(parts, p.product())
	}
	return &concatNode{place: p.since(x.where().start), parts: parts}
}

func (p *parser) product() node { return p.binary(" * / // % ", p.power) }

func (p *parser) power() node {
	return p.binary(" ** ", func() node { return p.unary(true) })
}

func (p *parser) unary(filters bool) node {
	if !p.enter() {
		return &badNode{p.peek().place}
	}
	defer p.leave()
	t := p.peek()
	var x node
	if p.acceptOp("-") || p.acceptOp("+") {
		inner := p.unary(false)
		x = &unaryNode{place: p.since(t.start), op: t.text, x: inner}
	} else {
		x = p.primary()
	}
	x = p.postfix(x)
	if filters {
		x = p.filters(x)
	}
	return x
}

// constants are the names of constants.
var constants = map[string]literalNode{
	"true": {text: "true", typ: types.Bool}, "True": {text: "true", typ: types.Bool},
	"false": {text: "false", typ: types.Bool}, "False": {text: "false", typ: types.Bool},
	"none": {text: "null", typ: types.Null}, "None": {text: "null", typ: types.Null},
}

func (p *parser) primary() node {
	t := p.peek()
	switch t.kind {
	case nameToken:
		p.at++
		if c, ok := constants[t.text]; ok {
			c.place = t.place
			return &c
		}
		return &nameNode{place: t.place, name: t.text}
	case textToken:
		return p.text_()
	case intToken, floatToken:
		p.at++
		typ := types.Int
		if t.kind == floatToken {
			typ = types.Float
		}
		return &literalNode{place: t.place, text: t.text, typ: typ}
	case opToken:
		switch t.text {
		case "(":
			p.at++
			x := p.tuple(true, true, ")")
			p.expectOp(")")
			if l, ok := x.(*listNode); ok && l.tuple {
				l.place = p.since(t.start)
			}
			return x
		case "[":
			return p.list()
		case "{":
			return p.dict()
		}
	}
	if t.kind == opToken && t.text == "=" && p.at > 0 {
		p.give(assignment(p, t))
	} else {
		p.unexpected("an expression")
	}
	return &badNode{t.place}
}

// text_ joins adjacent strings.
func (p *parser) text_() node {
	start, value := p.peek().start, ""
	for p.peek().kind == textToken {
		value += p.take().text
	}
	return &literalNode{place: p.since(start), text: value, typ: types.Text}
}

// tuple parses an expression, or several with commas between and perhaps behind
// them, which are a tuple. One of nothing is allowed in parentheses only. end is
// a name or bracket that ends it.
func (p *parser) tuple(parentheses, choose bool, end string) node {
	start := p.peek().start
	element := p.or
	if choose {
		element = p.expression
	}
	return p.tupleOf(start, parentheses, end, element)
}

func (p *parser) tupleOf(start int, parentheses bool, end string, element func() node) node {
	var items []node
	comma := false
	for !p.tupleEnd(end) {
		items = append(items, element())
		if !p.acceptOp(",") {
			break
		}
		comma = true
	}
	switch {
	case comma || len(items) == 0 && parentheses:
		return &listNode{place: p.since(start), items: items, tuple: true}
	case len(items) == 0:
		p.unexpected("an expression")
		return &badNode{p.peek().place}
	}
	return items[0]
}

func (p *parser) tupleEnd(end string) bool {
	t := p.peek()
	return t.kind == endToken || t.kind == opToken && t.text == ")" || t.kind == nameToken && t.text == end
}

func (p *parser) list() node {
	start := p.take().start
	var items []node
	for !p.isOp("]") && !p.failed {
		if len(items) > 0 && !p.separator("]") || p.isOp("]") {
			break
		}
		items = append(items, p.expression())
	}
	p.expectOp("]")
	return &listNode{place: p.since(start), items: items}
}

func (p *parser) dict() node {
	start := p.take().start
	d := &dictNode{}
	for !p.isOp("}") && !p.failed {
		if len(d.keys) > 0 && !p.separator("}") || p.isOp("}") {
			break
		}
		d.keys = append(d.keys, p.expression())
		p.expectOp(":")
		d.values = append(d.values, p.expression())
	}
	p.expectOp("}")
	d.place = p.since(start)
	return d
}

// separator takes the comma between elements.
func (p *parser) separator(closer string) bool {
	if p.acceptOp(",") {
		return true
	}
	if t := p.peek(); t.kind == opToken && t.text == "=" {
		p.give(assignment(p, t))
		return false
	}
	if p.peek().kind != endToken {
		p.fail(p.peek().place, "`,` or `"+closer+"` must come before "+p.describe(p.peek()))
	}
	return false
}
