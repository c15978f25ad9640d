package sched

import (
	"iter"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// task is one thread of flow code. It takes a worker when it first runs, not
// when it is spawned: thousands of nodes that wait for their dependencies cost
// no stacks.
type task struct {
	fn       func()
	worker   *worker
	finished bool
	// begun says that something the task asked for has begun, in this process
	// or an earlier one.
	begun bool
}

// worker is a coroutine that runs one task after the other. A task that ends
// hands it on, so a run needs as many as tasks wait at one time.
type worker struct {
	task  *task
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// spawnTask makes a task of the scope; nothing of it runs before it is ready.
func (s *scheduler) spawnTask(sc *scope, fn func(flow.Scheduler)) *task {
	t := &task{}
	t.fn = func() { fn(&taskScheduler{s: s, task: t, scope: sc}) }
	return t
}

// resumeTask runs a task until it waits or ends.
func (s *scheduler) resumeTask(t *task) {
	if t.worker == nil {
		t.worker = s.idleWorker()
		t.worker.task = t
	}
	w := t.worker
	s.current = t
	w.next()
	s.current = nil
	if t.finished {
		t.worker, w.task = nil, nil
		s.idle = append(s.idle, w)
	}
}

// idleWorker returns a worker that has no task.
func (s *scheduler) idleWorker() *worker {
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return w
	}
	w := &worker{}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		for {
			s.runTask(w.task)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	s.workers = append(s.workers, w)
	return w
}

// runTask runs a task's code from begin to end. A panic in it that is none of
// a node's ends the run.
func (s *scheduler) runTask(t *task) {
	defer func() {
		t.finished = true
		switch p := recover().(type) {
		case nil, kernel.Unwind:
		default:
			reason, message := kernel.DescribePanic(p, "")
			s.failRun(&flow.Failure{Reason: reason, Class: flow.ClassFatal, Message: message})
		}
	}()
	t.fn()
}

// yieldTurn gives the turn to other tasks until this one is resumed.
func (t *task) yieldTurn() {
	if !t.worker.yield(struct{}{}) {
		panic(kernel.Unwind{})
	}
}

// unwindTasks ends all tasks that still wait, running their deferred calls.
func (s *scheduler) unwindTasks() {
	s.unwinding = true
	for _, w := range s.workers {
		s.current = w.task
		w.stop()
	}
}

// ready is the queue of the tasks that can continue: a slice whose first head entries are
// used.
type ready struct {
	tasks []*task
	head  int
}

func (r *ready) len() int { return len(r.tasks) - r.head }

func (r *ready) push(t *task) { r.tasks = append(r.tasks, t) }

// takeAt removes the i-th task. When i is not 0 the first one takes its place.
func (r *ready) takeAt(i int) *task {
	i += r.head
	t := r.tasks[i]
	r.tasks[i] = r.tasks[r.head]
	r.tasks[r.head] = nil
	r.head++
	if r.head == len(r.tasks) {
		r.tasks, r.head = r.tasks[:0], 0
	}
	return t
}

// scope is a part of the flow that can be cancelled as a whole: it holds everything that
// waits or runs in it, and the scopes in it.
type scope struct {
	parent    *scope
	cancelled bool
	members   []*member
	self      member // in parent
}

// member is something that ends when its scope is cancelled. Members leave when they end,
// so a scope holds only live ones.
type member struct {
	seq    int // position in the order of cancelling
	at     int // index in members, or -1
	waits  bool
	cancel func()
	sub    *scope // instead of cancel
}

// init makes a scope in parent, which is nil for the root.
func (sc *scope) init(parent *scope) {
	sc.parent = parent
	sc.self.at = -1
	if parent != nil {
		sc.cancelled = parent.cancelled
		if !sc.cancelled {
			sc.self.sub = sc
			parent.addMember(&sc.self)
		}
	}
}

// isWithin reports whether the scope is in another one.
func (sc *scope) isWithin(outer *scope) bool {
	for ; sc != nil; sc = sc.parent {
		if sc == outer {
			return true
		}
	}
	return false
}

// addMember takes a member in.
func (sc *scope) addMember(m *member) {
	m.at = len(sc.members)
	sc.members = append(sc.members, m)
}

// removeMember removes a member; one that is not in the scope is ignored.
func (sc *scope) removeMember(m *member) {
	if m.at < 0 {
		return
	}
	last := len(sc.members) - 1
	moved := sc.members[last]
	sc.members[m.at], moved.at = moved, m.at
	sc.members[last] = nil
	sc.members = sc.members[:last]
	m.at = -1
}

// cancelAll cancels the scope and all in it, in the order in which it came. Waiting tasks
// learn of it first, before the cancellation settles actions: so a task that waits for an
// action in its scope sees the cancellation, not its effect.
func (sc *scope) cancelAll() {
	if sc.cancelled {
		return
	}
	if sc.parent != nil {
		sc.parent.removeMember(&sc.self)
	}
	all := sc.markCancelled(nil)
	slices.SortFunc(all, func(a, b *member) int {
		if a.waits != b.waits {
			if a.waits {
				return -1
			}
			return 1
		}
		return a.seq - b.seq
	})
	for _, m := range all {
		if m.at >= 0 { // not ended by one before it
			m.cancel()
		}
	}
}

// markCancelled marks the scope and those in it as cancelled, and adds their members to all.
func (sc *scope) markCancelled(all []*member) []*member {
	sc.cancelled = true
	for _, m := range sc.members {
		if m.sub != nil {
			all = m.sub.markCancelled(all)
		} else {
			all = append(all, m)
		}
	}
	return all
}

// nextCancelSeq returns the next position in the order of cancelling.
func (s *scheduler) nextCancelSeq() int {
	s.seq++
	return s.seq
}
