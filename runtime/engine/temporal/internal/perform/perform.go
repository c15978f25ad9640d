// Package perform has the activities of the engine on Temporal: a worker performs actions
// with the performers of its program, and prepares the folders of runs.
package perform

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/state"
)

// A Worker performs actions on one machine. Its exported methods, but for Register, are
// activities.
type Worker struct {
	// Workflow is the program's workflow.
	Workflow   *flow.Definition
	Performers []engine.Performer
	// State has the folders of runs. A run whose actions are spread over several workers
	// needs the same path on all of them.
	State state.Folder
	// WorkDir is the folder that runs with WorkspaceHost work in.
	WorkDir string
	// Queue and Probe are the task queues that only this worker serves; Name is for people.
	Queue, Probe, Name string
	// Environ, Scripts and Secrets are as in local.Config.
	Environ, Scripts, Secrets []string
	// Log receives the logs of runs.
	Log Log
	// Results are the results of actions that are not performed, by key, for tests.
	Results map[string]flow.Result
	// Ended returns the end of a run that has ended, or nil if there is no such run.
	Ended func(ctx context.Context, id string) (*wire.Final, error)
}

// A Log keeps lines about runs for the command logs.
type Log interface {
	// Write adds an entry. It must be safe for concurrent use, and never fails an action.
	Write(run string, e Entry)
}

// An Entry is one line of a run's log.
type Entry struct {
	Time    time.Time `json:"time"`
	Run     string    `json:"run"`
	Type    string    `json:"type"`
	Node    string    `json:"node,omitempty"`
	Stream  string    `json:"stream,omitempty"`
	Text    string    `json:"text,omitempty"`
	Message string    `json:"message,omitempty"`
	Worker  string    `json:"worker,omitempty"`
}

// beat is how often an activity says that it lives.
const beat = 5 * time.Second

// Perform performs an attempt at an action.
func (w *Worker) Perform(ctx context.Context, call wire.Call) (*wire.Result, error) {
	a, err := call.Action.Decode()
	if err != nil {
		return nil, temporal.NewNonRetryableApplicationError(err.Error(), "", nil)
	}
	if result, ok := w.Results[a.Key]; ok {
		return (*wire.Result)(&result), nil
	}
	call.Run.StateDir = call.StateDir
	def := definition(w.Workflow, call.Run.Workflow)
	if def == nil {
		return nil, temporal.NewNonRetryableApplicationError(fmt.Sprintf("this worker has no workflow `%s`", call.Run.Workflow), "", nil)
	}
	if err := w.folders(&call.Run); err != nil {
		return nil, temporal.NewNonRetryableApplicationError(err.Error(), "", nil)
	}
	w.restore(&call.Run, def, call.Artifacts)
	defer beats(ctx)()
	site := w.site(&call, def)
	result := wire.Result(site.Perform(ctx, a, call.Attempt))
	if stopping(ctx) && result.Status == flow.Cancelled && activity.IsActivity(ctx) {
		// The worker ends, not the step: its policy for interruptions decides.
		return nil, temporal.NewNonRetryableApplicationError("the worker was stopped", wire.TypeLost, nil)
	}
	return &result, nil
}

// stopping reports whether the worker, rather than somebody, ended an activity.
func stopping(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return ctx.Err() != nil && !errors.Is(context.Cause(ctx), activity.ErrActivityPaused)
	default:
		return false
	}
}

// beats sends signs of life until the returned function is called. Their answers tell the
// activity that it is cancelled.
func beats(ctx context.Context) (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for { // most actions end before the first sign
			select {
			case <-done:
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return func() {
		close(done)
		<-gone
	}
}

func definition(def *flow.Definition, name string) *flow.Definition {
	if def.Name == name {
		return def
	}
	for _, child := range def.Children {
		if found := definition(child, name); found != nil {
			return found
		}
	}
	return nil
}

// folders makes the folders of a run that are missing on this machine.
func (w *Worker) folders(run *flow.RunInfo) error {
	for _, dir := range []string{run.ArtifactsDir, run.LogDir, run.StateDir, w.State.Run(run.ID)} {
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("the run's folder: %w", err)
		}
	}
	return nil
}

// Keep writes the artifacts of a run.
func (w *Worker) Keep(_ context.Context, call wire.Call) error {
	call.Run.StateDir = call.StateDir
	def := definition(w.Workflow, call.Run.Workflow)
	if def == nil {
		return nil
	}
	if err := w.folders(&call.Run); err != nil {
		return err
	}
	w.restore(&call.Run, def, call.Artifacts)
	return nil
}

// restore writes artifacts of earlier steps that this machine may lack. A step that needs
// one which could not be written says so.
func (w *Worker) restore(run *flow.RunInfo, def *flow.Definition, kept wire.Records) {
	if len(kept) == 0 && !def.ListsArtifacts {
		return
	}
	keeper := artifact.New(run, def)
	err := keeper.List()
	for _, s := range kept {
		err = errors.Join(err, keeper.Keep(s))
	}
	if err != nil {
		w.note(run.ID, Entry{Type: "note", Message: "an artifact was not written: " + err.Error()})
	}
}

func (w *Worker) note(run string, e Entry) {
	if w.Log == nil {
		return
	}
	e.Time, e.Run, e.Worker = time.Now(), run, w.Name
	w.Log.Write(run, e)
}

func (w *Worker) site(call *wire.Call, def *flow.Definition) *attempt.Site {
	run := call.Run
	performers := map[string]engine.Performer{}
	for _, p := range w.Performers {
		performers[p.Kind()] = p
	}
	secrets := process.Secrets(w.Environ, w.Secrets)
	note := func(node, text string) {
		w.note(run.ID, Entry{Type: "note", Node: node, Message: process.Mask(secrets, text)})
	}
	return &attempt.Site{
		Run: &run, Workflow: def, Performers: performers, Dir: w.State.Run(run.ID),
		Environ: w.Environ, Scripts: w.Scripts, Named: w.Secrets, Secrets: secrets,
		Log: slog.New(&handler{note: note}),
		Output: func(key, stream string, piece []byte) {
			w.note(run.ID, Entry{Type: "output", Node: key, Stream: stream, Text: string(piece)})
		},
		Warn:     func(key, message string) { w.note(run.ID, Entry{Type: "warning", Node: key, Message: message}) },
		Withheld: func([]string) {},
	}
}

// Prepare makes the folders of a run.
func (w *Worker) Prepare(ctx context.Context, p wire.Preparation) (*wire.Place, error) {
	run := p.Run
	place := &wire.Place{
		Worker: w.Name, WorkDir: w.WorkDir, ArtifactsDir: w.State.Artifacts(run.ID), LogDir: w.State.Run(run.ID),
	}
	def := definition(w.Workflow, run.Workflow)
	if def == nil {
		return nil, temporal.NewNonRetryableApplicationError(fmt.Sprintf("this worker has no workflow `%s`", run.Workflow), "", nil)
	}
	if def.SharesState {
		place.StateDir = w.State.Shared()
	}
	switch p.Workspace {
	case wire.WorkspaceHost:
		place.Queue, place.Probe = w.Queue, w.Probe
		if run.WorkDir != "" {
			place.WorkDir = run.WorkDir // a child works where its parent does
		}
		if def.UsesBaseBranch && run.BaseBranch == "" {
			place.BaseBranch = git.RemoteHead(ctx, place.WorkDir)
		}
	case wire.WorkspaceNone:
		place.WorkDir = filepath.Join(w.State.Run(run.ID), "work")
	default:
		return nil, temporal.NewNonRetryableApplicationError(fmt.Sprintf("there is no workspace `%s`", p.Workspace), "", nil)
	}
	run.ArtifactsDir, run.LogDir, run.StateDir = place.ArtifactsDir, place.LogDir, place.StateDir
	if err := errors.Join(w.folders(&run), os.MkdirAll(place.WorkDir, 0o700)); err != nil {
		return nil, err
	}
	return place, nil
}

// Ping answers.
func (*Worker) Ping(context.Context) error { return nil }

// Child completes the inputs of a child run and finds an end that it has already.
func (w *Worker) Child(ctx context.Context, q wire.ChildQuery) (*wire.ChildPlan, error) {
	def := definition(w.Workflow, q.Workflow)
	if def == nil {
		return &wire.ChildPlan{Error: fmt.Sprintf("this worker has no workflow `%s`", q.Workflow)}, nil
	}
	inputs, err := input.Complete(def, q.Inputs, q.WorkDir)
	if err != nil {
		return &wire.ChildPlan{Error: err.Error()}, nil
	}
	plan := &wire.ChildPlan{Inputs: inputs}
	if q.Began && w.Ended != nil {
		if plan.Final, err = w.Ended(ctx, q.ID); err != nil {
			return nil, err // Temporal asks again
		}
	}
	return plan, nil
}

// A handler writes what performers log.
type handler struct {
	note  func(node, text string)
	node  string
	attrs []slog.Attr
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	add := func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	h.note(h.node, text)
	return nil
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		if a.Key == "node" {
			next.node = a.Value.String()
			continue
		}
		next.attrs = append(next.attrs, a)
	}
	return &next
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(string) slog.Handler { return h }
