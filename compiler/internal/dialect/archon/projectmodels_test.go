package archon_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// modelOf returns the agent, the model and the options of a prompt, with the findings and
// the files in which they are.
func modelOf(t *testing.T, config string, models []settings.Model, keys string) string {
	t.Helper()
	files := testkit.Memory{}
	if config != "" {
		files[".archon/config.yaml"] = config
	}
	env := project(files)
	env.Settings.Models = models
	p, list := lint(t, env, nodes("  - {id: a, prompt: x, "+keys+"}\n"))
	agent := p.Workflow.Body.All()[0].Action.(*ir.Prompt).Agent
	got := []string{agent.Name + "/" + agent.Model}
	for _, o := range agent.Options {
		got = append(got, o.Name+"="+o.JSON)
	}
	for i, d := range list {
		got = append(got, findings(list)[i])
		if strings.HasSuffix(d.Span.File.Name, "config.yaml") {
			got = append(got, "in "+d.Span.File.Name)
		}
	}
	return strings.Join(got, " ")
}

func TestProjectModels(t *testing.T) {
	const config = `worktree: {baseBranch: dev}
unknown: [1, {a: b}]
tiers:
  small: {provider: codex, model: little, effort: low}
  medium: 5
  huge: {provider: pi, model: x}
aliases:
  '@mini': {provider: pi, model: some/model, since: 3}
  fast: {model: f1}
  '@lost': {provider: nobody, model: x}
  '@bare': {provider: pi}
  '@wrong': {provider: claude, model: [x]}
  '@text': haiku
  '@keen': {model: m, effort: keen}
`
	own := []settings.Model{{Name: "@mini", Agent: "codex", Model: "own"}, {Name: "small", Model: "s1"}}
	const file = " in .archon/config.yaml"
	for _, test := range []struct {
		models     []settings.Model
		keys, want string
	}{
		{nil, "model: '@mini'", "pi/some/model"},
		{nil, "model: '@fast'", "claude/f1"},
		{nil, "model: fast", "claude/fast"},
		{nil, "model: small", `codex/little modelReasoningEffort="low"`},
		{nil, "model: '@small'", `codex/little modelReasoningEffort="low"`},
		{nil, "model: large", "claude/opus"},
		{nil, "model: huge", "claude/huge"},
		{nil, "provider: codex, model: '@mini'", "pi/some/model warning foreign-model codex"},
		{nil, "fallbackModel: '@fast', model: m", `claude/m fallbackModel="f1"`},
		{own, "model: '@mini'", "codex/own"},
		{own, "model: small", "claude/s1"},
		{own, "model: '@fast'", "claude/f1"},
		{nil, "model: '@other'", "claude/@other error unknown-model-alias '@other'"},
		{nil, "model: medium", "claude/ error wrong-value 5" + file},
		{nil, "model: '@lost'", "claude/x error unknown-agent nobody" + file},
		{nil, "model: '@bare'", "claude/ error wrong-value {provider: pi}" + file},
		{nil, "model: '@wrong'", "claude/ error wrong-value [x]" + file},
		{nil, "model: '@text'", "claude/ error wrong-value haiku" + file},
		{nil, "model: '@keen'", "claude/m error wrong-value keen" + file},
	} {
		if got := modelOf(t, config, test.models, test.keys); got != test.want {
			t.Errorf("%s: got %s, want %s", test.keys, got, test.want)
		}
	}
}

// A fault of the file is reported where a workflow needs it, and only there.
func TestProjectModelsFile(t *testing.T) {
	for _, test := range []struct{ config, keys, want string }{
		{"", "model: '@mini'", "claude/@mini error unknown-model-alias '@mini'"},
		{"aliases: [x]\ntiers: y\n", "model: small", "claude/haiku"},
		{"aliases: [x]\n", "model: '@mini'", "claude/@mini error unknown-model-alias '@mini'"},
		{"just text\n", "model: small", "claude/haiku"},
		{"aliases: {a: b\n", "model: exact", "claude/exact"},
	} {
		if got := modelOf(t, test.config, nil, test.keys); got != test.want {
			t.Errorf("%q, %s: got %s, want %s", test.config, test.keys, got, test.want)
		}
	}
	got := modelOf(t, "aliases: {a: b\n", nil, "model: '@mini'")
	if !strings.Contains(got, "error yaml-syntax") || !strings.Contains(got, "in .archon/config.yaml") || strings.Contains(got, "unknown-model-alias") {
		t.Errorf("got %s", got)
	}
}
