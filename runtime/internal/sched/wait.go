package sched

import (
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An actionWait is a wait of an action for its agent's quota or for a budget. It is a question: the
// n-th wait of step fix is the step fix/quota#n or fix/budget#n. So the wait has a committed
// deadline, the run pauses if nothing else is left to do, and commands show and end the wait like
// any other.
//
// While it waits, the action's record has the failure that says for what. That tells the next
// process that the action was not interrupted, and that no policy for interruptions counts.
type actionWait struct {
	s   *scheduler
	act *action
	// mark is stepkey.Quota or stepkey.Budget.
	mark string
}

func waitKey(key, mark string, n int) string { return key + mark + strconv.Itoa(n) }

// endedWaits counts the waits of an action that are over: all of the run, and those since a time, of
// which it also returns when the first began.
func (j *journal) endedWaits(key, mark string, since time.Time) (all, recent int, first time.Time) {
	for {
		st := j.steps[waitKey(key, mark, all+1)]
		if st == nil || !st.rec.Status.Ended() {
			return all, recent, first
		}
		all++
		st.claimed = true
		if st.rec.Started.Before(since) {
			continue
		}
		if recent++; recent == 1 {
			first = st.rec.Started
		}
	}
}

// nextStep returns the step of the action's next wait, and its number.
func (w *actionWait) nextStep() (st *step, n int) {
	over, _, _ := w.s.journal.endedWaits(w.act.Key, w.mark, w.s.now)
	return w.s.journal.ensureStep(waitKey(w.act.Key, w.mark, over+1)), over + 1
}

// hold journals that the action waits, and why.
func (w *actionWait) hold(why *flow.Failure) {
	rec := w.act.record(flow.Waiting)
	rec.Failure = why
	w.s.journal.putRecord(w.act.step, rec)
}

// suspend makes the action one that waits for the end of a question.
func (w *actionWait) suspend() {
	w.act.state = undecided
	w.s.setNodeStatus(w.act, w.s.nodeOf(w.act).Key, flow.Waiting)
}

// sleep lets the action wait for a time, or until somebody ends the wait.
func (w *actionWait) sleep(kind flow.WaitKind, message string, wait time.Duration) {
	w.suspend()
	st, _ := w.nextStep()
	over := w.s.askQuestion(flow.Question{
		Key: st.rec.Key, Message: message, Wait: kind, Choices: []string{kernel.ChoiceWake}, Timeout: max(wait, 0),
	}, st, w.act.scope)
	over.OnSettle(func() {
		switch {
		case w.act.state != undecided: // cancelled with the question
		case over.Result().Status != flow.Completed:
			w.cancel()
		default:
			w.proceed()
		}
	})
}

func (w *actionWait) cancel() {
	w.s.endAction(w.act, flow.Result{Status: flow.Cancelled, Meta: w.act.spent})
}

// proceed lets the action try again.
func (w *actionWait) proceed() {
	w.s.setNodeStatus(w.act, w.s.nodeOf(w.act).Key, flow.Running)
	w.s.enqueueAction(w.act)
}
