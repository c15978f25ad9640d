package jinja_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// onlyHole returns the expression of a template that is a single hole, without the
// conversion to a string, and nil for other templates.
func onlyHole(t *template.Template) expr.Expr {
	if len(t.Parts) != 1 {
		return nil
	}
	hole, ok := t.Parts[0].(*template.Hole)
	if !ok {
		return nil
	}
	if s, ok := hole.Expr.(*expr.Str); ok {
		return s.X
	}
	return hole.Expr
}

// show prints an expression compactly: operators with all their parentheses, each
// value of a known type followed by that.
func show(e expr.Expr) string {
	switch e := e.(type) {
	case nil:
		return "-"
	case *expr.Literal:
		if types.IsText(e.Typ) {
			return strconv.Quote(e.Text)
		}
		return e.Text
	case *expr.Input:
		return "$" + e.Name
	case *expr.StepValue:
		return "@" + e.Node
	case *expr.Local:
		if e.Of.Maybe {
			return e.Of.Name + "?"
		}
		return e.Of.Name
	case *expr.Global:
		return "global:" + e.Name
	case *expr.UndefinedName:
		return "undefined:" + e.Name
	case *expr.Bad:
		return "BAD"
	case *expr.Attr:
		s := show(e.X) + "." + e.Name
		if e.Lenient {
			s += "~"
		}
		if e.Presence != 0 {
			s += "?"
		}
		return s
	case *expr.Item:
		return show(e.X) + "[" + show(e.Key) + "]"
	case *expr.Slice:
		return show(e.X) + "[" + show(e.Low) + ":" + show(e.High) + ":" + show(e.Step) + "]"
	case *expr.Call:
		return show(e.Fn) + "(" + showArgs(e.Args) + ")"
	case *expr.Filter:
		return "(" + show(e.X) + " | " + e.Name + "(" + showArgs(e.Args) + "))"
	case *expr.Test:
		not := ""
		if e.Not {
			not = "not "
		}
		return "(" + show(e.X) + " is " + not + e.Name + "(" + showArgs(e.Args) + "))"
	case *expr.Arith:
		return "(" + show(e.X) + " " + e.Op.String() + " " + show(e.Y) + ")"
	case *expr.Sign:
		if e.Negative {
			return "-" + show(e.X)
		}
		return "+" + show(e.X)
	case *expr.Concat:
		return "concat(" + showAll(e.Parts) + ")"
	case *expr.Relation:
		s := "(" + show(e.X)
		for _, l := range e.Links {
			s += " " + l.Op.String() + " " + show(l.Y)
		}
		return s + ")"
	case *expr.Either:
		return "(" + show(e.X) + map[expr.LogicOp]string{expr.And: " and ", expr.Or: " or "}[e.Op] + show(e.Y) + ")"
	case *expr.Negation:
		return "not " + show(e.X)
	case *expr.Choose:
		return "(" + show(e.Then) + " if " + show(e.If) + " else " + show(e.Else) + ")"
	case *expr.ListOf:
		if e.Tuple {
			return "tuple(" + showAll(e.Items) + ")"
		}
		return "[" + showAll(e.Items) + "]"
	case *expr.DictOf:
		var list []string
		for i := range e.Keys {
			list = append(list, show(e.Keys[i])+": "+show(e.Values[i]))
		}
		return "{" + strings.Join(list, ", ") + "}"
	case *expr.Rendered:
		return "<" + dump(e.Text.(*template.Template).Parts) + ">"
	case *expr.Str:
		return show(e.X)
	}
	return fmt.Sprintf("%T", e)
}

func showAll(list []expr.Expr) string {
	var s []string
	for _, e := range list {
		s = append(s, show(e))
	}
	return strings.Join(s, ", ")
}

func showArgs(list []expr.Arg) string {
	var s []string
	for _, a := range list {
		name := strings.Repeat("*", a.Stars)
		if a.Name != "" {
			name += a.Name + "="
		}
		s = append(s, name+show(a.Value))
	}
	return strings.Join(s, ", ")
}

// dump prints the parts of a template: texts in quotes, statements in braces.
func dump(parts []template.Part) string {
	var list []string
	for _, p := range parts {
		list = append(list, dumpPart(p))
	}
	return strings.Join(list, " ")
}

func dumpPart(p template.Part) string {
	switch p := p.(type) {
	case *template.Text:
		return strconv.Quote(p.Value)
	case *template.Hole:
		return show(p.Expr)
	case *template.If:
		s := ""
		for i, b := range p.Branches {
			s += map[bool]string{true: "if ", false: " elif "}[i == 0] + show(b.Cond) + " {" + dump(b.Body) + "}"
		}
		if p.Else != nil {
			s += " else {" + dump(p.Else) + "}"
		}
		return s
	case *template.For:
		s := "for " + target(p.Target) + " in " + show(p.Items)
		if p.Where != nil {
			s += " if " + show(p.Where)
		}
		s += " {" + dump(p.Body) + "}"
		if p.Else != nil {
			s += " else {" + dump(p.Else) + "}"
		}
		return s
	case *template.Set:
		return "set " + target(p.Target) + " = " + show(p.Value) + ";"
	case *template.Scope:
		return "{" + dump(p.Body) + "}"
	case *template.Macro:
		var params []string
		for _, param := range p.Params {
			s := param.Var.Name
			if param.Default != nil {
				s += "=" + show(param.Default)
			}
			params = append(params, s)
		}
		for _, d := range []*expr.Declared{p.Varargs, p.Kwargs, p.Caller} {
			if d != nil {
				params = append(params, "+"+d.Name)
			}
		}
		return "macro " + p.Var.Name + "(" + strings.Join(params, ", ") + ") {" + dump(p.Body) + "}"
	}
	return fmt.Sprintf("%T", p)
}

func target(t template.Target) string {
	switch {
	case t.Var != nil:
		return t.Var.Name + ":" + t.Var.Typ.String()
	case t.Object != nil:
		return show(t.Object) + "." + t.Field
	}
	var list []string
	for _, item := range t.Items {
		list = append(list, target(item))
	}
	return "(" + strings.Join(list, ", ") + ")"
}
