package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

func (p *condParser) parsePrimary() *term {
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
		return p.parseNamed(t, at)
	}
	if p.accept("(") {
		return p.parseGroup(t)
	}
	if t.kind == operatorToken && t.text == "!" {
		p.reportFault(t, "`!` cannot follow a comparison").WithHelp("write `!=`, or put parentheses around the negation")
		return p.parseNot()
	}
	p.reportMissingOperand(t)
	return &term{at: at}
}

// reportMissingOperand reports that an operand is missing before a token.
func (p *condParser) reportMissingOperand(t token) {
	problem := "the condition is incomplete at the end"
	if t.kind != endToken {
		problem = "missing value before `" + p.tokenText(t) + "`"
	}
	if p.at > 0 {
		if before := p.tokens[p.at-1]; before.kind == operatorToken && before.text != ")" {
			problem = "missing value after `" + p.tokenText(before) + "`"
			if before.bad {
				t.bad = true // reported as it is
			}
		}
	}
	if t.kind == endToken && t.start > 0 {
		t.start-- // the end itself has no character
	}
	p.reportFault(t, problem)
}

// parseGroup parses the expression after an opening parenthesis.
func (p *condParser) parseGroup(open token) *term {
	if !p.enterLevel(open) {
		return &term{at: p.text.Span(open.start, open.end)}
	}
	defer p.leaveLevel()
	x := p.parseOr()
	p.parseClosing(open)
	return x
}

// parseClosing reads the closing parenthesis that matches open.
func (p *condParser) parseClosing(open token) {
	for !p.accept(")") {
		t := p.peek()
		switch {
		case t.kind == endToken:
			p.reportFault(open, "the parenthesis is never closed")
			return
		case t.kind == operatorToken && t.text == ",":
			p.reportFault(t, "only conditions in `any()` and `all()` are separated by commas")
			p.at++
		default:
			p.reportFault(t, "missing operator before `"+p.tokenText(t)+"`")
		}
		p.parseOr()
	}
}

// parseNamed parses an operand that begins with a word: a constant, a call, a reference
// or a name.
func (p *condParser) parseNamed(t token, at source.Span) *term {
	if open := p.peek(); open.kind == operatorToken && open.text == "(" {
		return p.parseCall(t, at)
	}
	switch t.text {
	case "true", "false":
		return &term{kind: boolTerm, at: at, text: t.text}
	case "null":
		return &term{kind: nullTerm, at: at, text: t.text}
	}
	first, member, dotted := strings.Cut(t.text, ".")
	switch {
	case p.filter && first == finding.PayloadName:
		return &term{kind: payloadTerm, at: at, text: member}
	case p.filter:
		p.bag.Add(finding.NotPayload(at, t.text, finding.PayloadName+".action"))
		return &term{at: at}
	case !dotted:
		return &term{kind: nameTerm, at: at, text: t.text}
	case strings.Contains(member, "."):
		p.reportFault(t, "`"+t.text+"` follows a name, but values have no parts")
		return &term{at: at}
	case first == "state" && !isName(member, false):
		p.reportFault(t, "`"+member+"` is not a name of a variable").WithHelp("compare values only: conditions do not calculate")
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

// parseCall parses any(…) or all(…): one of the conditions, or all of them.
func (p *condParser) parseCall(t token, at source.Span) *term {
	kind := orTerm
	switch t.text {
	case "any":
	case "all":
		kind = andTerm
	case "not", "NOT", "Not":
		p.reportFault(t, "`"+t.text+"` is not an operator").WithHelp("write `!`")
	default:
		d := p.reportFault(t, "unknown function `"+t.text+"`: use `any` or `all`")
		if near := plain.Nearest(t.text, calls); near != "" {
			finding.Meant(d, at, near, near)
		}
	}
	open := p.take()
	if !p.enterLevel(open) {
		return &term{at: at}
	}
	defer p.leaveLevel()
	if end := p.peek(); p.accept(")") {
		p.reportFault(end, "`"+t.text+"()` needs at least one condition")
		return &term{at: at}
	}
	var x *term
	for {
		arg := p.parseArgument()
		if x == nil {
			x = arg
		} else {
			x = &term{kind: kind, at: x.at.To(arg.at), args: []*term{x, arg}}
		}
		if !p.accept(",") {
			break
		}
	}
	p.parseClosing(open)
	end := p.tokens[max(p.at-1, 0)]
	whole := *x
	whole.at = at.To(p.text.Span(end.start, end.end))
	if x.kind == nameTerm {
		whole.at = x.at // a single name stays where it is
	}
	return &whole
}

// parseArgument parses an argument of any() or all(): a text that is all of it is
// the name of an output.
func (p *condParser) parseArgument() *term {
	t := p.peek()
	if next := p.tokens[min(p.at+1, len(p.tokens)-1)]; t.kind == textToken && next.kind == operatorToken && (next.text == "," || next.text == ")") {
		p.at++
		return &term{kind: nameTerm, at: p.text.Span(t.start, t.end), text: t.text}
	}
	return p.parseOr()
}
