package xprompt_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// Whatever the file holds, the front end ends without a panic, every finding has
// a place, and a program without errors has no part that is broken.
func FuzzCompile(f *testing.F) {
	f.Add(guarded("{{ a.x if a is defined else 1 }}"))
	f.Add(promptStep("#greet({{ d.who }}) #txt: x"))
	f.Add("steps:\n  - {name: p, for: {i: [1], j: '{{ [2] }}'}, join: text, parallel: [{bash: 'echo {{ i }}'}, {python: 'print({{ j }})', if: '{{ x }}'}]}\n")
	f.Add("steps:\n  - {name: a, bash: ls, output: [{n: {type: int, default: null}}], repeat: {until: '{{ a | length }}', max: '3'}, hitl: true}\n")
	f.Add("tags: x\nenvironment: {A: '{{ 1 }}'}\nsteps:\n  - {name: a, use: x, artifact: stdout}\n  - {agent: '#txt(): {{ a._artifact }}', finally: true, if: '{{ a }}'}\n")
	for _, c := range codes.All() {
		for _, e := range codes.DocumentOf(c).Examples {
			f.Add(e.Bad)
			f.Add(e.Good)
		}
	}
	f.Fuzz(func(t *testing.T, yaml string) {
		p, list := compile(t, project(prompts), yaml)
		for _, d := range list {
			if !d.Span.IsValid() {
				t.Errorf("%s has no place: %s", d.Code, d.Message)
			}
		}
		if p == nil || diag.HasErrors(list) {
			return
		}
		p.Fingerprint()
		ids := map[string]bool{}
		for _, n := range p.Workflow.Body.All() {
			if ids[n.ID] {
				t.Errorf("two nodes are called %s", n.ID)
			}
			ids[n.ID] = true
		}
		ir.Walk(p.Workflow.Body, func(n *ir.Node) {
			if n.ID == "" || n.Action == nil || n.Output == nil {
				t.Errorf("%q is broken, and nobody was told", n.ID)
			}
			wellFormed(t, n.When)
			switch a := n.Action.(type) {
			case *ir.ForEach:
				for _, v := range a.Vars {
					wellFormed(t, v.Items)
				}
			case *ir.Repeat:
				wellFormed(t, a.Cond)
			case *ir.Prompt:
				sound(t, a.Text)
			case *ir.Bash:
				sound(t, a.Original)
			case *ir.Script:
				sound(t, a.Original)
			}
		})
	})
}

func sound(t *testing.T, tmpl *template.Template) {
	if tmpl == nil {
		t.Error("there is no text, and nobody was told")
		return
	}
	tmpl.Exprs(func(e expr.Expr) bool {
		noBad(t, e)
		return true
	})
}

func wellFormed(t *testing.T, e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		noBad(t, e)
		return true
	})
}

func noBad(t *testing.T, e expr.Expr) {
	if _, bad := e.(*expr.Bad); bad {
		t.Error("an expression is bad, and nobody was told")
	}
}
