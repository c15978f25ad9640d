// Package local is the engine on this machine. It performs the actions of runs with the
// performers of its Config, keeps the runs in a store, and manages their folders, logs and
// leases. A lease on a run makes sure that one process at a time works on it.
//
//	e, err := local.New(local.Config{
//		Store: store, State: "/var/lib/notes",
//		Performers: []engine.Performer{&shell.Performer{}},
//	})
//	if err != nil {
//		return err
//	}
//	defer e.Shutdown(context.Background())
//	result, err := e.Run(ctx, &notes.Workflow, json.RawMessage(`{"title": "today"}`), local.Options{})
//
// Most programs open an engine with package runtime/embedding, which needs less configuration.
package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Config has the parts and the settings of an engine. Store and State are required.
type Config struct {
	// Store keeps the runs.
	Store store.Store
	// OwnsStore means that Shutdown closes the store when all runs have stopped.
	OwnsStore bool
	// State is the folder for run folders, leases and logs.
	State string
	// Performers perform the actions, prompts included: one performer for each kind of
	// payload that the workflows have. Package runtime/engine lists the kinds and their
	// performers.
	Performers []engine.Performer
	// MaxParallel is the maximum number of actions performed at the same time, over all
	// runs of the engine. A positive value replaces flow.Definition.Concurrency, which then
	// has no effect. Less than 1 means four actions for each processor, and for each run at
	// most the Concurrency of its Definition.
	MaxParallel int
	// Workflows are the workflows that the engine continues by itself: Answer continues a run
	// that no process works on, and ResumeAll continues runs after a restart. Other runs wait
	// for Resume. Run does not need them.
	Workflows []*flow.Definition
	// Executable is the path of this program's binary. For each run the engine keeps a
	// link to it, or a copy, under state.Folder.Executable, so that the run can be resumed
	// by the same build after a newer one replaced the file. "" keeps none: then a newer
	// build resumes the run only with Options.Force. A failure to keep the binary is not
	// an error.
	Executable string
	// Program is the path of the Go program that embeds the engine. The engine keeps it with new
	// runs, so that commands, whose agents are others, leave such a run to the program: they record
	// answers, and continue it only with --force, which moves it to them. "" is an engine of a
	// command, whose runs a program moves to itself by Options.Force.
	Program string
	// Environ is the environment of processes, as os.Environ has it; nil means
	// this process's.
	Environ []string
	// ScriptVariables are the names of the environment variables that bash and other scripts
	// get, with * for any characters. They always get a few that every program needs. nil
	// means all variables.
	ScriptVariables []string
	// SecretVariables are the names of further environment variables with secret values, such as
	// addresses of webhooks. The engine masks them like variables whose names look like
	// secrets.
	SecretVariables []string
	// Notices says who gets notices about runs that nobody watches.
	Notices Notices
	// OnInterrupt is the policy for steps that were running when a process of a run died.
	// The zero value performs them again.
	OnInterrupt settings.Interrupts
	// Budgets limit what the runs of the project spend in a day or a month. They need a store of
	// this module.
	Budgets settings.ProjectBudgets
	// Sandbox says which steps run in the sandbox, and what they can reach there. If any step
	// is to and this machine has no sandbox, Run and Resume return an error.
	Sandbox settings.Sandbox
	// Watch receives notices of everything that happens in runs. The notice of a change
	// comes after the change was committed. Calls for one run come one at a time and in
	// order; calls for different runs are concurrent. The run waits until Watch returns;
	// only actions that have already started continue meanwhile. So Watch may call methods
	// of the engine, such as Status and Answer, but none that waits for the run: Cancel,
	// Wait and Shutdown would block forever. It may be nil.
	Watch func(Notice)
	// Asker asks somebody in this process the questions of runs. If it is nil, a run that
	// only waits for answers pauses.
	Asker engine.Asker
	// Defaults are used for the fields WorkDir, BaseBranch, DocsDir, DeliverTo and each of
	// the Limits that the Options of a run leave empty. Other fields are ignored.
	Defaults Options
	// MaxWait is the longest wait for a time, or for an event with a deadline (see
	// steps.Wait), during which a run keeps its process. It applies if the nodes of the run
	// do nothing but wait and no Asker attends the run. If the wait is longer, the run
	// pauses until somebody resumes it. Zero means 10 minutes; with a negative duration,
	// such a run pauses at once.
	MaxWait time.Duration
	// Poll is the interval at which the engine checks the store for cancel requests and
	// answers from other processes; zero means 500 ms.
	Poll time.Duration
}

// Notices are the settings of notices about runs. The engine queues a notice in the store by
// the commit that it is about. Any engine with the same store and workflow may send it.
type Notices struct {
	// Notify says who gets which notices. The performer of deliveries among Config.Performers
	// sends them.
	Notify settings.Notify
	// Buttons adds buttons that answer a question to notices on Slack.
	Buttons bool
	// Workflows are the workflows whose notices the engine sends; nil means Config.Workflows.
	Workflows []*flow.Definition
	// Commands returns the command lines that notices show: those that answer a question, or
	// those that continue or show a run if q is nil. It may be nil.
	Commands func(run *flow.RunInfo, q *engine.Question) []string
}

// An Engine runs workflows. Its methods are safe for concurrent use. If the store has no
// run with a given id or name, their error wraps store.ErrNotFound.
type Engine struct {
	cfg    Config
	folder state.Folder
	binary executable

	slots slots
	// own says that each workflow's limit counts, because the engine has none.
	own bool

	mu     sync.Mutex
	closed bool
	live   map[string]*run
	queue  queue
	wait   sync.WaitGroup
	shared sharedCheckouts
	// closeStore closes the store once, if the engine owns it.
	closeStore func() error
	// courier sends notices, or is nil.
	courier *outbox.Courier
}

// Run and Resume return an error that wraps ErrShutdown if Shutdown stopped the run. After
// Shutdown, so does every call that would start work.
var ErrShutdown = errors.New("the engine was shut down")

// A stoppedError says that a run was stopped where it was.
type stoppedError struct{ error }

func (stoppedError) Is(target error) bool { return target == ErrShutdown }

func (e stoppedError) Unwrap() error { return e.error }

// New returns an engine. It is an error if cfg has no Store or no State. Call
// Engine.Shutdown when you no longer need the engine.
func New(cfg Config) (*Engine, error) {
	switch {
	case cfg.Store == nil:
		return nil, errors.New("an engine needs a store")
	case cfg.State == "":
		return nil, errors.New("an engine needs a state folder")
	}
	if _, keeps := cfg.Store.(spending.Ledger); !keeps && cfg.Budgets.Set() {
		return nil, errors.New("budgets need a store of package memory, entstore or postgres: this one keeps no costs of other runs")
	}
	own := cfg.MaxParallel < 1
	if own {
		cfg.MaxParallel = 4 * runtime.NumCPU()
	}
	if cfg.Environ == nil {
		cfg.Environ = os.Environ()
	}
	cfg.MaxWait = cmp.Or(cfg.MaxWait, 10*time.Minute)
	if cfg.Poll <= 0 {
		cfg.Poll = 500 * time.Millisecond
	}
	e := &Engine{cfg: cfg, folder: state.Folder{Path: cfg.State}, live: map[string]*run{}, queue: queue{map[string]chan struct{}{}, make(chan struct{})}, slots: slots{free: cfg.MaxParallel}, own: own}
	e.closeStore = sync.OnceValue(func() error {
		if !cfg.OwnsStore {
			return nil
		}
		return cfg.Store.Close()
	})
	e.binary = newExecutable(cfg.Executable, e.folder, func(workDir string) bool {
		return confine.CanWrite(&cfg.Sandbox, workDir, cfg.Environ, cfg.Executable)
	})
	if err := e.startCourier(); err != nil {
		return nil, err
	}
	return e, nil
}

// Options are the settings of one run.
type Options struct {
	// ID is the id of a new run: letters, digits, ".", "-" and "_". "" makes one.
	ID string
	// WorkDir is the folder that a new run works in; "" means the current one.
	WorkDir string
	// BaseBranch is the branch that changes are based on. If it is "" and the workflow uses
	// it, the engine takes the default branch of the git remote, if known. A resumed run
	// keeps its branch, unless Resume gets another one.
	BaseBranch string
	// DocsDir is the project's documentation folder; "" means docs/.
	DocsDir string
	// Worktree, if not nil, lets a new run work in a separate git worktree, even if the
	// workflow's definition does not ask for one. Only its fields Branch and Base count:
	// the name of the new branch, "" for wfc/ and the run's id, and the commit at which it
	// begins, "" for the commit that is checked out.
	Worktree *Worktree
	// Graph has the options for a run of a state graph, or is nil. The engine keeps it
	// with the run. Resume uses only its Limits, for this process.
	Graph *flow.GraphOptions
	// DeliverTo are the targets for the result of a new run whose workflow names
	// none. They are kept with the run.
	DeliverTo []string
	// Settings is JSON that the engine keeps with a new run, for the caller of a later
	// Resume. With Worktree, Graph or Config.Program it must be an object, to which the engine
	// adds the keys "worktree", "graph" and "program". Those of Resume must be an object, too: its
	// keys replace the ones that are kept.
	Settings json.RawMessage
	// Limits end the run when its steps have cost too much, including the steps in earlier
	// processes. The engine does not keep them: pass them to Resume again.
	Limits settings.Limits
	// Force lets Resume continue a run that another version of the workflow began, or that belongs
	// to another engine (see Config.Program), and moves it to this one.
	Force bool
	// From, if not "", lets Resume repeat a completed step and those that depend on it: the key
	// of the step, in a state graph that of the visit, such as fix@3. Then Resume also takes a
	// completed run.
	From string
	// By names the person who resumes the run, or is "". The journal keeps it.
	By string
	// CancelBy, if not "", lets Resume cancel the run at once and names who cancels, for
	// people. Only nodes that run at the end of every run still run.
	CancelBy string
	// parent is the step that begins the run, or nil. lifted says that a person has lifted the
	// budgets for the run above.
	parent *parent
	lifted bool
	// unended refuses a run that has ended.
	unended bool
}

// A Result is the state of a run when Run or Resume returns.
type Result struct {
	ID string `json:"run_id"`
	flow.RunState
	// Worktree is the run's own worktree, or nil.
	Worktree *Worktree `json:"worktree,omitempty"`
}

// Run begins a run and returns when it has ended or paused. inputs is a JSON object, in
// which inputs that have a default may be missing; nil is an empty one. Performers see
// the values of ctx, but Run ignores the end of ctx: it neither ends the run nor returns
// earlier. To end the run, call Cancel or Shutdown from another goroutine.
//
// If the run fails, Run returns a Result with the status flow.Failed and no error. An
// error means that the inputs are invalid or that the engine could not work: a store or
// folder failed, another process has a lease (a *BusyError), or the engine was shut down
// (ErrShutdown).
func (e *Engine) Run(ctx context.Context, def *flow.Definition, inputs json.RawMessage, opt Options) (*Result, error) {
	opt = e.withDefaults(opt)
	r, err := e.beginRun(context.WithoutCancel(ctx), def, inputs, opt)
	if err != nil {
		return nil, err
	}
	return e.executeRun(r, opt)
}

// RunAsync begins a run like Run and returns its id at once, before a step is performed.
// The run is committed then, so Status finds it. The run continues after ctx has ended.
// Wait waits for its end; Config.Watch receives it too.
func (e *Engine) RunAsync(ctx context.Context, def *flow.Definition, inputs json.RawMessage, opt Options) (id string, err error) {
	opt = e.withDefaults(opt)
	r, err := e.beginRun(context.WithoutCancel(ctx), def, inputs, opt)
	if err != nil {
		return "", err
	}
	go func() { _, _ = e.executeRun(r, opt) }() // an error is in the run's log
	return r.info.ID, nil
}

// Resume continues a run that is interrupted, paused, failed, cancelled or at its limit,
// and returns when it has ended or paused. Completed steps are not performed again. Like
// Run, it ignores the end of ctx.
//
// Resume returns an error for a completed run without Options.From, and a *BusyError for a run that this
// engine or another process works on. After a change of the workflow, it refuses a run
// that the former code began, unless opt.Force is set. Other errors are those of Run.
func (e *Engine) Resume(ctx context.Context, def *flow.Definition, id string, opt Options) (*Result, error) {
	opt.Limits = e.withDefaults(opt).Limits // a run keeps the other settings that it has
	r, err := e.reopenRun(context.WithoutCancel(ctx), def, id, opt)
	if err != nil {
		return nil, err
	}
	return e.executeRun(r, opt)
}

// ResumeAsync continues a run like Resume, and returns once this engine works on it, before
// it performs a step. Wait waits for the run's end.
func (e *Engine) ResumeAsync(ctx context.Context, def *flow.Definition, id string, opt Options) error {
	opt.Limits = e.withDefaults(opt).Limits
	r, err := e.reopenRun(context.WithoutCancel(ctx), def, id, opt)
	if err != nil {
		return err
	}
	go func() { _, _ = e.executeRun(r, opt) }() // an error is in the run's log
	return nil
}

// withDefaults returns options with the engine's defaults where they say nothing.
func (e *Engine) withDefaults(o Options) Options {
	d := e.cfg.Defaults
	o.WorkDir = cmp.Or(o.WorkDir, d.WorkDir)
	o.BaseBranch = cmp.Or(o.BaseBranch, d.BaseBranch)
	o.DocsDir = cmp.Or(o.DocsDir, d.DocsDir)
	o.Limits.CostUSD = cmp.Or(o.Limits.CostUSD, d.Limits.CostUSD)
	o.Limits.Tokens = cmp.Or(o.Limits.Tokens, d.Limits.Tokens)
	if o.DeliverTo == nil {
		o.DeliverTo = d.DeliverTo
	}
	return o
}

// executeRun runs the flow and gives back what begin or reopen took.
func (e *Engine) executeRun(r *run, opt Options) (result *Result, err error) {
	defer func() {
		e.releaseRun(r)
		if result != nil && result.Status == flow.Paused {
			e.continueIfAnswered(r)
		}
	}()
	r.limits = opt.Limits
	r.host.lifted.Store(opt.lifted)
	own := &share{of: &e.slots, wake: func() { r.host.sendSignal(sched.SlotFree{}) }}
	defer own.giveAllBack()
	end, err := sched.Run(r.host, &r.info, r.recorded, sched.Options{
		MaxParallel: e.parallelLimit(r.def),
		Slots:       own,
		Nodes:       r.def.Nodes,
		Returns:     r.def.Returns,
		Attended:    e.cfg.Asker != nil,
		OnInterrupt: e.cfg.OnInterrupt,
		Died:        r.died,
		MaxWait:     e.cfg.MaxWait,
		Limits:      opt.Limits,
	}, r.def.Flow)
	// After an error the scheduler leaves the actions that it started to its host.
	r.host.close()
	if errors.Is(err, sched.ErrStopped) {
		err = stoppedError{err}
		if r.lostLease() {
			err = runstore.ErrLost
		}
	}
	if err != nil {
		r.pinned.waitUntilKept()
		for _, e := range r.host.endLeftovers() {
			r.journal.writeEntries(entry{Type: e.Type, Node: e.Key, Message: e.Message})
		}
		r.journal.writeEntries(entry{Type: "run_stopped", Error: err.Error()})
		return nil, fmt.Errorf("run %s: %w", r.info.ID, err)
	}
	if end.Status == flow.Cancelled && len(r.def.Children) > 0 {
		if err := e.cancelChildren(context.Background(), r.info.ID); err != nil {
			r.log.Error("the run is cancelled, but not all runs that it started", "error", err)
		}
	}
	if end.Status == flow.Completed {
		r.pinned.discardBinary() // a completed run is never resumed
	} else {
		r.pinned.waitUntilKept()
	}
	return &Result{ID: r.info.ID, RunState: end, Worktree: r.tree}, nil
}

// parallelLimit is how many actions of a run are performed at once, in addition to the limit of
// the engine's slots; 0 means no limit.
func (e *Engine) parallelLimit(def *flow.Definition) int {
	if e.own {
		return def.Concurrency
	}
	return 0
}

// registerRun makes a run known as live, so that Cancel and Shutdown reach it from
// now on. Nothing of it may be durable yet.
func (e *Engine) registerRun(r *run) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ErrShutdown
	}
	if e.live[r.info.ID] != nil {
		return &BusyError{RunID: r.info.ID, Holder: "this process"}
	}
	e.live[r.info.ID] = r
	e.wait.Add(1)
	return nil
}

// releaseRun releases the resources of a registered run.
func (e *Engine) releaseRun(r *run) {
	r.releaseAll()
	e.mu.Lock()
	delete(e.live, r.info.ID)
	e.mu.Unlock()
	close(r.done)
	e.wait.Done()
}

// Wait waits until this engine stops working on a run, because it has ended, paused or
// been stopped by Shutdown, and returns its state. It also waits for a run that continues when
// its checkout is free. If ctx ends first, Wait returns the error of ctx, and the run continues.
func (e *Engine) Wait(ctx context.Context, id string) (*RunStatus, error) {
	e.mu.Lock()
	r, queued := e.live[id], e.queue.runs[id]
	e.mu.Unlock()
	switch {
	case queued != nil:
		select {
		case <-queued:
			return e.Wait(ctx, id)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case r != nil:
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return e.Status(ctx, id)
}

// Live returns the ids of the runs that this engine works on, in order, without those that
// steps of other runs began.
func (e *Engine) Live() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ids []string
	for id, r := range e.live {
		if r.parent.Run == "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (e *Engine) liveRun(id string) *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.live[id]
}

// Shutdown stops all runs of this engine where they are, ends their processes, closes the
// store if the engine owns it, and returns when that is done or ctx is. The runs can be
// resumed. The engine starts no further runs.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	if !e.closed {
		close(e.queue.stopping)
	}
	e.closed = true
	for _, r := range e.live {
		r.host.sendSignal(sched.Stop{})
	}
	e.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		e.wait.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return cmp.Or(e.FinishNotices(ctx), e.closeStore())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Abandon is a Shutdown for a program that exits at once: it stops all runs of this
// engine where they are and kills their processes, but it waits for nothing and does not
// close the store. The runs can be resumed.
func (e *Engine) Abandon() {
	e.mu.Lock()
	live := slices.Collect(maps.Values(e.live))
	e.mu.Unlock()
	for _, r := range live {
		r.host.sendSignal(sched.Stop{}) // first, so that no end of a step counts
	}
	for _, r := range live {
		process.KillSurvivors(r.stateDir())
	}
}

// A RunError says that a run failed, was cancelled, reached a limit or paused; see
// Result.Status.
type RunError struct{ Result *Result }

// RunTyped runs a workflow with typed inputs and outputs. The Run functions of generated
// packages call it, and pass on opts: functions that set fields of the run's Options, so
// that most callers write none:
//
//	out, err := triage.Run(ctx, e, in, func(o *local.Options) { o.WorkDir = dir })
//
// If the run did not complete, the error is a *RunError, and Out has the outputs that the
// run produced. Other errors are those of Engine.Run, or say that inputs or outputs do
// not fit the types In and Out; then do not use the returned Out.
func RunTyped[In, Out any](ctx context.Context, e *Engine, def *flow.Definition, in In, opts ...func(*Options)) (Out, error) {
	var out Out
	inputs, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("the inputs: %w", err)
	}
	var opt Options
	for _, set := range opts {
		set(&opt)
	}
	result, err := e.Run(ctx, def, inputs, opt)
	if err != nil {
		return out, err
	}
	if len(result.Outputs) > 0 {
		if err := json.Unmarshal(result.Outputs, &out); err != nil {
			return out, fmt.Errorf("the outputs of run %s: %w", result.ID, plain.JSONError(err, ""))
		}
	}
	if result.Status != flow.Completed {
		return out, &RunError{result}
	}
	return out, nil
}

func (e *RunError) Error() string {
	r := e.Result
	switch {
	case r.Error != "":
		return fmt.Sprintf("run %s %s: %s", r.ID, r.Status, r.Error)
	case r.Reason != "":
		return fmt.Sprintf("run %s is %s: %s", r.ID, r.Status, r.Reason)
	}
	return fmt.Sprintf("run %s is %s", r.ID, r.Status)
}
