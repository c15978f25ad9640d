package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

// mainOf returns the main.go of a sample's program, blanks and line breaks
// joined.
func mainOf(t *testing.T, sample string, opt gen.Options) string {
	t.Helper()
	opt.Main = true
	for _, s := range samples {
		if s.name == sample {
			return strings.Join(strings.Fields(string(gen.Generate(s.make(), opt)[1].Content)), " ")
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
	const callCheck, noKinds = "choice.Performer(structured.Check", "choice.Performer(structured.Check),"
	for _, tt := range []struct {
		name   string
		agents []gen.Agent
		want   []string
		not    []string
	}{
		{"chains", []gen.Agent{
			{Name: "claude", Kind: "use", Argument: "careful", Model: "m", SystemPrompt: "be\nbrief"},
			{Name: "local", Kind: "command", Argument: "./my ask", Args: []string{}},
			{Name: "other", Kind: "use", Argument: "local"},
			{Name: "careful", Kind: "use", Argument: "local"},
			{Name: "unused", Kind: "google"},
		}, []string{
			`Agents: []engine.AgentChoice{ {Name: "claude", Kind: "use", Argument: "careful", Model: "m", SystemPrompt: "be\nbrief"}, ` +
				`{Name: "local", Kind: "command", Argument: "./my ask", Args: []string{}}, {Name: "careful", Kind: "use", Argument: "local"}, }`,
			noKinds,
		}, []string{"example.com"}},
		{"a kind by itself", []gen.Agent{{Name: "claude", Kind: "acp", Argument: "gemini"}, {Name: "gemini", Kind: "google"}}, []string{
			callCheck + ", acp.Kind()),", `"example.com/agents/acp"`, `Agents: []engine.AgentChoice{ {Name: "claude", Kind: "acp", Argument: "gemini"}, }`,
		}, []string{"google"}},
		{"a kind behind a chain", []gen.Agent{
			{Name: "claude", Kind: "use", Argument: "api"},
			{Name: "api", Kind: "openai", Model: "m", BaseURL: "http://x/v1", KeyVariable: "K", MaxTokens: 5, Permission: "p",
				Price: &gen.Price{Input: 1, Output: .5, CacheWrite: 1e-7}, Environment: []string{"A_*"}},
		}, []string{
			callCheck + ", openai.Kind()),",
			`{Name: "api", Kind: "openai", Model: "m", Permission: "p", BaseURL: "http://x/v1", KeyVariable: "K", MaxTokens: 5, ` +
				`Price: &engine.Price{Input: 1, Output: 0.5, CacheWrite: 1e-07}, Environment: []string{"A_*"}}`,
		}, nil},
		{"a price of nothing", []gen.Agent{{Name: "claude", Kind: "openai", Price: &gen.Price{}}}, []string{`Price: &engine.Price{}}`}, nil},
		{"nothing known", []gen.Agent{{Name: "codex", Kind: "acp"}}, []string{noKinds}, []string{"AgentChoice", "acp"}},
	} {
		code := mainOf(t, "triage", gen.Options{AgentKinds: kinds, Defaults: gen.Defaults{Agents: tt.agents}})
		for _, want := range tt.want {
			if !strings.Contains(code, want) {
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
	b := newBuilder("silent")
	b.bash("one", "true")
	code := string(gen.Generate(b.program(), gen.Options{
		Main: true, AgentKinds: map[string]string{"acp": "example.com/agents/acp"}, Defaults: gen.Defaults{Agents: []gen.Agent{{Name: "claude", Kind: "acp"}}},
	})[1].Content)
	if strings.Contains(code, "acp") || strings.Contains(code, "Prompts") {
		t.Errorf("main.go knows agents:\n%s", code)
	}
}

func TestLimitsAndEnvironment(t *testing.T) {
	for _, tt := range []struct {
		limits gen.Limits
		env    gen.Environment
		want   string
	}{
		{gen.Limits{CostUSD: 2.5}, gen.Environment{}, `Defaults: cli.Defaults{ Limits: cli.Limits{CostUSD: 2.5}, },`},
		{gen.Limits{CostUSD: 5, Tokens: 200000}, gen.Environment{Agents: []string{"A", "B_*"}, Scripts: []string{}},
			`Defaults: cli.Defaults{ Limits: cli.Limits{CostUSD: 5, Tokens: 200000}, Environment: cli.Environment{Agents: []string{"A", "B_*"}, Scripts: []string{}}, },`},
	} {
		code := mainOf(t, "triage", gen.Options{Defaults: gen.Defaults{Limits: tt.limits, Environment: tt.env}})
		if !strings.Contains(code, tt.want) {
			t.Errorf("main.go has no %s:\n%s", tt.want, code)
		}
	}
}

// Programs take along what answers to questions need.
func TestGatesOfTheProject(t *testing.T) {
	for mode, want := range map[string]string{"terminal": `Gates: "terminal"`, "token": `Gates: "token"`, "any": "", "": ""} {
		got := mainOf(t, samples[0].name, gen.Options{Defaults: gen.Defaults{Gates: mode}})
		if want == "" && strings.Contains(got, "Gates") || !strings.Contains(got, want) {
			t.Errorf("%q: %s", mode, got)
		}
	}
}
