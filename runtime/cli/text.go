package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// skipText says in words why a step was skipped.
func skipText(reason string) string {
	switch reason {
	case kernel.SkipRule:
		return "a dependency did not complete"
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
	case kernel.SkipTimeout:
		return "it reached its time limit"
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

// colourOf is the colour of a status, or "".
func colourOf(s flow.Status) string {
	switch s {
	case flow.Completed:
		return "32"
	case flow.Failed:
		return "31"
	case flow.Waiting:
		return "33"
	}
	return ""
}

// verb is a run's status in a sentence.
func verb(s flow.Status) string {
	switch s {
	case flow.Paused:
		return "is paused"
	case flow.Cancelled:
		return "was cancelled"
	case flow.LimitReached:
		return "reached its limit"
	}
	return string(s)
}

// machinery reports whether steps of a kind are of no interest to people unless
// they fail: readings of the clock, and savings of the state.
func machinery(kind string) bool { return kind == "now" || kind == (graph.State{}).Kind() }

// answerText says how a question was answered, and by whom.
func answerText(s flow.Record) string {
	text := cmp.Or(s.Meta.Choice, "answered")
	if s.Meta.By != "" {
		text += " by " + s.Meta.By + after(" from ", s.Meta.From)
	}
	return text + after(": ", s.Text)
}

// worktreeLines says where a run works that has a worktree of its own.
func worktreeLines(n local.Notice) []string {
	if n.Worktree == nil {
		return nil
	}
	lines := []string{fmt.Sprintf("in the git worktree %s, on branch %s", n.Worktree.Path, n.Worktree.Branch)}
	if n.Worktree.LeftOut && !n.Resumed {
		lines = append(lines, "what is changed in the checkout and not committed is not in it")
	}
	return lines
}

// writeWorktree tells where a run's work is and how it is removed.
func writeWorktree(b *strings.Builder, w *local.Worktree) {
	switch {
	case w == nil:
	case w.Path == "":
		fmt.Fprintf(b, "  branch:   %s of %s\n", w.Branch, w.Repository)
	case w.Worker != "":
		fmt.Fprintf(b, "  worktree: %s of worker %s, on branch %s\n  remove:   %s\n", w.Path, w.Worker, w.Branch, w.Removal())
	case w.Gone():
		fmt.Fprintf(b, "  worktree: %s, which is gone; its branch was %s\n", w.Path, w.Branch)
	default:
		fmt.Fprintf(b, "  worktree: %s, on branch %s\n  remove:   %s\n", w.Path, w.Branch, w.Removal())
	}
}
