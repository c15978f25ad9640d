package choice

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// merged returns a choice with the settings of one that uses it. What does the work
// stays. The model and the system prompt are those of the user alone.
func merged(user, c settings.Agent) settings.Agent {
	all := user.Inherit(c)
	all.Name, all.Use, all.Kind, all.Argument, all.Args = c.Name, c.Use, c.Kind, c.Argument, c.Args
	all.Model, all.SystemPrompt = user.Model, user.SystemPrompt
	return all
}

// same reports whether two choices open the same agent, whatever prompts and
// processes get from them.
func same(a, b settings.Agent) bool {
	for _, c := range []*settings.Agent{&a, &b} {
		c.SystemPrompt, c.Environment, c.Options = "", nil, nil
		if c.Kind == settings.KindCommand || c.Kind == settings.KindScripted {
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
