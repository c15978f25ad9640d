package suite

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A condition is an expression of the workflow whose result decides something.
type condition struct {
	place *place
	scope *scope
	expr  expr.Expr
}

// listConditions returns the conditions of a workflow.
func (m *model) listConditions() (list []condition) {
	for _, pl := range m.places {
		add := func(e expr.Expr) {
			if e != nil {
				list = append(list, condition{pl, pl.scope, e})
			}
		}
		n := pl.node
		add(n.When)
		for _, e := range n.Out {
			add(e.Guard)
		}
		switch a := n.Action.(type) {
		case *ir.Repeat:
			add(a.Cond)
		case *ir.Decision:
			add(a.Cond)
		}
		walkTemplates(n, func(t *template.Template) {
			template.WalkParts(t.Parts, func(p template.Part) bool {
				if i, ok := p.(*template.If); ok {
					for _, b := range i.Branches {
						add(b.Cond)
					}
				}
				return true
			})
		})
	}
	if g, ok := m.program.Workflow.Body.(*ir.Graph); ok {
		for _, e := range g.Start {
			if e.Guard != nil {
				list = append(list, condition{nil, m.top, e.Guard})
			}
		}
		for _, in := range g.Interrupts {
			if in.When != nil {
				list = append(list, condition{m.top.places[in.Node.ID], m.top, in.When})
			}
		}
		for _, goal := range g.Goals {
			list = append(list, condition{nil, m.top, goal.Cond})
		}
	}
	return list
}

// conditionOperands returns the operands of a condition that are conditions themselves.
func conditionOperands(e expr.Expr) (op expr.LogicOp, list []expr.Expr, negated bool) {
	switch e := e.(type) {
	case *expr.Logic:
		return e.Op, []expr.Expr{e.X, e.Y}, false
	case *expr.Either:
		return e.Op, []expr.Expr{e.X, e.Y}, false
	case *expr.Not:
		return 0, []expr.Expr{e.X}, true
	case *expr.Negation:
		return 0, []expr.Expr{e.X}, true
	case *expr.Holds:
		return conditionOperands(decidingExpr(e)) // a value whose text decides
	}
	return 0, nil, false
}

// decidingExpr returns the expression whose value decides a term.
func decidingExpr(e expr.Expr) expr.Expr {
	if holds, ok := e.(*expr.Holds); ok {
		e = holds.X
		if text, ok := e.(*expr.Str); ok {
			e = text.X
		}
	}
	return e
}

// conditionTerms returns the terms of a condition.
func conditionTerms(e expr.Expr) []expr.Expr {
	_, inner, _ := conditionOperands(e)
	if inner == nil {
		return []expr.Expr{e}
	}
	var list []expr.Expr
	for _, x := range inner {
		list = append(list, conditionTerms(x)...)
	}
	return list
}

// collectValues finds the values that conditions distinguish, for each producer.
func (m *model) collectValues() {
	seen := map[string]bool{}
	keep := func(f flip) {
		p := m.producers[f.slot]
		if p == nil {
			return
		}
		id := fmt.Sprint(f.slot, f.path, encodeJSON(f.to.testFileValue(f.slot.kind)), f.to.absent)
		if !seen[id] {
			seen[id] = true
			p.candidates = append(p.candidates, candidate{f.path, f.to})
		}
	}
	list := func(s *scope, items expr.Expr) {
		for _, src := range m.exprSources(s, items, 0) {
			for n := range 3 {
				for _, f := range m.listFlips(src, 2-n) {
					keep(f)
				}
			}
		}
	}
	for _, c := range m.listConditions() {
		for _, leaf := range conditionTerms(c.expr) {
			for _, o := range m.termOptions(c.scope, leaf) {
				keep(o.flip)
			}
		}
	}
	for _, pl := range m.places {
		m.noteLoopWords(pl)
		if a, ok := pl.node.Action.(*ir.ForEach); ok {
			for _, v := range a.Vars {
				list(pl.scope, v.Items)
			}
		}
		if fan := pl.node.Fan(); fan != nil {
			list(pl.scope, fan.Items)
		}
		m.noteReadFields(pl, keep)
	}
}

// noteLoopWords notes the words by which the producers inside a loop end it.
func (m *model) noteLoopWords(pl *place) {
	a, ok := pl.node.Action.(*ir.Loop)
	if !ok || a.Signal == "" && a.Field == "" {
		return
	}
	for _, src := range m.outputSources(pl, nil, 0) {
		if p := m.producers[src.slot]; p != nil {
			p.signal, p.field = a.Signal, a.Field
			if a.Until != nil {
				p.signal = ""
			}
		}
	}
}

// noteReadFields notes the fields that templates and arguments read from outputs without a schema.
func (m *model) noteReadFields(pl *place, keep func(flip)) {
	var read func(e expr.Expr) bool
	read = func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Call:
			if method, ok := e.Fn.(*expr.Attr); ok {
				expr.Walk(method.X, read)
				for _, a := range e.Args {
					expr.Walk(a.Value, read)
				}
				return false
			}
		case *expr.Field, *expr.Attr:
			for _, src := range m.exprSources(pl.scope, e, 0) {
				p := m.producers[src.slot]
				if p == nil || len(src.path) == 0 || src.path[len(src.path)-1] == element || schemaAt(p.shape, src.path) != nil || src.slot.kind == "inputs" {
					continue
				}
				label := src.path[len(src.path)-1] + " of " + displayKey(src.slot.key)
				keep(flip{slot: src.slot, at: every, path: src.path, to: give{data: label, structured: true}})
			}
			return false
		}
		return true
	}
	walkValues(pl.node, read)
	if a, ok := pl.node.Action.(*ir.Call); ok {
		for _, arg := range a.Args {
			expr.Walk(arg.Value, read)
		}
	}
}

// walkValues calls visit for the expressions in the templates of a node and in the values that
// its program gets, as expr.Walk does.
func walkValues(n *ir.Node, visit func(expr.Expr) bool) {
	walkTemplates(n, func(t *template.Template) { t.Exprs(visit) })
	var bindings []ir.Binding
	switch a := n.Action.(type) {
	case *ir.Bash:
		bindings = a.Bindings
	case *ir.Script:
		bindings = a.Bindings
	}
	for _, b := range bindings {
		expr.Walk(b.Value, visit)
	}
}
