package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// runFlags are the flags of run and resume.
type runFlags struct {
	runSettings
	jsonl, quiet bool
	// noAsk leaves questions open rather than asking at the terminal.
	noAsk bool
	// unchecked begins without asking whether the agents could answer.
	unchecked bool
	// force moves a run that is resumed to this build.
	force bool
}

func (f *runFlags) add(a *app, cmd *cobra.Command) {
	def := a.program.Definition
	kinds := a.program.kinds()
	f.runSettings.add(cmd.Flags(), def.UsesBaseBranch, kinds)
	if def.Graph != nil {
		f.runSettings.addLimits(cmd.Flags())
	}
	if len(kinds) > 0 {
		cmd.Flags().BoolVar(&f.unchecked, "skip-agent-check", false, "do not check agents first")
	}
	a.jsonFlag(cmd)
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "print one JSON object per line as things happen")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	cmd.Flags().BoolVar(&f.noAsk, "no-ask", false, "pause at questions, even at a terminal")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl")
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	var d dryFlags
	var tree worktreeFlags
	var task taskFlags
	in := &inputs{def: a.program.Definition, stdin: a.streams.In, database: a.program.OpenDatabase != nil}
	cmd := &cobra.Command{
		Use:   strings.TrimSpace("run " + restUsage(a.program.Definition)),
		Short: "Run the workflow",
		Long: "Run the workflow and show its result. Progress goes to standard error.\n\n" +
			"Exit codes: 0 completed, 1 failed, 2 wrong command line, 3 waits for a user,\n4 cancelled, 5 limit reached, 129, 130 or 143 ended by a signal.\n\n" +
			a.codeOfGraphs() +
			"With --dry-run, it only shows the plan; the exit code is 0 if there is one.",
		RunE: func(cmd *cobra.Command, args []string) error {
			def, defaults := a.program.Definition, a.program.Defaults
			if err := f.check(a.program.agentNames()); err != nil {
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
			if f.runSettings, err = a.gated(f.runSettings, true); err != nil {
				return err
			}
			return a.work(cmd.Context(), f, "", func(ctx context.Context, s *session) (*local.Result, error) {
				return s.engine.Run(ctx, def, values, local.Options{
					BaseBranch: cmp.Or(f.BaseBranch, defaults.BaseBranch), DocsDir: defaults.DocsDir, Worktree: worktree, Settings: f.runSettings.encode(),
					Limits: f.limits(defaults.Limits, def.Graph != nil), Graph: graph, DeliverTo: a.deliverTo(f.SessionKey),
				})
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
	return cmd
}

// codeOfGraphs tells of the exit code that only state graphs have.
func (a *app) codeOfGraphs() string {
	if a.program.Definition.Graph == nil {
		return ""
	}
	return "Exit code 6 is a run that reached its end although no completion condition holds.\n\n"
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
		case in.Default == nil:
			names = append(names, name)
		default:
			names = append(names, "["+name+"]")
		}
	}
	return strings.Join(names, " ")
}

// work runs, or resumes the run that is named: it opens the engine, passes
// signals on, asks people, and shows progress and result.
func (a *app) work(ctx context.Context, f runFlags, resumed string, do func(context.Context, *session) (*local.Result, error)) error {
	choices, err := f.choices(a.program.Defaults, a.secretNames())
	if err != nil {
		return err
	}
	performers, prompts, err := a.performers(a.taped(f.runSettings, choices))
	if err != nil {
		return err
	}
	if resumed == "" {
		if err := a.checkAgents(ctx, f, prompts); err != nil {
			return err
		}
	}
	show := a.newProgress(f)
	defer show.close()
	if resumed == "" {
		a.warnDelivery(f, show)
	}
	asker, stopAsking := a.asker(f, show, resumed)
	defer stopAsking()
	s, err := a.open(ctx, setup{performers: performers, maxParallel: cmp.Or(f.MaxParallel, a.program.Defaults.MaxParallel), watch: show.notice, asker: asker})
	if err != nil {
		return err
	}
	defer s.close()
	if resumed != "" && a.needsAgents(ctx, s, f, resumed) {
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
