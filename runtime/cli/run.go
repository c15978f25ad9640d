package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
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
			values, err := in.collect(cmd.Flags(), args)
			if err != nil {
				return err
			}
			return a.work(cmd.Context(), f, func(ctx context.Context, s *session, _ string) (*local.Result, error) {
				return s.engine.Run(ctx, a.program.Definition, values, local.Options{
					ID: s.engine.NewID(a.program.Definition), BaseBranch: f.BaseBranch, Settings: f.settings.encode(),
				})
			}, "")
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
			id, kept, err := a.resumed(cmd.Context(), only(args))
			if err != nil {
				return err
			}
			if f.settings, err = f.settings.over(kept); err != nil {
				return failed(err)
			}
			err = a.work(cmd.Context(), f, func(ctx context.Context, s *session, id string) (*local.Result, error) {
				return s.engine.Resume(ctx, a.program.Definition, id, local.Options{BaseBranch: f.BaseBranch, Force: force})
			}, id)
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
	defer s.close()
	if id, err = s.find(ctx, a, name); err != nil {
		return "", nil, err
	}
	run, err := s.store.Run(ctx, id)
	return id, run.Settings, failed(err)
}

// work runs or resumes: it opens the engine, passes signals on, and shows
// progress and result.
func (a *app) work(ctx context.Context, f runFlags, do func(context.Context, *session, string) (*local.Result, error), id string) error {
	choices, err := f.choices(a.program.Definition.Agents)
	if err != nil {
		return err
	}
	performers, err := a.performers(choices)
	if err != nil {
		return err
	}
	show := a.newProgress(f)
	s, err := a.open(ctx, setup{performers: performers, maxParallel: f.MaxParallel, watch: show.notice})
	if err != nil {
		return err
	}
	defer s.close()
	signals := a.catchSignals(s, show)
	defer signals.stop()
	result, err := do(ctx, s, id)
	show.close()
	if err != nil {
		var exit *exitError
		if errors.As(err, &exit) {
			return err
		}
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

// exitOf returns the error that carries a run's exit code.
func exitOf(s flow.Status) error {
	switch s {
	case flow.Completed:
		return nil
	case flow.Paused:
		return &exitError{code: ExitPaused}
	case flow.Cancelled:
		return &exitError{code: ExitCancelled}
	case flow.LimitReached:
		return &exitError{code: ExitLimit}
	}
	return &exitError{code: ExitFailed}
}

// showResult prints the result for a person or for a program.
func (a *app) showResult(ctx context.Context, s *session, f runFlags, r *local.Result) error {
	if f.jsonl {
		return nil // the end was the last line
	}
	if a.json {
		status, err := s.engine.Status(ctx, r.ID)
		if err != nil {
			return failed(err)
		}
		d := newRunDocument(status, s.folder.Log(r.ID))
		d.SchemaVersion = schemaVersion
		return printJSON(a.streams.Out, d)
	}
	if r.Summary != "" && r.Status == flow.Completed {
		fmt.Fprintln(a.streams.Out, strings.TrimSuffix(r.Summary, "\n"))
	}
	if r.Status != flow.Completed && !f.quiet {
		a.explainEnd(ctx, s, r)
	}
	return nil
}

// explainEnd says on standard error why a run did not complete, and what can be
// done.
func (a *app) explainEnd(ctx context.Context, s *session, r *local.Result) {
	w := a.streams.Err
	fmt.Fprintf(w, "\nrun %s %s", r.ID, verb(r.Status))
	switch {
	case r.Reason != "" && r.Status == flow.Cancelled:
		fmt.Fprintf(w, ": %s", r.Reason)
	case r.Error != "" && r.Status == flow.Failed:
		status, err := s.engine.Status(ctx, r.ID)
		if err != nil || !a.listFailures(status.Steps) {
			fmt.Fprintf(w, ": %s", r.Error)
		}
	}
	fmt.Fprintf(w, "\n  log:    %s logs %s\n", a.name, r.ID)
	if r.Status != flow.Completed {
		fmt.Fprintf(w, "  resume: %s resume %s\n", a.name, r.ID)
	}
}

// listFailures prints the failed steps, if there are any.
func (a *app) listFailures(steps []flow.Record) bool {
	found := false
	for _, s := range steps {
		if s.Status != flow.Failed || s.Failure == nil {
			continue
		}
		if !found {
			fmt.Fprintln(a.streams.Err, ":")
		} else {
			fmt.Fprintln(a.streams.Err)
		}
		found = true
		fmt.Fprintf(a.streams.Err, "  %s: %s", s.Key, indentRest(s.Failure.Message, "    "))
	}
	return found
}

func indentRest(text, by string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by)
}

// verb is a run's status in a sentence.
func verb(s flow.Status) string {
	switch s {
	case flow.Paused:
		return "is paused"
	case flow.Cancelled:
		return "was cancelled"
	case flow.LimitReached:
		return "reached its limit"
	}
	return string(s)
}

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show a run and its steps",
		Long:  "Show the state of a run and of its steps.\n\nRUN is a run's id, the beginning of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				status, err := s.engine.Status(ctx, id)
				if err != nil {
					return failed(err)
				}
				d := newRunDocument(status, s.folder.Log(id))
				if a.json {
					d.SchemaVersion = schemaVersion
					return printJSON(a.streams.Out, d)
				}
				return a.printStatus(d)
			})
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// withRun opens the store and finds a run for a command that only looks.
func (a *app) withRun(ctx context.Context, name string, do func(context.Context, *session, string) error) error {
	s, err := a.open(ctx, setup{})
	if err != nil {
		return err
	}
	defer s.close()
	id, err := s.find(ctx, a, name)
	if err != nil {
		return err
	}
	return do(ctx, s, id)
}

func (a *app) listCommand() *cobra.Command {
	var limit int
	var status string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs of the workflow, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.open(cmd.Context(), setup{})
			if err != nil {
				return err
			}
			defer s.close()
			runs, err := s.engine.ListRuns(cmd.Context(), store.Filter{
				Workflow: a.program.Definition.Name, Status: flow.Status(status), Limit: limit,
			})
			if err != nil {
				return failed(err)
			}
			return a.printList(s, runs)
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "how many runs; 0 is all")
	cmd.Flags().StringVar(&status, "status", "", "only runs of this status: running, interrupted, paused, completed, failed, cancelled, limit_reached")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) cancelCommand() *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "cancel [RUN]",
		Short: "Cancel a run",
		Long:  "Cancel a run: its processes are ended, what has not begun is skipped. A process\nthat works on the run is asked to, and this command waits for it.\n\nRUN is a run's id, the beginning of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				ctx, stop := context.WithTimeout(ctx, wait)
				defer stop()
				if err := s.engine.Cancel(ctx, id, userName()); err != nil {
					return failed(err)
				}
				fmt.Fprintf(a.streams.Out, "run %s was cancelled\n", id)
				return nil
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", 30*time.Second, "how long to wait for the run's end")
	return cmd
}
