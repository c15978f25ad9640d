package archon_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/internal/ir"
)

// normalised is a program in the form of the recorded definitions: the file with
// the engine's defaults.
func normalised(p *ir.Program) map[string]any {
	var list []any
	for _, n := range p.Workflow.Body.All() {
		list = append(list, normalisedNode(n))
	}
	return map[string]any{"name": p.Workflow.Name, "description": p.Workflow.Description, "nodes": list}
}

func normalisedNode(n *ir.Node) map[string]any {
	m := map[string]any{"id": n.ID}
	var needs []any
	for _, need := range n.Needs {
		needs = append(needs, need.Node.ID)
	}
	if needs != nil {
		m["depends_on"] = needs
	}
	if n.Timeout > 0 {
		m["timeout"] = float64(n.Timeout.Milliseconds())
	}
	switch a := n.Action.(type) {
	case *ir.Bash:
		m["bash"] = a.Script
	case *ir.Script:
		m["script"], m["runtime"] = "foo", a.Runtime // the name without its ending
		var deps []any
		for _, dep := range a.Deps {
			deps = append(deps, dep)
		}
		m["deps"] = deps
	case *ir.Prompt:
		if a.Command != "" {
			m["command"] = a.Command
		} else {
			m["prompt"] = constant(a.Text)
		}
		for _, o := range a.Agent.Options {
			var v any
			_ = json.Unmarshal([]byte(o.JSON), &v)
			m[o.Name] = v
		}
	case *ir.Loop:
		inner := a.Body.All()[0].Action.(*ir.Prompt)
		if inner.Agent.Model != "" {
			m["model"] = inner.Agent.Model
		}
		m["loop"] = map[string]any{
			"prompt": constant(inner.Text), "until": a.Signal,
			"max_iterations": float64(a.Max), "fresh_context": a.FreshSession,
		}
	}
	return m
}

func TestRecordedDefinitions(t *testing.T) {
	for _, c := range recordedCases(t, "parse") {
		t.Run(c.Name, func(t *testing.T) {
			var want struct{ Workflow map[string]any }
			if err := json.Unmarshal(c.Expect, &want); err != nil {
				t.Fatal(err)
			}
			env := &dialect.Env{Root: "/repo", Home: "/home", Files: everything{}}
			p, list := lint(t, env, c.Input.YAML)
			if hasError(list) {
				t.Fatalf("findings: %q", findings(list))
			}
			if got := normalised(p); !reflect.DeepEqual(got, want.Workflow) {
				t.Errorf("got  %v\nwant %v", got, want.Workflow)
			}
		})
	}
}
