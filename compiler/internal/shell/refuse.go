package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// refuseStep returns the error for a hole that is where bash reads a name, or nil.
func (s *parsed) refuseStep(p *spot, n, child syntax.Node) *diag.Diagnostic {
	at := s.sourceSpan(p.Start, p.End)
	name := func(what string) *diag.Diagnostic {
		return finding.ValueAsName(at, "`"+p.Label+"`", what)
	}
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil && child == syntax.Node(n.Name) && n.Naked {
			return name("a name that is declared").WithHelp("declare a fixed name with the value: `export result=" + p.Label + "`")
		}
		if n.Name != nil && child == syntax.Node(n.Name) {
			return name("the name of a variable").WithHelp("keep values under fixed names: `result=" + p.Label + "`, or in an associative array: `declare -A by; by[" + p.Label + "]=…`")
		}
	case *syntax.ParamExp:
		if n.Param != nil && child == syntax.Node(n.Param) && !n.Short {
			d := name("the name of a variable inside `${…}`").WithHelp("write the reference without braces: `" + p.Label + "`")
			if start, end := nodeOffsets(n); s.masked[start+2:end-1] == s.masked[p.Start:p.End] {
				d.WithSureFix("write `"+p.Label+"`", s.sourceSpan(start, end), s.src[p.Start:p.End])
			}
			return d
		}
	case *syntax.FuncDecl:
		if n.Body == nil || child != syntax.Node(n.Body) {
			return name("the name of a function").WithHelp("use a fixed name for the function and pass the value as an argument: `handle " + p.Label + "`")
		}
	case *syntax.WordIter:
		if child == syntax.Node(n.Name) {
			return name("the variable of a loop").WithHelp("loop over the value instead: `for item in " + p.Label + "; do …`")
		}
	case *syntax.CoprocClause:
		if n.Name != nil && child == syntax.Node(n.Name) {
			return name("the name of a coprocess").WithHelp("use a fixed name for the coprocess")
		}
	case *syntax.Redirect:
		switch {
		case n.N != nil && child == syntax.Node(n.N):
			return name("a file descriptor").WithHelp("use a fixed descriptor: `2>…`, `3<…`")
		case child == syntax.Node(n.Word) && (n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc):
			return finding.ShellHoleAsDelimiter(at, p.Label)
		}
	case *syntax.BinaryArithm:
		if isAssignment(n.Op) && child == syntax.Node(n.X) && isLitWord(n.X) {
			return name("a variable assigned in arithmetic").WithHelp("assign to a fixed name: `n=$(( " + p.Label + " + 1 ))`")
		}
	case *syntax.UnaryArithm:
		if (n.Op == syntax.Inc || n.Op == syntax.Dec) && isLitWord(n.X) {
			return name("a counter in arithmetic").WithHelp("assign to a fixed name first: `n=$(( " + p.Label + " + 1 ))`")
		}
	}
	return nil
}

func isAssignment(op syntax.BinAritOperator) bool {
	return strings.HasSuffix(op.String(), "=") &&
		!slices.Contains([]syntax.BinAritOperator{syntax.Eql, syntax.Neq, syntax.Leq, syntax.Geq}, op)
}

func isLitWord(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && w.Lit() != ""
}

// needInteger marks a hole as a whole number, or refuses it when its type says
// that it never is one.
func (s *parsed) needInteger(p *spot) {
	if p.place.dead {
		return
	}
	if !mayBeInteger(p.Type) {
		s.refuseHole(p, finding.ShellArithmeticType(s.sourceSpan(p.Start, p.End), p.Label, p.Type.String()))
		return
	}
	p.integer = true
}

// alwaysInteger reports whether every value of the type is a whole number.
func alwaysInteger(t types.Type) bool {
	switch t := t.(type) {
	case types.Basic:
		return t == types.Int
	case *types.Enum:
		return len(t.Values) > 0 && !slices.ContainsFunc(t.Values, func(v string) bool { return !isInteger(v) })
	}
	return false
}

// mayBeInteger reports whether a value of the type can be a whole number.
func mayBeInteger(t types.Type) bool {
	switch t := t.(type) {
	case types.Basic:
		return t != types.Bool && t != types.Null
	case *types.Enum:
		return slices.ContainsFunc(t.Values, isInteger)
	case *types.Optional:
		return mayBeInteger(t.Elem)
	}
	return false
}

func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}
