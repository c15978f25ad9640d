package choice

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// systemPrompt is the name of the option that holds a prompt's system prompt.
const systemPrompt = "systemPrompt"

// settled is an agent with settings for prompts that have none of their own.
type settled struct {
	agent.Agent
	model string
	// system is the system prompt as JSON, or nil.
	system json.RawMessage
}

// withSettings returns the agent with the model and the system prompt of its
// choice.
func withSettings(a agent.Agent, c engine.AgentChoice) agent.Agent {
	if c.Model == "" && c.SystemPrompt == "" {
		return a
	}
	s := settled{Agent: a, model: c.Model}
	if c.SystemPrompt != "" {
		text, err := json.Marshal(c.SystemPrompt)
		if err != nil {
			panic(err) // a text encodes
		}
		s.system = text
	}
	return s
}

// Turn implements agent.Agent.
func (s settled) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	request := *r
	if request.Model == "" {
		request.Model = s.model
	}
	named := slices.ContainsFunc(request.Options, func(o flow.Option) bool { return o.Name == systemPrompt })
	if s.system != nil && !named {
		request.Options = append(slices.Clone(request.Options), flow.Option{Name: systemPrompt, Value: s.system})
	}
	return s.Agent.Turn(ctx, &request)
}
