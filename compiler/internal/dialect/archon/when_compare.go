package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/types"
)

// parseComparison parses a comparison.
func (p *whenParser) parseComparison() expr.Expr {
	first := p.peek()
	if first.kind != whenRef {
		return p.noReference(first)
	}
	p.next()
	x := p.parseReference(first)
	op, ok := p.parseOperator(first)
	if !ok {
		return p.badExpr(first)
	}
	y := p.parseLiteral(op)
	return &expr.Compare{At: x.Span().To(y.Span()), Op: op, X: x, Y: y}
}

// badExpr represents everything from a token to the one before the next.
func (p *whenParser) badExpr(from whenToken) expr.Expr {
	return &expr.Bad{At: p.text.Span(from.start, max(from.end, p.offsetBeforeNext()))}
}

// offsetBeforeNext is the offset where the spaces before the next token start.
func (p *whenParser) offsetBeforeNext() int {
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

// doubtfulOps are those of meantOps that may as well be a slip or mean something else.
var doubtfulOps = []string{"~=", "=!", "=>"}

// foreignOps are operators of other languages that have no counterpart.
var foreignOps = []string{"contains", "includes", "in", "matches", "like", "startswith", "endswith", "starts_with", "ends_with"}

const computeHelp = "compute it in a bash node that prints `true` or `false`, and compare its output"

// parseOperator parses the operator behind a comparison's left side.
func (p *whenParser) parseOperator(left whenToken) (expr.CompareOp, bool) {
	t := p.peek()
	name := strings.ToLower(t.text)
	switch {
	case p.startsFilter():
		p.reportFilter()
		return 0, false
	case t.kind == whenCompare:
		p.next()
		return compareOps[t.text], true
	case (t.kind == whenStrange || t.kind == whenWord) && meantOps[name] != "":
		p.next()
		if name == "is" && p.peek().kind == whenWord && strings.EqualFold(p.peek().text, "not") {
			t.end, t.text, name = p.peek().end, t.text+" "+p.peek().text, "ne"
			p.next()
		}
		p.reportReplacement(t, meantOps[name], !slices.Contains(doubtfulOps, t.text))
		return compareOps[meantOps[name]], true
	case t.kind == whenStrange && t.text != "&" && t.text != "|", t.kind == whenWord && slices.Contains(foreignOps, name):
		p.bag.Add(finding.ConditionOperator(p.tokenSpan(t), t.text).WithHelp(computeHelp))
	case t.kind == whenString || t.kind == whenNumber:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "missing operator before `"+t.text+"`").
			WithFix("insert `==`", p.text.Span(t.start, t.start), "== "))
	case t.kind == whenOpenQuote:
		p.openQuote(t)
	case t.kind == whenWord:
		if _, _, ok := p.peekConnective(); !ok {
			p.bag.Add(finding.ConditionOperator(p.tokenSpan(t), t.text).WithHelp(computeHelp))
			break
		}
		p.reportIncomplete(left)
	case t.kind == whenRef, t.kind == whenOpen, t.kind == whenNot:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` must be an operator"))
	default:
		p.reportIncomplete(left)
	}
	p.skipToConnective()
	return 0, false
}

func (p *whenParser) reportIncomplete(left whenToken) {
	p.bag.Add(finding.ConditionSyntax(p.tokenSpan(left), "`"+left.text+"` is not compared with anything").
		WithHelp("compare it: `" + left.text + " == 'yes'`, or `" + left.text + " != ''` for any string"))
}

// reportReplacement reports an operator of another language and the one to write in its place. sure
// says that the operator has this meaning alone.
func (p *whenParser) reportReplacement(t whenToken, want string, sure bool) {
	d := finding.ConditionOperator(p.tokenSpan(t), t.text)
	if sure {
		d.WithSureFix("replace `"+t.text+"` with `"+want+"`", p.tokenSpan(t), want)
	} else {
		finding.Meant(d, p.tokenSpan(t), want, want)
	}
	p.bag.Add(d)
}

// parseLiteral parses a comparison's right side.
func (p *whenParser) parseLiteral(op expr.CompareOp) expr.Expr {
	t := p.peek()
	switch t.kind {
	case whenString:
		p.next()
		if t.text[0] == '"' {
			p.extendSpan(p.tokenSpan(t))
		}
		if p.insert != nil && strings.Contains(t.text, "$"+inputsScope+".") {
			return p.insert(p.text.Slice(t.start+1, t.end-1))
		}
		return &expr.Literal{At: p.tokenSpan(t), Text: t.text[1 : len(t.text)-1], Typ: types.Text}
	case whenNumber:
		p.next()
		typ := types.Int
		if strings.Contains(t.text, ".") {
			typ = types.Float
		}
		return &expr.Literal{At: p.tokenSpan(t), Text: t.text, Typ: typ}
	case whenWord:
		if _, _, ok := p.peekConnective(); ok {
			break
		}
		return p.parseWord()
	case whenOpenQuote:
		p.openQuote(t)
		p.skipToConnective()
		return p.badExpr(t)
	case whenRef:
		p.next()
		if name, end := scanInput(t.text, 0); p.insert != nil && name != "" && end == len(t.text) {
			return p.insert(p.text.Slice(t.start, t.end))
		}
		p.parseReference(t)
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` must be a string or a number on the right side").
			WithHelp(computeHelp))
		return p.badExpr(t)
	case whenEnd, whenAnd, whenOr, whenClose:
	default:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` must be a string or a number"))
		p.skipToConnective()
		return p.badExpr(t)
	}
	at := p.text.Span(p.offsetBeforeNext(), p.offsetBeforeNext())
	p.bag.Add(finding.ConditionSyntax(at, "missing value after `"+op.String()+"`").
		WithHelp("write a string in single quotes, a number, `true` or `false`"))
	return &expr.Bad{At: at}
}

// parseWord parses a right side without quotes: true and false are strings. Any other word is
// an error, and parsing continues as if it were quoted.
func (p *whenParser) parseWord() expr.Expr {
	t := p.next()
	if t.text == "true" || t.text == "false" {
		return &expr.Literal{At: p.tokenSpan(t), Text: t.text, Typ: types.Bool}
	}
	for p.peek().kind == whenWord {
		if _, _, ok := p.peekConnective(); ok {
			break
		}
		t.end = p.next().end
	}
	t.text = p.text.Value[t.start:t.end]
	at := p.tokenSpan(t)
	if finding.CurlyLength(t.text) > 0 {
		p.bag.Add(finding.CurlyQuotes(finding.ConditionSyntax, at, t.text, "'"))
		return &expr.Literal{At: at, Text: t.text, Typ: types.Invalid}
	}
	d := finding.ConditionSyntax(at, "the string `"+t.text+"` has no quotes")
	if bare := strings.TrimPrefix(t.text, "+"); bare != t.text && isWhenNumber(bare) {
		d = finding.ConditionSyntax(at, "a number must not have a `+`").
			WithSureFix("remove the `+`", at, bare)
	} else if low := strings.ToLower(t.text); low == "true" || low == "false" {
		d.WithFix("replace with `"+low+"`", at, low)
	} else if low == "null" || low == "none" || low == "nil" {
		d.WithHelp("use `''`: a missing value is an empty string")
	} else if t.text[0] == '-' || t.text[0] == '.' || isDigit(t.text[0]) {
		d.WithHelp("write a number as digits, with an optional minus sign and fraction")
	}
	if !strings.ContainsAny(t.text, "'`") {
		quoted := "'" + t.text + "'"
		d.WithFix("write "+quoted, at, quoted)
	}
	p.bag.Add(d)
	return &expr.Literal{At: at, Text: t.text, Typ: types.Invalid}
}

func (p *whenParser) openQuote(t whenToken) {
	quote := t.text[:1]
	p.bag.Add(finding.ConditionSyntax(p.text.Span(t.start, t.start+1), "the quote "+quote+" is never closed"))
	p.gaveUp = true
}

// parseReference gives meaning to a reference of a condition: `$node.output`,
// `$node.output.field`, or the shorthand `$node.field`.
func (p *whenParser) parseReference(t whenToken) expr.Expr {
	if p.filter {
		return p.payloadReference(t)
	}
	ref, ok := p.splitReference(t)
	if !ok {
		return &expr.Bad{At: p.tokenSpan(t)}
	}
	return p.resolve(ref)
}

func (p *whenParser) splitReference(t whenToken) (nodeRef, bool) {
	body := t.text[1:]
	if strings.ContainsAny(body, "{}[]") {
		p.bag.Add(p.bracketFinding(t, body))
		return nodeRef{}, false
	}
	names := strings.Split(body, ".")
	id := names[0]
	if id == inputsScope && len(names) > 1 {
		return p.inputReference(t, names[1:])
	}
	previous := id == previousScope && len(names) > 2
	if previous {
		names = names[1:]
		id = names[0]
	}
	if len(names) == 1 {
		p.bag.Add(p.bareName(t, id))
		return nodeRef{}, false
	}
	if !isReferable(id) {
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` is not a reference").
			WithHelp("write an id after `$`: letters, digits, `_` and `-`, not starting with a digit or `-`"))
		return nodeRef{}, false
	}
	path, short := names[1:], names[1] != "output"
	if !short {
		path = path[1:]
	}
	ref := nodeRef{start: t.start, end: t.end, node: id, short: short, previous: previous}
	switch {
	case previous && short:
		p.bag.Add(codes.ConditionPath.New(p.tokenSpan(t), "missing `.output` after the node").
			WithHelp("write `$" + previousScope + "." + id + ".output." + strings.Join(path, ".") + "`"))
		return nodeRef{}, false
	case len(path) == 0:
		return ref, true
	case path[len(path)-1] == "":
		p.bag.Add(codes.ConditionPath.New(p.tokenSpan(t), "missing field name after the last `.`"))
		return nodeRef{}, false
	case len(path) > 1:
		p.bag.Add(codes.ConditionPath.New(p.tokenSpan(t), "`"+t.text+"` reads inside a field: conditions reach only top-level fields").
			WithHelp("declare the value as a top-level field in the node's `output_format`, or print it in a bash node"))
		return nodeRef{}, false
	case identEnd(path[0], 0, false) != len(path[0]):
		p.bag.Add(codes.ConditionPath.New(p.tokenSpan(t), "`"+path[0]+"` cannot be referenced: use only letters, digits and `_`").
			WithHelp("rename the field in the node that produces it"))
		return nodeRef{}, false
	}
	ref.field = path[0]
	return ref, true
}

// inputReference gives meaning to `$INPUTS.name`.
func (p *whenParser) inputReference(t whenToken, names []string) (nodeRef, bool) {
	ref := nodeRef{start: t.start, end: t.end, input: true, field: names[0]}
	switch {
	case len(names) > 1:
		p.bag.Add(codes.ConditionPath.New(p.tokenSpan(t), "`"+t.text+"` reads inside an input: conditions compare whole inputs"))
		return nodeRef{}, false
	case !isInputName(names[0]):
		p.bag.Add(codes.ConditionPath.New(p.tokenSpan(t), "missing input name after `$"+inputsScope+".`"))
		return nodeRef{}, false
	}
	return ref, true
}

// bracketFinding reports a reference with braces or brackets.
func (p *whenParser) bracketFinding(t whenToken, body string) *diag.Diagnostic {
	d := finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` is not a reference")
	inner, braced := strings.CutPrefix(body, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if braced && closed && !strings.ContainsAny(inner, "{}[]") {
		return d.WithSureFix("write `$"+inner+"`", p.tokenSpan(t), "$"+inner)
	}
	return d.WithHelp("compare a top-level field: `$node.output.field`")
}

// bareName reports a `$name` that has no path.
func (p *whenParser) bareName(t whenToken, name string) *diag.Diagnostic {
	if v, end := (&resolver{scope: newScope(formats.Archon.Newest())}).scanAnyVariable(t.text, 0, false); v != nil && end == len(t.text) {
		return finding.ConditionSyntax(p.tokenSpan(t), "variable `"+t.text+"` cannot be compared in a condition").
			WithHelp("test it in a bash node that prints a word, and compare that node's output")
	}
	d := finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` is not an output")
	if isReferable(name) {
		d.WithFix("write `"+t.text+".output`", p.text.Span(t.end, t.end), ".output")
	}
	return d
}

// noReference deals with a comparison that does not start with a reference.
func (p *whenParser) noReference(t whenToken) expr.Expr {
	if _, _, joins := p.peekConnective(); joins || t.kind == whenEnd || t.kind == whenClose {
		p.missingComparison(t)
		return &expr.Bad{At: p.tokenSpan(t)}
	}
	switch t.kind {
	case whenOpenQuote:
		p.openQuote(t)
	case whenString, whenNumber, whenWord:
		p.literalFirst(t)
	case whenCompare, whenStrange:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "missing value before `"+t.text+"`"))
	default:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` cannot start a comparison").
			WithHelp("start with a reference such as `$check.output`"))
	}
	p.skipToConnective()
	return p.badExpr(t)
}

func (p *whenParser) missingComparison(t whenToken) {
	at := p.tokenSpan(t)
	problem := "missing comparison before `" + t.text + "`"
	if t.kind == whenEnd {
		at = p.text.Span(max(p.offsetBeforeNext()-2, 0), p.offsetBeforeNext())
		problem = "missing comparison at the end"
	}
	p.bag.Add(finding.ConditionSyntax(at, problem))
}

// flipped are the operators with their sides exchanged.
var flipped = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// literalFirst reports a comparison that starts with a literal or a word.
func (p *whenParser) literalFirst(t whenToken) {
	op, right := p.peekAt(1), p.peekAt(2)
	switch {
	case op.kind == whenCompare && right.kind == whenRef:
		p.next()
		p.next()
		p.next()
		p.parseReference(right)
		turned := right.text + " " + flipped[op.text] + " " + t.text
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "the reference must be on the left").
			WithSureFix("write `"+turned+"`", p.text.Span(t.start, right.end), turned))
	case finding.CurlyLength(t.text) > 0:
		d := finding.CurlyQuotes(finding.ConditionSyntax, p.tokenSpan(t), t.text, "'")
		if inner := strings.Trim(t.text, finding.CurlyQuoteSigns); strings.HasPrefix(inner, "$") {
			d.Help, d.Fixes = nil, nil
			d.WithFix("remove the quotes", p.tokenSpan(t), inner)
		}
		p.bag.Add(d)
	case t.kind == whenWord && strings.Contains(t.text, "."):
		d := finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` is not a reference")
		if id, rest, _ := strings.Cut(t.text, "."); isReferable(id) && rest != "" {
			d.WithFix("write `$"+t.text+"`", p.text.Span(t.start, t.start), "$")
		}
		p.bag.Add(d.WithHelp("write a reference such as `$check.output`"))
	case op.kind == whenCompare || op.kind == whenStrange && meantOps[op.text] != "":
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` is not a reference").
			WithHelp("write a node's output on the left, such as `$check.output`"))
	default:
		p.bag.Add(finding.ConditionSyntax(p.tokenSpan(t), "`"+t.text+"` is not a comparison").
			WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove `when`"))
	}
}
