package remote

import (
	"context"
	"errors"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Await implements cluster.Cluster. It waits by two long polls: one that the cluster answers
// when the run ends, and one that it answers when the history of the run grows.
func (c *Client) Await(ctx context.Context, id string, see func(flow.Record)) (flow.RunState, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	shown := map[string]flow.Status{}
	ended, grown := c.watchEnd(ctx, id), c.watchGrowth(ctx, id)
	for {
		s, open, err := c.runState(ctx, id)
		switch {
		case err == nil:
			for _, step := range s.Steps {
				if shown[step.Key] != step.Status && step.Status != flow.Pending {
					shown[step.Key] = step.Status
					see(step)
				}
			}
			if !open || s.End.Status == flow.Paused {
				return s.End, nil
			}
		case !errors.Is(err, store.ErrNotFound):
			return flow.RunState{}, err
		}
		select {
		case <-ended:
			ended = nil // the loop returns, unless somebody resumes the run at this moment
		case <-grown:
		case <-ctx.Done():
			return flow.RunState{}, ctx.Err()
		}
	}
}

// watchEnd returns a channel that is closed when the workflow of a run, with its successors, has
// ended, or when the cluster refuses to say so.
func (c *Client) watchEnd(ctx context.Context, id string) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.temporal.GetWorkflow(ctx, id, "").Get(ctx, nil) // state reads the result
	}()
	return ended
}

// Bounds of the requests by which a command follows a run.
const (
	// apart is the shortest time between two requests for new events.
	apart = 250 * time.Millisecond
	// again is the time until the next request after one that failed.
	again = time.Second
)

// watchGrowth returns a channel that receives a value after the history of a run has grown, until
// ctx ends. It holds one value, however often the history has grown since the last receive.
func (c *Client) watchGrowth(ctx context.Context, id string) <-chan struct{} {
	grown := make(chan struct{}, 1)
	go func() {
		var position []byte
		for ctx.Err() == nil {
			next := time.NewTimer(apart)
			more, err := c.moreEvents(ctx, id, &position)
			if err != nil {
				position = nil
				next.Reset(again)
			}
			if more || err != nil {
				select {
				case grown <- struct{}{}:
				default:
				}
			}
			select {
			case <-next.C:
			case <-ctx.Done():
			}
		}
	}()
	return grown
}

// moreEvents waits for events of a run and reports whether there are any; the cluster returns
// none after 20 seconds. position is the cluster's token for the next event. nil is the first
// event of the newest workflow, also after the last event of an earlier one.
func (c *Client) moreEvents(ctx context.Context, id string, position *[]byte) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	r, err := c.temporal.WorkflowService().GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: c.namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: id}, WaitNewEvent: true, NextPageToken: *position,
	})
	if err != nil {
		return false, err
	}
	*position = r.GetNextPageToken()
	return len(r.GetHistory().GetEvents()) > 0 || len(r.GetRawHistory()) > 0, nil
}
