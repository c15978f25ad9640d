package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// exprName writes down an expression; "" if two evaluations in one condition may differ.
// Expressions with the same name have the same value.
func (r reading) exprName(e expr.Expr) string {
	var b strings.Builder
	if !r.writeName(&b, e, false) {
		return ""
	}
	return b.String()
}

// writeName appends the name of an expression and reports whether it has one. taken says
// that reading takes the items of the value. A variable of a template may have items
// that can be taken only once.
func (r reading) writeName(b *strings.Builder, e expr.Expr, taken bool) bool {
	switch e := e.(type) {
	case *expr.Output:
		b.WriteString(referenceText(e.Node, e.Previous))
	case *expr.Field:
		b.WriteString(referenceText(e.Node, e.Previous))
		for _, name := range e.Path {
			b.WriteString("." + name)
		}
	case *expr.Input:
		b.WriteString("$INPUTS." + e.Name)
	case *expr.StepValue:
		b.WriteString(e.Node)
	case *expr.Approved:
		b.WriteString(e.Node + " approved")
	case *expr.Local:
		if taken && e.Of.Typ == types.Any {
			return false
		}
		file := ""
		if e.Of.At.File != nil {
			file = e.Of.At.File.Name
		}
		fmt.Fprintf(b, "%s@%s:%d", e.Of.Name, file, e.Of.At.Start)
	case *expr.Literal:
		class, known := r.constantClass(e)
		b.WriteString(e.Typ.String() + class)
		return known
	case *expr.Attr:
		ok := r.writeName(b, e.X, taken)
		b.WriteString("." + e.Name)
		return ok
	case *expr.Item:
		ok := r.writeName(b, e.X, taken)
		b.WriteString("[")
		return ok && r.writeName(b, e.Key, false)
	case *expr.Filter:
		ok := r.writeName(b, e.X, true)
		b.WriteString("|" + e.Name)
		return ok && r.writeArguments(b, e.Args)
	case *expr.Str:
		b.WriteString("text ")
		return r.writeName(b, e.X, false)
	case *expr.Rendered:
		return r.writeHoles(b, e)
	case *expr.GoCall:
		b.WriteString(e.Func)
		for _, a := range e.Args {
			b.WriteString(" ")
			if !r.writeName(b, a, true) {
				return false
			}
		}
	default:
		return false
	}
	return true
}

// writeHoles appends the name of a text that has values inserted.
func (r reading) writeHoles(b *strings.Builder, e *expr.Rendered) bool {
	t, ok := e.Text.(*template.Template)
	if !ok || t.Statements() {
		return false
	}
	b.WriteString("(")
	for _, p := range t.Parts {
		switch p := p.(type) {
		case *template.Text:
			b.WriteString(strconv.Quote(p.Value))
		case *template.Hole:
			ok = ok && r.writeName(b, p.Expr, false)
		}
	}
	b.WriteString(")")
	return ok
}

func (r reading) writeArguments(b *strings.Builder, args []expr.Arg) bool {
	b.WriteString("(")
	for _, a := range args {
		b.WriteString(strings.Repeat("*", a.Stars) + a.Name + "=")
		if !r.writeName(b, a.Value, true) {
			return false
		}
		b.WriteString(",")
	}
	b.WriteString(")")
	return true
}

// referenceText is a node's output as conditions write it.
func referenceText(node string, previous bool) string {
	if previous {
		return "$LOOP_PREV." + node + ".output"
	}
	return "$" + node + ".output"
}

// quiet are the methods without side effects.
var quiet = []string{
	"capitalize", "count", "endswith", "find", "get", "index", "isalnum", "isalpha", "isdigit", "islower", "isnumeric", "isspace", "isupper", "items",
	"join", "keys", "lower", "lstrip", "replace", "rstrip", "split", "splitlines", "startswith", "strip", "title", "upper", "values",
}

// hasSideEffects reports whether evaluating an expression may change values that it reads.
func hasSideEffects(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(e expr.Expr) bool {
		if call, ok := e.(*expr.Call); ok {
			method, is := call.Fn.(*expr.Attr)
			found = found || !is || !slices.Contains(quiet, method.Name)
		}
		return !found
	})
	return found
}

// isFixed reports whether an expression consists of constants that it writes itself.
func isFixed(e expr.Expr) bool {
	at, fixed := e.Span(), true
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Literal:
			fixed = fixed && (x == e || x.WrittenIn(at))
		case *expr.Output, *expr.Field, *expr.Input, *expr.StepValue, *expr.Approved, *expr.Local, *expr.Var, *expr.Global, *expr.UndefinedName,
			*expr.State, *expr.LastLabel, *expr.Said, *expr.Progress:
			fixed = false
		}
		return fixed
	})
	return fixed
}
