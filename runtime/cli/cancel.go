package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
)

func (a *app) cancelCommand() *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "cancel [RUN]",
		Short: "Cancel a run",
		Long:  "Cancel a run: end its processes and skip the steps that have not started. The\nprocess that works on the run does this, and the command waits for it. Steps that\nrun at the end of every run (finally) still run; if no process works on the run, this\ncommand runs them.\n\nRUN is a run's id, a prefix of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if idle, err := a.cancelIdle(cmd.Context(), firstOrEmpty(args)); idle || err != nil {
				return err
			}
			return a.withRun(cmd.Context(), firstOrEmpty(args), func(ctx context.Context, s *session, id string) error {
				ctx, stop := context.WithTimeout(ctx, wait)
				defer stop()
				if err := s.engine.Cancel(ctx, id, a.actor().String()); err != nil {
					return failedError(err)
				}
				a.recordCancelled(ctx, s.engine, id)
				fmt.Fprintf(a.streams.Out, "run %s was cancelled\n", id)
				if root, err := s.engine.Root(ctx, id); err == nil && root != id {
					if holder, _ := s.engine.Holder(root); holder == "" {
						fmt.Fprintf(a.streams.Out, "its step fails when `%s` continues run %s\n", a.commandLine("resume", root)+a.stateHint(), root)
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", 30*time.Second, "")
	return cmd
}

// cleansUp reports whether a run needs a process to be cancelled: it has steps that run at
// its end, and no process works on it.
func (a *app) cleansUp(run *local.RunStatus) bool {
	return a.program.Definition.CleansUp() && (run.Status == flow.Paused || run.Status == flow.Interrupted)
}

// cancelIdle cancels a run that no process works on, if its workflow has steps that run
// at the end of every run: it runs them. idle is false if there is no such run.
func (a *app) cancelIdle(ctx context.Context, name string) (idle bool, err error) {
	if !a.program.Definition.CleansUp() {
		return false, nil // without a look at the store
	}
	r := resumption{elsewhere: os.Args, cancelBy: a.actor().String()}
	err = a.withRun(ctx, name, func(ctx context.Context, s *session, id string) error {
		run, err := s.engine.Status(ctx, id)
		if err == nil {
			idle, r.id, r.settings = a.cleansUp(run), id, run.Settings
		}
		return failedError(err)
	})
	if err != nil || !idle {
		return false, err
	}
	err = a.resumeRun(ctx, runFlags{}, r)
	if exit, ok := errors.AsType[*exitError](err); ok && exit.code == runerr.ExitCancelled && exit.err == nil {
		return true, nil // what is shown of the run says so
	}
	return true, err
}
