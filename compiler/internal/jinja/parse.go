package jinja

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

// maxDepth bounds how deep expressions and statements may be nested.
const maxDepth = 150

// parser parses the tokens of one tag. After a fault it treats the tag as ended, so
// a tag has at most one fault.
type parser struct {
	text   string
	tokens []token
	at     int
	depth  int
	failed bool
	// quiet says that a fault of the tag was reported before.
	quiet bool
	// whole is the place of the tag.
	whole  place
	faults *faults
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) peekSecond() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

func (p *parser) isOp(op string) bool {
	t := p.peek()
	return t.kind == opToken && t.text == op
}

func (p *parser) isName(name string) bool {
	t := p.peek()
	return t.kind == nameToken && t.text == name
}

func (p *parser) acceptOp(op string) bool {
	if p.isOp(op) {
		p.at++
		return true
	}
	return false
}

func (p *parser) acceptName(name string) bool {
	if p.isName(name) {
		p.at++
		return true
	}
	return false
}

// lastToken is the token before the one at hand.
func (p *parser) lastToken() token { return p.tokens[max(p.at-1, 0)] }

// placeSince returns the place from a start to the end of the last token.
func (p *parser) placeSince(start int) place {
	end := start
	if p.at > 0 {
		end = max(start, p.lastToken().end)
	}
	return place{start, end}
}

// reportFault reports a fault, unless there was one, and ends the tag. The diagnostic is
// never nil.
func (p *parser) reportFault(at place, problem string) *diag.Diagnostic {
	d := finding.TemplateSyntax(p.faults.placeSpan(at), problem)
	p.reportDiagnostic(d)
	return d
}

// reportDiagnostic is fail with a diagnostic.
func (p *parser) reportDiagnostic(d *diag.Diagnostic) {
	if !p.failed && !p.quiet {
		p.faults.add(d)
	}
	p.failed = true
	p.at = len(p.tokens) - 1
}

// reportUnexpected reports the current token at the place of another.
func (p *parser) reportUnexpected(want string) *diag.Diagnostic {
	t := p.peek()
	if t.kind == endToken {
		// The place is after the last token, where the rest is missing.
		if p.at > 0 {
			return p.reportFault(p.lastToken().place, "expected "+want+" after this")
		}
		return p.reportFault(p.whole, "expected "+want)
	}
	return p.reportFault(t.place, "expected "+want+", got "+p.describeToken(t))
}

// describeToken is a token in words.
func (p *parser) describeToken(t token) string {
	switch t.kind {
	case endToken:
		return "the end"
	case textToken:
		return "a string"
	case intToken, floatToken:
		return "the number " + p.text[t.start:t.end]
	}
	return "`" + t.text + "`"
}

func (p *parser) expectOp(op string) bool {
	if p.acceptOp(op) {
		return true
	}
	p.reportUnexpected("`" + op + "`")
	return false
}

// expectName reads a name; what describes it.
func (p *parser) expectName(what string) (token, bool) {
	if t := p.peek(); t.kind == nameToken {
		p.at++
		return t, true
	}
	p.reportUnexpected(what)
	return token{place: p.peek().place}, false
}

// expectEnd reports tokens after the expected end of the tag.
func (p *parser) expectEnd() {
	t := p.peek()
	if t.kind == endToken || p.failed {
		return
	}
	switch {
	case t.kind == opToken && t.text == "=":
		p.reportDiagnostic(assignmentFinding(p, t))
	case t.kind == opToken && t.text == ":" && p.at > 0:
		p.reportFault(t.place, "unexpected `:`").WithHelp("write `a ? b : c` as `b if a else c`")
	case t.kind == opToken && t.text == ";":
		p.reportFault(t.place, "unexpected `;`")
	case t.kind == opToken && (t.text == ")" || t.text == "]" || t.text == "}"):
		p.reportFault(t.place, "`"+t.text+"` has no opening bracket")
	case t.kind == nameToken && p.testBefore():
		p.reportFault(t.place, "this is the argument of the test before it").WithHelp("put the test in parentheses")
	default:
		p.reportFault(t.place, "missing operator before "+p.describeToken(t))
	}
}

// testBefore reports whether the last tokens are a test and its argument, such as
// `x is defined if` in which `if` was read as the argument.
func (p *parser) testBefore() bool {
	i := p.at - 3
	if i >= 0 && p.tokens[i].text == "not" {
		i--
	}
	return i >= 0 && p.tokens[i].kind == nameToken && p.tokens[i].text == "is"
}

// assignmentFinding is the finding for = instead of ==.
func assignmentFinding(p *parser, t token) *diag.Diagnostic {
	return finding.JinjaOperator(p.faults.placeSpan(t.place), "=", "==")
}

// enterLevel counts a level of nesting; false when there are too many.
func (p *parser) enterLevel() bool {
	if p.depth++; p.depth > maxDepth {
		p.reportFault(p.peek().place, "this is nested too deeply")
		return false
	}
	return true
}

func (p *parser) leaveLevel() { p.depth-- }

// cutShort reports whether a string in the tag contains the tag's end, so the fault
// may be a missing quote.
func cutShort(text string, tokens []token, closer string) bool {
	for _, t := range tokens {
		if t.kind == textToken && strings.Contains(text[t.start:t.end], closer) {
			return true
		}
	}
	return false
}
