package choice

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/recording"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// merged returns a choice with the settings of a choice that uses it. The kind and
// the program stay. The model and the system prompt are those of the using choice
// alone.
func merged(user, c settings.Agent) settings.Agent {
	all := user.Inherit(c)
	all.Name, all.Use, all.Kind, all.Program, all.Args = c.Name, c.Use, c.Kind, c.Program, c.Args
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

// complete gives a prompt the model and the system prompt of its agent's choice
// where it has none of its own.
func (p *prompts) complete(prompt flow.Prompt) flow.Prompt {
	b := p.agents[prompt.Agent]
	if b == nil {
		return prompt
	}
	prompt.Model = cmp.Or(prompt.Model, b.choice.Model)
	named := slices.ContainsFunc(prompt.Options, func(o flow.Option) bool { return o.Name == options.SystemPrompt })
	if b.choice.SystemPrompt != "" && !named {
		text, err := json.Marshal(b.choice.SystemPrompt)
		if err != nil {
			panic(err) // a text encodes
		}
		prompt.Options = append(slices.Clone(prompt.Options), flow.Option{Name: options.SystemPrompt, Value: text})
	}
	return prompt
}

// load opens the tape of the agents, if there is one.
func (o *opener) load() (err error) {
	switch {
	case o.tape == nil:
	case o.tape.Replay != "":
		o.player, err = recording.Play(o.tape)
	case o.tape.Record != "":
		o.recorder, err = recording.Open(o.tape)
	}
	return err
}

// record records a turn of an agent whose turns are recorded.
func (p *prompts) record(r *agent.Request, reply *agent.Reply, f *flow.Failure) error {
	b := p.agents[r.Agent]
	if b == nil || b.recorder == nil {
		return nil
	}
	return b.recorder.Turn(r, reply, f, recording.Source{Kind: b.choice.Kind, Native: b.agent.Capabilities().Structured})
}

// failed notes that an attempt at a step has failed.
func (p *prompts) failed(call *engine.Call) {
	prompt, _ := call.Action.Payload.(flow.Prompt)
	b := p.agents[cmp.Or(prompt.Agent, p.only)]
	if b == nil {
		return
	}
	var err error
	switch {
	case b.recorder != nil:
		err = b.recorder.Failed(call.Run.ID, call.Action.Key)
	case b.player != nil:
		err = b.player.Failed(call.Dir, call.Action.Key)
	}
	if err != nil {
		call.Log.Warn("that the attempt failed was not noted for the recording", "error", err.Error())
	}
}
