// Package cli is the command line of wfc. Each command, one a file, reads its flags and turns
// an outcome into output and an exit code. The work is done by other packages, except for what
// only commands do: they find projects, workflows, programs and runs, and pass commands on runs
// to the program that has the run.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// The exit codes of wfc.
const (
	// ExitClean: there are no findings, or only warnings and notes.
	ExitClean = 0
	// ExitFindings: there are errors in a workflow, or generated files are
	// stale.
	ExitFindings = 1
	// ExitUsage: the command line is wrong, or a file cannot be read or
	// written.
	ExitUsage = 2
	// ExitInternal: wfc itself failed.
	ExitInternal = 3
	// ExitInterrupted: a signal ended a build.
	ExitInterrupted = 130
	// ExitNotRun: a command that starts or continues a run could not start the
	// workflow, although the command line is right. All other codes of these
	// commands but ExitUsage are the workflow's own.
	ExitNotRun = 125
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// An exitError ends a command with an exit code. Without a message the command
// has already said everything.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// A usageError says that the command line is wrong. Its exit code is ExitUsage, also where
// other failures have ExitNotRun.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// silentExit returns an error that ends the command silently with a code; nil for 0.
func silentExit(code int) error {
	if code == ExitClean {
		return nil
	}
	return &exitError{code: code}
}

// A screen is what a command reads and writes, and how outcomes look there.
type screen struct {
	Streams
	color string
}

// An app is one run of wfc.
type app struct {
	screen
	projects *projects
	// failure, when it is not 0, is the exit code of faults of wfc's own.
	failure int
}

// Main runs wfc with the arguments that follow its name and returns the exit
// code. It does not return from calls of the go command, whose tool wfc is.
func Main(args []string, s Streams) (code int) {
	if isToolCall(args) {
		serveTool(args)
	}
	commandline.ReserveStack()
	if own, err := os.Executable(); err == nil {
		_ = os.Setenv(state.ProgramVariable, own) // the path has no NUL
	}
	s.Out, s.Err = plain.NewWriter(s.Out), plain.NewWriter(s.Err)
	a := &app{screen: screen{Streams: s}, projects: newProjects(s.In)}
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(s.Err, "wfc: internal error: %v\nthis is a fault of wfc; please report it with the following lines\n\n%s", plain.Message(fmt.Sprint(fault)), debug.Stack())
			code = cmp.Or(a.failure, ExitInternal)
		}
	}()
	args = longRun(args)
	root := a.newRootCommand(args)
	root.SetArgs(commandline.WithoutHelp(root, args))
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := root.Execute()
	if err == nil {
		return ExitClean
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = &exitError{ExitUsage, commandline.Explain(err)}
	}
	if e.err != nil {
		fmt.Fprintf(s.Err, "wfc: %s\n", plain.Message(e.err.Error()))
	}
	var wrong *usageError
	if a.failure == ExitNotRun && !errors.As(err, &wrong) {
		return ExitNotRun
	}
	return e.code
}

// newRootCommand returns the root of the command line that runs args: with all commands, unless args
// begin with the name of one.
func (a *app) newRootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "wfc",
		Short: "Compile agent workflows to Go",
		Long: `wfc checks agent workflows written in YAML, compiles them to typed Go, and
builds each into one standalone binary.

Exit codes: 0 no errors (warnings do not count without --strict), 1 findings,
2 usage, 3 internal error.`,
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.Args = a.noSuchCommand(root)
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colours: auto, always or never")
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--color", a.color, []string{"auto", "always", "never"}); err != nil {
			return err
		}
		if isRun(cmd) {
			a.failure = ExitNotRun
		}
		return nil
	}
	list := selectSubcommands(append(ownCommands(), runsCommands()...), args)
	for _, s := range list {
		root.AddCommand(s.command(a))
	}
	root.CompletionOptions.DisableDefaultCmd = len(list) == 1
	a.addCompletions(root)
	commandline.Setup(root, strings.TrimPrefix(versionText(), "wfc "))
	if len(list) > 1 {
		root.SetHelpFunc(helpWithNextStep(root))
		groupCommands(root)
	}
	return root
}

// A subcommand is the constructor of a command of wfc.
type subcommand struct {
	name    string
	command func(*app) *cobra.Command
}

// selectSubcommands returns the subcommand that args begin with the name of, or else all: making one
// takes microseconds, and making all takes as long as checking a file.
func selectSubcommands(all []subcommand, args []string) []subcommand {
	i := slices.IndexFunc(all, func(s subcommand) bool { return len(args) > 0 && s.name == args[0] })
	if i < 0 {
		return all
	}
	return all[i : i+1]
}

// ownCommands are the commands of wfc itself.
func ownCommands() []subcommand {
	return []subcommand{
		{"init", initCommand},
		{"add", addCommand},
		{"check", checkCommand},
		{"gen", genCommand},
		{"build", buildCommand},
		{"run", runCommand},
		{"listen", listenCommand},
		{"diff", diffCommand},
		{"test", testCommand},
		{"graph", graphCommand},
		{"waiting", waitingCommand},
		{"serve", serveCommand},
		{"doctor", doctorCommand},
		{"mcp", mcpCommand},
		{"mcp-build", mcpBuildCommand},
		{"mcp-list", mcpListCommand},
		{"lsp", lspCommand},
		{"vettool", vettoolCommand},
		{"explain", explainCommand},
		{"schema", schemaCommand},
		{"version", versionCommand},
		{"upgrade", upgradeCommand},
		{"man", manCommand},
	}
}

// noSuchCommand refuses arguments of the bare command. A workflow file may be meant for
// check.
func (a *app) noSuchCommand(root *cobra.Command) cobra.PositionalArgs {
	refuse := commandline.RequireSubcommand(root)
	return func(cmd *cobra.Command, args []string) error {
		err := refuse(cmd, args)
		if err != nil && !strings.Contains(err.Error(), "did you mean") {
			if a.projects.isWorkflowFile(args[0]) {
				return fmt.Errorf("unknown command `%s`; did you mean `wfc check %s`?", args[0], plain.ShellWord(args[0]))
			}
		}
		return err
	}
}

// atMostOne refuses a second argument.
func atMostOne(cmd *cobra.Command, args []string) error { return argumentsUpTo(1)(cmd, args) }

// argumentsUpTo returns the argument check of a command that takes at most so many.
func argumentsUpTo(most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > most {
			return fmt.Errorf("`%s` takes at most %s; remove `%s`\nsee `%s --help`", cmd.CommandPath(), finding.Count(most, "argument"), args[most], cmd.CommandPath())
		}
		return nil
	}
}

// oneOf returns an error if a flag's value isn't one of the choices.
func oneOf(flag, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	if len(choices) == 2 { // both are shorter to read than a question about one, which may not be meant
		return fmt.Errorf("unknown value `%s` of `%s`: use `%s` or `%s`", value, flag, choices[0], choices[1])
	}
	return fmt.Errorf("unknown value `%s` of `%s`%s", value, flag, suggestionSuffix(value, choices))
}

// suggestionSuffix is the end of a message about an unknown name: a question about the nearest
// known one, or all known ones.
func suggestionSuffix(name string, known []string) string {
	if question := plain.DidYouMean(name, known); question != "" {
		return question
	}
	return ": use one of `" + strings.Join(known, "`, `") + "`"
}

// printDocument prints a JSON document for programs.
func (s *screen) printDocument(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = plain.JSONWriter(s.Out).Write(append(text, '\n'))
	return err
}

// untilSignal returns a context that ends when a signal asks wfc to end, so that wfc can stop
// everything it has started. SIGHUP counts unless wfc was started to outlive its terminal. A
// closed output doesn't end the context.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(ctx, ends...)
}
