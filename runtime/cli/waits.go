package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// waitText says what a step waits for.
func waitText(q flow.Question, deadline time.Time) string {
	until := ""
	if !deadline.IsZero() {
		until = " until " + deadline.Local().Format(time.DateTime)
		if !time.Now().Before(deadline) {
			until += ", which is over"
		}
	}
	switch q.Wait {
	case flow.WaitEvent:
		return "waits for the event `" + human.Printable(q.Message) + "`" + until
	case flow.WaitAttention:
		return "waits for a person: " + human.Printable(q.Message)
	}
	return "waits" + until
}

// asksPeople are the open questions that are no waits.
func asksPeople(open []engine.Question) []engine.Question {
	return slices.DeleteFunc(slices.Clone(open), func(q engine.Question) bool { return q.Wait != "" })
}

// waits are the open questions that are waits.
func waits(open []engine.Question) []engine.Question {
	return slices.DeleteFunc(slices.Clone(open), func(q engine.Question) bool { return q.Wait == "" })
}

// wakeTime is the first time at which a wait of the family is over; zero is none.
func (f *family) wakeTime() (at time.Time) {
	for _, r := range f.all() {
		for _, q := range waits(r.Questions) {
			if !q.Deadline.IsZero() && (at.IsZero() || q.Deadline.Before(at)) {
				at = q.Deadline
			}
		}
	}
	return at
}

// onlyWaits reports whether no process works on the family and nothing but waits and
// questions is left of its steps that have begun: it is paused, or its process died while
// it waited.
func (f *family) onlyWaits() bool {
	return f.root.Status == flow.Paused || f.root.Status == flow.Interrupted && !slices.ContainsFunc(f.all(), func(r *local.RunStatus) bool {
		return slices.ContainsFunc(r.Steps, func(s flow.Record) bool {
			return s.Status == flow.Interrupted && s.Kind != (flow.Child{}).Kind()
		})
	})
}

// continuedBy says who continues a run when what it waits for has come: the process that
// works on it, or the one that keeps the workflow's schedule, or else a command.
func (a *app) continuedBy(s *session, root string) string {
	if holder, _ := s.engine.Holder(root); holder != "" {
		return holder
	}
	if held, holder, err := filelock.Held(schedule.File(s.folder, a.program.Definition.Name, ".lock")); err == nil && held {
		return cmp.Or(holder, "another process") + ", which keeps the schedule"
	}
	return "`" + a.command("wake", "") + a.stateHint() + "`"
}

// writeWait writes what a step waits for, how a person ends the wait, and who continues
// the run.
func (a *app) writeWait(b *strings.Builder, q engine.Question, of, by string) {
	fmt.Fprintf(b, "  %s%s %s\n", plain.Line(a.nodeOf(q.Key)), of, plain.Line(waitText(q.Question, q.Deadline)))
	switch q.Wait {
	case flow.WaitTime:
		fmt.Fprintf(b, "    then %s continues the run\n", by)
	case flow.WaitEvent:
		fmt.Fprintf(b, "    signal: %s\n    after that time, %s continues the run\n", plain.Line(a.waitCommand(q)), by)
	default:
		fmt.Fprintf(b, "    wake: %s\n", plain.Line(a.waitCommand(q)))
	}
}

// waitCommand is the command line that ends a wait, or "".
func (a *app) waitCommand(q engine.Question) string {
	switch q.Wait {
	case flow.WaitEvent:
		return a.command("signal", q.Run) + " " + plain.ShellWord(q.Message) + a.stateHint()
	case flow.WaitAttention:
		return a.command("wake", q.Run) + " --node " + plain.ShellWord(a.nodeOf(q.Key)) + a.tokenHint() + a.stateHint()
	}
	return ""
}

func (a *app) waitDocuments(open []engine.Question, by string) []document.Wait {
	var list []document.Wait
	for _, q := range waits(open) {
		d := document.Wait{
			Key: q.Key, Node: a.nodeOf(q.Key), Kind: q.Wait, Since: q.Since, Until: q.Deadline, Command: a.waitCommand(q), ContinuedBy: by,
		}
		switch q.Wait {
		case flow.WaitEvent:
			d.Event = q.Message
		case flow.WaitAttention:
			d.Message, d.ContinuedBy = q.Message, ""
		}
		list = append(list, d)
	}
	return list
}

// waitNote is a wait of a step in a few words.
func waitNote(node string, q engine.Question, by string) string {
	text := node + " " + format.FirstLine(waitText(q.Question, q.Deadline))
	if q.Wait == flow.WaitAttention || by == "" {
		return text
	}
	return text + "; then " + by
}
