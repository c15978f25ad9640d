package suite

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	wfcsource "github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

func compileGraph(t *testing.T, text string) *ir.Program {
	t.Helper()
	r := compiler.Compile(wfcsource.NewFile("w.yaml", []byte(text)), compiler.Options{Path: "/project/w.yaml", Dialect: "graphloop"})
	if r.HasErrors() {
		t.Fatalf("%v", r.Diagnostics)
	}
	return r.Program
}

const loopGraph = `workflow: loop
limits: {max_iterations: 9}
nodes:
  write: {type: task, agent: codex, prompt: Write, outputs: [done]}
  review: {type: task, agent: codex, prompt: Review, outputs: [good, bad]}
edges:
  - {from: START, to: write}
  - {from: write, to: review}
  - {from: review, to: write, condition: "bad"}
  - {from: review, to: END, condition: "good"}
`
