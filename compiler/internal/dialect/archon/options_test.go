package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Options that only some agents take: by the newer rules, a sandbox that an agent would
// not have is an error.
func TestOptionsByRules(t *testing.T) {
	const sandbox, betas, sources, plugins = "sandbox: {enabled: true}", "betas: [b]", "settingSources: [user]", "plugins: [./p]"
	refused, warned := []string{"error ignored-option sandbox"}, []string{"warning ignored-option sandbox"}
	for _, test := range []struct {
		version, top, node string
		want               []string
	}{
		{"", "", "provider: codex, " + sandbox, warned},
		{"0.9", "", "provider: codex, " + sandbox, refused},
		{"0.9", "", "provider: opencode, " + sandbox, refused},
		{"0.9", "", "provider: plain, " + sandbox, refused},
		{"0.9", "", sandbox, nil},
		{"0.9", "", "provider: own, " + sandbox, nil},
		{"0.9", "", "provider: service, " + sandbox, warned},
		{"0.9", "", "provider: codex, sandbox: {enabled: false}", warned},
		{"0.9", sandbox, "provider: codex", refused},
		{"0.9", sandbox, "provider: codex, sandbox: {enabled: false}", warned},
		{"", sandbox, "provider: codex", nil},
		{"0.9", "provider: codex\n" + sandbox, "", refused},
		{"", "", "provider: codex, " + betas, nil},
		{"0.9", "", "provider: codex, " + betas, []string{"warning ignored-option betas"}},
		{"0.9", "", betas + ", " + sources + ", " + plugins, nil},
		{"0.9", "", "provider: codex, " + sources, []string{"warning ignored-option settingSources"}},
		{"0.9", "", "provider: pi, " + plugins, []string{"warning ignored-option plugins"}},
	} {
		t.Run(test.version+"|"+test.top+"|"+test.node, func(t *testing.T) {
			env := project(nil)
			env.Settings.Archon.Version = test.version
			env.Settings.Agents = []settings.Agent{
				{Name: "own", Kind: settings.KindCommand}, {Name: "service", Kind: "anthropic", Use: "anthropic"},
				{Name: "plain", Kind: "claude", Use: "claude", Options: []string{"effort"}},
			}
			_, list := lint(t, env, test.top+"\n"+nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
			if got := findings(list); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The effort of a prompt is that of the node, then of the workflow, then of the tier or
// alias that its model is.
func TestEffortOfTiers(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{{Name: "own", Kind: settings.KindCommand}, {Name: "plain", Kind: "claude", Use: "claude", Options: []string{"mcp"}}}
	env.Settings.Models = []settings.Model{
		{Name: "small", Agent: "claude", Model: "mini", Effort: "low"}, {Name: "large", Agent: "codex", Model: "big", Effort: "max"},
		{Name: "@mine", Agent: "own", Model: "m", Effort: "ultra"}, {Name: "@pi", Agent: "opencode", Model: "m", Effort: "high"},
		{Name: "@plain", Agent: "plain", Model: "m", Effort: "high"}, {Name: "bare", Model: "m"},
	}
	const none = "warning ignored-option "
	for _, test := range []struct{ top, node, want string }{
		{"", "model: small", `claude/mini effort "low"`},
		{"", "model: bare", `claude/m`},
		{"", "model: large", `codex/big modelReasoningEffort "xhigh" note lowered-effort large`},
		{"", "model: '@mine'", `own/m effort "ultra"`},
		{"", "model: '@pi'", `opencode/m ` + none + "'@pi'"},
		{"", "model: '@plain'", `plain/m ` + none + "'@plain'"},
		{"", "model: small, effort: high", `claude/mini effort "high"`},
		{"effort: high", "model: small", `claude/mini effort "high"`},
		{"effort: high", "model: small, effort: max", `claude/mini effort "max"`},
		{"model: small", "", `claude/mini effort "low"`},
		{"model: small", "model: other", `claude/other`},
		{"model: small", "provider: codex", `codex/`},
		{"model: large", "", `codex/big modelReasoningEffort "xhigh" note lowered-effort large`},
		{"model: large", "provider: claude", `claude/`},
		{"modelReasoningEffort: low", "model: large", `codex/big modelReasoningEffort "low"`},
	} {
		t.Run(test.top+"|"+test.node, func(t *testing.T) {
			p, list := lint(t, env, test.top+"\n"+nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
			agent := p.Workflow.Body.All()[0].Action.(*ir.Prompt).Agent
			got := []string{agent.Name + "/" + agent.Model}
			for _, o := range agent.Options {
				got = append(got, o.Name, o.JSON)
			}
			if got := strings.Join(append(got, findings(list)...), " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The newer rules insert values into the prompts of helper agents, and nowhere else in
// them.
func TestReferencesInHelpers(t *testing.T) {
	for _, test := range []struct {
		version, helpers string
		want             []string // the strings that only the run knows, or the findings
	}{
		{"0.9", "{h: {description: d, prompt: Read $a.output.}}", []string{`"Read $a.output."`}},
		{"0.9", "{h: {prompt: Read., description: d}}", nil},
		{"0.9", "{h: {prompt: $ARGUMENTS, description: prompt}, prompt: {description: h, prompt: $a.output}}", []string{`"$ARGUMENTS"`, `"$a.output"`}},
		{"0.9", "{h: {description: d, prompt: $none.output}}", []string{"error unknown-node-reference $none.output", `"$none.output"`}},
		{"0.9", "{h: {description: $a.output, prompt: x}}", []string{"error unsupported-key $a.output"}},
		{"0.9", "{h: {description: d, prompt: x, tools: [$INPUTS.x]}}", []string{"error unsupported-key $INPUTS.x"}},
		{"", "{h: {description: d, prompt: Read $a.output.}}", nil},
	} {
		t.Run(test.version+test.helpers, func(t *testing.T) {
			env := project(nil)
			env.Settings.Archon.Version = test.version
			p, list := lint(t, env, nodes("  - {id: a, bash: x}\n  - {id: b, prompt: x, depends_on: [a], agents: "+test.helpers+"}\n"))
			got := findings(list)
			if prompt, ok := p.Workflow.Body.All()[1].Action.(*ir.Prompt); ok {
				for _, o := range prompt.Agent.Options {
					for _, inner := range o.Inner {
						got = append(got, o.JSON[inner.Start:inner.End])
					}
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// An option that a known agent does not support is warned about and left out; the
// configuration of an agent takes precedence over the table.
func TestOptionsOfAgents(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{
		{Name: "reviewer", Use: "codex"}, {Name: "program"}, {Name: "effortless", Use: "claude", Options: []string{"betas"}}, {Name: "codex"},
	}
	tests := []struct{ node, options, findings string }{
		{"provider: claude, effort: low, denied_tools: []", "effort denied_tools", ""},
		{"provider: copilot, effort: low, hooks: {}", "effort", "warning ignored-option hooks"},
		{"provider: reviewer, effort: low, skills: [mending]", "skills", "warning ignored-option effort"},
		{"provider: program, effort: low, hooks: {}, betas: [b]", "effort hooks betas", ""},
		{"provider: effortless, effort: low, betas: [b]", "betas", "warning ignored-option effort"},
		{"provider: codex, effort: low", "effort", ""},
	}
	env.Files = project(testkit.Memory{".claude/skills/mending/SKILL.md": "x"}).Files
	for _, test := range tests {
		p, list := lint(t, env, nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
		var options []string
		for _, o := range p.Workflow.Body.All()[0].Action.(*ir.Prompt).Agent.Options {
			options = append(options, o.Name)
		}
		slices.Sort(options)
		want := strings.Fields(test.options)
		slices.Sort(want)
		if got := strings.Join(findings(list), " "); !slices.Equal(options, want) || got != test.findings {
			t.Errorf("%s: options %q, findings %s", test.node, options, got)
		}
	}
}

// A default that some agent of the workflow supports is for that agent.
func TestDefaultOptionsOfMixedAgents(t *testing.T) {
	for _, test := range []struct{ top, node, want string }{
		{"webSearchMode: live", "provider: codex", ""},
		{"webSearchMode: live", "provider: claude", "[warning ignored-option webSearchMode]"},
		{"effort: low\nprovider: codex", "provider: claude", ""},
		{"effort: low\nprovider: codex", "provider: opencode", "[warning ignored-option effort]"},
	} {
		_, list := lint(t, project(nil), test.top+"\n"+nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
		got := ""
		if len(list) > 0 {
			got = fmt.Sprint(findings(list))
		}
		if got != test.want {
			t.Errorf("%q, %q: %s", test.top, test.node, got)
		}
	}
}

// For an agent that the format does not know, its kind decides which options it
// supports.
func TestOptionsOfKinds(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{
		{Name: "api", Kind: "anthropic"}, {Name: "claude", Kind: "google"}, {Name: "few", Kind: "anthropic", Options: []string{"betas"}},
	}
	for _, test := range []struct{ node, want string }{
		{"provider: api, effort: low, maxBudgetUsd: 1, systemPrompt: s, fallbackModel: m", ""},
		{"provider: api, hooks: {}", "warning ignored-option hooks"},
		{"betas: [b]", "warning ignored-option betas"},
		{"thinking: enabled", ""},
		{"provider: few, effort: low", "warning ignored-option effort"},
	} {
		_, list := lint(t, env, nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
		if got := strings.Join(findings(list), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.node, got, test.want)
		}
	}
}
