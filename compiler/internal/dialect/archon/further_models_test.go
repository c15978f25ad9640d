package archon_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The model to fall back on and those of helper agents can be tiers and
// aliases, as the node's own.
func TestFurtherModels(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{
		{Name: "reviewer", Use: "claude", Kind: "claude"}, {Name: "own"}, {Name: "api", Kind: "openai"},
	}
	env.Settings.Models = []settings.Model{
		{Name: "@deep", Agent: "codex", Model: "big"}, {Name: "fast", Model: "f1"}, {Name: "medium", Model: "mid"}, {Name: "@sure", Agent: "claude", Model: "c1"},
	}
	const helper = `agents: {h: {description: d, prompt: p, model: %, tools: [Read]}, i: {description: d, prompt: p}}`
	json := func(model string) string {
		return `{"h":{"description":"d","prompt":"p"` + model + `,"tools":["Read"]},"i":{"description":"d","prompt":"p"}}`
	}
	tests := []struct{ top, node, option, want string }{
		{"", "fallbackModel: exact", "fallbackModel", `"exact"`},
		{"", "fallbackModel: small", "fallbackModel", `"haiku"`},
		{"", "fallbackModel: medium", "fallbackModel", `"mid"`},
		{"", "fallbackModel: '@fast'", "fallbackModel", `"f1"`},
		{"", "fallbackModel: '@sure'", "fallbackModel", `"c1"`},
		{"", "provider: reviewer, fallbackModel: large", "fallbackModel", `"opus"`},
		{"", "provider: reviewer, fallbackModel: '@sure'", "fallbackModel", `"c1"`},
		{"", "provider: own, fallbackModel: small", "fallbackModel", `"small"`},
		{"", "provider: api, fallbackModel: small", "fallbackModel", `"small" warning undefined-tier small`},
		{"", "fallbackModel: '@deep'", "fallbackModel", " warning foreign-model '@deep'"},
		{"", "fallbackModel: '@fats'", "fallbackModel", `"@fats" error unknown-model-alias '@fats'`},
		{"fallbackModel: small", "effort: low", "fallbackModel", `"haiku"`},
		{"fallbackModel: small", "fallbackModel: m", "fallbackModel", `"m"`},
		{"fallbackModel: '@deep'", "effort: low", "fallbackModel", " warning foreign-model '@deep'"},
		{"", strings.Replace(helper, "%", "small", 1), "agents", json(`,"model":"haiku"`)},
		{"", strings.Replace(helper, "%", "inherit", 1), "agents", json(`,"model":"inherit"`)},
		{"", strings.Replace(helper, "%", "'@fast'", 1), "agents", json(`,"model":"f1"`)},
		{"", strings.Replace(helper, "%", "'@deep'", 1), "agents", json("") + " warning foreign-model '@deep'"},
	}
	for _, test := range tests {
		p, list := lint(t, env, test.top+"\n"+nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
		got := option(p.Workflow.Body.All()[0].Action.(*ir.Prompt).Agent.Options, test.option)
		for _, f := range findings(list) {
			got += " " + f
		}
		if got != test.want {
			t.Errorf("%s | %s: %s, want %s", test.top, test.node, got, test.want)
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
		{"provider: api, hooks: {}", "warning unsupported-option hooks"},
		{"betas: [b]", "warning unsupported-option betas"},
		{"thinking: enabled", ""},
		{"provider: few, effort: low", "warning unsupported-option effort"},
	} {
		_, list := lint(t, env, nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
		if got := strings.Join(findings(list), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.node, got, test.want)
		}
	}
}

// An agent that wfc knows and the format does not has to be brought in by the
// configuration.
func TestAgentsBeyondTheFormat(t *testing.T) {
	env := project(nil)
	_, list := lint(t, env, nodes("  - {id: a, prompt: x, provider: gemini}\n"))
	const help = "add `agents: {gemini: {use: gemini}}` to `wfc.yaml`"
	if len(list) != 1 || len(list[0].Help) != 1 || list[0].Help[0] != help {
		t.Errorf("findings %q, want help %q", findings(list), help)
	}
	env.Settings.Agents = []settings.Agent{{Name: "gemini", Kind: "acp"}}
	if _, list := lint(t, env, nodes("  - {id: a, prompt: x, provider: gemini}\n")); len(list) > 0 {
		t.Errorf("findings %q", findings(list))
	}
}
