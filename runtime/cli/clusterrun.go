package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/exitcode"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
)

// clusterRunCommand is the command run of a program that is built for a cluster: workers
// perform the run, and this process shows it.
func (a *app) clusterRunCommand() *cobra.Command {
	var f runFlags
	var task taskFlags
	var detach bool
	var place placeFlags
	in := &inputs{def: a.program.Definition, stdin: a.streams.In}
	cmd := &cobra.Command{
		Use:   strings.TrimSpace("run " + restUsage(a.program.Definition)),
		Short: "Run the workflow on the cluster",
		Long: "Run the workflow on the cluster and show its result. Workers perform the steps; see\n" +
			"`worker`. An interrupt ends only this command: `cancel` ends the run.\n\n" + clusterHelp + "\n\n" +
			"Exit codes: 0 completed, 1 failed, 2 wrong command line, 3 waits for a person,\n4 cancelled, 5 limit reached, 130 interrupted.\n\n" + a.codeOfVerdicts(),
		RunE: func(cmd *cobra.Command, args []string) error {
			start, err := a.clusterStart(cmd, &f, &task, place, in, args)
			if err != nil {
				return err
			}
			s, err := a.open(cmd.Context(), setup{})
			if err != nil {
				return err
			}
			defer s.close()
			start.Run.ID = s.engine.NewID(a.program.Definition)
			if err := s.cluster().Start(cmd.Context(), *start); err != nil {
				return failed(err)
			}
			if detach {
				fmt.Fprintln(a.streams.Out, start.Run.ID)
				return nil
			}
			return a.follow(cmd.Context(), s, f, start.Run.ID)
		},
	}
	f.add(a, cmd)
	place.add(cmd)
	cmd.Flags().BoolVar(&detach, "detach", false, "print the run's id and do not wait for its end")
	if a.program.Definition.Graph != nil {
		task.add(cmd.Flags())
	}
	in.add(cmd.Flags())
	return cmd
}

// clusterStart describes the run that a command line asks for, but for its id.
func (a *app) clusterStart(cmd *cobra.Command, f *runFlags, task *taskFlags, place placeFlags, in *inputs, args []string) (*cluster.Start, error) {
	def := a.program.Definition
	if err := f.check(a.program.agentNames()); err != nil {
		return nil, err
	}
	start, err := a.place(cmd.Context(), place)
	if err != nil {
		return nil, err
	}
	if err := in.collect(cmd.Flags(), args); err != nil {
		return nil, err
	}
	options, err := a.graph(task, f.runSettings, in)
	if err != nil {
		return nil, err
	}
	values, err := in.object()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, failed(err)
	}
	if values, err = input.Complete(def, values, dir); err != nil {
		return nil, failed(err)
	}
	if f.runSettings, err = a.withGates(f.runSettings, true); err != nil {
		return nil, err
	}
	defaults := a.program.Defaults
	start.Run = flow.RunInfo{
		Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: values,
		BaseBranch: cmp.Or(f.BaseBranch, defaults.BaseBranch), DocsDir: cmp.Or(defaults.DocsDir, "docs/"),
		DeliverTo: a.deliverTo(f.SessionKey), Graph: options,
	}
	start.Settings, start.MaxParallel = f.runSettings.encode(), cmp.Or(f.MaxParallel, defaults.MaxParallel, def.Concurrency)
	start.Limits, start.OnInterrupt = a.limits(f.runSettings), defaults.OnInterrupt
	return start, nil
}

// follow shows a run until it ends or pauses.
func (a *app) follow(ctx context.Context, s *session, f runFlags, id string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	show := a.newProgress(f)
	defer show.close()
	show.notice(local.Notice{Run: id, Begin: true})
	end, err := s.cluster().Await(ctx, id, func(step flow.Record) { show.notice(local.Notice{Run: id, Step: &step}) })
	if err == nil {
		show.notice(local.Notice{Run: id, End: &end})
	}
	show.close()
	if ctx.Err() != nil {
		fmt.Fprintf(a.streams.Err, "\nthe run goes on; see `%s`\n", a.command("status", id)+a.stateHint())
		return &exitError{code: exitcode.Interrupt}
	}
	if err != nil {
		return failed(err)
	}
	result := &local.Result{ID: id, RunEnd: end}
	if status, err := s.engine.Status(ctx, id); err == nil {
		result.Worktree = status.Worktree()
	}
	if err := a.showResult(context.WithoutCancel(ctx), s, f, result); err != nil {
		return err
	}
	return exitOf(result)
}

// clusterResumeCommand is the command resume of a program that is built for a cluster.
func (a *app) clusterResumeCommand() *cobra.Command {
	var f runFlags
	var force bool
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Resume a run that has not completed",
		Long: "Resume a run that failed, was cancelled or reached a limit. Completed steps do not run\nagain; all others do.\n\n" +
			"RUN is a run's id, a prefix of one, or `latest` (the default). Workers of the build\nthat began the run continue it. --force moves the run to this build, and refuses\nthat if the steps that it has completed do not fit.",
		Args: atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				run, err := s.store.Run(ctx, id)
				if err != nil {
					return failed(err)
				}
				if f.runSettings, err = f.over(run.Settings); err != nil {
					return failed(err)
				}
				if err := s.cluster().Resume(ctx, id, cluster.Resume{Limits: a.limits(f.runSettings), Force: force}); err != nil {
					return failed(err)
				}
				return a.follow(ctx, s, f, id)
			})
		},
	}
	f.add(a, cmd)
	cmd.Flags().BoolVar(&force, "force", false, "move a run of another build to this one")
	return cmd
}

// clusterLogsCommand is the command logs of a program that is built for a cluster.
func (a *app) clusterLogsCommand() *cobra.Command {
	var node string
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs [RUN]",
		Short: "Show the output of a run's steps",
		Long: "Show the output of a run's steps, with secrets masked. Logs are in the folder of --blobs,\nor else in the state folders of the workers.\n\n" +
			"RUN is a run's id, a prefix of one, or `latest` (the default).",
		Args: atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkNode(node, definitions(a.program.Definition)...); err != nil {
				return err
			}
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				printed := &logPrinter{out: a.streams.Out, json: a.json, node: node}
				defer printed.flush("")
				if err := s.cluster().Logs(ctx, cluster.Logs{Run: id, State: s.folder, Follow: follow}, lineWriter(printed.line)); err != nil {
					return failed(fmt.Errorf("run %s: %w", id, err))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "wait for more until the run ends")
	cmd.Flags().StringVar(&node, "node", "", "only this `NODE`")
	a.jsonFlag(cmd)
	return cmd
}

// logPlace returns the file with the log of a run, or, on a cluster, the command that shows it.
func (a *app) logPlace(s *session, id string) string {
	if a.program.Cluster != nil {
		return a.command("logs", id) + a.stateHint()
	}
	return s.folder.Log(id)
}

// A lineWriter is called with each line that is written.
type lineWriter func(line []byte)

// Write implements io.Writer. text is one line.
func (w lineWriter) Write(text []byte) (int, error) {
	w(text)
	return len(text), nil
}

// clusterScheduleCommand is the command schedule of a program that is built for a cluster.
func (a *app) clusterScheduleCommand() *cobra.Command {
	var f runFlags
	var place placeFlags
	var expression string
	var off bool
	def := a.program.Definition
	in := &inputs{def: def, stdin: a.streams.In}
	cmd := &cobra.Command{
		Use:   strings.TrimSpace("schedule " + restUsage(def)),
		Short: "Have the cluster run the workflow at scheduled times",
		Long: "Have the cluster run the workflow at scheduled times. The cluster keeps the schedule: this\n" +
			"command only sets it. A time that comes while the previous run goes on starts none.",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.open(cmd.Context(), setup{})
			if err != nil {
				return err
			}
			defer s.close()
			if off {
				return failed(s.cluster().Schedule(cmd.Context(), "", cluster.Start{}))
			}
			place.scheduled = true
			times := scheduleFlags{cron: expression, missed: string(schedule.MissedOnce), overlap: string(schedule.OverlapSkip)}
			if _, _, err := times.schedule(def); err != nil {
				return err
			}
			text := cmp.Or(expression, def.Schedule)
			start, err := a.clusterStart(cmd, &f, &taskFlags{}, place, in, args)
			if err != nil {
				return err
			}
			start.Run.ID = s.engine.NewID(def)
			if err := s.cluster().Schedule(cmd.Context(), text, *start); err != nil {
				return failed(err)
			}
			fmt.Fprintf(a.streams.Err, "the cluster runs %s at `%s`\n", def.Name, text)
			return nil
		},
	}
	f.add(a, cmd)
	place.add(cmd)
	in.add(cmd.Flags())
	cmd.Flags().StringVar(&expression, "cron", "", "cron expression `EXPR` that replaces the workflow's schedule")
	cmd.Flags().BoolVar(&off, "off", false, "remove the schedule")
	return cmd
}
