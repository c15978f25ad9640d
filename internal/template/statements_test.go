package template_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// everywhere is a template with the input x at every possible place of an
// expression.
func everywhere() (t *template.Template, places int) {
	x := func() expr.Expr {
		places++
		return &expr.Input{Name: "x", Typ: types.Text}
	}
	hole := func() []template.Part { return []template.Part{&template.Hole{Expr: x()}} }
	target := func() template.Target {
		return template.Target{Items: []template.Target{{Var: &expr.Declared{Name: "v"}}, {Object: x(), Field: "f"}}}
	}
	t = &template.Template{Source: source.PlainText(""), Parts: []template.Part{
		&template.If{Branches: []template.Branch{{Cond: x(), Body: hole()}, {Cond: x(), Body: hole()}}, Else: hole()},
		&template.For{Target: target(), Items: x(), Where: x(), Body: hole(), Else: hole()},
		&template.Set{Target: target(), Value: &expr.Rendered{Text: &template.Template{Parts: hole()}}},
		&template.Scope{Body: hole()},
		&template.Macro{Params: []template.Param{{Default: x()}, {}}, Body: hole()},
		&template.Bound{Expr: &expr.Call{Fn: x(), Args: []expr.Arg{{Value: x()}}}},
	}}
	return t, places
}

func inputs(t *template.Template) int {
	n := 0
	t.Exprs(func(e expr.Expr) bool {
		if _, ok := e.(*expr.Input); ok {
			n++
		}
		return true
	})
	return n
}

func TestFoldCopiesEveryExpression(t *testing.T) {
	whole, places := everywhere()
	folded := template.Fold(whole)
	if got := inputs(folded); got != places {
		t.Fatalf("%d of %d expressions are folded", got, places)
	}
	folded.Rewrite(func(e expr.Expr) expr.Expr {
		if _, ok := e.(*expr.Input); ok {
			return &expr.Literal{Text: "1", Typ: types.Text}
		}
		return e
	})
	if got := inputs(whole); got != places {
		t.Errorf("the folded template shares expressions with the original: %d of %d inputs are left in it", got, places)
	}
}

func TestRewriteReachesEveryExpression(t *testing.T) {
	whole, places := everywhere()
	replaced := 0
	whole.Rewrite(func(e expr.Expr) expr.Expr {
		if _, ok := e.(*expr.Input); !ok {
			return e
		}
		replaced++
		return &expr.Literal{Text: "1", Typ: types.Text}
	})
	if left := inputs(whole); replaced != places || left != 0 {
		t.Errorf("%d of %d expressions are replaced, %d inputs are left", replaced, places, left)
	}
}
