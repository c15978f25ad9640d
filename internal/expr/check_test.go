package expr_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

func TestCheckComparisonsOfFields(t *testing.T) {
	enum := &types.Enum{Values: []string{"bug", "feature"}}
	object := &types.Struct{Fields: []*types.Field{{Name: "n", Type: types.Text}}}
	eq, ne, less := expr.TextEqual, expr.TextNotEqual, expr.NumberLess
	for _, c := range []struct {
		typ      types.Type
		presence expr.Presence
		op       expr.CompareOp
		literal  string
		want     string
	}{
		{enum, 0, eq, "bug", ""},
		{enum, 0, eq, "bugs", "always false: `f` is one of bug, feature"},
		{enum, 0, ne, "bugs", "always true: `f` is one of bug, feature"},
		{enum, 0, eq, "Bug", "always false: `f` is one of bug, feature"},
		{enum, 0, eq, "", "always false: `f` is one of bug, feature"},
		{enum, expr.MaybeAbsent, eq, "", ""},
		{enum, expr.MaybeAbsent, eq, "bug", "optional field `f`: if it is missing, this compares an empty string"},
		{&types.Optional{Elem: enum}, 0, ne, "", ""},
		{&types.Enum{Values: []string{"only"}}, 0, eq, "only", "always true: `f` is always only"},
		{enum, 0, less, "5", "`<` compares numbers, but `f` is one of bug, feature"},
		{&types.Enum{Values: []string{"1", "2"}}, 0, less, "2", ""},
		{types.Int, 0, eq, "3", ""},
		{types.Int, 0, eq, "-3", ""},
		{types.Int, 0, eq, "3.0", "always false: `f` is an integer, written `3`"},
		{types.Int, 0, eq, "3.5", "always false: `f` is an integer"},
		{types.Int, 0, eq, "many", "always false: `f` is an integer"},
		{types.Float, 0, eq, "0.5", ""},
		{types.Float, 0, eq, "85.0", "always false: `f` is a number, written `85`"},
		{types.Float, 0, eq, "1e+21", ""},
		{types.Float, 0, eq, "1000000000000000000000", "always false: `f` is a number, written `1e+21`"},
		{types.Float, 0, eq, "1e-7", ""},
		{types.Float, 0, eq, "0.000001", ""},
		{types.Float, 0, less, "high", "`<` compares numbers, but `high` is not a number"},
		{types.Float, 0, less, "5 apples", ""},
		{types.Bool, 0, eq, "true", ""},
		{types.Bool, 0, eq, "True", "always false: `f` is a boolean"},
		{types.Bool, 0, less, "1", "`<` compares numbers, but `f` is bool"},
		{types.Text, 0, eq, "anything", ""},
		{types.Text, 0, less, "5", ""},
		{types.Any, 0, eq, "anything", ""},
		{types.Word, 0, eq, "two words", "always false: `f` is word"},
		{object, 0, eq, "x", "`f` is compared as a string, but it is an object"},
		{object, 0, eq, `{"n":"x"}`, ""},
		{&types.List{Elem: types.Text}, 0, eq, "[1,2]", ""},
		{&types.List{Elem: types.Text}, 0, less, "3", "`<` compares numbers, but `f` is a list"},
	} {
		e := &expr.Compare{
			Op: c.op, X: &expr.Field{Node: "a", Path: []string{"f"}, Typ: c.typ, Declared: true, Presence: c.presence},
			Y: &expr.Literal{Text: c.literal, Typ: types.Text},
		}
		if got := messages(e, expr.Producer{}); got != c.want {
			t.Errorf("%s %s %q\ngot  %s\nwant %s", c.typ, c.op, c.literal, got, c.want)
		}
	}
}

func TestCheckComparisonsOfOutputs(t *testing.T) {
	object := &types.Struct{Fields: []*types.Field{{Name: "n", Type: types.Text}}}
	for _, c := range []struct {
		from    expr.Producer
		op      expr.CompareOp
		literal string
		want    string
	}{
		{expr.Producer{Output: types.Text}, expr.TextEqual, "ok", ""},
		{expr.Producer{Output: types.Text}, expr.NumberGreater, "", "`>` compares numbers, but an empty string is not a number"},
		{expr.Producer{Output: object}, expr.TextEqual, "ok", "`$a.output` is compared as a string, but it is an object"},
		{expr.Producer{Output: object}, expr.TextNotEqual, "", ""},
		{expr.Producer{Output: object}, expr.NumberLess, "1", "`<` compares numbers, but `$a.output` is an object"},
		{expr.Producer{Output: types.Text, Prose: true}, expr.TextEqual, "yes", "the reply of `a` rarely equals exactly this string"},
		{expr.Producer{Output: types.Text, Prose: true}, expr.TextNotEqual, "", ""},
		{expr.Producer{Output: types.Text, Prose: true}, expr.NumberLess, "5", ""},
	} {
		e := &expr.Compare{Op: c.op, X: &expr.Output{Node: "a"}, Y: &expr.Literal{Text: c.literal, Typ: types.Text}}
		if got := messages(e, c.from); got != c.want {
			t.Errorf("%v %s %q\ngot  %s\nwant %s", c.from, c.op, c.literal, got, c.want)
		}
	}
}

func messages(e expr.Expr, from expr.Producer) string {
	var bag diag.Bag
	// A comparison is found at any depth.
	expr.Check(&expr.Not{X: &expr.Logic{X: &expr.Bad{}, Y: e}}, func(string) (expr.Producer, bool) { return from, true }, &bag)
	all := ""
	for _, d := range bag.Sorted() {
		all += d.Message
	}
	return all
}

func TestCheckSuggestsValues(t *testing.T) {
	var bag diag.Bag
	e := &expr.Compare{
		X: &expr.Field{Path: []string{"kind"}, Typ: &types.Enum{Values: []string{"bug", "feature"}}, Declared: true},
		Y: &expr.Literal{Text: "featur", Typ: types.Text},
	}
	expr.Check(e, func(string) (expr.Producer, bool) { return expr.Producer{}, false }, &bag)
	if list := bag.Sorted(); len(list) != 1 || !slices.Contains(list[0].Help, "did you mean `feature`?") {
		t.Errorf("%v", list)
	}
}
