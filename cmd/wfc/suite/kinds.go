package suite

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// Proofs about tests such as `x is number` in the conditions of a sequence. Other conditions
// and terms are evaluated before: those fail, or do not hold, for values of some kinds. If the
// test has the same result for values of all other kinds, it never has the other result.

// valueKinds is a set of kinds of values.
type valueKinds uint8

// The kinds of JSON values, and the kind of a value that is not there.
const (
	absentKind valueKinds = 1 << iota
	nullKind
	boolKind
	numberKind
	stringKind
	arrayKind
	objectKind

	anyKind      = absentKind | nullKind | boolKind | numberKind | stringKind | arrayKind | objectKind
	numericKinds = boolKind | numberKind // as in Python
	// iterableKinds are the kinds of `x` in `y in x`.
	iterableKinds = absentKind | stringKind | arrayKind | objectKind
)

// testKinds are the kinds of values for which a test of Jinja holds by kind alone.
var testKinds = map[string]valueKinds{
	"defined": anyKind &^ absentKind, "undefined": absentKind, "none": nullKind, "boolean": boolKind, "number": numericKinds, "string": stringKind,
	"mapping": objectKind, "iterable": iterableKinds,
}

// remainderKinds are the tests of a remainder, which can hold only for numbers. They fail for
// values of other kinds, or, for a string, do not hold.
var remainderKinds = []string{"odd", "even", "divisibleby"}

// A typing is the knowledge about values of steps where a term is evaluated.
type typing struct {
	// allowed are the possible kinds of a value, by the expression in a short form.
	allowed map[string]valueKinds
	// odd says that a number is odd or even, by the expression.
	odd map[string]bool
}

// kindProof proves that a test in the condition of a step never has a result.
func (ps *proofs) kindProof(c condition, leaf expr.Expr, result bool) proof {
	test, ok := decidingExpr(leaf).(*expr.Test)
	body, sequence := c.scope.program.Workflow.Body.(*ir.Sequence)
	if !ok || !sequence || c.place == nil || c.place.node.When != c.expr || c.place.node.Finally || c.place.outer != nil {
		return ""
	}
	root := valueOf(test.X)
	if step := c.scope.places[root.step]; step == nil || step.outer != nil || ps.neverSkips(step) == "" {
		return "" // the value of a skipped step is lenient
	}
	k := &typing{allowed: map[string]valueKinds{}, odd: map[string]bool{}}
	for _, n := range body.Nodes {
		if n == c.place.node {
			break
		}
		if n.When != nil && n.Given == nil && !n.Finally {
			k.assumeEvaluated(n.When)
		}
	}
	k.assumeBeforeTerm(c.expr, leaf)
	holds, fails := k.possibleResults(test, root)
	if test.Not {
		holds, fails = fails, holds
	}
	if result && holds || !result && fails {
		return ""
	}
	return proof(fmt.Sprintf("for each such value of `%s`, a condition or term before it fails or has another result", root.shown))
}

// A path is the value of a step, or a field in it.
type path struct {
	step string
	// within are the paths of the objects around the value.
	within []string
	shown  string
}

// valueOf returns the path of an expression; its step is "" for other expressions.
func valueOf(e expr.Expr) path {
	switch e := e.(type) {
	case *expr.StepValue:
		return path{step: e.Node, shown: e.Node}
	case *expr.Attr:
		if of := valueOf(e.X); of.step != "" {
			if !onlyField(e.Name) {
				return path{}
			}
			return path{of.step, append(slices.Clone(of.within), of.shown), of.shown + "." + e.Name}
		}
	}
	return path{}
}

// onlyField reports whether only objects have an attribute: a string has methods, for example.
func onlyField(name string) bool {
	for _, v := range []py.Value{py.None{}, py.Bool(true), py.Int(1), py.Float(1), py.Str(""), py.NewList(), py.NewDict()} {
		var e py.Eval
		if e.Test(py.Tests.Defined, e.Attr(v, name)) {
			return false
		}
	}
	return true
}

// restrictKinds notes that a value has one of some kinds.
func (k *typing) restrictKinds(e expr.Expr, of valueKinds) {
	v := valueOf(e)
	if v.step == "" {
		return
	}
	k.allowed[v.shown] = k.kindsOf(v) & of
	if k.allowed[v.shown]&absentKind == 0 {
		for _, around := range v.within {
			k.allowed[around] = objectKind
		}
	}
}

func (k *typing) kindsOf(v path) valueKinds {
	if allowed, ok := k.allowed[v.shown]; ok {
		return allowed
	}
	return anyKind
}

// assumeBeforeTerm notes the facts that hold where a term of a condition is evaluated; it reports
// whether the condition has the term.
func (k *typing) assumeBeforeTerm(e, term expr.Expr) bool {
	op, inner, _ := conditionOperands(e)
	if inner == nil {
		return e == term
	}
	if k.assumeBeforeTerm(inner[0], term) {
		return true
	}
	if len(inner) == 1 {
		return false
	}
	k.assumeResult(inner[0], op == expr.And)
	return k.assumeBeforeTerm(inner[1], term)
}

// assumeResult notes that a condition had a result.
func (k *typing) assumeResult(e expr.Expr, result bool) {
	op, inner, negated := conditionOperands(e)
	switch {
	case inner == nil:
		k.termHad(e, result)
	case negated:
		k.assumeResult(inner[0], !result)
	case (op == expr.And) == result: // both operands had it
		k.assumeResult(inner[0], result)
		k.assumeResult(inner[1], result)
	default:
		k.assumeEvaluated(e)
	}
}

// assumeEvaluated notes that the evaluation of a condition did not fail: at least its first term was
// evaluated.
func (k *typing) assumeEvaluated(e expr.Expr) {
	_, inner, _ := conditionOperands(e)
	if inner != nil {
		k.assumeEvaluated(inner[0])
		return
	}
	switch e := decidingExpr(e).(type) {
	case *expr.Relation:
		k.assumeComparison(e.X, e.Links[0])
	case *expr.Test:
		if slices.Contains(remainderKinds, e.Name) {
			k.restrictKinds(e.X, numericKinds|stringKind)
		}
	}
}

// assumeComparison notes that a comparison did not fail.
func (k *typing) assumeComparison(x expr.Expr, link expr.Link) {
	switch link.Op {
	case expr.In, expr.NotIn:
		k.restrictKinds(link.Y, iterableKinds)
	case expr.Less, expr.LessEqual, expr.Greater, expr.GreaterEqual:
		for _, sides := range [][2]expr.Expr{{x, link.Y}, {link.Y, x}} {
			c, ok := sides[1].(*expr.Literal)
			switch {
			case ok && types.IsNumber(c.Typ):
				k.restrictKinds(sides[0], numericKinds)
			case ok && types.IsText(c.Typ):
				k.restrictKinds(sides[0], stringKind)
			}
		}
	}
}

// termHad notes that a term had a result.
func (k *typing) termHad(e expr.Expr, result bool) {
	k.assumeEvaluated(e)
	switch e := decidingExpr(e).(type) {
	case *expr.Relation:
		x := e.X
		for _, link := range e.Links {
			if result { // each comparison held
				k.assumeComparison(x, link)
			}
			x = link.Y
		}
	case *expr.Test:
		holds := result != e.Not
		of, known := testKinds[e.Name]
		switch {
		case known && holds:
			k.restrictKinds(e.X, of)
		case known:
			k.restrictKinds(e.X, anyKind&^of)
		case slices.Contains(remainderKinds, e.Name) && holds:
			k.restrictKinds(e.X, numericKinds)
		}
		if odd, ok := testsOddness(e); ok && holds { // 0.5 is neither
			k.odd[valueOf(e.X).shown] = odd
		}
	}
}

// testsOddness reports whether the numbers for which a test holds are odd; ok is false if the test
// is not about that.
func testsOddness(e *expr.Test) (odd, ok bool) {
	switch e.Name {
	case "odd", "even":
		return e.Name == "odd", true
	case "divisibleby":
		if len(e.Args) == 1 {
			c, isConstant := e.Args[0].Value.(*expr.Literal)
			return false, isConstant && c.Text == "2"
		}
	}
	return false, false
}

// possibleResults reports which results a test can have, without its `not`.
func (k *typing) possibleResults(e *expr.Test, of path) (holds, fails bool) {
	if tested, ok := testsOddness(e); ok {
		if odd, known := k.odd[of.shown]; known {
			return odd == tested, odd != tested
		}
	}
	if kinds, known := testKinds[e.Name]; known {
		allowed := k.kindsOf(of)
		return allowed&kinds != 0, allowed&^kinds != 0
	}
	return true, true
}
