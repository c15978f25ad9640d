// Package choice makes the performer of prompts from what a command line says
// stands behind the agents of a workflow.
package choice

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/command"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// Performer returns the function that makes the performer of prompts for given
// choices. check validates structured replies: structured.Check; it may be nil
// only in a program whose prompts have no schema.
//
// A choice of kind "command" has a program and its arguments. Without Args they
// are set apart by blanks: there is no quoting, so a path with blanks needs a
// small script around it. One of kind "scripted" has a file of replies. When a name is
// chosen twice, the later choice counts. When one agent is chosen and no other,
// it also answers prompts that name no agent.
//
// A prompt whose agent is not chosen fails when it is performed, not before:
// its node may never run.
func Performer(check agent.Check) func([]engine.AgentChoice) (engine.Performer, error) {
	return func(choices []engine.AgentChoice) (engine.Performer, error) {
		s := agent.Settings{Agents: make(map[string]agent.Agent, len(choices)), Check: check}
		for _, c := range choices {
			a, err := open(c)
			if err != nil {
				return nil, fmt.Errorf("agent `%s`: %w", c.Name, err)
			}
			s.Agents[c.Name] = a
		}
		if len(s.Agents) == 1 {
			s.Default = choices[0].Name
		}
		return agent.New(s), nil
	}
}

func open(c engine.AgentChoice) (agent.Agent, error) {
	switch c.Kind {
	case "command":
		words := append([]string{c.Argument}, c.Args...)
		if len(c.Args) == 0 {
			words = strings.Fields(c.Argument)
		}
		if len(words) == 0 || words[0] == "" {
			return nil, fmt.Errorf("no program is given; write %s=command:PROGRAM", c.Name)
		}
		return command.New(words[0], words[1:]...), nil
	case "scripted":
		replies, err := scripted.Read(c.Argument)
		if err != nil {
			return nil, err
		}
		return scripted.New(replies, scripted.Options{}), nil
	}
	return nil, fmt.Errorf("there is no kind of agent `%s`; there are `command` and `scripted`", c.Kind)
}
