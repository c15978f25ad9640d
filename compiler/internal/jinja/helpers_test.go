package jinja_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// world is a scope with one name of each kind.
type world struct{}

var orders = &types.Struct{Open: true, Fields: []*types.Field{
	{Name: "count", Type: types.Int, Required: true},
	{Name: "title", Type: types.Line},
	{Name: "items", Type: &types.List{Elem: types.Text}, Required: true},
	{Name: "inner", Type: &types.Struct{Fields: []*types.Field{{Name: "deep", Type: types.Bool, Required: true}}}, Required: true},
}}

var names = []string{"name", "n", "ratio", "flag", "words", "orders", "later", "plain", "both", "x"}

func (world) Lookup(name string, at source.Span) (expr.Expr, bool) {
	input := func(t types.Type) (expr.Expr, bool) { return &expr.Input{At: at, Name: name, Typ: t}, true }
	switch name {
	case "name":
		return input(types.Line)
	case "n", "x":
		return input(types.Int)
	case "ratio":
		return input(types.Float)
	case "flag":
		return input(types.Bool)
	case "words":
		return input(&types.List{Elem: types.Word})
	case "orders":
		return &expr.StepValue{At: at, Node: name, Typ: orders}, true
	case "later":
		return &expr.StepValue{At: at, Node: name, Typ: orders, Presence: expr.MaybeSkipped}, true
	case "plain":
		return &expr.StepValue{At: at, Node: name, Typ: types.Any}, true
	case "both":
		return &expr.StepValue{At: at, Node: name, Typ: &types.Struct{Fields: []*types.Field{{Name: "left", Type: types.Text, Required: true}}}}, true
	}
	return nil, false
}

func (world) Names() []string { return names }

// inFile is a text as a block scalar has it: each line indented in the file.
func inFile(text string) source.Text {
	var file strings.Builder
	var runs []source.Segment
	file.WriteString("bash: |\n")
	decoded := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		file.WriteString("    ")
		runs = append(runs, source.Segment{Decoded: decoded, Source: file.Len()})
		file.WriteString(line)
		decoded += len(line)
	}
	end := file.Len()
	return source.NewText(text, source.NewFile("f.yml", []byte(file.String())), runs, end)
}

func parse(text string, opt jinja.Options) (*template.Template, []*diag.Diagnostic) {
	var bag diag.Bag
	t := jinja.Template(inFile(text), world{}, opt, &bag)
	return t, bag.Sorted()
}

// said prints diagnostics: where each stands (line and column of the text, the
// bytes), its code and its message.
func said(list []*diag.Diagnostic) []string {
	var out []string
	for _, d := range list {
		at := d.Span.Position()
		out = append(out, fmt.Sprintf("%d:%d %q %s: %s", at.Line-1, at.Column-4, d.Span.Text(), d.Code.Slug, d.Message))
	}
	return out
}

func compareSaid(t *testing.T, text string, list []*diag.Diagnostic, want ...string) {
	t.Helper()
	if got := said(list); !slices.Equal(got, want) {
		t.Errorf("%s\n got %s\nwant %s", text, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
