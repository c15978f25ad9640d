package local

import (
	"context"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A person may have completed steps repeated: their records become pending in one commit,
// which takes back the answers to their questions. Events of that commit keep the earlier
// ends, and say who repeats them. Costs stay: those of a step stay in its record.
//
// A step that began a child run begins another one, because its inputs may differ now. The
// earlier child keeps its record; it is cancelled if it has not ended.

// resetRepeatedSteps resets the steps that the options name.
func (r *run) resetRepeatedSteps(opt Options) error {
	e, id := r.host.engine, r.info.ID
	chosen, err := repeat.Steps(r.def, r.recorded, opt.From)
	if err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	event := repeat.Event(opt.From, opt.By, chosen)
	batch := flow.Batch{Steps: repeat.Reset(r.def, r.recorded, chosen), Events: repeat.EventsWithEnds(chosen, event)}
	ctx := context.WithoutCancel(r.host.ctx)
	if len(r.def.Children) > 0 {
		below, err := runstore.Descendants(ctx, e.cfg.Store, id)
		if err != nil {
			return err
		}
		gone := map[string]bool{}
		for _, child := range below { // parents first
			up := parentOf(child.Settings)
			gone[child.ID] = gone[up.Run] || up.Run == id && slices.ContainsFunc(chosen, func(s flow.Record) bool { return s.Key == up.Step })
			if !gone[child.ID] || child.Status.Ended() {
				continue
			}
			if err := e.Cancel(ctx, child.ID, sched.ByParent(up.Run)); err != nil {
				return err
			}
		}
	}
	if err := r.host.whileLeased(func(ctx context.Context) error { return e.cfg.Store.Commit(ctx, id, batch) }); err != nil {
		return err
	}
	for _, s := range batch.Steps {
		r.recorded[slices.IndexFunc(r.recorded, func(old flow.Record) bool { return old.Key == s.Key })] = s
	}
	if r.task != nil {
		graphstate.SaveAgain(r.recorded)
	}
	r.journal.writeEntries(entry{Type: event.Type, Node: event.Key, Message: event.Message})
	return nil
}

// countRepeats counts how often each step that may begin a child was repeated.
func (r *run) countRepeats(ctx context.Context) error {
	if len(r.def.Children) == 0 {
		return nil
	}
	events, _, err := r.host.engine.cfg.Store.Events(ctx, r.info.ID, 0)
	for _, e := range events {
		if e.Type == repeat.EventReset {
			if r.repeated == nil {
				r.repeated = map[string]int{}
			}
			r.repeated[e.Key]++
		}
	}
	return err
}

// childIDs are the ids of the runs that a step began, the current one last.
func (r *run) childIDs(step string) []string {
	ids := []string{runid.Child(r.info.ID, step)}
	for n := range r.repeated[step] {
		ids = append(ids, runid.Child(r.info.ID, fmt.Sprintf("%s/again%d", step, n+1)))
	}
	return ids
}

// earlierCost is what the runs cost that a step began before it was repeated.
func earlierCost(ctx context.Context, from store.Store, ids []string) (sum flow.Meta) {
	for _, id := range ids {
		if steps, err := from.Steps(ctx, id); err == nil { // else it never began, or was removed
			sum = sum.Plus(sched.Used(steps))
		}
	}
	return sum
}
