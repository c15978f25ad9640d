package xprompt

import (
	"maps"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/template"
)

// A step with a condition may have no output, and so has a step in the first
// round of its own loop. A read of such an output is fine where the template has
// found out before that it is there; every other one is reported. What has been
// found out is a set of facts: the ids of nodes that have an output, and for a
// step's own output ownFact. Facts hold for good: outputs do not change.

type facts map[string]bool

// ownFact is the fact that a step has an output of a round before.
func ownFact(name string) string { return "own " + name }

func (f facts) and(more []string) facts {
	if len(more) == 0 {
		return f
	}
	all := maps.Clone(f)
	for _, fact := range more {
		all[fact] = true
	}
	return all
}

// known are the facts that hold when a step runs: what its condition proves.
func (d *decoder) known(s *stepDecl) facts {
	f := facts{}
	for ; s != nil; s = s.parent {
		for _, fact := range implied(s.when, true) {
			f[fact] = true
		}
	}
	return f
}

// runsWith reports whether a step, or the parallel that it is in, has the very
// condition of another one. Then both run, for all that can be expected, but it
// is no proof: names may mean something else by then.
func (s *stepDecl) runsWith(other *stepDecl) bool {
	for ; s != nil; s = s.parent {
		if s.cond != nil && conditionText(s.cond) == conditionText(other.cond) {
			return true
		}
	}
	return false
}

// conditionText is a condition without what makes no difference in its text.
func conditionText(v *value) string { return strings.Join(strings.Fields(v.Node.Value), " ") }

// A guard looks at the templates of a step.
type guard struct {
	d        *decoder
	reader   *stepDecl
	reported map[string]bool
}

func (d *decoder) newGuard(reader *stepDecl) *guard {
	return &guard{d: d, reader: reader, reported: map[string]bool{}}
}

// parts looks at the parts of a template.
func (g *guard) parts(parts []template.Part, f facts) {
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Hole:
			g.expr(p.Expr, f)
		case *template.If:
			g.branches(p, f)
		case *template.For:
			g.expr(p.Items, f)
			g.expr(p.Where, f)
			g.parts(p.Body, f)
			g.parts(p.Else, f)
		case *template.Set:
			g.expr(p.Value, f)
		case *template.Scope:
			g.parts(p.Body, f)
		case *template.Macro:
			for _, param := range p.Params {
				g.expr(param.Default, f)
			}
			g.parts(p.Body, f)
		}
	}
}

func (g *guard) branches(p *template.If, f facts) {
	for _, b := range p.Branches {
		g.expr(b.Cond, f)
		g.parts(b.Body, f.and(implied(b.Cond, true)))
		f = f.and(implied(b.Cond, false))
	}
	g.parts(p.Else, f)
}

// expr looks at an expression.
func (g *guard) expr(e expr.Expr, f facts) {
	switch e := e.(type) {
	case nil:
	case *expr.StepValue:
		g.step(e, f)
	case *expr.Local:
		if e.Of.Name == g.reader.name && e.Of.Maybe && e.Of.At == g.reader.nameAt {
			g.own(e, f)
		}
	case *expr.Attr:
		if !e.Lenient || !isOutput(e.X) {
			g.operands(e, f)
		}
	case *expr.Test:
		if isOutput(e.X) && (e.Name == "defined" || e.Name == "undefined") {
			return
		}
		g.operands(e, f)
	case *expr.Filter:
		if isOutput(e.X) && (e.Name == "default" || e.Name == "d") {
			for _, a := range e.Args {
				g.expr(a.Value, f)
			}
			return
		}
		g.operands(e, f)
	case *expr.Choose:
		g.expr(e.If, f)
		g.expr(e.Then, f.and(implied(e.If, true)))
		g.expr(e.Else, f.and(implied(e.If, false)))
	case *expr.Either:
		g.expr(e.X, f)
		g.expr(e.Y, f.and(implied(e.X, e.Op == expr.And)))
	case *expr.Rendered:
		if t, ok := e.Text.(*template.Template); ok {
			g.parts(t.Parts, f)
		}
	default:
		g.operands(e, f)
	}
}

// operands looks at the operands of an expression.
func (g *guard) operands(e expr.Expr, f facts) {
	expr.Walk(e, func(x expr.Expr) bool {
		if x == e {
			return true
		}
		g.expr(x, f)
		return false
	})
}

// isOutput reports whether an expression is a step's whole output.
func isOutput(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.StepValue:
		return true
	case *expr.Local:
		return e.Of.Maybe
	}
	return false
}

func (g *guard) step(e *expr.StepValue, f facts) {
	if f[e.Node] {
		e.Presence &^= expr.MaybeSkipped
	}
	s := g.d.byID[e.Node]
	if e.Presence&expr.MaybeSkipped == 0 || g.reported[e.Node] || s == nil || s.cond == nil || g.reader.runsWith(s) {
		return
	}
	g.reported[e.Node] = true
	g.d.Bag.Add(finding.MaybeSkippedStep(e.At, s.name, "the step has a condition and may be skipped", "its condition", s.cond.Place()))
}

func (g *guard) own(e *expr.Local, f facts) {
	if f[ownFact(e.Of.Name)] || g.reported[ownFact(e.Of.Name)] {
		return
	}
	g.reported[ownFact(e.Of.Name)] = true
	at := source.Span{}
	if g.reader.again != nil {
		at = g.reader.again.key.Head()
	}
	g.d.Bag.Add(finding.MaybeSkippedStep(e.At, e.Of.Name, "the step's own output is that of the round before, and there is none before the first", "the loop", at))
}

// implied are the facts that follow from the truth, or the untruth, of an
// expression.
func implied(e expr.Expr, truth bool) []string {
	switch e := e.(type) {
	case *expr.Holds:
		if s, ok := e.X.(*expr.Str); ok {
			return implied(s.X, truth)
		}
	case *expr.Negation:
		return implied(e.X, !truth)
	case *expr.Either:
		if truth == (e.Op == expr.And) {
			return append(implied(e.X, truth), implied(e.Y, truth)...)
		}
	case *expr.Test:
		defined := e.Name == "defined"
		if !isOutput(e.X) || !defined && e.Name != "undefined" {
			return nil
		}
		if truth == (defined != e.Not) {
			return []string{outputFact(e.X)}
		}
	case *expr.Approved:
		if truth {
			return []string{e.Node}
		}
	case *expr.Attr:
		if truth && e.Lenient && isOutput(e.X) {
			return []string{outputFact(e.X)}
		}
	case *expr.Relation:
		// A field of a skipped step equals nothing but such a field.
		if truth && len(e.Links) == 1 && e.Links[0].Op == expr.Equal {
			if _, constant := e.Links[0].Y.(*expr.Literal); constant {
				return implied(e.X, true)
			}
		}
	}
	return nil
}

func outputFact(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.StepValue:
		return e.Node
	case *expr.Local:
		return ownFact(e.Of.Name)
	}
	return ""
}
