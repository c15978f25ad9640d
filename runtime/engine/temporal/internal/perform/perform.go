// Package perform has the activities of the engine on Temporal: a worker performs actions
// with the performers of its program, and prepares the folders of runs.
package perform

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Worker performs actions on one machine. Its exported methods but Activities are
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
	// Grace is how long actions may continue after the worker began to stop.
	Grace time.Duration
	// Environ, Scripts and Secrets are as in local.Config.
	Environ, Scripts, Secrets []string
	// Sandbox says which actions are performed in the sandbox.
	Sandbox settings.Sandbox
	// Limits limit the actions at once, by kind; "" means all kinds. nil means no limit.
	Limits map[string]int
	// Log receives the logs of runs.
	Log Log
	// Results are the results of actions that are not performed, by key, for tests.
	Results map[string]flow.Result
	// Ended returns the end of a run that has ended, or nil if there is no such run.
	Ended func(ctx context.Context, id string) (*wire.Final, error)

	repositories repositories
	holds        holds
	slots        slots
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

// Activities returns the activities of the worker by name.
func (w *Worker) Activities() map[string]any {
	return map[string]any{
		wire.Perform: withReport(w.Perform), wire.Prepare: w.Prepare, wire.Keep: w.Keep, wire.Ping: w.Ping, wire.Child: w.Child,
		wire.PerformGit: withReport(w.PerformGit), wire.Join: w.Join, wire.Release: w.Release, wire.Hold: w.Hold,
	}
}

// withReport returns an activity whose result names the attempt.
func withReport[R any](perform func(ctx context.Context, call wire.Call) (*R, error)) func(ctx context.Context, call wire.Call) (*wire.Report, error) {
	return func(ctx context.Context, call wire.Call) (*wire.Report, error) {
		result, err := perform(ctx, call)
		if err != nil {
			return nil, err
		}
		return &wire.Report{Of: call.Of(), Result: result}, nil
	}
}

// beat is the time between two heartbeats of an activity.
const beat = 5 * time.Second

// Perform performs an attempt at an action.
func (w *Worker) Perform(ctx context.Context, call wire.Call) (*wire.Result, error) {
	a, err := call.Action.Decode()
	if err != nil {
		return nil, refusal(err)
	}
	if result, ok := w.Results[a.Key]; ok {
		return (*wire.Result)(&result), nil
	}
	call.Run.SharedDir = call.SharedDir
	def, err := w.findDefinition(call.Run.Workflow)
	if err != nil {
		return nil, refusal(err)
	}
	err = w.makeRunFolders(&call.Run)
	if err == nil && call.Workspace == wire.WorkspaceNone {
		err = os.MkdirAll(call.Run.WorkDir, 0o700) // another worker may have prepared the run
	}
	if err != nil {
		return nil, refusal(err)
	}
	w.restoreArtifacts(&call.Run, def, call.Artifacts)
	defer startHeartbeats(ctx)()
	site := w.attemptSite(&call, def)
	if call.Workspace == wire.WorkspaceHost {
		site.Continue = w.sessionContinuer(&call.Run)
	}
	r, err := w.performInSlot(ctx, site, a, call.Attempt)
	if err != nil {
		return nil, err
	}
	result := wire.Result(r)
	if call.Workspace == wire.WorkspaceHost {
		w.keepSession(&call.Run, a, flow.Result(result))
	}
	return &result, nil
}

// performInSlot performs an attempt when a slot is free. An error means that the attempt is lost:
// the policy for interrupted steps decides.
func (w *Worker) performInSlot(ctx context.Context, site *attempt.Site, a flow.Action, number int) (flow.Result, error) {
	defer site.Sandbox.Close()
	ctx, done := w.untilGrace(ctx)
	defer done()
	result := flow.Result{Status: flow.Cancelled}
	limited, stop := ctx, context.CancelFunc(func() {})
	if free := w.slots.takeSlot(ctx, w.Limits, a.Payload.Kind()); free != nil {
		defer free()
		if a.Timeout > 0 {
			limited, stop = context.WithTimeout(ctx, a.Timeout+overtime)
		}
		result = site.Perform(limited, a, number)
	}
	defer stop()
	switch {
	case result.Status != flow.Cancelled:
	case isWorkerStopping(ctx):
		return result, temporal.NewNonRetryableApplicationError("the worker was stopped", wire.TypeLost, nil)
	case ctx.Err() == nil && limited.Err() != nil:
		return result, temporal.NewNonRetryableApplicationError("the step did not end at its limit", wire.TypeLost, nil)
	}
	return result, nil
}

// overtime is how much longer than its own limit an action may take.
const overtime = time.Minute

// startHeartbeats sends heartbeats until the returned function is called. By their answers, the activity
// learns that it is cancelled.
func startHeartbeats(ctx context.Context) (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for { // most actions end before the first heartbeat
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

func (w *Worker) findDefinition(name string) (*flow.Definition, error) {
	for _, def := range flow.Reachable(w.Workflow) {
		if def.Name == name {
			return def, nil
		}
	}
	return nil, fmt.Errorf("this worker has no workflow `%s`", name)
}

// refusal is an error that another attempt of the activity would have again.
func refusal(err error) error { return temporal.NewNonRetryableApplicationError(err.Error(), "", nil) }

// makeRunFolders makes the folders of a run that are missing on this machine.
func (w *Worker) makeRunFolders(run *flow.RunInfo) error {
	for _, dir := range []string{run.ArtifactsDir, run.LogDir, run.SharedDir, w.State.RunDir(run.ID)} {
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
	call.Run.SharedDir = call.SharedDir
	def, err := w.findDefinition(call.Run.Workflow)
	if err != nil {
		return nil
	}
	if err := w.makeRunFolders(&call.Run); err != nil {
		return err
	}
	w.restoreArtifacts(&call.Run, def, call.Artifacts)
	return nil
}

// restoreArtifacts writes artifacts of earlier steps that this machine may lack. A step that needs
// one that could not be written says so.
func (w *Worker) restoreArtifacts(run *flow.RunInfo, def *flow.Definition, kept wire.Records) {
	if len(kept) == 0 && !def.Uses.ArtifactList {
		return
	}
	keeper := artifact.New(run, def)
	err := keeper.List()
	for _, s := range kept {
		err = errors.Join(err, keeper.Keep(s))
	}
	if err != nil {
		w.logEntry(run.ID, Entry{Type: "note", Message: "an artifact was not written: " + err.Error()})
	}
}

func (w *Worker) logEntry(run string, e Entry) {
	if w.Log == nil {
		return
	}
	e.Time, e.Run, e.Worker = time.Now(), run, w.Name
	w.Log.Write(run, e)
}

func (w *Worker) attemptSite(call *wire.Call, def *flow.Definition) *attempt.Site {
	run := call.Run
	performers := map[string]engine.Performer{}
	for _, p := range w.Performers {
		performers[p.Kind()] = p
	}
	secrets := process.Secrets(w.Environ, w.Secrets)
	// The repository in which somebody started the worker is not that of its runs.
	environ := git.WithoutRepository(w.Environ)
	note := func(node, text string) {
		w.logEntry(run.ID, Entry{Type: "note", Node: node, Message: process.Mask(secrets, text)})
	}
	return &attempt.Site{
		Run: &run, Workflow: def, Performers: performers, Dir: w.State.RunDir(run.ID),
		Environ: environ, Scripts: w.Scripts, Named: w.Secrets, Secrets: secrets,
		Log: slog.New(&handler{note: note}), CostLimit: call.CostLimit,
		AtLimit: func(spent flow.Meta) bool { return sched.Reached(call.Left, spent) != nil },
		Output: func(key, stream string, piece []byte) {
			w.logEntry(run.ID, Entry{Type: "output", Node: key, Stream: stream, Text: string(piece)})
		},
		Warn:     func(key, message string) { w.logEntry(run.ID, Entry{Type: "warning", Node: key, Message: message}) },
		Withheld: func([]string) {},
		// Each action has a box of its own: nothing of it stays on the worker.
		Sandbox: confine.New(&w.Sandbox, def, &run, w.State.RunDir(run.ID), func() []string { return environ }),
	}
}

// Prepare makes the folders of a run.
func (w *Worker) Prepare(ctx context.Context, p wire.Preparation) (*wire.Place, error) {
	run := p.Run
	place := &wire.Place{
		Worker: w.Name, WorkDir: w.WorkDir, ArtifactsDir: w.State.Artifacts(run.ID), LogDir: w.State.RunDir(run.ID),
	}
	def, err := w.findDefinition(run.Workflow)
	if err != nil {
		return nil, refusal(err)
	}
	if def.Uses.SharedDir {
		place.SharedDir = w.State.Shared()
	}
	switch p.Workspace {
	case wire.WorkspaceHost:
		place.Queue, place.Probe = w.Queue, w.Probe
		if run.WorkDir != "" {
			place.WorkDir = run.WorkDir // a child works where its parent does
		}
		if def.Uses.BaseBranch && run.BaseBranch == "" {
			place.BaseBranch = git.RemoteHead(ctx, place.WorkDir)
		}
		if err := w.prepareWorktree(ctx, def, p, place); err != nil {
			return nil, refusal(err)
		}
		run.WorkDir = place.WorkDir
		if err := w.holdLocks(ctx, def, &run, place, p); err != nil {
			return nil, err
		}
	case wire.WorkspaceNone:
		place.WorkDir = filepath.Join(w.State.RunDir(run.ID), "work")
	case wire.WorkspaceGit:
		if err := w.prepareGit(ctx, p, place); err != nil {
			return nil, err
		}
		return place, nil
	default:
		return nil, temporal.NewNonRetryableApplicationError(fmt.Sprintf("unknown workspace `%s`", p.Workspace), "", nil)
	}
	run.ArtifactsDir, run.LogDir, run.SharedDir = place.ArtifactsDir, place.LogDir, place.SharedDir
	if err := errors.Join(w.makeRunFolders(&run), os.MkdirAll(place.WorkDir, 0o700)); err != nil {
		return nil, err
	}
	return place, nil
}

// Ping answers.
func (*Worker) Ping(context.Context) error { return nil }

// Child completes the inputs of a child run and finds an end that it has already.
func (w *Worker) Child(ctx context.Context, q wire.ChildQuery) (*wire.ChildPlan, error) {
	def, err := w.findDefinition(q.Workflow)
	if err != nil {
		return &wire.ChildPlan{Error: err.Error()}, nil
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

// A handler writes the messages of performers to the log of a run.
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

// Sessions that agents keep for the next run of a workflow are on the worker that has them,
// and so is the agent's own memory of them: a run that another worker begins does not
// continue them.

// sessionFile is the file with the session of an action, or "" if it keeps none.
func (w *Worker) sessionFile(run *flow.RunInfo, a flow.Action) string {
	key := attempt.SessionKey(a)
	if key == "" {
		return ""
	}
	return filepath.Join(w.State.Path, "sessions", runid.Hash(32, run.Workflow+"\n"+key))
}

// sessionContinuer returns an action with the session that the last run left.
func (w *Worker) sessionContinuer(run *flow.RunInfo) func(context.Context, flow.Action) (flow.Action, error) {
	return func(_ context.Context, a flow.Action) (flow.Action, error) {
		return attempt.Continue(a, func(string) (string, error) {
			text, err := wholefile.Output.Read(w.sessionFile(run, a))
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return string(text), err
		})
	}
}

// keepSession keeps the session of a completed action for the next run. One that cannot be
// kept costs that run its memory, and this one nothing.
func (w *Worker) keepSession(run *flow.RunInfo, a flow.Action, r flow.Result) {
	path := w.sessionFile(run, a)
	if path == "" || r.Status != flow.Completed || r.Meta.Session == "" || r.Meta.Replayed.Turns > 0 {
		return
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		// Another run may be reading it.
		if err = os.WriteFile(path+"."+run.ID, []byte(r.Meta.Session), 0o600); err == nil {
			err = os.Rename(path+"."+run.ID, path)
		}
	}
	if err != nil {
		w.logEntry(run.ID, Entry{Type: "note", Node: a.Key, Message: "the agent's session was not kept for the next run: " + err.Error()})
	}
}

// errStopped is the cause of the end of actions whose worker stops.
var errStopped = errors.New("the worker was stopped")

// untilGrace returns a context for an action. It ends with ctx, and w.Grace after the worker
// began to stop. Call the function when the action has ended.
//
// The SDK has a grace period, too. But when that is over, the worker does not wait until the
// cluster knows the ends of its actions.
func (w *Worker) untilGrace(ctx context.Context) (context.Context, func()) {
	if !activity.IsActivity(ctx) {
		return ctx, func() {} // a test calls the method itself
	}
	stops := activity.GetWorkerStopChannel(ctx)
	limited, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-limited.Done():
			return
		case <-stops:
		}
		grace := time.NewTimer(w.Grace)
		defer grace.Stop()
		select {
		case <-limited.Done():
		case <-grace.C:
			cancel(errStopped)
		}
	}()
	return limited, func() { cancel(nil) }
}

// isWorkerStopping reports whether an action was ended since its worker stops, and not by a person or
// the cluster. ctx is of untilGrace.
func isWorkerStopping(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errStopped) }
