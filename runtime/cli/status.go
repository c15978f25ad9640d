package cli

import (
	"cmp"
	"context"
	"fmt"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/excerpt"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/statuses"
	"github.com/wfc-lang/wfc/runtime/plain"
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
				d, status, err := a.wholeDocument(ctx, s, id)
				if err != nil {
					return failed(err)
				}
				if a.json {
					return printJSON(a.streams.Out, d)
				}
				return a.printStatus(d, status)
			})
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// printStatus prints a run for a person.
func (a *app) printStatus(d document.Run, status *local.RunStatus) error {
	w := a.streams.Out
	fmt.Fprintf(w, "run %s: %s", d.ID, d.Status)
	if d.Reason != "" {
		fmt.Fprintf(w, " (%s)", plain.Line(d.Reason))
	}
	fmt.Fprintf(w, "\nbegun %s", d.Created.Local().Format(time.DateTime))
	if !d.Finished.IsZero() {
		fmt.Fprintf(w, ", took %s", format.Duration(d.Finished.Sub(d.Created)))
	}
	if text := format.Usage(total(a.program.Definition, status.Steps)); text != "" {
		fmt.Fprintf(w, "\nin total: %s", text)
	}
	fmt.Fprint(w, "\n")
	if d.Task != nil {
		fmt.Fprint(w, taskLines(d.Task))
	}
	var tree strings.Builder
	writeWorktree(&tree, status.Worktree())
	fmt.Fprint(w, tree.String(), "\n")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, n := range nested(d.Nodes) {
		if machinery(n.Kind) && n.Status != flow.Failed {
			continue
		}
		fmt.Fprint(tw, plain.Row(mark(n.Status), n.indent+n.Key, n.Kind, string(n.Status), remark(n.Step)))
	}
	if err := tw.Flush(); err != nil {
		return failed(err)
	}
	var b strings.Builder
	a.writeQuestions(&b, status, terminalWidth(w))
	if b.Len() > 0 {
		fmt.Fprintf(w, "\n%s", b.String())
	}
	return nil
}

// A nestedStep is a step with what stands before it in a list.
type nestedStep struct {
	document.Step
	indent string
}

// nested puts the parts of nodes, such as the questions of a gate, below them.
func nested(steps []document.Step) []nestedStep {
	records := make([]flow.Record, len(steps))
	for i, s := range steps {
		records[i].Key = s.Key
	}
	parts := map[string][]nestedStep{}
	for _, s := range steps {
		if parent := parentOf(records, s.Key); parent != s.Key {
			parts[parent] = append(parts[parent], nestedStep{s, "  "})
		}
	}
	list := make([]nestedStep, 0, len(steps))
	for _, s := range steps {
		if parentOf(records, s.Key) == s.Key {
			list = append(append(list, nestedStep{s, ""}), parts[s.Key]...)
		}
	}
	return list
}

// remark is the last column of a step: why, or how long.
func remark(n document.Step) string {
	switch {
	case n.Error != nil:
		return excerpt.Clip(format.FirstLine(n.Error.Message), 100)
	case n.Status == flow.Skipped:
		return skipText(n.Reason)
	case n.Status == flow.Running && !n.Started.IsZero():
		return "for " + format.Duration(time.Since(n.Started))
	case n.Status == flow.Interrupted && !n.Started.IsZero():
		return "begun " + n.Started.Local().Format(time.DateTime)
	case n.Status == flow.Waiting && !n.Started.IsZero():
		return "since " + n.Started.Local().Format(time.DateTime)
	case n.DurationMS > 0:
		text := format.Duration(time.Duration(n.DurationMS) * time.Millisecond)
		if n.Meta != nil {
			text += after(", ", format.Usage(*n.Meta)) + after(", by ", n.Meta.By)
		}
		return text
	}
	return n.Reason
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
			if status != "" && !statuses.Has(flow.Status(status)) {
				return usage("`--status %s`: the statuses of runs are %s", status, statuses.List())
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
	cmd.Flags().StringVar(&status, "status", "", "only runs with this `STATUS`: "+statuses.List())
	a.projectFlag(cmd, &all)
	a.jsonFlag(cmd)
	return cmd
}

// printList prints runs. all says that they may be of every workflow, and missed
// which deliveries of them failed.
func (a *app) printList(s *session, runs []local.RunStatus, all bool, missed map[string][]string) error {
	if a.json {
		list := struct {
			SchemaVersion int            `json:"schema_version"`
			Runs          []document.Run `json:"runs"`
		}{schemaVersion, make([]document.Run, len(runs))}
		for i := range runs {
			r := runs[i]
			r.Steps = nil // status shows them
			list.Runs[i] = a.runDocument(&r, s.folder.Log(runs[i].ID))
			list.Runs[i].Undelivered = missed[runs[i].ID]
		}
		return printJSON(a.streams.Out, list)
	}
	if len(runs) == 0 {
		of := " of " + a.program.Definition.Name
		if all {
			of = ""
		}
		fmt.Fprintf(a.streams.Err, "no runs%s in %s\n", of, store.Place(s.store, s.folder.Path))
		return nil
	}
	tw := tabwriter.NewWriter(a.streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "RUN\tSTATUS\tBEGUN\tTOOK\tNOTE")
	for _, r := range runs {
		took := ""
		if !r.Finished.IsZero() {
			took = format.Duration(r.Finished.Sub(r.Created))
		}
		notes := questionNotes(r.Questions, r.Steps)
		if note := cmp.Or(r.Error, strings.Join(missed[r.ID], "; "), r.Reason); note != "" || len(notes) == 0 {
			notes = slices.Insert(notes, 0, note)
		}
		fmt.Fprint(tw, plain.Row(r.ID, string(r.Status), r.Created.Local().Format(time.DateTime), took, excerpt.Clip(format.FirstLine(notes[0]), 80)))
		for _, note := range notes[1:] {
			fmt.Fprintf(tw, "\t\t\t\t%s\n", excerpt.Clip(format.FirstLine(note), 80))
		}
	}
	return failed(tw.Flush())
}
