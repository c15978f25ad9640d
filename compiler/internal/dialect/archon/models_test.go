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

// The agent and the model of a prompt: those of the node, then of the workflow,
// then of the tiers and aliases in the configuration.
func TestModels(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{{Name: "reviewer", Use: "claude"}, {Name: "own"}}
	env.Settings.Models = []settings.Model{
		{Name: "@deep", Agent: "codex", Model: "big"}, {Name: "fast", Model: "f1"}, {Name: "medium", Model: "mid"},
		{Name: "@mine", Agent: "own", Model: "m9"}, {Name: "same", Agent: "claude", Model: "s1"},
	}
	const overrides = "warning model-overrides-provider "
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

// An option that a known agent does not support is warned about and left out; the
// configuration of an agent takes precedence over the table.
func TestOptionsOfAgents(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = []settings.Agent{
		{Name: "reviewer", Use: "codex"}, {Name: "program"}, {Name: "effortless", Use: "claude", Options: []string{"betas"}}, {Name: "codex"},
	}
	tests := []struct{ node, options, findings string }{
		{"provider: claude, effort: low, denied_tools: []", "effort denied_tools", ""},
		{"provider: copilot, effort: low, hooks: {}", "effort", "warning unsupported-option hooks"},
		{"provider: reviewer, effort: low, skills: [mending]", "skills", "warning unsupported-option effort"},
		{"provider: program, effort: low, hooks: {}, betas: [b]", "effort hooks betas", ""},
		{"provider: effortless, effort: low, betas: [b]", "betas", "warning unsupported-option effort"},
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
		{"webSearchMode: live", "provider: claude", "[warning unsupported-option webSearchMode]"},
		{"effort: low\nprovider: codex", "provider: claude", ""},
		{"effort: low\nprovider: codex", "provider: opencode", "[warning unsupported-option effort]"},
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
