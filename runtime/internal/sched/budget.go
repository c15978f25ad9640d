package sched

import (
	"cmp"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The host refuses to begin an attempt that would exceed a budget of the project or the
// workflow. Nobody was asked then, so the attempt keeps its number and is no retry.
//
// The action waits, as for its agent's quota. Or a person is asked, once for all refused actions of
// the run. The answer is the end of that step, so that a later process of the run knows it.

// EventBudget is the type of events about budgets: that one is nearly used up, or lifted.
const EventBudget = "budget"

// reasonBudget is the reason of the failure of an action that a budget refuses.
const reasonBudget = "over_budget"

const (
	// firstBusyWait is the wait for turns under way, which may cost less than they have
	// reserved. It doubles with each wait, up to longestBusyWait.
	firstBusyWait   = 10 * time.Second
	longestBusyWait = 5 * time.Minute
)

// Refused says that a budget does not allow an attempt, which has not begun.
type Refused struct {
	Key     string
	Message string
	Policy  settings.BudgetPolicy
	// Until is when the budget allows it, or the zero time if it never will. Busy reports that
	// it may allow it earlier, because only turns under way are in the way.
	Until time.Time
	Busy  bool
}

// awaitsBudget reports whether a record is that of an action that a budget refuses.
func awaitsBudget(rec flow.Record) bool {
	return rec.Status == flow.Waiting && rec.Failure != nil && rec.Failure.Reason == reasonBudget
}

// A budgetWait is an action that a budget refuses.
type budgetWait struct {
	actionWait
	// message says which budget, and why.
	message string
}

// followRefusal follows the policy of a budget that refuses an attempt.
func followRefusal(s *scheduler, sig Refused) {
	act := s.endAttempt(sig.Key)
	if act == nil {
		return
	}
	w := &budgetWait{actionWait{s, act, stepkey.Budget}, sig.Message}
	switch {
	case act.cancelled:
		w.cancel()
	case sig.Busy, sig.Policy == settings.BudgetWait && !sig.Until.IsZero():
		w.hold(w.failure(""))
		w.wait(sig)
	case sig.Policy == settings.BudgetAsk:
		w.hold(w.failure(""))
		w.ask()
	default:
		w.fail("")
	}
}

// fail fails the action; more is the end of its message.
func (w *budgetWait) fail(more string) {
	w.s.endAction(w.act, flow.Result{Status: flow.Failed, Meta: w.act.spent, Failure: w.failure(more)})
}

func (w *budgetWait) failure(more string) *flow.Failure {
	return &flow.Failure{Reason: reasonBudget, Class: flow.ClassFatal, Message: w.message + more}
}

// wait lets the action wait until the budget may allow it.
func (w *budgetWait) wait(sig Refused) {
	_, n := w.nextStep()
	until := sig.Until
	if busy := w.s.now.Add(min(firstBusyWait<<min(n-1, 8), longestBusyWait)); sig.Busy && (until.IsZero() || busy.Before(until)) {
		until = busy
	}
	w.sleep(flow.WaitBudget, w.message, max(until.Sub(w.s.now), time.Second))
}

// ask asks whether the run may exceed its budgets, unless that is asked already.
func (w *budgetWait) ask() {
	w.suspend()
	s := w.s
	if gate := s.questions.budgetGate; gate != nil && !gate.Settled() {
		gate.OnSettle(func() { w.followGate(gate.Result(), false) })
		return
	}
	st, _ := w.nextStep()
	gate := s.askQuestion(flow.Question{
		Key: st.rec.Key, Message: w.message + "; from now on, only an answer helps this run, and not a higher budget; may this run exceed its budgets?", Choices: []string{kernel.ChoiceApprove, kernel.ChoiceReject},
	}, st, w.act.scope)
	s.questions.budgetGate = gate
	gate.OnSettle(func() { w.followGate(gate.Result(), true) })
}

// followGate applies a person's answer. own says that the question was asked for this action.
func (w *budgetWait) followGate(r flow.Result, own bool) {
	if w.act.state != undecided {
		return // cancelled with the question
	}
	who := cmp.Or(r.Meta.By, "somebody")
	switch {
	case r.Status != flow.Completed && own:
		w.cancel()
	case r.Status != flow.Completed: // the other action was cancelled with its question
		w.proceed()
	case r.Meta.Choice == kernel.ChoiceApprove:
		if own {
			liftBudgets(w.s.host)
			w.s.journal.addEvent(flow.Event{Time: w.s.now, Type: EventBudget, Key: w.act.Key, Message: who + " has lifted the budgets for this run"})
		}
		w.proceed()
	default:
		more := ", and " + who + " did not lift it"
		if r.Text != "" {
			more += ": " + r.Text
		}
		w.fail(more)
	}
}

func liftBudgets(h Host) {
	if l, ok := h.(Lifter); ok {
		l.LiftBudgets()
	}
}

// liftBudgetsAgain lifts the budgets if a person did so in an earlier process of the run.
func liftBudgetsAgain(h Host, recorded []flow.Record) {
	for i := range recorded {
		r := &recorded[i]
		if stepkey.IsBudget(r.Key) && r.Status == flow.Completed && r.Meta.Choice == kernel.ChoiceApprove {
			liftBudgets(h)
			return
		}
	}
}

// resumeBudgetWait continues an action that an earlier process left waiting for a budget. A
// question stays open. A wait is over: whether the budget allows more by now is for the host to
// say.
func resumeBudgetWait(s *scheduler, act *action, left flow.Record) {
	w := &budgetWait{actionWait{s, act, stepkey.Budget}, left.Failure.Message}
	st, _ := w.nextStep()
	open, ok := st.interruptedRecord()
	switch {
	case ok && open.Question != nil && open.Question.Wait == "":
		w.ask()
		return
	case ok:
		st.claimed = true
		open.Status, open.Finished, open.Meta.Choice = flow.Completed, s.now, kernel.ChoiceExpired
		if said, early := s.questions.early[open.Key]; early {
			delete(s.questions.early, open.Key)
			open.Text, open.Meta = said.Text, said.Meta
		}
		s.journal.putRecord(st, open)
	}
	s.enqueueAction(act)
}
