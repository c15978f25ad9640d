package template_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

func TestFold(t *testing.T) {
	whole := &template.Template{Source: source.PlainText("do $X for $Y"), Parts: []template.Part{
		&template.Text{Value: "do "},
		&template.Hole{Expr: &expr.Input{Name: "x", Typ: types.Text}, Start: 3, End: 5},
		&template.Text{Value: " for ", Start: 5},
		&template.Hole{Expr: &expr.Input{Name: "y", Typ: types.Text}, Start: 10, End: 12},
	}}
	half := template.Fold(whole, map[string]string{"x": "$Y"})
	if _, constant := half.Constant(); constant || len(half.Holes()) != 1 || len(whole.Holes()) != 2 {
		t.Errorf("%d holes left of %d", len(half.Holes()), len(whole.Holes()))
	}
	// An inserted value is never scanned again.
	all := template.Fold(whole, map[string]string{"x": "$Y", "y": "us"})
	if text, constant := all.Constant(); !constant || text != "do $Y for us" {
		t.Errorf("%q, constant: %t", text, constant)
	}
	if template.Fold(nil, nil) != nil {
		t.Error("no template folds to one")
	}
}
