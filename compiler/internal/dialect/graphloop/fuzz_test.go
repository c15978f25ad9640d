package graphloop_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// Whatever the file holds, the front end ends without a panic, and a program
// without errors has no part that is broken.
func FuzzCompile(f *testing.F) {
	f.Add(guarded("a && state.n < 3"))
	f.Add(nodes(fanNodes) + fanEdges + "completion: [meet.met]\nlimits: {max_iterations: 3}\n")
	f.Add(one("type: human\nprompt: 'Well, (user provides via state.t)?'\noutputs: [yes, no]\ndefault_output: no"))
	f.Add(stateful("x: [1], y: {a: b}", "a: {set: {y: output}, append: {x: output}}", "state.x == null"))
	f.Add(withText("type: task\n    agent: bash", "command", "cat <<E\n(reference state.s)\nE"))
	for _, c := range codes.All() {
		for _, e := range codes.DocumentOf(c).Examples {
			f.Add(e.Bad)
			f.Add(e.Good)
		}
	}
	f.Fuzz(func(t *testing.T, yaml string) {
		p, list := compile(t, project(testkit.Memory{".graph-loop/templates/r.yaml": roleFile}), yaml)
		for _, d := range list {
			if !d.Span.IsValid() {
				t.Errorf("%s has no place: %s", d.Code, d.Message)
			}
		}
		if p == nil || diag.HasErrors(list) {
			return
		}
		p.Fingerprint()
		g := graphOf(p)
		if g.Broken {
			t.Error("edges are missing, and nobody was told")
		}
		for _, n := range g.Nodes {
			if n.Broken || n.Action == nil || len(n.Labels) == 0 {
				t.Errorf("%s is broken, and nobody was told", n.ID)
			}
			for _, e := range n.Out {
				wellFormed(t, e.Guard)
			}
			if d, ok := n.Action.(*ir.Decision); ok {
				wellFormed(t, d.Cond)
			}
			for _, h := range n.Handlers {
				for _, a := range h.Assigns {
					wellFormed(t, a.Value)
				}
			}
		}
	})
}

func wellFormed(t *testing.T, e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		if _, bad := e.(*expr.Bad); bad {
			t.Error("an expression is bad, and nobody was told")
		}
		return true
	})
}
