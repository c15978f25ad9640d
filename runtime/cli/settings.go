package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/engine"
)

// settings are the flags that say how a run is run. They are kept with the run,
// so that resume needs none of them again.
type settings struct {
	Agents      []string `json:"agents,omitempty"`
	BaseBranch  string   `json:"base_branch,omitempty"`
	MaxParallel int      `json:"max_parallel,omitempty"`
}

// add adds the flags.
func (s *settings) add(flags *pflag.FlagSet, usesBaseBranch bool, hasAgents bool) {
	if hasAgents {
		flags.StringArrayVar(&s.Agents, "agent", nil, "what stands behind an agent: `NAME=command:PROGRAM` or NAME=scripted:FILE; repeatable")
	}
	if usesBaseBranch {
		flags.StringVar(&s.BaseBranch, "base-branch", "", "branch that changes are made against (default: the default branch of the remote origin)")
	}
	flags.IntVar(&s.MaxParallel, "max-parallel", 0, "how many steps run at once (default: four for each processor)")
}

// over returns the settings of an earlier call with those that were given now
// in their place; agents are replaced one by one.
func (s settings) over(kept json.RawMessage) (settings, error) {
	if len(kept) == 0 {
		return s, nil
	}
	var old settings
	if err := json.Unmarshal(kept, &old); err != nil {
		return s, fmt.Errorf("the settings kept with the run: %w", err)
	}
	agents := old.Agents
	for _, given := range s.Agents {
		name, _, _ := strings.Cut(given, "=")
		agents = slices.DeleteFunc(agents, func(a string) bool { return strings.HasPrefix(a, name+"=") })
		agents = append(agents, given)
	}
	s.Agents = agents
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

// choices parses the agents.
func (s settings) choices(known []string) ([]engine.AgentChoice, error) {
	var list []engine.AgentChoice
	for _, given := range s.Agents {
		name, behind, ok := strings.Cut(given, "=")
		kind, argument, ok2 := strings.Cut(behind, ":")
		if !ok || !ok2 || name == "" || kind == "" || argument == "" {
			return nil, usage("`--agent %s` is not of the form NAME=command:PROGRAM or NAME=scripted:FILE", given)
		}
		if !slices.Contains(known, name) {
			return nil, usage("`--agent %s`: the workflow has no agent `%s`; it has: %s", given, name, strings.Join(known, ", "))
		}
		list = append(list, engine.AgentChoice{Name: name, Kind: kind, Argument: argument})
	}
	return list, nil
}
