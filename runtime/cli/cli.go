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
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/tuning"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	_ "github.com/wfc-lang/wfc/runtime/sandbox" // its init restarts the process with `report`
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/trigger"
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
	OpenStore func(ctx context.Context, dir string) (store.Store, error)
	// OpenDatabase, instead of OpenStore, opens the store in the database of a
	// URL, which the command line or the environment gives.
	OpenDatabase func(ctx context.Context, url string) (store.Store, error)
	// Cluster, instead of OpenStore, runs the workflow on many machines: temporal.Cluster(),
	// of package runtime/engine/temporal.
	Cluster engine.Extension
	// MCP serves the workflow for the command mcp: mcp.Server(), of package runtime/mcp. It is
	// nil in a program that was built without it.
	MCP engine.Extension
	// Telemetry exports the traces of runs: otel.Exporter(), of package runtime/otel. It is nil in
	// a program that was built without it.
	Telemetry engine.Extension
	// Serve serves pages for the command serve: Pages(serve.Pages()), of package runtime/serve.
	// It is nil in a program that was built without it.
	Serve engine.Extension
	// Triggers start runs of the workflow while the command listen runs. Webhooks receives those
	// that are webhooks: webhooks.Server(), of package runtime/webhooks; nil if there are none.
	Triggers []trigger.Trigger
	Webhooks engine.Extension
	// Defaults are the settings of the project when the program was built; the command
	// line overrides them.
	Defaults settings.Project
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
	commandline.ReserveStack()
	tuning.Adapt()
	tuning.QuietMonitor()
	a := &app{&call{program: p, streams: Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, leaves: true, adopts: true}}
	a.gateToken, a.gateTokenFault = takeGateToken()
	a.actsFor = takeActor()
	defer process.Leave()
	return a.runCommandLine(os.Args[1:])
}

// Run runs a command line and returns its exit code. args are the arguments without the
// program's name.
func Run(p Program, args []string, s Streams) int {
	a := &app{&call{program: p, streams: s}}
	return a.runCommandLine(args)
}

func (a *app) runCommandLine(args []string) (code int) {
	a.argv = args
	a.caller, a.backend = whoCalls(a.program), backendOf(a.call)
	a.name = plain.Line(a.name)
	defer func() {
		if r := recover(); r != nil {
			code = a.reportError(&exitError{runerr.ExitFailed, fmt.Errorf("internal error: %v\n%s", r, debug.Stack())})
		}
	}()
	a.streams.Out, a.streams.Err = plain.NewWriter(a.streams.Out), plain.NewWriter(a.streams.Err)
	root := a.rootCommand(args)
	root.SetArgs(commandline.WithoutHelp(root, args))
	root.SetIn(a.streams.In)
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	err := root.ExecuteContext(context.Background())
	var exit *exitError
	switch {
	case err == nil:
		return runerr.ExitCompleted
	case errors.As(err, &exit):
		return a.reportError(exit)
	}
	// What is left is about the command line.
	return a.reportError(&exitError{runerr.ExitUsage, commandline.Explain(err)})
}

// reportError tells an error that was not told already, and returns its exit code.
// With --json it is the one document, too.
func (c *call) reportError(e *exitError) int {
	if e.err == nil {
		return e.code
	}
	text := c.maskSecrets(e.err.Error())
	fmt.Fprintf(c.streams.Err, "%s: %s\n", c.name, plain.Message(text))
	if c.json {
		// Standard error has said it if standard output cannot take it.
		_ = printJSON(c.streams.Out, errorDocument{SchemaVersion: schemaVersion, Error: text, ExitCode: e.code})
	}
	return e.code
}

// rootCommand builds the commands, or only the one whose name args begin with. Bare, the program
// helps.
func (a *app) rootCommand(args []string) *cobra.Command {
	def := a.program.Definition
	root := &cobra.Command{
		Use:   a.name,
		Short: format.FirstLine(def.Description),
		Long:  strings.TrimSpace(def.Description) + "\n\nThis is the workflow " + def.Name + ", built by wfc.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.Args = commandline.RequireSubcommand(root)
	root.PersistentFlags().StringVar(&a.stateFlag, "state", "", "")
	a.backend.addConnectionFlags(root.PersistentFlags())
	list := a.programCommands()
	if i := slices.IndexFunc(list, func(s subcommand) bool { return len(args) > 0 && s.name == args[0] }); i >= 0 {
		list = list[i : i+1]
		root.CompletionOptions.DisableDefaultCmd = true
	}
	for _, s := range list {
		cmd := s.command()
		if why := a.backend.refuseCommand(s.name); why != nil {
			cmd = refusedCommand(s.name, why)
		}
		if a.wfc {
			cmd.Annotations = map[string]string{commandline.PathAnnotation: a.commandLine(cmd.Name(), "")}
		}
		commandline.DescribeRunFlags(cmd)
		cmd.Use = a.usageLine(cmd.Use)
		root.AddCommand(cmd)
	}
	commandline.DescribeRunFlags(root)
	a.addCompletions(root)
	commandline.Setup(root, a.versionText())
	return root
}

// A subcommand is the constructor of a command.
type subcommand struct {
	name    string
	command func() *cobra.Command
}

// ofApp returns the constructor of a command of an app.
func ofApp(a *app, command func(*app) *cobra.Command) func() *cobra.Command {
	return func() *cobra.Command { return command(a) }
}

// programCommands are the commands of programs.
func (a *app) programCommands() []subcommand {
	return []subcommand{
		{"status", a.statusCommand}, {"list", a.listCommand}, {"approve", a.approveCommand}, {"reject", a.rejectCommand},
		{"answer", a.answerCommand}, {"respond", a.respondCommand}, {"signal", a.signalCommand}, {"wake", a.wakeCommand},
		{"cancel", a.cancelCommand}, {"graph", a.graphCommand}, {"info", a.infoCommand}, {"worker", a.workerCommand},
		{"waiting", a.waitingCommand}, {"run", a.runCommand}, {"resume", a.resumeCommand}, {"logs", a.logsCommand}, {"costs", a.costsCommand},
		{"trace", ofApp(a, traceCommand)}, {"top", ofApp(a, topCommand)}, {"export", ofApp(a, exportCommand)}, {"import", ofApp(a, importCommand)},
		{"prune", a.pruneCommand}, {"schedule", a.scheduleCommand}, {"listen", a.listenCommand}, {"mcp", a.mcpCommand}, {"serve", a.serveCommand},
	}
}

// builtBy is the version of wfc that built the program; the linker sets it.
var builtBy string

// versionText says which state of the workflow the program is, and what built it.
func (c *call) versionText() string {
	def := c.program.Definition
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

// failedError is an error of a command that could not do its work.
func failedError(err error) error {
	var exit *exitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	return &exitError{runerr.ExitFailed, err}
}

func usageError(format string, args ...any) error {
	return &exitError{runerr.ExitUsage, fmt.Errorf(format, args...)}
}

// An unsupportedError says what the engine of a program cannot do, and why.
type unsupportedError struct{ reason string }

func (e *unsupportedError) Error() string { return e.reason }

// refusedCommand says in place of a command why the program does not have it.
func refusedCommand(verb string, why error) *cobra.Command {
	return &cobra.Command{
		Use: verb, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return &exitError{runerr.ExitUsage, why} },
	}
}
