package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// errDied is the error of a commit in a process that died before it or in it.
var errDied = errors.New("the process died")

// patience is the number of waits after which the world gives up on a process that never
// ends.
const patience = 1_000_000

// A universe is what the runs of a world share: the process that works on them, the clock
// and chance.
type universe struct {
	world *World
	rng   *rand.Rand
	crash []int // points at which the process dies, ascending
	begun time.Time
	now   time.Time
	// hosts are those of the run and of its children, in the order of their beginnings.
	hosts []*host
	// requested are requests to cancel the run that actions and questions brought.
	requested []Cancel
	// points and deaths count for the outcome.
	points, deaths int
	dead           bool
}

// A host is the world of a run in one process at a time, with the state that outlives
// processes. begin starts the next process.
type host struct {
	*universe
	// path is Answer.Run of the run.
	path    string
	def     *flow.Definition
	info    *flow.RunInfo
	opt     sched.Options
	journal *journal
	out     Result

	asked map[string]time.Time // when a question was first asked
	// said are the answers of World.Person.
	said []Answer
	// parent is the host of the run whose step this one is, or nil.
	parent *host
	step   string

	// State of the current process:
	running  map[string]bool
	children map[string]*host // that run or are idle, by step
	coming   []event
	waits    int
	work     coroutine
}

// An event is a signal that the process will get.
type event struct {
	at     time.Time
	key    string // of an action, which a cancellation replaces
	signal sched.Signal
}

// prepareProcess starts a process. It gets at once the answers that came while no process ran.
func (h *host) prepareProcess() {
	h.waits = 0
	h.journal.beginProcess()
	h.running, h.children, h.coming = map[string]bool{}, map[string]*host{}, nil
	h.out.Processes++
	for _, a := range h.plannedAnswers() {
		if at, ok := h.asked[a.Key]; ok && h.journal.stepRecord(a.Key).Status != flow.Completed {
			h.coming = append(h.coming, event{at: at.Add(a.After), signal: sched.Answered{Key: a.Key, Result: a.Result}})
		}
	}
	for _, c := range h.plannedCancels() {
		h.coming = append(h.coming, event{at: h.begun.Add(c.At), signal: sched.CancelRun{Reason: c.Reason}})
	}
}

// plannedAnswers are the answers to the run's questions.
func (h *host) plannedAnswers() (list []Answer) {
	for _, a := range h.world.Answers {
		if a.Run == h.path {
			list = append(list, a)
		}
	}
	return append(list, h.said...)
}

// plannedCancels are the requests to cancel the run; children are cancelled by their parents.
func (h *host) plannedCancels() []Cancel {
	if h.parent != nil {
		return nil
	}
	return append(slices.Clone(h.world.Cancels), h.requested...)
}

// requestCancel takes a request to cancel the run, some time from now.
func (u *universe) requestCancel(c Cancel) {
	c.At += u.now.Sub(u.begun)
	u.requested = append(u.requested, c)
	root := u.hosts[0]
	root.coming = append(root.coming, event{at: u.begun.Add(c.At), signal: sched.CancelRun{Reason: c.Reason}})
}

// survivesCrashPoint is a point at which the process may die. It reports whether the process lives.
func (u *universe) survivesCrashPoint() bool {
	if u.dead {
		return false
	}
	u.points++
	if len(u.crash) > 0 && u.points == u.crash[0] {
		u.crash = u.crash[1:]
		u.killProcess()
	}
	return !u.dead
}

// killProcess ends the process.
func (u *universe) killProcess() {
	u.dead = true
	u.deaths++
}

func (h *host) reportFault(format string, args ...any) {
	if h.path != "" {
		format = "run " + h.path + ": " + format
	}
	main := &h.hosts[0].out
	main.Faults = append(main.Faults, fmt.Sprintf(format, args...))
}

func (h *host) Commit(b flow.Batch) error {
	if !h.survivesCrashPoint() {
		return errDied
	}
	for _, fault := range h.journal.applyBatch(b) {
		h.reportFault("%s", fault)
	}
	for _, r := range b.Steps {
		if r.Status == flow.Running && r.Attempt > 0 && r.Deadline.IsZero() {
			h.out.Begun[r.Key]++
		}
	}
	if h.world.Committed != nil {
		h.world.Committed(h.path, h.now, b)
	}
	if !h.survivesCrashPoint() {
		return errDied
	}
	return nil
}

func (h *host) Start(a flow.Action, attempt int, left settings.Limits) {
	if !h.survivesCrashPoint() { // its start is committed, and it never started
		return
	}
	switch rec := h.journal.stepRecord(a.Key); {
	case rec.Status == flow.Completed:
		h.reportFault("step %s is performed although its completion is committed", a.Key)
	case rec.Status != flow.Running || rec.Attempt != attempt || !rec.Deadline.IsZero():
		h.reportFault("attempt %d of step %s begins while the journal has it as %s, attempt %d", attempt, a.Key, rec.Status, rec.Attempt)
	case h.running[a.Key]:
		h.reportFault("step %s begins while it runs", a.Key)
	}
	if a.Fresh {
		h.journal.markRepeated(a.Key, h.def.Nodes)
	}
	if child := h.childOf(a); child != nil {
		h.out.Effects[a.Key]++
		h.startChild(child, left)
		return
	}
	h.running[a.Key] = true
	if most := h.world.MaxParallel; most > 0 && len(h.running) > most {
		h.reportFault("%d actions run at once, with a limit of %d", len(h.running), most)
	}
	p := Performance{Result: flow.Result{Status: flow.Completed}}
	if h.world.Perform != nil {
		p = h.world.Perform(Attempt{Action: a, Number: attempt, Run: h.path, Info: h.info})
	}
	h.out.Effects[a.Key]++
	if !h.survivesCrashPoint() { // the effect took place, and its result is lost
		return
	}
	if p.Dies {
		h.killProcess()
		return
	}
	if p.Cancel != nil && len(h.requested) == 0 {
		h.requestCancel(*p.Cancel)
	}
	h.coming = append(h.coming, event{at: h.now.Add(p.Takes), key: a.Key, signal: sched.Done{Key: a.Key, Result: p.Result}})
}

// Cancel ends an action, unless it has ended already; the seed decides about an action that
// ends at the same moment.
func (h *host) Cancel(key string) {
	if h.dead {
		return
	}
	if child := h.children[key]; child != nil {
		child.cancelChild()
		return
	}
	if !h.running[key] {
		h.reportFault("step %s is cancelled but does not run", key)
		return
	}
	for i := range h.coming {
		if e := &h.coming[i]; e.key == key && (e.at.After(h.now) || h.rng.IntN(2) == 0) {
			e.at = h.now
			e.signal = sched.Done{Key: key, Result: flow.Result{Status: flow.Cancelled}}
		}
	}
}

func (h *host) Ask(q flow.Question) {
	if h.dead {
		return
	}
	if rec := h.journal.stepRecord(q.Key); rec.Status != flow.Waiting {
		h.reportFault("step %s asks while the journal has it as %s", q.Key, rec.Status)
	}
	if _, again := h.asked[q.Key]; again {
		return
	}
	h.asked[q.Key] = h.now
	h.askPerson(q)
	for _, a := range h.plannedAnswers() {
		if a.Key == q.Key {
			h.coming = append(h.coming, event{at: h.now.Add(a.After), signal: sched.Answered{Key: a.Key, Result: a.Result}})
		}
	}
}

// askPerson asks World.Person, unless the answer to the question is known.
func (h *host) askPerson(q flow.Question) {
	if h.world.Person == nil || slices.ContainsFunc(h.plannedAnswers(), func(a Answer) bool { return a.Key == q.Key }) {
		return
	}
	a, ok := h.world.Person(h.path, q)
	switch {
	case ok && a.Cancel != nil:
		h.requestCancel(*a.Cancel)
	case ok:
		a.Run, a.Key = h.path, q.Key
		h.said = append(h.said, a)
	}
}

// Next lets other runs of the world continue until one of the run's events is due, or
// wake, and returns some of the due events in random order. The others come later.
func (h *host) Next(wake time.Time) []sched.Signal {
	if h.waits++; h.waits > patience {
		panic(fmt.Sprintf("sim: the process has waited %d times and does not end", patience))
	}
	if !h.dead {
		h.awaitWake(wake)
	}
	if h.dead {
		return []sched.Signal{sched.Stop{}}
	}
	due := h.takeDueEvents()
	if h.world.Orderly {
		slices.SortStableFunc(due, func(a, b event) int { return a.at.Compare(b.at) })
	} else if len(due) > 1 {
		h.rng.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
		some := 1 + h.rng.IntN(len(due))
		h.coming = append(h.coming, due[some:]...)
		due = due[:some]
	}
	signals := make([]sched.Signal, len(due))
	for i, e := range due {
		delete(h.running, e.key)
		if _, ended := e.signal.(sched.Done); ended {
			delete(h.children, e.key)
		}
		signals[i] = e.signal
	}
	return signals
}

// nextEvent returns the time of the next event.
func (h *host) nextEvent() (at time.Time, ok bool) {
	for _, e := range h.coming {
		if !ok || e.at.Before(at) {
			at, ok = e.at, true
		}
	}
	return at, ok
}

// takeDueEvents removes and returns the events whose time has come.
func (h *host) takeDueEvents() (due []event) {
	h.coming = slices.DeleteFunc(h.coming, func(e event) bool {
		if e.at.After(h.now) {
			return false
		}
		due = append(due, e)
		return true
	})
	return due
}

func (u *universe) advanceClock(t time.Time) {
	if t.After(u.now) {
		u.now = t
	}
}

func (u *universe) Now() time.Time { return u.now }

func (u *universe) Pick(n int) int {
	if u.world.Orderly {
		return 0
	}
	return u.rng.IntN(n)
}
