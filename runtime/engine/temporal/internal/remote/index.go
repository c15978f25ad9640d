package remote

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// eachWorkflow calls do with the workflows that a query selects until do returns false: open ones
// first, then those that ended last. Of the workflows of one run, it only passes the first.
func (c *reader) eachWorkflow(ctx context.Context, terms []string, size int32, do func(*workflowpb.WorkflowExecutionInfo) bool) error {
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

// runOf returns a run with the fields that the list of workflows has.
func (c *reader) runOf(info *workflowpb.WorkflowExecutionInfo) store.Run {
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
func (c *reader) termsOf(ctx context.Context, q runstore.RunQuery) []string {
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
	return "StartTime >= " + quoteString(begin.UTC().Format(time.RFC3339Nano)) + " AND StartTime < " + quoteString(end.UTC().Format(time.RFC3339Nano))
}

// firstRun is before the first run of any namespace.
var firstRun = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// mostListed is how many runs a list without a limit has: the cluster sums up nothing itself.
const mostListed = 10_000

// PageRuns implements runstore.Index. A cluster cannot list workflows in the order in which they
// began, so PageRuns lists one time after the other, each longer than the one before.
func (c *reader) PageRuns(ctx context.Context, q runstore.RunQuery) (list []store.Run, err error) {
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
	limit := cmp.Or(q.Limit, mostListed)
	for width := 10 * time.Minute; end.After(oldest) && len(list) < limit; width *= 4 {
		begin := end.Add(-width)
		if begin.Before(oldest) {
			begin = oldest
		}
		some, err := c.runsWhere(ctx, append(slices.Clip(terms), startedIn(begin, end)), q)
		if err != nil {
			return nil, err
		}
		list, end = append(list, some...), begin
	}
	if len(list) <= limit {
		return list, nil
	}
	if q.Limit == 0 {
		err = &runstore.PartialError{Left: fmt.Sprintf("the sums only count the newest %d runs, because a cluster sums up nothing itself: choose a shorter time", limit)}
	}
	return list[:limit], err
}

// runsWhere returns the runs that a query selects, newest first.
func (c *reader) runsWhere(ctx context.Context, terms []string, q runstore.RunQuery) (list []store.Run, err error) {
	workflows := map[string]string{} // by the ids of the runs
	err = c.eachWorkflow(ctx, terms, mostInPage, func(info *workflowpb.WorkflowExecutionInfo) bool {
		if run := c.runOf(info); isRun(info) && info.GetParentExecution() == nil && q.Selects(run) {
			list = append(list, run)
			workflows[run.ID] = info.GetExecution().GetRunId()
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	newest, err := c.newestOf(ctx, slices.Collect(maps.Keys(workflows)))
	list = slices.DeleteFunc(list, func(r store.Run) bool {
		other := newest[r.ID] // the run was resumed later
		return other != nil && other.GetExecution().GetRunId() != workflows[r.ID]
	})
	slices.SortFunc(list, func(a, b store.Run) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
	return list, err
}

// How many workflows a page of the cluster's list has, and how many ids a query names.
const (
	mostInPage = 1000
	mostNamed  = 100
)

// newestOf returns the newest workflows of runs by the ids of the runs.
func (c *reader) newestOf(ctx context.Context, ids []string) (map[string]*workflowpb.WorkflowExecutionInfo, error) {
	newest := map[string]*workflowpb.WorkflowExecutionInfo{}
	for some := range slices.Chunk(ids, mostNamed) {
		var names []string
		for _, id := range some {
			names = append(names, quoteString(id))
		}
		err := c.eachWorkflow(ctx, []string{"WorkflowId IN (" + strings.Join(names, ", ") + ")"}, mostInPage, func(info *workflowpb.WorkflowExecutionInfo) bool {
			newest[info.GetExecution().GetWorkflowId()] = info
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return newest, nil
}

// SpendingOf implements runstore.Index. The list of workflows has no tokens and agents, and the cost
// as of the last change of the status.
func (c *reader) SpendingOf(ctx context.Context, ids []string) (map[string]runstore.SpendingTotal, error) {
	newest, err := c.newestOf(ctx, ids)
	spent := map[string]runstore.SpendingTotal{}
	for id, info := range newest {
		if cost := readAttribute[float64](c, info, wire.AttributeCost); cost > 0 {
			spent[id] = runstore.SpendingTotal{Attempts: 1, Micros: int64(math.Round(cost * 1e6))}
		}
	}
	return spent, err
}

// Asking implements cluster.Cluster.
func (c *reader) Asking(ctx context.Context, limit int) ([]store.Run, error) {
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
