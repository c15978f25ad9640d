package prompts_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// ask performs a prompt to an agent, with the agents that were chosen.
func ask(t *testing.T, agent string, choices ...settings.Agent) flow.Result {
	t.Helper()
	p, err := prompts.Opener(nil)(engine.Agents{List: choices})
	if err != nil {
		t.Fatal(err)
	}
	return p.Perform(context.Background(), &engine.Attempt{
		Info: &flow.RunInfo{ID: "r", WorkDir: t.TempDir()}, Action: flow.Action{Key: "n", Payload: flow.Prompt{Agent: agent, Text: "hello"}},
		Number: 1, RunDir: t.TempDir(), Environ: os.Environ(), Log: slog.New(slog.DiscardHandler),
	})
}

// program writes a program that prints its arguments, one a line.
func program(t *testing.T, name string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test's program is a shell script")
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >/dev/null\necho args; for a; do echo \"<$a>\"; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func scripted(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "replies.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestKinds(t *testing.T) {
	replies := scripted(t, `{"n":[{"text":"scripted"}]}`)
	for name, c := range map[string]struct {
		choice settings.Agent
		want   string
	}{
		"a program":                  {settings.Agent{Kind: "command", Program: program(t, "ask")}, "args"},
		"a program and arguments":    {settings.Agent{Kind: "command", Program: program(t, "ask") + "  -x  1 "}, "args\n<-x>\n<1>"},
		"no arguments, said so":      {settings.Agent{Kind: "command", Program: program(t, "my ask"), Args: []string{}}, "args"},
		"arguments of their own":     {settings.Agent{Kind: "command", Program: program(t, "ask"), Args: []string{"a b", ""}}, "args\n<a b>\n<>"},
		"a path with a blank":        {settings.Agent{Kind: "command", Program: program(t, "my ask"), Args: []string{"a"}}, "args\n<a>"},
		"scripted replies":           {settings.Agent{Kind: "scripted", Program: replies}, "scripted"},
		"the only one, for no agent": {settings.Agent{Kind: "scripted", Program: replies}, "scripted"},
	} {
		c.choice.Name = "claude"
		agent := "claude"
		if name == "the only one, for no agent" {
			agent = ""
		}
		if r := ask(t, agent, c.choice); r.Status != flow.Completed || r.Text != c.want {
			t.Errorf("%s: %+v %v", name, r, r.Failure)
		}
	}
}

// An agent may edit files if its program, its arguments or its permission let it.
func TestMayEdit(t *testing.T) {
	p, err := prompts.Opener(nil, kind("claude", nil, nil), kind("acp", nil, nil), kind("openai", nil, nil))(engine.Agents{List: settings.Agents{
		{Name: "safe", Kind: "claude"},
		{Name: "said safe", Kind: "claude", Permission: "safe"},
		{Name: "edit", Kind: "claude", Permission: "edit"},
		{Name: "user of edit", Use: "edit"},
		{Name: "arguments", Kind: "claude", Args: []string{"--dangerously-skip-permissions"}},
		{Name: "protocol", Kind: "acp", Program: "opencode", Args: []string{"acp"}},
		{Name: "protocol, all", Kind: "acp", Program: "opencode", Args: []string{"acp"}, Permission: "all"},
		{Name: "service", Kind: "openai", Model: "m"},
		{Name: "replies", Kind: "scripted", Program: scripted(t, `{}`)},
		{Name: "program", Kind: "command", Program: program(t, "ask")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"safe": false, "said safe": false, "edit": true, "user of edit": true, "arguments": true, "protocol": false, "protocol, all": true,
		"service": false, "replies": false, "program": true, "unknown": false,
	} {
		if got := p.(interface{ MayEdit(string) bool }).MayEdit(name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}

func TestTheLaterChoiceCounts(t *testing.T) {
	first, second := scripted(t, `{"n":[{"text":"first"}]}`), scripted(t, `{"n":[{"text":"second"}]}`)
	r := ask(t, "", settings.Agent{Name: "a", Kind: "scripted", Program: first}, settings.Agent{Name: "a", Kind: "scripted", Program: second})
	if r.Text != "second" {
		t.Errorf("%+v %v", r, r.Failure)
	}
}

func TestWithoutTheAgent(t *testing.T) {
	replies := scripted(t, `{"n":[{"text":"x"}]}`)
	if r := ask(t, "claude"); r.Status != flow.Failed || !strings.Contains(r.Failure.Message, "--agent claude=command:PROGRAM") {
		t.Errorf("none is chosen: %+v", r)
	}
	two := []settings.Agent{{Name: "a", Kind: "scripted", Program: replies}, {Name: "b", Kind: "scripted", Program: replies}}
	if r := ask(t, "", two...); r.Status != flow.Failed || !strings.Contains(r.Failure.Message, "names no agent") {
		t.Errorf("two are chosen and none is named: %+v", r)
	}
}

func TestWrongChoices(t *testing.T) {
	for want, c := range map[string]settings.Agent{
		"agent `a`: unknown kind of agent `http`: use one of `command`, `scripted`": {Name: "a", Kind: "http", Program: "x"},
		"agent `a`: missing program": {Name: "a", Kind: "command", Program: " "},
		"no such file":               {Name: "a", Kind: "scripted", Program: filepath.Join(t.TempDir(), "none.json")},
		"scripted replies":           {Name: "a", Kind: "scripted", Program: scripted(t, "[")},
	} {
		if _, err := prompts.Opener(nil)(engine.Agents{List: []settings.Agent{c}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
}
