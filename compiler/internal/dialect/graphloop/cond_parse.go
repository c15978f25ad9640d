package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A condition is parsed into a separate tree before names are resolved: the
// possible meanings of a name depend on the place of the condition, and the types
// of variables on their comparisons in all conditions of the file.
//
//	or      = and { "||" and }
//	and     = not { "&&" not }
//	not     = "!" not | compare
//	compare = prim [ ("==" | "!=" | "<" | "<=" | ">" | ">=") prim ]
//	prim    = number | text | true | false | null | "state."name | "outputs."name
//	        | ("any" | "all") "(" or { "," or } ")" | name | "(" or ")"

// A term is a node of the tree.
type term struct {
	kind termKind
	at   source.Span
	// text is a constant, or a name: of an output, a variable, a node.
	text string
	// member is the second name of a dotted one.
	member string
	op     expr.CompareOp
	// args are the operands.
	args []*term

	// The resolved meaning of a name: a node's output, a variable of the state, or
	// a measure of the run.
	node     *nodeDecl
	variable *variable
	measure  measure
}

type termKind int

const (
	// badTerm is where something was reported.
	badTerm termKind = iota
	nameTerm
	// dottedTerm is a name with a member that is neither state nor outputs.
	dottedTerm
	stateTerm
	outputTerm
	textTerm
	numberTerm
	boolTerm
	nullTerm
	notTerm
	andTerm
	orTerm
	compareTerm
	// payloadTerm is a value in the payload of a trigger; text are the keys with points.
	payloadTerm
)

// maxDepth bounds how deep conditions may be nested.
const maxDepth = 200

// condParser parses one condition. After a fault it continues where the next
// operand begins, so that it reports every independent one.
type condParser struct {
	text   source.Text
	tokens []token
	at     int
	depth  int
	bag    *diag.Bag
	// filter says that the condition is that of a trigger.
	filter bool
}

// maxTokens bounds how long they may be.
const maxTokens = 5000

// parseCondition parses a condition. outputs are the names that the whole condition
// may be, with or without quotes: an output may be called any, or true. ok is false
// if a fault was reported; the tree then holds the valid parts.
func parseCondition(text source.Text, outputs []string, bag *diag.Bag) (t *term, ok bool) {
	text = trimText(text)
	if inner, ok := unquoteText(text); ok {
		text = trimText(inner)
	}
	for _, name := range outputs {
		if text.Value == name {
			return &term{kind: nameTerm, at: text.Whole(), text: name}, true
		}
	}
	if text.Value == "" {
		bag.Add(finding.ConditionSyntax(text.Whole(), "the condition is empty").WithHelp("remove it to take the edge always"))
		return &term{at: text.Whole()}, false
	}
	return (&condParser{text: text, bag: bag}).parse()
}

// parse parses the parser's condition; see parseCondition.
func (p *condParser) parse() (t *term, ok bool) {
	text, bag := p.text, p.bag
	before := bag.Len()
	p.tokens = lexCondition(text, bag)
	if len(p.tokens) > maxTokens {
		bag.Add(finding.ConditionSyntax(text.Whole(), "the condition is too long to read"))
		return &term{at: text.Whole()}, false
	}
	t = p.parseOr()
	p.reportRest()
	return t, bag.Len() == before
}

// unquoteText takes the quotes off a text that is quoted as a whole.
func unquoteText(text source.Text) (source.Text, bool) {
	s := text.Value
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' || s[len(s)-1] != s[0] || strings.IndexByte(s[1:len(s)-1], s[0]) >= 0 {
		return text, false
	}
	return text.Slice(1, len(s)-1), true
}

func (p *condParser) peek() token { return p.tokens[p.at] }

func (p *condParser) take() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// accept takes an operator if it comes next.
func (p *condParser) accept(op string) bool {
	if t := p.peek(); t.kind == operatorToken && t.text == op {
		p.at++
		return true
	}
	return false
}

func (p *condParser) reportFault(t token, problem string) *diag.Diagnostic {
	d := finding.ConditionSyntax(p.text.Span(t.start, t.end), problem)
	if !t.bad {
		p.bag.Add(d)
	}
	return d
}

// reportRest reports the text after a complete condition, and parses it to report its own
// faults.
func (p *condParser) reportRest() {
	for p.peek().kind != endToken {
		switch t := p.peek(); {
		case t.kind == operatorToken && t.text == ")":
			p.reportFault(t, "this parenthesis has no opening one")
		case t.kind == operatorToken && t.text == ",":
			p.reportFault(t, "only conditions in `any()` and `all()` are separated by commas")
		default:
			p.reportFault(t, "missing operator before `"+p.tokenText(t)+"`")
			p.parseOr()
			continue
		}
		p.at++
		if p.startsOperand() {
			p.parseOr()
		} else if t := p.peek(); t.kind == operatorToken && t.text != ")" && t.text != "," {
			p.at++
			p.parseOr()
		}
	}
}

func (p *condParser) tokenText(t token) string { return p.text.Value[t.start:t.end] }

func (p *condParser) startsOperand() bool {
	t := p.peek()
	return t.kind != endToken && (t.kind != operatorToken || t.text == "(" || t.text == "!")
}

// words are the words that other languages write for operators.
var words = map[string]string{"and": "&&", "or": "||", "AND": "&&", "OR": "||", "is": "==", "eq": "==", "ne": "!="}

// parseWordOperator reports a word that is an operator in other languages, in place of an
// operator, and reads it as that operator.
func (p *condParser) parseWordOperator(ops ...string) (string, bool) {
	t := p.peek()
	op, known := words[t.text]
	if t.kind != wordToken || !known {
		return "", false
	}
	for _, want := range ops {
		if op != want {
			continue
		}
		p.at++
		p.reportFault(t, "`"+t.text+"` is not an operator").WithHelp("write `"+op+"`").
			WithFix("replace with `"+op+"`", p.text.Span(t.start, t.end), op)
		return op, true
	}
	return "", false
}

func (p *condParser) parseOr() *term { return p.parseChain(orTerm, "||", p.parseAnd) }

func (p *condParser) parseAnd() *term { return p.parseChain(andTerm, "&&", p.parseNot) }

// parseChain parses operands joined by one connective, from left to right.
func (p *condParser) parseChain(kind termKind, op string, operand func() *term) *term {
	x := operand()
	for {
		if _, ok := p.parseWordOperator(op); !ok && !p.accept(op) {
			return x
		}
		y := operand()
		x = &term{kind: kind, at: x.at.To(y.at), args: []*term{x, y}}
	}
}

func (p *condParser) parseNot() *term {
	t := p.peek()
	if !p.accept("!") {
		return p.parseComparison()
	}
	if !p.enterLevel(t) {
		return &term{at: p.text.Span(t.start, t.end)}
	}
	defer p.leaveLevel()
	x := p.parseNot()
	return &term{kind: notTerm, at: p.text.Span(t.start, t.end).To(x.at), args: []*term{x}}
}

// enterLevel goes one level down, unless there are too many; then it reports that
// and passes over the rest.
func (p *condParser) enterLevel(t token) bool {
	if p.depth++; p.depth <= maxDepth {
		return true
	}
	p.depth--
	if p.peek().kind != endToken {
		p.reportFault(t, "the condition is nested too deeply")
		p.at = len(p.tokens) - 1
	}
	return false
}

func (p *condParser) leaveLevel() { p.depth-- }

// comparisons are the operators that compare.
var comparisons = map[string]expr.CompareOp{
	"==": expr.ValueEqual, "!=": expr.ValueNotEqual, "<": expr.ValueLess, "<=": expr.ValueLessEqual,
	">": expr.ValueGreater, ">=": expr.ValueGreaterEqual,
}

func (p *condParser) parseCompareOp() (expr.CompareOp, bool) {
	if op, ok := p.parseWordOperator("==", "!="); ok {
		return comparisons[op], true
	}
	t := p.peek()
	op, ok := comparisons[t.text]
	if t.kind != operatorToken || !ok {
		return 0, false
	}
	p.at++
	return op, true
}

func (p *condParser) parseComparison() *term {
	x := p.parsePrimary()
	op, ok := p.parseCompareOp()
	if !ok {
		return x
	}
	y := p.parsePrimary()
	x = &term{kind: compareTerm, at: x.at.To(y.at), op: op, args: []*term{x, y}}
	for {
		t := p.peek()
		if _, again := p.parseCompareOp(); !again {
			return x
		}
		p.reportFault(t, "comparisons cannot be chained").WithHelp("join two comparisons with `&&`")
		p.parsePrimary()
	}
}
