package choice

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// merged returns a choice with the settings of one that uses it. What stands
// behind it stays. The model and the system prompt are those of the user alone.
func merged(settings, c engine.AgentChoice) engine.AgentChoice {
	c.Model, c.SystemPrompt = settings.Model, settings.SystemPrompt
	c.Permission = cmp.Or(settings.Permission, c.Permission)
	c.BaseURL = cmp.Or(settings.BaseURL, c.BaseURL)
	c.KeyVariable = cmp.Or(settings.KeyVariable, c.KeyVariable)
	c.MaxTokens = cmp.Or(settings.MaxTokens, c.MaxTokens)
	c.Price = cmp.Or(settings.Price, c.Price)
	c.Tape = cmp.Or(settings.Tape, c.Tape)
	if settings.Environment != nil {
		c.Environment = settings.Environment
	}
	if settings.Only != nil {
		c.Only = settings.Only
	}
	return c
}

// same reports whether two choices open the same agent: what prompts and
// processes get from them is no part of it.
func same(a, b engine.AgentChoice) bool {
	for _, c := range []*engine.AgentChoice{&a, &b} {
		c.SystemPrompt, c.Environment, c.Only, c.Secrets = "", nil, nil, nil
		if c.Kind == kindCommand || c.Kind == kindScripted {
			c.Model = "" // others may have a price for it
		}
	}
	return reflect.DeepEqual(a, b)
}

// settle gives a prompt the model and the system prompt of its agent's choice
// where it has none of its own.
func (p *prompts) settle(prompt flow.Prompt) flow.Prompt {
	b := p.agents[prompt.Agent]
	if b == nil {
		return prompt
	}
	prompt.Model = cmp.Or(prompt.Model, b.choice.Model)
	named := slices.ContainsFunc(prompt.Options, func(o flow.Option) bool { return o.Name == agent.OptionSystemPrompt })
	if b.choice.SystemPrompt != "" && !named {
		text, err := json.Marshal(b.choice.SystemPrompt)
		if err != nil {
			panic(err) // a text encodes
		}
		prompt.Options = append(slices.Clone(prompt.Options), flow.Option{Name: agent.OptionSystemPrompt, Value: text})
	}
	return prompt
}
