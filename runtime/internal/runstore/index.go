package runstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A RunQuery selects runs that no other run began, newest first. Zero fields select all.
type RunQuery struct {
	Workflow string
	// Statuses are those of the store, which cannot distinguish running and interrupted runs.
	Statuses []flow.Status
	// Search is a part of the id, the workflow, the error or the reason. In the id and the
	// workflow, case does not matter.
	Search string
	// Since and Until limit the time at which runs were created: Since <= time < Until.
	Since, Until time.Time
	// After is the last run of the previous page, or nil.
	After *RunCursor
	// Limit is the largest number of runs returned; 0 means all.
	Limit int
}

// A RunCursor is the place of a run in a list.
type RunCursor struct {
	Created time.Time
	ID      string
}

// Behind reports whether a run comes after the cursor.
func (c *RunCursor) Behind(created time.Time, id string) bool {
	return c == nil || created.Before(c.Created) || created.Equal(c.Created) && id > c.ID
}

// A RunTotal sums up the runs of a workflow with a status.
type RunTotal struct {
	Workflow string
	Status   flow.Status
	Runs     int
	// Took is the time from start to end of those that have ended.
	Took time.Duration
}

// A SpendingTotal sums up the cost of prompts.
type SpendingTotal struct {
	Workflow, Agent, Model string
	Attempts               int
	Micros                 int64
	Input, Output          int64
}

// Plus returns the sum of two totals, with the names of s.
func (s SpendingTotal) Plus(o SpendingTotal) SpendingTotal {
	s.Attempts += o.Attempts
	s.Micros += o.Micros
	s.Input += o.Input
	s.Output += o.Output
	return s
}

// An Index is a store that answers questions about many runs, or a part of a large one, without
// reading all of them.
type Index interface {
	// PageRuns returns the selected runs with the fields of store.Filter.Brief.
	PageRuns(ctx context.Context, q RunQuery) ([]store.Run, error)
	// TotalRuns sums up the selected runs.
	TotalRuns(ctx context.Context, q RunQuery) ([]RunTotal, error)
	// TotalSpending sums up the cost of prompts that ended in a time, also of removed runs.
	TotalSpending(ctx context.Context, workflow string, since, until time.Time) ([]SpendingTotal, error)
	// SpendingOf returns the cost of runs by their ids.
	SpendingOf(ctx context.Context, ids []string) (map[string]SpendingTotal, error)
	// FailedSteps returns the failed steps of runs by their ids, with their Key, Kind and Failure.
	FailedSteps(ctx context.Context, ids []string) (map[string][]flow.Record, error)
	// StepHeads returns a run's steps in the order of store.Store.Steps without Text and Prompt.
	// With open, it returns only those that run or wait.
	StepHeads(ctx context.Context, id string, open bool) ([]flow.Record, error)
	// Step returns a step with all its fields.
	Step(ctx context.Context, id, key string) (flow.Record, error)
}

// A PartialError says what a result of an Index leaves out. The result counts all the same.
type PartialError struct{ Left string }

func (e *PartialError) Error() string { return e.Left }

// A Lister is a store that lists runs by queries.
type Lister interface {
	store.Store
	// PageRuns and SpendingOf are as in Index.
	PageRuns(ctx context.Context, q RunQuery) ([]store.Run, error)
	SpendingOf(ctx context.Context, ids []string) (map[string]SpendingTotal, error)
}

// IndexOf returns the index of a store, or one that reads all runs of a store without an index.
func IndexOf(s store.Store) Index {
	switch s := s.(type) {
	case Index:
		return s
	case Lister:
		return listed{s}
	}
	return listed{scan{s}}
}

// listed is the Index of a store that only lists runs, and scan lists those of any other one.
type (
	listed struct{ Lister }
	scan   struct{ store.Store }
)

func (s scan) PageRuns(ctx context.Context, q RunQuery) ([]store.Run, error) {
	all, err := s.Runs(ctx, store.Filter{Workflow: q.Workflow, Brief: true})
	var list []store.Run
	for _, r := range all {
		if isChild(r) || !q.Selects(r) {
			continue
		}
		if list = append(list, r); len(list) == q.Limit {
			break
		}
	}
	return list, err
}

// Selects reports whether the query selects a run, by its fields but Workflow.
func (q *RunQuery) Selects(r store.Run) bool {
	if len(q.Statuses) > 0 && !slices.Contains(q.Statuses, r.Status) {
		return false
	}
	if !q.Since.IsZero() && r.Created.Before(q.Since) || !q.Until.IsZero() && !r.Created.Before(q.Until) || !q.After.Behind(r.Created, r.ID) {
		return false
	}
	text := strings.ToLower(q.Search)
	return text == "" || strings.Contains(strings.ToLower(r.ID+"\n"+r.Workflow), text) || strings.Contains(r.Error+"\n"+r.Reason, q.Search)
}

func (s listed) TotalRuns(ctx context.Context, q RunQuery) ([]RunTotal, error) {
	q.Limit = 0
	runs, err := s.PageRuns(ctx, q)
	at := map[RunTotal]int{}
	var list []RunTotal
	for _, r := range runs {
		key := RunTotal{Workflow: r.Workflow, Status: r.Status}
		i, ok := at[key]
		if !ok {
			i, at[key] = len(list), len(list)
			list = append(list, key)
		}
		list[i].Runs++
		if !r.Finished.IsZero() {
			list[i].Took += r.Finished.Sub(r.Created)
		}
	}
	return list, err
}

func (s listed) TotalSpending(ctx context.Context, workflow string, since, until time.Time) ([]SpendingTotal, error) {
	runs, part := s.PageRuns(ctx, RunQuery{Workflow: workflow, Since: since, Until: until})
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	spent, err := s.SpendingOf(ctx, ids)
	var list []SpendingTotal
	for _, r := range runs {
		one := spent[r.ID]
		one.Workflow = r.Workflow
		list = append(list, one)
	}
	return list, cmp.Or(err, part)
}

func (s scan) SpendingOf(ctx context.Context, ids []string) (map[string]SpendingTotal, error) {
	spent := map[string]SpendingTotal{}
	for _, id := range ids {
		steps, err := s.Steps(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, step := range steps {
			// Other records repeat the cost of their parts.
			if step.Kind == (flow.Prompt{}).Kind() {
				used := step.Meta.Spent()
				spent[id] = spent[id].Plus(SpendingTotal{Attempts: 1, Micros: int64(used.CostUSD * 1e6), Input: used.InputTokens, Output: used.OutputTokens})
			}
		}
	}
	return spent, nil
}

func (s listed) FailedSteps(ctx context.Context, ids []string) (map[string][]flow.Record, error) {
	failed := make(map[string][]flow.Record, len(ids))
	for _, id := range ids {
		steps, err := s.Steps(ctx, id)
		if err != nil {
			return nil, err
		}
		failed[id] = slices.DeleteFunc(steps, func(step flow.Record) bool { return step.Status != flow.Failed })
	}
	return failed, nil
}

func (s listed) StepHeads(ctx context.Context, id string, open bool) ([]flow.Record, error) {
	steps, err := s.Steps(ctx, id)
	list := steps[:0]
	for _, step := range steps {
		if !open || step.Status == flow.Running || step.Status == flow.Waiting {
			list = append(list, step)
		}
	}
	return list, err
}

func (s listed) Step(ctx context.Context, id, key string) (flow.Record, error) {
	steps, err := s.Steps(ctx, id)
	if err != nil {
		return flow.Record{}, err
	}
	for _, step := range steps {
		if step.Key == key {
			return step, nil
		}
	}
	return flow.Record{}, store.ErrNotFound
}

// isChild reports whether a step of another run began a run, as its settings say.
func isChild(r store.Run) bool {
	return strings.Contains(r.ID, runid.ChildMark) && strings.Contains(string(r.Settings), ParentMember)
}

// ParentMember is the member of a child's settings that names its parent.
const ParentMember = `"parent":{`
