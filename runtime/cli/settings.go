package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// runSettings are the flags that say how a run is run. They are kept with the run,
// so that resume needs none of them again.
type runSettings struct {
	// Agents are as --agent gives them, with absolute paths.
	Agents      []string `json:"agents,omitempty"`
	BaseBranch  string   `json:"base_branch,omitempty"`
	MaxParallel int      `json:"max_parallel,omitempty"`
	// MaxCost and MaxTokens limit the run; 0 is no limit, and nil that of the
	// project.
	MaxCost   *float64 `json:"max_cost,omitempty"`
	MaxTokens *int64   `json:"max_tokens,omitempty"`
	// MaxIterations and MaxMinutes replace limits of a state graph; 0 is no limit,
	// and nil that of the workflow.
	MaxIterations *int     `json:"max_iterations,omitempty"`
	MaxMinutes    *float64 `json:"max_minutes,omitempty"`
	// Record and Replay are absolute paths of recordings, one of them "".
	Record string `json:"record,omitempty"`
	Replay string `json:"replay,omitempty"`
	// Strict replays nothing that is not asked as it was recorded.
	Strict bool `json:"replay_strict,omitempty"`
	// SessionKey names the conversation that a run was begun in, such as
	// "slack:C042:U7"; no flag gives it.
	SessionKey string `json:"session_key,omitempty"`
	// Gates is what answers to the run's questions need, or "" for settings.GatesAny, and
	// GateToken what is kept of the token. A run keeps what it was begun with.
	Gates     string           `json:"gates,omitempty"`
	GateToken *human.TokenHash `json:"gate_token,omitempty"`
}

// check checks what was given, for a workflow with the known agents.
func (s *runSettings) check(known []string) error {
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
		if c.Program, err = absolute(c); err != nil {
			return failed(err)
		}
		s.Agents[i] = c.Name + "=" + c.Kind + after(":", c.Program)
	}
	return s.checkTapes()
}

// checkTapes checks what was given of recordings.
func (s *runSettings) checkTapes() error {
	switch {
	case s.Record != "" && s.Replay != "":
		return usage("`--record` and `--replay` exclude each other: what is replayed is recorded already")
	case s.Strict && s.Replay == "":
		return usage("`--replay-strict` is for `--replay`")
	}
	for _, path := range []*string{&s.Record, &s.Replay} {
		if *path == "" {
			continue
		}
		whole, err := filepath.Abs(*path)
		if err != nil {
			return failed(err)
		}
		*path = whole
	}
	return nil
}

// over returns the settings that were kept with a run, with those that were
// given now in their place; agents are replaced one by one.
func (s runSettings) over(kept json.RawMessage) (runSettings, error) {
	if len(kept) == 0 {
		return s, nil
	}
	var old runSettings
	if err := json.Unmarshal(kept, &old); err != nil {
		return s, fmt.Errorf("the settings kept with the run: %w", plain.JSONError(err, ""))
	}
	s.Agents = append(old.Agents, s.Agents...) // the last choice counts
	s.BaseBranch = cmp.Or(s.BaseBranch, old.BaseBranch)
	s.MaxParallel = cmp.Or(s.MaxParallel, old.MaxParallel)
	s.MaxCost = cmp.Or(s.MaxCost, old.MaxCost)
	s.MaxTokens = cmp.Or(s.MaxTokens, old.MaxTokens)
	s.MaxIterations = cmp.Or(s.MaxIterations, old.MaxIterations)
	s.MaxMinutes = cmp.Or(s.MaxMinutes, old.MaxMinutes)
	s.SessionKey = cmp.Or(s.SessionKey, old.SessionKey)
	s.Gates, s.GateToken = old.Gates, old.GateToken
	if s.Record == "" && s.Replay == "" {
		s.Record, s.Replay, s.Strict = old.Record, old.Replay, old.Strict || s.Strict
	}
	return s, nil
}

func (s runSettings) encode() json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts and numbers encode
	}
	return text
}

// limits are the run's: l, the project's, with those that were given in their place. A
// state graph looks at its limit of cost itself, between two nodes.
func (s runSettings) limits(l settings.Limits, graph bool) settings.Limits {
	switch {
	case s.MaxCost != nil && graph:
		l.CostUSD = 0
	case s.MaxCost != nil:
		l.CostUSD = *s.MaxCost
	}
	if s.MaxTokens != nil {
		l.Tokens = *s.MaxTokens
	}
	return l
}

// graphLimits returns a graph's limits with those that were given in their place, or nil
// when none was.
func (s *runSettings) graphLimits(own flow.GraphLimits) *flow.GraphLimits {
	if s.MaxIterations == nil && s.MaxMinutes == nil && s.MaxCost == nil {
		return nil
	}
	if s.MaxIterations != nil {
		own.Iterations = *s.MaxIterations
	}
	if s.MaxMinutes != nil {
		own.Time = time.Duration(*s.MaxMinutes * float64(time.Minute))
	}
	if s.MaxCost != nil {
		own.CostUSD = *s.MaxCost
	}
	return &own
}

// kinds are the kinds of agents that the program was built with; a workflow
// without prompts has none.
func (p *Program) kinds() []string {
	if p.Prompts == nil || len(p.agents()) == 0 {
		return nil
	}
	prompts, err := p.Prompts(engine.Agents{})
	if err != nil {
		return []string{settings.KindCommand, settings.KindScripted} // no choice is no wrong choice
	}
	return prompts.AgentKinds()
}

// withoutOwn are the kinds that not every program has.
func withoutOwn(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == settings.KindCommand || k == settings.KindScripted })
}

// agents are the agents that the workflow asks, or one that its runs can begin.
func (p *Program) agents() []string {
	var names []string
	for _, def := range definitions(p.Definition) {
		for _, name := range def.Agents {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// usesBaseBranch reports whether the workflow reads the base branch, or one that its runs
// can begin does.
func (p *Program) usesBaseBranch() bool {
	return slices.ContainsFunc(definitions(p.Definition), func(def *flow.Definition) bool { return def.UsesBaseBranch })
}

// agentNames are the names that --agent may give: those that the workflow has,
// and those that the project's agents for it use.
func (p *Program) agentNames() []string {
	names := p.agents()
	for _, c := range p.Defaults.Agents {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
		if c.Use != "" && !slices.Contains(names, c.Use) {
			names = append(names, c.Use)
		}
	}
	return names
}

// choice reads one --agent.
func choice(given string) (settings.Agent, error) {
	name, behind, ok := strings.Cut(given, "=")
	kind, argument, full := strings.Cut(behind, ":")
	own := kind == settings.KindCommand || kind == settings.KindScripted
	if !ok || name == "" || kind == "" || (full || own) && argument == "" {
		return settings.Agent{}, usage("`--agent %s` is not of the form NAME=command:PROGRAM, NAME=scripted:FILE, NAME=KIND or NAME=KIND:PROGRAM", given)
	}
	if kind == "use" {
		return settings.Agent{}, usage("`--agent %s`: that an agent is another one is said in wfc.yaml (`use`)", given)
	}
	return settings.Agent{Name: name, Kind: kind, Program: argument}, nil
}

// absolute makes the path in a choice absolute, for the run may be resumed from
// another folder. A program without a slash is looked up on PATH.
func absolute(c settings.Agent) (string, error) {
	if c.Kind == settings.KindScripted {
		return filepath.Abs(c.Program)
	}
	program, args, _ := strings.Cut(c.Program, " ")
	if !strings.ContainsAny(program, `/\`) {
		return c.Program, nil
	}
	path, err := filepath.Abs(program)
	return path + after(" ", args), err
}
