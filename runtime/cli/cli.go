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
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
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
	// ExitNoGoal: the run has ended, but none of its completion conditions holds.
	ExitNoGoal = 6
	// ExitHangup, ExitInterrupt and ExitTerminate: a signal ended the command.
	ExitHangup    = 129
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
	Prompts func(engine.Agents) (engine.Prompts, error)
	// OpenStore opens the store in a state folder. Commands that need no runs do
	// not call it.
	OpenStore func(ctx context.Context, f state.Folder) (store.Store, error)
	// OpenDatabase, instead of OpenStore, opens the store in the database of a
	// URL, which the command line or the environment gives.
	OpenDatabase func(ctx context.Context, url string) (store.Store, error)
	// MCP is the server behind the command mcp; nil when the program was built
	// without.
	MCP MCPServer
	// Defaults are the project's settings when it was built; the command line
	// goes before them.
	Defaults settings.Project
}

// Main runs the command line of this process and returns its exit code, with
// which the process is to end at once.
func Main(p Program) int {
	a := &app{program: p, streams: Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, leaves: true, adopts: true, gateToken: takeGateToken()}
	return a.run(os.Args[1:])
}

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs a command line and returns its exit code.
func Run(p Program, args []string, s Streams) int {
	a := &app{program: p, streams: s}
	return a.run(args)
}

func (a *app) run(args []string) (code int) {
	a.caller = whoCalls(a.program)
	a.name = plain.Line(a.name)
	defer func() {
		if r := recover(); r != nil {
			code = a.fail(&exitError{ExitFailed, fmt.Errorf("internal error: %v\n%s", r, debug.Stack())})
		}
	}()
	a.streams.Out, a.streams.Err = plain.NewWriter(a.streams.Out), plain.NewWriter(a.streams.Err)
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.streams.In)
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	err := root.ExecuteContext(context.Background())
	var exit *exitError
	switch {
	case err == nil:
		return ExitCompleted
	case errors.As(err, &exit):
		return a.fail(exit)
	}
	// What is left is about the command line.
	return a.fail(&exitError{ExitUsage, commandline.Explain(err)})
}

// fail tells an error that was not told already, and returns its exit code.
// With --json it is the one document, too.
func (a *app) fail(e *exitError) int {
	if e.err == nil {
		return e.code
	}
	text := a.mask(e.err.Error())
	fmt.Fprintf(a.streams.Err, "%s: %s\n", a.name, plain.Message(text))
	if a.json {
		// Standard error has said it if standard output cannot take it.
		_ = printJSON(a.streams.Out, errorDocument{SchemaVersion: schemaVersion, Error: text, ExitCode: e.code})
	}
	return e.code
}

// exitError is an error with its exit code. A nil err was told already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }

func (e *exitError) Unwrap() error { return e.err }

// failed is an error of a command that could not do its work.
func failed(err error) error {
	var exit *exitError
	if err == nil || errors.As(err, &exit) {
		return err
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
	caller
	// leaves says that the process ends with the command. Then the store is not
	// closed: everything in it is durable, and closing it costs a program of one
	// small step a fifth of its time.
	leaves bool
	// adopts says that the process may become the parent of what its children leave
	// behind, so that it is known to be the run's. It is a property of the whole
	// process, so only a program that is nothing but this command line sets it.
	adopts bool

	// gateToken is the gate token that the environment gives, or "", and
	// shownToken the one that this process made and has shown at the terminal.
	gateToken, shownToken string

	stateFlag string
	// databaseFlag is the database's URL that --database gives, or "".
	databaseFlag string
	json         bool
}

// programNames returns the program's name and how it was called. One that was
// built only to be run is known by its workflow.
func programNames(p Program) (name, typed string) {
	if len(os.Args) == 0 || os.Args[0] == "" {
		return p.Definition.Name, p.Definition.Name
	}
	typed = os.Args[0]
	name = strings.TrimSuffix(typed[strings.LastIndexAny(typed, `/\`)+1:], ".exe")
	if name == "" || name == "workflow" {
		name = p.Definition.Name
	}
	return name, plain.ShellWord(typed)
}

// root builds the commands. Bare, the program helps.
func (a *app) root() *cobra.Command {
	def := a.program.Definition
	root := &cobra.Command{
		Use:   a.name,
		Short: firstLine(def.Description),
		Long:  strings.TrimSpace(def.Description) + "\n\nThis is the workflow " + def.Name + ", built by wfc.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.Args = commandline.Names(root, closest)
	root.PersistentFlags().StringVar(&a.stateFlag, "state", "", "`FOLDER` that keeps the runs (default: WFC_STATE or the checkout's)")
	if a.program.OpenDatabase != nil {
		a.addDatabase(root.PersistentFlags())
	}
	for _, cmd := range []*cobra.Command{
		a.runCommand(), a.resumeCommand(), a.statusCommand(), a.listCommand(), a.logsCommand(),
		a.approveCommand(), a.rejectCommand(), a.answerCommand(), a.cancelCommand(), a.pruneCommand(), a.graphCommand(), a.infoCommand(), a.scheduleCommand(), a.mcpCommand(),
	} {
		if a.wfc {
			cmd.Annotations = map[string]string{commandline.PathAnnotation: a.command(cmd.Name(), "")}
		}
		cmd.Use = a.use(cmd.Use)
		root.AddCommand(cmd)
	}
	a.complete(root)
	commandline.Setup(root, a.version(), closest)
	return root
}

// firstLine is the first line of a text, as it may be shown in any line.
func firstLine(text string) string { return plain.First(text) }

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

// projectFlag adds the flag by which wfc has a program look at the runs of all
// workflows of the project.
func (a *app) projectFlag(cmd *cobra.Command, all *bool) {
	cmd.Flags().BoolVar(all, "project", false, "include the runs of all workflows of the project")
	if !a.wfc {
		return
	}
	_ = cmd.Flags().MarkHidden("project") // with wfc, no FILE means that
}

func only(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
