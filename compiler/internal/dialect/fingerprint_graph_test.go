package dialect_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/graphloop"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

const graph = `workflow: w
version: "1.0"
state: {variables: {tries: 0, notes: [], mood: ''}}
nodes:
  fan: {type: parallel, branches: [look, ask], outputs: [all]}
  look: {type: task, agent: bash, command: "ls (reference state.mood)", cwd: src, outputs: [ok, bad]}
  ask: {type: human, prompt: Well?, outputs: [yes, no], default_output: no}
  meet: {type: join, wait_for: [look, ask], agent: self, prompt: Compare, outputs: [met]}
  fix:
    type: task
    agent: codex
    prompt: Fix it
    context_files: [a.go]
    outputs: [done, stuck]
    retry_on_failure: true
    on_output:
      done: {set: {tries: 1}, append: {notes: output}}
  enough: {type: decision, condition: "state.tries > 2", outputs: [pass, fail]}
  save: {type: checkpoint, outputs: [done]}
edges:
  - {from: START, to: fan}
  - {from: fan, to: meet}
  - {from: meet, to: fix}
  - {from: fix, to: enough, condition: "done"}
  - {from: fix, to: save}
  - {from: enough, to: END, condition: "pass"}
  - {from: enough, to: fix}
  - {from: save, to: END}
limits: {max_iterations: 20, max_time_minutes: 60, max_cost_dollars: 1.5, max_parallel_branches: 2}
interrupts:
  - {before: fix, prompt: Go on?, condition: "state.tries > 0", required: false}
completion: [enough.pass]
`

func graphProgram(t *testing.T, name, yaml string) *ir.Program {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile(name, []byte(yaml)), &bag)
	p := graphloop.Frontend{}.Compile(doc, &dialect.Env{Root: "/repo", Dir: "/repo", Files: files{}}, &bag)
	if p == nil || bag.HasErrors() {
		t.Fatalf("%s\n%s", yaml, bag.Sorted()[0].Message)
	}
	return p
}

// All behaviour of a graph counts, once; descriptions and places do not.
func TestFingerprintSeesGraphs(t *testing.T) {
	want := graphProgram(t, "w.yaml", graph).Fingerprint()
	seen := map[string]string{want: "nothing"}
	see := func(name string, p *ir.Program) {
		got := p.Fingerprint()
		if other, known := seen[got]; known {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[got] = name
	}
	for _, edit := range [][2]string{
		{"[look, ask], outputs", "[ask, look], outputs"},
		{"[look, ask], agent", "[look], agent"},
		{"ls (ref", "ll (ref"}, {"reference state.mood", "reference state.iteration"}, {"cwd: src", "cwd: lib"},
		{"[ok, bad]", "[bad, ok]"}, {"Well?", "Now?"}, {"default_output: no", "default_output: yes"},
		{"Compare", "Collect"}, {"agent: self", "agent: gemini"}, {"[a.go]", "[b.go]"},
		{"retry_on_failure: true", "retry_on_failure: true\n    max_retries: 1"}, {"retry_on_failure: true", "timeout_minutes: 3"},
		{"done: {set", "stuck: {set"}, {"tries: 1", "tries: 2"}, {"append: {notes: output}", "append: {notes: word}"}, {"{set: {tries: 1}, ", "{"},
		{"tries: 0", "tries: 3"}, {"tries: 0", "tries: 0.5"}, {"mood: ''", "mood: ~"}, {"state.tries > 2", "state.tries >= 2"},
		{"to: enough, condition: \"done\"", "to: enough, condition: \"stuck\""}, {"from: fix, to: save}", "from: fix, to: meet}"},
		{"  - {from: enough, to: fix}\n", "  - {from: enough, to: save}\n"}, {"START, to: fan", "START, to: meet"},
		{"max_iterations: 20", "max_iterations: 21"}, {"max_time_minutes: 60", "max_time_minutes: 61"},
		{"max_cost_dollars: 1.5", "max_cost_dollars: 2"}, {"max_parallel_branches: 2", "max_parallel_branches: 3"},
		{"before: fix", "after: fix"}, {"Go on?", "Go?"}, {"state.tries > 0", "state.tries > 1"}, {"required: false", "required: true"},
		{"[enough.pass]", "[enough.fail]"}, {"[enough.pass]", "[]"}, {"version: \"1.0\"", "version: \"1.1\""},
	} {
		yaml := strings.Replace(graph, edit[0], edit[1], 1)
		if yaml == graph {
			t.Fatalf("%s is not there", edit[0])
		}
		see(edit[0]+" -> "+edit[1], graphProgram(t, "w.yaml", yaml))
	}
	for name, change := range map[string]func(g *ir.Graph){
		"a join":        func(g *ir.Graph) { g.Nodes[0].Action.(*ir.Parallel).Join = g.Nodes[1] },
		"a failure":     func(g *ir.Graph) { g.Nodes[4].Labels[0].Failure = true },
		"a skip":        func(g *ir.Graph) { g.Interrupts[0].Skip = g.Start[0] },
		"a time limit":  func(g *ir.Graph) { g.Nodes[4].Timeout += time.Second },
		"another field": func(g *ir.Graph) { g.Nodes[4].Handlers[0].Assigns[0].Field = g.State.Fields[1] },
		"an input":      func(g *ir.Graph) { g.State.Fields[0].Initial = &expr.Input{Name: "tries"} },
	} {
		p := graphProgram(t, "w.yaml", graph)
		change(p.Workflow.Body.(*ir.Graph))
		see(name, p)
	}
	for name, edit := range map[string][2]string{
		"a place":                 {"edges:", "# here they are\nedges:"},
		"blanks in a condition":   {"state.tries > 2", "state.tries  >  2"},
		"quotes in a condition":   {"condition: \"done\"", "condition: \"'done'\""},
		"the form of a condition": {"condition: \"pass\"", "condition: \"any(pass)\""},
		"the form of a goal":      {"[enough.pass]", "[\"outputs.enough == 'pass'\"]"},
	} {
		yaml := strings.Replace(graph, edit[0], edit[1], 1)
		if yaml == graph {
			t.Fatalf("%s is not there", edit[0])
		}
		if graphProgram(t, "elsewhere.yaml", yaml).Fingerprint() != want {
			t.Errorf("%s changed the fingerprint", name)
		}
	}
}
