package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/waiting"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// What a page shows of what waits: failures of the last days, and only the newest of many.
const (
	waitingDays  = 7
	waitingEnded = 20
	waitingOpen  = 500
	waitingReads = 8 // at the same time
)

// Waiting implements desk.Desk.
func (d *runDesk) Waiting(ctx context.Context) (*desk.Waiting, error) {
	w := &desk.Waiting{}
	var mu sync.Mutex
	w.Problems = d.each(ctx, "", func(o *openPlace) error {
		items, more, err := d.waitingIn(ctx, o)
		mu.Lock()
		defer mu.Unlock()
		w.Items, w.More = append(w.Items, items...), w.More+more
		return err
	})
	slices.SortStableFunc(w.Items, func(a, b desk.Item) int {
		return waiting.Compare(&a.Item, &b.Item)
	})
	return w, nil
}

// waitingIn returns what waits in a place.
func (d *runDesk) waitingIn(ctx context.Context, o *openPlace) (items []desk.Item, more int, err error) {
	asking := func(ctx context.Context, limit int) ([]store.Run, error) {
		return o.index.PageRuns(ctx, runstore.RunQuery{Statuses: []flow.Status{flow.Paused, flow.Running}, Limit: limit})
	}
	if c := o.cluster(); c != nil {
		asking = c.Asking
	}
	open, err := asking(ctx, waitingOpen)
	if err != nil {
		return nil, 0, err
	}
	ended, err := o.index.PageRuns(ctx, runstore.RunQuery{
		Statuses: []flow.Status{flow.Failed, flow.LimitReached}, Since: time.Now().AddDate(0, 0, -waitingDays), Limit: waitingEnded + 1,
	})
	if err != nil {
		return nil, 0, err
	}
	if len(ended) > waitingEnded {
		ended, more = ended[:waitingEnded], 1
	}
	all := append(open, ended...)
	found, wrong := make([][]desk.Item, len(all)), make([]error, len(all))
	var reads sync.WaitGroup
	places := make(chan struct{}, waitingReads)
	for i := range all {
		places <- struct{}{}
		reads.Go(func() {
			defer func() { <-places }()
			found[i], wrong[i] = d.itemsIn(ctx, o, all[i])
		})
	}
	reads.Wait()
	return slices.Concat(found...), more, cmp.Or(wrong...)
}

// itemsIn returns what waits in a run of a place.
func (d *runDesk) itemsIn(ctx context.Context, o *openPlace, r store.Run) (items []desk.Item, err error) {
	if o.cluster() != nil {
		r, err = o.store.Run(ctx, r.ID) // a list has no fingerprint
	} else {
		r, err = o.asShown(ctx, r)
	}
	if err != nil {
		return nil, nil // it was removed meanwhile
	}
	def, _ := d.definition(o, &r, nil)
	found, err := o.session(def, o.unfinished).itemsOf(ctx, local.RunStatus{Run: r})
	for _, item := range found {
		item.Place, item.Message = o.Name, d.maskSecrets(item.Message)
		items = append(items, desk.Item{Item: item, Ref: desk.Ref{Place: o.Key, ID: item.RunID}, Project: o.Project})
	}
	return items, err
}

// Totals implements desk.Desk.
func (d *runDesk) Totals(ctx context.Context, q desk.Query) (*desk.Totals, error) {
	const sample = 500
	t := &desk.Totals{}
	var mu sync.Mutex
	failures := map[[2]string]*desk.Failure{}
	t.Problems = d.each(ctx, q.Place, func(o *openPlace) error {
		// Both read all of their table, and each has a processor of its own.
		var spent []runstore.SpendingTotal
		var failedSpent error
		var other sync.WaitGroup
		other.Go(func() { spent, failedSpent = o.index.TotalSpending(ctx, q.Workflow, q.Since, q.Until) })
		runs, part := o.index.TotalRuns(ctx, q.RunQuery)
		other.Wait()
		for _, err := range []error{part, failedSpent} {
			if _, ok := errors.AsType[*runstore.PartialError](err); err != nil && !ok {
				return err
			}
		}
		failed := q.RunQuery
		failed.Statuses, failed.Limit = []flow.Status{flow.Failed}, sample
		if o.cluster() != nil {
			failed.Limit = 100 // each costs a request
		}
		list, err := o.index.PageRuns(ctx, failed)
		if err != nil {
			return err
		}
		var ids []string
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		var steps []flow.Record
		if len(ids) > 0 {
			if steps, err = o.index.FailedSteps(ctx, ids); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		t.Runs, t.Spending, t.Sampled = append(t.Runs, runs...), append(t.Spending, spent...), t.Sampled+len(ids)
		for _, s := range steps {
			if s.Failure == nil {
				continue
			}
			key := [2]string{string(s.Failure.Class), s.Failure.Reason}
			if failures[key] == nil {
				failures[key] = &desk.Failure{Class: key[0], Reason: key[1], Example: d.maskSecrets(s.Failure.Message)}
			}
			failures[key].Steps++
		}
		if o.cluster() != nil && part == nil {
			part = errors.New("a cluster counts no tokens and agents, and the costs are those of the last change of a run's status")
		}
		return part
	})
	for _, f := range failures {
		t.Failures = append(t.Failures, *f)
	}
	slices.SortFunc(t.Failures, func(a, b desk.Failure) int {
		return cmp.Or(cmp.Compare(b.Steps, a.Steps), strings.Compare(a.Class, b.Class), strings.Compare(a.Reason, b.Reason))
	})
	return t, nil
}
