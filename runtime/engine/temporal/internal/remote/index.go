package remote

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// eachWorkflow calls do with the workflows that a query selects until do returns false: open ones
// first, then those that ended last. Of the workflows of one run, it only passes the first.
func (c *Client) eachWorkflow(ctx context.Context, terms []string, size int32, do func(*workflowpb.WorkflowExecutionInfo) bool) error {
	seen := map[string]bool{}
	var token []byte
	for {
		r, err := c.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: c.namespace, PageSize: size, NextPageToken: token, Query: queryOf(terms),
		})
		if err != nil {
			return err
		}
		for _, info := range r.GetExecutions() {
			id := info.GetExecution().GetWorkflowId()
			if seen[id] {
				continue // an earlier workflow of a run that was resumed
			}
			seen[id] = true
			if !do(info) {
				return nil
			}
		}
		if token = r.GetNextPageToken(); len(token) == 0 {
			return nil
		}
	}
}

func queryOf(terms []string) string {
	return strings.Join(append(slices.Clip(terms), "ExecutionStatus != 'ContinuedAsNew'"), " AND ")
}

func (c *Client) count(ctx context.Context, terms []string) (int64, error) {
	r, err := c.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: c.namespace, Query: queryOf(terms)})
	return r.GetCount(), err
}

// runOf returns a run with the fields that the list of workflows has.
func (c *Client) runOf(info *workflowpb.WorkflowExecutionInfo) store.Run {
	run := store.Run{Status: c.statusFromAttributes(info), Created: info.GetStartTime().AsTime(), Started: info.GetStartTime().AsTime()}
	run.ID, run.Workflow = info.GetExecution().GetWorkflowId(), info.GetType().GetName()
	run.Settings = withOwn(nil, c.parentOf(info), nil)
	if info.GetCloseTime() != nil && run.Status.Ended() {
		run.Finished = info.GetCloseTime().AsTime()
	}
	return run
}

// isRun reports whether a workflow is a run: a namespace may have other workflows.
func isRun(info *workflowpb.WorkflowExecutionInfo) bool {
	for _, name := range []string{wire.AttributeStatus, wire.MemoQuestions, wire.MemoStep} {
		if info.GetSearchAttributes().GetIndexedFields()[name] != nil || info.GetMemo().GetFields()[name] != nil {
			return true
		}
	}
	return false
}

// termsOf are the conditions of a query for runs that no other run began. They may select too many.
func (c *Client) termsOf(ctx context.Context, q runstore.RunQuery) []string {
	terms := []string{"ParentWorkflowId IS NULL"}
	if q.Workflow != "" {
		terms = append(terms, "WorkflowType = "+quoteString(q.Workflow))
	}
	if q.Search != "" {
		text := quoteString(q.Search)
		terms = append(terms, "(WorkflowId STARTS_WITH "+text+" OR WorkflowType STARTS_WITH "+text+")")
	}
	if !c.knowsAttributes(ctx) {
		return terms
	}
	if len(q.Statuses) == 0 {
		return append(terms, wire.AttributeStatus+" IS NOT NULL")
	}
	var names []string
	for _, s := range q.Statuses {
		names = append(names, quoteString(string(s)))
	}
	return append(terms, wire.AttributeStatus+" IN ("+strings.Join(names, ", ")+")")
}

// startedIn is the condition that a workflow began in a time.
func startedIn(begin, end time.Time) string {
	return fmt.Sprintf("StartTime >= '%s' AND StartTime < '%s'", begin.UTC().Format(time.RFC3339Nano), end.UTC().Format(time.RFC3339Nano))
}

// firstRun is before the first run of any namespace.
var firstRun = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// PageRuns implements runstore.Index. A cluster cannot list workflows in the order in which they
// began, so PageRuns lists one time after the other.
func (c *Client) PageRuns(ctx context.Context, q runstore.RunQuery) ([]store.Run, error) {
	terms, oldest := c.termsOf(ctx, q), q.Since
	if oldest.Before(firstRun) {
		oldest = firstRun
	}
	end := time.Now().Add(time.Minute) // the clock of the cluster may be ahead
	if !q.Until.IsZero() && q.Until.Before(end) {
		end = q.Until
	}
	if q.After != nil && q.After.Created.Before(end) {
		end = q.After.Created.Add(time.Nanosecond)
	}
	var list []store.Run
	for end.After(oldest) && (q.Limit == 0 || len(list) < q.Limit) {
		begin, err := c.timeBefore(ctx, terms, oldest, end, int64(q.Limit-len(list)))
		if err != nil {
			return nil, err
		}
		var some []store.Run
		newest := map[string]string{} // the workflows of the runs, by their ids
		err = c.eachWorkflow(ctx, append(slices.Clip(terms), startedIn(begin, end)), 0, func(info *workflowpb.WorkflowExecutionInfo) bool {
			if run := c.runOf(info); isRun(info) && info.GetParentExecution() == nil && q.Selects(run) {
				some = append(some, run)
				newest[run.ID] = info.GetExecution().GetRunId()
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		last, err := c.newestOf(ctx, some)
		if err != nil {
			return nil, err
		}
		some = slices.DeleteFunc(some, func(r store.Run) bool {
			other := last[r.ID] // the run was resumed later
			return other != nil && other.GetExecution().GetRunId() != newest[r.ID]
		})
		slices.SortFunc(some, func(a, b store.Run) int {
			return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
		})
		list, end = append(list, some...), begin
	}
	if q.Limit > 0 {
		list = list[:min(q.Limit, len(list))]
	}
	return list, nil
}

// timeBefore returns the begin of a time before end in which enough of the workflows began, and not
// many more; 0 is all.
func (c *Client) timeBefore(ctx context.Context, terms []string, oldest, end time.Time, enough int64) (time.Time, error) {
	if enough == 0 {
		return oldest, nil
	}
	width := time.Hour
	for shrinks := true; ; {
		begin := end.Add(-width)
		if begin.Before(oldest) {
			begin = oldest
		}
		n, err := c.count(ctx, append(slices.Clip(terms), startedIn(begin, end)))
		switch {
		case err != nil:
			return begin, err
		case shrinks && n > 10*enough && width > time.Second:
			width /= 4
		case n >= enough || begin.Equal(oldest):
			return begin, nil
		default:
			width, shrinks = 4*width, false
		}
	}
}

// mostNamed is how many ids a query names.
const mostNamed = 100

// newestOf returns the newest workflows of runs by the ids of the runs.
func (c *Client) newestOf(ctx context.Context, runs []store.Run) (map[string]*workflowpb.WorkflowExecutionInfo, error) {
	newest := map[string]*workflowpb.WorkflowExecutionInfo{}
	for some := range slices.Chunk(runs, mostNamed) {
		var ids []string
		for _, r := range some {
			ids = append(ids, quoteString(r.ID))
		}
		err := c.eachWorkflow(ctx, []string{"WorkflowId IN (" + strings.Join(ids, ", ") + ")"}, 0, func(info *workflowpb.WorkflowExecutionInfo) bool {
			newest[info.GetExecution().GetWorkflowId()] = info
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return newest, nil
}

// spentBy is the cost of a run as of the last change of its status.
func (c *Client) spentBy(info *workflowpb.WorkflowExecutionInfo) runstore.SpendingTotal {
	cost := readAttribute[float64](c, info, wire.AttributeCost)
	if cost == 0 {
		return runstore.SpendingTotal{}
	}
	return runstore.SpendingTotal{Attempts: 1, Micros: int64(math.Round(cost * 1e6))}
}

// SpendingOf implements runstore.Index. The list of workflows has no tokens and agents.
func (c *Client) SpendingOf(ctx context.Context, ids []string) (map[string]runstore.SpendingTotal, error) {
	runs := make([]store.Run, len(ids))
	for i, id := range ids {
		runs[i].ID = id
	}
	newest, err := c.newestOf(ctx, runs)
	spent := map[string]runstore.SpendingTotal{}
	for id, info := range newest {
		spent[id] = c.spentBy(info)
	}
	return spent, err
}

// mostTotalled is how many runs a sum counts: the cluster sums up nothing itself.
const mostTotalled = 10_000

// eachTotalled calls do with the selected runs. If there are too many, the error is a
// *runstore.PartialError.
func (c *Client) eachTotalled(ctx context.Context, q runstore.RunQuery, do func(store.Run, *workflowpb.WorkflowExecutionInfo)) error {
	terms, n := c.termsOf(ctx, q), 0
	if !q.Since.IsZero() || !q.Until.IsZero() {
		until := q.Until
		if until.IsZero() {
			until = time.Now().Add(time.Hour)
		}
		terms = append(terms, startedIn(q.Since, until))
	}
	err := c.eachWorkflow(ctx, terms, 1000, func(info *workflowpb.WorkflowExecutionInfo) bool {
		if run := c.runOf(info); isRun(info) && info.GetParentExecution() == nil && q.Selects(run) {
			if n++; n > mostTotalled {
				return false
			}
			do(run, info)
		}
		return true
	})
	if err == nil && n > mostTotalled {
		return &runstore.PartialError{Left: fmt.Sprintf("the sums count %d runs, first the open ones and then those that ended last, because a cluster sums up nothing itself: choose a shorter time", mostTotalled)}
	}
	return err
}

// TotalRuns implements runstore.Index.
func (c *Client) TotalRuns(ctx context.Context, q runstore.RunQuery) ([]runstore.RunTotal, error) {
	sums := map[[2]string]*runstore.RunTotal{}
	err := c.eachTotalled(ctx, q, func(r store.Run, _ *workflowpb.WorkflowExecutionInfo) {
		sum := added(sums, [2]string{r.Workflow, string(r.Status)}, runstore.RunTotal{Workflow: r.Workflow, Status: r.Status})
		sum.Runs++
		if !r.Finished.IsZero() {
			sum.Took += r.Finished.Sub(r.Created)
		}
	})
	return valuesOf(sums), err
}

// TotalSpending implements runstore.Index.
func (c *Client) TotalSpending(ctx context.Context, workflow string, since, until time.Time) ([]runstore.SpendingTotal, error) {
	sums := map[string]*runstore.SpendingTotal{}
	err := c.eachTotalled(ctx, runstore.RunQuery{Workflow: workflow, Since: since, Until: until}, func(r store.Run, info *workflowpb.WorkflowExecutionInfo) {
		sum := added(sums, r.Workflow, runstore.SpendingTotal{Workflow: r.Workflow})
		*sum = sum.Plus(c.spentBy(info))
	})
	return valuesOf(sums), err
}

// added returns the value of a key, which it adds if there is none.
func added[K comparable, V any](to map[K]*V, key K, zero V) *V {
	if to[key] == nil {
		to[key] = &zero
	}
	return to[key]
}

func valuesOf[K comparable, V any](of map[K]*V) (list []V) {
	for _, v := range of {
		list = append(list, *v)
	}
	return list
}

// mostAsked is how many runs are read at the same time.
const mostAsked = 8

// FailedSteps implements runstore.Index.
func (c *Client) FailedSteps(ctx context.Context, ids []string) (list []flow.Record, err error) {
	var mu sync.Mutex
	var reads sync.WaitGroup
	places := make(chan struct{}, mostAsked)
	for _, id := range ids {
		places <- struct{}{}
		reads.Go(func() {
			defer func() { <-places }()
			steps, wrong := c.Steps(ctx, id)
			mu.Lock()
			defer mu.Unlock()
			err = cmp.Or(err, wrong)
			for _, s := range steps {
				if s.Status == flow.Failed {
					list = append(list, s)
				}
			}
		})
	}
	reads.Wait()
	return list, err
}

// StepHeads implements runstore.Index.
func (c *Client) StepHeads(ctx context.Context, id string, open bool) ([]flow.Record, error) {
	steps, err := c.Steps(ctx, id)
	if open {
		steps = slices.DeleteFunc(steps, func(s flow.Record) bool { return s.Status != flow.Running && s.Status != flow.Waiting })
	}
	for i := range steps {
		steps[i].Text, steps[i].Prompt = "", ""
	}
	return steps, err
}

// Step implements runstore.Index.
func (c *Client) Step(ctx context.Context, id, key string) (flow.Record, error) {
	steps, err := c.Steps(ctx, id)
	if err != nil {
		return flow.Record{}, err
	}
	i := slices.IndexFunc(steps, func(s flow.Record) bool { return s.Key == key })
	if i < 0 {
		return flow.Record{}, fmt.Errorf("step %s of run %s: %w", key, id, store.ErrNotFound)
	}
	s := steps[i]
	if s.Prompt == "" && s.Attempt > 0 && (s.Kind == flow.Bash{}.Kind() || s.Kind == flow.Script{}.Kind()) {
		s.Prompt, err = c.scriptOf(ctx, id, key)
	}
	return s, err
}

// Asking implements cluster.Cluster.
func (c *Client) Asking(ctx context.Context, limit int) ([]store.Run, error) {
	terms := []string{"ExecutionStatus = 'Running'"}
	if c.knowsAttributes(ctx) {
		terms = append(terms, wire.AttributeWaiting+" IS NOT NULL")
	}
	var list []store.Run
	err := c.eachWorkflow(ctx, terms, 0, func(info *workflowpb.WorkflowExecutionInfo) bool {
		waits := readAttribute[[]string](c, info, wire.AttributeWaiting)
		if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || len(waits) == 0 {
			return true
		}
		run := c.runOf(info)
		if root := info.GetRootExecution().GetWorkflowId(); root != "" {
			run.ID = root
		}
		if !slices.ContainsFunc(list, func(other store.Run) bool { return other.ID == run.ID }) {
			list = append(list, run)
		}
		return len(list) < limit
	})
	return list, err
}
