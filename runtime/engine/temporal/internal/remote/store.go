package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/branch"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// patience is how long a worker has to answer a query or to take an update.
const patience = 5 * time.Second

// runState returns a run, and whether its workflow is open. If no worker answers for an open run,
// the state has only its begin, the status and the questions.
func (c *reader) runState(ctx context.Context, id string) (s *wire.RunState, open bool, err error) {
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	info := d.GetWorkflowExecutionInfo()
	// A page takes any id, and a namespace may have workflows that are no runs.
	if notFound(err) || err == nil && c.memory != nil && !isRun(info) {
		return nil, false, fmt.Errorf("run %s: %w", id, store.ErrNotFound)
	}
	if err != nil {
		return nil, false, err
	}
	open = info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	if s = c.memory.find(info); s == nil {
		if s, err = c.readState(ctx, info, open); err != nil {
			return nil, open, err
		}
		if !s.Partial {
			c.memory.keep(info, s)
		}
	}
	own := *s // the memory keeps s
	own.Kept = s.Clone()
	return &own, open, nil
}

// readState reads a run from the result of its workflow or, if that is open, from a worker.
func (c *reader) readState(ctx context.Context, info *workflowpb.WorkflowExecutionInfo, open bool) (*wire.RunState, error) {
	if !open {
		s, err := c.waitForEnd(ctx, info.GetExecution().GetWorkflowId(), info.GetExecution().GetRunId())
		if _, ok := errors.AsType[*temporal.WorkflowExecutionError](err); ok {
			return c.terminatedState(info, err), nil
		}
		return s, err
	}
	value, err := c.query(ctx, info, wire.State)
	if err != nil {
		return c.stateFromStart(ctx, info)
	}
	s := &wire.RunState{}
	return s, value.Get(s)
}

// terminatedState returns a run whose workflow has no result, for example because somebody
// terminated it.
func (c *reader) terminatedState(info *workflowpb.WorkflowExecutionInfo, why error) *wire.RunState {
	s := c.stateFromAttributes(info)
	s.Steps = nil // nobody waits for an answer
	s.End = flow.RunState{Status: flow.Failed, Reason: "workflow", Error: "its workflow ended without a result: " + why.Error()}
	s.Finished = info.GetCloseTime().AsTime()
	return s
}

// stateFromAttributes returns a run from the attributes of its workflow.
func (c *reader) stateFromAttributes(info *workflowpb.WorkflowExecutionInfo) *wire.RunState {
	s := &wire.RunState{Kept: wire.Kept{Created: info.GetStartTime().AsTime()}, Partial: true}
	s.Run.ID, s.Run.Workflow = info.GetExecution().GetWorkflowId(), info.GetType().GetName()
	s.Run.Fingerprint = cmp.Or(
		info.GetVersioningInfo().GetVersioningOverride().GetPinned().GetVersion().GetBuildId(),
		info.GetVersioningInfo().GetDeploymentVersion().GetBuildId(), c.def.Fingerprint,
	)
	s.End.Status = c.statusFromAttributes(info)
	for _, q := range readAttribute[[]flow.Question](c, info, wire.MemoQuestions) {
		s.Steps = append(s.Steps, flow.Record{Key: q.Key, Kind: "question", Status: flow.Waiting, Question: &q})
	}
	return s
}

// statusFromAttributes returns the status of a run from the attributes of its workflow.
func (c *reader) statusFromAttributes(info *workflowpb.WorkflowExecutionInfo) flow.Status {
	if s := readAttribute[string](c, info, wire.AttributeStatus); s != "" {
		return flow.Status(s)
	}
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return flow.Completed
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return flow.Cancelled
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW:
		return flow.Running
	}
	return flow.Failed
}

// readAttribute returns a search attribute of a workflow, which is never encrypted, or the same
// from its memo.
func readAttribute[T any](c *reader, info *workflowpb.WorkflowExecutionInfo, name string) (v T) {
	if p := info.GetSearchAttributes().GetIndexedFields()[name]; p != nil && converter.GetDefaultDataConverter().FromPayload(p, &v) == nil {
		return v
	}
	if p := info.GetMemo().GetFields()[name]; p != nil {
		memo := converter.WithDataConverterSerializationContext(c.converter, converter.WorkflowSerializationContext{
			Namespace: c.namespace, WorkflowID: info.GetExecution().GetWorkflowId(),
		})
		_ = memo.FromPayload(p, &v) // one that cannot be read is as one that is missing
	}
	return v
}

// Run implements store.Store.
func (c *Client) Run(ctx context.Context, id string) (store.Run, error) {
	s, _, err := c.runState(ctx, id)
	if err != nil {
		return store.Run{}, err
	}
	r := store.Run{
		RunInfo: s.Run, Status: s.End.Status, Reason: s.End.Reason, Error: s.End.Error, Outputs: s.End.Outputs,
		Summary: s.End.Summary, Outcome: s.End.Outcome, Settings: withOwn(s.Options.Settings, s.Parent, treeOf(s)), Processes: 1,
		Created: s.Created, Started: s.Created, Finished: s.Finished,
	}
	if s.Place != nil {
		r.Holder = s.Place.Worker
	}
	return r, nil
}

// Steps implements store.Store.
func (c *Client) Steps(ctx context.Context, id string) ([]flow.Record, error) {
	s, _, err := c.runState(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Steps, nil
}

// Events implements store.Store. A run keeps its newest events only: a reader that is further
// behind gets them all.
func (c *Client) Events(ctx context.Context, id string, seq int64) ([]flow.Event, int64, error) {
	s, _, err := c.runState(ctx, id)
	if err != nil {
		return nil, seq, err
	}
	known := min(max(int(seq)-s.Dropped, 0), len(s.Events))
	return s.Events[known:], max(seq, int64(s.Dropped+len(s.Events))), nil
}

// Answers implements store.Store.
func (c *Client) Answers(ctx context.Context, id string) ([]store.Answer, error) {
	s, _, err := c.runState(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Answers, nil
}

// listSingleRun returns the run of the filter's id. A list would not have a run that began a moment
// ago.
func (c *Client) listSingleRun(ctx context.Context, f store.Filter) ([]store.Run, error) {
	r, err := c.Run(ctx, f.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case f.Workflow != "" && r.Workflow != f.Workflow || f.Status != "" && r.Status != f.Status || !strings.HasPrefix(r.ID, f.Prefix):
		return nil, nil
	}
	return []store.Run{r}, nil
}

// Runs implements store.Store.
func (c *Client) Runs(ctx context.Context, f store.Filter) ([]store.Run, error) {
	if f.ID != "" {
		return c.listSingleRun(ctx, f)
	}
	var terms []string
	if f.Workflow != "" {
		terms = append(terms, "WorkflowType = "+quoteString(f.Workflow))
	}
	if f.Prefix != "" {
		terms = append(terms, "WorkflowId STARTS_WITH "+quoteString(f.Prefix))
	}
	var list []store.Run
	err := c.eachWorkflow(ctx, terms, 0, func(info *workflowpb.WorkflowExecutionInfo) bool {
		if run := c.runOf(info); (f.Status == "" || run.Status == f.Status) && (f.Workflow+f.Prefix != "" || isRun(info)) {
			list = append(list, run)
		}
		return f.Limit == 0 || len(list) < f.Limit
	})
	return list, err
}

// withOwn adds to the settings of a run what the engine on one machine keeps there: the run that
// began it, and its separate worktree. Both may be nil.
func withOwn(settings []byte, parent *wire.Parent, tree *worktree.Tree) []byte {
	if parent == nil && tree == nil {
		return settings
	}
	all := map[string]any{}
	if json.Unmarshal(settings, &all) != nil {
		all = map[string]any{}
	}
	if parent != nil {
		all["parent"] = parent
	}
	if tree != nil {
		all["worktree"] = tree
	}
	text, err := json.Marshal(all)
	if err != nil {
		return settings
	}
	return text
}

// treeOf returns the worktree of a run or, with WorkspaceGit, its branch; nil is neither.
func treeOf(s *wire.RunState) *worktree.Tree {
	switch p := s.Place; {
	case p == nil:
		return nil
	case p.Git != nil:
		return &worktree.Tree{Branch: branch.Name(s.Run.ID), Base: s.Options.Base, Repository: branch.Shown(p.Git.Repository)}
	case p.Worktree != nil:
		tree := *p.Worktree
		tree.Worker = p.Worker
		return &tree
	}
	return nil
}

// parentOf returns the run, and the step in it, that began the run of a workflow, or nil.
func (c *reader) parentOf(info *workflowpb.WorkflowExecutionInfo) *wire.Parent {
	if step := readAttribute[string](c, info, wire.MemoStep); step != "" {
		return &wire.Parent{Run: info.GetParentExecution().GetWorkflowId(), Step: step}
	}
	return nil
}

// quoteString returns a string of the language of queries.
func quoteString(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// Answer implements store.Store. A live worker accepts or refuses the answer at once. Without
// one, the answer waits in the history of the run for the next worker.
func (c *Client) Answer(ctx context.Context, id string, a store.Answer) error {
	return c.update(ctx, id, wire.Answer, a, nil)
}

// Approve implements runstore.Approver. Without a worker, nobody knows yet whether the approval is new.
func (c *Client) Approve(ctx context.Context, id string, a runstore.Approval) (bool, error) {
	added := true
	err := c.update(ctx, id, wire.Approve, a, &added)
	return added, err
}

// Approvals implements runstore.Approver.
func (c *Client) Approvals(ctx context.Context, id string) ([]runstore.Approval, error) {
	s, _, err := c.runState(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Approvals, nil
}

// update has a run take an answer; see Answer. result may be nil.
func (c *Client) update(ctx context.Context, id, name string, message, result any) error {
	asked, stop := context.WithTimeout(ctx, patience)
	defer stop()
	handle, err := c.temporal.UpdateWorkflow(asked, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: name, Args: []any{message}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(asked, result)
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
		return c.temporal.SignalWorkflow(ctx, id, "", name, message)
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

// Leased implements runstore.Store: the cluster works on a run until its workflow is closed.
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

// Lease implements runstore.Store. No process but a worker works on runs.
func (c *Client) Lease(_ context.Context, _, _ string) (runstore.Lease, error) {
	return nil, &runstore.HeldError{Holder: c.Name()}
}

// Generation implements store.Store. Temporal reports no changes of all steps, so each call returns
// another version; Version is of less.
func (c *Client) Generation(context.Context) (int64, error) { return time.Now().UnixNano(), nil }

// errWrites is the error of methods by which an engine on one machine writes.
var errWrites = errors.New("the runs are on a Temporal cluster, which alone writes to them")

// CreateRun implements store.Store; it always fails, like the others below.
func (*Client) CreateRun(context.Context, store.Run, []flow.Record) error { return errWrites }

// Begin implements store.Store.
func (*Client) Begin(context.Context, string, string, string) error { return errWrites }

// SetFingerprint implements store.Store.
func (*Client) SetFingerprint(context.Context, string, string) error { return errWrites }

// SetSettings implements store.Store.
func (*Client) SetSettings(context.Context, string, json.RawMessage) error { return errWrites }

// Commit implements store.Store.
func (*Client) Commit(context.Context, string, flow.Batch) error { return errWrites }

// Session implements store.Store.
func (*Client) Session(context.Context, string, string) (string, error) { return "", errWrites }

// KeepSession implements store.Store.
func (*Client) KeepSession(context.Context, string, string, string) error { return errWrites }

// DeleteRun implements store.Store. Temporal removes runs when their time of retention is
// over.
func (*Client) DeleteRun(context.Context, string) error { return errWrites }
