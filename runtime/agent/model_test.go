package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// impostor answers with a model of its choice.
type impostor string

func (impostor) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (i impostor) Turn(context.Context, *agent.Request) (*agent.Reply, error) {
	return &agent.Reply{Text: "hello", Meta: flow.Meta{Model: string(i)}}, nil
}

// A reply of another model is never passed off as that of the one that was asked.
func TestAnotherModel(t *testing.T) {
	for _, test := range []struct {
		asked, got string
		warned     bool
	}{
		{"opus", "claude-opus-5-5-20261101", false},
		{"opusplan", "claude-opus-5-5", false},
		{"opus", "claude-haiku-5-5", true},
		{"claude-sonnet-5-5", "claude-sonnet-4-5", true},
		{"claude-sonnet-latest", "claude-sonnet-5-5", false},
		{"sonnet[1m]", "claude-sonnet-5-5", false},
		{"anthropic/claude-opus-5", "claude-opus-5", false},
		{"gpt-6.1-sol", "gpt-6.1-sol-2026-10-01", false},
		{"gemini-3.1-pro", "gemini-3.8-flash", true},
		{"gpt-6.1-sol", "gpt-4.1", true},
		{"default", "anything", false},
		{"", "anything", false},
		{"opus", "", false},
	} {
		s := &stage{t: t, agent: impostor(test.got)}
		var warnings []string
		p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s.agent}, Default: "bot"})
		for range 2 {
			call := s.call(flow.Prompt{Text: "x", Model: test.asked})
			call.Warn = func(message string) { warnings = append(warnings, message) }
			if r := p.Perform(t.Context(), call); r.Status != flow.Completed {
				t.Fatal(r)
			}
		}
		var want []string
		if test.warned {
			want = []string{"agent `bot` answered with the model `" + test.got + "`, although `" + test.asked + "` was asked"}
		}
		if !slices.Equal(warnings, want) {
			t.Errorf("%s, %s: %q", test.asked, test.got, warnings)
		}
	}
}
