// Package cli is the command line of a built workflow. A generated main is one call:
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{
//			Definition: &Workflow,
//			Performers: []engine.Performer{&shell.Performer{}},
//			OpenStore:  entstore.OpenState,
//		}))
//	}
//
// Results go to standard output and progress to standard error. The exit code says how a
// run ended: 0 completed, 1 failed, 2 wrong command line, 3 paused, 4 cancelled, 5 limit
// reached, 6 a state graph has ended, but none of its completion conditions holds, 129,
// 130 or 143 ended by a signal.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/exitcode"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/processors"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Program has the workflow and the parts that it needs, and nothing else; so a binary
// links only these.
type Program struct {
	// Definition is the workflow.
	Definition *flow.Definition
	// Needs are the programs that every run starts unless a step fails before, and MayNeed
	// further ones, each with the key of a step that starts it. A run looks for them before
	// it starts: without those of Needs, it does not. The key "" is the run's worktree.
	Needs, MayNeed map[string]string
	// Performers perform the workflow's actions, except prompts: one performer for each
	// kind of payload that the workflow has. Package runtime/engine lists the kinds and
	// their performers.
	Performers []engine.Performer
	// Prompts makes the performer of prompts, given the agents that the command
	// line chose; nil when the workflow has no prompts.
	Prompts func(engine.Agents) (engine.PromptPerformer, error)
	// OpenStore opens the store in a state folder. Commands that need no runs do
	// not call it.
	OpenStore func(ctx context.Context, f state.Folder) (store.Store, error)
	// OpenDatabase, instead of OpenStore, opens the store in the database of a
	// URL, which the command line or the environment gives.
	OpenDatabase func(ctx context.Context, url string) (store.Store, error)
	// Cluster, instead of OpenStore, connects to the Temporal cluster that runs the
	// workflow. It must be temporal.Open (package runtime/engine/temporal) or nil: no other
	// package can make a value of its opaque type.
	Cluster cluster.Open
	// MCP serves the workflow, for the command mcp, to the client at the other end
	// of in and out until the client leaves or ctx is done. It is nil in a program
	// that was built without it.
	MCP func(ctx context.Context, s Service, in io.Reader, out io.Writer) error
	// Defaults are the settings of the project when the program was built; the command
	// line overrides them.
	Defaults settings.Project
}

// A Service offers the commands run, resume, status, list and cancel of a program to a
// server, without a terminal. Start and Resume do not wait for the end of the run; Cancel
// does. A Service cannot answer questions of runs: for that a person uses the commands
// approve, reject and answer.
//
// Its methods are safe for concurrent use. Their errors are for people. The name of
// a run is its id, a prefix of one, or `latest`.
type Service interface {
	// Definition returns the workflow.
	Definition() *flow.Definition
	// Log returns the log of the service, which does not reach clients.
	Log() *slog.Logger
	// Start begins a run and returns its id as soon as the store has the run. chatKey is
	// the key of the chat from which somebody starts the run, such as `slack:C123:U456`, or
	// "": a result without other targets goes to this chat (see target.Resolve).
	Start(ctx context.Context, inputs map[string]json.RawMessage, chatKey string) (id string, err error)
	// Resume resumes a run and returns its id when a process has taken it up. It
	// does not perform completed steps again, and answers no question.
	Resume(ctx context.Context, name string) (id string, err error)
	// Cancel ends a run as cancelled and returns its id when it has ended.
	Cancel(ctx context.Context, name string) (id string, err error)
	// Status returns a run with its steps: the JSON object that the command status prints
	// with --json, with masked secrets.
	Status(ctx context.Context, name string) (json.RawMessage, error)
	// List returns the last runs of the workflow, newest first, without their steps: a
	// JSON array of such objects. limit is the maximum number, 0 is no limit. status
	// selects the runs with this status; "" selects all.
	List(ctx context.Context, limit int, status flow.Status) (json.RawMessage, error)
}

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs the command line of this process, os.Args, and returns its exit code. Pass the
// code to os.Exit at once: Main does not close the store and the files that it opened. To
// run a command line inside a longer program, use Run.
func Main(p Program) int {
	sandbox.Main()
	commandline.ReserveStack()
	processors.Adapt()
	a := &app{program: p, streams: Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, leaves: true, adopts: true}
	a.gateToken, a.gateTokenFault = takeGateToken()
	defer process.Leave()
	return a.run(os.Args[1:])
}

// Run runs a command line and returns its exit code. args are the arguments without the
// program's name.
func Run(p Program, args []string, s Streams) int {
	a := &app{program: p, streams: s}
	return a.run(args)
}

func (a *app) run(args []string) (code int) {
	a.argv = args
	a.caller, a.nodes = whoCalls(a.program), &nodeIndex{}
	a.name = plain.Line(a.name)
	defer func() {
		if r := recover(); r != nil {
			code = a.fail(&exitError{exitcode.Failed, fmt.Errorf("internal error: %v\n%s", r, debug.Stack())})
		}
	}()
	a.streams.Out, a.streams.Err = plain.NewWriter(a.streams.Out), plain.NewWriter(a.streams.Err)
	root := a.root(args)
	root.SetArgs(args)
	root.SetIn(a.streams.In)
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	err := root.ExecuteContext(context.Background())
	var exit *exitError
	switch {
	case err == nil:
		return exitcode.Completed
	case errors.As(err, &exit):
		return a.fail(exit)
	}
	// What is left is about the command line.
	return a.fail(&exitError{exitcode.Usage, commandline.Explain(err)})
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

// root builds the commands, or only the one whose name args begin with. Bare, the program
// helps.
func (a *app) root(args []string) *cobra.Command {
	def := a.program.Definition
	root := &cobra.Command{
		Use:   a.name,
		Short: format.FirstLine(def.Description),
		Long:  strings.TrimSpace(def.Description) + "\n\nThis is the workflow " + def.Name + ", built by wfc.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.Args = commandline.RequireSubcommand(root, plain.Nearest)
	root.PersistentFlags().StringVar(&a.stateFlag, "state", "", "`FOLDER` that keeps the runs (default: WFC_STATE or the checkout's)")
	if a.program.OpenDatabase != nil {
		a.addDatabase(root.PersistentFlags())
	}
	if a.program.Cluster != nil {
		a.cluster.add(root.PersistentFlags())
	}
	list := a.commands()
	if i := slices.IndexFunc(list, func(s subcommand) bool { return len(args) > 0 && s.name == args[0] }); i >= 0 {
		list = list[i : i+1]
		root.CompletionOptions.DisableDefaultCmd = true
	}
	for _, s := range list {
		cmd := s.command()
		if a.wfc {
			cmd.Annotations = map[string]string{commandline.PathAnnotation: a.command(cmd.Name(), "")}
		}
		cmd.Use = a.use(cmd.Use)
		root.AddCommand(cmd)
	}
	a.complete(root)
	commandline.Setup(root, a.version(), plain.Nearest)
	return root
}

// A subcommand is the constructor of a command.
type subcommand struct {
	name    string
	command func() *cobra.Command
}

// commands are the commands of the program. One that is built for a cluster has other forms
// of those that begin and perform runs.
func (a *app) commands() []subcommand {
	list := []subcommand{
		{"status", a.statusCommand}, {"list", a.listCommand}, {"approve", a.approveCommand}, {"reject", a.rejectCommand},
		{"answer", a.answerCommand}, {"respond", a.respondCommand}, {"signal", a.signalCommand}, {"wake", a.wakeCommand},
		{"cancel", a.cancelCommand}, {"graph", a.graphCommand}, {"info", a.infoCommand},
	}
	if a.program.Cluster != nil {
		return append(list, subcommand{"run", a.clusterRunCommand}, subcommand{"resume", a.clusterResumeCommand}, subcommand{"logs", a.clusterLogsCommand},
			subcommand{"prune", a.clusterPruneCommand}, subcommand{"schedule", a.clusterScheduleCommand}, subcommand{"worker", a.workerCommand})
	}
	list = append(list, subcommand{"worker", noWorkerCommand})
	return append(list, subcommand{"run", a.runCommand}, subcommand{"resume", a.resumeCommand}, subcommand{"logs", a.logsCommand},
		subcommand{"prune", a.pruneCommand}, subcommand{"schedule", a.scheduleCommand}, subcommand{"mcp", a.mcpCommand})
}

// noWorkerCommand says in place of the command worker why the program does not have it.
func noWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "worker", Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return usage("this program performs its runs itself: only programs of `wfc build --engine temporal` have the command `worker`")
		},
	}
}

// builtBy is the version of wfc that built the program; the linker sets it.
var builtBy string

// version says which state of the workflow the program is, and what built it.
func (a *app) version() string {
	def := a.program.Definition
	text := fmt.Sprintf("%.12s %s %s/%s", def.Fingerprint, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if builtBy != "" {
		text += ", built by wfc " + builtBy
	}
	return text
}

// exitError is an error with its exit code. A nil err was already reported.
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
	return &exitError{exitcode.Failed, err}
}

func usage(format string, args ...any) error {
	return &exitError{exitcode.Usage, fmt.Errorf(format, args...)}
}
