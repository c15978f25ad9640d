package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/exitcode"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/store"
)

// clusterFlags say where the cluster is that has the runs of a program built for one. The
// environment gives the rest: secrets are no arguments.
type clusterFlags struct {
	address, namespace, queue string
	tls                       bool
	ca, cert, key, server     string
	blobs                     string
}

// Variables of programs that are built for a cluster. Those of Temporal's own tools mean the
// same here.
const (
	addressVariable   = "TEMPORAL_ADDRESS"
	namespaceVariable = "TEMPORAL_NAMESPACE"
	apiKeyVariable    = "TEMPORAL_API_KEY"
	blobsVariable     = "WFC_TEMPORAL_BLOBS"
	keysVariable      = "WFC_TEMPORAL_KEYS"
)

// clusterHelp describes the variables that are not the defaults of flags.
const clusterHelp = "Secrets come from the environment: " + apiKeyVariable + " is an API key of the cluster, and\n" +
	keysVariable + " has the keys that encrypt values, separated by commas."

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.address, "temporal", "", "`ADDRESS` of the Temporal cluster, host:port (default: "+addressVariable+" or localhost:7233)")
	flags.StringVar(&f.namespace, "namespace", "", "Temporal `NAMESPACE` (default: "+namespaceVariable+" or default)")
	flags.StringVar(&f.queue, "task-queue", "", "task queue `NAME` of the runs (default: the workflow's name)")
	flags.BoolVar(&f.tls, "tls", false, "encrypt the connection (default with "+apiKeyVariable+")")
	flags.StringVar(&f.ca, "tls-ca", "", "`FILE` with the certificates of trusted authorities")
	flags.StringVar(&f.cert, "tls-cert", "", "`FILE` with the client certificate")
	flags.StringVar(&f.key, "tls-key", "", "`FILE` with the key of the client certificate")
	flags.StringVar(&f.server, "tls-server-name", "", "`NAME` that the server's certificate must have")
	flags.StringVar(&f.blobs, "blobs", "", "shared `PLACE` of values over 16 KiB: a folder, or a postgres:// URL (default: "+blobsVariable+")")
}

// connect opens the cluster.
func (a *call) connect(ctx context.Context) (store.Store, error) {
	f := a.cluster
	blobs := cmp.Or(f.blobs, os.Getenv(blobsVariable))
	a.warnOfNetwork(blobs)
	c, err := a.program.Cluster(ctx, cluster.Connection{
		Definition: a.program.Definition,
		Address:    cmp.Or(f.address, os.Getenv(addressVariable), "localhost:7233"),
		Namespace:  cmp.Or(f.namespace, os.Getenv(namespaceVariable), "default"),
		Queue:      f.queue, TLS: f.tls, CA: f.ca, Cert: f.cert, Key: f.key, ServerName: f.server,
		APIKey: os.Getenv(apiKeyVariable), Keys: os.Getenv(keysVariable), Blobs: blobs,
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// clusterHint returns the flags of this call by which another call finds the same runs. A URL
// with a password is not among them.
func (c *call) clusterHint() string {
	hint := ""
	if c.cluster.tls {
		hint = " --tls"
	}
	for _, flag := range []struct{ name, value string }{
		{"temporal", c.cluster.address}, {"namespace", c.cluster.namespace}, {"task-queue", c.cluster.queue}, {"blobs", c.cluster.blobs},
		{"tls-ca", c.cluster.ca}, {"tls-cert", c.cluster.cert}, {"tls-key", c.cluster.key}, {"tls-server-name", c.cluster.server},
	} {
		if flag.value == "" || strings.Contains(flag.value, "://") && shownURL(flag.value) != flag.value {
			continue
		}
		hint += fmt.Sprintf(" --%s %s", flag.name, plain.ShellWord(flag.value))
	}
	return hint
}

// cluster returns the cluster of a session of a program that is built for one.
func (s *session) cluster() cluster.Cluster { return s.store.(cluster.Cluster) }

// clusterRunCommand is the command run of a program that is built for a cluster: workers
// perform the run, and this process shows it.
func (a *app) clusterRunCommand() *cobra.Command {
	var f runFlags
	var task taskFlags
	var detach bool
	var place placeFlags
	in := &inputs{def: a.program.Definition, stdin: a.streams.In, argv: a.argv}
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
	f.add(a.call, cmd)
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
	if err := f.check(&a.program); err != nil {
		return nil, err
	}
	if err := f.leavesSandbox(); err != nil {
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
	show.notice(local.Notice{RunID: id, Begin: true})
	end, err := s.cluster().Await(ctx, id, func(step flow.Record) { show.notice(local.Notice{RunID: id, Step: &step}) })
	if err == nil {
		show.notice(local.Notice{RunID: id, End: &end})
	}
	show.close()
	if ctx.Err() != nil {
		fmt.Fprintf(a.streams.Err, "\nthe run continues; see `%s`\n", a.command("status", id)+a.stateHint())
		return &exitError{code: exitcode.Interrupt}
	}
	if err != nil {
		return failed(err)
	}
	result := &local.Result{ID: id, RunState: end}
	if status, err := s.engine.Status(ctx, id); err == nil {
		result.Worktree = status.Worktree()
	}
	if err := s.showResult(context.WithoutCancel(ctx), f, result); err != nil {
		return err
	}
	return exitOf(result)
}

// clusterResumeCommand is the command resume of a program that is built for a cluster.
func (a *app) clusterResumeCommand() *cobra.Command {
	var f runFlags
	var again repeatFlags
	var force bool
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Resume a run that has not completed",
		Long: "Resume a run that failed, was cancelled or reached a limit. Completed steps do not run\nagain; all others do.\n\n" +
			"RUN is a run's id, a prefix of one, or `latest` (the default). Workers of the build\nthat started the run continue it. --force moves the run to this build, and refuses\nthat if the steps that it has completed do not fit.",
		Args: atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := again.check(); err != nil {
				return err
			}
			if err := f.leavesSandbox(); err != nil {
				return err
			}
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				if again.list {
					return s.listSteps(ctx, id)
				}
				run, err := s.store.Run(ctx, id)
				if err != nil {
					return failed(err)
				}
				if again.from != "" {
					if err := a.confirmRepeat(ctx, run, again); err != nil {
						return err
					}
				}
				if f.runSettings, err = f.over(run.Settings); err != nil {
					return failed(err)
				}
				if err := s.cluster().Resume(ctx, id, cluster.Resume{Limits: a.limits(f.runSettings), Force: force, From: again.from, By: human.User()}); err != nil {
					return failed(err)
				}
				return a.follow(ctx, s, f, id)
			})
		},
	}
	f.add(a.call, cmd)
	again.add(cmd)
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
func (s *session) logPlace(id string) string {
	if s.program.Cluster != nil {
		return s.command("logs", id) + s.stateHint()
	}
	return s.folder.LogFile(id)
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
	in := &inputs{def: def, stdin: a.streams.In, argv: a.argv}
	cmd := &cobra.Command{
		Use:   strings.TrimSpace("schedule " + restUsage(def)),
		Short: "Have the cluster run the workflow at scheduled times",
		Long: "Have the cluster run the workflow at scheduled times. The cluster keeps the schedule: this\n" +
			"command only sets it. A time during the previous run starts none.",
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
	f.add(a.call, cmd)
	place.add(cmd)
	in.add(cmd.Flags())
	cmd.Flags().StringVar(&expression, "cron", "", "cron expression `EXPR` that replaces the workflow's schedule")
	cmd.Flags().BoolVar(&off, "off", false, "remove the schedule")
	return cmd
}

// clusterPruneCommand is the command prune of a program that is built for a cluster, which
// removes its runs itself.
func (a *app) clusterPruneCommand() *cobra.Command {
	var olderThan string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove large values and logs that no run needs",
		Long: "Remove large values and logs from the place of --blobs. prune keeps all values of runs\n" +
			"that the cluster still has, and of schedules. The cluster removes ended runs itself,\n" +
			"after the retention period of the namespace.\n\n" +
			"prune also keeps values used within --older-than. By default, that is a day longer than\nthe retention period, and it cannot be less.",
		Example: "  " + a.name + " prune --dry-run\n  " + a.name + " prune --older-than 60d",
		Args:    commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := cluster.Prune{DryRun: dryRun}
			if olderThan != "" {
				age, ok := parseAge(olderThan)
				if !ok || age == 0 {
					return usage("`--older-than %s`: give an age such as 30d, 2w or 12h", olderThan)
				}
				p.OlderThan = age
			}
			return a.pruneCluster(cmd.Context(), p)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&olderThan, "older-than", "", "only values last used longer ago than `AGE`: 30d, 12h")
	flags.BoolVar(&dryRun, "dry-run", false, "count the values to remove; remove none")
	a.jsonFlag(cmd)
	return cmd
}

// clusterPruneDocument is the JSON document of prune.
type clusterPruneDocument struct {
	SchemaVersion int   `json:"schema_version"`
	DryRun        bool  `json:"dry_run"`
	Values        int   `json:"values"`
	Bytes         int64 `json:"bytes"`
	Logs          int   `json:"logs"`
}

func (a *app) pruneCluster(ctx context.Context, p cluster.Prune) error {
	s, err := a.open(ctx, setup{})
	if err != nil {
		return err
	}
	defer s.close()
	removed, err := s.cluster().Prune(ctx, p)
	if err != nil {
		return failed(err)
	}
	if a.json {
		return printJSON(a.streams.Out, clusterPruneDocument{schemaVersion, p.DryRun, removed.Values, removed.Bytes, removed.Logs})
	}
	verb := "removed"
	if p.DryRun {
		verb = "would remove"
	}
	_, err = fmt.Fprintf(a.streams.Out, "%s %d values (%d bytes) and the logs of %d runs\n", verb, removed.Values, removed.Bytes, removed.Logs)
	return failed(err)
}
