package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// runFlags are the flags of run and resume.
type runFlags struct {
	settings
	jsonl, quiet bool
}

func (f *runFlags) add(a *app, cmd *cobra.Command) {
	def := a.program.Definition
	f.settings.add(cmd.Flags(), def.UsesBaseBranch, len(def.Agents) > 0)
	a.jsonFlag(cmd)
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "print what happens as JSON, one object a line")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl")
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	in := &inputs{def: a.program.Definition, stdin: a.streams.In}
	cmd := &cobra.Command{
		Use:   "run " + restUsage(a.program.Definition),
		Short: "Run the workflow",
		Long: "Run the workflow and show its result. Progress goes to standard error.\n\n" +
			"Exit codes: 0 completed, 1 failed, 2 wrong command line, 3 waits for a person,\n4 cancelled, 5 limit reached, 130 or 143 ended by a signal.",
		RunE: func(cmd *cobra.Command, args []string) error {
			def, defaults := a.program.Definition, a.program.Defaults
			if err := f.check(a.program.agentNames()); err != nil {
				return err
			}
			values, err := in.collect(cmd.Flags(), args)
			if err != nil {
				return err
			}
			return a.work(cmd.Context(), f, func(ctx context.Context, s *session) (*local.Result, error) {
				return s.engine.Run(ctx, def, values, local.Options{
					BaseBranch: cmp.Or(f.BaseBranch, defaults.BaseBranch), DocsDir: defaults.DocsDir, Settings: f.settings.encode(),
				})
			})
		},
	}
	f.add(a, cmd)
	in.add(cmd.Flags())
	return cmd
}

// restUsage names the free arguments.
func restUsage(def *flow.Definition) string {
	for _, in := range def.Inputs {
		if in.Rest {
			return "[" + strings.ToUpper(in.Name) + "…]"
		}
	}
	return ""
}

func (a *app) resumeCommand() *cobra.Command {
	var f runFlags
	var force bool
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Go on with a run that failed, was interrupted, paused or cancelled",
		Long: "Go on with a run: what completed is not done again, everything else is.\n\n" +
			"RUN is a run's id, the beginning of one, or `latest` (the default). A run that\nanother build of the workflow began is resumed by that build, which the state\nfolder keeps; --force moves it to this one.",
		Args: atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(a.program.agentNames()); err != nil {
				return err
			}
			id, kept, err := a.resumed(cmd.Context(), only(args))
			if err != nil {
				return err
			}
			if f.settings, err = f.settings.over(kept); err != nil {
				return failed(err)
			}
			err = a.work(cmd.Context(), f, func(ctx context.Context, s *session) (*local.Result, error) {
				return s.engine.Resume(ctx, a.program.Definition, id, local.Options{BaseBranch: f.BaseBranch, Force: force})
			})
			var other *local.OtherBuildError
			if errors.As(err, &other) && other.Executable != "" {
				return a.resumeElsewhere(other)
			}
			return err
		},
	}
	f.add(a, cmd)
	cmd.Flags().BoolVar(&force, "force", false, "move a run of another build to this one")
	return cmd
}

// resumed finds the run to resume and the settings that are kept with it. The
// store is closed again: the performers depend on the settings, and a pinned
// binary opens the store itself.
func (a *app) resumed(ctx context.Context, name string) (id string, kept json.RawMessage, err error) {
	s, err := a.open(ctx, setup{})
	if err != nil {
		return "", nil, err
	}
	defer s.store.Close()
	if id, err = s.find(ctx, a, name); err != nil {
		return "", nil, err
	}
	run, err := s.store.Run(ctx, id)
	return id, run.Settings, failed(err)
}

// work runs or resumes: it opens the engine, passes signals on, and shows
// progress and result.
func (a *app) work(ctx context.Context, f runFlags, do func(context.Context, *session) (*local.Result, error)) error {
	choices, err := f.choices(a.program.Defaults.Agents)
	if err != nil {
		return err
	}
	performers, err := a.performers(choices)
	if err != nil {
		return err
	}
	show := a.newProgress(f)
	defer show.close()
	s, err := a.open(ctx, setup{performers: performers, maxParallel: cmp.Or(f.MaxParallel, a.program.Defaults.MaxParallel), watch: show.notice})
	if err != nil {
		return err
	}
	defer s.close()
	signals := a.catchSignals(s, show)
	defer signals.stop()
	result, err := do(ctx, s)
	show.close()
	if err != nil {
		return failed(err)
	}
	if err := a.showResult(ctx, s, f, result); err != nil {
		return err
	}
	if code := signals.code(); code != 0 && result.Status == flow.Cancelled {
		return &exitError{code: code}
	}
	return exitOf(result.Status)
}
