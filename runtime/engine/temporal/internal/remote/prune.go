package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// margin is how much longer than the retention of the namespace a value stays. It covers
// differences of clocks, and the time from the storing of a value to the event that refers to it.
const margin = 24 * time.Hour

// Prune implements cluster.Cluster.
//
// A history that began after a time refers only to values that were used after it, but for the
// input of a schedule. So it suffices to keep recent values, those in older histories, and
// those in schedules.
func (c *Client) Prune(ctx context.Context, p cluster.Prune) (cluster.Pruned, error) {
	if c.values == nil {
		return cluster.Pruned{}, errors.New("missing store of large values: give its place with --blobs")
	}
	least, err := c.namespaceRetention(ctx)
	if err != nil {
		return cluster.Pruned{}, err
	}
	least += margin
	p.OlderThan = cmp.Or(p.OlderThan, least)
	if p.OlderThan < least {
		return cluster.Pruned{}, fmt.Errorf("values may be needed until a day after the retention period of the namespace: give --older-than %dh or more", int64((least+time.Hour-1)/time.Hour))
	}
	before := time.Now().Add(-p.OlderThan)
	keep := map[string]bool{}
	runs, err := c.referencedByRuns(ctx, before, keep)
	if err := errors.Join(err, c.referencedBySchedules(ctx, keep)); err != nil {
		return cluster.Pruned{}, err
	}
	values, err := c.values.Prune(ctx, before, keep, p.DryRun)
	pruned := cluster.Pruned{Values: values.Blobs, Bytes: values.Bytes}
	if err != nil {
		return pruned, err
	}
	pruned.Logs, err = c.pruneLogs(ctx, before, runs, p.DryRun)
	return pruned, err
}

// namespaceRetention is how long the namespace keeps ended workflows.
func (c *Client) namespaceRetention(ctx context.Context) (time.Duration, error) {
	d, err := c.temporal.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: c.namespace})
	if err != nil {
		return 0, fmt.Errorf("read the retention period of namespace %s: %w", c.namespace, err)
	}
	period := d.GetConfig().GetWorkflowExecutionRetentionTtl()
	if period == nil {
		return 0, fmt.Errorf("namespace %s has no retention period, so all values may be needed", c.namespace)
	}
	return period.AsDuration(), nil
}

// referencedByRuns adds the values that histories refer to which began before a time, and
// returns the names of their runs' folders.
func (c *Client) referencedByRuns(ctx context.Context, before time.Time, keep map[string]bool) (runs map[string]bool, err error) {
	runs = map[string]bool{}
	request := &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: c.namespace, Query: "StartTime <= " + quoteString(before.UTC().Format(time.RFC3339Nano)),
	}
	for {
		r, err := c.temporal.ListWorkflow(ctx, request)
		if err != nil {
			return nil, err
		}
		for _, info := range r.GetExecutions() {
			execution := info.GetExecution()
			runs[folderOf(execution.GetWorkflowId())] = true
			events := c.temporal.GetWorkflowHistory(ctx, execution.GetWorkflowId(), execution.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
			for events.HasNext() {
				e, err := events.Next()
				if notFound(err) {
					break // the cluster has removed it meanwhile
				}
				if err == nil {
					err = addReferences(ctx, &historypb.History{Events: []*historypb.HistoryEvent{e}}, keep)
				}
				if err != nil {
					return nil, fmt.Errorf("read the history of %s: %w", execution.GetWorkflowId(), err)
				}
			}
		}
		if request.NextPageToken = r.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return runs, nil
		}
	}
}

// referencedBySchedules adds the values that schedules of the namespace refer to.
func (c *Client) referencedBySchedules(ctx context.Context, keep map[string]bool) error {
	request := &workflowservice.ListSchedulesRequest{Namespace: c.namespace}
	for {
		r, err := c.temporal.WorkflowService().ListSchedules(ctx, request)
		if err != nil {
			return fmt.Errorf("list the schedules: %w", err)
		}
		for _, s := range r.GetSchedules() {
			d, err := c.temporal.WorkflowService().DescribeSchedule(ctx, &workflowservice.DescribeScheduleRequest{
				Namespace: c.namespace, ScheduleId: s.GetScheduleId(),
			})
			if notFound(err) {
				continue
			}
			if err == nil {
				err = addReferences(ctx, d, keep)
			}
			if err != nil {
				return fmt.Errorf("read the schedule %s: %w", s.GetScheduleId(), err)
			}
		}
		if request.NextPageToken = r.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return nil
		}
	}
}

// addReferences adds the values that the payloads of a message refer to.
func addReferences(ctx context.Context, message proto.Message, keep map[string]bool) error {
	return proxy.VisitPayloads(ctx, message, proxy.VisitPayloadsOptions{
		Visitor: func(_ *proxy.VisitPayloadsContext, payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
			for _, p := range payloads {
				if name := claim.Reference(p); name != "" {
					keep[name] = true
				}
			}
			return payloads, nil
		},
	})
}

// pruneLogs removes the logs to which nothing was added since a time and whose runs the
// cluster has removed. It returns the number of these runs.
func (c *Client) pruneLogs(ctx context.Context, before time.Time, runs map[string]bool, dry bool) (removed int, err error) {
	if c.logs == "" {
		return 0, nil
	}
	folders, err := os.ReadDir(c.logs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for _, folder := range folders {
		path := filepath.Join(c.logs, folder.Name())
		last, err := lastWrite(path)
		if err != nil {
			return removed, err
		}
		if !last.Before(before) || runs[folder.Name()] {
			continue
		}
		// A run that was resumed later is in a newer history.
		_, err = c.temporal.DescribeWorkflowExecution(ctx, folder.Name(), "")
		if err == nil {
			continue
		}
		if !notFound(err) {
			return removed, err
		}
		if !dry {
			if err := os.RemoveAll(path); err != nil {
				return removed, err
			}
		}
		removed++
	}
	return removed, nil
}

// lastWrite is the time at which a file in a folder, or the folder, last changed.
func lastWrite(folder string) (last time.Time, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return last, err
}
