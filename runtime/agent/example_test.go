package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// shouter is an agent that needs no model.
type shouter struct{}

// Capabilities implements agent.Agent.
func (shouter) Capabilities() agent.Capabilities { return agent.Capabilities{} }

// Turn implements agent.Agent.
func (shouter) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	return &agent.Reply{Text: strings.ToUpper(r.Text), Meta: flow.Meta{Turns: 1, CostUSD: 0.01}}, nil
}

// A performer gives the prompts of a run to the agents of a program.
func Example() {
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"claude": shouter{}}})
	r := p.Perform(context.Background(), &engine.Attempt{
		Info:   &flow.RunInfo{ID: "greet-abc123"},
		Action: flow.Action{Key: "greet", Payload: flow.Prompt{Agent: "claude", Text: "good morning"}},
		Number: 1, Log: slog.New(slog.DiscardHandler),
	})
	fmt.Println(r.Status, r.Text, r.Meta.CostUSD)
	// Output: completed GOOD MORNING 0.01
}
