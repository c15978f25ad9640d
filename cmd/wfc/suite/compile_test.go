package suite

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	wfcsource "github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// compileText compiles a workflow of archon, compileSteps one of xprompt, and compileGraph one of
// graphloop.
func compileText(t *testing.T, text string) *ir.Program  { return compiled(t, "archon", text) }
func compileSteps(t *testing.T, text string) *ir.Program { return compiled(t, "xprompt", text) }
func compileGraph(t *testing.T, text string) *ir.Program { return compiled(t, "graphloop", text) }

// children are the workflows that others may run.
var children = testkit.Memory{
	"/project/.archon/workflows/child.yaml":    "name: child\ndescription: d\nmutates_checkout: false\nnodes:\n  - {id: a, bash: ./a}\n",
	"/project/.archon/workflows/stopping.yaml": "name: stopping\ndescription: d\nnodes:\n  - {id: a, bash: ./a}\n  - {id: b, depends_on: [a], cancel: Enough.}\n",
}

func compiled(t *testing.T, dialect, text string) *ir.Program {
	t.Helper()
	r := compiler.Compile(wfcsource.NewFile("w.yaml", []byte(text)), compiler.Options{Path: "/project/w.yaml", Root: "/project", Dialect: dialect, Files: children})
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			t.Fatalf("line %d: %s", d.Span.Position().Line, d.Message)
		}
	}
	return r.Workflow
}
