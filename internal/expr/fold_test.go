package expr_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

func text(s string) expr.Expr { return &expr.Literal{Text: s, Typ: types.Text} }

func compare(x expr.Expr, op expr.CompareOp, y expr.Expr) expr.Expr {
	return &expr.Compare{Op: op, X: x, Y: y}
}

func logic(x expr.Expr, op expr.LogicOp, y expr.Expr) expr.Expr {
	return &expr.Logic{Op: op, X: x, Y: y}
}

func shown(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Literal:
		return e.Text
	case *expr.Output:
		return "$" + e.Node
	case *expr.Input:
		return e.Name
	case *expr.Compare:
		return shown(e.X) + e.Op.String() + shown(e.Y)
	case *expr.Logic:
		return "(" + shown(e.X) + map[expr.LogicOp]string{expr.And: "&", expr.Or: "|"}[e.Op] + shown(e.Y) + ")"
	case *expr.Not:
		return "!" + shown(e.X)
	}
	return "?"
}

func TestFold(t *testing.T) {
	other := &expr.Input{Name: "other", Typ: types.Text}
	read := compare(&expr.Output{Node: "a"}, expr.TextEqual, text("x"))
	fast := compare(text("fast"), expr.TextEqual, text("fast"))
	slow := compare(text("fast"), expr.TextNotEqual, text("fast"))
	for _, c := range []struct {
		e    expr.Expr
		want string
	}{
		{other, "other"},
		{fast, "true"},
		{slow, "false"},
		{&expr.Not{X: fast}, "false"},
		{&expr.Not{X: read}, "!$a==x"},
		{compare(text(" 12abc"), expr.NumberGreater, text("1e1")), "true"},
		{compare(text("9"), expr.NumberGreaterEqual, text("10")), "false"},
		{compare(text("-.5"), expr.NumberLess, text("0")), "true"},
		{compare(text("7"), expr.NumberLessEqual, text("7.0")), "true"},
		// An expression that would fail the node is left to the run.
		{compare(text("x"), expr.NumberGreater, text("1")), "x>1"},
		{compare(text("Infinity"), expr.NumberGreater, text("1")), "Infinity>1"},
		{logic(fast, expr.And, read), "$a==x"},
		{logic(slow, expr.And, read), "false"},
		{logic(fast, expr.Or, read), "true"},
		{logic(slow, expr.Or, read), "$a==x"},
		{logic(read, expr.And, fast), "$a==x"},
		{logic(read, expr.Or, slow), "$a==x"},
		// Reading may fail, so the first operand is not dropped.
		{logic(read, expr.And, slow), "($a==x&false)"},
		{logic(read, expr.Or, fast), "($a==x|true)"},
	} {
		before := shown(c.e)
		got := expr.Fold(c.e)
		if shown(got) != c.want {
			t.Errorf("%s folds to %s, want %s", before, shown(got), c.want)
		}
		if shown(c.e) != before {
			t.Errorf("%s was changed to %s", before, shown(c.e))
		}
	}
}

// Values are compared by their types, and nothing goes wrong about it.
func TestFoldValues(t *testing.T) {
	lit := func(text string, t types.Type) expr.Expr { return &expr.Literal{Text: text, Typ: t} }
	null := lit("null", types.Null)
	for _, c := range []struct {
		x    expr.Expr
		op   expr.CompareOp
		y    expr.Expr
		want string
	}{
		{lit("9", types.Int), expr.ValueLess, lit("10", types.Float), "true"},
		{lit("1", types.Int), expr.ValueEqual, lit("1.0", types.Float), "true"},
		{lit("1", types.Int), expr.ValueNotEqual, lit("1.5", types.Float), "true"},
		{text("9"), expr.ValueLess, text("10"), "false"},
		{text("a"), expr.ValueLessEqual, text("a"), "true"},
		{text("b"), expr.ValueGreater, text("a"), "true"},
		{text("a"), expr.ValueGreaterEqual, text("b"), "false"},
		{text("1"), expr.ValueEqual, lit("1", types.Int), "false"},
		{text("1"), expr.ValueNotEqual, lit("1", types.Int), "true"},
		{text("1"), expr.ValueLess, lit("2", types.Int), "false"},
		{lit("true", types.Bool), expr.ValueEqual, lit("true", types.Bool), "true"},
		{null, expr.ValueEqual, null, "true"},
		{null, expr.ValueEqual, text("null"), "false"},
		{null, expr.ValueLessEqual, null, "false"},
		{text("a"), expr.ValueNotEqual, null, "true"},
	} {
		if got := shown(expr.Fold(compare(c.x, c.op, c.y))); got != c.want {
			t.Errorf("%s folds to %s, want %s", shown(compare(c.x, c.op, c.y)), got, c.want)
		}
	}
}
