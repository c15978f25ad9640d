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

func (p *parser) parseExpression() node {
	if !p.enterLevel() {
		return &badNode{p.peek().place}
	}
	defer p.leaveLevel()
	x := p.parseOr()
	for p.acceptName("if") {
		cond := p.parseOr()
		var els node
		if p.acceptName("else") {
			els = p.parseExpression()
		}
		x = &chooseNode{place: p.placeSince(x.where().start), cond: cond, then: x, els: els}
	}
	return x
}

func (p *parser) parseOr() node { return p.parseConnected("or", p.parseAnd) }

func (p *parser) parseAnd() node { return p.parseConnected("and", p.parseNot) }

func (p *parser) parseConnected(op string, operand func() node) node {
	x := operand()
	for p.isName(op) {
		at := p.take().place
		y := operand()
		x = &binaryNode{place: p.placeSince(x.where().start), op: op, opAt: at, x: x, y: y}
	}
	return x
}

func (p *parser) parseNot() node {
	if !p.isName("not") {
		return p.parseComparison()
	}
	start := p.take().start
	if !p.enterLevel() {
		return &badNode{p.peek().place}
	}
	defer p.leaveLevel()
	x := p.parseNot()
	return &unaryNode{place: p.placeSince(start), op: "not", x: x}
}

func (p *parser) parseComparison() node {
	x := p.parseSum()
	var links []comparison
	for {
		op, at, ok := p.parseCompareOp()
		if !ok {
			break
		}
		links = append(links, comparison{op: op, at: at, y: p.parseSum()})
	}
	if links == nil {
		return x
	}
	return &compareNode{place: p.placeSince(x.where().start), x: x, links: links}
}

// parseCompareOp takes the operator of a comparison.
func (p *parser) parseCompareOp() (op string, at place, ok bool) {
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
	if next := p.peekSecond(); p.isName("not") && next.kind == nameToken && next.text == "in" {
		p.at += 2
		return "not in", t.spanTo(next.place), true
	}
	return "", place{}, false
}

// parseBinary parses operands joined by operators of one rank, from left to right. ops has
// spaces around each operator.
func (p *parser) parseBinary(ops string, operand func() node) node {
	x := operand()
	for {
		t := p.peek()
		if t.kind != opToken || !strings.Contains(ops, " "+t.text+" ") {
			return x
		}
		p.at++
		y := operand()
		x = &binaryNode{place: p.placeSince(x.where().start), op: t.text, opAt: t.place, x: x, y: y}
	}
}

func (p *parser) parseSum() node { return p.parseBinary(" + - ", p.parseConcat) }

func (p *parser) parseConcat() node {
	x := p.parseProduct()
	if !p.isOp("~") {
		return x
	}
	parts := []node{x}
	for p.acceptOp("~") {
		parts = append(parts, p.parseProduct())
	}
	return &concatNode{place: p.placeSince(x.where().start), parts: parts}
}

func (p *parser) parseProduct() node { return p.parseBinary(" * / // % ", p.parsePower) }

func (p *parser) parsePower() node {
	return p.parseBinary(" ** ", func() node { return p.parseUnary(true) })
}

func (p *parser) parseUnary(filters bool) node {
	if !p.enterLevel() {
		return &badNode{p.peek().place}
	}
	defer p.leaveLevel()
	t := p.peek()
	var x node
	if p.acceptOp("-") || p.acceptOp("+") {
		inner := p.parseUnary(false)
		x = &unaryNode{place: p.placeSince(t.start), op: t.text, x: inner}
	} else {
		x = p.parsePrimary()
	}
	x = p.parsePostfix(x)
	if filters {
		x = p.parseFilters(x)
	}
	return x
}

// constants are the names of constants.
var constants = map[string]literalNode{
	"true": {text: "true", typ: types.Bool}, "True": {text: "true", typ: types.Bool},
	"false": {text: "false", typ: types.Bool}, "False": {text: "false", typ: types.Bool},
	"none": {text: "null", typ: types.Null}, "None": {text: "null", typ: types.Null},
}

func (p *parser) parsePrimary() node {
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
			x := p.parseTuple(true, true, ")")
			p.expectOp(")")
			if l, ok := x.(*listNode); ok && l.tuple {
				l.place = p.placeSince(t.start)
			}
			return x
		case "[":
			return p.parseList()
		case "{":
			return p.parseDict()
		}
	}
	if t.kind == opToken && t.text == "=" && p.at > 0 {
		p.reportDiagnostic(assignmentFinding(p, t))
	} else {
		p.reportUnexpected("an expression")
	}
	return &badNode{t.place}
}

// text_ joins adjacent strings.
func (p *parser) text_() node {
	start, value := p.peek().start, ""
	for p.peek().kind == textToken {
		value += p.take().text
	}
	return &literalNode{place: p.placeSince(start), text: value, typ: types.Text}
}

// parseTuple parses an expression, or several with commas between and perhaps behind
// them, which are a tuple. One of nothing is allowed in parentheses only. end is
// a name or bracket that ends it.
func (p *parser) parseTuple(parentheses, choose bool, end string) node {
	start := p.peek().start
	element := p.parseOr
	if choose {
		element = p.parseExpression
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
		return &listNode{place: p.placeSince(start), items: items, tuple: true}
	case len(items) == 0:
		p.reportUnexpected("an expression")
		return &badNode{p.peek().place}
	}
	return items[0]
}

func (p *parser) tupleEnd(end string) bool {
	t := p.peek()
	return t.kind == endToken || t.kind == opToken && t.text == ")" || t.kind == nameToken && t.text == end
}

func (p *parser) parseList() node {
	start := p.take().start
	var items []node
	for !p.isOp("]") && !p.failed {
		if len(items) > 0 && !p.takeSeparator("]") || p.isOp("]") {
			break
		}
		items = append(items, p.parseExpression())
	}
	p.expectOp("]")
	return &listNode{place: p.placeSince(start), items: items}
}

func (p *parser) parseDict() node {
	start := p.take().start
	d := &dictNode{}
	for !p.isOp("}") && !p.failed {
		if len(d.keys) > 0 && !p.takeSeparator("}") || p.isOp("}") {
			break
		}
		d.keys = append(d.keys, p.parseExpression())
		p.expectOp(":")
		d.values = append(d.values, p.parseExpression())
	}
	p.expectOp("}")
	d.place = p.placeSince(start)
	return d
}

// takeSeparator takes the comma between elements.
func (p *parser) takeSeparator(closer string) bool {
	if p.acceptOp(",") {
		return true
	}
	if t := p.peek(); t.kind == opToken && t.text == "=" {
		p.reportDiagnostic(assignmentFinding(p, t))
		return false
	}
	if p.peek().kind != endToken {
		p.reportFault(p.peek().place, "`,` or `"+closer+"` must come before "+p.describeToken(p.peek()))
	}
	return false
}
