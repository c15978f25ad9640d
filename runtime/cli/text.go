package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
)

// skipText says in words why a step was skipped.
func skipText(reason string) string {
	return cmp.Or(skips[reason], strings.ReplaceAll(reason, "_", " "))
}

var skips = map[string]string{
	kernel.SkipRule:      "a dependency did not complete",
	kernel.SkipFailure:   "a step before it failed",
	kernel.SkipCondition: "its condition is false",
	kernel.SkipGiven:     "its output was given as an input",
	kernel.SkipCancelled: "the run was cancelled",
	kernel.SkipLimit:     "the run reached a limit",
	kernel.SkipTimeout:   "it reached its time limit",
}

// statusMark is a step's status as one character.
func statusMark(s flow.Status) string { return cmp.Or(marks[s], "○") }

// markedStatus is the status whose mark a step has: that of a failure if somebody rejected its
// question.
func markedStatus(q *flow.Question, m *flow.Meta, s flow.Status) flow.Status {
	if q != nil && m != nil && m.Choice == kernel.ChoiceReject {
		return flow.Failed
	}
	return s
}

var marks = map[flow.Status]string{
	flow.Completed: "✓", flow.Failed: "✗", flow.Running: "●", flow.Interrupted: "!", flow.Waiting: "?", flow.Cancelled: "■",
}

// colours are the colours of statuses that have one.
var colours = map[flow.Status]string{flow.Completed: "32", flow.Failed: "31", flow.Waiting: "33"}

// statusVerb is a run's status in a sentence.
func statusVerb(s flow.Status) string { return cmp.Or(verbs[s], string(s)) }

var verbs = map[flow.Status]string{flow.Paused: "is paused", flow.Cancelled: "was cancelled", flow.LimitReached: "reached its limit"}

// isMachinery reports whether steps of a kind are of no interest to people unless
// they fail: readings of the clock, and savings of the state.
func isMachinery(kind string) bool { return kind == "now" || kind == (graphstate.State{}).Kind() }

// answerText says how a question was answered, and by whom.
func answerText(s flow.Record) string {
	text := cmp.Or(runerr.ChoiceOf(s.Key, s.Meta.Choice, s.Text), "answered")
	if s.Meta.By != "" {
		text += " by " + s.Meta.By + prefixNonEmpty(" from ", s.Meta.From)
	}
	return text + prefixNonEmpty(": ", s.Text)
}

// placeLines says where a run works that has a worktree of its own, or that continues in a folder
// that neither is in the current one nor has it.
func placeLines(n local.Notice) []string {
	if n.Worktree == nil {
		wd, err := os.Getwd()
		if !n.Resumed || n.Parent != "" || err != nil || trust.Within(wd, n.WorkDir) || trust.Within(n.WorkDir, wd) {
			return nil
		}
		return []string{"in the folder " + n.WorkDir}
	}
	lines := []string{fmt.Sprintf("in the git worktree %s, on branch %s", n.Worktree.Path, n.Worktree.Branch)}
	if n.Worktree.LacksUncommitted && !n.Resumed {
		lines = append(lines, "uncommitted changes of the checkout are not included")
	}
	return lines
}

// writeWorktree tells where a run's work is and how it is removed.
func writeWorktree(out io.Writer, w *local.Worktree) {
	switch tree := (*worktree.Tree)(w); {
	case w == nil:
	case w.Path == "":
		fmt.Fprintf(out, "  branch:   %s of %s\n", w.Branch, w.Repository)
	case w.Worker != "":
		fmt.Fprintf(out, "  worktree: %s of worker %s, on branch %s\n  remove:   %s\n", w.Path, w.Worker, w.Branch, tree.Removal())
	case tree.Gone():
		fmt.Fprintf(out, "  worktree: %s, which does not exist, of branch %s\n", w.Path, w.Branch)
	default:
		fmt.Fprintf(out, "  worktree: %s, on branch %s\n  remove:   %s\n", w.Path, w.Branch, tree.Removal())
	}
}

// prefixNonEmpty is a text behind another, or nothing when it is empty.
func prefixNonEmpty(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// writeTable prints a table as wide as the terminal.
func writeTable(out io.Writer, rows [][]string) error {
	for _, row := range plain.Table(terminalWidth(out), rows...) {
		if _, err := fmt.Fprintln(out, row); err != nil {
			return failedError(err)
		}
	}
	return nil
}

// quoteWord is a text as a word of a command line, or "" when there is none.
func quoteWord(text string) string {
	if text == "" {
		return ""
	}
	return plain.ShellWord(text)
}

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
	case flow.WaitQuota:
		return "waits for the quota of `" + human.Printable(q.Message) + "`" + until
	case flow.WaitBudget:
		return "waits for the budget" + until + ": " + human.Printable(q.Message)
	case flow.WaitAttention:
		return "waits for a person: " + human.Printable(q.Message)
	}
	return "waits" + until
}

// terminalWidth is the width of a terminal; 0 is no terminal.
func terminalWidth(out io.Writer) int {
	if file, ok := plain.File(out); ok {
		if w, _, err := term.GetSize(int(file.Fd())); err == nil {
			return w
		}
	}
	return 0
}
