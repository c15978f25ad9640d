package suite

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A source is the slot from which an expression gets its value, and the path inside a give.
type source struct {
	slot slot
	path []string
	// size says that the expression is the length of the value, and inexact that it is
	// computed from the value in another way.
	size, inexact bool
	// field is the variable of a state graph through which the value goes, or nil.
	field *ir.StateField
	// label says that the value is the output of a node of a state graph.
	label bool
}

// exprSources returns the slots that an expression reads.
func (m *model) exprSources(s *scope, e expr.Expr, depth int) (list []source) {
	return m.partSources(s, e, nil, depth)
}

// partSources returns the slots in which the part of an expression's value at a path is.
func (m *model) partSources(s *scope, e expr.Expr, path []string, depth int) (list []source) {
	if e == nil || depth > 2*deepest {
		return nil
	}
	within := func(of expr.Expr, part string) []source {
		return m.partSources(s, of, append([]string{part}, path...), depth+1)
	}
	inexact := func(of ...expr.Expr) (list []source) {
		for _, e := range of {
			for _, src := range m.partSources(s, e, path, depth+1) {
				src.inexact = true
				list = append(list, src)
			}
		}
		return list
	}
	switch e := e.(type) {
	case *expr.Output:
		return m.outputSources(s.places[e.Node], path, 0)
	case *expr.Field:
		return m.outputSources(s.places[e.Node], append(slices.Clone(e.Path), path...), 0)
	case *expr.StepValue:
		return m.outputSources(s.places[e.Node], path, 0)
	case *expr.Input:
		if s.call == nil {
			return []source{{slot: slot{"inputs", e.Name}, path: path}}
		}
		call, _ := s.call.node.Action.(*ir.Call)
		for _, arg := range call.Args {
			if arg.Name == e.Name {
				return m.partSources(s.call.scope, arg.Value, path, depth+1)
			}
		}
	case *expr.Attr:
		return within(e.X, e.Name)
	case *expr.Item:
		if key, ok := e.Key.(*expr.Literal); ok {
			if types.IsText(key.Typ) {
				return within(e.X, key.Text)
			}
			return within(e.X, element)
		}
		return inexact(e.X, e.Key)
	case *expr.Local:
		if items, ok := s.lists[e.Of]; ok {
			return within(items, element)
		}
		if pl, ok := s.rounds[e.Of]; ok {
			return m.outputSources(pl, path, 0)
		}
	case *expr.State:
		return m.variableSources(s, e.Name, depth)
	case *expr.LastLabel:
		if pl := s.places[e.Node]; pl != nil {
			for _, kind := range []string{"agents", "bash", "answers"} {
				if at := (slot{kind, pl.key}); m.producers[at] != nil || kind == "answers" {
					return []source{{slot: at, label: true}}
				}
			}
		}
	case *expr.Filter:
		switch e.Name {
		case "length", "count":
			list = m.partSources(s, e.X, path, depth+1)
			for i := range list {
				list[i].size = true
			}
			return list
		case "first", "last":
			return within(e.X, element)
		case "int", "float", "string", "lower", "upper", "trim", "default", "d", "bool", "list":
			return m.partSources(s, e.X, path, depth+1)
		}
		all := []expr.Expr{e.X}
		for _, a := range e.Args {
			all = append(all, a.Value)
		}
		return inexact(all...)
	case *expr.Fallback:
		return m.partSources(s, e.X, path, depth+1)
	case *expr.Str:
		return m.partSources(s, e.X, path, depth+1)
	case *expr.Holds:
		return m.partSources(s, e.X, path, depth+1)
	case *expr.Convert:
		return m.partSources(s, e.X, path, depth+1)
	case *expr.Test:
		return m.partSources(s, e.X, path, depth+1)
	case *expr.Literal:
	case *expr.Approved:
		if pl := s.places[e.Node]; pl != nil {
			return []source{{slot: slot{"answers", pl.key + "/review"}, label: true}}
		}
	default:
		expr.Walk(e, func(inner expr.Expr) bool {
			if inner == e {
				return true
			}
			list = append(list, inexact(inner)...)
			return false
		})
	}
	return list
}

// variableSources returns the sources of a variable of a state graph.
func (m *model) variableSources(s *scope, name string, depth int) (list []source) {
	g, ok := s.program.Workflow.Body.(*ir.Graph)
	if !ok {
		return nil
	}
	if f := g.State.Field(name); f != nil {
		list = m.exprSources(s, f.Initial, depth+1)
	}
	for _, n := range g.Nodes {
		for _, h := range n.Handlers {
			for _, a := range h.Assigns {
				if a.Field == nil || a.Field.Name != name {
					continue
				}
				if _, isSaid := a.Value.(*expr.Said); isSaid {
					for _, src := range m.outputSources(s.places[n.ID], nil, depth+1) {
						src.field = a.Field
						list = append(list, src)
					}
				}
			}
		}
	}
	return list
}

// literalValue returns the value of a constant.
func literalValue(e *expr.Literal) any {
	switch {
	case types.IsText(e.Typ):
		return e.Text
	case e.Typ == types.Null:
		return nil
	case e.Typ == types.Bool:
		return strings.EqualFold(e.Text, "true")
	case types.IsNumber(e.Typ):
		if f, err := strconv.ParseFloat(e.Text, 64); err == nil {
			return f
		}
	}
	var v any
	if json.Unmarshal([]byte(e.Text), &v) == nil {
		return v
	}
	return e.Text
}

// exprConstants returns the constants in an expression.
func exprConstants(e expr.Expr) (list []any) {
	expr.Walk(e, func(e expr.Expr) bool {
		if l, ok := e.(*expr.Literal); ok {
			list = append(list, literalValue(l))
		}
		return true
	})
	return list
}
