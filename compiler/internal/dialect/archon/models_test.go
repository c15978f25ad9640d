package archon_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The agent and the model of a prompt: those of the node, then of the workflow,
// then of the tiers and aliases in the configuration.
func TestModels(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{{Name: "reviewer", Use: "claude"}, {Name: "own"}}
	env.Settings.Models = []settings.Model{
		{Name: "@deep", Agent: "codex", Model: "big"}, {Name: "fast", Model: "f1"}, {Name: "medium", Model: "mid"},
		{Name: "@mine", Agent: "own", Model: "m9"}, {Name: "same", Agent: "claude", Model: "s1"},
	}
	const overrides = "warning foreign-model "
	tests := []struct{ top, node, want string }{
		{"", "", "claude/"},
		{"", "model: exact", "claude/exact"},
		{"", "model: small", "claude/haiku"},
		{"", "model: medium", "claude/mid"},
		{"", "model: fast", "claude/f1"},
		{"", "model: '@fast'", "claude/f1"},
		{"", "model: '@deep'", "codex/big"},
		{"", "model: deep", "claude/deep"},
		{"", "provider: codex, model: '@deep'", "codex/big"},
		{"", "provider: claude, model: '@deep'", "codex/big " + overrides + "claude"},
		{"", "provider: claude, model: same", "claude/s1"},
		{"", "provider: reviewer, model: large", "reviewer/opus"},
		{"", "provider: own, model: large", "own/large"},
		{"", "provider: codex, model: small", "codex/small warning undefined-tier small"},
		{"provider: codex\nmodel: large", "", "codex/large warning undefined-tier large"},
		{"", "provider: codex, model: medium", "codex/mid"},
		{"model: m1", "", "claude/m1"},
		{"model: m1", "model: m2", "claude/m2"},
		{"model: m1", "provider: claude", "claude/m1"},
		{"model: m1", "provider: codex", "codex/"},
		{"model: '@deep'", "", "codex/big"},
		{"model: '@deep'", "provider: claude", "claude/"},
		{"model: '@deep'", "provider: codex", "codex/big"},
		{"model: '@deep'", "model: m2", "claude/m2"},
		{"model: '@deep'", "model: '@mine'", "own/m9"},
		{"model: '@deep'", "provider: codex, model: m2", "codex/m2"},
		{"provider: codex\nmodel: '@deep'", "model: m2", "codex/m2"},
		{"provider: reviewer\nmodel: '@deep'", "model: m2", "reviewer/m2 " + overrides + "reviewer"},
		{"model: '@deep'\nprovider: codex", "", "codex/big"},
		{"provider: claude\nmodel: '@deep'", "", "codex/big " + overrides + "claude"},
		{"provider: codex\nmodel: m1", "model: '@mine'", "own/m9"},
		{"provider: codex\nmodel: m1", "provider: reviewer", "reviewer/"},
	}
	for _, test := range tests {
		t.Run(test.top+"|"+test.node, func(t *testing.T) {
			p, list := lint(t, env, test.top+"\n"+nodes("  - {id: a, prompt: x, "+test.node+"}\n"))
			agent := p.Workflow.Body.All()[0].Action.(*ir.Prompt).Agent
			got := append([]string{agent.Name + "/" + agent.Model}, findings(list)...)
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A loop asks the workflow's agent, by its tier too.
func TestModelOfLoops(t *testing.T) {
	env := project(nil)
	env.Settings.Models = []settings.Model{{Name: "@deep", Agent: "codex", Model: "big"}}
	p, list := lint(t, env, "model: '@deep'\n"+nodes("  - {id: a, loop: {prompt: x D, until: D, max_iterations: 2}}\n"))
	agent := p.Workflow.Body.All()[0].Action.(*ir.Loop).Body.All()[0].Action.(*ir.Prompt).Agent
	if len(list) > 0 || agent.Name != "codex" || agent.Model != "big" {
		t.Errorf("%+v %q", agent, findings(list))
	}
}

func TestUnknownAgentsAndModels(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{{Name: "reviewer"}}
	env.Settings.Models = []settings.Model{{Name: "@fast", Model: "f"}}
	_, list := lint(t, env, nodes("  - {id: a, prompt: x, provider: reviever, model: '@fats'}\n"))
	for i, want := range []string{"did you mean `reviewer`?", "did you mean `@fast`?"} {
		if len(list) != 2 || list[i].Help[0] != want {
			t.Errorf("findings %q, want help %q", findings(list), want)
		}
	}
}

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

// By the newer rules, the agent and the model of a loop hold for every iteration, the model of
// a group is the default for the nodes inside, and portable aliases mean tiers.
func TestModelsOfLoops(t *testing.T) {
	env := project(nil)
	env.Settings.Models = []settings.Model{{Name: "@reviewer", Agent: "codex", Model: "mine"}, {Name: "large", Agent: "codex", Model: "big"}}
	const loop, group = "  - {id: a, loop: {prompt: Say D., until: D, max_iterations: 2}, ", "  - {id: a, loop_group: {until: D, max_iterations: 2, nodes: [{id: k, prompt: k}, {id: m, prompt: m, model: own}]}, "
	for _, test := range []struct{ version, yaml, want string }{
		{"0.9", loop + "model: m}\n", "claude/m"},
		{"0.9", loop + "provider: codex, model: m}\n", "codex/m"},
		{"0.9", loop + "provider: codex}\n", "codex/"},
		{"", loop + "provider: codex, model: m}\n", "claude/top warning ignored-option provider"},
		{"0.9", group + "model: m}\n", "claude/m claude/own"},
		{"0.9", group + "provider: codex, model: m}\n", "codex/m codex/own"},
		{"0.9", group + "provider: codex}\n", "codex/ codex/own"},
		{"0.11", loop + "model: '@implementer'}\n", "claude/sonnet"},
		{"0.11", loop + "model: '@architect'}\n", "codex/big"},
		{"0.11", loop + "model: '@reviewer'}\n", "codex/mine"},
		{"0.11", loop + "model: '@nobody'}\n", "claude/@nobody error unknown-model-alias '@nobody'"},
	} {
		env.Settings.Archon.Version = test.version
		p, list := lint(t, env, "model: top\n"+nodes(test.yaml))
		var got []string
		for _, n := range p.Workflow.Body.All()[0].Action.(*ir.Loop).Body.All() {
			agent := n.Action.(*ir.Prompt).Agent
			got = append(got, agent.Name+"/"+agent.Model)
		}
		if got := strings.Join(append(got, findings(list)...), " "); got != test.want {
			t.Errorf("version %q: %s\ngot  %s\nwant %s", test.version, test.yaml, got, test.want)
		}
	}
}
