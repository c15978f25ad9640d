package local

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/tuning"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Start implements sched.Host.
func (h *host) Start(a flow.Action, number int, left settings.Limits) {
	if hold := h.held[a.Key]; hold != nil {
		delete(h.held, a.Key)
		hold.Release()
		return
	}
	h.beginAttempt(h.ctx, a, number, left)
}

// Prepare implements sched.Preparer: a script's process is made while the start of its step
// is committed, and waits for that. It saves time only while a processor is free.
func (h *host) Prepare(a flow.Action, number int) {
	if _, ok := a.Payload.(flow.Bash); !ok || a.ReadOnly {
		return // files that an action needs may come with the commit
	}
	if _, ok := h.performers[a.Payload.Kind()].(attempt.Holder); !ok {
		return
	}
	if n := h.runningActionCount(); scarce(h.engine.hasOtherRuns(), n) || n >= runtime.NumCPU() {
		return
	}
	hold := process.NewHold()
	plain.PutEntry(&h.held, a.Key, hold)
	h.beginAttempt(process.WithHold(h.ctx, hold), a, number, settings.Limits{})
}

var scarce = tuning.Scarce

// hasOtherRuns reports whether other runs are at work, as far as is known: many of this engine, or
// one of another process with the same store.
func (e *Engine) hasOtherRuns() bool {
	if s, ok := e.cfg.Store.(interface{ Crowded() bool }); ok && s.Crowded() {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.live) > runtime.NumCPU()
}

// runningActionCount is the number of actions that are being performed.
func (h *host) runningActionCount() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.cancels)
}

// beginAttempt performs an attempt on another goroutine.
func (h *host) beginAttempt(ctx context.Context, a flow.Action, number int, left settings.Limits) {
	if key := attempt.SessionKey(a); key != "" {
		plain.PutEntry(&h.persistent, a.Key, key)
	}
	ctx, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	h.cancels[a.Key] = cancel
	h.mu.Unlock()
	h.runOnWorker(func() {
		defer cancel()
		end := h.performWithinBudget(ctx, a, number, left)
		h.mu.Lock()
		delete(h.cancels, a.Key)
		h.mu.Unlock()
		h.sendSignal(end)
	})
}

// runOnWorker does work on a goroutine, one that has done other work if there is such:
// it has the stack that performers need.
func (h *host) runOnWorker(work func()) {
	select {
	case h.spare <- work:
		return
	default:
	}
	h.work.Go(func() {
		tuning.ReserveSmallStack()
		for {
			work()
			select {
			case work = <-h.spare:
			case <-h.ctx.Done():
				return
			}
		}
	})
}

// Cancel implements sched.Host.
func (h *host) Cancel(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.cancels[key]; cancel != nil {
		cancel()
	}
}

// ScriptText implements sched.Describer.
func (h *host) ScriptText(p flow.Payload) string {
	return attempt.ScriptText(p, h.run.journal.secrets)
}

// attemptSite returns where an action of the run is performed, and left is what is left of the
// run's limits.
func (h *host) attemptSite(left settings.Limits) *attempt.Site {
	queue, _ := h.engine.cfg.Store.(engine.Queue)
	return &attempt.Site{
		Queue: queue, CostLimit: h.costLimit(), AtLimit: func(spent flow.Meta) bool { return sched.Reached(left, spent) != nil },
		Run: &h.run.info, Workflow: h.run.def, Performers: h.performers, Dir: h.run.stateDir(),
		Environ: h.run.processEnviron(), Scripts: h.engine.cfg.ScriptVariables, Named: h.engine.cfg.SecretVariables, Secrets: h.run.journal.secrets,
		Child: func(ctx context.Context, a flow.Action, c flow.Child) flow.Result {
			return h.performChild(ctx, a, c, left)
		},
		Sandbox: h.sandbox,
		Log:     h.run.log, Output: h.reportOutput, Continue: h.continueSession,
		Warn:  func(key, message string) { h.journalEvent(sched.EventWarning, key, message) },
		Event: func(e flow.Event) { h.sendSignal(sched.Logged{Event: e}) },
		Waits: func(key, what string) { h.sendSignal(sched.Held{Key: key, For: what}) },
		Withheld: func(names []string) {
			h.withheld.Do(func() {
				h.run.log.Info("scripts do not get these environment variables", "names", strings.Join(names, ", "))
			})
		},
	}
}

// journalEvent adds an event to the run's journal.
func (h *host) journalEvent(kind, key, message string) {
	h.sendSignal(sched.Logged{Event: flow.Event{Time: h.Now(), Type: kind, Key: key, Message: message}})
}

// continueSession returns the action with the session that the last run of the workflow left,
// if the action is to continue that session.
func (h *host) continueSession(ctx context.Context, a flow.Action) (flow.Action, error) {
	return attempt.Continue(a, func(key string) (string, error) {
		return h.engine.cfg.Store.Session(ctx, h.run.info.Workflow, key)
	})
}

// keepSessions keeps the sessions of committed steps for the next run. One that
// cannot be kept costs that run its memory, and this one nothing.
func (h *host) keepSessions(steps []flow.Record) {
	for _, s := range steps {
		key := h.persistent[s.Key]
		if key == "" || s.Status != flow.Completed || s.Meta.Session == "" || s.Meta.Replayed.Turns > 0 {
			continue // the next run does not continue a session from a recording
		}
		delete(h.persistent, s.Key)
		err := h.whileLeased(func(ctx context.Context) error {
			return h.engine.cfg.Store.KeepSession(ctx, h.run.info.Workflow, key, s.Meta.Session)
		})
		if err != nil {
			h.run.log.Warn("the agent's session was not kept for the next run", "node", s.Key, "error", err)
		}
	}
}

// slots are the places for actions that all runs of an engine share. A place
// that becomes free is kept for the run that has waited longest, so that a wide
// run does not keep a narrow one waiting.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*share // each once
}

// A share is what one run has of the slots. It is the run's sched.Slots.
type share struct {
	of *slots
	// wake notifies the run that a place is kept for it.
	wake func()
	// taken are the places of actions that run, and kept those that are kept for
	// the run. Both are guarded by the lock of all.
	taken, kept int
}

var _ sched.Slots = (*share)(nil)

// Take implements sched.Slots.
func (s *share) Take() bool {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	switch {
	case s.kept > 0:
		s.kept--
	case s.of.free > 0:
		s.of.free--
	default:
		s.of.waiting = plain.AddNew(s.of.waiting, s)
		return false
	}
	s.taken++
	return true
}

// Give implements sched.Slots.
func (s *share) Give() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.taken--
	s.of.passToWaiting(1)
}

// Enough implements sched.Slots.
func (s *share) Enough() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.stopWaiting()
}

func (s *share) stopWaiting() {
	s.of.waiting = slices.DeleteFunc(s.of.waiting, func(w *share) bool { return w == s })
	n := s.kept
	s.kept = 0
	s.of.passToWaiting(n)
}

// giveAllBack frees the places of the run, which has ended: those that actions have left taken, and those
// that are kept for it.
func (s *share) giveAllBack() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.stopWaiting()
	n := s.taken
	s.taken = 0
	s.of.passToWaiting(n)
}

// passToWaiting keeps n places for the runs that wait for them.
func (s *slots) passToWaiting(n int) {
	for ; n > 0 && len(s.waiting) > 0; n-- {
		next := s.waiting[0]
		s.waiting = slices.Delete(s.waiting, 0, 1)
		next.kept++
		next.wake()
	}
	s.free += n
}
