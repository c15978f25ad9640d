package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/waiting"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// What a page shows of what waits: failures of the last days, and of a cluster, where each costs
// requests, only the newest of many.
const (
	waitingDays  = 7
	clusterEnded = 20
	clusterOpen  = 500
	waitingReads = 8 // at the same time
)

// Waiting implements desk.Desk.
func (d *runDesk) Waiting(ctx context.Context) (*desk.Waiting, error) {
	found, problems := gather(ctx, d, "", func(o *openPlace) (desk.Waiting, error) { return d.waitingIn(ctx, o) })
	w := &desk.Waiting{Problems: problems}
	for _, one := range found {
		w.Items, w.Partial = append(w.Items, one.Items...), w.Partial || one.Partial
	}
	sort.SliceStable(w.Items, func(i, j int) bool { return waiting.Compare(&w.Items[i].Item, &w.Items[j].Item) < 0 })
	return w, nil
}

// waitingIn returns what waits in a place.
func (d *runDesk) waitingIn(ctx context.Context, o *openPlace) (w desk.Waiting, err error) {
	asking := func(ctx context.Context, limit int) ([]store.Run, error) {
		return o.index.PageRuns(ctx, runstore.RunQuery{Statuses: []flow.Status{flow.Paused, flow.Running}, Limit: limit})
	}
	openLimit, endedLimit := 0, 0
	if c := o.cluster(); c != nil {
		asking, openLimit, endedLimit = c.Asking, clusterOpen, clusterEnded
	}
	open, err := asking(ctx, openLimit)
	if err != nil {
		return w, err
	}
	ended, err := o.index.PageRuns(ctx, runstore.RunQuery{
		Statuses: []flow.Status{flow.Failed, flow.LimitReached}, Since: time.Now().AddDate(0, 0, -waitingDays), Limit: endedLimit,
	})
	if err != nil {
		return w, err
	}
	w.Partial = openLimit > 0 && len(open) == openLimit || endedLimit > 0 && len(ended) == endedLimit
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
	w.Items = slices.Concat(found...)
	return w, cmp.Or(wrong...)
}

// itemsIn returns what waits in a run of a place.
func (d *runDesk) itemsIn(ctx context.Context, o *openPlace, r store.Run) (items []desk.Item, err error) {
	if o.cluster() != nil {
		r, err = o.store.Run(ctx, r.ID) // a list has no fingerprint
	} else {
		r, err = o.asShown(ctx, r)
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil // it was removed meanwhile
	} else if err != nil {
		return nil, err
	}
	def, _ := d.definition(o, &r, nil)
	found, err := o.session(def, o.unfinished).itemsOf(ctx, local.RunStatus{Run: r})
	for _, item := range found {
		item.Place, item.Message, item.Needs = o.Name, d.maskSecrets(item.Message), d.maskSecrets(item.Needs)
		items = append(items, desk.Item{Item: item, Ref: desk.Ref{Place: o.Key, ID: item.RunID}, Project: o.Project})
	}
	return items, err
}

// Totals implements desk.Desk.
func (d *runDesk) Totals(ctx context.Context, q desk.Query) (*desk.Totals, error) {
	const sample = 500
	type totals struct {
		desk.Totals
		failed    map[string][]flow.Record // by run
		workflows map[string]string        // of these
	}
	found, problems := gather(ctx, d, q.Place, func(o *openPlace) (t totals, err error) {
		// Both read all of their table, and each has a processor of its own.
		var failedSpent error
		var other sync.WaitGroup
		other.Go(func() { t.Spending, failedSpent = o.index.TotalSpending(ctx, q.Workflow, q.Since, q.Until) })
		var part error
		t.Runs, part = o.index.TotalRuns(ctx, q.RunQuery)
		other.Wait()
		for _, err := range []error{part, failedSpent} {
			if _, ok := errors.AsType[*runstore.PartialError](err); err != nil && !ok {
				return totals{}, err
			}
		}
		if t.Runs, err = o.countInterrupted(ctx, t.Runs, q.RunQuery); err != nil {
			return totals{}, err
		}
		failed := q.RunQuery
		failed.Statuses, failed.Limit = []flow.Status{flow.Failed}, sample
		if o.cluster() != nil {
			failed.Limit = 100 // each costs a request
		}
		list, err := o.index.PageRuns(ctx, failed)
		if err != nil {
			return totals{}, err
		}
		ids := make([]string, len(list))
		t.Sampled, t.workflows = len(list), make(map[string]string, len(list))
		for i, r := range list {
			ids[i], t.workflows[r.ID] = r.ID, r.Workflow
		}
		if t.failed, err = o.index.FailedSteps(ctx, ids); err != nil {
			return totals{}, err
		}
		if o.cluster() != nil && part == nil {
			part = errors.New("a cluster counts no tokens and agents, and the costs are those of the last change of a run's status")
		}
		return t, part
	})
	t, failures := &desk.Totals{Problems: problems}, desk.Failures{}
	for _, one := range found {
		t.Runs, t.Spending, t.Sampled = append(t.Runs, one.Runs...), append(t.Spending, one.Spending...), t.Sampled+one.Sampled
		for id, steps := range one.failed {
			failures.AddRun(one.workflows[id], steps, d.maskSecrets)
		}
	}
	t.Failures = failures.Sorted()
	return t, nil
}

// countInterrupted returns sums of runs in which those without a process are no longer running.
func (o *openPlace) countInterrupted(ctx context.Context, sums []runstore.RunTotal, q runstore.RunQuery) ([]runstore.RunTotal, error) {
	if !slices.ContainsFunc(sums, func(t runstore.RunTotal) bool { return t.Status == flow.Running }) {
		return sums, nil
	}
	q.Statuses = []flow.Status{flow.Running}
	running, err := o.index.PageRuns(ctx, q)
	for _, r := range running {
		if r, failed := o.asShown(ctx, r); failed != nil || r.Status != flow.Interrupted {
			continue
		}
		at := slices.IndexFunc(sums, func(t runstore.RunTotal) bool { return t.Workflow == r.Workflow && t.Status == flow.Running })
		if at < 0 || sums[at].Runs == 0 {
			continue
		}
		sums[at].Runs--
		sums = append(sums, runstore.RunTotal{Workflow: r.Workflow, Status: flow.Interrupted, Runs: 1})
	}
	return slices.DeleteFunc(sums, func(t runstore.RunTotal) bool { return t.Runs == 0 }), err
}
