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
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/internal/exitcode"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// Main runs the command line of this process, os.Args, and returns its exit code. Pass the
// code to os.Exit at once: Main does not close the store and the files that it opened. To
// run a command line inside a longer program, use Run.
func Main(p Program) int {
	commandline.ReserveStack()
	a := &app{program: p, streams: Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, leaves: true, adopts: true, gateToken: takeGateToken()}
	return a.run(os.Args[1:])
}

// Run runs a command line and returns its exit code. args are the arguments without the
// program's name.
func Run(p Program, args []string, s Streams) int {
	a := &app{program: p, streams: s}
	return a.run(args)
}

func (a *app) run(args []string) (code int) {
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
	root.Args = commandline.RequireSubcommand(root, closest)
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
	commandline.Setup(root, a.version(), closest)
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
	return append(list, subcommand{"run", a.runCommand}, subcommand{"resume", a.resumeCommand}, subcommand{"logs", a.logsCommand},
		subcommand{"prune", a.pruneCommand}, subcommand{"schedule", a.scheduleCommand}, subcommand{"mcp", a.mcpCommand})
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
