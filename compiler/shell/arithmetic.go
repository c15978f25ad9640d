package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// Arithmetic in bash evaluates the text of its variables, again and again until
// a number is left: with x='a[$(command)]' the expression $((x)) runs the
// command. Holes that stand in arithmetic themselves are found by their place;
// this file finds the variables there that hold a hole's value, and demands
// that the value is a whole number before the script starts. What outsiders put
// into variables is not checked beforehand, so the script has to test it.

// checkArithmetic checks the variables in every arithmetic expression.
func (s *script) checkArithmetic() {
	for _, n := range s.tree.nodes {
		switch n := n.node.(type) {
		case *syntax.ArithmExp:
			s.checkExpression(n.X)
		case *syntax.ArithmCmd:
			s.checkExpression(n.X)
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				s.checkExpression(x)
			}
		case *syntax.CStyleLoop:
			for _, x := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
				s.checkExpression(x)
			}
		case *syntax.ParamExp:
			s.checkParameter(n)
		case *syntax.BinaryTest:
			if isArithmeticTest(n.Op) {
				s.checkOperands(n.X)
				s.checkOperands(n.Y)
			}
		case *syntax.Assign:
			s.checkAssign(n)
		}
	}
}

func (s *script) checkParameter(n *syntax.ParamExp) {
	if n.Slice != nil {
		s.checkExpression(n.Slice.Offset)
		s.checkExpression(n.Slice.Length)
	}
	if n.Index != nil && (n.Param == nil || !s.tree.associative[n.Param.Value]) {
		s.checkExpression(n.Index)
	}
	if n.Excl && n.Names == 0 && n.Index == nil && n.Param != nil {
		s.checkIndirect(n)
	}
}

// checkIndirect refuses ${!x} where x holds a value: bash evaluates the text of
// x as the name of a variable, subscripts included.
func (s *script) checkIndirect(n *syntax.ParamExp) {
	start, end := offsets(n)
	for _, o := range s.tracker.holds(n.Param.Value, start, followText) {
		k := carrier{o.seed, start, end, n.Param.Value, o.at}
		s.refuseCarrier(k, diag.ShellHoleAsName(s.at(k), s.subject(k), "the name of a variable").
			WithHelp("use an array with text keys: `declare -A by; … ${by[$"+n.Param.Value+"]}`"))
	}
}

func (s *script) checkAssign(n *syntax.Assign) {
	if n.Name == nil {
		return
	}
	if n.Index != nil && !s.tree.associative[n.Name.Value] {
		s.checkExpression(n.Index)
	}
	if n.Value != nil && s.tree.integers[n.Name.Value] {
		s.checkOperands(n.Value)
	}
	if n.Array != nil && !s.tree.associative[n.Name.Value] {
		for _, e := range n.Array.Elems {
			s.checkExpression(e.Index)
		}
	}
}

// checkExpression checks the variables of an arithmetic expression, which may be nil.
func (s *script) checkExpression(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		if x.Op != syntax.Assgn || !isLitWord(x.X) {
			s.checkExpression(x.X)
		}
		s.checkExpression(x.Y)
	case *syntax.UnaryArithm:
		s.checkExpression(x.X)
	case *syntax.ParenArithm:
		s.checkExpression(x.X)
	case *syntax.Word:
		if x == nil {
			return
		}
		if name := x.Lit(); isName(name) {
			start, end := offsets(x)
			if len(s.holesIn(start, end)) == 0 {
				s.evaluated(name, start, end)
			}
			return
		}
		s.checkOperands(x)
	}
}

// checkOperands checks the expansions in a node whose text is evaluated.
func (s *script) checkOperands(n syntax.Node) {
	for _, k := range s.tracker.carriers(n, followNumber) {
		s.needNumber(k)
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.ParamExp:
			if n.Param != nil && !n.Dollar.IsValid() {
				// a[i] without a dollar is read like ${a[i]}.
				s.evaluated(n.Param.Value, int(n.Param.Pos().Offset()), int(n.Param.End().Offset()))
			}
		case *syntax.Word:
			if lit := n.Lit(); isName(lit) {
				if start, end := offsets(n); len(s.holesIn(start, end)) == 0 {
					s.evaluated(lit, start, end)
				}
			}
		}
		return true
	})
}

// evaluated checks a variable whose text arithmetic evaluates.
func (s *script) evaluated(name string, start, end int) {
	for _, o := range s.tracker.holds(name, start, followNumber) {
		s.needNumber(carrier{o.seed, start, end, name, o.at})
	}
}

// needNumber demands that a followed value is a whole number.
func (s *script) needNumber(k carrier) {
	if k.seed.spot != nil {
		s.needInteger(k.seed.spot)
		return
	}
	s.refuseCarrier(k, diag.ShellArithmeticVariable(s.at(k), s.subject(k), k.through))
}
