// Package served runs workflows of tests on a real Temporal server, with workers in this
// process: the same worlds as package trial, without a clock that jumps.
package served

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// AddressVariable is the environment variable with the address of the server, and
// BlobsVariable the one with the folder for large values.
const (
	AddressVariable = "WFC_TEST_TEMPORAL"
	BlobsVariable   = "WFC_TEST_TEMPORAL_BLOBS"
)

// patience is how long a run may take until it ends or pauses.
const patience = 3 * time.Minute

// connection is the one of this process.
var connection = sync.OnceValues(Dial)

// Dial connects to the server.
func Dial() (client.Client, error) {
	return client.Dial(client.Options{
		HostPort: os.Getenv(AddressVariable), DataConverter: claim.Converter(claim.Folder(os.Getenv(BlobsVariable)), nil),
		Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
}

// world is a run on the server. Its id is the one of its workflow, so no two may have the same.
type world struct {
	run      *enginetest.Run
	options  wire.Options
	client   client.Client
	worker   worker.Worker
	err      error // why there is none
	state    *wire.RunState
	open     bool
	children map[string]*wire.RunState
}

// NewWorld returns the world of a run.
func NewWorld(r *enginetest.Run) interface {
	Process(answers ...store.Answer) (flow.RunState, error)
	Answer(run string, a store.Answer) (flow.RunState, error)
	Cancel(by string)
	End(run string) flow.RunState
	Limit(actions int)
	Events() []flow.Event
	Close()
} {
	w := &world{run: r, options: wire.Options{Workspace: wire.WorkspaceHost}, children: map[string]*wire.RunState{}}
	if w.client, w.err = connection(); w.err != nil {
		return w
	}
	w.worker = worker.New(w.client, r.Info.ID, worker.Options{
		DefaultHeartbeatThrottleInterval: time.Second, MaxHeartbeatThrottleInterval: time.Second,
	})
	for _, def := range flow.Reachable(r.Definition) {
		w.worker.RegisterWorkflowWithOptions(durable.Workflow(def, converter.GetDefaultDataConverter()), workflow.RegisterOptions{Name: def.Name})
	}
	p := trial.Worker(r)
	p.Ended = w.endedRun
	for name, f := range p.Activities() {
		w.worker.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	w.err = w.worker.Start()
	return w
}

// Process works on the run until it ends or pauses. One that waits, and gets no answer, ends
// and begins again with its journal.
func (w *world) Process(answers ...store.Answer) (flow.RunState, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	if w.err != nil {
		return flow.RunState{}, w.err
	}
	id := w.run.Info.ID
	if w.open && len(answers) > 0 {
		for _, a := range answers {
			if err := w.sendAnswer(ctx, id, a); err != nil {
				return flow.RunState{}, err
			}
		}
		return w.waitUntilIdle(ctx)
	}
	if w.open {
		if err := w.client.SignalWorkflow(ctx, id, "", wire.Suspend, nil); err != nil {
			return flow.RunState{}, err
		}
		final := &wire.Final{}
		if err := w.client.GetWorkflow(ctx, id, "").Get(ctx, final); err != nil {
			return flow.RunState{}, err
		}
		w.state = final
	}
	start := trial.Start(w.run, w.options, w.state)
	start.Answers = append(start.Answers, answers...)
	_, err := w.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: id, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, w.run.Definition.Name, start)
	if err != nil {
		return flow.RunState{}, err
	}
	return w.waitUntilIdle(ctx)
}

// Answer answers a question of the run or of one that a step began.
func (w *world) Answer(run string, a store.Answer) (flow.RunState, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	if !w.open {
		return w.Process(a)
	}
	if err := w.sendAnswer(ctx, run, a); err != nil {
		return flow.RunState{}, err
	}
	return w.waitUntilIdle(ctx)
}

func (w *world) sendAnswer(ctx context.Context, run string, a store.Answer) error {
	handle, err := w.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: run, UpdateName: wire.Answer, Args: []any{a}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, nil)
}

// waitUntilIdle waits until the run has ended, or it and all runs that its steps began wait.
func (w *world) waitUntilIdle(ctx context.Context) (flow.RunState, error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		rests, err := w.hasEndedOrWaits(ctx, w.run.Info.ID)
		if err != nil {
			return flow.RunState{}, err
		}
		if rests {
			trial.Adopt(w.run, w.children)
			w.run.Steps = w.state.Steps
			return w.state.End, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return flow.RunState{}, fmt.Errorf("run %s is %s after %s", w.run.Info.ID, w.state.End.Status, patience)
		}
	}
}

// hasEndedOrWaits reports whether a run has ended or waits, and keeps its state.
func (w *world) hasEndedOrWaits(ctx context.Context, id string) (bool, error) {
	s, open, err := w.lookUpState(ctx, id)
	if err != nil {
		return false, err
	}
	if s == nil {
		return false, fmt.Errorf("unknown workflow %s", id)
	}
	if id == w.run.Info.ID {
		w.state, w.open = s, open
	} else {
		w.children[id] = s
	}
	if open && s.End.Status != flow.Paused {
		return false, nil
	}
	idle := map[string]bool{}
	for _, c := range s.Children {
		idle[c.Run] = c.Idle
		if open && !c.Idle {
			return false, nil
		}
	}
	for _, step := range s.Steps {
		child := runid.Child(id, step.Key)
		if step.Kind != (flow.Child{}).Kind() || step.Attempt == 0 {
			continue
		}
		if found, live, err := w.lookUpState(ctx, child); err != nil || found == nil {
			continue // it never began
		} else if open && idle[child] != live {
			return false, nil // the run does not know yet
		}
		if ready, err := w.hasEndedOrWaits(ctx, child); err != nil || !ready {
			return false, err
		}
	}
	return true, nil
}

// endedRun returns the end of a run, or nil if there is no such run or it has not ended.
func (w *world) endedRun(ctx context.Context, id string) (*wire.Final, error) {
	for {
		s, open, err := w.lookUpState(ctx, id)
		switch {
		case err != nil || s == nil || !open:
			return s, err
		case s.Finished.IsZero():
			return nil, nil
		}
		// Its parent knows the end before the workflow is closed.
		_ = w.client.GetWorkflow(ctx, id, "").Get(ctx, nil) // the end is read above
	}
}

// lookUpState returns the state of a run, or nil if there is none, and whether its workflow is open.
func (w *world) lookUpState(ctx context.Context, id string) (*wire.RunState, bool, error) {
	s := &wire.RunState{}
	d, err := repeatLate(ctx, func() (*workflowservice.DescribeWorkflowExecutionResponse, error) {
		return w.client.DescribeWorkflowExecution(ctx, id, "")
	})
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		value, err := repeatLate(ctx, func() (converter.EncodedValue, error) { return w.client.QueryWorkflow(ctx, id, "", wire.State) })
		if err != nil {
			return nil, false, err
		}
		return s, true, value.Get(s)
	}
	err = w.client.GetWorkflow(ctx, id, "").Get(ctx, s)
	if err != nil && wire.Ended(err, s) != nil {
		return nil, false, err
	}
	return s, false, nil
}

// repeatLate asks the server again if it didn't answer in the ten seconds that the client waits: on a busy
// machine, a worker may need longer for a query, and the run has more time.
func repeatLate[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	for {
		answer, err := ask()
		_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
		if ctx.Err() != nil || !late && !errors.Is(err, context.DeadlineExceeded) {
			return answer, err
		}
	}
}

// Cancel cancels the run.
func (w *world) Cancel(by string) {
	_ = w.client.SignalWorkflow(context.Background(), w.run.Info.ID, "", wire.Cancel, wire.Cancellation{By: by}) // it may have ended
}

// End returns how a run that a step began ended, or that it waits.
func (w *world) End(run string) flow.RunState {
	if c := w.children[run]; c != nil {
		return c.End
	}
	return w.state.End
}

// Limit sets how many actions are performed at once.
func (w *world) Limit(actions int) { w.options.MaxParallel = actions }

// Events are the events of the run.
func (w *world) Events() []flow.Event { return w.state.Events }

// Close ends the run and its worker.
func (w *world) Close() {
	if w.err != nil {
		return
	}
	if w.open {
		_ = w.client.TerminateWorkflow(context.Background(), w.run.Info.ID, "", "the test has ended") // nobody asks
	}
	w.worker.Stop()
}
