package prompts_test

import (
	"context"
	"encoding/json"
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

// echo writes a program that answers with the request that it got.
func echo(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test's program is a shell script")
	}
	path := filepath.Join(t.TempDir(), "echo")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nprintf 'got '\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func perform(t *testing.T, p flow.Prompt, choices ...settings.Agent) flow.Result {
	t.Helper()
	performer, err := prompts.Opener(nil)(engine.Agents{List: choices})
	if err != nil {
		t.Fatal(err)
	}
	return performer.Perform(context.Background(), called(t, p))
}

func called(t *testing.T, p flow.Prompt) *engine.Attempt {
	return &engine.Attempt{
		Info: &flow.RunInfo{ID: "r", WorkDir: t.TempDir()}, Action: flow.Action{Key: "n", Payload: p},
		Number: 1, RunDir: t.TempDir(), Environ: os.Environ(), Log: slog.New(slog.DiscardHandler),
	}
}

// received returns the agent, the model and the system prompt of the request
// that the program got.
func received(t *testing.T, r flow.Result) string {
	t.Helper()
	var got struct {
		Agent, Model string
		Options      struct{ SystemPrompt string }
	}
	text, ok := strings.CutPrefix(r.Text, "got ")
	if err := json.Unmarshal([]byte(text), &got); err != nil || !ok {
		t.Fatalf("%+v %+v: %v", r, r.Failure, err)
	}
	return got.Agent + "/" + got.Model + "/" + got.Options.SystemPrompt
}

// A choice has a model and a system prompt for prompts that have none.
func TestSettings(t *testing.T) {
	own := []flow.Option{{Name: "effort", Value: `"low"`}, {Name: "systemPrompt", Value: `"own"`}}
	program := settings.Agent{Name: "a", Kind: "command", Program: echo(t), Args: []string{}}
	set := program
	set.Model, set.SystemPrompt = "m", "be \"brief\""
	for name, test := range map[string]struct {
		prompt  flow.Prompt
		choices []settings.Agent
		want    string
	}{
		"without":           {flow.Prompt{Agent: "a"}, []settings.Agent{program}, "a//"},
		"with":              {flow.Prompt{Agent: "a"}, []settings.Agent{set}, `a/m/be "brief"`},
		"the prompt's own":  {flow.Prompt{Agent: "a", Model: "x", Options: own}, []settings.Agent{set}, "a/x/own"},
		"one that uses it":  {flow.Prompt{Agent: "b"}, []settings.Agent{{Name: "b", Use: "a", Model: "n"}, set}, "b/n/"},
		"used over another": {flow.Prompt{Agent: "c"}, []settings.Agent{set, {Name: "b", Use: "a"}, {Name: "c", Use: "b", SystemPrompt: "s"}}, "c//s"},
		"the later choice":  {flow.Prompt{Agent: "b"}, []settings.Agent{{Name: "a", Use: "a"}, {Name: "b", Use: "a"}, program}, "b//"},
		"for no agent":      {flow.Prompt{}, []settings.Agent{set}, `a/m/be "brief"`},
	} {
		test.prompt.Text = "hello"
		if got := received(t, perform(t, test.prompt, test.choices...)); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
	if len(own) != 2 || string(own[1].Value) != `"own"` {
		t.Error("the prompt's options were changed")
	}
}

// An agent that uses one that is not there says so when it is asked.
func TestAgentsThatAreNotThere(t *testing.T) {
	use := func(name, other string) settings.Agent {
		return settings.Agent{Name: name, Use: other, Model: "m"}
	}
	for name, test := range map[string]struct {
		agent   string
		choices []settings.Agent
		want    string
	}{
		"no choice":         {"b", []settings.Agent{use("b", "a")}, "asks agent `b`, which uses `a`, which is not set up. Set it up with --agent a=command:PROGRAM"},
		"settings only":     {"b", []settings.Agent{use("b", "a"), use("a", "a")}, "which uses `a`, which is not set up"},
		"itself":            {"a", []settings.Agent{use("a", "a")}, "asks agent `a`, which is not set up; none is set up"},
		"a cycle":           {"a", []settings.Agent{use("a", "b"), use("b", "a")}, "which is not set up"},
		"over another name": {"c", []settings.Agent{use("c", "b"), use("b", "a")}, "which uses `a`, which is not set up"},
	} {
		r := perform(t, flow.Prompt{Agent: test.agent, Text: "x"}, test.choices...)
		if r.Status != flow.Failed || r.Failure.Class != flow.ClassFatal || !strings.Contains(r.Failure.Message, test.want) {
			t.Errorf("%s: %+v", name, r.Failure)
		}
	}
}
