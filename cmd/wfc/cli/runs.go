package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// The commands on runs are those of the programs that wfc builds: only a program
// links the store that has its runs. wfc finds the program (target.go), becomes it, and passes
// the typed words in a variable, so that its messages name commands of wfc.

// A passedCommand is a command of wfc that a program performs.
type passedCommand struct {
	verb, use, short, example string
	// runs says that the exit code is that of a run.
	runs bool
	// alone says which run of the project the command is about without arguments, or is "".
	alone string
	// hidden leaves out of help a former name of another command.
	hidden bool
	// project says that the command can do without a target: it then is about all
	// runs of the project.
	project bool
}

func passedCommands() []passedCommand {
	return []passedCommand{
		{verb: "list", use: "list [FILE|NAME]", short: "List runs, newest first", project: true,
			example: "  wfc list\n  wfc list release.yaml --status paused,failed"},
		{verb: "costs", use: "costs [FILE|NAME]", short: "Show what agents have cost, and budgets", project: true,
			example: "  wfc costs --by workflow,agent --since 30d\n  wfc costs nightly.yaml --by day --csv\n  wfc costs --all-projects"},
		{verb: "top", use: "top [FILE|NAME]", short: "Watch what runs, waits and costs", project: true,
			example: "  wfc top\n  wfc top release.yaml --once"},
		{verb: "status", use: "status [FILE|NAME|RUN] [RUN]", alone: aloneLatest, short: "Show a run and its steps",
			example: "  wfc status release.yaml\n  wfc status release-k3x9qz --json"},
		{verb: "logs", use: "logs [FILE|NAME|RUN] [RUN]", alone: aloneLatest, short: "Show the log of a run",
			example: "  wfc logs release.yaml -f\n  wfc logs release-k3x9qz --node build"},
		{verb: "trace", use: "trace [FILE|NAME|RUN] [RUN]", alone: aloneLatest, short: "Show where the time and the money of a run went",
			example: "  wfc trace release.yaml\n  wfc trace release-k3x9qz --json"},
		{verb: "approve", use: "approve [FILE|NAME|RUN] [RUN] [WORDS…]", alone: aloneWaiting, short: "Approve a question of a run", runs: true,
			example: "  wfc approve release.yaml\n  wfc approve release-k3x9qz --node gate -m 'looks good'"},
		{verb: "reject", use: "reject [FILE|NAME|RUN] [RUN] [WORDS…]", alone: aloneWaiting, short: "Reject a question of a run", runs: true,
			example: "  wfc reject release-k3x9qz --reason 'the tests are missing'"},
		{verb: "answer", use: "answer [FILE|NAME|RUN] [RUN] [WORDS…]", alone: aloneWaiting, short: "Answer any other question of a run", runs: true,
			example: "  wfc answer release-k3x9qz revise 'shorten the summary'\n  wfc answer release-k3x9qz --node target --choice staging"},
		{verb: "respond", use: "respond [FILE|NAME] RUN DECISION [WORDS…]", short: "Take a decision at a gate of a run", runs: true, hidden: true},
		{verb: "signal", use: "signal [FILE|NAME] RUN EVENT [PAYLOAD]", short: "Report an event that a run waits for", runs: true,
			example: "  wfc signal release-k3x9qz deployed '{\"version\": 7}'"},
		{verb: "wake", use: "wake FILE|NAME|RUN [RUN]", short: "Continue runs whose waits are over", runs: true,
			example: "  wfc wake release.yaml\n  wfc wake release-k3x9qz --node review"},
		{verb: "resume", use: "resume [FILE|NAME|RUN] [RUN]", alone: aloneResumable, short: "Resume a run that has not completed", runs: true,
			example: "  wfc resume release.yaml\n  wfc resume release-k3x9qz --from test"},
		{verb: "cancel", use: "cancel FILE|NAME|RUN [RUN]", short: "Cancel a run",
			example: "  wfc cancel release-k3x9qz"},
		{verb: "export", use: "export [FILE|NAME|RUN] [RUN]", alone: aloneLatest, short: "Write a run to one file, for another machine",
			example: "  wfc export release-k3x9qz\n  wfc export release.yaml --output release.wfcrun"},
		{verb: "import", use: "import FILE|NAME EXPORTED", short: "Take over a run from a file that export wrote",
			example: "  wfc import release.yaml release-k3x9qz.wfcrun"},
		{verb: "prune", use: "prune [FILE|NAME|RUN] [RUN]", short: "Remove old runs", project: true,
			example: "  wfc prune --older-than 30d --dry-run\n  wfc prune release.yaml --keep 20\n  wfc prune release-k3x9qz\n  wfc prune --all-projects --older-than 90d --dry-run"},
	}
}

// The runs that some commands are about without arguments.
const (
	aloneLatest  = "the last run of the project"
	aloneWaiting = "the only run of the project that asks something"
	// aloneResumable leaves out cancelled runs, which somebody has ended.
	aloneResumable = "the only run of the project that failed, was interrupted, is paused or reached a limit"
	// mostRuns is how many runs an error names.
	mostRuns    = 10
	allProjects = "all-projects"
	// helpWidth is how many columns the texts of help take.
	helpWidth = 88
)

// resumableStatuses are those of aloneResumable.
const resumableStatuses = "failed,interrupted,paused,limit_reached"

// runsCommands are the commands on runs.
func runsCommands() []subcommand {
	var list []subcommand
	for _, p := range passedCommands() {
		list = append(list, subcommand{p.verb, p.cobraCommand})
	}
	return list
}

func (p passedCommand) cobraCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     p.use,
		Short:   p.short,
		Hidden:  p.hidden,
		Long:    p.short + ".\n\n" + plain.Wrap(p.describeArguments(), helpWidth) + "\n\n" + plain.Wrap(p.describeProgram(), helpWidth),
		Example: p.example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.runs {
				a.failure = ExitNotRun
			}
			return a.handOver(cmd, p, args)
		},
		ValidArgsFunction: a.completeTarget(p),
	}
	commandline.DeclareRunFlags(cmd.Flags(), p.verb)
	switch p.verb {
	case "list":
		cmd.Flags().Bool(allProjects, false, "list the runs of all projects of this account")
	case "costs":
		cmd.Flags().Bool(allProjects, false, "show the costs of all projects of this account")
		cmd.MarkFlagsMutuallyExclusive("json", "csv")
	case "prune":
		cmd.Flags().Bool(allProjects, false, "remove old runs of all projects of this account")
	}
	a.completeFlags(cmd, p)
	return cmd
}

// takesNoRun reports whether the command is about all runs of a workflow or project.
func (p passedCommand) takesNoRun() bool { return p.project && !strings.Contains(p.use, "RUN") }

// worksOnRuns reports whether a command on runs may continue one.
func worksOnRuns(cmd *cobra.Command) bool {
	return slices.ContainsFunc(passedCommands(), func(p passedCommand) bool { return p.verb == cmd.Name() && p.runs })
}

// describeArguments says what the words in capitals of a usage are, and what is the default.
func (p passedCommand) describeArguments() string {
	text := "FILE is a workflow file, NAME the name of a workflow of the project"
	if strings.Contains(p.use, "RUN") {
		text += ", and RUN a run's id or a unique prefix of one"
	}
	if p.verb == "import" {
		text += ", and EXPORTED a file that `wfc export` wrote"
	}
	switch {
	case p.verb == "top":
		return text + ". The default is all runs of the project. `wfc waiting` and `wfc list --all-projects` show all projects."
	case p.project:
		return text + ". The default is all runs of the project."
	case p.alone != "":
		return text + ". The default is " + p.alone + "."
	}
	return text + "."
}

// describeProgram says which program performs a command, and its exit codes.
func (p passedCommand) describeProgram() string {
	program, codes := "The binary that started the run performs the command.", "2 if wfc cannot start the binary"
	if p.verb == "import" {
		program = "The binary of the workflow, which wfc builds if necessary, performs the command."
	}
	if p.runs {
		codes = "2 for a wrong command line, 125 if wfc cannot start the binary"
	}
	return program + " The exit codes are those of `wfc run`, and " + codes + "."
}

// handOver becomes the program that performs a command.
func (a *app) handOver(cmd *cobra.Command, p passedCommand, args []string) error {
	everywhere := flagValue(cmd, allProjects) != ""
	switch {
	case p.verb == "costs" && (everywhere || len(args) == 0):
		return a.showCosts(cmd, args, everywhere)
	case p.verb == "prune" && everywhere:
		return pruneAllProjects(a, cmd, args)
	case everywhere:
		return a.listAllProjects(cmd, args)
	}
	f := passedFlags(cmd)
	if len(args) == 0 && p.project {
		return a.handOverProject(cmd, p, f)
	}
	t, err := a.chooseTarget(cmd, p, args)
	if err != nil {
		return err
	}
	if p.takesNoRun() && len(t.args) > 0 && t.called == "" {
		return &usageError{fmt.Errorf("`%s` takes a workflow, not a run; `wfc status %s` or `wfc trace %[2]s` shows the run", cmd.CommandPath(), t.args[0])}
	}
	if t.state != "" {
		f = append(f, "--state="+t.state)
	}
	if err := nameTargetDatabase(a, p.verb, t.source); err != nil {
		return err
	}
	if p.runs && t.source != "" {
		if err := a.compareSource(cmd, &t); err != nil {
			return err
		}
	}
	return execTarget(t, append(append([]string{p.verb}, f...), withDashSeparator(t.args)...))
}

// currentVariable is the environment variable by which wfc tells a program that continues a
// run the fingerprint of the workflow file as it is now, or currentInvalid if the file has
// errors. changedSettings follows the fingerprint if wfc.yaml has changed since. Package
// runtime/cli has the same names.
const (
	currentVariable = "WFC_CURRENT_FINGERPRINT"
	currentInvalid  = "invalid"
	changedSettings = " settings"
)

// compareSource tells the program of a target which version the workflow file has now.
// With --force, a program of that version takes the place of the target's.
func (a *app) compareSource(cmd *cobra.Command, t *target) error {
	if _, err := os.Stat(t.source); err != nil {
		return nil // the run continues without its file
	}
	current := currentInvalid
	if o, err := a.projects.compileOne(&compileFlags{}, displayPath(t.source)); err == nil && !o.result.HasErrors() && o.result.Workflow != nil {
		current = o.result.Workflow.Fingerprint()
		if settingsChanged(a, t, o) {
			current += changedSettings
		}
	}
	if flagValue(cmd, "force") == "true" {
		program, err := a.cachedFileProgram(cmd, &compileFlags{}, string(t.store), displayPath(t.source), true)
		if t.program = program; err != nil {
			return err
		}
	}
	return os.Setenv(currentVariable, current)
}

// settingsChanged reports whether the program of a workflow file would now be another one than
// that of the run, since wfc.yaml was written later.
func settingsChanged(a *app, t *target, o outcome) bool {
	info, err := os.Stat(filepath.Join(o.project.config.Dir, config.FileName))
	if err != nil || t.started == "" || !info.ModTime().After(t.created) {
		return false
	}
	cache, err := build.DefaultCache()
	if err != nil || !strings.HasPrefix(t.started, cache) {
		return false // wfc did not build it by itself, so it may differ in more
	}
	path := a.cachedPath(o, string(t.store))
	return path != "" && path != t.started
}

// execTarget makes this process the program of a target.
func execTarget(t target, argv []string) error {
	if err := os.Setenv(state.CallerVariable, t.called); err != nil {
		return err
	}
	if err := execProgram(t.program, append([]string{t.program}, argv...)); err != nil {
		return fmt.Errorf("start %s: %w", t.program, err)
	}
	return nil
}

// passedFlags are the flags that were given and are the program's.
func passedFlags(cmd *cobra.Command) []string {
	var list []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if cmd.InheritedFlags().Lookup(f.Name) != nil {
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			list = append(list, "--"+f.Name+"="+v)
		}
	})
	return list
}

// passedOf are those of passedFlags with some names.
func passedOf(cmd *cobra.Command, names ...string) []string {
	return slices.DeleteFunc(passedFlags(cmd), func(flag string) bool { return !slices.Contains(names, flagName(flag)) })
}

// flagName is the name of --name=value.
func flagName(flag string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
	return name
}

// withDashSeparator are arguments as a command line has them: behind -- when one could be
// read as a flag.
func withDashSeparator(args []string) []string {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		return append([]string{"--"}, args...)
	}
	return args
}

// flagValue returns a flag's value, or "".
func flagValue(cmd *cobra.Command, name string) string {
	if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
		return f.Value.String()
	}
	return ""
}
