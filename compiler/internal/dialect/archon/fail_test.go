package archon_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
)

// A node whose file is missing still exists, and names the file when it runs;
// readers of its output have no fault themselves.
func TestMissingFileFailsTheNodeAtItsTurn(t *testing.T) {
	const yaml = `name: w
description: d
nodes:
  - id: ask
    command: nope
    output_format: {type: object, properties: {kind: {type: string}}, required: [kind]}
  - id: calc
    script: nope
    runtime: bun
  - id: tools
    prompt: hi
    mcp: nope.json
  - id: reader
    depends_on: [ask]
    prompt: it is $ask.output.kind
`
	p, list := lint(t, project(nil), yaml)
	if hasError(list) {
		t.Fatalf("findings %q", findings(list))
	}
	want := map[string]ir.Fail{
		"ask":   {Step: "prompt", Message: "unknown command `nope`, according to the last compilation"},
		"calc":  {Step: "script", Message: "unknown script `nope`, according to the last compilation"},
		"tools": {Step: "prompt", Message: "MCP file `nope.json` does not exist, according to the last compilation"},
	}
	for _, n := range p.Workflow.Body.All() {
		w, missing := want[n.ID]
		if !missing {
			continue
		}
		got, ok := n.Action.(*ir.Fail)
		if !ok || *got != w {
			t.Errorf("node %s: action %#v, want %#v", n.ID, n.Action, w)
		}
	}
	if len(list) != 3 {
		t.Errorf("findings %q, want the three missing files alone", findings(list))
	}
}
