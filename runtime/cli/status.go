package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/excerpt"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/lease"
	"github.com/wfc-lang/wfc/runtime/internal/statuses"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/unknown"
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
				d, f, err := a.wholeDocument(ctx, s, id)
				if err != nil {
					return failed(err)
				}
				if a.json {
					return printJSON(a.streams.Out, d)
				}
				return a.of(d.Workflow).printStatus(s, d, f)
			})
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// printStatus prints a run for a person.
func (a *app) printStatus(s *session, d document.Run, f *family) error {
	w, status := a.streams.Out, f.member(d.ID)
	fmt.Fprintf(w, "run %s: %s", d.ID, d.Status)
	if d.Reason != "" {
		fmt.Fprintf(w, " (%s)", plain.Line(d.Reason))
	}
	if d.Outcome != "" {
		fmt.Fprintf(w, ", outcome %s", d.Outcome)
	}
	fmt.Fprintf(w, "\nstarted %s", d.Created.Local().Format(time.DateTime))
	fmt.Fprint(w, after(", took ", took(d.Created, d.Finished)))
	if text := format.Usage(total(a.program.Definition, status.Steps)); text != "" {
		fmt.Fprintf(w, "\nin total: %s", text)
	}
	fmt.Fprint(w, "\n")
	if d.Parent != nil {
		fmt.Fprintf(w, "part of run %s: its step %s\n", d.Parent.Run, plain.Line(d.Parent.Step))
	}
	if d.Task != nil {
		fmt.Fprint(w, taskLines(d.Task))
	}
	writeWorktree(w, status.Worktree())
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	a.writeSteps(tw, f, status, "")
	if err := tw.Flush(); err != nil {
		return failed(err)
	}
	var b strings.Builder
	a.writeAllQuestions(&b, s, f, d.ID, terminalWidth(w))
	if b.Len() > 0 {
		fmt.Fprintf(w, "\n%s", b.String())
	}
	return nil
}

// writeSteps writes the steps of a run, one a line, and below the step that began it each
// child with its own steps.
func (a *app) writeSteps(w io.Writer, f *family, r *local.RunStatus, indent string) {
	d := a.runDocument(r, "")
	for _, n := range nested(d.Nodes) {
		if machinery(n.Kind) && n.Status != flow.Failed {
			continue
		}
		note := remark(n.Step)
		if a.former(r, n.Key) {
			note = "not in the current version of the workflow"
		}
		fmt.Fprint(w, plain.Row(mark(n.Status), indent+n.indent+n.Key, n.Kind, string(n.Status), note))
		for _, child := range f.children {
			if run, step := child.Parent(); run != r.ID || step != n.Key {
				continue
			}
			within := indent + n.indent + "  "
			fmt.Fprint(w, plain.Row(mark(markOf(child.Status)), within+"run "+child.ID, child.Workflow, string(child.Status), format.FirstLine(cmp.Or(child.Error, child.Reason))))
			a.of(child.Workflow).writeSteps(w, f, child, within+"  ")
		}
	}
}

// former reports whether a step was part of an earlier version of the workflow only: the run
// has moved to the version of this program, which does not have the step's node.
func (a *app) former(r *local.RunStatus, key string) bool {
	def := a.program.Definition
	_, known := a.nodes.nodes(def).Of(key)
	return !known && r.Fingerprint == def.Fingerprint && !stepkey.OfWalk(key) && !strings.HasPrefix(key, "/")
}

// markOf is the status of a step that has the mark of a run's status.
func markOf(s flow.Status) flow.Status {
	if s == flow.Paused {
		return flow.Waiting
	}
	return s
}

// A nestedStep is a step with what stands before it in a list.
type nestedStep struct {
	document.Step
	indent string
}

// nested puts the parts of nodes, such as the questions of a gate, below them.
func nested(steps []document.Step) []nestedStep {
	keys := make(stepkey.Keys, len(steps))
	for i := range steps {
		keys[steps[i].Key] = true
	}
	parts := map[string][]nestedStep{}
	for _, s := range steps {
		if parent := keys.Outermost(s.Key); parent != s.Key {
			parts[parent] = append(parts[parent], nestedStep{s, "  "})
		}
	}
	list := make([]nestedStep, 0, len(steps))
	for _, s := range steps {
		if keys.Outermost(s.Key) == s.Key {
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
		return "started " + n.Started.Local().Format(time.DateTime)
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
	var all, children bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs of the workflow, newest first",
		Args:  commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if status != "" && !statuses.Has(flow.Status(status)) {
				return usage("%s", unknown.Value("status", status, statuses.Names()))
			}
			if limit < 0 {
				return usage("`--limit %d`: give a positive number, or 0 for all", limit)
			}
			s, err := a.open(cmd.Context(), setup{})
			if err != nil {
				return err
			}
			defer s.close()
			f := store.Filter{Workflow: a.program.Definition.Name, Status: flow.Status(status), Limit: limit, Brief: !a.json}
			if all {
				f.Workflow = ""
			}
			runs, err := s.engine.ListRuns(cmd.Context(), f)
			if err != nil {
				return failed(err)
			}
			missed, err := a.undeliveredOf(cmd.Context(), s, runs)
			if err != nil {
				return failed(err)
			}
			rows := make([]listed, len(runs))
			for i := range runs {
				if rows[i], err = a.listed(cmd.Context(), s, runs[i], children); err != nil {
					return err
				}
				rows[i].missed = missed[runs[i].ID]
			}
			return a.printList(s, rows, all)
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "maximum number of runs; 0 is all")
	cmd.Flags().StringVar(&status, "status", "", "only runs with this `STATUS`: "+statuses.List())
	cmd.Flags().BoolVar(&children, "children", false, "include the runs that steps of these runs started")
	a.projectFlag(cmd, &all)
	a.jsonFlag(cmd)
	return cmd
}

// A listed run is a row of a list.
type listed struct {
	local.RunStatus
	// notes say what the run and those below it ask or wait for.
	notes []string
	// waits are the run's waits, and below the runs that its steps began, if they are
	// listed. missed are the deliveries that failed.
	waits  []document.Wait
	below  []document.Child
	missed []string
}

// listed finds out what a list shows of a run that has not ended, and of those below it.
func (a *app) listed(ctx context.Context, s *session, r local.RunStatus, children bool) (listed, error) {
	row := listed{RunStatus: r}
	if r.Status.Ended() && !children {
		return row, nil
	}
	f, err := s.family(ctx, r.ID)
	if err != nil {
		return row, err
	}
	by := ""
	if !r.Status.Ended() {
		by = a.continuedBy(s, r.ID)
	}
	row.Questions, row.Steps = f.root.Questions, f.root.Steps
	row.notes = questionNotes(f.root.Questions, f.root.Steps, by)
	row.waits = a.waitDocuments(f.root.Questions, by)
	for _, child := range f.children {
		for _, note := range questionNotes(child.Questions, child.Steps, by) {
			row.notes = append(row.notes, child.ID+": "+note)
		}
	}
	if children {
		row.below = a.childDocuments(s, f, r.ID, by)
	}
	return row, nil
}

// printList prints runs. all says that they may be of every workflow.
func (a *app) printList(s *session, runs []listed, all bool) error {
	if a.json {
		list := struct {
			SchemaVersion int            `json:"schema_version"`
			Runs          []document.Run `json:"runs"`
		}{schemaVersion, make([]document.Run, len(runs))}
		for i := range runs {
			r := runs[i]
			r.Steps = nil // status shows them
			d := a.runDocument(&r.RunStatus, s.folder.LogFile(r.ID))
			d.Undelivered, d.Waits, d.Children = r.missed, r.waits, r.below
			list.Runs[i] = d
		}
		return printJSON(a.streams.Out, list)
	}
	if len(runs) == 0 {
		of := " of " + a.program.Definition.Name
		if all {
			of = ""
		}
		fmt.Fprintf(a.streams.Err, "no runs%s in %s\n", of, lease.Place(s.store, s.folder.Path))
		return nil
	}
	tw := tabwriter.NewWriter(a.streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "RUN\tSTATUS\tSTARTED\tTOOK\tNOTE")
	for _, r := range runs {
		notes := r.notes
		if note := cmp.Or(r.Error, strings.Join(r.missed, "; "), r.Reason); note != "" || len(notes) == 0 {
			notes = slices.Insert(notes, 0, note)
		}
		fmt.Fprint(tw, plain.Row(r.ID, string(r.Status), r.Created.Local().Format(time.DateTime), took(r.Created, r.Finished), excerpt.Clip(format.FirstLine(notes[0]), 80)))
		for _, note := range notes[1:] {
			fmt.Fprintf(tw, "\t\t\t\t%s\n", excerpt.Clip(format.FirstLine(note), 80))
		}
		for _, child := range r.below {
			note := cmp.Or(child.Error, child.Reason, "workflow "+child.Workflow)
			fmt.Fprint(tw, plain.Row("  "+child.ID, string(child.Status), child.Created.Local().Format(time.DateTime), took(child.Created, child.Finished), excerpt.Clip(format.FirstLine(note), 80)))
		}
	}
	return failed(tw.Flush())
}

// took is how long a run took, or "" if it has not ended.
func took(created, finished time.Time) string {
	if finished.IsZero() {
		return ""
	}
	return format.Duration(finished.Sub(created))
}
