package template_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

func TestFold(t *testing.T) {
	literal := func(text string) expr.Expr { return &expr.Literal{Text: text, Typ: types.Text} }
	half := &template.Template{Source: source.PlainText("do $X for $Y"), Parts: []template.Part{
		&template.Text{Value: "do "},
		&template.Hole{Expr: literal("$Y"), Start: 3, End: 5},
		&template.Text{Value: " for ", Start: 5},
		&template.Hole{Expr: &expr.Input{Name: "y", Typ: types.Text}, Start: 10, End: 12},
	}}
	folded := template.Fold(half)
	if _, constant := folded.Constant(); constant || len(folded.Holes()) != 1 || len(half.Holes()) != 2 {
		t.Errorf("%d holes left of %d", len(folded.Holes()), len(half.Holes()))
	}
	// An inserted value is never scanned again.
	half.Parts[3] = &template.Hole{Expr: literal("us"), Start: 10, End: 12}
	if text, constant := template.Fold(half).Constant(); !constant || text != "do $Y for us" {
		t.Errorf("%q, constant: %t", text, constant)
	}
	if template.Fold(nil) != nil {
		t.Error("no template folds to one")
	}
}
