package gen

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// hasVerdict reports whether a workflow requires evidence or gives a verdict.
func hasVerdict(p *ir.Program) bool { return p.Workflow.Evidence || p.Workflow.Outcome != nil }

// directCallees returns the workflows that nodes of this one run, each once, in the order of
// their first nodes.
func directCallees(w *ir.Workflow) []*ir.Program {
	var list []*ir.Program
	ir.Walk(w.Body, func(n *ir.Node) {
		if c, ok := n.Action.(*ir.Call); ok && !slices.Contains(list, c.Callee) {
			list = append(list, c.Callee)
		}
	})
	return list
}

// nodeExpressions returns what a node and those inside it evaluate.
func nodeExpressions(n *ir.Node) []expr.Expr {
	var list []expr.Expr
	n.Walk(func(n *ir.Node) {
		if n.When != nil {
			list = append(list, n.When)
		}
		list = append(list, n.Unread...)
		ir.EachPart(n.Action, func(e *expr.Expr) { list = append(list, *e) }, func(t *template.Template, original bool) {
			if !original {
				t.Exprs(func(e expr.Expr) bool {
					list = append(list, e)
					return false
				})
			}
		})
	})
	return list
}

// agentOf is the name of the agent that a node asks, or "".
func agentOf(n *ir.Node) string {
	if names := agentsOf(n); len(names) > 0 && !isBody(n) {
		return names[0]
	}
	return ""
}

// agentsOf are the names of the agents that a node and those inside it ask.
func agentsOf(n *ir.Node) (names []string) {
	for _, p := range n.Prompts() {
		names = append(names, p.Agent.Name)
	}
	return names
}

// isBody reports whether a node has a DAG inside it.
func isBody(n *ir.Node) bool { return n.InnerDAG() != nil }

// itemType returns the type of the items of a list, and that it is one; else the
// type itself.
func itemType(t types.Type) (types.Type, bool) {
	if l, ok := t.(*types.List); ok {
		return l.Elem, true
	}
	return t, false
}

// isDynamic reports whether an expression is one of those of templates, which a valueWriter computes.
func isDynamic(e expr.Expr) bool {
	switch e.(type) {
	case *expr.Local, *expr.StepValue, *expr.Global, *expr.UndefinedName, *expr.Attr, *expr.Item, *expr.Slice, *expr.Call,
		*expr.Filter, *expr.Test, *expr.Arith, *expr.Sign, *expr.Concat, *expr.Relation, *expr.Either, *expr.Negation, *expr.Choose,
		*expr.ListOf, *expr.DictOf, *expr.Rendered, *expr.Holds, *expr.Str, *expr.Convert, *expr.Approved, *expr.GoCall:
		return true
	}
	return false
}

// mayLackOutput reports whether the producer itself may have nothing to read.
func mayLackOutput(p expr.Presence) bool { return p&(expr.MaybeSkipped|expr.MaybeFailed) != 0 }

// literalType is the type of a constant in a comparison. A comparison of strings uses its
// text, whatever its type.
func literalType(e *expr.Literal) types.Type {
	if e.Typ == nil {
		return types.Text
	}
	return e.Typ
}

// constantOf returns a default, which the front ends make constant.
func constantOf(e expr.Expr) *expr.Literal {
	lit, ok := e.(*expr.Literal)
	if !ok {
		panic(fmt.Sprintf("an input's default is a %T", e))
	}
	return lit
}

// defaultJSON is a default as JSON writes it.
func defaultJSON(lit *expr.Literal) string {
	switch {
	case types.IsNumber(lit.Typ), lit.Typ == types.Bool:
		return lit.Text
	case lit.Typ == types.Null:
		return "null"
	case lit.Typ == types.Any:
		return lit.Text
	}
	if _, list := itemType(lit.Typ); list {
		return lit.Text
	}
	text, _ := json.Marshal(lit.Text)
	return string(text)
}

// isZeroDefault reports whether a default is its type's zero value.
func isZeroDefault(e expr.Expr) bool {
	lit := constantOf(e)
	switch {
	case types.IsText(lit.Typ):
		return lit.Text == ""
	case types.IsNumber(lit.Typ):
		return lit.Text == "0"
	case lit.Typ == types.Bool:
		return lit.Text == "false"
	}
	_, list := itemType(lit.Typ)
	return !list || lit.Text == "[]"
}

// timeoutLabel is the label of a node that took too long.
const timeoutLabel = "timeout"

// timeoutOf is the label of a node that takes too long, or whose question nobody answers,
// or "".
func timeoutOf(n *ir.Node) string {
	if human, ok := n.Action.(*ir.Human); ok && human.Default != "" {
		return human.Default
	}
	if n.Label(timeoutLabel) != nil {
		return timeoutLabel
	}
	if _, ok := n.Action.(*ir.Bash); ok {
		return n.FailureLabel()
	}
	return ""
}

// hasWork reports whether a node's work is a method.
func hasWork(a ir.Action) bool {
	switch a := a.(type) {
	case *ir.Parallel, *ir.Checkpoint, *ir.Decision:
		return false
	case *ir.Join:
		return a.Prompt != nil
	}
	return true
}

// triedEdges are the edges up to the first one without a condition.
func triedEdges(list []*ir.Edge) []*ir.Edge {
	if i := slices.IndexFunc(list, func(e *ir.Edge) bool { return e.Guard == nil }); i >= 0 {
		return list[:i+1]
	}
	return list
}

// flowBody returns the workflow's body.
func flowBody(w *ir.Workflow) ir.Body {
	switch w.Body.(type) {
	case *ir.DAG, *ir.Sequence, *ir.Graph:
		return w.Body
	}
	panic(fmt.Sprintf("a workflow body of type %T reached the generator", w.Body))
}

// baseName returns the last element of a path of any system.
func baseName(name string) string {
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}

// stringOf is the expression of which a text is made: what its evaluation makes a
// text of anyway needs no operator for it.
func stringOf(e expr.Expr) expr.Expr {
	if s, ok := e.(*expr.Str); ok {
		return s.X
	}
	return e
}

// rootOf is the variable of which an attribute of an attribute is read, or nil.
func rootOf(e expr.Expr) *expr.Declared {
	for {
		switch x := e.(type) {
		case *expr.Attr:
			e = x.X
		case *expr.Local:
			return x.Of
		default:
			return nil
		}
	}
}

// decidingValue is the value whose text decides a condition.
func decidingValue(e *expr.Holds) expr.Expr {
	if s, ok := e.X.(*expr.Str); ok {
		return s.X
	}
	return e.X
}

// isTerm reports whether a condition has no operands that are conditions.
func isTerm(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Logic, *expr.Not, *expr.Either, *expr.Negation:
		return false
	case *expr.Holds:
		return isTerm(decidingValue(e))
	}
	return true
}

// isSurelyDefined reports whether an expression has a value that is known to be defined,
// and that computing it can be left out.
func isSurelyDefined(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Input, *expr.Literal:
		return true
	case *expr.StepValue:
		return e.Presence.Always()
	}
	return false
}

// isReady reports whether an expression can be computed although its value is not used.
func isReady(e expr.Expr) bool {
	switch e.(type) {
	case *expr.Literal, *expr.Input:
		return true
	}
	return false
}

// unwrapOptional is a type without Optional around it.
func unwrapOptional(t types.Type) (elem types.Type, optional bool) {
	if o, ok := t.(*types.Optional); ok {
		elem, _ = unwrapOptional(o.Elem)
		return elem, true
	}
	return t, false
}

// isScalar reports whether values of a type are strings, numbers or bools.
func isScalar(t types.Type) bool {
	return types.IsText(t) || types.IsNumber(t) || t == types.Bool
}

// referenceText is a reference as the workflow writes it.
func referenceText(e expr.Expr, node string, path []string) string {
	if text := e.Span().Text(); strings.HasPrefix(text, "$") && !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return strings.Join(append([]string{"$" + node, "output"}, path...), ".")
}

// constantNumber is a literal's number. Texts that JavaScript and Go read
// differently are left to the run.
func constantNumber(s string) (float64, bool) {
	if strings.Trim(s, "0123456789.-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// comparedWithLiteral returns what a comparison compares with a literal, or nil.
func comparedWithLiteral(e *expr.Compare) (expr.Expr, *expr.Literal) {
	x, y := e.X, e.Y
	if _, literal := x.(*expr.Literal); literal {
		x, y = y, x
	}
	lit, ok := y.(*expr.Literal)
	if _, literal := x.(*expr.Literal); literal || !ok {
		return nil, nil
	}
	return x, lit
}

func inputType(t types.Type) string {
	switch t := t.(type) {
	case types.Basic:
		if types.IsText(t) || types.IsNumber(t) || t == types.Bool {
			return t.String()
		}
	case *types.Optional:
		return inputType(t.Elem)
	case *types.List:
		return "list"
	}
	return types.Text.String()
}

// inputItems is inputType for the items of a list, and "" for another type.
func inputItems(t types.Type) string {
	switch t := t.(type) {
	case *types.Optional:
		return inputItems(t.Elem)
	case *types.List:
		return inputType(t.Elem)
	}
	return ""
}

// canPrintAs reports whether a value of a type might be printed as this text.
func canPrintAs(t types.Type, text string) bool {
	switch t {
	case types.Bool:
		return text == "true" || text == "false"
	case types.Int, types.Float:
		v, err := strconv.ParseFloat(text, 64)
		large := err == nil && math.Abs(v) >= exactInt // printed as the nearest number of JavaScript
		return large || canonicalInt(text) || t == types.Float && (canonicalFloat(text) || err == nil && strings.Contains(text, "e"))
	}
	return true
}

// canonicalInt reports whether a whole number that is printed is this text.
func canonicalInt(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == s && -exactInt <= n && n <= exactInt
}

// canonicalFloat reports whether a number that is printed is this text.
func canonicalFloat(s string) bool {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || v != 0 && (math.Abs(v) < 1e-6 || math.Abs(v) >= 1e21) {
		return false
	}
	return strconv.FormatFloat(v, 'f', -1, 64) == s && s != "-0"
}

// exactInt is the largest whole number below which JavaScript has all.
const exactInt = 1 << 53
