// Package waiting has the list of what waits for people in the runs of an account. Built
// programs make it of the stores that they can read, and wfc joins and prints it.
package waiting

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// The kinds of items that aren't waits of nodes.
const (
	Gate         = "gate"
	BudgetGate   = "budget_gate" // it asks whether the run may exceed its budgets
	Paused       = "paused"
	Failed       = "failed"
	LimitReached = "limit_reached"
	Interrupted  = "interrupted"
	Notice       = "notice"
)

// An Item is something that waits for a person, or that a person should know.
type Item struct {
	// Kind is gate, quota, event, attention or another kind of wait, or one of the kinds above.
	Kind     string `json:"kind"`
	RunID    string `json:"run_id,omitempty"`
	Workflow string `json:"workflow"`
	// Project is the name of the project, in lists of several.
	Project string `json:"project,omitempty"`
	Node    string `json:"node,omitempty"`
	// Message is what the run asks, what it waits for, or why it ended. It may have terminal
	// control characters.
	Message string `json:"message,omitempty"`
	// Needs says whose answer a gate needs, and who has approved, if it has a rule.
	Needs string    `json:"needs,omitempty"`
	Since time.Time `json:"since"`
	// Until is the end of the wait, or the time by which the answer must come.
	Until time.Time `json:"until,omitzero"`
	// Commands are the command lines that answer it, or continue the run.
	Commands []string `json:"commands"`
	// Place is the state folder or the database that has the run.
	Place string `json:"place"`
}

// A Report is what waiting prints with --json. Only wfc, which reads the stores of the account, can
// skip some.
type Report struct {
	SchemaVersion int             `json:"schema_version"`
	Waiting       []Item          `json:"waiting"`
	Skipped       []state.Skipped `json:"skipped,omitzero"`
}

// Ended reports whether the item is about something that has ended, and waits for nobody.
func (i *Item) Ended() bool {
	return i.Kind == Failed || i.Kind == LimitReached || i.Kind == Notice
}

// Compare puts what waits before what has ended, and then the older item first.
func Compare(a, b *Item) int {
	rank := func(i *Item) int {
		if i.Ended() {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Since.Compare(b.Since), cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.Node, b.Node))
}

// Sort sorts items by Compare.
func Sort(list []Item) {
	// SortStableFunc for a large struct takes 7 kB of every program.
	sort.SliceStable(list, func(i, j int) bool { return Compare(&list[i], &list[j]) < 0 })
}

// title is the item's kind in words.
func (i *Item) title() string { return strings.ReplaceAll(plain.Line(i.Kind), "_", " ") }

// countKinds says how many items there are of each kind.
func countKinds(list []Item) string {
	counts := map[string]int{}
	for i := range list {
		counts[list[i].title()]++
	}
	kinds := slices.Sorted(maps.Keys(counts))
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s: %d", kind, counts[kind])
	}
	return strings.Join(kinds, ", ")
}

// DefaultSince is the age of the oldest failures in the list, unless somebody chooses.
const DefaultSince = "7d"

// joinAlike joins the items of a workflow's runs that failed for one cause, or that wait at a node with
// the same words, into the first of them; others are the ids of the further runs of each item.
func joinAlike(list []Item) (joined []Item, others [][]string) {
	at := map[[7]string]int{}
	for _, item := range list {
		alike := [...]string{item.Kind, item.Project, item.Workflow, item.Node, item.Needs,
			strings.ReplaceAll(strings.Join(item.Commands, "\n"), item.RunID, ""), item.Message}
		if item.Kind == Failed {
			alike[6] = plain.Cause(item.Message)
		}
		if i, met := at[alike]; met && item.RunID != "" {
			others[i] = append(others[i], item.RunID)
			continue
		}
		at[alike] = len(joined)
		joined, others = append(joined, item), append(others, nil)
	}
	return joined, others
}

// Print prints items for people. since is the chosen age or time of the oldest failures, or "".
// width is the columns of the terminal; 0 is none.
func Print(w io.Writer, list []Item, since string, width int) error {
	var b strings.Builder
	if len(list) > 1 {
		b.WriteString(countKinds(list) + "\n\n")
	}
	ended := "Ended in the last 7 days, or not sent:\n\n"
	if since != "" && since != DefaultSince {
		ended = "Ended (--since " + plain.Line(since) + "), or not sent:\n\n"
	}
	list, others := joinAlike(list)
	for i, item := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		if item.Ended() && (i == 0 || !list[i-1].Ended()) {
			b.WriteString(ended)
		}
		of := "workflow " + item.Workflow
		if item.RunID != "" {
			of = "run " + item.RunID + " of " + item.Workflow
		}
		if item.Project != "" {
			of += " in " + item.Project
		}
		fmt.Fprintf(&b, "%s: %s", item.title(), plain.Line(of))
		if item.Node != "" {
			fmt.Fprintf(&b, ", node %s", plain.Line(item.Node))
		}
		fmt.Fprintf(&b, ", since %s", item.Since.Local().Format("2006-01-02 15:04"))
		if !item.Until.IsZero() {
			fmt.Fprintf(&b, ", until %s", item.Until.Local().Format("2006-01-02 15:04"))
		}
		b.WriteByte('\n')
		if text := strings.TrimSpace(plain.Text(item.Message)); text != "" {
			fmt.Fprintf(&b, "  %s%s\n", plain.Gutter, plain.Below(plain.Wrap(plain.Clip(text, 400), cmp.Or(max(0, width-4), 400)), "  "))
		}
		if item.Needs != "" {
			fmt.Fprintf(&b, "  %s\n", plain.Line(item.Needs))
		}
		for _, line := range item.Commands {
			fmt.Fprintf(&b, "  $ %s\n", plain.Line(line))
		}
		if len(others[i]) > 0 {
			text := fmt.Sprintf("and %d more: %s", len(others[i]), plain.Line(strings.Join(others[i], " ")))
			fmt.Fprintf(&b, "  %s\n", plain.Indented(plain.Wrap(text, cmp.Or(max(0, width-2), 400)), "  "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
