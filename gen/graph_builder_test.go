package gen_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A builder makes programs of state graphs for tests without a front end, with
// positions in a text that the builder writes.
type builder struct {
	file *source.File
	flow *ir.Workflow
	text strings.Builder
}

func newBuilder(name string) *builder {
	b := &builder{file: source.NewFile(name+".yaml", nil), flow: &ir.Workflow{Name: name, Description: "A workflow for tests."}}
	fmt.Fprintf(&b.text, "name: %s\nnodes:\n", name)
	return b
}

// program finishes the file.
func (b *builder) program() *ir.Program {
	b.file.Content = []byte(b.text.String())
	return &ir.Program{File: b.file, Dialect: "test", Workflow: b.flow}
}

// write adds text to the file and returns where it stands.
func (b *builder) write(s string) source.Span {
	start := b.text.Len()
	b.text.WriteString(s)
	return source.Span{File: b.file, Start: start, End: b.text.Len()}
}

// block writes a block scalar and returns its text.
func (b *builder) block(key, s string) source.Text {
	b.write("    " + key + ": |\n")
	var runs []source.Run
	decoded := 0
	for line := range strings.Lines(s) {
		b.write("      ")
		runs = append(runs, source.Run{Decoded: decoded, Source: b.text.Len()})
		b.write(line)
		decoded += len(line)
	}
	end := b.text.Len()
	if !strings.HasSuffix(s, "\n") {
		b.write("\n")
	}
	return source.NewText(s, b.file, runs, end)
}

func lit(text string) *expr.Literal { return &expr.Literal{Text: text, Typ: types.Text} }

func and(x, y expr.Expr) expr.Expr { return &expr.Logic{Op: expr.And, X: x, Y: y} }
func or(x, y expr.Expr) expr.Expr  { return &expr.Logic{Op: expr.Or, X: x, Y: y} }
