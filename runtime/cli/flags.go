package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// runFlags are the flags of run and resume.
type runFlags struct {
	runSettings
	jsonl, quiet bool
	// noAsk leaves questions open rather than asking at the terminal.
	noAsk bool
	// unchecked begins without asking whether agents and programs are there.
	unchecked bool
	// force moves a run that is resumed to this build.
	force bool
	// cancels says that a run is resumed only to be cancelled.
	cancels bool
	// repeats says that a run repeats steps that have completed.
	repeats bool
}

func (f *runFlags) addToCommand(c *call, cmd *cobra.Command) {
	f.addSettings(c, cmd, "do not check agents and programs first")
	c.jsonFlag(cmd)
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "")
	cmd.Flags().BoolVar(&f.noAsk, "no-ask", false, "")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl")
}

// addSettings adds the flags of settings, which are all that a server has.
func (f *runFlags) addSettings(c *call, cmd *cobra.Command, unchecked string) {
	def, kinds := c.program.Definition, c.program.agentKinds()
	f.runSettings.addToFlagSet(cmd.Flags(), c.program.usesBaseBranch(), kinds)
	if def.Graph != nil {
		f.runSettings.addLimits(cmd.Flags())
	}
	if len(kinds)+len(c.program.Needs) > 0 {
		cmd.Flags().BoolVar(&f.unchecked, "skip-agent-check", false, unchecked)
	}
}

// runSettings are the flags that say how a run is run. They are kept with the run,
// so that resume needs none of them again.
type runSettings struct {
	// Agents are as --agent gives them, with absolute paths.
	Agents      []string `json:"agents,omitempty"`
	BaseBranch  string   `json:"base_branch,omitempty"`
	MaxParallel int      `json:"max_parallel,omitempty"`
	// MaxCost and MaxTokens limit the run; 0 means no limit, and nil that of the
	// project.
	MaxCost   *float64 `json:"max_cost,omitempty"`
	MaxTokens *int64   `json:"max_tokens,omitempty"`
	// MaxIterations and MaxMinutes replace limits of a state graph; 0 means no limit,
	// and nil that of the workflow.
	MaxIterations *int     `json:"max_iterations,omitempty"`
	MaxMinutes    *float64 `json:"max_minutes,omitempty"`
	// Sandbox is the mode of all steps, or "" for the modes of the project. Grants are names
	// of grants in addition to those of the project.
	Sandbox string   `json:"sandbox,omitempty"`
	Grants  []string `json:"grants,omitempty"`
	// Record and Replay are absolute paths of recordings, one of them "".
	Record string `json:"record,omitempty"`
	Replay string `json:"replay,omitempty"`
	// Strict replays nothing that is not asked as it was recorded.
	Strict bool `json:"replay_strict,omitempty"`
	// SessionKey names the conversation that a run was begun in, such as
	// "slack:C042:U7"; no flag gives it.
	SessionKey string `json:"session_key,omitempty"`
	// Trigger is what started the run, if a trigger did.
	Trigger *document.Trigger `json:"trigger,omitempty"`
	// Terms say which answers to the run's questions count.
	actions.Terms
}

// addToFlagSet adds the flags. kinds are the kinds of agents that there are; of a workflow
// without agents there are none.
func (s *runSettings) addToFlagSet(flags *pflag.FlagSet, usesBaseBranch bool, kinds []string) {
	if len(kinds) > 0 {
		s.addAgents(flags, kinds)
		flags.Var(number[float64]{&s.MaxCost, parseCost}, "max-cost", "")
		flags.Var(number[int64]{&s.MaxTokens, parseTokens}, "max-tokens", "")
		flags.StringVar(&s.Replay, "replay", "", "")
		flags.BoolVar(&s.Strict, "replay-strict", false, "")
	}
	flags.StringVar(&s.Record, "record", "", "")
	if usesBaseBranch {
		flags.StringVar(&s.BaseBranch, "base-branch", "", "")
	}
	flags.IntVar(&s.MaxParallel, "max-parallel", 0, "")
	flags.StringVar(&s.Sandbox, "sandbox", "", "")
	flags.Lookup("sandbox").NoOptDefVal = string(settings.SandboxOn) // so a mode follows an equals sign
	flags.StringArrayVar(&s.Grants, "grant", nil, "")
}

// addAgents adds the flag that chooses agents.
func (s *runSettings) addAgents(flags *pflag.FlagSet, kinds []string) {
	flags.StringArrayVar(&s.Agents, "agent", nil, "replace an agent: `NAME=KIND` or NAME=KIND:ARGUMENT; repeatable; kinds: command:PROGRAM, scripted:FILE"+
		prefixNonEmpty(", ", strings.Join(withoutOwn(kinds), ", ")))
}

// addLimits adds the flags of limits that only state graphs have.
func (s *runSettings) addLimits(flags *pflag.FlagSet) {
	flags.Var(number[int]{&s.MaxIterations, parseIterations}, "max-iterations", "")
	flags.Var(number[float64]{&s.MaxMinutes, parseMinutes}, "max-minutes", "")
}

// sandboxModes are the values of --sandbox.
var sandboxModes = []string{string(settings.SandboxOn), string(settings.SandboxReport), string(settings.SandboxOff)}

// checkValues checks what was given.
func (s *runSettings) checkValues(p *Program) error {
	if s.MaxParallel < 0 {
		return usageError("`--max-parallel %d`: give a positive number, or leave it out", s.MaxParallel)
	}
	if s.Sandbox != "" && !slices.Contains(sandboxModes, s.Sandbox) {
		return usageError("%s", plain.UnknownValue("sandbox", s.Sandbox, sandboxModes))
	}
	for _, name := range s.Grants {
		if names := grants.Names(p.Defaults.Sandbox.Sets); !slices.Contains(names, name) {
			return usageError("`--grant %s`: %s", name, plain.UnknownName("grant", name, names))
		}
	}
	known := p.agentNames()
	for i, given := range s.Agents {
		c, err := parseAgentChoice(given)
		if err != nil {
			return err
		}
		if !slices.Contains(known, c.Name) {
			return usageError("`--agent %s`: %s", given, plain.UnknownName("agent", c.Name, known))
		}
		if c.Program, err = absoluteProgram(c); err != nil {
			return failedError(err)
		}
		s.Agents[i] = c.Name + "=" + c.Kind + prefixNonEmpty(":", c.Program)
	}
	return s.checkTapes()
}

// checkTapes checks what was given of recordings.
func (s *runSettings) checkTapes() error {
	switch {
	case s.Record != "" && s.Replay != "":
		return usageError("`--record` and `--replay` exclude each other: a replay has a recording already")
	case s.Strict && s.Replay == "":
		return usageError("`--replay-strict` needs `--replay`")
	}
	for _, path := range []*string{&s.Record, &s.Replay} {
		if *path == "" {
			continue
		}
		whole, err := filepath.Abs(*path)
		if err != nil {
			return failedError(err)
		}
		*path = whole
	}
	return nil
}

// mergeOver returns the settings that were kept with a run, with those that were
// given now in their place; agents are replaced one by one.
func (s runSettings) mergeOver(kept json.RawMessage) (runSettings, error) {
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
	s.Sandbox, s.Grants = cmp.Or(s.Sandbox, old.Sandbox), slices.Concat(old.Grants, s.Grants)
	s.MaxCost = cmp.Or(s.MaxCost, old.MaxCost)
	s.MaxTokens = cmp.Or(s.MaxTokens, old.MaxTokens)
	s.MaxIterations = cmp.Or(s.MaxIterations, old.MaxIterations)
	s.MaxMinutes = cmp.Or(s.MaxMinutes, old.MaxMinutes)
	s.SessionKey = cmp.Or(s.SessionKey, old.SessionKey)
	s.Terms, s.Trigger = old.Terms, old.Trigger
	if s.Record == "" && s.Replay == "" {
		s.Record, s.Replay, s.Strict = old.Record, old.Replay, old.Strict || s.Strict
	}
	return s, nil
}

// lasting returns those of the settings that stay with a run if they are given when it continues:
// agents and limits.
func (s runSettings) lasting() runSettings {
	return runSettings{Agents: s.Agents, MaxCost: s.MaxCost, MaxTokens: s.MaxTokens, MaxIterations: s.MaxIterations, MaxMinutes: s.MaxMinutes}
}

// keptOf returns what a run that continues with the merged settings keeps of them, or nil if
// nothing of that was given now.
func (s runSettings) keptOf(merged runSettings) json.RawMessage {
	if given := s.lasting().encodeJSON(); string(given) == string(runSettings{}.encodeJSON()) {
		return nil
	}
	return merged.lasting().encodeJSON()
}

func (s runSettings) encodeJSON() json.RawMessage { return plain.MustEncodeJSON(s) }

// effectiveLimits are the run's: l, the project's, with those that were given in their place. A
// state graph looks at its limit of cost itself, between two nodes.
func (s runSettings) effectiveLimits(l settings.Limits, graph bool) settings.Limits {
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

// effectiveSandbox is the run's: that of the project, with what was given in its place.
func (s runSettings) effectiveSandbox(own settings.Sandbox) settings.Sandbox {
	return confine.Override(own, settings.SandboxMode(s.Sandbox), s.Grants)
}

// leavesSandbox refuses flags of the sandbox for a run on a cluster, whose workers have them.
func (s runSettings) leavesSandbox() error {
	if s.Sandbox == "" && s.Grants == nil {
		return nil
	}
	return &exitError{runerr.ExitUsage, &unsupportedError{"`--sandbox` and `--grant`: workers perform the steps of this run; give the flags to `worker`"}}
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

// number is a flag whose absence is told from zero.
type number[T any] struct {
	to    **T
	parse func(text string) (T, error)
}

// String implements pflag.Value.
func (n number[T]) String() string {
	if n.to == nil || *n.to == nil {
		return ""
	}
	return fmt.Sprint(**n.to)
}

// Set implements pflag.Value.
func (n number[T]) Set(text string) error {
	v, err := n.parse(text)
	*n.to = &v
	return err
}

// Type implements pflag.Value.
func (number[T]) Type() string { return "number" }

func parseCost(text string) (float64, error) {
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || usd < 0 || math.IsInf(usd, 0) || math.IsNaN(usd) {
		return 0, errors.New("give an amount of US dollars, such as 2.50")
	}
	return usd, nil
}

func parseTokens(text string) (int64, error) { return parseCount(text, "200000") }

func parseIterations(text string) (int, error) {
	n, err := parseCount(text, "20")
	return int(n), err
}

func parseCount(text, example string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("give an integer such as " + example)
	}
	return n, nil
}

func parseMinutes(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) || n > math.MaxInt64/float64(time.Minute) {
		return 0, errors.New("give a number of minutes, such as 90 or 0.5")
	}
	return n, nil
}

// jsonFlag adds --json.
func (c *call) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON document instead of text")
}

// atMostOneRun says which arguments commands on one run take.
func atMostOneRun(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError("`%s` takes one run, and %d were given", cmd.CommandPath(), len(args))
	}
	return nil
}

func firstOrEmpty(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// projectFlag adds the flag by which wfc has a program look at the runs of all
// workflows of the project.
func (c *call) projectFlag(cmd *cobra.Command, all *bool) {
	cmd.Flags().BoolVar(all, "project", false, "include the runs of all workflows of the project")
	if !c.wfc {
		return
	}
	_ = cmd.Flags().MarkHidden("project") // with wfc, no FILE means that
}

// workflowUnless returns the name of a workflow, or "" if a command is about the runs of all.
func workflowUnless(all bool, def *flow.Definition) string {
	if all {
		return ""
	}
	return def.Name
}

// A reading is what a command reads: the runs of the workflow, or of all, since a time.
type reading struct {
	all   bool
	since string
	begin time.Time
}

// addReading adds the flags of a command that reads the store, which read does.
func addReading(a *app, cmd *cobra.Command, r *reading, read func(ctx context.Context, s *session) error) {
	cmd.Args = commandline.NoArguments
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if r.begin, err = pastTime("since", r.since); err != nil {
			return err
		}
		s, err := openReading(cmd.Context(), a.call)
		if err != nil {
			return err
		}
		defer s.closeSession()
		return read(cmd.Context(), s)
	}
	cmd.Flags().StringVar(&r.since, "since", r.since, "")
	a.projectFlag(cmd, &r.all)
	a.jsonFlag(cmd)
}

// pastTime reads the value of a flag that means a time in the past; see commandline.PastTime.
func pastTime(flag, text string) (time.Time, error) {
	at, err := commandline.PastTime(flag, text)
	if err != nil {
		return at, usageError("%w", err)
	}
	return at, nil
}
