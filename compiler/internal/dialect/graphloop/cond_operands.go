package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

func (p *condParser) prim() *term {
	t := p.peek()
	at := p.text.Span(t.start, t.end)
	switch t.kind {
	case textToken:
		p.at++
		return &term{kind: textTerm, at: at, text: t.text}
	case numberToken:
		p.at++
		return &term{kind: numberTerm, at: at, text: t.text}
	case wordToken:
		p.at++
		return p.named(t, at)
	}
	if p.accept("(") {
		return p.group(t)
	}
	if t.kind == operatorToken && t.text == "!" {
		p.fail(t, "`!` cannot follow a comparison").WithHelp("write `!=`, or put parentheses around the negation")
		return p.not()
	}
	p.missing(t)
	return &term{at: at}
}

// missing reports that an operand is missing before a token.
func (p *condParser) missing(t token) {
	problem := "the condition is incomplete at the end"
	if t.kind != endToken {
		problem = "missing value before `" + p.source(t) + "`"
	}
	if p.at > 0 {
		if before := p.tokens[p.at-1]; before.kind == operatorToken && before.text != ")" {
			problem = "missing value after `" + p.source(before) + "`"
			if before.bad {
				t.bad = true // reported as it is
			}
		}
	}
	if t.kind == endToken && t.start > 0 {
		t.start-- // the end itself has no character
	}
	p.fail(t, problem)
}

// group parses the expression after an opening parenthesis.
func (p *condParser) group(open token) *term {
	if !p.enter(open) {
		return &term{at: p.text.Span(open.start, open.end)}
	}
	defer p.leave()
	x := p.or()
	p.close(open)
	return x
}

// close reads the closing parenthesis that matches open.
func (p *condParser) close(open token) {
	for !p.accept(")") {
		t := p.peek()
		switch {
		case t.kind == endToken:
			p.fail(open, "the parenthesis is never closed")
			return
		case t.kind == operatorToken && t.text == ",":
			p.fail(t, "only conditions in `any()` and `all()` are separated by commas")
			p.at++
		default:
			p.fail(t, "missing operator before `"+p.source(t)+"`")
		}
		p.or()
	}
}

// named parses an operand that begins with a word: a constant, a call, a reference
// or a name.
func (p *condParser) named(t token, at source.Span) *term {
	if open := p.peek(); open.kind == operatorToken && open.text == "(" {
		return p.call(t, at)
	}
	switch t.text {
	case "true", "false":
		return &term{kind: boolTerm, at: at, text: t.text}
	case "null":
		return &term{kind: nullTerm, at: at, text: t.text}
	}
	first, member, dotted := strings.Cut(t.text, ".")
	switch {
	case !dotted:
		return &term{kind: nameTerm, at: at, text: t.text}
	case strings.Contains(member, "."):
		p.fail(t, "`"+t.text+"` follows a name, but values have no parts")
		return &term{at: at}
	case first == "state" && !isName(member, false):
		p.fail(t, "`"+member+"` is not a name of a variable").WithHelp("compare values only: conditions do not calculate")
		return &term{at: at}
	case first == "state":
		return &term{kind: stateTerm, at: at, text: member}
	case first == "outputs":
		return &term{kind: outputTerm, at: at, text: member}
	}
	return &term{kind: dottedTerm, at: at, text: first, member: member}
}

// calls are the functions of conditions.
var calls = []string{"any", "all"}

// call parses any(…) or all(…): one of the conditions, or all of them.
func (p *condParser) call(t token, at source.Span) *term {
	kind := orTerm
	switch t.text {
	case "any":
	case "all":
		kind = andTerm
	case "not", "NOT", "Not":
		p.fail(t, "`"+t.text+"` is not an operator").WithHelp("write `!`")
	default:
		d := p.fail(t, "unknown function `"+t.text+"`: use `any` or `all`")
		if near := plain.Nearest(t.text, calls); near != "" {
			finding.Meant(d, at, near, near)
		}
	}
	open := p.take()
	if !p.enter(open) {
		return &term{at: at}
	}
	defer p.leave()
	if end := p.peek(); p.accept(")") {
		p.fail(end, "`"+t.text+"()` needs at least one condition")
		return &term{at: at}
	}
	var x *term
	for {
		arg := p.argument()
		if x == nil {
			x = arg
		} else {
			x = &term{kind: kind, at: x.at.To(arg.at), args: []*term{x, arg}}
		}
		if !p.accept(",") {
			break
		}
	}
	p.close(open)
	end := p.tokens[max(p.at-1, 0)]
	whole := *x
	whole.at = at.To(p.text.Span(end.start, end.end))
	if x.kind == nameTerm {
		whole.at = x.at // a single name stays where it is
	}
	return &whole
}

// argument parses an argument of any() or all(): a text that is all of it is
// the name of an output.
func (p *condParser) argument() *term {
	t := p.peek()
	if next := p.tokens[min(p.at+1, len(p.tokens)-1)]; t.kind == textToken && next.kind == operatorToken && (next.text == "," || next.text == ")") {
		p.at++
		return &term{kind: nameTerm, at: p.text.Span(t.start, t.end), text: t.text}
	}
	return p.or()
}
