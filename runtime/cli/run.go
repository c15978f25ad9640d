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
)

func (a *app) runCommand() *cobra.Command {
	var d dryFlags
	n := a.newRun()
	cmd := &cobra.Command{
		Use:   strings.TrimSpace("run " + restUsage(a.program.Definition)),
		Short: "Run the workflow",
		Long: "Run the workflow and show its result. Progress goes to standard error.\n\n" +
			"Exit codes: 0 completed, 1 failed, 2 wrong command line, 3 waits for a person,\n4 cancelled, 5 limit reached, 129, 130 or 143 ended by a signal.\n\n" +
			a.codeOfVerdicts() +
			"With --dry-run, it only shows the plan; the exit code is 0 if there is one.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.checkValues(n.in.file); err != nil {
				return err
			}
			err := n.readCommandLine(a.call, cmd, args)
			if err != nil {
				return err
			}
			if d.on {
				return a.printPlan(d, n)
			}
			if err := checkFileEmpty(n.flags.Record); err != nil {
				return err
			}
			if n.flags.runSettings, err = a.withGates(n.flags.runSettings, a.actor(), true); err != nil {
				return err
			}
			return a.workOnRun(cmd.Context(), n.flags, "", func(ctx context.Context, s *session) (*local.Result, error) {
				return a.backend.beginRun(ctx, s, n)
			})
		},
	}
	n.flags.addToCommand(a.call, cmd)
	d.addToCommand(cmd)
	n.tree.addToCommand(cmd)
	if a.program.Definition.Graph != nil {
		n.task.addToFlagSet(cmd.Flags())
	}
	a.backend.extendCommand(cmd)
	n.in.addToFlagSet(cmd.Flags())
	if a.wfc {
		cmd.SetFlagErrorFunc(a.flagBeforeFile)
	}
	return cmd
}

// flagBeforeFile explains a wrong flag behind `wfc run FILE`. One of wfc belongs before the
// file.
func (a *app) flagBeforeFile(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && slices.Contains([]string{"color", "dialect", "portability", "store", "strict", "verbose"}, unknown.GetSpecifiedName()) {
		return usageError("`%s` has no flag `--%s`: this is a flag of wfc; write it before the file", a.commandLine("run", ""), unknown.GetSpecifiedName())
	}
	return cmd.Parent().FlagErrorFunc()(cmd, err)
}

// worktreeFlags say whether a run works in a git worktree of its own.
type worktreeFlags struct {
	on, off      bool
	branch, base string
}

func (f *worktreeFlags) addToCommand(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.on, "worktree", false, "work in a separate git worktree on a new branch")
	flags.StringVar(&f.branch, "branch", "", "`NAME` of the worktree's branch (default: wfc/ and the run's id)")
	flags.StringVar(&f.base, "base", "", "`REF` where the worktree's branch starts (default: HEAD)")
	flags.BoolVar(&f.off, "no-worktree", false, "work in the current folder")
}

// worktreeRequest is what the flags ask for, by what the workflow lays down; nil is no
// worktree.
func (f *worktreeFlags) worktreeRequest(rule flow.WorktreeRule) (*local.Worktree, error) {
	detail := ""
	switch {
	case f.branch != "":
		detail = "--branch"
	case f.base != "":
		detail = "--base"
	}
	switch {
	case f.on && f.off:
		return nil, usageError("`--worktree` and `--no-worktree` exclude each other")
	case f.off && detail != "":
		return nil, usageError("`%s` and `--no-worktree` exclude each other", detail)
	case f.on && rule == flow.WorktreeNever:
		return nil, usageError("`--worktree`: the workflow says `worktree: {enabled: false}`, so its runs work in the current folder")
	case f.off && rule == flow.WorktreeAlways:
		return nil, usageError("`--no-worktree`: the workflow says `worktree: {enabled: true}`, so every run has a separate worktree")
	case f.on || rule == flow.WorktreeAlways:
		return &local.Worktree{Branch: f.branch, Base: f.base}, nil
	case detail != "" && rule == flow.WorktreeNever:
		return nil, usageError("`%s`: the workflow says `worktree: {enabled: false}`, so its runs have no separate worktree", detail)
	case detail != "":
		return nil, usageError("`%s` needs `--worktree`", detail)
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
		case in.Type == "list" && in.Default == "":
			names = append(names, name+"…")
		case in.Type == "list":
			names = append(names, "["+name+"…]")
		case in.Default == "":
			names = append(names, name)
		default:
			names = append(names, "["+name+"]")
		}
	}
	return strings.Join(names, " ")
}

// checkFileEmpty reports as a mistake that a file for a new recording has something in it.
func checkFileEmpty(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return usageError("--record: %w", err)
	case info.IsDir():
		return usageError("--record %s: it is a folder", path)
	case info.Size() > 0:
		return usageError("--record %s: the file is not empty, and a recording has only one run; name another file, or remove this one", path)
	}
	return nil
}
