package archon_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// asked is the agent of the workflow's first prompt.
func asked(read func(ir.Agent) any) fate {
	return action(func(p *ir.Prompt) any { return read(p.Agent) })
}

// workflowRows are the keys at the top of a file.
var workflowRows = []keyRow{
	{"name description", "", honoured(func(w *ir.Workflow) string { return w.Name + "|" + w.Description }), "w|d"},
	{"nodes", "", honoured(func(w *ir.Workflow) string { return fmt.Sprint(len(w.Body.All())) }), "1"},
	{"provider", "provider: codex", asked(func(a ir.Agent) any { return a.Name }), "codex"},
	{"provider", "provider: codex", shown("provider"), `"codex"`},
	{"model", "model: m1", asked(func(a ir.Agent) any { return a.Model }), "m1"},
	{"model", "model: large", asked(func(a ir.Agent) any { return a.Model }), "opus"},
	{"model", "model: m1", shown("model"), `"m1"`},
	{"model", "model: ''", warned(), "warning no-effect ''"},
	{"interactive", "interactive: true", shown("interactive"), "true"},
	{"interactive", "interactive: 'yes'", warned(), "warning no-effect 'yes'"},
	{"mutates_checkout", "mutates_checkout: false", honoured(func(w *ir.Workflow) string { return fmt.Sprint(w.Exclusive) }), "false"},
	{"mutates_checkout", "mutates_checkout: true", honoured(func(w *ir.Workflow) string { return fmt.Sprint(w.Exclusive) }), "true"},
	{"mutates_checkout", "", honoured(func(w *ir.Workflow) string { return fmt.Sprint(w.Exclusive) }), "true"},
	{"mutates_checkout", "mutates_checkout: 0", warned(), "warning no-effect 0"},
	{"tags", "tags: [a, ' a ', '', b, A]", honoured(func(w *ir.Workflow) string { return strings.Join(w.Tags, ",") }), "a,b,A"},
	{"tags", "tags: a", warned(), "warning no-effect a"},
	{"worktree worktree.enabled", "worktree: {enabled: false}", honoured(func(w *ir.Workflow) string { return fmt.Sprint(*w.Worktree) }), "false"},
	{"worktree worktree.enabled", "worktree: {enabled: true}", honoured(func(w *ir.Workflow) string { return fmt.Sprint(*w.Worktree) }), "true"},
	{"worktree", "", honoured(func(w *ir.Workflow) string { return fmt.Sprint(w.Worktree == nil) }), "true"},
	{"worktree", "worktree: {enabled: false}", shown("worktree"), `{"enabled":false}`},
	{"worktree worktree.enabled", "worktree: {enabled: 1}", warned(), "warning no-effect 1"},
	{"effort", "effort: high", passed("effort"), `"high"`},
	{"effort", "effort: high", shown("effort"), `"high"`},
	{"effort", "effort: most", warned(), "warning no-effect most"},
	{"effort", "provider: codex\neffort: high", warned(), "warning ignored-option effort"},
	{"effort", "provider: codex\neffort: high\nreturns: a", passed("modelReasoningEffort"), `"high"`},
	{"effort", "effort: xhigh", passed("effort"), `"xhigh"`},
	{"effort", "effort: ultra", warned(), "note lowered-effort ultra"},
	{"thinking", "thinking: adaptive", passed("thinking"), `{"type":"adaptive"}`},
	{"thinking", "thinking: hard", warned(), "warning no-effect hard"},
	{"sandbox", "sandbox: {enabled: true, own: [1]}", passed("sandbox"), `{"enabled":true,"own":[1]}`},
	{"sandbox", "sandbox: true", warned(), "warning no-effect true"},
	{"sandbox", "provider: pi\nsandbox: {enabled: true}", warned(), "warning ignored-option sandbox"},
	{"fallbackModel", "fallbackModel: m2", passed("fallbackModel"), `"m2"`},
	{"fallbackModel", "fallbackModel: 2", warned(), "warning no-effect 2"},
	{"betas", "betas: [b]", passed("betas"), `["b"]`},
	{"betas", "betas: []", warned(), "warning no-effect []"},
	{"modelReasoningEffort", "provider: codex\nmodelReasoningEffort: xhigh", passed("modelReasoningEffort"), `"xhigh"`},
	{"modelReasoningEffort", "modelReasoningEffort: xhigh", warned(), "warning ignored-option modelReasoningEffort"},
	{"modelReasoningEffort", "provider: codex\nmodelReasoningEffort: max", warned(), "warning no-effect max"},
	{"webSearchMode", "provider: codex\nwebSearchMode: live", passed("webSearchMode"), `"live"`},
	{"webSearchMode", "webSearchMode: live", warned(), "warning ignored-option webSearchMode"},
	{"persist_sessions", "persist_sessions: true", action(func(p *ir.Prompt) any { return p.Persist }), "true"},
	{"persist_sessions", "persist_sessions: false", action(func(p *ir.Prompt) any { return p.Persist }), "false"},
	{"persist_sessions", "persist_sessions: 'on'", warned(), "warning no-effect 'on'"},
	{"requires", "requires: [github]", shown("requires"), `["github"]`},
	{"requires", "requires: github", warned(), "warning no-effect github"},
	{"steps", "steps: []", shown("steps"), ""},
	{"steps", "steps: [{command: x}]", warned(), "error unsupported-key steps"},

	{"inputs inputs.required", "inputs: {x: {required: true}}", declared("x"), "text required"},
	{"inputs inputs.default inputs.description", "inputs: {x: {default: 5, description: ' how often '}}", declared("x"), "int 5 how often"},
	{"inputs", "inputs: {x: {default: yes}}", declared("x"), "text yes"},
	{"inputs", "inputs: {x: {default: [1, a]}}", declared("x"), `any [1,"a"]`},
	{"inputs", "inputs: {x: {}}", declared("x"), "text or null null"},
	{"inputs", "inputs: {x: {default: null}}", declared("x"), "any null"},
	{"inputs", "inputs: {x: {default: 1.50}}", declared("x"), "float 1.5"},
	{"inputs", "inputs: {x: {required: true, default: 5}}", warned(), "warning no-effect x"},
	{"inputs", "inputs: {x y: {}}", warned(), "warning no-effect x y"},
	{"inputs", "inputs: [x]", warned(), "warning no-effect [x]"},
	{"inputs", "inputs: {a-b: {}, a_b: {}}", warned(), "error duplicate-name a_b"},
	{"inputs", "inputs: {x: {requird: true}}", warned(), "error wrong-key requird"},
	{"returns", "returns: a", honoured(func(w *ir.Workflow) string { return w.Returns.ID }), "a"},
	{"returns", "returns: b", warned(), "warning unknown-node-reference b"},
	{"returns", "returns: ' '", warned(), "error empty-value ' '"},
	{"outcome_field", "outcome_field: x", warned(), "error bool-field x"},
	{"outcome_field", "returns: a\noutcome_field: x", warned(), "error bool-field x"},
	{"evidence_policy evidence_policy.required", "evidence_policy: {required: true}", honoured(func(w *ir.Workflow) string { return fmt.Sprint(w.Evidence) }), "true"},
	{"evidence_policy evidence_policy.required", "evidence_policy: {required: false}", honoured(func(w *ir.Workflow) string { return fmt.Sprint(w.Evidence) }), "false"},
	{"evidence_policy", "evidence_policy: x", warned(), "error wrong-value x"},
	{"evidence_policy", "evidence_policy: {}", warned(), "error missing-key evidence_policy"},
	{"deprecated deprecated.message", "deprecated: {message: ' use b '}", honoured(func(w *ir.Workflow) string { return w.Deprecated }), "use b"},
	{"deprecated", "deprecated: true", warned(), "error wrong-value true"},
	{"container", "container: {enabled: true}", warned(), "error unsupported-key container"},
	{"container", "container: {enabled: false}", honoured(func(w *ir.Workflow) string { return w.Name }), "w"},
}

// declared describes an input of the workflow.
func declared(name string) fate {
	return honoured(func(w *ir.Workflow) string {
		for _, in := range w.Inputs {
			if in.Name != name {
				continue
			}
			text := in.Type.String() + " required"
			if lit, ok := in.Default.(*expr.Literal); ok {
				text = in.Type.String() + " " + lit.Text
			}
			return strings.TrimSpace(text + " " + in.Doc)
		}
		return ""
	})
}
