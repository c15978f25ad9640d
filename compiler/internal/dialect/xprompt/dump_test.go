package xprompt_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// dump shows a template: the content of holes is in ‹›.
func dump(t *template.Template) string { return dumpParts(t.Parts) }

func dumpParts(parts []template.Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Text:
			b.WriteString(p.Value)
		case *template.Hole:
			b.WriteString("‹" + dumpExpr(p.Expr) + "›")
		case *template.If:
			for _, branch := range p.Branches {
				b.WriteString("‹if " + dumpExpr(branch.Cond) + "›" + dumpParts(branch.Body))
			}
			b.WriteString("‹else›" + dumpParts(p.Else) + "‹end›")
		case *template.Set:
			b.WriteString("‹set " + dumpExpr(p.Value) + "›")
		case *template.Macro:
			b.WriteString("‹macro " + dumpParts(p.Body) + "›")
		default:
			fmt.Fprintf(&b, "‹%T›", p)
		}
	}
	return b.String()
}

// dumpExpr shows an expression. Texts that are printed are not marked.
func dumpExpr(e expr.Expr) string {
	switch e := e.(type) {
	case nil:
		return "-"
	case *expr.Literal:
		return fmt.Sprintf("%s %q", e.Typ, e.Text)
	case *expr.Str:
		return dumpExpr(e.X)
	case *expr.Input:
		return "$" + e.Name
	case *expr.Local:
		return e.Of.Name
	case *expr.StepValue:
		if e.Presence != 0 {
			return "?" + e.Node
		}
		return e.Node
	case *expr.Attr:
		s := dumpExpr(e.X) + "." + e.Name
		if e.Lenient {
			s += "~"
		}
		return s
	case *expr.Approved:
		return "approved(" + e.Node + ")"
	case *expr.Arith:
		return "(" + dumpExpr(e.X) + " " + e.Op.String() + " " + dumpExpr(e.Y) + ")"
	case *expr.Negation:
		return "not " + dumpExpr(e.X)
	case *expr.Holds:
		return "holds " + dumpExpr(e.X)
	case *expr.Choose:
		return "(" + dumpExpr(e.Then) + " if " + dumpExpr(e.If) + " else " + dumpExpr(e.Else) + ")"
	case *expr.Test:
		return dumpExpr(e.X) + " is " + map[bool]string{true: "not "}[e.Not] + e.Name
	case *expr.Filter:
		return dumpExpr(e.X) + "|" + e.Name
	case *expr.Convert:
		return e.To.String() + "(" + dumpExpr(e.X) + ")"
	case *expr.Rendered:
		return "[" + dump(e.Text.(*template.Template)) + "]"
	case *expr.ListOf:
		var items []string
		for _, x := range e.Items {
			items = append(items, dumpExpr(x))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprintf("%T", e)
}
