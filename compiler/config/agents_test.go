package config

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// What programs are told of the agents of a configuration, and of those that
// need none.
func TestAgentsForPrograms(t *testing.T) {
	c, findings := Parse(source.NewFile("wfc.yaml", []byte(`
agents:
  reviewer: {use: claude, permission: edit, system_prompt: Be brief.}
  claude: {use: claude, model: large, environment: [A]}
  quick: {use: opencode, model: m}
  own: {use: opencode, program: bin/open code, permission: all}
  loud: {use: own, args: [--loud]}
  mine: {use: acp, program: mine}
  also: {use: acp, program: /opt/mine, args: [x]}
  api: {use: openai, base_url: "http://x/v1", key_variable: K, max_tokens: 9, price: {input: 1, output: 2}}
  cheap: {use: api, price: {input: 0, output: 0}}
  local: {command: [./ask me, now]}
  self: {use: local}
`)))
	if len(findings) > 0 {
		t.Fatal(findings[0].Message)
	}
	want := settings.Agents{
		{Name: "reviewer", Use: "claude", Model: "opus", SystemPrompt: "Be brief.", Permission: "edit"},
		{Name: "claude", Kind: "claude", Model: "opus", PassEnv: []string{"A"}},
		{Name: "quick", Use: "opencode", Model: "m"},
		{Name: "own", Kind: "acp", Program: filepath.FromSlash("/p/bin/open code"), Args: []string{"acp"}, Permission: "all"},
		{Name: "loud", Kind: "acp", Program: filepath.FromSlash("/p/bin/open code"), Args: []string{"--loud"}, Permission: "all"},
		{Name: "mine", Kind: "acp", Program: "mine", Args: []string{}},
		{Name: "also", Kind: "acp", Program: "/opt/mine", Args: []string{"x"}},
		{Name: "api", Use: "openai", BaseURL: "http://x/v1", KeyVariable: "K", MaxTokens: 9, Price: &settings.Price{Input: 1, Output: 2}},
		{Name: "cheap", Use: "api", Price: &settings.Price{}},
		{Name: "local", Kind: "command", Program: filepath.FromSlash("/p/ask me"), Args: []string{"now"}},
		{Name: "self", Use: "local"},
	}
	for _, a := range catalog.Agents() {
		if a.Name != "claude" && a.Name != "self" {
			want = append(want, settings.Agent{Name: a.Name, Kind: a.Kind, Program: a.Program, Args: a.Args})
		}
	}
	got := c.Settings(filepath.FromSlash("/p")).Agents
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("got  %+v\nwant %+v", got[i:], want[i:])
		}
	}
}

// What is not right in a configuration leads to no agent.
func TestWrongAgentsForPrograms(t *testing.T) {
	c, _ := Parse(source.NewFile("wfc.yaml", []byte("agents: {a: {use: cloude, program: x}, b: {command: []}}\n")))
	if got := c.Settings("").Agents; len(got) != len(catalog.Agents()) {
		t.Errorf("got %+v", got)
	}
}
