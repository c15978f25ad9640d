package dialect_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/ir"
)

const people = `name: w
description: d
nodes:
  - id: fetch
    bash: echo
  - id: fix
    depends_on: [fetch]
    loop:
      prompt: Fix $fetch.output
      until: DONE
      until_bash: test $fetch.output
      max_iterations: 3
      interactive: true
      gate_message: go on?
  - id: agree
    depends_on: [fix]
    approval:
      message: Release $fetch.output?
      on_reject: {prompt: mend $fetch.output, max_attempts: 2}
`

// The content of loops and approvals counts like that of nodes.
func TestFingerprintSeesParts(t *testing.T) {
	seen := map[string]string{}
	see := func(name string, p *ir.Program) {
		got := p.Fingerprint()
		if other, known := seen[got]; known {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[got] = name
	}
	see("nothing", program(t, "w.yaml", people, nil))
	for _, edit := range [][2]string{
		{"Fix $fetch", "Mend $fetch"},
		{"Fix $fetch.output", "Fix it"},
		{"Fix $fetch.output", "Fix $LOOP_PREV_OUTPUT"},
		{"Fix $fetch.output", "Fix $LOOP_USER_INPUT"},
		{"until: DONE", "until: OVER"},
		{"test $fetch", "echo $fetch"},
		{"test $fetch.output", "test $WORKFLOW_ID"},
		{"      until_bash: test $fetch.output\n", ""},
		{"max_iterations: 3", "max_iterations: 4"},
		{"max_iterations: 3", "max_iterations: 3\n      fresh_context: true"},
		{"go on?", "stop?"},
		{"      interactive: true\n      gate_message: go on?\n", ""},
		{"Release $fetch", "Begin $fetch"},
		{"Release $fetch.output", "Release $fix.output"},
		{"message: Release", "capture_response: true\n      message: Release"},
		{"mend $fetch", "drop $fetch"},
		{"mend $fetch.output", "mend $REJECTION_REASON"},
		{"max_attempts: 2", "max_attempts: 3"},
		{"      on_reject: {prompt: mend $fetch.output, max_attempts: 2}\n", ""},
		{"    approval:", "    timeout: 5000\n    approval:"},
		{"    loop:", "    timeout: 5000\n    loop:"},
		{"    loop:", "    retry: {max_attempts: 1}\n    loop:"},
		{"    loop:", "    idle_timeout: 5000\n    loop:"},
	} {
		yaml := strings.Replace(people, edit[0], edit[1], 1)
		if yaml == people {
			t.Fatalf("%s is not there", edit[0])
		}
		see(edit[0]+" -> "+edit[1], program(t, "w.yaml", yaml, nil))
	}
	loop := func(p *ir.Program) *ir.Loop { return p.Workflow.Body.All()[1].Action.(*ir.Loop) }
	prompt := func(p *ir.Program) *ir.Prompt { return loop(p).Body.All()[0].Action.(*ir.Prompt) }
	for name, change := range map[string]func(p *ir.Program){
		"strict":       func(p *ir.Program) { loop(p).Strict = true },
		"agent":        func(p *ir.Program) { prompt(p).Agent.Name = "other" },
		"continues":    func(p *ir.Program) { prompt(p).Continues = []string{"fetch"} },
		"persist":      func(p *ir.Program) { prompt(p).Persist = true },
		"body's limit": func(p *ir.Program) { loop(p).Body.All()[0].Timeout = time.Second },
		"other body":   func(p *ir.Program) { loop(p).Body = &ir.DAG{Nodes: loop(p).Body.All()} },
		"two nodes": func(p *ir.Program) {
			loop(p).Body = &ir.Sequence{Nodes: append(loop(p).Body.All(), loop(p).Body.All()...)}
		},
		"no rejections": func(p *ir.Program) { p.Workflow.Body.All()[2].Action.(*ir.Approval).MaxRejections = 9 },
	} {
		p := program(t, "w.yaml", people, nil)
		change(p)
		see(name, p)
	}
	moved := program(t, "elsewhere.yaml", strings.ReplaceAll(people, "    loop:", "    # again\n    loop:"), nil)
	if seen[moved.Fingerprint()] != "nothing" {
		t.Error("the place of a loop changed the fingerprint")
	}
}
