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

// actionRefused follows the policy of a budget that refuses an attempt.
func (s *scheduler) actionRefused(sig Refused) {
	act := s.endAttempt(sig.Key)
	if act == nil {
		return
	}
	policy := sig.Policy
	if sig.Busy || policy == settings.BudgetWait && !sig.Until.IsZero() {
		policy = settings.BudgetWait
	}
	switch {
	case act.cancelled:
		s.endAction(act, flow.Result{Status: flow.Cancelled, Meta: act.spent})
	case policy == settings.BudgetAsk:
		s.holdForBudget(act, sig.Message)
		s.askAboutBudget(act, sig.Message)
	case policy == settings.BudgetWait && (sig.Busy || !sig.Until.IsZero()):
		s.holdForBudget(act, sig.Message)
		s.awaitBudget(act, sig)
	default:
		s.failOverBudget(act, sig.Message)
	}
}

func (s *scheduler) failOverBudget(act *action, message string) {
	s.endAction(act, flow.Result{Status: flow.Failed, Meta: act.spent, Failure: &flow.Failure{
		Reason: reasonBudget, Class: flow.ClassFatal, Message: message,
	}})
}

// holdForBudget journals that an action waits for a budget.
func (s *scheduler) holdForBudget(act *action, message string) {
	act.state = undecided
	s.journal.putRecord(act.step, flow.Record{
		Key: act.Key, Kind: act.Payload.Kind(), Status: flow.Waiting, Reason: act.runningReason(),
		Failure: &flow.Failure{Reason: reasonBudget, Class: flow.ClassFatal, Message: message},
		Attempt: act.attempt, Meta: act.spent, Started: act.started,
	})
	s.setNodeStatus(act, s.nodeOf(act).Key, flow.Waiting)
}

// awaitBudget lets an action wait until a budget may allow it.
func (s *scheduler) awaitBudget(act *action, sig Refused) {
	n := s.journal.budgetWaits(act.Key)
	until := sig.Until
	if busy := s.now.Add(min(firstBusyWait<<min(n, 8), longestBusyWait)); sig.Busy && (until.IsZero() || busy.Before(until)) {
		until = busy
	}
	key := budgetKey(act.Key, n+1)
	over := s.askQuestion(flow.Question{
		Key: key, Message: sig.Message, Wait: flow.WaitBudget, Choices: []string{kernel.ChoiceWake}, Timeout: max(until.Sub(s.now), time.Second),
	}, s.journal.ensureStep(key), act.scope)
	over.OnSettle(func() { s.endBudgetWait(act, over.Result()) })
}

// endBudgetWait lets an action try again.
func (s *scheduler) endBudgetWait(act *action, r flow.Result) {
	switch {
	case act.state != undecided: // cancelled with the question
	case r.Status != flow.Completed:
		s.endAction(act, flow.Result{Status: flow.Cancelled, Meta: act.spent})
	default:
		s.continueWithinBudget(act)
	}
}

func (s *scheduler) continueWithinBudget(act *action) {
	s.setNodeStatus(act, s.nodeOf(act).Key, flow.Running)
	s.enqueueAction(act)
}

// askAboutBudget asks whether the run may exceed its budgets, unless that is asked already.
func (s *scheduler) askAboutBudget(act *action, message string) {
	if gate := s.budgetGate; gate != nil && !gate.Settled() {
		gate.OnSettle(func() { s.followBudgetGate(act, message, gate.Result(), false) })
		return
	}
	key := budgetKey(act.Key, s.journal.budgetWaits(act.Key)+1)
	gate := s.askQuestion(flow.Question{
		Key: key, Message: message + "; may this run exceed its budgets?", Choices: []string{kernel.ChoiceApprove, kernel.ChoiceReject},
	}, s.journal.ensureStep(key), act.scope)
	s.budgetGate = gate
	gate.OnSettle(func() { s.followBudgetGate(act, message, gate.Result(), true) })
}

// followBudgetGate applies a person's answer to an action. asked says that the question was asked
// for this one.
func (s *scheduler) followBudgetGate(act *action, message string, r flow.Result, asked bool) {
	if act.state != undecided {
		return // cancelled with the question
	}
	who := cmp.Or(r.Meta.By, "somebody")
	switch {
	case r.Status != flow.Completed && asked:
		s.endAction(act, flow.Result{Status: flow.Cancelled, Meta: act.spent})
	case r.Status != flow.Completed: // the other action was cancelled with its question
		s.continueWithinBudget(act)
	case r.Meta.Choice == kernel.ChoiceApprove:
		if asked {
			s.liftBudgets()
			s.journal.addEvent(flow.Event{Time: s.now, Type: EventBudget, Key: act.Key, Message: who + " has lifted the budgets for this run"})
		}
		s.continueWithinBudget(act)
	default:
		if message += ", and " + who + " did not lift it"; r.Text != "" {
			message += ": " + r.Text
		}
		s.failOverBudget(act, message)
	}
}

func (s *scheduler) liftBudgets() {
	if h, ok := s.host.(Lifter); ok {
		h.LiftBudgets()
	}
}

// liftBudgetsAgain lifts the budgets if a person did so in an earlier process of the run.
func (s *scheduler) liftBudgetsAgain(recorded []flow.Record) {
	for i := range recorded {
		r := &recorded[i]
		if strings.Contains(r.Key, stepkey.Budget) && r.Status == flow.Completed && r.Meta.Choice == kernel.ChoiceApprove {
			s.liftBudgets()
			return
		}
	}
}

// resumeBudgetWait continues an action that an earlier process left waiting for a budget. A
// question stays open. A wait is over: whether the budget allows more by now is for the host to
// say.
func (s *scheduler) resumeBudgetWait(act *action, left flow.Record) {
	act.attempt, act.started, act.decided = max(left.Attempt, 1), left.Started, decisionCount(left.Reason)
	st := s.journal.ensureStep(budgetKey(act.Key, s.journal.budgetWaits(act.Key)+1))
	open, ok := st.interruptedRecord()
	switch {
	case ok && open.Question != nil && open.Question.Wait == "":
		act.state = undecided
		s.askAboutBudget(act, left.Failure.Message)
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
func (s *scheduler) settleSpending(act *action, spent *flow.Spending) {
	if spent == nil {
		return
	}
	spent.Key, spent.Node, spent.Attempt, spent.Time = act.Key, s.nodeOf(act).Key, act.attempt, s.now
	s.journal.next.Spending = append(s.journal.next.Spending, *spent)
}
