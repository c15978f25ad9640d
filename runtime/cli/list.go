package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

func (a *app) listCommand() *cobra.Command {
	var limit int
	var names []string
	var children bool
	var r reading
	cmd := &cobra.Command{Use: "list", Short: "List the runs of the workflow, newest first"}
	addReading(a, cmd, &r, func(ctx context.Context, s *session) error {
		chosen, err := chosenStatuses(names)
		if err != nil {
			return err
		}
		if limit < 0 {
			return usageError("`--limit %d`: give a positive number, or 0 for all", limit)
		}
		s.sendLeftNotices()
		f := store.Filter{Workflow: workflowUnless(r.all, a.program.Definition), Brief: !a.json}
		if limit > 0 {
			f.Limit = limit + 1 // the last says that there are more
		}
		runs, err := s.engine.ListRuns(ctx, f, chosen...)
		if err != nil {
			return failedError(err)
		}
		runs = slices.DeleteFunc(runs, func(run local.RunStatus) bool { return run.Created.Before(r.begin) })
		more := limit > 0 && len(runs) > limit
		if more {
			runs = runs[:limit]
		}
		missed, err := s.undeliveredOf(ctx, runs)
		if err != nil {
			return failedError(err)
		}
		rows := make([]listed, len(runs))
		for i := range runs {
			if rows[i], err = s.newListed(ctx, runs[i], children); err != nil {
				return err
			}
			rows[i].missed = missed[runs[i].ID]
		}
		if len(rows) == 0 && !a.json {
			s.reportNoRuns(r, names)
			return nil
		}
		return s.printList(rows, more)
	})
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "")
	cmd.Flags().StringSliceVar(&names, "status", nil, statusUse)
	cmd.Flags().BoolVar(&children, "children", false, "")
	return cmd
}

// statusUse describes the flag --status of each command that has it.
var statusUse = "only runs with these `STATUS`es: " + document.StatusList()

// chosenStatuses are the statuses of a flag.
func chosenStatuses(names []string) (chosen []flow.Status, err error) {
	for _, name := range names {
		if !document.IsStatus(flow.Status(name)) {
			return nil, usageError("%s", plain.UnknownValue("status", name, document.StatusNames()))
		}
		chosen = append(chosen, flow.Status(name))
	}
	return chosen, nil
}

// A listed run is a row of a list.
type listed struct {
	local.RunStatus
	// spent is what the run has cost.
	spent flow.Meta
	// open are the questions and waits of the run and those below it, and notes say what they are.
	open  []engine.Question
	notes []string
	// waits are the run's waits, and below the runs that its steps began, if they are
	// listed. missed are the deliveries that failed.
	waits  []document.Wait
	below  []document.Child
	missed []string
}

// newListed finds out what a list shows of a run that has not ended, and of those below it.
func (s *session) newListed(ctx context.Context, r local.RunStatus, children bool) (listed, error) {
	row := listed{RunStatus: r}
	steps, err := s.store.Steps(ctx, r.ID)
	if err != nil {
		return row, failedError(err)
	}
	row.spent = sched.Used(steps)
	def := s.runDisplay(r.Workflow).def
	known := def.Name == r.Workflow
	cutOff := func(s flow.Record) bool {
		return s.Kind == (flow.Child{}).Kind() && s.Attempt > 0 && s.Meta.Usage() == flow.Usage{}
	}
	if r.Status.Ended() && !children && !slices.ContainsFunc(steps, cutOff) {
		if known {
			row.spent = totalCost(def, steps)
		}
		return row, nil
	}
	f, err := s.loadFamily(ctx, r.ID)
	if err != nil {
		return row, err
	}
	by := ""
	if !r.Status.Ended() {
		by, _ = s.continuedBy(f.root)
	}
	if known {
		row.spent = s.costOf(f, f.findRun(r.ID))
	}
	row.Questions, row.Steps = f.root.Questions, f.root.Steps
	for _, member := range f.allRuns() {
		row.open = append(row.open, member.Questions...)
	}
	row.notes = questionNotes(f.root.Questions, f.root.Steps, "", by)
	row.waits = s.showRun(f.root).waitDocuments(f.root.Questions, by)
	for _, child := range f.children {
		row.notes = append(row.notes, questionNotes(child.Questions, child.Steps, child.ID+": ", by)...)
	}
	if f.onlyAnswered() {
		row.notes = []string{"was answered; `" + s.commandLine("resume", r.ID) + s.stateHint() + "` continues it"}
	}
	if children {
		row.below = s.childDocuments(f, r.ID, by)
	}
	return row, nil
}

// reportNoRuns says that no run is as the flags of list say.
func (s *session) reportNoRuns(r reading, statuses []string) {
	of, hint := " of "+s.program.Definition.Name, s.elsewhereHint("list")
	if r.all {
		of = ""
	}
	if conditions := prefixNonEmpty(" --status ", strings.Join(statuses, ",")) + prefixNonEmpty(" --since ", r.since); conditions != "" {
		hint = " match" + plain.Line(conditions) + "; leave that out to list all"
	}
	fmt.Fprintf(s.streams.Err, "no runs%s in %s%s\n", of, runstore.Place(s.store, s.folder.Path), hint)
}

// printList prints runs. more says that there are others.
func (s *session) printList(runs []listed, more bool) error {
	if s.json {
		list := struct {
			SchemaVersion int            `json:"schema_version"`
			Runs          []document.Run `json:"runs"`
		}{schemaVersion, make([]document.Run, len(runs))}
		for i := range runs {
			r := runs[i]
			v := s.showRun(&r.RunStatus)
			r.Steps = nil // status shows them
			d := v.runDocument(&r.RunStatus, s.folder.LogFile(r.ID), r.spent)
			d.Undelivered, d.Waits, d.Children = r.missed, r.waits, r.below
			list.Runs[i] = d
		}
		return printJSON(s.streams.Out, list)
	}
	rows := [][]string{{"RUN", "STATUS", "STARTED", "TOOK", "NOTE"}}
	var sum flow.Meta
	for _, r := range runs {
		sum = sum.Plus(r.spent)
		notes := r.notes
		if note := cmp.Or(r.Error, strings.Join(r.missed, "; "), r.Reason, describeTrigger(triggerOf(r.Settings, ""))); note != "" || len(notes) == 0 {
			notes = slices.Insert(notes, 0, note)
		}
		rows = append(rows, []string{r.ID, string(r.Status), r.Created.Local().Format(time.DateTime), plain.TimeTaken(r.Created, r.Finished), s.tableNote(notes[0])})
		for _, note := range notes[1:] {
			rows = append(rows, []string{"", "", "", "", s.tableNote(note)})
		}
		for _, child := range r.below {
			note := cmp.Or(child.Error, child.Reason, "workflow "+child.Workflow)
			rows = append(rows, []string{"  " + child.ID, string(child.Status), child.Created.Local().Format(time.DateTime), plain.TimeTaken(child.Created, child.Finished), s.tableNote(note)})
		}
	}
	if err := writeTable(s.streams.Out, rows); err != nil {
		return err
	}
	if text := format.Usage(sum); text != "" {
		fmt.Fprintln(s.streams.Out, plain.ListTotal(text, len(runs), more))
	}
	return nil
}

// tableNote is the first line of a note, which only a terminal has little space for.
func (s *session) tableNote(note string) string {
	note = format.FirstLine(note)
	if terminalWidth(s.streams.Out) > 0 {
		note = plain.Clip(note, noteWidth)
	}
	return note
}

// elsewhereHint names the command of wfc that shows the runs of all projects.
func (s *session) elsewhereHint(verb string) string {
	if !s.wfc || s.stateHint() != "" {
		return ""
	}
	return "; `wfc " + verb + " --all-projects` shows all projects"
}
