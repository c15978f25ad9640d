package trace

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Journal is what a store has about one run.
type Journal struct {
	Run store.Run
	// Parent is the run that began this one, and the step by which it did.
	Parent  runstore.Parent
	Steps   []flow.Record
	Events  []flow.Event
	Answers []store.Answer
	// Turns are the costs of attempts at prompts; a store may lack them.
	Turns []spending.Row
	// Approvals are those of questions that more people have to answer; a store may lack them.
	Approvals []flow.Message
}

// Load reads the journals of a root and its descendants, parents first.
func Load(ctx context.Context, from store.Store, root string) ([]Journal, error) {
	children, err := runstore.Descendants(ctx, from, root)
	if err != nil {
		return nil, err
	}
	ids := []string{root}
	for _, r := range children {
		ids = append(ids, r.ID)
	}
	list := make([]Journal, len(ids))
	for i, id := range ids {
		j := &list[i]
		var errs [4]error
		j.Run, errs[0] = from.Run(ctx, id)
		j.Steps, errs[1] = from.Steps(ctx, id)
		j.Events, _, errs[2] = from.Events(ctx, id, 0)
		j.Answers, errs[3] = from.Answers(ctx, id)
		if err := cmp.Or(errs[:]...); err != nil {
			return nil, err
		}
		j.Parent = runstore.ParentOf(j.Run.Settings)
		if ledger, ok := from.(spending.Ledger); ok {
			if j.Turns, err = ledger.Spending(ctx, spending.Filter{RunID: id}); err != nil {
				return nil, err
			}
			slices.Reverse(j.Turns) // oldest first
			for i := range j.Turns {
				j.Turns[i].State = strings.TrimPrefix(j.Turns[i].State, spending.ImportedPrefix)
			}
		}
		if box, ok := from.(runstore.Mailbox); ok {
			given, err := box.Messages(ctx, runstore.MessageFilter{Box: runstore.BoxApproval, RunID: id})
			if err != nil {
				return nil, err
			}
			for _, m := range given {
				j.Approvals = append(j.Approvals, m.Message)
			}
		}
	}
	return list, nil
}
