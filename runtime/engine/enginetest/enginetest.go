// Package enginetest runs workflows in tests: real performers perform the actions, the
// journal is in memory, and retries, sleeps and deadlines take no time. It tests
// workflows and performers, not engines. (Package runtime/flow/sim, by contrast, makes up
// the results and lets processes die.)
//
//	run := &enginetest.Run{Definition: &pkg.Workflow, Info: info, Performers: performers}
//	end, err := run.Continue()
//	if end.Status == flow.Paused {
//		run.Answer("gate#1", flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: "approve"}})
//		end, err = run.Continue()
//	}
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// epoch is when runs begin.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A Run is a run in the memory of a test. Its clock is virtual: it stands still while an
// action is performed, and jumps to the next deadline when the run only waits for a time.
type Run struct {
	// Definition is the workflow.
	Definition *flow.Definition
	// Info describes the run. It needs only the folders that the performers use; these
	// must exist.
	Info *flow.RunInfo
	// Performers perform the actions, prompts included: one performer for each kind of
	// payload that the workflow has. Package runtime/engine lists the kinds and their
	// performers.
	Performers []engine.Performer
	// Results are the results of actions that are not performed, by key.
	Results map[string]flow.Result
	// RunDir is the run's own folder, engine.Attempt.RunDir of its actions. Environ is the
	// environment of its processes, as os.Environ has it.
	RunDir  string
	Environ []string
	// Steps is the journal: the last committed state of each step. The nodes come first, in
	// definition order.
	Steps []flow.Record
	// Child makes the run that a step begins (see flow.Child), before that run starts. The
	// error fails the step. Nil means that no step can begin a run.
	Child func(step string, call flow.Child) (*Run, error)
	// Children are the runs that steps began, by step. Each has its own clock.
	Children map[string]*Run

	kept    *artifact.Keeper // nil without a folder for artifacts
	now     time.Time
	end     flow.RunState // of the last process
	running map[string]context.CancelFunc
	ready   []sched.Signal
	coming  chan sched.Signal // from actions
	// cancelled is closed when the parent cancels the run; nil if there is no parent, or
	// the run has taken notice.
	cancelled <-chan struct{}
}

// Continue starts the run, or continues it from its journal as a new process would, until
// the run ends or pauses. The error says why it could do neither.
func (r *Run) Continue() (flow.RunState, error) {
	if r.coming == nil {
		r.now, r.running, r.coming = epoch, map[string]context.CancelFunc{}, make(chan sched.Signal)
		if r.Info.ArtifactsDir != "" {
			r.kept = artifact.New(r.Info, r.Definition)
			if err := r.kept.List(); err != nil {
				return flow.RunState{}, err
			}
		}
		r.Steps = append(r.Steps, sched.PendingSteps(r.Definition.Nodes)...)
	}
	recorded := append([]flow.Record(nil), r.Steps...)
	end, err := sched.Run(host{r}, r.Info, recorded, sched.Options{Nodes: r.Definition.Nodes, Returns: r.Definition.Returns}, r.Definition.Flow)
	if errors.Is(err, sched.ErrStopped) {
		err = errors.New("the run waits for something that does not come")
	}
	r.end = end
	return end, err
}

// Answer answers a question; step is its key, such as gate#1. The next call of Continue
// finds the answer.
func (r *Run) Answer(step string, answer flow.Result) {
	r.ready = append(r.ready, sched.Answered{Key: step, Result: answer})
}

// End returns the state of the run that Continue returned last; the zero state before the
// first call.
func (r *Run) End() flow.RunState { return r.end }

// host is the world of a run.
type host struct{ *Run }

func (h host) Commit(b flow.Batch) error {
	for _, step := range b.Steps {
		if i := slices.IndexFunc(h.Steps, func(r flow.Record) bool { return r.Key == step.Key }); i >= 0 {
			h.Steps[i] = step
		} else {
			h.Steps = append(h.Steps, step)
		}
		if step.Status == flow.Completed && h.kept != nil {
			if err := h.kept.Keep(step); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h host) Start(a flow.Action, attempt int, _ settings.Limits) {
	if result, ok := h.Results[a.Key]; ok {
		h.ready = append(h.ready, sched.Done{Key: a.Key, Result: result})
		return
	}
	if _, ok := a.Payload.(kernel.Evidence); ok {
		h.ready = append(h.ready, sched.Done{Key: a.Key, Result: artifact.CheckEvidence(h.Info)})
		return
	}
	if call, ok := a.Payload.(flow.Child); ok && h.Child != nil {
		h.beginChild(a.Key, call)
		return
	}
	for _, p := range h.Performers {
		if p.Kind() == a.Payload.Kind() {
			h.performAttempt(p, a, attempt)
			return
		}
	}
	h.ready = append(h.ready, sched.Done{Key: a.Key, Result: flow.Result{Status: flow.Failed,
		Failure: &flow.Failure{Message: fmt.Sprintf("nothing performs actions of kind %s", a.Payload.Kind())}}})
}

func (h host) performAttempt(p engine.Performer, a flow.Action, attempt int) {
	ctx, cancel := context.WithCancel(context.Background())
	h.running[a.Key] = cancel
	call := &engine.Attempt{
		Info: h.Info, Workflow: h.Definition, Action: a, Number: attempt, RunDir: h.RunDir, Environ: h.Environ, Log: slog.New(slog.DiscardHandler),
	}
	go func() {
		h.coming <- sched.Done{Key: a.Key, Result: artifact.CheckRefs(h.Info, a, p.Perform(ctx, call))}
	}()
}

func (h host) Cancel(key string) {
	if cancel := h.running[key]; cancel != nil {
		cancel()
		return
	}
	if child := h.Children[key]; child != nil { // it is paused
		child.ready = append(child.ready, sched.CancelRun{Reason: parentCancelled})
		h.workOnChild(key, child)
	}
}

// Ask leaves a question open: Answer answers it when the process has ended.
func (host) Ask(flow.Question) {}

func (h host) Next(wake time.Time) []sched.Signal {
	signals := h.ready
	h.ready = nil
	for {
		select {
		case s := <-h.coming:
			signals = append(signals, h.noteEnded(s))
			continue
		case <-h.cancelled:
			signals = append(signals, h.noteCancellation())
			continue
		default:
		}
		break
	}
	asked := !wake.IsZero() && !wake.After(h.now)
	switch {
	case len(signals) > 0 || asked:
		return signals
	case len(h.running) > 0:
		select {
		case s := <-h.coming:
			return []sched.Signal{h.noteEnded(s)}
		case <-h.cancelled:
			return []sched.Signal{h.noteCancellation()}
		}
	case !wake.IsZero():
		h.now = wake
		return nil
	}
	return []sched.Signal{sched.Stop{}}
}

// noteCancellation takes notice that the parent has cancelled the run.
func (h host) noteCancellation() sched.Signal {
	h.cancelled = nil
	return sched.CancelRun{Reason: parentCancelled}
}

// noteEnded notes that an action has ended, or waits for people from now on.
func (h host) noteEnded(s sched.Signal) sched.Signal {
	key := ""
	switch s := s.(type) {
	case sched.Done:
		key = s.Key
	case sched.Idle:
		key = s.Key
	}
	if cancel := h.running[key]; cancel != nil {
		cancel()
		delete(h.running, key)
	}
	return s
}

func (h host) Now() time.Time { return h.now }

func (host) Pick(int) int { return 0 }

// parentCancelled is the reason of a run that was cancelled with its parent.
const parentCancelled = "its parent was cancelled"

// beginChild begins the run that an action is, or continues it.
func (h host) beginChild(key string, call flow.Child) {
	child := h.Children[key]
	switch {
	case child == nil:
		var err error
		if child, err = h.Child(key, call); err != nil {
			h.ready = append(h.ready, sched.Done{Key: key, Result: flow.Result{Status: flow.Failed,
				Failure: &flow.Failure{Message: err.Error(), Class: flow.ClassFatal, Reason: "child", ExitCode: -1}}})
			return
		}
		if h.Children == nil {
			h.Children = map[string]*Run{}
		}
		h.Children[key] = child
	case child.end.Status == flow.Completed, child.end.Status == flow.Cancelled && child.end.Reason != parentCancelled:
		h.ready = append(h.ready, sched.Done{Key: key, Result: child.flowResult()})
		return
	}
	h.workOnChild(key, child)
}

// workOnChild lets a child continue until it ends or pauses.
func (h host) workOnChild(key string, child *Run) {
	ctx, cancel := context.WithCancel(context.Background())
	h.running[key] = cancel
	child.cancelled = ctx.Done()
	go func() {
		end, err := child.Continue()
		switch {
		case err != nil:
			h.coming <- sched.Done{Key: key, Result: flow.Result{Status: flow.Failed, Failure: flow.AsFailure(err)}}
		case end.Status == flow.Paused:
			h.coming <- sched.Idle{Key: key}
		case end.Status == flow.Cancelled && end.Reason == parentCancelled:
			h.coming <- sched.Done{Key: key, Result: flow.Result{Status: flow.Cancelled}}
		default:
			h.coming <- sched.Done{Key: key, Result: child.flowResult()}
		}
	}()
}

// flowResult is the end of the run, for its parent.
func (r *Run) flowResult() flow.Result { return sched.ChildResult(r.Info.ID, r.end, r.Steps) }
