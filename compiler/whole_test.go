package compiler

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// careless is a front end that puts something wrong into its program.
type careless struct {
	report func(at source.Span) *diag.Diagnostic
}

func (careless) Tables() []decode.Table { return nil }
func (careless) Typed() bool            { return true }

func (careless) Name() string                      { return "careless" }
func (careless) Detect(detect.Look) (bool, string) { return true, "it takes everything" }
func (c careless) Compile(doc *yamlsrc.Document, _ *dialect.Env, bag *diag.Bag) *ir.Program {
	if c.report != nil {
		bag.Add(c.report(doc.Root.Span))
	}
	n := &ir.Node{ID: "a", Span: doc.Root.Span, IDSpan: doc.Root.Span, Action: &ir.Checkpoint{}, When: &expr.Not{X: &expr.Bad{At: doc.Root.Span}}}
	return &ir.Program{File: doc.File, Dialect: "careless", Workflow: &ir.Workflow{Body: &ir.DAG{Nodes: []*ir.Node{n}}}}
}

// A fault in a program never reaches the generator without an error.
func TestWrongProgramsHaveAnError(t *testing.T) {
	file := source.NewFile("w.yaml", []byte("a: b\n"))
	for _, test := range []struct {
		name   string
		report func(at source.Span) *diag.Diagnostic
		want   string
	}{
		{"nothing is said", nil, "1 error internal-error"},
		{"a warning", func(at source.Span) *diag.Diagnostic { return finding.UnknownKey(at, "a", "here") }, "1 warning unknown-key; 1 error internal-error"},
		{"an error", func(at source.Span) *diag.Diagnostic { return finding.EmptyValue(at, "a") }, "1 error empty-value"},
	} {
		r := compileFile(file, Options{Path: "/p/w.yaml", Root: "/p", Files: memory{}}, []dialect.Frontend{careless{test.report}})
		if got := summary(r); got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
		if r.Stack != "" {
			t.Errorf("%s: %s", test.name, r.Stack)
		}
	}
}
