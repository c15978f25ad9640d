package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/plain"
)

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	var d dryFlags
	var tree worktreeFlags
	var task taskFlags
	in := &inputs{def: a.program.Definition, stdin: a.streams.In, argv: a.argv, database: a.program.OpenDatabase != nil}
	cmd := &cobra.Command{
		Use:   strings.TrimSpace("run " + restUsage(a.program.Definition)),
		Short: "Run the workflow",
		Long: "Run the workflow and show its result. Progress goes to standard error.\n\n" +
			"Exit codes: 0 completed, 1 failed, 2 wrong command line, 3 waits for a person,\n4 cancelled, 5 limit reached, 129, 130 or 143 ended by a signal.\n\n" +
			a.codeOfVerdicts() +
			"With --dry-run, it only shows the plan; the exit code is 0 if there is one.",
		RunE: func(cmd *cobra.Command, args []string) error {
			def := a.program.Definition
			if err := f.check(&a.program); err != nil {
				return err
			}
			if err := d.check(in.file); err != nil {
				return err
			}
			worktree, err := tree.request(def.Worktree)
			if err != nil {
				return err
			}
			if err := in.collect(cmd.Flags(), args); err != nil {
				return err
			}
			graph, err := a.graph(&task, f.runSettings, in)
			if err != nil {
				return err
			}
			values, err := in.object()
			if err != nil {
				return err
			}
			if d.on {
				return a.plan(f, d, worktree, values, graph)
			}
			if err := fresh(f.Record); err != nil {
				return err
			}
			if f.runSettings, err = a.withGates(f.runSettings, true); err != nil {
				return err
			}
			return a.work(cmd.Context(), f, "", func(ctx context.Context, s *session) (*local.Result, error) {
				return s.engine.Run(ctx, def, values, a.options(f, graph, worktree))
			})
		},
	}
	f.add(a, cmd)
	d.add(cmd)
	tree.add(cmd)
	if a.program.Definition.Graph != nil {
		task.add(cmd.Flags())
	}
	in.add(cmd.Flags())
	if a.wfc {
		cmd.SetFlagErrorFunc(a.flagBeforeFile)
	}
	return cmd
}

// flagBeforeFile explains a wrong flag behind `wfc run FILE`. One of wfc belongs before the
// file.
func (a *app) flagBeforeFile(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && slices.Contains([]string{"color", "dialect", "portability", "store", "strict", "verbose"}, unknown.GetSpecifiedName()) {
		return usage("`%s` has no flag `--%s`: this is a flag of wfc; write it before the file", a.command("run", ""), unknown.GetSpecifiedName())
	}
	return cmd.Parent().FlagErrorFunc()(cmd, err)
}

// worktreeFlags say whether a run works in a git worktree of its own.
type worktreeFlags struct {
	on, off      bool
	branch, base string
}

func (f *worktreeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.on, "worktree", false, "work in a separate git worktree on a new branch")
	flags.StringVar(&f.branch, "branch", "", "`NAME` of the worktree's branch (default: wfc/ and the run's id)")
	flags.StringVar(&f.base, "base", "", "`REF` where the worktree's branch starts (default: HEAD)")
	flags.BoolVar(&f.off, "no-worktree", false, "work in the current folder")
}

// request is what the flags ask for, by what the workflow lays down; nil is no
// worktree.
func (f *worktreeFlags) request(rule flow.WorktreeRule) (*local.Worktree, error) {
	detail := ""
	switch {
	case f.branch != "":
		detail = "--branch"
	case f.base != "":
		detail = "--base"
	}
	switch {
	case f.on && f.off:
		return nil, usage("`--worktree` and `--no-worktree` exclude each other")
	case f.off && detail != "":
		return nil, usage("`%s` and `--no-worktree` exclude each other", detail)
	case f.on && rule == flow.WorktreeNever:
		return nil, usage("`--worktree`: the workflow says `worktree: {enabled: false}`, so its runs work in the current folder")
	case f.off && rule == flow.WorktreeAlways:
		return nil, usage("`--no-worktree`: the workflow says `worktree: {enabled: true}`, so every run has a separate worktree")
	case f.on || rule == flow.WorktreeAlways:
		return &local.Worktree{Branch: f.branch, Base: f.base}, nil
	case detail != "" && rule == flow.WorktreeNever:
		return nil, usage("`%s`: the workflow says `worktree: {enabled: false}`, so its runs have no separate worktree", detail)
	case detail != "":
		return nil, usage("`%s` needs `--worktree`", detail)
	}
	return nil, nil
}

// codeOfVerdicts tells of the exit code that only state graphs and workflows with an
// outcome have.
func (a *app) codeOfVerdicts() string {
	switch {
	case a.program.Definition.Graph != nil:
		return "Exit code 6 is a run that reached its end although no completion condition holds.\n\n"
	case a.program.Definition.OutcomeField != "":
		return "Exit code 6 is a run that completed with the outcome failed.\n\n"
	}
	return ""
}

// restUsage names the free arguments.
func restUsage(def *flow.Definition) string {
	var names []string
	for _, in := range def.Inputs {
		name := strings.ToUpper(in.Name)
		switch {
		case in.Rest:
			return "[" + name + "…]"
		case in.Position == 0 || in.Replaces != "":
		case in.Default == "":
			names = append(names, name)
		default:
			names = append(names, "["+name+"]")
		}
	}
	return strings.Join(names, " ")
}

// fresh reports as a mistake that a file for a new recording has something in it.
func fresh(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return usage("--record: %w", err)
	case info.IsDir():
		return usage("--record %s: it is a folder", path)
	case info.Size() > 0:
		return usage("--record %s: the file is not empty, and a recording has only one run; name another file, or remove this one", path)
	}
	return nil
}

// warnBefore says before a run that somebody watches that its workflow is deprecated, which
// programs may be missing, and what cannot be delivered.
func (a *app) warnBefore(f runFlags, show *progress, missing []string) {
	if f.quiet || f.jsonl {
		return
	}
	if why := a.program.Definition.Deprecated; why != "" {
		show.say("! this workflow is deprecated: " + plain.Line(why))
	}
	for _, line := range missing {
		show.say("! " + plain.Line(line))
	}
	for _, problem := range a.undeliverable(f.SessionKey) {
		show.say("! this run cannot deliver to " + problem)
	}
}

// work runs, or resumes the run that is named: it opens the engine, passes
// signals on, asks people, and shows progress and result.
func (a *app) work(ctx context.Context, f runFlags, resumed string, do func(context.Context, *session) (*local.Result, error)) error {
	with, prompts, err := a.setupFor(f)
	if err != nil {
		return err
	}
	if a.adopts {
		confine.Ahead(&with.sandbox)
	}
	var missing []string
	if resumed == "" {
		if missing, err = a.checkNew(ctx, f, prompts); err != nil {
			return err
		}
	}
	show := a.newProgress(f)
	defer show.close()
	if resumed == "" {
		a.warnBefore(f, show, missing)
	}
	asker, stopAsking := a.asker(f, show, resumed)
	defer stopAsking()
	with.watch, with.asker = show.notice, asker
	s, err := a.open(ctx, with)
	if err != nil {
		return err
	}
	defer s.close()
	if resumed != "" && !f.cancels && a.needsAgents(ctx, s, f, resumed) {
		if err := a.checkAgents(ctx, f, prompts); err != nil {
			return err
		}
	}
	signals := a.catchSignals(s, show)
	defer signals.stop()
	result, err := do(ctx, s)
	stopAsking()
	show.close()
	if err != nil {
		return failed(err)
	}
	defer a.remindOfToken(result)
	if err := a.showResult(ctx, s, f, result); err != nil {
		return err
	}
	if code := signals.code(); code != 0 && result.Status == flow.Cancelled {
		return &exitError{code: code}
	}
	return exitOf(result)
}
