package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/diagram"
	"github.com/wfc-lang/wfc/runtime/internal/format"
)

func (a *app) graphCommand() *cobra.Command {
	var as, run string
	var layers bool
	formats := draw.Formats()
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Draw the workflow, or the path of a run",
		Args:  commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			def := a.program.Definition
			switch {
			case layers && run != "":
				return usageError("--layers shows no run; remove --layers or --run")
			case layers && def.Graph != nil:
				return usageError("--layers is for workflows whose nodes depend on each other; the nodes of a state graph follow each other, see `%s`", a.commandLine("graph", ""))
			case layers:
				return failedError(draw.WriteLayers(a.streams.Out, def.Nodes))
			case !slices.Contains(formats, as):
				return usageError("%s", plain.UnknownValue("format", as, formats))
			case run != "":
				return a.drawRun(cmd.Context(), as, run)
			}
			return failedError(draw.Write(a.streams.Out, as, def.Name, def.Nodes, def.Graph))
		},
	}
	cmd.Flags().StringVar(&as, "format", formats[0], "output format: "+strings.Join(formats, ", "))
	cmd.Flags().BoolVar(&layers, "layers", false, "print layers of nodes that can run in parallel")
	cmd.Flags().StringVar(&run, "run", "", "draw the path of a `RUN`: an id, a prefix of one, or latest")
	return cmd
}

// drawRun draws the workflow of a run with the path that the run took.
func (a *app) drawRun(ctx context.Context, as, name string) error {
	return a.withRun(ctx, name, func(ctx context.Context, s *session, id string) error {
		f, err := s.loadFamily(ctx, id)
		if err != nil {
			return failedError(err)
		}
		run := f.findRun(id)
		def := a.runDisplay(run.Workflow).def
		w := diagram.Workflow{Name: def.Name, Nodes: def.Nodes, Graph: def.Graph, Run: &diagram.Run{
			ID: run.ID, Status: run.Status, Steps: run.Steps, Cause: causeOf, Now: time.Now(),
		}}
		return failedError(w.Write(a.streams.Out, as))
	})
}

// causeOf says why a step did not complete, or "".
func causeOf(r flow.Record) string {
	switch {
	case r.Failure != nil:
		return format.FirstLine(cmp.Or(r.Failure.Message, r.Reason))
	case r.Status == flow.Skipped:
		return skipText(r.Reason)
	case r.Status == flow.Cancelled:
		return r.Reason
	}
	return ""
}
