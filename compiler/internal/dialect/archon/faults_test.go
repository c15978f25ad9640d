package archon_test

import (
	"slices"
	"testing"
)

// Each row is a file with the findings it must have, and no others: their
// severity, code, and the text under the span.
func TestFaults(t *testing.T) {
	tests := []struct {
		name string
		yaml string
		want []string
	}{
		{"all at the top at once", "name: 5\ninteractiv: true\nprovider: nope\ntags: x\nnodes: []\n", []string{
			"error missing-key name", "error wrong-value 5", "error wrong-key interactiv",
			"error unknown-agent nope", "warning no-effect x", "error empty-value []",
		}},
		{"empty file", "", []string{"error not-a-mapping"}},
		{"only comments", "# hi\n", []string{"error not-a-mapping"}},
		{"list", "- a\n", []string{"error not-a-mapping - a"}},
		{"no nodes", "name: w\ndescription: d\n", []string{"error missing-key name"}},
		{"nodes is a mapping", "name: w\ndescription: d\nnodes:\n  a: {bash: x}\n", []string{"error wrong-value a: {bash: x}"}},
		{"steps alone", "name: w\ndescription: d\nsteps: [{command: x}]\n", []string{"error unsupported-key steps"}},
		{"no steps", nodes("  - id: a\n    bash: x\nsteps: []\n"), nil},
		{"key twice", nodes("  - id: a\n    bash: x\n    bash: y\n"), []string{"warning duplicate-key bash"}},
		{"second document", nodes("  - id: a\n    bash: x\n---\na: b\n"), []string{"error several-documents ---"}},
		{"lenient settings", "worktree: {enabled: 1}\nmutates_checkout: no\neffort: much\nbetas: []\nthinking: much\n" + nodes("  - id: a\n    bash: x\n"), []string{
			"warning no-effect 1", "warning no-effect no", "warning no-effect much",
			"warning no-effect []", "warning no-effect much",
		}},

		{"node is a text", nodes("  - hi\n"), []string{"error wrong-value hi"}},
		{"node is nothing", nodes("  -\n  - id: a\n    bash: x\n"), []string{"error wrong-value nodes"}},
		{"no id", nodes("  - bash: x\n"), []string{"error missing-key bash"}},
		{"blank id", nodes("  - id: ' '\n    bash: x\n"), []string{"error empty-value ' '"}},
		{"number as id", nodes("  - id: 5\n    bash: x\n"), []string{"error wrong-value 5"}},
		{"no mode", nodes("  - id: a\n"), []string{"error node-action a"}},
		{"three modes", nodes("  - id: a\n    prompt: x\n    bash: y\n    command: z\n"), []string{"error node-action bash"}},
		{"two modes of which one is wrong", nodes("  - id: a\n    prompt: 5\n    loop: {until: x}\n"), []string{
			"error wrong-value 5", "error node-action loop", "error missing-key loop", "error missing-key loop",
		}},
		{"blank mode alone", nodes("  - id: a\n    cancel: '  '\n"), []string{"error empty-value '  '"}},
		{"blank mode beside another", nodes("  - id: a\n    cancel: ''\n    bash: x\n"), []string{"warning no-effect cancel"}},
		{"null mode", nodes("  - id: a\n    prompt:\n"), []string{"error wrong-value prompt"}},
		{"unknown workflow, and its keys", nodes("  - id: a\n    workflow: other\n    fan_out: {items: $x.output}\n"), []string{"error unknown-node-reference $x.output", "warning unknown-workflow other"}},
		{"newer type beside a mode", nodes("  - id: a\n    include: other\n    bash: x\n"), []string{"error node-action bash"}},

		{"misspelt, misplaced and newer keys", nodes("  - id: a\n    bash: x\n    dependson: []\n    gate_message: g\n    tags: [x]\n    budget: 5\n    bogus: 1\n    x-mine: 1\n"), []string{
			"error wrong-key dependson", "warning misplaced-key gate_message", "warning misplaced-key tags",
			"warning unknown-key budget", "warning unknown-key bogus",
		}},
		{"keys of inner levels", nodes("  - id: a\n    approval: {message: m, prompt: p, on_reject: {prompt: p, retries: 1}}\n    retry: {max_attempts: 1}\n"), []string{
			"warning misplaced-key prompt", "warning unknown-key retries", "warning no-effect retry",
		}},
		{"wrong inner kinds", nodes("  - id: a\n    loop: {prompt: 1, until: [x], max_iterations: '3', fresh_context: yes, interactive: 1, gate_message: {}, until_bash: 5}\n"), []string{
			"error wrong-value 1", "error wrong-value [x]", "error wrong-value '3'", "error wrong-value yes",
			"error wrong-value 1", "error wrong-value {}", "error wrong-value 5",
		}},
		{"interactive loop without a message", nodes("  - id: a\n    loop: {prompt: p, until: D, max_iterations: 2, interactive: true}\n"), []string{"error missing-key interactive"}},
		{"message without a gate", nodes("  - id: a\n    loop: {prompt: p, until: D, max_iterations: 2, gate_message: g}\n"), []string{"warning no-effect gate_message"}},
		{"undecided gate", nodes("  - id: a\n    loop: {prompt: p, until: D, max_iterations: 2, interactive: 1, gate_message: g}\n"), []string{"error wrong-value 1"}},
		{"blank signal", nodes("  - id: a\n    loop: {prompt: p, until: ' ', max_iterations: 2}\n"), []string{"warning loop-signal ' '"}},
		{"loop limits", nodes("  - id: a\n    loop: {prompt: p, until: D, max_iterations: 1.5}\n"), []string{"error out-of-range 1.5"}},
		{"approval", nodes("  - id: a\n    approval: {message: '', capture_response: on, on_reject: {max_attempts: 11}}\n"), []string{
			"error empty-value ''", "error wrong-value on", "error missing-key on_reject", "error out-of-range 11",
		}},
		{"rework that never runs", nodes("  - id: a\n    approval: {message: m, on_reject: {prompt: p, max_attempts: 1}}\n"), []string{"warning no-effect 1"}},

		{"times", nodes("  - id: a\n    bash: x\n    timeout: .inf\n    idle_timeout: .nan\n  - id: b\n    prompt: x\n    timeout: -5\n  - id: c\n    prompt: x\n    timeout: 5s\n"), []string{
			"error out-of-range .inf", "error out-of-range .nan", "warning no-effect -5", "error wrong-value 5s",
		}},
		{"retry", nodes("  - id: a\n    prompt: x\n    retry: {delay_ms: 999, on_error: never}\n  - id: b\n    prompt: x\n    retry: 3\n  - id: c\n    prompt: x\n    retry: {max_attempts: 0}\n"), []string{
			"error missing-key retry", "error out-of-range 999", "error unknown-value never", "error wrong-value 3", "error out-of-range 0",
		}},
		{"common fields", nodes("  - id: a\n    bash: x\n    depends_on: b\n    when: true\n    trigger_rule: ALL_DONE\n    always_run: yes\n    output_type: ''\n    description: 5\n"), []string{
			"error wrong-value b", "error wrong-value true", "error unknown-value ALL_DONE", "error wrong-value yes", "error empty-value ''", "error wrong-value 5",
		}},
		{"no effect", nodes("  - id: a\n    bash: x\n    runtime: bun\n    deps: [p]\n    idle_timeout: 5\n  - id: b\n    cancel: stop\n    timeout: 5\n    retry: {max_attempts: 1}\n"), []string{
			"warning no-effect runtime", "warning no-effect deps", "warning no-effect idle_timeout",
			"warning no-effect timeout", "warning no-effect retry",
		}},
		{"script", nodes("  - id: a\n    script: print(1)\n  - id: b\n    script: print(1)\n    runtime: node\n    deps: ['', 5]\n"), []string{
			"error missing-key script", "error unknown-value node", "error empty-value ''", "error wrong-value 5",
		}},

		{"structure", nodes("  - id: a\n    bash: x\n    depends_on: [a, bb, ' b ', b, b]\n  - id: b\n    bash: y\n  - id: a\n    bash: z\n"), []string{
			"error dependency-cycle a", "error unknown-node bb", "error unknown-node ' b '", "error duplicate-name a",
		}},
		{"cycles", nodes("  - {id: a, bash: x, depends_on: [c]}\n  - {id: b, bash: x, depends_on: [a, a]}\n  - {id: c, bash: x, depends_on: [b]}\n  - {id: t, bash: x, depends_on: [c]}\n  - {id: x, bash: x, depends_on: [y]}\n  - {id: y, bash: x, depends_on: [x]}\n"), []string{
			"error dependency-cycle c", "error dependency-cycle y",
		}},
		{"a broken node is still looked into", nodes("  - id: a\n    when: $b.output\n    depends_on: [b]\n  - id: b\n    loop: {prompt: see $b.output}\n  - id: c\n    approval: {on_reject: {prompt: see $c.output}}\n"), []string{
			"error node-action a", "error condition-syntax $b.output", "error missing-key loop", "error missing-key loop", "error reference-order $b.output",
			"error missing-key approval", "error reference-order $c.output",
		}},
		{"a wrong mode has no followers", nodes("  - id: a\n    depends_on: [b]\n    bash: x\n    when: $b.output.x == 'y'\n  - id: b\n    cancel: 5\n"), []string{"error wrong-value 5"}},
		{"names of helpers", nodes("  - id: a\n    prompt: x\n    agents: {a--b: {description: d, prompt: p}, -c: {description: d, prompt: p}, d1: {description: d, prompt: p}}\n"), []string{
			"error invalid-name a--b", "error invalid-name -c",
		}},
		{"a node used twice", nodes("  - &a {id: a, bash: x}\n  - *a\n"), []string{"error duplicate-name *a"}},
		{"faults have no followers", nodes("  - id: a\n    depends_on: [b]\n    prompt: 'read $b.output.field'\n    when: $b.output.x == 'y'\n  - id: b\n    prompt: ''\n"), []string{"error empty-value ''"}},
		{"a cycle has no followers", nodes("  - id: a\n    depends_on: [b]\n    prompt: 'read $b.output'\n  - id: b\n    depends_on: [a]\n    prompt: 'read $a.output'\n"), []string{"error dependency-cycle b"}},

		{"ignored options are still checked", nodes("  - id: a\n    bash: x\n    effort: much\n    model: '@none'\n    provider: nope\n"), []string{
			"warning ignored-option effort", "error unknown-value much",
		}},
		{"loops take no options", nodes("  - id: a\n    loop: {prompt: p, until: D, max_iterations: 2}\n    model: m\n    provider: nope\n"), []string{"warning ignored-option model"}},
		{"agents", nodes("  - id: a\n    prompt: x\n    provider: cloude\n    model: '@fast'\n"), []string{"error unknown-agent cloude", "error unknown-model-alias '@fast'"}},
		{"unsupported options", nodes("  - id: a\n    prompt: x\n    provider: codex\n    hooks: {Stop: [{response: {}}]}\n    effort: low\n    maxBudgetUsd: 1\n    systemPrompt: s\n    betas: [b]\n"), []string{
			"warning ignored-option hooks", "warning ignored-option effort", "warning ignored-option maxBudgetUsd",
		}},
		{"unsupported settings for all", "provider: codex\neffort: high\n" + nodes("  - id: a\n    prompt: x\n  - id: b\n    prompt: y\n"), []string{"warning ignored-option effort"}},
		{"option kinds", nodes("  - id: a\n    prompt: x\n    context: new\n    allowed_tools: Read\n    skills: []\n    agents: {}\n    thinking: {type: enabled, budgetTokens: -1}\n    maxBudgetUsd: 0\n    systemPrompt: ''\n    fallbackModel: 5\n    output_format: x\n    mcp: ''\n    persist_session: 1\n"), []string{
			"error unknown-value new", "error wrong-value Read", "error empty-value {}", "error out-of-range -1",
			"error out-of-range 0", "error empty-value ''", "error wrong-value 5", "error wrong-value x", "error empty-value ''", "error wrong-value 1",
		}},
		{"helper agents", nodes("  - id: a\n    prompt: x\n    agents: {Bad: {description: d, prompt: p}, good: {prompt: '', maxTurns: 0, colour: red}}\n"), []string{
			"error invalid-name Bad", "error missing-key good", "error empty-value ''", "error out-of-range 0", "warning unknown-key colour",
		}},
		{"hooks", nodes("  - id: a\n    prompt: x\n    hooks: {preToolUse: [], Stop: {}, Setup: [{matcher: 5, timeout: 0, respond: {}}]}\n"), []string{
			"error unknown-value preToolUse", "error wrong-value {}",
			"error wrong-value 5", "error out-of-range 0", "error wrong-key respond",
		}},
		{"sandbox", nodes("  - id: a\n    prompt: x\n    sandbox: {enabled: on, own: 1, network: {allowedDomains: x, port: 1}, filesystem: 5, ripgrep: {}}\n"), []string{
			"error wrong-value on", "error wrong-value x", "warning unknown-key port", "error wrong-value 5", "error missing-key ripgrep",
		}},
		{"thinking", nodes("  - id: a\n    prompt: x\n    thinking: {type: disabled, budgetTokens: 5}\n  - id: b\n    prompt: x\n    thinking: {}\n"), []string{
			"warning no-effect budgetTokens", "error missing-key thinking",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, list := lint(t, project(nil), test.yaml)
			got := findings(list)
			slices.Sort(got)
			want := slices.Clone(test.want)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s\ngot  %q\nwant %q", test.yaml, got, want)
			}
		})
	}
}
