// Package cli is the command line of a built workflow.
//
// Results go to standard output and progress to standard error. The exit code
// says how a run ended; see the Exit constants.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Exit codes of a built workflow.
const (
	// ExitCompleted: the run completed, or the command did what it should.
	ExitCompleted = 0
	// ExitFailed: the run failed, or the command could not do its work.
	ExitFailed = 1
	// ExitUsage: the command line is wrong.
	ExitUsage = 2
	// ExitPaused: the run waits for a person.
	ExitPaused = 3
	// ExitCancelled: the run was cancelled.
	ExitCancelled = 4
	// ExitLimit: the run reached a limit of its own.
	ExitLimit = 5
	// ExitInterrupt and ExitTerminate: a signal ended the command.
	ExitInterrupt = 130
	ExitTerminate = 143
)

// A Program is what a generated main hands over: the workflow and the parts
// that it uses. Nothing else is linked.
type Program struct {
	// Definition is the workflow.
	Definition *flow.Definition
	// Performers perform the workflow's kinds of nodes, except prompts.
	Performers []engine.Performer
	// Prompts makes the performer of prompts, given the agents that the command
	// line chose; nil when the workflow has no prompts.
	Prompts func([]engine.AgentChoice) (engine.Performer, error)
	// OpenStore opens the store in a state folder. Commands that need no runs do
	// not call it.
	OpenStore func(ctx context.Context, f state.Folder) (store.Store, error)
}

// Main runs the command line of this process and returns its exit code.
func Main(p Program) int {
	return Run(p, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs a command line and returns its exit code.
func Run(p Program, args []string, s Streams) (code int) {
	a := &app{program: p, streams: s, name: programName(p)}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(s.Err, "%s: internal error: %v\n", a.name, r)
			code = ExitFailed
		}
	}()
	root := a.root()
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := root.ExecuteContext(context.Background())
	var exit *exitError
	switch {
	case err == nil:
		return ExitCompleted
	case errors.As(err, &exit):
		if exit.err != nil {
			fmt.Fprintf(s.Err, "%s: %v\n", a.name, exit.err)
		}
		return exit.code
	default:
		// What is left are cobra's own complaints about the command line.
		fmt.Fprintf(s.Err, "%s: %s\n", a.name, strings.TrimSpace(err.Error()))
		return ExitUsage
	}
}

// exitError is an error with its exit code. A nil err was told already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{ExitFailed, err}
}

func usage(format string, args ...any) error {
	return &exitError{ExitUsage, fmt.Errorf(format, args...)}
}

// app is one call of the command line.
type app struct {
	program Program
	streams Streams
	name    string

	stateFlag string
	json      bool
}

func programName(p Program) string {
	if len(os.Args) > 0 && os.Args[0] != "" {
		name := strings.TrimSuffix(os.Args[0][strings.LastIndexAny(os.Args[0], `/\`)+1:], ".exe")
		if name != "" && name != "workflow" && !strings.HasSuffix(name, ".test") {
			return name
		}
	}
	return p.Definition.Name
}

// root builds the commands. Bare, the program helps.
func (a *app) root() *cobra.Command {
	def := a.program.Definition
	root := &cobra.Command{
		Use:           a.name,
		Short:         firstLine(def.Description),
		Long:          strings.TrimSpace(def.Description) + "\n\nThis is the workflow " + def.Name + ", built by wfc.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v\nsee `%s --help`", err, cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().StringVar(&a.stateFlag, "state", "", "folder that keeps the runs (default: one for this checkout in the user's state folder; or WFC_STATE)")
	root.AddCommand(a.runCommand(), a.resumeCommand(), a.statusCommand(), a.listCommand(), a.logsCommand(),
		a.cancelCommand(), a.graphCommand(), a.infoCommand())
	return root
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
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
