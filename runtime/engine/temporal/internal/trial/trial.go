// Package trial runs workflows on Temporal's test environment: the code of the engine with
// a server in memory, whose clock jumps. It is for tests.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/perform"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A World is a run on Temporal, with the parts of a run of package enginetest.
type World struct {
	Run *enginetest.Run
	// Options are the options of the run.
	Options wire.Options
	// Blobs keeps large values; nil keeps them in the history.
	Blobs claim.Store
	// Cipher encrypts values; nil leaves them as they are.
	Cipher claim.Cipher
	// Configure prepares each environment. It may be nil.
	Configure func(env *testsuite.TestWorkflowEnvironment)
	// Workers is how many workers take the activities in turn, each with a separate state
	// folder; 0 means one.
	Workers int
	// Queue is the queue that only the worker of a run with WorkspaceHost serves.
	Queue string
	// Workflows counts the workflows that the run has had.
	Workflows int

	// prepared says that the folders of the run exist, so no worker prepares them.
	prepared bool
	machines []*perform.Worker
	taken    atomic.Int64 // activities that workers took

	final *wire.RunState // of the last workflow, or at the last pause
	// children are the runs that steps began, by id, as they were when they ended, or at the
	// last pause.
	children map[string]*wire.RunState
	now      time.Time
	// updates counts the updates, since each has an id.
	updates int
	// live is the workflow that waits, or nil.
	live *live
}

// NewWorld returns the world of a run with the options of a program that sets none.
func NewWorld(r *enginetest.Run) interface {
	Process(answers ...store.Answer) (flow.RunState, error)
	Answer(run string, a store.Answer) (flow.RunState, error)
	Cancel(by string)
	End(run string) flow.RunState
	Limit(actions int)
	Events() []flow.Event
	Close()
} {
	return &World{Run: r, Options: wire.Options{Workspace: wire.WorkspaceHost}, prepared: true}
}

// live is a workflow that has not ended.
type live struct {
	env *testsuite.TestWorkflowEnvironment
	// turns gets functions that the environment calls while the workflow rests.
	turns chan func()
	// rests gets the state of a workflow that rests, and is closed when it has ended.
	rests chan *wire.RunState
	// children looks at the runs that steps began, before the workflow rests.
	children func(env *testsuite.TestWorkflowEnvironment)
	turn     int           // counts the rests
	over     chan struct{} // closed when it has ended
	err      error
}

// mostWorkflows bounds the workflows of one process.
const mostWorkflows = 1000

// Process works on the run until it ends or pauses. The answers arrive first; a paused
// run without any is suspended, and begins again with its journal.
func (w *World) Process(answers ...store.Answer) (flow.RunState, error) {
	if w.live != nil && len(answers) > 0 {
		return w.answerRun(w.Run.Info.ID, answers...)
	}
	if w.live != nil {
		w.live.turns <- func() {
			w.live.env.SetDetachedChildWait(false) // children begin again with their journals
			w.live.env.SignalWorkflow(wire.Suspend, nil)
		}
		if _, err := w.waitUntilIdle(); err != nil {
			return flow.RunState{}, err
		}
	}
	start := Start(w.Run, w.Options, w.final)
	start.Children = slices.DeleteFunc(start.Children, func(c wire.Begun) bool { return c.Result == nil })
	if !w.prepared && w.Options.Workspace != wire.WorkspaceNone {
		start.Place = nil
		if old := w.final; old != nil {
			start.Run, start.Place = old.Run, old.Place
		}
	}
	start.Answers = append(start.Answers, answers...)
	w.beginWorkflow(start)
	return w.waitUntilIdle()
}

// Start is the input of the workflow of a run that begins, or that continues from its end.
func Start(run *enginetest.Run, options wire.Options, old *wire.RunState) wire.Start {
	start := wire.Start{Kept: wire.Kept{Run: *run.Info, Options: options, Place: &wire.Place{
		WorkDir: run.Info.WorkDir, ArtifactsDir: run.Info.ArtifactsDir, LogDir: run.Info.LogDir, SharedDir: run.Info.SharedDir,
	}}}
	start.Run.Workflow = cmp.Or(start.Run.Workflow, run.Definition.Name)
	if old != nil {
		start.Created, start.Steps, start.Events, start.Answers, start.Children = old.Created, old.Steps, old.Events, old.Answers, old.Children
		start.Dropped, start.Approvals = old.Dropped, old.Approvals
	}
	return start
}

// answerRun gives answers to a run, and works on until all runs have ended or wait.
func (w *World) answerRun(run string, answers ...store.Answer) (flow.RunState, error) {
	return sendUpdates(w, run, wire.Answer, answers)
}

// Approve gives the approval of one person to the run.
func (w *World) Approve(a runstore.Approval) (flow.RunState, error) {
	return sendUpdates(w, w.Run.Info.ID, wire.Approve, []runstore.Approval{a})
}

// sendUpdates sends updates to a run, and works on until all runs have ended or wait.
func sendUpdates[T any](w *World, run, name string, answers []T) (flow.RunState, error) {
	refused := make(chan error, len(answers))
	w.live.turns <- func() {
		for _, a := range answers {
			w.updates++
			err := w.live.env.UpdateWorkflowByID(run, name, fmt.Sprint("update", w.updates), &callbacks{w.live, refused, name == wire.Approve}, a)
			if err != nil {
				(&callbacks{w.live, refused, false}).Reject(err)
			}
		}
	}
	var refusal error
	for range answers {
		select {
		case err := <-refused:
			refusal = errors.Join(refusal, err)
		case <-w.live.over: // the run has ended before it saw the answer
		}
	}
	end, err := w.waitUntilIdle()
	return end, errors.Join(refusal, err)
}

// Signal sends a signal to a run that waits, and returns when it waits again or has ended.
func (w *World) Signal(name string, arg any) (flow.RunState, error) {
	w.live.turns <- func() { w.live.env.SignalWorkflow(name, arg) }
	return w.waitUntilIdle()
}

// Later lets time pass for a run that waits, until it waits again or has ended.
func (w *World) Later() (flow.RunState, error) {
	w.live.turns <- func() {}
	return w.waitUntilIdle()
}

// Limit sets how many actions of the run are performed at once.
func (w *World) Limit(actions int) { w.Options.MaxParallel = actions }

// Events are the events of the run when it ended or paused.
func (w *World) Events() []flow.Event { return w.final.Events }

// Dropped counts the events before those of Events.
func (w *World) Dropped() int { return w.final.Dropped }

// Close ends a run that waits.
func (w *World) Close() {
	if w.live != nil {
		w.live.turns <- func() { w.live.env.CancelWorkflow() }
		_, _ = w.waitUntilIdle() // it is cancelled, and nobody asks
	}
}

func (w *World) waitUntilIdle() (flow.RunState, error) {
	for {
		state, rests := <-w.live.rests
		if rests {
			w.final, w.Run.Steps = state, state.Steps
			w.adoptChildren()
			return state.End, nil
		}
		err := w.live.err
		w.now, w.live = w.live.env.Now(), nil
		var next *workflow.ContinueAsNewError
		if !errors.As(err, &next) {
			return w.takeEnd(err)
		}
		var start wire.Start
		if err := w.dataConverter().FromPayloads(next.Input, &start); err != nil {
			return flow.RunState{}, err
		}
		if w.Workflows == mostWorkflows {
			return flow.RunState{}, errors.New("the run continues in ever more workflows")
		}
		w.beginWorkflow(start)
	}
}

// takeEnd takes the end of the run.
func (w *World) takeEnd(err error) (flow.RunState, error) {
	if err != nil {
		return flow.RunState{}, err
	}
	w.Run.Steps = w.final.Steps
	w.adoptChildren()
	return w.final.End, nil
}

// beginWorkflow begins a workflow.
func (w *World) beginWorkflow(start wire.Start) {
	w.Workflows++
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(10 * time.Second)
	// A busy machine can take more than the second after which Temporal sees a deadlock.
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute})
	env.SetDataConverter(w.dataConverter())
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: start.Run.ID, TaskQueue: "runs"})
	if !w.now.IsZero() {
		env.SetStartTime(w.now)
	}
	definition := w.Run.Definition
	for _, def := range flow.Reachable(definition) {
		env.RegisterWorkflowWithOptions(w.keepingWorkflow(def), workflow.RegisterOptions{Name: def.Name})
	}
	for name, activities := range w.activitiesByName() {
		env.RegisterActivityWithOptions(activities, activity.RegisterOptions{Name: name})
	}
	if w.Configure != nil {
		w.Configure(env)
	}
	l := &live{env: env, children: w.keepChildStates, turns: make(chan func()), rests: make(chan *wire.RunState), over: make(chan struct{})}
	w.live = l
	env.OnUpsertMemo(mock.Anything).Return(nil).Run(func(args mock.Arguments) {
		memo, _ := args.Get(0).(map[string]any)
		raw, _ := memo[wire.AttributeStatus].(converter.RawValue)
		status := ""
		values := converter.WithDataConverterSerializationContext(w.dataConverter(), converter.WorkflowSerializationContext{
			Namespace: "default-test-namespace", WorkflowID: w.Run.Info.ID,
		})
		if values.FromPayload(raw.Payload(), &status) == nil && status == string(flow.Paused) {
			l.scheduleRest()
		}
	})
	go func() {
		defer close(l.rests)
		defer close(l.over)
		defer func() { // the environment panics if the workflow waits for ever
			if p := recover(); p != nil {
				l.err = fmt.Errorf("the test environment: %v", p)
			}
		}()
		env.ExecuteWorkflow(definition.Name, start)
		final := &wire.Final{}
		if l.err = env.GetWorkflowError(); l.err == nil {
			l.err = env.GetWorkflowResult(final)
		} else if wire.Ended(l.err, final) == nil {
			l.err = nil
		}
		if l.err == nil {
			w.final = final
		}
	}()
}

// scheduleRest has the environment rest once the workflow waits. Further requests of the same pause
// do nothing.
func (l *live) scheduleRest() {
	turn := l.turn
	l.env.RegisterDelayedCallback(func() {
		if turn == l.turn {
			l.yieldIfPaused()
		}
	}, 0)
}

// yieldIfPaused gives the test the turn while the workflow waits for people.
func (l *live) yieldIfPaused() {
	value, err := l.env.QueryWorkflow(wire.State)
	if err != nil {
		panic(err)
	}
	state := &wire.RunState{}
	if err := value.Get(state); err != nil {
		panic(err)
	}
	if state.End.Status != flow.Paused || !state.Finished.IsZero() {
		return // it went on or has ended
	}
	l.children(l.env)
	l.turn++
	l.rests <- state
	(<-l.turns)()
}

// dataConverter is the one of workers, but for the deadlock detector: pausing it is a data race in
// the test environment of the SDK.
func (w *World) dataConverter() converter.DataConverter { return claim.Encoding(w.Blobs, w.Cipher) }

// activitiesByName returns the activities of the workers by name.
func (w *World) activitiesByName() map[string]any {
	if w.Workers == 0 {
		return w.newWorker("").Activities()
	}
	if w.machines == nil {
		for i := range w.Workers {
			w.machines = append(w.machines, w.newWorker(fmt.Sprint("machine", i+1)))
		}
	}
	spread := map[string]any{}
	for name, first := range w.machines[0].Activities() {
		spread[name] = reflect.MakeFunc(reflect.TypeOf(first), func(args []reflect.Value) []reflect.Value {
			machine := w.machines[int(w.taken.Add(1))%len(w.machines)]
			return reflect.ValueOf(machine.Activities()[name]).Call(args)
		}).Interface()
	}
	return spread
}

// newWorker returns a worker of the run, with its state in a folder of the run.
func (w *World) newWorker(folder string) *perform.Worker {
	worker := Worker(w.Run)
	worker.State.Path, worker.Queue, worker.Probe = filepath.Join(w.Run.RunDir, folder), w.Queue, w.Queue
	worker.Ended = func(_ context.Context, id string) (*wire.Final, error) { return w.children[id], nil }
	return worker
}

// Worker returns a worker that performs the actions of a run.
func Worker(run *enginetest.Run) *perform.Worker {
	return &perform.Worker{
		Workflow: run.Definition, Performers: run.Performers, State: state.Folder{Path: run.RunDir},
		WorkDir: run.Info.WorkDir, Environ: run.Environ, Name: "worker", Results: maps.Clone(run.Results),
	}
}

// callbacks take the outcome of an update.
type callbacks struct {
	of      *live
	outcome chan<- error
	// rests says that an update may wake nothing although it is accepted.
	rests bool
}

// Accept implements the callbacks of updates.
func (*callbacks) Accept() {}

// Reject implements the callbacks of updates.
func (c *callbacks) Reject(err error) {
	c.of.scheduleRest() // nothing else wakes the workflow
	c.outcome <- err
}

// Complete implements the callbacks of updates.
func (c *callbacks) Complete(_ any, err error) {
	if c.rests {
		c.of.scheduleRest()
	}
	c.outcome <- err
}
