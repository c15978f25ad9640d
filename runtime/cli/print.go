package cli

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// printStatus prints a run for a person.
func (a *app) printStatus(d runDocument, status *local.RunStatus) error {
	w := a.streams.Out
	fmt.Fprintf(w, "run %s: %s", d.ID, d.Status)
	if d.Reason != "" {
		fmt.Fprintf(w, " (%s)", d.Reason)
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
	for _, n := range d.Nodes {
		if machinery(n.Kind) && n.Status != flow.Failed {
			continue
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", mark(n.Status), n.Key, n.Kind, n.Status, remark(n))
	}
	if err := tw.Flush(); err != nil {
		return failed(err)
	}
	var b strings.Builder
	a.writeQuestions(&b, status)
	if b.Len() > 0 {
		fmt.Fprintf(w, "\n%s", b.String())
	}
	return nil
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
	case flow.SkipRule:
		return "its trigger rule did not hold"
	case flow.SkipFailure:
		return "a step before it failed"
	case flow.SkipCondition:
		return "its condition is false"
	case flow.SkipGiven:
		return "its output was given as an input"
	case flow.SkipCancelled:
		return "the run was cancelled"
	case flow.SkipLimit:
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
	case flow.Waiting:
		return "?"
	case flow.Cancelled:
		return "■"
	}
	return "○"
}

// printList prints runs. missed says which deliveries of them failed.
func (a *app) printList(s *session, runs []local.RunStatus, missed map[string][]string) error {
	if a.json {
		list := struct {
			SchemaVersion int           `json:"schema_version"`
			Runs          []runDocument `json:"runs"`
		}{schemaVersion, make([]runDocument, len(runs))}
		for i := range runs {
			list.Runs[i] = a.runDocument(&runs[i], s.folder.Log(runs[i].ID))
			list.Runs[i].Undelivered = missed[runs[i].ID]
		}
		return printJSON(a.streams.Out, list)
	}
	if len(runs) == 0 {
		fmt.Fprintf(a.streams.Err, "no runs of %s in %s\n", a.program.Definition.Name, store.Place(s.store, s.folder.Path))
		return nil
	}
	tw := tabwriter.NewWriter(a.streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "RUN\tSTATUS\tBEGUN\tTOOK\tNOTE")
	for _, r := range runs {
		took := ""
		if !r.Finished.IsZero() {
			took = shortDuration(r.Finished.Sub(r.Created))
		}
		note := cmp.Or(r.Reason, a.questionNote(r.Questions))
		if list := missed[r.ID]; len(list) > 0 {
			note = strings.Join(list, "; ")
		}
		if r.Error != "" {
			note = r.Error
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Status, r.Created.Local().Format(time.DateTime), took, clip(firstLine(note), 80))
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
