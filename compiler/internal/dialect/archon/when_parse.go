package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
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
	// extended is the first place that the original grammar does not have.
	extended source.Span
	// gaveUp says that the rest of the condition was left out, so its missing parts
	// are not reported.
	gaveUp bool
}

// parseWhen parses a condition.
func parseWhen(text source.Text, resolve func(nodeRef) expr.Expr, insert func(source.Text) expr.Expr, bag *diag.Bag) expr.Expr {
	p := &whenParser{text: text, tokens: lexWhen(text.Value), bag: bag, resolve: resolve, insert: insert}
	if p.peek().kind == whenEnd {
		bag.Add(finding.ConditionIncomplete(text.Whole(), "the condition is empty").
			WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove `when`"))
		return &expr.Bad{At: text.Whole()}
	}
	e := p.or()
	for p.peek().kind != whenEnd {
		p.stray()
		e = p.orFrom(e)
	}
	if p.extended.IsValid() {
		bag.Add(finding.ConditionExtension(p.extended))
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

func (p *whenParser) span(t whenToken) source.Span { return p.text.Span(t.start, t.end) }

func (p *whenParser) extend(at source.Span) {
	if !p.extended.IsValid() {
		p.extended = at
	}
}

func (p *whenParser) or() expr.Expr { return p.orFrom(p.and()) }

func (p *whenParser) orFrom(x expr.Expr) expr.Expr {
	for {
		op, ok := p.connective()
		if !ok {
			return x
		}
		y := p.unary()
		if op == expr.Or {
			y = p.andFrom(y)
		}
		x = &expr.Logic{At: x.Span().To(y.Span()), Op: op, X: x, Y: y}
	}
}

func (p *whenParser) and() expr.Expr { return p.andFrom(p.unary()) }

func (p *whenParser) andFrom(x expr.Expr) expr.Expr {
	for {
		if op, _, ok := connectiveOf(p.peek()); ok && op == expr.And {
			p.connective()
		} else if p.peek().kind == whenRef {
			p.bag.Add(finding.ConditionSyntax(p.span(p.peek()), "missing operator between two comparisons").
				WithHelp("join them with `&&` (both must hold) or `||` (one must)"))
		} else {
			return x
		}
		y := p.unary()
		x = &expr.Logic{At: x.Span().To(y.Span()), Op: expr.And, X: x, Y: y}
	}
}

// connectiveOf returns the connective that a token is or probably misspells.
func connectiveOf(t whenToken) (op expr.LogicOp, right, ok bool) {
	switch {
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

// connective takes a connective, complaining about those of other languages.
func (p *whenParser) connective() (expr.LogicOp, bool) {
	op, right, ok := connectiveOf(p.peek())
	if !ok {
		return 0, false
	}
	t := p.next()
	if !right {
		want := "&&"
		if op == expr.Or {
			want = "||"
		}
		p.bag.Add(p.replaced(finding.ConditionOperator(p.span(t), t.text), t, want))
	}
	return op, true
}

func (p *whenParser) unary() expr.Expr {
	t := p.peek()
	negation := t.kind == whenNot || t.kind == whenWord && strings.EqualFold(t.text, "not")
	if !negation && t.kind != whenOpen {
		return p.compare()
	}
	if p.depth++; p.depth > maxWhenDepth {
		p.bag.Add(finding.ConditionSyntax(p.span(t), "the condition is nested too deeply"))
		p.tokens = p.tokens[len(p.tokens)-1:]
		p.gaveUp = true
		return &expr.Bad{At: p.span(t)}
	}
	defer func() { p.depth-- }()
	p.next()
	if negation {
		if t.kind == whenWord {
			p.bag.Add(p.replaced(finding.ConditionOperator(p.span(t), t.text), t, "!"))
		} else {
			p.extend(p.span(t))
		}
		x := p.unary()
		return &expr.Not{At: p.span(t).To(x.Span()), X: x}
	}
	return p.group(t)
}

// group parses the expression after an opening parenthesis.
func (p *whenParser) group(open whenToken) expr.Expr {
	p.extend(p.span(open))
	x := p.or()
	for p.peek().kind != whenClose && p.peek().kind != whenEnd {
		p.stray()
		x = p.orFrom(x)
	}
	if p.peek().kind == whenClose {
		p.next()
		return x
	}
	if !p.gaveUp {
		p.bag.Add(finding.ConditionSyntax(p.span(open), "the parenthesis is never closed"))
	}
	return x
}

// stray reports a token that cannot follow a comparison, and leaves out the tokens
// that belong to it.
func (p *whenParser) stray() {
	t := p.peek()
	switch t.kind {
	case whenClose:
		p.bag.Add(finding.ConditionSyntax(p.span(t), "`)` has no opening parenthesis"))
	case whenOpenQuote:
		p.openQuote(t)
	case whenCompare:
		p.bag.Add(finding.ConditionSyntax(p.span(t), "comparisons cannot be chained").
			WithHelp("join two comparisons with `&&`"))
	default:
		help := "join two comparisons with `&&` or `||`"
		if t.start > 0 && p.text.Value[t.start-1] == '\'' {
			help = "put the string in double quotes: it contains a single quote"
		}
		p.bag.Add(finding.ConditionSyntax(p.span(t), "`"+t.text+"` follows a complete comparison").WithHelp(help))
	}
	p.next()
	p.skip()
}

// skip leaves out tokens up to the next connective, closing parenthesis or the
// end; parentheses on the way are skipped whole.
func (p *whenParser) skip() {
	for depth := 0; ; p.next() {
		t := p.peek()
		if t.kind == whenEnd {
			return
		}
		if depth == 0 {
			if _, _, ok := connectiveOf(t); ok || t.kind == whenClose {
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

// compare parses a comparison.
func (p *whenParser) compare() expr.Expr {
	first := p.peek()
	if first.kind != whenRef {
		return p.noReference(first)
	}
	p.next()
	x := p.reference(first)
	op, ok := p.operator(first)
	if !ok {
		return p.bad(first)
	}
	y := p.literal(op)
	return &expr.Compare{At: x.Span().To(y.Span()), Op: op, X: x, Y: y}
}

// bad represents everything from a token to the one before the next.
func (p *whenParser) bad(from whenToken) expr.Expr {
	return &expr.Bad{At: p.text.Span(from.start, max(from.end, p.before()))}
}

// before is the offset where the spaces before the next token start.
func (p *whenParser) before() int {
	return len(strings.TrimRightFunc(p.text.Value[:p.peek().start], isBlank))
}

var compareOps = map[string]expr.CompareOp{
	"==": expr.TextEqual, "!=": expr.TextNotEqual,
	"<": expr.NumberLess, "<=": expr.NumberLessEqual,
	">": expr.NumberGreater, ">=": expr.NumberGreaterEqual,
}

// meantOps are operators of other languages with the one to write here.
var meantOps = map[string]string{
	"=": "==", "===": "==", "!==": "!=", "<>": "!=", "~=": "!=", "=!": "!=",
	"=>": ">=", "=<": "<=", ">==": ">=", "<==": "<=",
	"is": "==", "eq": "==", "equals": "==", "-eq": "==",
	"ne": "!=", "neq": "!=", "-ne": "!=",
	"gt": ">", "-gt": ">", "ge": ">=", "gte": ">=", "-ge": ">=",
	"lt": "<", "-lt": "<", "le": "<=", "lte": "<=", "-le": "<=",
}

// foreignOps are operators of other languages that have no counterpart.
var foreignOps = []string{"contains", "includes", "in", "matches", "like", "startswith", "endswith", "starts_with", "ends_with"}

const computeHelp = "compute it in a bash node that prints `true` or `false`, and compare its output"

// operator parses the operator behind a comparison's left side.
func (p *whenParser) operator(left whenToken) (expr.CompareOp, bool) {
	t := p.peek()
	name := strings.ToLower(t.text)
	switch {
	case t.kind == whenCompare:
		p.next()
		return compareOps[t.text], true
	case (t.kind == whenStrange || t.kind == whenWord) && meantOps[name] != "":
		p.next()
		if name == "is" && p.peek().kind == whenWord && strings.EqualFold(p.peek().text, "not") {
			t.end, t.text, name = p.peek().end, t.text+" "+p.peek().text, "ne"
			p.next()
		}
		p.bag.Add(p.replaced(finding.ConditionOperator(p.span(t), t.text), t, meantOps[name]))
		return compareOps[meantOps[name]], true
	case t.kind == whenStrange && t.text != "&" && t.text != "|", t.kind == whenWord && slices.Contains(foreignOps, name):
		p.bag.Add(finding.ConditionOperator(p.span(t), t.text).WithHelp(computeHelp))
	case t.kind == whenString || t.kind == whenNumber:
		p.bag.Add(finding.ConditionSyntax(p.span(t), "missing operator before `"+t.text+"`").
			WithFix("insert `==`", p.text.Span(t.start, t.start), "== ", false))
	case t.kind == whenOpenQuote:
		p.openQuote(t)
	case t.kind == whenWord:
		if _, _, ok := connectiveOf(t); !ok {
			p.bag.Add(finding.ConditionOperator(p.span(t), t.text).WithHelp(computeHelp))
			break
		}
		p.incomplete(left)
	case t.kind == whenRef, t.kind == whenOpen, t.kind == whenNot:
		p.bag.Add(finding.ConditionSyntax(p.span(t), "`"+t.text+"` must be an operator"))
	default:
		p.incomplete(left)
	}
	p.skip()
	return 0, false
}

func (p *whenParser) incomplete(left whenToken) {
	p.bag.Add(finding.ConditionIncomplete(p.span(left), "`"+left.text+"` is not compared with anything").
		WithHelp("compare it: `" + left.text + " == 'yes'`, or `" + left.text + " != ''` for any string"))
}

// replaced adds the fix that puts a right token in place of a wrong one.
func (p *whenParser) replaced(d *diag.Diagnostic, t whenToken, want string) *diag.Diagnostic {
	return d.WithFix("replace `"+t.text+"` with `"+want+"`", p.span(t), want, true)
}

// literal parses a comparison's right side.
func (p *whenParser) literal(op expr.CompareOp) expr.Expr {
	t := p.peek()
	switch t.kind {
	case whenString:
		p.next()
		if t.text[0] == '"' {
			p.extend(p.span(t))
		}
		if p.insert != nil && strings.Contains(t.text, "$"+inputsScope+".") {
			return p.insert(p.text.Slice(t.start+1, t.end-1))
		}
		return &expr.Literal{At: p.span(t), Text: t.text[1 : len(t.text)-1], Typ: types.Text}
	case whenNumber:
		p.next()
		typ := types.Int
		if strings.Contains(t.text, ".") {
			typ = types.Float
		}
		return &expr.Literal{At: p.span(t), Text: t.text, Typ: typ}
	case whenWord:
		if _, _, ok := connectiveOf(t); ok {
			break
		}
		return p.word()
	case whenOpenQuote:
		p.openQuote(t)
		p.skip()
		return p.bad(t)
	case whenRef:
		p.next()
		if name, end := scanInput(t.text, 0); p.insert != nil && name != "" && end == len(t.text) {
			return p.insert(p.text.Slice(t.start, t.end))
		}
		p.reference(t)
		p.bag.Add(finding.ConditionLiteral(p.span(t), "`"+t.text+"` must be a string or a number on the right side").
			WithHelp(computeHelp))
		return p.bad(t)
	case whenEnd, whenAnd, whenOr, whenClose:
	default:
		p.bag.Add(finding.ConditionSyntax(p.span(t), "`"+t.text+"` must be a string or a number"))
		p.skip()
		return p.bad(t)
	}
	at := p.text.Span(p.before(), p.before())
	p.bag.Add(finding.ConditionIncomplete(at, "missing value after `"+op.String()+"`").
		WithHelp("write a string in single quotes, a number, `true` or `false`"))
	return &expr.Bad{At: at}
}

// word parses a right side without quotes: true and false are texts, whatever else
// is an error that continues as if it were quoted.
func (p *whenParser) word() expr.Expr {
	t := p.next()
	if t.text == "true" || t.text == "false" {
		return &expr.Literal{At: p.span(t), Text: t.text, Typ: types.Bool}
	}
	for p.peek().kind == whenWord {
		if _, _, ok := connectiveOf(p.peek()); ok {
			break
		}
		t.end = p.next().end
	}
	t.text = p.text.Value[t.start:t.end]
	at := p.span(t)
	d := finding.ConditionLiteral(at, "the string `"+t.text+"` has no quotes")
	if bare := strings.TrimPrefix(t.text, "+"); bare != t.text && isWhenNumber(bare) {
		d = finding.ConditionLiteral(at, "a number must not have a `+`").
			WithFix("remove the `+`", at, bare, true)
	} else if low := strings.ToLower(t.text); low == "true" || low == "false" {
		d.WithFix("replace with `"+low+"`", at, low, false)
	} else if low == "null" || low == "none" || low == "nil" {
		d.WithHelp("use `''`: a missing value is an empty string")
	} else if t.text[0] == '-' || t.text[0] == '.' || isDigit(t.text[0]) {
		d.WithHelp("write a number as digits, with an optional minus sign and fraction")
	}
	if !strings.ContainsAny(t.text, "'`") {
		quoted := "'" + t.text + "'"
		d.WithFix("write "+quoted, at, quoted, false)
	}
	p.bag.Add(d)
	return &expr.Literal{At: at, Text: t.text, Typ: types.Invalid}
}

func (p *whenParser) openQuote(t whenToken) {
	quote := t.text[:1]
	p.bag.Add(finding.ConditionQuote(p.text.Span(t.start, t.start+1), quote))
	p.gaveUp = true
}
