package sim

import (
	"iter"
	"path"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A child of a run is a run with a separate host. Each run's scheduler is a coroutine,
// which gives the turn to the others when it waits. All of them belong to the same
// process, so they die together.

// A coroutine is the scheduler of a run in the current process.
type coroutine struct {
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	// alive means that the scheduler has not returned.
	alive bool
	// wake is the time that it waits for, or zero.
	wake time.Time
}

// yieldUntil gives the turn to the other runs until the run is ready.
func (w *coroutine) yieldUntil(wake time.Time) {
	w.wake = wake
	w.yield(struct{}{})
}

// awaitWake lets other runs continue until the run is ready.
func (h *host) awaitWake(wake time.Time) {
	if len(h.hosts) > 1 {
		h.work.yieldUntil(wake)
		return
	}
	h.work.wake = wake
	at, ok := h.nextWake()
	if !ok {
		panic(nothingComes)
	}
	h.advanceClock(at)
}

const nothingComes = "sim: the schedulers wait, and nothing will come"

// startProcess begins the work of a process on the run.
func (h *host) startProcess() {
	h.prepareProcess()
	h.work = coroutine{alive: true, wake: h.now}
	h.work.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		h.work.yield = yield
		end, err := sched.Run(h, h.info, slices.Clone(h.journal.steps), h.opt, h.def.Flow)
		h.checkEnd(end, err)
		h.opt.Died = h.dead
	})
}

// driveRuns lets the runs of the process continue, in an order that the seed decides, until
// none of them is alive. Those that are idle begin again with the next answer.
func (u *universe) driveRuns() {
	for {
		ready, soonest, waiting := u.readyRuns()
		switch {
		case len(ready) > 1:
			u.resumeRun(ready[u.Pick(len(ready))])
		case len(ready) == 1:
			u.resumeRun(ready[0])
		case !waiting:
			if u.hasLiveRuns() {
				panic(nothingComes)
			}
			return
		default:
			u.advanceClock(soonest)
		}
	}
}

func (u *universe) hasLiveRuns() bool {
	return slices.ContainsFunc(u.hosts, func(h *host) bool { return h.work.alive })
}

// readyRuns returns the runs that can continue. If there are none, waiting says that one can
// at the time soonest.
func (u *universe) readyRuns() (ready []*host, soonest time.Time, waiting bool) {
	for _, h := range u.hosts {
		at, ok := h.nextWake()
		switch {
		case !ok:
		case u.dead, !at.After(u.now):
			ready = append(ready, h)
		case !waiting || at.Before(soonest):
			soonest, waiting = at, true
		}
	}
	return ready, soonest, waiting
}

// nextWake returns when the run can continue.
func (h *host) nextWake() (at time.Time, ok bool) {
	if !h.work.alive {
		if h.isIdle() && !h.dead {
			return h.nextAnswer()
		}
		return at, false
	}
	if h.dead {
		return h.now, true
	}
	at, ok = h.nextEvent()
	if wake := h.work.wake; !wake.IsZero() && (!ok || wake.Before(at)) {
		at, ok = wake, true
	}
	return at, ok
}

// isIdle reports whether the run has paused, while its parent works.
func (h *host) isIdle() bool {
	return h.parent != nil && h.parent.work.alive && h.parent.children[h.step] == h
}

// resumeRun lets a run continue until it waits or ends, and notifies its parent.
func (u *universe) resumeRun(h *host) {
	if !h.work.alive {
		h.notifyParent(sched.Idle{Key: h.step, Ended: true})
		h.startProcess()
	}
	if _, more := h.work.next(); more {
		return
	}
	h.work.alive = false
	switch {
	case u.dead || h.parent == nil:
	case h.journal.hasFinalEnd():
		h.notifyParent(sched.Done{Key: h.step, Result: h.childResult()})
	default:
		h.notifyParent(sched.Idle{Key: h.step, Spent: sched.Used(h.journal.steps)})
	}
}

// notifyParent sends a signal to the run's parent.
func (h *host) notifyParent(s sched.Signal) {
	p := h.parent
	p.coming = append(p.coming, event{at: h.now, key: h.step, signal: s})
}

// childResult is the end of the run, for its parent.
func (h *host) childResult() flow.Result {
	return sched.ChildResult(h.info.ID, *h.journal.end, h.journal.steps)
}

// childOf returns the host of the run that an action is, or nil.
func (h *host) childOf(a flow.Action) *host {
	payload, ok := a.Payload.(flow.Child)
	if !ok {
		return nil
	}
	at := path.Join(h.path, a.Key)
	for _, known := range h.hosts {
		if known.path == at {
			return known
		}
	}
	for _, d := range h.def.Children {
		if d.Name == payload.Workflow {
			child := h.newHost(d, payload.Inputs, h.earlierOutcome(at))
			child.path, child.parent, child.step = at, h, a.Key
			child.info.ID = h.info.ID + "/" + a.Key
			return child
		}
	}
	return nil
}

// earlierOutcome returns the outcome of the child at a path in the run that this one resumes, or
// nil.
func (u *universe) earlierOutcome(path string) *Result {
	if u.world.Resumes == nil {
		return nil
	}
	return u.world.Resumes.Children[path]
}

// startChild lets a child continue, or reports how it has ended.
func (h *host) startChild(child *host, limits settings.Limits) {
	h.children[child.step] = child
	child.opt.Limits = limits
	if end := child.journal.end; child.journal.hasFinalEnd() && end.Status != flow.Failed && end.Status != flow.LimitReached {
		child.notifyParent(sched.Done{Key: child.step, Result: child.childResult()})
		return
	}
	child.startProcess()
}

// endChildren ends the children of a cancelled run that it did not come to any more, as an
// engine does in its store.
func (h *host) endChildren() {
	if h.journal.end == nil || h.journal.end.Status != flow.Cancelled {
		return
	}
	for _, child := range h.hosts {
		if child.parent == h && !child.journal.hasFinalEnd() {
			child.journal.end = &flow.RunState{Status: flow.Cancelled, Reason: h.journal.end.Reason}
			child.endChildren()
		}
	}
}

// cancelChild cancels a child.
func (h *host) cancelChild() {
	if !h.work.alive {
		if h.journal.hasFinalEnd() {
			return // the news of that is on its way
		}
		h.startProcess()
	}
	h.coming = append(h.coming, event{at: h.now, signal: sched.CancelRun{Reason: "its parent was cancelled"}})
}
