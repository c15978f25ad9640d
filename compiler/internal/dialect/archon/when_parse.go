package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
)

// The grammar of `when`:
//
//	or      = and { "||" and }
//	and     = unary { "&&" unary }
//	unary   = "!" unary | "(" or ")" | compare
//	compare = reference operator literal
//
// Parentheses, `!` and double quotes are extensions of wfc. A condition with them
// gets a portability note, because the original engine skips its node. That engine
// evaluates a part of a condition only if the parts before it do not decide, so it
// ignores syntax errors behind a true `||`. Here they are errors like any other.
//
// The parser reports every fault of a condition in one run. Where the intent is
// plain (`=` for `==`, a bare word for a text), it continues with the corrected
// reading; elsewhere it leaves out the rest of the comparison. In both cases the
// result has expr.Bad for the missing part.

// maxWhenDepth bounds the nesting of a condition.
const maxWhenDepth = 200

type whenParser struct {
	text   source.Text
	tokens []whenToken // never empty; the last is whenEnd
	depth  int
	bag    *diag.Bag
	// resolve gives meaning to a reference that is well formed.
	resolve func(nodeRef) expr.Expr
	// insert is the value of a right side that reads inputs of a block; nil outside of
	// blocks.
	insert func(source.Text) expr.Expr
	// filter says that the condition is that of a trigger, which reads a payload and no node.
	filter bool
	// extended is the first place that the original grammar does not have.
	extended source.Span
	// gaveUp says that the rest of the condition was left out, so its missing parts
	// are not reported.
	gaveUp bool
}

// parseWhen parses a condition.
//
// In a condition with a fault that has no sure fix, no fix is sure: nobody knows yet what the
// whole condition says.
func parseWhen(text source.Text, resolve func(nodeRef) expr.Expr, insert func(source.Text) expr.Expr, bag *diag.Bag) expr.Expr {
	return (&whenParser{text: text, resolve: resolve, insert: insert}).parse(bag)
}

// parse parses the parser's condition, and passes what it found to bag.
func (p *whenParser) parse(bag *diag.Bag) expr.Expr {
	var found diag.Bag
	defer func() {
		list := found.Sorted()
		if slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error && d.BestFix(false) == nil }) {
			for _, d := range list {
				for i := range d.Fixes {
					d.Fixes[i].Safe = false
				}
			}
		}
		bag.Add(list...)
	}()
	text := p.text
	p.tokens, p.bag = lexWhen(text.Value), &found
	if p.peek().kind == whenEnd {
		p.bag.Add(finding.ConditionSyntax(text.Whole(), "the condition is empty").
			WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove `when`"))
		return &expr.Bad{At: text.Whole()}
	}
	e := p.parseOr()
	for p.peek().kind != whenEnd {
		p.reportStray()
		e = p.orFrom(e)
	}
	if p.extended.IsValid() && !p.filter {
		p.bag.Add(codes.ConditionExtension.New(p.extended, "the original engine cannot parse this condition and skips the node").
			WithHelp("avoid parentheses, `!` and double quotes"))
	}
	return e
}

func (p *whenParser) peek() whenToken { return p.tokens[0] }

func (p *whenParser) peekAt(n int) whenToken { return p.tokens[min(n, len(p.tokens)-1)] }

func (p *whenParser) next() whenToken {
	t := p.tokens[0]
	if t.kind != whenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *whenParser) tokenSpan(t whenToken) source.Span { return p.text.Span(t.start, t.end) }

func (p *whenParser) extendSpan(at source.Span) {
	if !p.extended.IsValid() {
		p.extended = at
	}
}

func (p *whenParser) parseOr() expr.Expr { return p.orFrom(p.parseAnd()) }

func (p *whenParser) orFrom(x expr.Expr) expr.Expr {
	for {
		op, ok := p.parseConnective()
		if !ok {
			return x
		}
		y := p.parseUnary()
		if op == expr.Or {
			y = p.andFrom(y)
		}
		x = &expr.Logic{At: x.Span().To(y.Span()), Op: op, X: x, Y: y}
	}
}

func (p *whenParser) parseAnd() expr.Expr { return p.andFrom(p.parseUnary()) }

func (p *whenParser) andFrom(x expr.Expr) expr.Expr {
	for {
		if op, _, ok := p.peekConnective(); ok && op == expr.And {
			p.parseConnective()
		} else if p.peek().kind == whenRef {
			p.bag.Add(finding.ConditionSyntax(p.tokenSpan(p.peek()), "missing operator between two comparisons").
				WithHelp("join them with `&&` (both must hold) or `||` (one must)"))
		} else {
			return x
		}
		y := p.parseUnary()
		x = &expr.Logic{At: x.Span().To(y.Span()), Op: expr.And, X: x, Y: y}
	}
}

// peekConnective returns the connective that the next token is or probably misspells.
func (p *whenParser) peekConnective() (op expr.LogicOp, right, ok bool) {
	switch t := p.peek(); {
	case p.startsFilter():
		return 0, false, false
	case t.kind == whenAnd:
		return expr.And, true, true
	case t.kind == whenOr:
		return expr.Or, true, true
	case t.kind == whenStrange && t.text == "&", t.kind == whenWord && strings.EqualFold(t.text, "and"):
		return expr.And, false, true
	case t.kind == whenStrange && t.text == "|", t.kind == whenWord && strings.EqualFold(t.text, "or"):
		return expr.Or, false, true
	}
	return 0, false, false
}

// startsFilter reports whether a filter of templates follows, such as `| length`.
func (p *whenParser) startsFilter() bool {
	if t := p.peek(); t.kind != whenStrange || t.text != "|" {
		return false
	}
	after := p.peekAt(1)
	return after.kind == whenWord && !strings.EqualFold(after.text, "not")
}

// reportFilter reports a filter and leaves it out with what belongs to it.
func (p *whenParser) reportFilter() {
	from := p.next()
	at := p.tokenSpan(from).To(p.tokenSpan(p.next()))
	p.bag.Add(finding.ConditionSyntax(at, "`"+at.Text()+"` is a filter, which conditions do not have").WithHelp(computeHelp))
	p.skipToConnective()
}

// parseConnective takes a connective, complaining about those of other languages.
func (p *whenParser) parseConnective() (expr.LogicOp, bool) {
	op, right, ok := p.peekConnective()
	if !ok {
		return 0, false
	}
	t := p.next()
	if !right {
		want := "&&"
		if op == expr.Or {
			want = "||"
		}
		p.reportReplacement(t, want, t.kind == whenWord) // `|` may be meant as a pipe
	}
	return op, true
}

func (p *whenParser) parseUnary() expr.Expr {
	t := p.peek()
	negation := t.kind == whenNot || t.kind == whenWord && strings.EqualFold(t.text, "not")
	if !negation && t.kind != whenOpen {
		return p.parseComparison()
	}
	if p.depth++; p.depth > maxWhenDepth {
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "the condition is nested too deeply"))
		p.tokens = p.tokens[len(p.tokens)-1:]
		p.gaveUp = true
		return &expr.Bad{At: p.tokenSpan(t)}
	}
	defer func() { p.depth-- }()
	p.next()
	if negation {
		if t.kind == whenWord {
			p.reportReplacement(t, "!", true)
		} else {
			p.extendSpan(p.tokenSpan(t))
		}
		x := p.parseUnary()
		return &expr.Not{At: p.tokenSpan(t).To(x.Span()), X: x}
	}
	return p.parseGroup(t)
}

// parseGroup parses the expression after an opening parenthesis.
func (p *whenParser) parseGroup(open whenToken) expr.Expr {
	p.extendSpan(p.tokenSpan(open))
	x := p.parseOr()
	for p.peek().kind != whenClose && p.peek().kind != whenEnd {
		p.reportStray()
		x = p.orFrom(x)
	}
	if p.peek().kind == whenClose {
		p.next()
		return x
	}
	if !p.gaveUp {
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(open), "the parenthesis is never closed"))
	}
	return x
}

// reportStray reports a token that cannot follow a comparison, and leaves out the tokens
// that belong to it.
func (p *whenParser) reportStray() {
	t := p.peek()
	switch t.kind {
	case whenStrange:
		if p.startsFilter() {
			p.reportFilter()
			return
		}
		p.reportFollower(t)
	case whenClose:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`)` has no opening parenthesis"))
	case whenOpenQuote:
		p.openQuote(t)
	case whenCompare:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "comparisons cannot be chained").
			WithHelp("join two comparisons with `&&`"))
	default:
		p.reportFollower(t)
	}
	p.next()
	p.skipToConnective()
}

func (p *whenParser) reportFollower(t whenToken) {
	help := "join two comparisons with `&&` or `||`"
	if t.start > 0 && p.text.Value[t.start-1] == '\'' {
		help = "put the string in double quotes: it contains a single quote"
	}
	p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` follows a complete comparison").WithHelp(help))
}

// skipToConnective leaves out tokens up to the next connective, closing parenthesis or the
// end; parentheses on the way are skipped whole.
func (p *whenParser) skipToConnective() {
	for depth := 0; ; p.next() {
		t := p.peek()
		if t.kind == whenEnd {
			return
		}
		if depth == 0 {
			if _, _, ok := p.peekConnective(); ok || t.kind == whenClose {
				return
			}
		}
		switch t.kind {
		case whenOpen:
			depth++
		case whenClose:
			depth--
		}
	}
}
