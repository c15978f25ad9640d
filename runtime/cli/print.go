package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/store"
)

// printStatus prints a run for a person.
func (a *app) printStatus(d runDocument, status *local.RunStatus) error {
	w := a.streams.Out
	fmt.Fprintf(w, "run %s: %s", d.ID, d.Status)
	if d.Reason != "" {
		fmt.Fprintf(w, " (%s)", plain.Line(d.Reason))
	}
	fmt.Fprintf(w, "\nbegun %s", d.Created.Local().Format(time.DateTime))
	if !d.Finished.IsZero() {
		fmt.Fprintf(w, ", took %s", shortDuration(d.Finished.Sub(d.Created)))
	}
	if text := usageText(total(a.program.Definition, status.Steps)); text != "" {
		fmt.Fprintf(w, "\nin total: %s", text)
	}
	fmt.Fprint(w, "\n")
	if d.Task != nil {
		fmt.Fprint(w, d.Task.lines())
	}
	var tree strings.Builder
	writeWorktree(&tree, status.Worktree())
	fmt.Fprint(w, tree.String(), "\n")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, n := range nested(d.Nodes) {
		if machinery(n.Kind) && n.Status != flow.Failed {
			continue
		}
		fmt.Fprint(tw, plain.Row(mark(n.Status), n.indent+n.Key, n.Kind, string(n.Status), remark(n.stepDocument)))
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
	stepDocument
	indent string
}

// nested puts the parts of nodes, such as the questions of a gate, below them.
func nested(steps []stepDocument) []nestedStep {
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

// parentOf is the step of which a step is a part, or the step's own key. A run may
// be of a workflow that this program does not know.
func parentOf(steps []flow.Record, key string) string {
	parent := key
	for _, s := range steps {
		if stepkey.PartOf(key, s.Key) && len(s.Key) < len(parent) {
			parent = s.Key
		}
	}
	return parent
}

// remark is the last column of a step: why, or how long.
func remark(n stepDocument) string {
	switch {
	case n.Error != nil:
		return clip(firstLine(n.Error.Message), 100)
	case n.Status == flow.Skipped:
		return skipText(n.Reason)
	case n.Status == flow.Running && !n.Started.IsZero():
		return "for " + shortDuration(time.Since(n.Started))
	case n.Status == flow.Interrupted && !n.Started.IsZero():
		return "begun " + n.Started.Local().Format(time.DateTime)
	case n.Status == flow.Waiting && !n.Started.IsZero():
		return "since " + n.Started.Local().Format(time.DateTime)
	case n.DurationMS > 0:
		text := shortDuration(time.Duration(n.DurationMS) * time.Millisecond)
		if n.Meta != nil {
			text += after(", ", usageText(*n.Meta)) + after(", by ", n.Meta.By)
		}
		return text
	}
	return n.Reason
}

// skipText says in words why a step was skipped.
func skipText(reason string) string {
	switch reason {
	case kernel.SkipRule:
		return "its trigger rule did not hold"
	case kernel.SkipFailure:
		return "a step before it failed"
	case kernel.SkipCondition:
		return "its condition is false"
	case kernel.SkipGiven:
		return "its output was given as an input"
	case kernel.SkipCancelled:
		return "the run was cancelled"
	case kernel.SkipLimit:
		return "the run reached a limit"
	}
	return strings.ReplaceAll(reason, "_", " ")
}

// mark is a step's status as one character.
func mark(s flow.Status) string {
	switch s {
	case flow.Completed:
		return "✓"
	case flow.Failed:
		return "✗"
	case flow.Running:
		return "●"
	case flow.Interrupted:
		return "!"
	case flow.Waiting:
		return "?"
	case flow.Cancelled:
		return "■"
	}
	return "○"
}

// printList prints runs. all says that they may be of every workflow, and missed
// which deliveries of them failed.
func (a *app) printList(s *session, runs []local.RunStatus, all bool, missed map[string][]string) error {
	if a.json {
		list := struct {
			SchemaVersion int           `json:"schema_version"`
			Runs          []runDocument `json:"runs"`
		}{schemaVersion, make([]runDocument, len(runs))}
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
			took = shortDuration(r.Finished.Sub(r.Created))
		}
		notes := questionNotes(r.Questions, r.Steps)
		if note := cmp.Or(r.Error, strings.Join(missed[r.ID], "; "), r.Reason); note != "" || len(notes) == 0 {
			notes = slices.Insert(notes, 0, note)
		}
		fmt.Fprint(tw, plain.Row(r.ID, string(r.Status), r.Created.Local().Format(time.DateTime), took, clip(firstLine(notes[0]), 80)))
		for _, note := range notes[1:] {
			fmt.Fprintf(tw, "\t\t\t\t%s\n", clip(firstLine(note), 80))
		}
	}
	return failed(tw.Flush())
}

// shortDuration is a duration with the digits that matter to a person.
func shortDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}
