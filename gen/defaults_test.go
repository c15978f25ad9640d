package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// mainOf returns the main.go of a sample's program, blanks and line breaks
// joined.
func mainOf(t *testing.T, sample string, opt gen.Options) string {
	t.Helper()
	opt.Main = true
	for _, s := range samples {
		if s.name == sample {
			return squeeze(string(gen.Generate(s.make(), opt)[1].Content))
		}
	}
	t.Fatalf("there is no sample %s", sample)
	return ""
}

// Programs take along the project's agents: those that their workflow names and
// those that these use, with all that is said of them; and the kinds that these
// are of.
func TestAgentsOfTheProject(t *testing.T) {
	kinds := map[string]string{"acp": "example.com/agents/acp", "openai": "example.com/agents/openai", "google": "example.com/agents/google"}
	const callCheck, noKinds = "prompts.Opener(structured.Check", "prompts.Opener(structured.Check),"
	for _, tt := range []struct {
		name   string
		agents []settings.Agent
		want   []string
		not    []string
	}{
		{"chains", []settings.Agent{
			{Name: "claude", Use: "careful", Model: "m", SystemPrompt: "be\nbrief"},
			{Name: "local", Kind: "command", Program: "./my ask", Args: []string{}},
			{Name: "other", Use: "local"},
			{Name: "careful", Use: "local"},
			{Name: "unused", Kind: "google"},
		}, []string{
			`Agents: settings.Agents{ {Name: "claude", Use: "careful", Model: "m", SystemPrompt: "be\nbrief"}, ` +
				`{Name: "local", Kind: "command", Program: "./my ask", Args: []string{}}, {Name: "careful", Use: "local"}, }`,
			noKinds,
		}, []string{"example.com"}},
		{"a kind by itself", []settings.Agent{{Name: "claude", Kind: "acp", Program: "gemini"}, {Name: "gemini", Kind: "google"}}, []string{
			callCheck + ", acp.Kind()),", `"example.com/agents/acp"`, `Agents: settings.Agents{ {Name: "claude", Kind: "acp", Program: "gemini"}, }`,
		}, []string{"google"}},
		{"a kind behind a chain", []settings.Agent{
			{Name: "claude", Use: "api"},
			{Name: "api", Kind: "openai", Model: "m", BaseURL: "http://x/v1", KeyVariable: "K", MaxTokens: 5, Permission: "p",
				Price: &settings.Price{Input: 1, Output: .5, CacheWrite: 1e-7}, PassEnv: []string{"A_*"}},
		}, []string{
			callCheck + ", openai.Kind()),",
			`{Name: "api", Kind: "openai", Model: "m", Permission: "p", BaseURL: "http://x/v1", KeyVariable: "K", MaxTokens: 5, ` +
				`Price: &settings.Price{Input: 1, Output: 0.5, CacheWrite: 1e-07}, PassEnv: []string{"A_*"}}`,
		}, nil},
		{"a price of nothing", []settings.Agent{{Name: "claude", Kind: "openai", Price: &settings.Price{}}}, []string{`Price: &settings.Price{}}`}, nil},
		{"nothing known", []settings.Agent{{Name: "codex", Kind: "acp"}}, []string{noKinds}, []string{"settings.Agents", "acp"}},
	} {
		code := mainOf(t, "triage", gen.Options{AgentKinds: kinds, Defaults: settings.Project{Agents: tt.agents}})
		for _, want := range tt.want {
			if !strings.Contains(code, squeeze(want)) {
				t.Errorf("%s: main.go has no %s:\n%s", tt.name, want, code)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(code, not) {
				t.Errorf("%s: main.go has %s:\n%s", tt.name, not, code)
			}
		}
	}
}

// A workflow that asks nobody links no agent.
func TestProgramsWithoutPrompts(t *testing.T) {
	p := workflow("silent", "nodes:\n  - {id: one, bash: 'true'}\n")
	code := string(gen.Generate(p, gen.Options{
		Main: true, AgentKinds: map[string]string{"acp": "example.com/agents/acp"}, Defaults: settings.Project{Agents: []settings.Agent{{Name: "claude", Kind: "acp"}}},
	})[1].Content)
	if strings.Contains(code, "acp") || strings.Contains(code, "Prompts") {
		t.Errorf("main.go knows agents:\n%s", code)
	}
}

// Budgets and the policy for quotas hold for agents without an entry, which flags can choose, but a
// workflow that asks nobody has none.
func TestBudgetsOfUnknownAgents(t *testing.T) {
	project := settings.Project{
		OnQuota: settings.Quota{Policy: settings.QuotaWait},
		Budgets: settings.ProjectBudgets{All: settings.Budgets{Day: settings.Budget{CostUSD: 0.5}}},
	}
	for text, want := range map[string]bool{
		"name: asks\nsteps:\n  - {id: one, agent: nobody, prompt: hi}\n":      true,
		"name: silent\ndescription: d\nnodes:\n  - {id: one, bash: 'true'}\n": false,
	} {
		code := string(gen.Generate(compile("w.yaml", text, nil), gen.Options{Main: true, Defaults: project})[1].Content)
		if strings.Contains(code, "0.5") != want || strings.Contains(code, "OnQuota") != want {
			t.Errorf("the budget and the policy are in main.go: want %v:\n%s", want, code)
		}
	}
}

func TestLimitsAndEnvironment(t *testing.T) {
	for _, tt := range []struct {
		limits settings.Limits
		env    settings.PassEnv
		want   string
	}{
		{settings.Limits{CostUSD: 2.5}, settings.PassEnv{}, `Defaults: settings.Project{ Limits: settings.Limits{CostUSD: 2.5}, },`},
		{settings.Limits{CostUSD: 5, Tokens: 200000}, settings.PassEnv{Agents: []string{"A", "B_*"}, Scripts: []string{}},
			`Defaults: settings.Project{ Limits: settings.Limits{CostUSD: 5, Tokens: 200000}, PassEnv: settings.PassEnv{Agents: []string{"A", "B_*"}, Scripts: []string{}}, },`},
	} {
		code := mainOf(t, "triage", gen.Options{Defaults: settings.Project{Limits: tt.limits, PassEnv: tt.env}})
		if !strings.Contains(code, squeeze(tt.want)) {
			t.Errorf("main.go has no %s:\n%s", tt.want, code)
		}
	}
}

// Programs take along what answers to questions need.
func TestGatesOfTheProject(t *testing.T) {
	for mode, want := range map[settings.Gates]string{"terminal": `Gates: settings.GateSettings{Mode: "terminal"}`, "token": `Gates: settings.GateSettings{Mode: "token"}`, "any": "", "": ""} {
		got := mainOf(t, samples[0].name, gen.Options{Defaults: settings.Project{Gates: settings.GateSettings{Mode: mode}}})
		if want == "" && strings.Contains(got, "Gates") || !strings.Contains(got, want) {
			t.Errorf("%q: %s", mode, got)
		}
	}
}

// TestDefaultRetry compares the retry policy that the compiler sets with the one that code names.
func TestDefaultRetry(t *testing.T) {
	if d := ir.DefaultRetry; (flow.Retry{Retries: d.Max, Delay: d.Delay, All: d.All}) != flow.DefaultRetry {
		t.Errorf("the compiler's default is %+v, and that of generated code %+v", d, flow.DefaultRetry)
	}
}
