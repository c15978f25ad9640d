package ir

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// A faulty expression is found at every place.
func TestFirstBad(t *testing.T) {
	bad := &expr.Bad{}
	text := &template.Template{Parts: []template.Part{&template.Text{Value: "x"}, &template.Hole{Expr: bad}}}
	node := func(n *Node) *Program {
		return &Program{Workflow: &Workflow{Body: &DAG{Nodes: []*Node{{ID: "first"}, n}}}}
	}
	for name, p := range map[string]*Program{
		"a condition":         node(&Node{When: &expr.Not{X: bad}}),
		"a prompt":            node(&Node{Action: &Prompt{Text: text}}),
		"a binding":           node(&Node{Action: &Bash{Bindings: []Binding{{Value: bad}}}}),
		"a loop's body":       node(&Node{Action: &Loop{Body: &DAG{Nodes: []*Node{{When: bad}}}}}),
		"a step that repeats": node(&Node{Action: &Repeat{Body: &Node{Action: &Prompt{Text: text}}}}),
		"an input's default":  {Workflow: &Workflow{Inputs: []*Input{{Default: bad}}, Body: &DAG{}}},
		"a goal":              {Workflow: &Workflow{Body: &Graph{Goals: []*Goal{{Cond: bad}}}}},
		"a text in a text":    node(&Node{When: &expr.Rendered{Text: text}}),
	} {
		if p.FirstBad() != bad {
			t.Errorf("%s: not found", name)
		}
	}
	other := &Node{ID: "b"}
	fine := node(&Node{ID: "a", When: &expr.Literal{Text: "true"}, Needs: []*Need{{Node: other}}})
	if fine.FirstBad() != nil {
		t.Error("found where there is none")
	}
}
