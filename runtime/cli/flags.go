package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runFlags are the flags of run and resume.
type runFlags struct {
	runSettings
	jsonl, quiet bool
	// noAsk leaves questions open rather than asking at the terminal.
	noAsk bool
	// unchecked begins without asking whether the agents could answer.
	unchecked bool
	// force moves a run that is resumed to this build.
	force bool
	// cancels says that a run is resumed only to be cancelled.
	cancels bool
}

func (f *runFlags) add(a *app, cmd *cobra.Command) {
	f.addSettings(a, cmd, "do not check agents first")
	a.jsonFlag(cmd)
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "print one JSON object per line as things happen")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	cmd.Flags().BoolVar(&f.noAsk, "no-ask", false, "pause at questions, even at a terminal")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl")
}

// addSettings adds the flags of settings, which are all that a server has.
func (f *runFlags) addSettings(a *app, cmd *cobra.Command, unchecked string) {
	def, kinds := a.program.Definition, a.program.kinds()
	f.runSettings.add(cmd.Flags(), a.program.usesBaseBranch(), kinds)
	if def.Graph != nil {
		f.runSettings.addLimits(cmd.Flags())
	}
	if len(kinds) > 0 {
		cmd.Flags().BoolVar(&f.unchecked, "skip-agent-check", false, unchecked)
	}
}

// add adds the flags. kinds are the kinds of agents that there are; of a workflow
// without agents there are none.
func (s *runSettings) add(flags *pflag.FlagSet, usesBaseBranch bool, kinds []string) {
	if len(kinds) > 0 {
		s.addAgents(flags, kinds)
		flags.Var(number[float64]{&s.MaxCost, parseCost}, "max-cost", "maximum cost of the run in `USD`; 0 is no limit")
		flags.Var(number[int64]{&s.MaxTokens, parseTokens}, "max-tokens", "maximum tokens `N` of the run; 0 is no limit")
		flags.StringVar(&s.Replay, "replay", "", "replay the replies of a `FILE`; ask no agent")
		flags.BoolVar(&s.Strict, "replay-strict", false, "with --replay: fail where a prompt, schema or model differs")
	}
	flags.StringVar(&s.Record, "record", "", "record replies, results of programs and answers in a `FILE`")
	if usesBaseBranch {
		flags.StringVar(&s.BaseBranch, "base-branch", "", "`BRANCH` that changes are compared with (default: that of origin)")
	}
	flags.IntVar(&s.MaxParallel, "max-parallel", 0, "maximum steps at once (default: the dialect's, or four per processor)")
}

// addAgents adds the flag that chooses agents.
func (s *runSettings) addAgents(flags *pflag.FlagSet, kinds []string) {
	flags.StringArrayVar(&s.Agents, "agent", nil, "replace an agent: `NAME=KIND` or NAME=KIND:ARGUMENT; repeatable; kinds: command:PROGRAM, scripted:FILE"+
		after(", ", strings.Join(withoutOwn(kinds), ", ")))
}

// addLimits adds the flags of limits that only state graphs have.
func (s *runSettings) addLimits(flags *pflag.FlagSet) {
	flags.Var(number[int]{&s.MaxIterations, parseIterations}, "max-iterations", "maximum nodes `N`, replacing the workflow's; 0 is no limit")
	flags.Var(number[float64]{&s.MaxMinutes, parseMinutes}, "max-minutes", "maximum minutes `N`, replacing the workflow's; 0 is no limit")
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

func parseTokens(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("give a whole number of tokens, such as 200000")
	}
	return n, nil
}

func parseIterations(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errors.New("give a whole number of nodes, such as 20")
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
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print one JSON document instead of text")
}

// atMostOneRun says which arguments commands on one run take.
func atMostOneRun(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("`%s` takes one run, and %d were given", cmd.CommandPath(), len(args))
	}
	return nil
}

func only(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// projectFlag adds the flag by which wfc has a program look at the runs of all
// workflows of the project.
func (a *app) projectFlag(cmd *cobra.Command, all *bool) {
	cmd.Flags().BoolVar(all, "project", false, "include the runs of all workflows of the project")
	if !a.wfc {
		return
	}
	_ = cmd.Flags().MarkHidden("project") // with wfc, no FILE means that
}

func (a *app) addDatabase(flags *pflag.FlagSet) {
	flags.StringVar(&a.databaseFlag, "database", "", "`URL` of the PostgreSQL database that keeps the runs (default: WFC_DATABASE_URL)")
}
