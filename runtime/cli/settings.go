package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/engine"
)

// settings are the flags that say how a run is run. They are kept with the run,
// so that resume needs none of them again.
type settings struct {
	// Agents are as --agent gives them, with absolute paths.
	Agents      []string `json:"agents,omitempty"`
	BaseBranch  string   `json:"base_branch,omitempty"`
	MaxParallel int      `json:"max_parallel,omitempty"`
}

// add adds the flags.
func (s *settings) add(flags *pflag.FlagSet, usesBaseBranch bool, hasAgents bool) {
	if hasAgents {
		flags.StringArrayVar(&s.Agents, "agent", nil, "what stands behind an agent: `NAME=command:PROGRAM` (arguments may follow) or NAME=scripted:FILE; repeatable")
	}
	if usesBaseBranch {
		flags.StringVar(&s.BaseBranch, "base-branch", "", "`BRANCH` that changes are made against (default: the default branch of the remote origin)")
	}
	flags.IntVar(&s.MaxParallel, "max-parallel", 0, "how many steps run at once (default: four for each processor)")
}

// check checks what was given, for a workflow with the known agents.
func (s *settings) check(known []string) error {
	if s.MaxParallel < 0 {
		return usage("`--max-parallel %d`: give a positive number, or leave it out", s.MaxParallel)
	}
	for i, given := range s.Agents {
		c, err := choice(given)
		if err != nil {
			return err
		}
		if !slices.Contains(known, c.Name) {
			return usage("`--agent %s`: the workflow has no agent `%s`; it has: %s", given, c.Name, strings.Join(known, ", "))
		}
		if c.Argument, err = absolute(c); err != nil {
			return failed(err)
		}
		s.Agents[i] = c.Name + "=" + c.Kind + ":" + c.Argument
	}
	return nil
}

// agentNames are the names that --agent may give: those that the workflow has,
// and those that the project's agents for it use.
func (p *Program) agentNames() []string {
	names := slices.Clone(p.Definition.Agents)
	for _, c := range p.Defaults.Agents {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
		if c.Kind == "use" && !slices.Contains(names, c.Argument) {
			names = append(names, c.Argument)
		}
	}
	return names
}

// choice reads one --agent.
func choice(given string) (engine.AgentChoice, error) {
	name, behind, ok := strings.Cut(given, "=")
	kind, argument, ok2 := strings.Cut(behind, ":")
	if !ok || !ok2 || name == "" || kind == "" || argument == "" {
		return engine.AgentChoice{}, usage("`--agent %s` is not of the form NAME=command:PROGRAM or NAME=scripted:FILE", given)
	}
	return engine.AgentChoice{Name: name, Kind: kind, Argument: argument}, nil
}

// absolute makes the path in a choice absolute, for the run may be resumed from
// another folder. A program without a slash is looked up on PATH.
func absolute(c engine.AgentChoice) (string, error) {
	switch c.Kind {
	case "scripted":
		return filepath.Abs(c.Argument)
	case "command":
		program, args, _ := strings.Cut(c.Argument, " ")
		if !strings.ContainsAny(program, `/\`) {
			return c.Argument, nil
		}
		path, err := filepath.Abs(program)
		if err != nil || args == "" {
			return path, err
		}
		return path + " " + args, nil
	}
	return c.Argument, nil
}

// over returns the settings that were kept with a run, with those that were
// given now in their place; agents are replaced one by one.
func (s settings) over(kept json.RawMessage) (settings, error) {
	if len(kept) == 0 {
		return s, nil
	}
	var old settings
	if err := json.Unmarshal(kept, &old); err != nil {
		return s, fmt.Errorf("the settings kept with the run: %w", err)
	}
	s.Agents = append(old.Agents, s.Agents...) // the last choice counts
	if s.BaseBranch == "" {
		s.BaseBranch = old.BaseBranch
	}
	if s.MaxParallel == 0 {
		s.MaxParallel = old.MaxParallel
	}
	return s, nil
}

func (s settings) encode() json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts and numbers encode
	}
	return text
}

// choices are the agents to be used: the project's, and those that were given
// in their place.
func (s settings) choices(defaults []engine.AgentChoice) ([]engine.AgentChoice, error) {
	list := slices.Clone(defaults)
	for _, given := range s.Agents {
		c, err := choice(given)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(old engine.AgentChoice) bool {
			if old.Name != c.Name {
				return false
			}
			// The project's settings are for the name, whatever answers to it.
			c.Model, c.SystemPrompt = old.Model, old.SystemPrompt
			return true
		})
		list = append(list, c)
	}
	return list, nil
}
