package remote

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/lease"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Answer implements store.Store. A live worker accepts or refuses the answer at once. Without
// one, the answer waits in the history of the run for the next worker.
func (c *Client) Answer(ctx context.Context, id string, a store.Answer) error {
	asked, stop := context.WithTimeout(ctx, patience)
	defer stop()
	handle, err := c.temporal.UpdateWorkflow(asked, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: wire.Answer, Args: []any{a}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(asked, nil)
	}
	var refused *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return store.ErrAnswered // or the question is not open; the caller reads the run again
	case notFound(err):
		return store.ErrNotFound
	case ctx.Err() == nil && noWorker(err):
		return c.temporal.SignalWorkflow(ctx, id, "", wire.Answer, a)
	}
	return err
}

// noWorker reports whether an error says that no worker took a request in time.
func noWorker(err error) bool {
	var timeout *client.WorkflowUpdateServiceTimeoutOrCanceledError
	var away *serviceerror.Unavailable
	var early *serviceerror.WorkflowNotReady
	return errors.As(err, &timeout) || errors.As(err, &away) || errors.As(err, &early) ||
		errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), context.DeadlineExceeded.Error())
}

// RequestCancel implements store.Store.
func (c *Client) RequestCancel(ctx context.Context, id, by string) error {
	return c.temporal.SignalWorkflow(ctx, id, "", wire.Cancel, wire.Cancellation{By: by})
}

// Leased implements lease.Store: the cluster works on a run until its workflow is closed.
func (c *Client) Leased(ctx context.Context, id string) (held bool, holder string, err error) {
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	if notFound(err) {
		return false, "", nil
	}
	if err != nil {
		return false, "", err
	}
	return d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, c.Name(), nil
}

// Lease implements lease.Store. No process but a worker works on runs.
func (c *Client) Lease(_ context.Context, _, _ string) (lease.Lease, error) {
	return nil, &lease.HeldError{Holder: c.Name()}
}

// Version implements store.Store. Temporal reports no changes, so each call returns another
// version.
func (c *Client) Version(context.Context) (int64, error) { return time.Now().UnixNano(), nil }

// errWrites is the error of methods by which an engine on one machine writes.
var errWrites = errors.New("the runs are on a Temporal cluster, which alone writes to them")

// CreateRun implements store.Store; it always fails, like the others below.
func (*Client) CreateRun(context.Context, store.Run, []flow.Record) error { return errWrites }

// Begin implements store.Store.
func (*Client) Begin(context.Context, string, string, string) error { return errWrites }

// SetFingerprint implements store.Store.
func (*Client) SetFingerprint(context.Context, string, string) error { return errWrites }

// Commit implements store.Store.
func (*Client) Commit(context.Context, string, flow.Batch) error { return errWrites }

// Session implements store.Store.
func (*Client) Session(context.Context, string, string) (string, error) { return "", errWrites }

// KeepSession implements store.Store.
func (*Client) KeepSession(context.Context, string, string, string) error { return errWrites }

// DeleteRun implements store.Store. Temporal removes runs when their time of retention is
// over.
func (*Client) DeleteRun(context.Context, string) error { return errWrites }
