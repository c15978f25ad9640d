package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const askers = `name: w
description: d
nodes:
  - id: a
    prompt: x
    provider: opencode
  - id: b
    prompt: x
    provider: opencode
  - id: c
    prompt: x
    provider: codex
  - id: d
    prompt: x
    provider: codex
    model: m
  - id: e
    loop: {prompt: x DONE, until: DONE, max_iterations: 2}
  - id: f
    approval: {message: m, on_reject: {prompt: y}}
  - id: g
    prompt: x
    provider: own
  - id: h
    command: greet
    provider: priced
`

func compileAskers(t *testing.T, text string, c settings.Project) (*ir.Program, []string) {
	t.Helper()
	r := Compile(source.NewFile("flow.yaml", []byte(text)), Options{
		Path: "/p/flow.yaml", Root: "/p", Settings: c, Files: memory{"/p/commands/greet.md": "Say hello."},
	})
	var got []string
	for _, d := range r.Diagnostics {
		p := d.Span.Position()
		got = append(got, fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, d.Code.ID, d.Message))
	}
	return r.Workflow, got
}

// A limit that an agent's turns do not count for is an error where the agent is
// named first, or else where its prompt is; once for each agent.
func TestLimits(t *testing.T) {
	agents := []settings.Agent{{Name: "own"}, {Name: "priced", Kind: "codex", Price: &settings.Price{}}}
	const (
		noCost   = "6:15 WFC712 `limits.cost_usd` may not be enforced: `opencode` may not report its usage"
		noTokens = "6:15 WFC712 `limits.tokens` may not be enforced: `opencode` may not report its usage"
		noPrice  = "12:15 WFC713 `limits.cost_usd` cannot be enforced: the price of `codex` depends on its model"
	)
	for _, test := range []struct {
		name   string
		limits settings.Limits
		agents []settings.Agent
		want   []string
	}{
		{"none", settings.Limits{}, agents, nil},
		{"cost", settings.Limits{CostUSD: 1}, agents, []string{noCost, noPrice}},
		{"tokens", settings.Limits{Tokens: 1}, agents, []string{noTokens}},
		{"both", settings.Limits{CostUSD: 1, Tokens: 1}, agents, []string{noCost, noTokens, noPrice}},
		{"a model by configuration", settings.Limits{CostUSD: 1}, append(agents, settings.Agent{Name: "codex", Kind: "codex", Model: "gpt-5"}), []string{
			noCost, "15:15 WFC713 `limits.cost_usd` cannot be enforced: the price of `codex` for the model `m` is unknown",
		}},
		{"an alias without a price", settings.Limits{CostUSD: 1}, append(agents,
			settings.Agent{Name: "codex", Kind: "anthropic", Model: "haiku"}, settings.Agent{Name: "opencode", Kind: "anthropic"}), []string{
			"12:15 WFC713 `limits.cost_usd` cannot be enforced: the price of `codex` for the model `claude-haiku-5-5` is unknown",
		}},
		{"free agents", settings.Limits{CostUSD: 1}, append(agents,
			settings.Agent{Name: "codex", Kind: "codex", Price: &settings.Price{}}, settings.Agent{Name: "opencode", Kind: "acp", Price: &settings.Price{}}), nil},
		{"another kind behind a name", settings.Limits{CostUSD: 1}, append(agents, settings.Agent{Name: "opencode", Kind: "claude"}), []string{noPrice}},
		{"a program behind a name", settings.Limits{CostUSD: 1}, append(agents, settings.Agent{Name: "opencode"}), []string{noPrice}},
		{"the default agent", settings.Limits{CostUSD: 1}, append(agents,
			settings.Agent{Name: "claude", Kind: "acp"}, settings.Agent{Name: "opencode"}, settings.Agent{Name: "codex"}),
			[]string{"18:5 WFC712 `limits.cost_usd` may not be enforced: `claude` may not report its usage"}},
	} {
		_, got := compileAskers(t, askers, settings.Project{Agents: test.agents, Limits: test.limits})
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n  %s\nwant:\n  %s", test.name, strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
		}
	}
}

// Budgets need agents that report their usage, as limits do. An agent is reported once.
func TestLimitsOfBudgets(t *testing.T) {
	agents := []settings.Agent{{Name: "own"}, {Name: "priced", Kind: "codex", Price: &settings.Price{}}}
	day, month := settings.Budget{CostUSD: 1}, settings.Budget{Tokens: 1}
	noPrice := func(name string) string {
		return "12:15 WFC713 `" + name + "` cannot be enforced: the price of `codex` depends on its model"
	}
	unsure := func(name string) string {
		return "6:15 WFC712 `" + name + "` may not be enforced: `opencode` may not report its usage"
	}
	for name, c := range map[string]struct {
		project settings.Project
		want    []string
	}{
		"the project's": {settings.Project{Budgets: settings.ProjectBudgets{All: settings.Budgets{Day: day, Month: month}}},
			[]string{unsure("budgets.day.cost_usd"), unsure("budgets.month.tokens"), noPrice("budgets.day.cost_usd")}},
		"the workflow's": {settings.Project{Budgets: settings.ProjectBudgets{Workflows: map[string]settings.Budgets{"": {Month: day}}}},
			[]string{unsure("budgets.month.cost_usd"), noPrice("budgets.month.cost_usd")}},
		"beside a limit": {settings.Project{Limits: settings.Limits{CostUSD: 1}, Budgets: settings.ProjectBudgets{All: settings.Budgets{Day: day}}},
			[]string{unsure("limits.cost_usd"), noPrice("limits.cost_usd")}},
	} {
		c.project.Agents = agents
		if _, got := compileAskers(t, askers, c.project); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n  %s\nwant:\n  %s", name, strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
		}
	}
}

// What cannot be held is an error, what may not be a warning.
func TestSeverityOfLimits(t *testing.T) {
	for report, want := range map[catalog.Report]string{
		catalog.Never:  "error `limits.tokens` cannot be enforced: `claude` never reports its usage",
		catalog.Maybe:  "warning `limits.tokens` may not be enforced: `claude` may not report its usage",
		catalog.Always: "",
	} {
		l := limit{name: "limits.tokens", what: "tokens"}
		l.reports = func(k catalog.KindInfo) catalog.Report { return report }
		got := ""
		if d := l.checkAgent(&ir.Agent{Name: "claude"}, &settings.Project{}); d != nil {
			got = d.Severity.String() + " " + d.Message
		}
		if got != want {
			t.Errorf("%d: %s, want %s", report, got, want)
		}
	}
}

// A workflow's agent is named at the top.
func TestLimitsOfTheWorkflowsAgent(t *testing.T) {
	text := "name: w\ndescription: d\nprovider: pi\nnodes:\n  - id: a\n    prompt: x\n  - id: b\n    approval: {message: m, on_reject: {prompt: y}}\n"
	_, got := compileAskers(t, text, settings.Project{Limits: settings.Limits{Tokens: 1}})
	if len(got) != 1 || !strings.HasPrefix(got[0], "3:11 WFC712") {
		t.Errorf("findings %q", got)
	}
	text = strings.Replace(text, "provider: pi\n", "", 1)
	agents := []settings.Agent{{Name: "claude", Kind: "acp"}}
	_, got = compileAskers(t, strings.Replace(text, "prompt: x", "bash: x", 1), settings.Project{Limits: settings.Limits{Tokens: 1}, Agents: agents})
	if len(got) != 1 || !strings.HasPrefix(got[0], "7:5 WFC712") {
		t.Errorf("of a gate: findings %q", got)
	}
}

func TestAgentsOf(t *testing.T) {
	p, got := compileAskers(t, askers, settings.Project{Agents: []settings.Agent{{Name: "own"}, {Name: "priced"}}})
	if len(got) > 0 {
		t.Fatal(got)
	}
	if got := strings.Join((&Result{Workflow: p}).Agents(), " "); got != "opencode codex claude own priced" {
		t.Errorf("agents %s", got)
	}
}

// A limit of cost that a workflow sets itself is no error where it cannot be
// held, because its author could not know the models.
func TestLimitsOfGraphs(t *testing.T) {
	text := `workflow: w
nodes:
  a: {type: task, agent: codex, prompt: p, outputs: [done]}
edges: [{from: START, to: a}, {from: a, to: END}]
limits: {max_cost_dollars: 2.5}
`
	r := Compile(source.NewFile("flow.yaml", []byte(text)), Options{Files: memory{}, Root: "/p"})
	if got, want := summary(r), "3 warning unknown-price"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if related := r.Diagnostics[0].Related; len(related) != 1 || related[0].Span.Text() != "2.5" {
		t.Error("the limit is not shown")
	}
}
