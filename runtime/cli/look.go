package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/store"
)

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show a run and its steps",
		Long:  "Show the state of a run and of its steps.\n\nRUN is a run's id, a prefix of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				status, err := s.engine.Status(ctx, id)
				if err != nil {
					return failed(err)
				}
				d := a.runDocument(status, s.folder.Log(id))
				if a.json {
					d.SchemaVersion = schemaVersion
					if d.Warnings, err = s.warnings(ctx, id); err != nil {
						return failed(err)
					}
					return printJSON(a.streams.Out, d)
				}
				return a.printStatus(d, status)
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

// runStatuses are the statuses that list can select.
var runStatuses = []flow.Status{flow.Running, flow.Interrupted, flow.Paused, flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached}

func statusList() string {
	names := make([]string, len(runStatuses))
	for i, s := range runStatuses {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

func (a *app) listCommand() *cobra.Command {
	var limit int
	var status string
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs of the workflow, newest first",
		Args:  commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if status != "" && !slices.Contains(runStatuses, flow.Status(status)) {
				return usage("`--status %s`: the statuses of runs are %s", status, statusList())
			}
			if limit < 0 {
				return usage("`--limit %d`: give a positive number, or 0 for all", limit)
			}
			s, err := a.open(cmd.Context(), setup{})
			if err != nil {
				return err
			}
			defer s.close()
			f := store.Filter{Workflow: a.program.Definition.Name, Status: flow.Status(status), Limit: limit}
			if all {
				f.Workflow = ""
			}
			runs, err := s.engine.ListRuns(cmd.Context(), f)
			if err != nil {
				return failed(err)
			}
			for i := range runs {
				if runs[i].Status != flow.Paused {
					continue
				}
				full, err := s.engine.Status(cmd.Context(), runs[i].ID)
				if err != nil {
					return failed(err)
				}
				runs[i].Questions, runs[i].Steps = full.Questions, full.Steps
			}
			missed, err := a.undeliveredOf(cmd.Context(), s, runs)
			if err != nil {
				return failed(err)
			}
			return a.printList(s, runs, all, missed)
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "maximum number of runs; 0 is all")
	cmd.Flags().StringVar(&status, "status", "", "only runs with this `STATUS`: "+statusList())
	a.projectFlag(cmd, &all)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) cancelCommand() *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "cancel [RUN]",
		Short: "Cancel a run",
		Long:  "Cancel a run: end its processes and skip the steps that have not started. The\nprocess that works on the run does this, and the command waits for it.\n\nRUN is a run's id, a prefix of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				ctx, stop := context.WithTimeout(ctx, wait)
				defer stop()
				if err := s.engine.Cancel(ctx, id, human.User()); err != nil {
					return failed(err)
				}
				fmt.Fprintf(a.streams.Out, "run %s was cancelled\n", id)
				return nil
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", 30*time.Second, "maximum wait for the end of the run")
	return cmd
}
