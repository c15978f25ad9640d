package check

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// Conditions with the same result in every run: of nodes, of steps and their loops, and
// inside templates. For state graphs the exploration reports them: it knows the values
// of variables.

// constants reports such conditions.
type constants struct {
	bag *diag.Bag
	// find describes the node of an id, as for expr.Check.
	find func(id string) (expr.Producer, bool)
	// reported are the conditions with findings; conditions inside them get none.
	reported map[expr.Expr]bool
}

// noProducer is find for bodies whose conditions never compare whole outputs as strings.
func noProducer(string) (expr.Producer, bool) { return expr.Producer{}, false }

// reportMistakes reports the comparisons of a condition that are probably wrong, and
// whether there is one. The condition then gets no other findings.
func (c constants) reportMistakes(cond expr.Expr) bool {
	before := c.bag.Len()
	expr.Check(cond, c.find, c.bag)
	return c.bag.Len() > before
}

// conditionVerdict returns the verdict about a condition; ok is false for one that is faulty.
func (c constants) conditionVerdict(cond expr.Expr) (v verdict, ok bool) {
	if isBad(cond) || c.reportMistakes(cond) {
		return verdict{}, false
	}
	return demandVerdict(cond), true
}

// constantResult returns the result of a condition that has the same one in every run.
func (c constants) constantResult(cond expr.Expr) (result, constant bool) {
	v, ok := c.conditionVerdict(cond)
	if !ok {
		return false, false
	}
	return v.onlyResult()
}

// checkSteps reports the conditions of steps and loops. outer is the step around them, or nil,
// and given is what its condition demands.
func (c constants) checkSteps(nodes []*ir.Node, outer *ir.Node, given texts) {
	for _, n := range nodes {
		inner, inside := outer, given
		if n.When != nil {
			inner, inside = n, c.checkStep(n, outer, given)
		}
		if again, ok := n.Action.(*ir.Repeat); ok {
			c.checkLoop(n, again)
		}
		c.checkSteps(n.Inner(), inner, inside)
	}
}

// checkStep reports the condition of a step. It returns what holds when the step runs.
func (c constants) checkStep(n, outer *ir.Node, given texts) texts {
	v, ok := c.conditionVerdict(n.When)
	if !ok {
		return given
	}
	at := n.When.Span()
	if result, constant := v.onlyResult(); constant {
		c.reported[n.When] = true
		switch {
		case !isFixed(n.When):
			c.bag.Add(finding.ConstantCondition(at, n.ID, "if", intendedConnective(n.When, result), result))
		case result:
			c.bag.Add(finding.ConstantTest(at, "`if`", result, "the step always runs", suggestCondition(n.WhenText)))
		default:
			c.bag.Add(finding.ConstantTest(at, "`if`", result, "the step never runs", suggestCondition(n.WhenText)))
		}
		return given
	}
	all := andTexts(&given, v.yes)
	if all == nil {
		c.bag.Add(finding.ExcludedCondition(at, n.ID, outer.ID, outer.When.Span()))
		return given
	}
	return *all
}

// checkLoop reports the condition of a loop that has the same result in every iteration, or
// that does not depend on the results of iterations: nothing else that an expression can
// read changes while a step runs.
func (c constants) checkLoop(n *ir.Node, again *ir.Repeat) {
	key, effect := "while", "the step is not repeated"
	if again.Until {
		key = "until"
	}
	result, constant := c.constantResult(again.Cond)
	c.reported[again.Cond] = constant
	if result != again.Until {
		effect = "the step reaches its maximum and fails"
	}
	switch {
	case !constant && !readsIteration(again.Cond, again.Previous):
		c.bag.Add(finding.UnchangingLoop(again.Cond.Span(), n.ID, again.Until))
	case !constant:
	case isFixed(again.Cond):
		c.bag.Add(finding.ConstantTest(again.Cond.Span(), "`"+key+"`", result, effect, suggestCondition(again.CondText)))
	default:
		c.bag.Add(finding.ConstantLoop(again.Cond.Span(), n.ID, key, effect, intendedConnective(again.Cond, result), result))
	}
}

// readsIteration reports whether an expression reads a result of the iteration. A faulty
// expression may.
func readsIteration(e expr.Expr, previous *expr.Declared) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Local:
			found = found || x.Of == previous
		case *expr.Bad:
			found = true
		}
		return !found
	})
	return found
}

// suggestCondition is the probable intent of a condition without holes, or "".
func suggestCondition(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "{}\n") || expr.IsFalseText(text) || strings.EqualFold(text, "true") {
		return ""
	}
	return "{{ " + text + " }}"
}

// intendedConnective is the connective that the author of a constant condition probably meant, and the
// place of the one that is written: `or` for an `and` that never holds, `and` for an `or` that
// always does. It is "" if the condition has no such connective.
func intendedConnective(cond expr.Expr, result bool) (meant finding.Connective) {
	replace := func(op expr.LogicOp, x, y expr.Expr, and, or string) {
		written := map[expr.LogicOp]string{expr.And: and, expr.Or: or}[op]
		from, to := x.Span(), y.Span()
		if (op == expr.Or) != result || from.File != to.File || from.End > to.Start {
			return
		}
		between := source.Span{File: from.File, Start: from.End, End: to.Start}
		if i := strings.Index(between.Text(), written); i >= 0 && strings.Trim(between.Text(), "() \t\r\n") == written {
			meant.Text = map[bool]string{true: and, false: or}[result]
			meant.At = source.Span{File: from.File, Start: from.End + i, End: from.End + i + len(written)}
		}
	}
	expr.Walk(cond, func(e expr.Expr) bool {
		if meant.Text != "" {
			return false
		}
		switch e := e.(type) {
		case *expr.Logic:
			replace(e.Op, e.X, e.Y, "&&", "||")
		case *expr.Either:
			replace(e.Op, e.X, e.Y, "and", "or")
		}
		return meant.Text == ""
	})
	return meant
}

// checkTemplates reports the conditions inside the templates of the nodes of a body: of
// statements, and of values that depend on a condition.
func (c constants) checkTemplates(body ir.Body) {
	ir.Walk(body, func(n *ir.Node) {
		if t := ir.WrittenText(n.Action); t != nil {
			c.checkParts(t.Parts)
		}
		for _, e := range valuesOf(n) {
			if !c.reported[e] {
				c.checkExpr(e)
			}
		}
	})
}

// valuesOf are the expressions of a node outside of the templates of its action.
func valuesOf(n *ir.Node) []expr.Expr {
	list := []expr.Expr{n.When}
	switch a := n.Action.(type) {
	case *ir.Repeat:
		list = append(list, a.Cond)
	case *ir.ForEach:
		for _, v := range a.Vars {
			list = append(list, v.Items)
		}
	}
	return list
}

func (c constants) checkParts(parts []template.Part) {
	template.WalkParts(parts, func(p template.Part) bool {
		switch p := p.(type) {
		case *template.Hole:
			c.checkExpr(p.Expr)
		case *template.Bound:
			c.checkExpr(p.Expr)
		case *template.If:
			for i := range p.Branches {
				c.checkBranch(p.Branches[i].Cond)
			}
		case *template.For:
			c.checkExpr(p.Items)
			c.checkBranch(p.Where)
		case *template.Set:
			c.checkExpr(p.Value)
		case *template.Macro:
			for _, param := range p.Params {
				c.checkExpr(param.Default)
			}
		}
		return true
	})
}

// checkExpr reports the conditions in an expression.
func (c constants) checkExpr(e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Choose:
			c.reportConstant(e.If)
		case *expr.Rendered:
			if t, ok := e.Text.(*template.Template); ok {
				c.checkParts(t.Parts)
				return false
			}
		}
		return true
	})
}

// checkBranch reports a condition of a statement, and the conditions in it.
func (c constants) checkBranch(cond expr.Expr) {
	if cond != nil {
		c.reportConstant(cond)
		c.checkExpr(cond)
	}
}

// reportConstant reports a condition inside a template, but not a single constant: authors use
// one to switch a part off or on.
func (c constants) reportConstant(cond expr.Expr) {
	if _, single := cond.(*expr.Literal); single {
		return
	}
	if result, constant := c.constantResult(cond); constant {
		c.bag.Add(finding.ConstantBranch(cond.Span(), intendedConnective(cond, result), result))
	}
}
