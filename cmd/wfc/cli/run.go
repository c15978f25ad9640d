package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/commandline"
)

func runCommand(a *app) *cobra.Command {
	var flags compileFlags
	var store string
	cmd := &cobra.Command{
		Use:   "run FILE|NAME [ARGS…]",
		Short: "Run a workflow",
		Long: `run builds the binary of a workflow, unless the cache contains it, and runs it. FILE is
a workflow file, and NAME the name of a workflow of the project. Put
flags of wfc before FILE, and arguments and flags of the workflow after it, such as
--input NAME=VALUE, or --agent NAME=KIND, which replaces an agent. The run checks
its agents before it starts; see wfc doctor.

The exit code is the workflow's: 0 completed, 1 failed, 2 wrong arguments, 3 waits
for a person, 4 cancelled, 5 limit reached. It is also 2 if the command line of wfc is
wrong, and 125 if the workflow could not start for another reason.`,
		Example: "  wfc run triage.yaml 'It crashes when the name is empty'\n" +
			"  wfc run triage.yaml --agent claude=command:./ask.sh 'It crashes'\n" +
			"  wfc run triage.yaml --dry-run 'It crashes'   # show the plan, do nothing",
		Args: someWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := a.projects.oneFile(args[0])
			if err != nil {
				return err
			}
			program, err := a.runnableProgram(cmd, &flags, store, append([]string{file}, args[1:]...))
			if err != nil {
				return err
			}
			return execTarget(target{program: program, called: typedFile(file)}, append([]string{"run"}, args[1:]...))
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&store, "store", "", storeUse())
	cmd.Flags().SetInterspersed(false)
	cmd.SetFlagErrorFunc(flagAfterFile)
	return cmd
}

// flagAfterFile explains a wrong flag of `wfc run`. One of the workflow belongs after the
// file.
func flagAfterFile(cmd *cobra.Command, err error) error {
	explained := cmd.Parent().FlagErrorFunc()(cmd, err)
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return explained
	}
	theirs := pflag.NewFlagSet("", pflag.ContinueOnError)
	commandline.DeclareRunFlags(theirs, cmd.Name())
	name := unknown.GetSpecifiedName()
	others := []string{"input", "inputs", "dry-run", "worktree", "no-worktree", "branch", "base"}
	if theirs.Lookup(name) == nil && !slices.Contains(others, name) {
		return explained
	}
	return fmt.Errorf("`%s` has no flag `--%s`: this is a flag of the workflow; write it after FILE\nsee `%s FILE --help`", cmd.CommandPath(), name, cmd.CommandPath())
}

// oneFile returns the workflow file that an argument of `wfc run` means: a file, or the name
// of a workflow.
func (p *projects) oneFile(arg string) (string, error) {
	if arg == stdinName {
		return arg, nil
	}
	info, err := os.Stat(arg)
	if err == nil {
		if file := p.namedInstead(arg, info); file != "" {
			return file, nil
		}
	}
	switch {
	case err == nil && info.IsDir():
		var files []string
		_ = p.walkWorkflows(arg, func(name string) error { // the files are only a help
			if filepath.Base(name) != config.FileName {
				files = append(files, filepath.ToSlash(name))
			}
			return nil
		})
		return "", &usageError{fmt.Errorf("`%s` is a folder, and `wfc run` takes one workflow file%s", arg, meantFiles(files))}
	case errors.Is(err, fs.ErrNotExist):
		file, missing := p.fileNamed(arg, "file")
		if missing != nil {
			return "", missing
		}
		return file, nil
	}
	return arg, nil // compiling it says what is wrong
}

// typedFile is the file of a command line, or "" for the standard input, whose
// workflow no later command line can name.
func typedFile(arg string) string {
	if arg == stdinName {
		return ""
	}
	return arg
}

// isRun reports whether a command is `wfc run`.
func isRun(cmd *cobra.Command) bool { return cmd.Name() == "run" }

// runnableProgram returns the program that runs the workflow file args[0] with the arguments that
// follow. It shows the warnings of the file.
func (a *app) runnableProgram(cmd *cobra.Command, flags *compileFlags, store string, args []string) (string, error) {
	return a.cachedWith(cmd, flags, store, args[0], gen.Options{MoreKinds: kindsChosen(args[1:])}, true,
		func(ctx context.Context, o outcome, cached bool) error {
			if err := checkRunBudget(o, store, args[1:]); err != nil || cached {
				return err
			}
			return a.checkRun(ctx, o, args[1:])
		})
}

// kindsChosen returns the kinds of agents that the flags --agent of a command line choose,
// without unknown kinds and those that every program has.
func kindsChosen(args []string) []string {
	var kinds []string
	for _, choice := range agentChoices(args) {
		_, kind, _ := strings.Cut(choice, "=")
		kind, _, _ = strings.Cut(kind, ":")
		if known, ok := catalog.AgentNamed(kind); ok {
			kind = known.Kind
		}
		if _, ok := catalog.KindNamed(kind); ok && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds) // the same kinds make the same program
	return kinds
}

// agentChoices returns the values of the flags --agent of a command line that choose an agent.
func agentChoices(args []string) []string {
	var choices []string
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		choice, given := strings.CutPrefix(args[i], "--agent=")
		if !given && args[i] == "--agent" && i+1 < len(args) {
			i++
			choice, given = args[i], true
		}
		if given && strings.Contains(choice, "=") {
			choices = append(choices, choice)
		}
	}
	return choices
}

// cachedFileProgram returns the program of a workflow file as it is now, from the cache if
// possible.
// The findings are shown if it has errors, and with warnings also otherwise.
func (a *app) cachedFileProgram(cmd *cobra.Command, flags *compileFlags, store, path string, warnings bool) (string, error) {
	return a.cachedWith(cmd, flags, store, path, gen.Options{}, warnings, nil)
}

// A programCheck looks at a workflow before its program is built. cached says that the cache has the
// program.
type programCheck func(ctx context.Context, o outcome, cached bool) error

// cachedWith is cachedFileProgram with options for the program's code, and a check unless it is nil.
func (a *app) cachedWith(cmd *cobra.Command, flags *compileFlags, store, path string, opt gen.Options, warnings bool, check programCheck) (string, error) {
	opt.Main, opt.LineDirectives = true, true
	if _, err := storeNamed(store); err != nil {
		return "", &usageError{err}
	}
	o, err := a.projects.compileOne(flags, path)
	if err != nil {
		return "", err
	}
	if flags.verbose {
		a.explainOutcomes([]outcome{o})
	}
	return a.cachedProgram(cmd, o, opt, store, warnings, check)
}

// cachedProgram returns the program of a compiled workflow, from the cache if possible.
func (a *app) cachedProgram(cmd *cobra.Command, o outcome, opt gen.Options, store string, warnings bool, check programCheck) (string, error) {
	w, err := a.generateCode([]outcome{o}, warnings, opt, store)
	if err != nil {
		return "", err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	var before func(cached bool) error
	if check != nil {
		before = func(cached bool) error { return check(ctx, o, cached) }
	}
	return a.fromCache(ctx, w[0].files, gen.PackageName(w[0].result.Workflow.Workflow.Name), "", before)
}

// fromCache returns the program of files, which progress calls what, from the cache if possible. It first
// calls before, unless that is nil.
func (a *app) fromCache(ctx context.Context, files []gen.File, name, what string, before func(cached bool) error) (string, error) {
	builder, err := a.newBuilder("", "")
	if err != nil {
		return "", err
	}
	builder.Program = what
	if _, cached := builder.Cached(files, name); before != nil {
		if err := before(cached); err != nil {
			return "", err
		}
	}
	program, err := builder.BuildCached(ctx, files, name)
	if err != nil {
		return "", buildError(ctx, err)
	}
	return program, nil
}
