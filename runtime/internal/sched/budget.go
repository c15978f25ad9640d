package sched

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The host refuses to begin an attempt that would exceed a budget of the project or the
// workflow. Nobody was asked then, so the attempt keeps its number and is no retry.
//
// The action waits, as for its agent's quota: the n-th wait of step fix is the step
// fix/budget#n, with a committed deadline. Or a person is asked, once for all refused actions of
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

// BudgetNear reports that a budget is nearly used up.
type BudgetNear struct {
	// Key is the step whose attempt used it.
	Key     string
	Message string
}

// awaitsBudget reports whether a record is that of an action that a budget refuses.
func awaitsBudget(rec flow.Record) bool {
	return rec.Status == flow.Waiting && rec.Failure != nil && rec.Failure.Reason == reasonBudget
}

func budgetKey(key string, n int) string { return key + stepkey.Budget + strconv.Itoa(n) }

// budgetWaits counts the waits of an action that are over.
func (j *journal) budgetWaits(key string) (n int) {
	for {
		st := j.steps[budgetKey(key, n+1)]
		if st == nil || !st.rec.Status.Ended() {
			return n
		}
		n++
		st.claimed = true
	}
}

// A budgetWait is an action that a budget refuses.
type budgetWait struct {
	s   *scheduler
	act *action
	// message says which budget, and why.
	message string
}

// followRefusal follows the policy of a budget that refuses an attempt.
func followRefusal(s *scheduler, sig Refused) {
	act := s.endAttempt(sig.Key)
	if act == nil {
		return
	}
	w := &budgetWait{s, act, sig.Message}
	switch {
	case act.cancelled:
		w.cancel()
	case sig.Busy, sig.Policy == settings.BudgetWait && !sig.Until.IsZero():
		w.hold()
		w.wait(sig)
	case sig.Policy == settings.BudgetAsk:
		w.hold()
		w.ask()
	default:
		w.fail("")
	}
}

func (w *budgetWait) cancel() {
	w.s.endAction(w.act, flow.Result{Status: flow.Cancelled, Meta: w.act.spent})
}

// fail fails the action; more is the end of its message.
func (w *budgetWait) fail(more string) {
	w.s.endAction(w.act, flow.Result{Status: flow.Failed, Meta: w.act.spent, Failure: w.failure(more)})
}

func (w *budgetWait) failure(more string) *flow.Failure {
	return &flow.Failure{Reason: reasonBudget, Class: flow.ClassFatal, Message: w.message + more}
}

// hold journals that the action waits.
func (w *budgetWait) hold() {
	act := w.act
	act.state = undecided
	w.s.journal.putRecord(act.step, flow.Record{
		Key: act.Key, Kind: act.Payload.Kind(), Status: flow.Waiting, Reason: act.runningReason(), Failure: w.failure(""),
		Attempt: act.attempt, Meta: act.spent, Started: act.started,
	})
	w.s.setNodeStatus(act, w.s.nodeOf(act).Key, flow.Waiting)
}

// proceed lets the action try again.
func (w *budgetWait) proceed() {
	w.s.setNodeStatus(w.act, w.s.nodeOf(w.act).Key, flow.Running)
	w.s.enqueueAction(w.act)
}

// nextStep returns the step of the action's next wait.
func (w *budgetWait) nextStep() (st *step, n int) {
	n = w.s.journal.budgetWaits(w.act.Key) + 1
	return w.s.journal.ensureStep(budgetKey(w.act.Key, n)), n
}

// wait lets the action wait until the budget may allow it.
func (w *budgetWait) wait(sig Refused) {
	s := w.s
	st, n := w.nextStep()
	until := sig.Until
	if busy := s.now.Add(min(firstBusyWait<<min(n-1, 8), longestBusyWait)); sig.Busy && (until.IsZero() || busy.Before(until)) {
		until = busy
	}
	over := s.askQuestion(flow.Question{
		Key: st.rec.Key, Message: w.message, Wait: flow.WaitBudget, Choices: []string{kernel.ChoiceWake}, Timeout: max(until.Sub(s.now), time.Second),
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

// ask asks whether the run may exceed its budgets, unless that is asked already.
func (w *budgetWait) ask() {
	s := w.s
	if gate := s.questions.budgetGate; gate != nil && !gate.Settled() {
		gate.OnSettle(func() { w.followGate(gate.Result(), false) })
		return
	}
	st, _ := w.nextStep()
	gate := s.askQuestion(flow.Question{
		Key: st.rec.Key, Message: w.message + "; may this run exceed its budgets?", Choices: []string{kernel.ChoiceApprove, kernel.ChoiceReject},
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
		if strings.Contains(r.Key, stepkey.Budget) && r.Status == flow.Completed && r.Meta.Choice == kernel.ChoiceApprove {
			liftBudgets(h)
			return
		}
	}
}

// resumeBudgetWait continues an action that an earlier process left waiting for a budget. A
// question stays open. A wait is over: whether the budget allows more by now is for the host to
// say.
func resumeBudgetWait(s *scheduler, act *action, left flow.Record) {
	act.attempt, act.started, act.decided = max(left.Attempt, 1), left.Started, decisionCount(left.Reason)
	w := &budgetWait{s, act, left.Failure.Message}
	st, _ := w.nextStep()
	open, ok := st.interruptedRecord()
	switch {
	case ok && open.Question != nil && open.Question.Wait == "":
		act.state = undecided
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

// settleSpending hands the cost of an attempt to the ledger, with the batch that has its end.
func (j *journal) settleSpending(act *action, node string, spent flow.Spending, now time.Time) {
	spent.Key, spent.Node, spent.Attempt, spent.Time = act.Key, node, act.attempt, now
	j.next.Spending = append(j.next.Spending, spent)
}
