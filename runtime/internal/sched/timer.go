package sched

import (
	"container/heap"
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// timers are what waits for the clock, the next first.
type timers struct {
	heap  timerHeap
	seq   int
	keeps int // how many keep the process alive
}

// timer is one deadline.
type timer struct {
	at    time.Time
	seq   int // decides between equal deadlines
	index int // in the heap
	// keeps says that the run does not pause while this timer is there.
	keeps bool
	fire  func()
}

func (ts *timers) add(at time.Time, keeps bool, fire func()) *timer {
	ts.seq++
	t := &timer{at: at, seq: ts.seq, keeps: keeps, fire: fire}
	if keeps {
		ts.keeps++
	}
	heap.Push(&ts.heap, t)
	return t
}

// removeTimer removes a timer; one that fired is ignored.
func (ts *timers) removeTimer(t *timer) {
	if t.index < 0 {
		return
	}
	heap.Remove(&ts.heap, t.index)
	if t.keeps {
		ts.keeps--
	}
}

// nextDeadline returns the next deadline, or the zero time, and whether any timer
// keeps the process.
func (ts *timers) nextDeadline() (at time.Time, keeps bool) {
	if len(ts.heap) > 0 {
		at = ts.heap[0].at
	}
	return at, ts.keeps > 0
}

// hasDueTimer reports whether a deadline has come.
func (ts *timers) hasDueTimer(now time.Time) bool {
	return len(ts.heap) > 0 && !ts.heap[0].at.After(now)
}

// popDue removes the next timer whose deadline has come and returns its function, or nil.
func (ts *timers) popDue(now time.Time) func() {
	if !ts.hasDueTimer(now) {
		return nil
	}
	t := ts.heap[0]
	ts.removeTimer(t)
	return t.fire
}

// timerHeap implements heap.Interface.
type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop implements heap.Interface.
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.index = -1
	return t
}

func (e *taskScheduler) Sleep(key string, d time.Duration) *flow.Future {
	st, f := e.claimKey(key), e.NewFuture()
	if e.settleAtOnce(key, false, f) {
		return f
	}
	e.task.begun = true
	s, sc := e.s, e.scope
	rec := flow.Record{Key: key, Kind: "sleep", Status: flow.Running, Started: s.now, Deadline: s.now.Add(max(d, 0))}
	if left, ok := st.interruptedRecord(); ok && !left.Deadline.IsZero() {
		rec.Started, rec.Deadline = left.Started, left.Deadline
	} else {
		s.journal.putRecord(st, rec)
	}
	m := &member{seq: s.nextCancelSeq()}
	end := func(status flow.Status) {
		sc.removeMember(m)
		rec.Status, rec.Finished = status, s.now
		s.journal.putRecord(st, rec)
		f.Settle(rec.Result())
	}
	t := s.timers.add(rec.Deadline, true, func() { end(flow.Completed) })
	m.cancel = func() {
		s.timers.removeTimer(t)
		end(flow.Cancelled)
	}
	sc.addMember(m)
	return f
}

func (e *taskScheduler) Timer(d time.Duration) *flow.Future {
	return e.newTimerFuture(e.s.now.Add(max(d, 0)), func() {})
}

// TimerOf is a Timer under a key, which Options.Clocks lets the next process continue. The
// n-th one under a key continues the n-th one of the process before.
func (e *taskScheduler) TimerOf(key string, d time.Duration) *flow.Future {
	s := e.s
	if s.opt.Clocks == nil {
		return e.Timer(d)
	}
	if s.clocks == nil {
		s.clocks = map[string]int{}
	}
	s.clocks[key]++
	key += "/" + strconv.Itoa(s.clocks[key])
	start, ok := s.opt.Clocks[key]
	if !ok {
		start = s.now
		s.opt.Clocks[key] = start
	}
	return e.newTimerFuture(start.Add(max(d, 0)), func() {
		if !s.unwinding {
			delete(s.opt.Clocks, key)
		}
	})
}

// newTimerFuture settles its future at a time, unless the scope is cancelled before, and calls over
// then.
func (e *taskScheduler) newTimerFuture(at time.Time, over func()) *flow.Future {
	e.guardCall()
	f, s, sc := e.NewFuture(), e.s, e.scope
	if sc.cancelled {
		f.Settle(flow.Result{Status: flow.Cancelled})
		return f
	}
	m := &member{seq: s.nextCancelSeq()}
	t := s.timers.add(at, false, func() {
		over()
		sc.removeMember(m)
		f.Settle(flow.Result{Status: flow.Completed})
	})
	m.cancel = func() {
		over()
		sc.removeMember(m)
		s.timers.removeTimer(t)
		f.Settle(flow.Result{Status: flow.Cancelled})
	}
	sc.addMember(m)
	return f
}
