package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestKindSettings(t *testing.T) {
	c, faults := parse(t, `
agents:
  api:
    use: openai
    base_url: http://localhost:8080/v1
    key_variable: MY_KEY
    max_tokens: 4096
    price: {input: 1, output: .5, cached_input: 0.1, cache_write: 1.25}
    environment: [MY_*, "*_PROXY"]
  own: {use: acp, program: ./bin/my agent, args: ["--mode=acp", ""], permission: edit, environment: GH_TOKEN}
  bare: {use: own, args: [], environment: []}
  free: {use: api, price: {input: 0, output: 0}}
limits: {cost_usd: 0.5, tokens: 200000}
environment: {agents: ["AWS_*", HOME], scripts: []}
`)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if want := (settings.Limits{CostUSD: 0.5, Tokens: 200000}); c.Settings("").Limits != want || c.Options("").Settings.Limits != want {
		t.Errorf("limits %+v", c.settings.Limits)
	}
	if want := (settings.PassEnv{Agents: []string{"AWS_*", "HOME"}, Scripts: []string{}}); !reflect.DeepEqual(c.Settings("").PassEnv, want) {
		t.Errorf("environment %+v", c.settings.PassEnv)
	}
	api := settings.Agent{
		Use: "openai", Kind: "openai", BaseURL: "http://localhost:8080/v1", KeyVariable: "MY_KEY", MaxTokens: 4096,
		Price: &settings.Price{Input: 1, Output: .5, CachedInput: .1, CacheWrite: 1.25}, PassEnv: []string{"MY_*", "*_PROXY"},
	}
	own := settings.Agent{
		Use: "acp", Kind: "acp", Program: "./bin/my agent", Args: []string{"--mode=acp", ""}, Permission: "edit", PassEnv: []string{"GH_TOKEN"},
	}
	bare, free := own, api
	bare.Args, bare.PassEnv = []string{}, []string{}
	free.Price = &settings.Price{}
	api.Name, own.Name, bare.Name, free.Name = "api", "own", "bare", "free"
	if got, want := c.Agents(), (settings.Agents{api, own, bare, free}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestExplainedAgents checks that the documents about unknown agents name everything that an
// agent of wfc.yaml can use.
func TestExplainedAgents(t *testing.T) {
	d := &decoder{config: &Config{}}
	for _, code := range []*diag.Code{codes.UnknownAgent, codes.UnnamedAgent} {
		for _, name := range d.usableAgents() {
			if name != "self" && !strings.Contains(codes.DocumentOf(code).Text, name) {
				t.Errorf("the document of %s does not name the agent %s", code, name)
			}
		}
	}
}

// The agents in the end, by what they use.
func TestKinds(t *testing.T) {
	for text, want := range map[string]settings.Agent{
		"use: claude": {Use: "claude", Kind: "claude"},
		"use: opencode, program: /opt/opencode, permission: all": {Use: "opencode", Kind: "acp", Program: "/opt/opencode", Permission: "all"},
		"use: gemini, permission: safe":                          {Use: "gemini", Kind: "acp", Permission: "safe"},
		"use: self, permission: all":                             {Use: "self", Kind: "claude", Permission: "all"},
		"use: acp, program: x":                                   {Use: "acp", Kind: "acp", Program: "x"},
		"use: google":                                            {Use: "google", Kind: "google"},
		"command: x":                                             {Kind: "command", Program: "x", Args: []string{}},
	} {
		c, faults := parse(t, "agents: {a: {"+text+"}}\n")
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		want.Name = "a"
		if got := c.Agents()[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// Agents that need no definition can have settings under their own names.
func TestKnownNames(t *testing.T) {
	for _, known := range catalog.Agents() {
		c, faults := parse(t, "agents: {"+known.Name+": {use: "+known.Name+", model: m}}\n")
		if len(faults) > 0 || c.Agents()[0].Use != known.Name {
			t.Errorf("%s: %v, %+v", known.Name, faults, c)
		}
	}
}

func TestKindFaults(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"agents: {a: {use: claude, base_url: https://x.y, max_tokens: 3}, b: {command: x, program: y, environment: [A]}}\n", []string{
			"1:27 WFC154 `agents.a.base_url` has no effect: agents of kind `claude` do not support it",
			"1:50 WFC154 `agents.a.max_tokens` has no effect: agents of kind `claude` do not support it",
			"1:82 WFC154 `agents.b.program` has no effect: agents of kind `command` do not support it",
		}},
		{"agents: {a: {use: b, args: [x]}, b: {use: openai}}\n", []string{
			"1:22 WFC154 `agents.a.args` has no effect: agents of kind `openai` do not support it",
		}},
		{"agents: {a: {use: claude, permission: al}, b: {use: openai, permission: all}}\n", []string{
			"1:39 WFC113 `agents.a.permission` must be one of safe, edit, all",
			"1:61 WFC154 `agents.b.permission` has no effect: agents of kind `openai` do not support it",
		}},
		{"agents: {a: {use: acp}, b: {use: a}, c: {use: acp, args: [x]}}\n", []string{
			"1:19 WFC113 `agents.a` must be a mapping with `program`, because kind `acp` runs any program",
			"1:47 WFC113 `agents.c` must be a mapping with `program`, because kind `acp` runs any program",
		}},
		// What does not exist has no settings to complain about.
		{"agents: {a: {use: b, program: x}, b: {use: cloude, program: x}}\n", []string{
			"1:44 WFC113 `agents.b.use` must be one of claude, codex, opencode, pi, copilot, gemini, anthropic, openai, google, self, a, b, acp, command",
		}},
		{"agents: {a: {use: openai, base_url: localhost, key_variable: sk-123, max_tokens: 0}}\n", []string{
			"1:37 WFC113 `agents.a.base_url` must be a URL such as `https://example.com/v1`, without user and password",
			"1:62 WFC113 `agents.a.key_variable` must be the name of an environment variable such as `MY_API_KEY`, not its value",
			"1:82 WFC113 `agents.a.max_tokens` must be an integer of at least 1",
		}},
		{"agents: {a: {use: openai, base_url: 'https://me:secret@x.y'}}\n", []string{
			"1:37 WFC113 `agents.a.base_url` must be a URL such as `https://example.com/v1`, without user and password",
		}},
		{"agents: {a: {use: openai, price: {input: 1}}, b: {use: openai, price: {input: -1, output: x, outputs: 1}}, c: {use: openai, price: 3}, d: {use: openai, price: }}\n", []string{
			"1:34 WFC113 `agents.a.price` must be a mapping with `input` and `output`",
			"1:79 WFC113 `agents.b.price.input` must be an amount in US dollars per million tokens",
			"1:91 WFC113 `agents.b.price.output` must be an amount in US dollars per million tokens",
			"1:94 WFC125 unknown key `outputs` in `agents.b.price`",
			"1:132 WFC113 `agents.c.price` must be a mapping of names to values",
			"1:159 WFC113 `agents.d.price` must be a mapping with `input` and `output`",
		}},
		{"agents: {a: {use: acp, program: x, args: y}, b: {use: acp, program: '', args: [1]}}\n", []string{
			"1:42 WFC113 `agents.a.args` must be a list of strings",
			"1:69 WFC113 `agents.b.program` must be a string that is not empty",
			"1:80 WFC113 `agents.b.args[0]` must be a string",
		}},
		{"limits: {cost_usd: 0, tokens: 1.5, cost: 3}\n", []string{
			"1:20 WFC113 `limits.cost_usd` must be an amount in US dollars above 0",
			"1:31 WFC113 `limits.tokens` must be an integer of at least 1",
			"1:36 WFC125 unknown key `cost` in `limits`",
		}},
		{"limits: {cost_usd: .inf}\n", []string{"1:20 WFC113 `limits.cost_usd` must be an amount in US dollars above 0"}},
		{"environment: {agents: [A-B], scripts: 3, agent: [A]}\n", []string{
			"1:24 WFC113 `environment.agents` must be the name of an environment variable such as `AWS_*`, where `*` is a wildcard",
			"1:39 WFC113 `environment.scripts` must be the name of an environment variable such as `AWS_*`, where `*` is a wildcard",
			"1:42 WFC125 unknown key `agent` in `environment`",
		}},
	} {
		_, got := parse(t, test.text)
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%q\ngot:\n  %s\nwant:\n  %s", test.text, strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
		}
	}
}

// The message says which kinds take a setting.
func TestKindsThatTakeASetting(t *testing.T) {
	c, ds := parseAll("agents: {a: {use: claude, base_url: https://x.y}, b: {command: x, args: [y]}}\n")
	if len(ds) != 2 || len(c.Agents()) != 2 {
		t.Fatal(ds)
	}
	if got := ds[0].Help; len(got) != 1 || got[0] != "remove it, or use an agent of kind `anthropic`, `openai` or `google`" {
		t.Errorf("help %q", got)
	}
	if got := ds[1].Help; len(got) != 2 || got[1] != "write the program and its arguments as `command` of the agent" {
		t.Errorf("help %q", got)
	}
}
