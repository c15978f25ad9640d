package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/state"
)

// The commands on runs are those of the programs that wfc builds: only a program
// links the store that has its runs. wfc finds the program (target.go), becomes
// it, and tells it by a variable what was typed, so that its messages name
// commands of wfc.

// A passedCommand is a command of wfc that a program performs.
type passedCommand struct {
	verb, use, short, example string
	// flags adds the flags of the program's command. They are declared here for
	// help, completion and to tell values from arguments; a test compares them.
	flags []func(*pflag.FlagSet)
	// runs says that the exit code is that of a run.
	runs bool
	// alone says which run of the project the command is about without arguments, or is "".
	alone string
	// project says that the command can do without a target: it then is about all
	// runs of the project.
	project bool
}

func passedCommands() []passedCommand {
	return []passedCommand{
		{verb: "list", use: "list [FILE|NAME]", short: "List runs, newest first", project: true,
			example: "  wfc list\n  wfc list release.yaml --status paused,failed",
			flags:   []func(*pflag.FlagSet){listFlags, jsonFlag}},
		{verb: "status", use: "status [FILE|NAME|RUN] [RUN]", alone: aloneLatest, short: "Show a run and its steps",
			example: "  wfc status release.yaml\n  wfc status release-k3x9qz --json",
			flags:   []func(*pflag.FlagSet){statusFlags, jsonFlag}},
		{verb: "logs", use: "logs [FILE|NAME|RUN] [RUN]", alone: aloneLatest, short: "Show the log of a run",
			example: "  wfc logs release.yaml -f\n  wfc logs release-k3x9qz --node build",
			flags:   []func(*pflag.FlagSet){logsFlags, jsonFlag}},
		{verb: "approve", use: "approve [FILE|NAME|RUN] [RUN] [WORDS…]", alone: aloneWaiting, short: "Approve a question of a run", runs: true,
			example: "  wfc approve release.yaml\n  wfc approve release-k3x9qz --node gate -m 'looks good'",
			flags:   []func(*pflag.FlagSet){replyFlags, workFlags}},
		{verb: "reject", use: "reject [FILE|NAME|RUN] [RUN] [WORDS…]", alone: aloneWaiting, short: "Reject a question of a run", runs: true,
			example: "  wfc reject release-k3x9qz --reason 'the tests are missing'",
			flags:   []func(*pflag.FlagSet){replyFlags, reasonFlag, workFlags}},
		{verb: "answer", use: "answer [FILE|NAME|RUN] [RUN] [WORDS…]", alone: aloneWaiting, short: "Answer any other question of a run", runs: true,
			example: "  wfc answer release-k3x9qz --node target --choice staging",
			flags:   []func(*pflag.FlagSet){replyFlags, answerFlags, workFlags}},
		{verb: "respond", use: "respond [FILE|NAME] RUN DECISION [WORDS…]", short: "Take a decision at a gate of a run", runs: true,
			example: "  wfc respond release-k3x9qz revise 'shorten the summary'",
			flags:   []func(*pflag.FlagSet){replyFlags, workFlags}},
		{verb: "signal", use: "signal [FILE|NAME] RUN EVENT [PAYLOAD]", short: "Report an event that a run waits for", runs: true,
			example: "  wfc signal release-k3x9qz deployed '{\"version\": 7}'",
			flags:   []func(*pflag.FlagSet){signalFlags, workFlags}},
		{verb: "wake", use: "wake FILE|NAME|RUN [RUN]", short: "Continue runs whose waits are over", runs: true,
			example: "  wfc wake release.yaml\n  wfc wake release-k3x9qz --node review",
			flags:   []func(*pflag.FlagSet){wakeFlags, workFlags}},
		{verb: "resume", use: "resume FILE|NAME|RUN [RUN]", short: "Resume a run that has not completed", runs: true,
			example: "  wfc resume release.yaml\n  wfc resume release-k3x9qz --from test",
			flags:   []func(*pflag.FlagSet){resumeFlags, workFlags}},
		{verb: "cancel", use: "cancel FILE|NAME|RUN [RUN]", short: "Cancel a run",
			example: "  wfc cancel release-k3x9qz",
			flags:   []func(*pflag.FlagSet){cancelFlags}},
		{verb: "prune", use: "prune [FILE|NAME]", short: "Remove old runs", project: true,
			example: "  wfc prune --older-than 30d --dry-run\n  wfc prune release.yaml --keep 20",
			flags:   []func(*pflag.FlagSet){pruneFlags, jsonFlag}},
	}
}

// What FILE, NAME and RUN are in all commands on runs, and the run that some are about
// without arguments.
const (
	targetHelp   = "FILE is a workflow file, NAME the name of a workflow of the project, and RUN a run's\nid or a unique prefix of one."
	aloneLatest  = "the last run of the project"
	aloneWaiting = "the only run of the project that asks something"
	allProjects  = "all-projects"
)

// runsCommands are the commands on runs.
func runsCommands() []subcommand {
	var list []subcommand
	for _, p := range passedCommands() {
		list = append(list, subcommand{p.verb, p.command})
	}
	return list
}

func (p passedCommand) command(a *app) *cobra.Command {
	target := targetHelp
	if p.project {
		target += " The default is all\nruns of the project."
	} else if p.alone != "" {
		target += " The default\nis " + p.alone + "."
	}
	cmd := &cobra.Command{
		Use:     p.use,
		Short:   p.short,
		Long:    p.short + ".\n\n" + target + "\n\nThe binary that started the run performs the command. The exit codes are those of\n`" + "wfc run`, and " + exitNote(p) + ".",
		Example: p.example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.runs {
				a.failure = ExitNotRun
			}
			return a.handOver(cmd, p, args)
		},
		ValidArgsFunction: a.completeTarget(p),
	}
	for _, add := range p.flags {
		add(cmd.Flags())
	}
	if p.verb == "list" {
		cmd.Flags().Bool(allProjects, false, "list the runs of all projects of this account")
	}
	stateFlags(cmd.Flags())
	a.completeFlags(cmd, p)
	return cmd
}

func exitNote(p passedCommand) string {
	if p.runs {
		return "2 for a wrong command line, 125 if wfc cannot start the binary"
	}
	return "2 if wfc cannot start the binary"
}

// handOver becomes the program that performs a command.
func (a *app) handOver(cmd *cobra.Command, p passedCommand, args []string) error {
	if all := cmd.Flags().Lookup(allProjects); all != nil && all.Changed {
		return a.listAllProjects(cmd, args)
	}
	f := passedFlags(cmd)
	if len(args) == 0 && p.project {
		return a.handOverProject(cmd, p, f)
	}
	t, err := a.chosen(cmd, p, args)
	if err != nil {
		return err
	}
	if t.state != "" {
		f = append(f, "--state="+t.state)
	}
	if p.runs && t.source != "" {
		if err := a.compareSource(cmd, &t); err != nil {
			return err
		}
	}
	return become(t, append(append([]string{p.verb}, f...), dashed(t.args)...))
}

// currentVariable is the environment variable by which wfc tells a program that continues a
// run the fingerprint of the workflow file as it is now, or currentInvalid if the file has
// errors. Package runtime/cli has the same names.
const (
	currentVariable = "WFC_CURRENT_FINGERPRINT"
	currentInvalid  = "invalid"
)

// compareSource tells the program of a target which version the workflow file has now.
// With --force, a program of that version takes the place of the target's.
func (a *app) compareSource(cmd *cobra.Command, t *target) error {
	if _, err := os.Stat(t.source); err != nil {
		return nil // the run continues without its file
	}
	if given(cmd, "force") == "true" {
		program, err := a.cached(cmd, &compileFlags{}, string(t.store), shown(t.source), true)
		t.program = program
		return err
	}
	current := currentInvalid
	if o, err := a.compileOne(&compileFlags{}, shown(t.source)); err == nil && !o.result.HasErrors() && o.result.Workflow != nil {
		current = o.result.Workflow.Fingerprint()
	}
	return os.Setenv(currentVariable, current)
}

// become makes this process the program of a target.
func become(t target, argv []string) error {
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
	return slices.DeleteFunc(passedFlags(cmd), func(flag string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		return !slices.Contains(names, name)
	})
}

// dashed are arguments as a command line has them: behind -- when one could be
// read as a flag.
func dashed(args []string) []string {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		return append([]string{"--"}, args...)
	}
	return args
}

// The flags of programs' commands. Their values are judged by the program.

func stateFlags(f *pflag.FlagSet) {
	f.String("state", "", "`FOLDER` that keeps the runs (default: WFC_STATE or the checkout's)")
	f.String("database", "", "`URL` of the PostgreSQL database that keeps the runs (default: WFC_DATABASE_URL)")
}

func jsonFlag(f *pflag.FlagSet) { f.Bool("json", false, "print JSON instead of text") }

func listFlags(f *pflag.FlagSet) {
	f.StringP("limit", "n", "20", "maximum number of runs; 0 is all")
	f.StringSlice("status", nil, "only runs with these `STATUS`es")
	f.String("since", "", "only runs that started since `TIME`: 12h, 7d, 2026-05-31")
	f.Bool("children", false, "include the runs that steps of these runs started")
}

func statusFlags(f *pflag.FlagSet) {
	f.Bool("full", false, "show questions without folding")
}

func logsFlags(f *pflag.FlagSet) {
	f.BoolP("follow", "f", false, "wait for more until the run ends")
	f.String("node", "", "only this `NODE`")
}

func replyFlags(f *pflag.FlagSet) {
	f.String("node", "", "`NODE` that asks, if several do")
	f.StringP("message", "m", "", "`WORDS` of the answer, instead of those after RUN")
	f.String("token", "", "gate `TOKEN` of the run (default: in the file WFC_GATE_TOKEN_FILE)")
	f.Bool("no-resume", false, "only record the answer; resume later")
}

func signalFlags(f *pflag.FlagSet) {
	f.String("node", "", "`NODE` that waits, if several do")
	f.Bool("no-resume", false, "only record the event; resume later")
}

func wakeFlags(f *pflag.FlagSet) {
	f.String("node", "", "`NODE` whose wait for a person ends")
	f.String("token", "", "gate `TOKEN` of the run (default: in the file WFC_GATE_TOKEN_FILE)")
	f.Bool("no-resume", false, "only record the answer; resume later")
}

func reasonFlag(f *pflag.FlagSet) { f.String("reason", "", "the same as --message") }

func answerFlags(f *pflag.FlagSet) {
	f.String("choice", "", "`CHOICE` of the answer")
	f.String("edit", "", "YAML or JSON `FILE` that replaces the reviewed output")
}

func resumeFlags(f *pflag.FlagSet) {
	f.Bool("force", false, "move the run to the current version of the workflow file")
	f.String("from", "", "repeat this completed `STEP` and those that depend on it")
	f.Bool("yes", false, "with --from, do not ask for confirmation")
	f.Bool("list-steps", false, "list the steps for --from; resume nothing")
}

func cancelFlags(f *pflag.FlagSet) {
	f.String("wait", "30s", "maximum wait for the end of the run")
}

func pruneFlags(f *pflag.FlagSet) {
	f.String("older-than", "", "only runs that ended before `TIME`: 30d, 12h, 2026-05-31")
	f.String("keep", "", "keep the newest `N` of these runs")
	f.StringSlice("status", nil, "only runs with these `STATUS`es")
	f.Bool("dry-run", false, "show the runs to remove; remove none")
	f.Bool("force", false, "also remove uncommitted changes and unmerged branches")
}

// workFlags are those of commands that go on with a run.
func workFlags(f *pflag.FlagSet) {
	jsonFlag(f)
	f.Bool("jsonl", false, "print one JSON object per line as things happen")
	f.BoolP("quiet", "q", false, "show no progress")
	f.Bool("no-ask", false, "pause at questions, even at a terminal")
	f.Bool("skip-agent-check", false, "do not check agents and programs first")
	f.StringArray("agent", nil, "replace an agent: `NAME=KIND` or NAME=KIND:ARGUMENT; repeatable")
	f.String("base-branch", "", "`BRANCH` that changes are compared with")
	f.String("max-parallel", "", "maximum steps at once")
	f.String("sandbox", "", "sandbox of all steps: `MODE` on, report or off")
	f.Lookup("sandbox").NoOptDefVal = "on"
	f.StringArray("grant", nil, "grant `NAME` to steps in the sandbox; repeatable")
	for _, limit := range []string{"cost", "tokens", "iterations", "minutes"} {
		f.String("max-"+limit, "", "limit of the run; 0 means no limit")
	}
	f.String("record", "", "record replies, results of programs and answers in a `FILE`")
	f.String("replay", "", "replay the replies of a `FILE`; ask no agent")
	f.Bool("replay-strict", false, "with --replay: fail where a prompt, schema or model differs")
}

// given returns a flag's value, or "".
func given(cmd *cobra.Command, name string) string {
	if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
		return f.Value.String()
	}
	return ""
}
