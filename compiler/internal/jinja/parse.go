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

func (p *parser) look() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

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

// last is the token before the one at hand.
func (p *parser) last() token { return p.tokens[max(p.at-1, 0)] }

// since returns the place from a start to the end of the last token.
func (p *parser) since(start int) place {
	end := start
	if p.at > 0 {
		end = max(start, p.last().end)
	}
	return place{start, end}
}

// fail reports a fault, unless there was one, and ends the tag. The diagnostic is
// never nil.
func (p *parser) fail(at place, problem string) *diag.Diagnostic {
	d := finding.TemplateSyntax(p.faults.span(at), problem)
	p.give(d)
	return d
}

// give is fail with a diagnostic.
func (p *parser) give(d *diag.Diagnostic) {
	if !p.failed && !p.quiet {
		p.faults.add(d)
	}
	p.failed = true
	p.at = len(p.tokens) - 1
}

// unexpected reports the current token at the place of another.
func (p *parser) unexpected(want string) *diag.Diagnostic {
	t := p.peek()
	if t.kind == endToken {
		// The place is after the last token, where the rest is missing.
		if p.at > 0 {
			return p.fail(p.last().place, "expected "+want+" after this")
		}
		return p.fail(p.whole, "expected "+want)
	}
	return p.fail(t.place, "expected "+want+", got "+p.describe(t))
}

// describe is a token in words.
func (p *parser) describe(t token) string {
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
	p.unexpected("`" + op + "`")
	return false
}

// expectName reads a name; what describes it.
func (p *parser) expectName(what string) (token, bool) {
	if t := p.peek(); t.kind == nameToken {
		p.at++
		return t, true
	}
	p.unexpected(what)
	return token{place: p.peek().place}, false
}

// end reports tokens after the expected end of the tag.
func (p *parser) end() {
	t := p.peek()
	if t.kind == endToken || p.failed {
		return
	}
	switch {
	case t.kind == opToken && t.text == "=":
		p.give(assignment(p, t))
	case t.kind == opToken && t.text == ":" && p.at > 0:
		p.fail(t.place, "unexpected `:`").WithHelp("write `a ? b : c` as `b if a else c`")
	case t.kind == opToken && t.text == ";":
		p.fail(t.place, "unexpected `;`")
	case t.kind == opToken && (t.text == ")" || t.text == "]" || t.text == "}"):
		p.fail(t.place, "`"+t.text+"` has no opening bracket")
	case t.kind == nameToken && p.testBefore():
		p.fail(t.place, "this is the argument of the test before it").WithHelp("put the test in parentheses")
	default:
		p.fail(t.place, "missing operator before "+p.describe(t))
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

// assignment reads = in place of ==.
func assignment(p *parser, t token) *diag.Diagnostic {
	return finding.JinjaOperator(p.faults.span(t.place), "=", "==")
}

// enter counts a level of nesting; false when there are too many.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.peek().place, "this is nested too deeply")
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

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
