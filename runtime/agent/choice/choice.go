// Package choice makes the performer of prompts from what a command line and
// the project's settings say stands behind the agents of a workflow.
package choice

import (
	"context"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/command"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// The kinds of choices.
const (
	kindCommand  = "command"
	kindScripted = "scripted"
	kindUse      = "use"
)

// Performer returns the function that makes the performer of prompts for given
// choices. check validates structured replies: structured.Check; it may be nil
// only in a program whose prompts have no schema.
//
// A choice of kind "command" has a program and its arguments. When Args is nil
// they are set apart by blanks in Argument: there is no quoting. When it is not,
// not even when it is empty, Argument is the program alone, blanks and all. One
// of kind "scripted" has a file of replies. One of kind "use" has the name of
// another choice whose agent it gives a model and a system prompt of its own.
// When a name is chosen twice, the later choice counts. When one agent is chosen
// and no other, it also answers prompts that name no agent.
//
// A prompt whose agent is not chosen fails when it is performed, not before:
// its node may never run.
func Performer(check agent.Check) func([]engine.AgentChoice) (engine.Performer, error) {
	return func(choices []engine.AgentChoice) (engine.Performer, error) {
		s := agent.Settings{Agents: make(map[string]agent.Agent, len(choices)), Check: check}
		o := &opener{choices: make(map[string]engine.AgentChoice, len(choices)), opened: map[string]agent.Agent{}}
		for _, c := range choices {
			o.choices[c.Name] = c
		}
		for _, c := range choices {
			if o.choices[c.Name].Kind == kindUse && o.choices[c.Name].Argument == c.Name {
				continue // there are settings for it, but it is not there
			}
			a, err := o.behind(c.Name, len(choices))
			if err != nil {
				return nil, err
			}
			s.Agents[c.Name] = withSettings(a, o.choices[c.Name])
		}
		if len(s.Agents) == 1 {
			for name := range s.Agents {
				s.Default = name
			}
		}
		return agent.New(s), nil
	}
}

// An opener opens the agents of choices, each once.
type opener struct {
	choices map[string]engine.AgentChoice
	opened  map[string]agent.Agent
}

// behind returns the agent behind a name: what the choice of that name opens,
// or what is behind the name that it uses. Where nothing is, the agent says so
// when it is asked. most bounds how many names are followed.
func (o *opener) behind(name string, most int) (agent.Agent, error) {
	c, chosen := o.choices[name]
	switch {
	case !chosen, c.Kind == kindUse && (c.Argument == name || most == 0):
		return absent{name}, nil
	case c.Kind == kindUse:
		return o.behind(c.Argument, most-1)
	case o.opened[name] != nil:
		return o.opened[name], nil
	}
	a, err := open(c)
	if err != nil {
		return nil, fmt.Errorf("agent `%s`: %w", c.Name, err)
	}
	o.opened[name] = a
	return a, nil
}

func open(c engine.AgentChoice) (agent.Agent, error) {
	switch c.Kind {
	case kindCommand:
		words := append([]string{c.Argument}, c.Args...)
		if c.Args == nil {
			words = strings.Fields(c.Argument)
		}
		if len(words) == 0 || words[0] == "" {
			return nil, fmt.Errorf("no program is given; write %s=command:PROGRAM", c.Name)
		}
		return command.New(words[0], words[1:]...), nil
	case kindScripted:
		replies, err := scripted.Read(c.Argument)
		if err != nil {
			return nil, err
		}
		return scripted.New(replies, scripted.Options{}), nil
	}
	return nil, fmt.Errorf("there is no kind of agent `%s`; there are `command` and `scripted`", c.Kind)
}

// absent is an agent that another one uses and that is not there.
type absent struct{ name string }

// Capabilities implements agent.Agent.
func (absent) Capabilities() agent.Capabilities { return agent.Capabilities{} }

// Turn implements agent.Agent.
func (a absent) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	return nil, &flow.Failure{Class: flow.ClassFatal, Reason: agent.ReasonAgent, ExitCode: -1, Message: fmt.Sprintf(
		"Node '%s' asks agent `%s`, which uses `%s`, which is not set up. Set it up with --agent %s=command:PROGRAM", r.Key, r.Agent, a.name, a.name)}
}
