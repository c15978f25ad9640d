package sched

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An action that was running when its process died may have done none, a part or all of
// its work. Nobody can know, so the workflow's owner chooses the policy: the action is
// performed again, or fails, or a person decides.
//
// A person decides about one interruption at a time, and a decision must count for that
// one alone, even if processes die at any point. The answer to the n-th question about
// step deploy is the end of step deploy/interrupted#n, so it is not lost. The record of
// an action that began again by such an answer names it ("interrupted#n", in its Reason),
// so no answer counts twice. An interrupted action whose record names n has its question
// in n+1, which may be unasked, open, or answered without effect so far. All later
// records of the action keep the number; an action that begins anew, because the run was
// resumed after a failure, continues the count of answered questions.
//
// A failure by interruption is an end like any other, and a resumed run performs
// a failed action again. But the process that committed the failure may die before it
// reports it, and the start of the next process does not mean that a person has seen the
// failure. So the failure remains until the run has ended with it. (It remains a second
// time if the process that was to perform the action again dies before its first batch:
// this is safe, and resuming once more mends it.)

// PolicyOf is the policy that counts for an action of a node.
func PolicyOf(p *settings.Interrupts, n flow.NodeInfo) settings.Policy {
	return cmp.Or(p.Nodes[n.Key], p.Kinds[n.Kind], p.Default, settings.InterruptRerun)
}

// ReasonInterrupted is the reason of the failure of an action that was
// interrupted and is not to be performed again.
const ReasonInterrupted = "interrupted"

// The choices of the question about an interrupted action.
const (
	ChoiceRerun = string(settings.InterruptRerun)
	ChoiceFail  = string(settings.InterruptFail)
)

// recoverAction continues an action that an earlier process left running.
func (s *scheduler) recoverAction(act *action, left flow.Record) {
	if _, ok := act.Payload.(kernel.Repeatable); ok || act.child {
		s.enqueueAction(act)
		return
	}
	node := s.nodeOf(act)
	switch PolicyOf(&s.opt.OnInterrupt, node) {
	case settings.InterruptAsk:
		s.askAboutInterruption(act, left, node.Key)
	case settings.InterruptFail:
		act.state = undecided
		s.failInterrupted(act, fmt.Sprintf("%s; check what it did, then resume the run to run it again", describeInterruption(act)))
	default:
		s.enqueueAction(act)
	}
}

// isInterruptionCommitted reports whether a failure by interruption was committed by a process
// that died before the run ended with it.
func (s *scheduler) isInterruptionCommitted(st *step) bool {
	left := st.earlier
	return s.opt.Died && left != nil && left.Status == flow.Failed && left.Failure != nil && left.Failure.Reason == ReasonInterrupted
}

// askAboutInterruption asks a person how to continue an action, unless there is an answer
// that an earlier process did not live to follow.
func (s *scheduler) askAboutInterruption(act *action, left flow.Record, node string) {
	q := flow.Question{
		Key:     interruptionKey(act.Key, act.decided+1),
		Message: describeInterruption(act) + "; run it again?",
		Choices: []string{ChoiceRerun, ChoiceFail},
	}
	act.state = undecided
	if rec, ok := s.journal.completedRecord(q.Key); ok {
		s.journal.ensureStep(q.Key).claimed = true
		s.followDecision(act, node, rec.Result())
		return
	}
	if left.Status != flow.Waiting {
		left.Status = flow.Waiting
		s.journal.putRecord(act.step, left)
	}
	s.setNodeStatus(act, node, flow.Waiting)
	answer := s.askQuestion(q, s.journal.ensureStep(q.Key), act.scope)
	answer.OnSettle(func() { s.followDecision(act, node, answer.Result()) })
}

// followDecision applies a person's decision about an interrupted action.
func (s *scheduler) followDecision(act *action, node string, r flow.Result) {
	if act.state != undecided {
		return // cancelled with the question
	}
	s.setNodeStatus(act, node, flow.Running)
	switch {
	case r.Status != flow.Completed:
		s.endAction(act, flow.Result{Status: flow.Cancelled, Meta: act.spent})
	case r.Meta.Choice == ChoiceRerun:
		act.decided++
		s.enqueueAction(act)
	case r.Meta.Choice == ChoiceFail:
		who := cmp.Or(r.Meta.By, "somebody")
		message := fmt.Sprintf("%s, and %s chose to fail it", describeInterruption(act), who)
		if r.Text != "" {
			message += ": " + r.Text
		}
		s.failInterrupted(act, message)
	default:
		// Nothing but a clear word runs it again.
		s.failInterrupted(act, fmt.Sprintf("%s, and the answer `%s` is neither `%s` nor `%s`", describeInterruption(act), r.Meta.Choice, ChoiceRerun, ChoiceFail))
	}
}

// setNodeStatus makes the node of a part one that waits, or runs again.
func (s *scheduler) setNodeStatus(act *action, node string, status flow.Status) {
	if node != act.Key {
		s.journal.beginStep(s.journal.ensureStep(node), "", status, s.now)
	}
}

func (s *scheduler) failInterrupted(act *action, message string) {
	s.endAction(act, flow.Result{Status: flow.Failed, Meta: act.spent, Failure: &flow.Failure{
		Reason: ReasonInterrupted, Class: flow.ClassFatal, ExitCode: -1, Message: message,
	}})
}

// describeInterruption describes the interruption of an action.
func describeInterruption(act *action) string {
	return fmt.Sprintf("step `%s` was interrupted while it ran, and it is unknown how far it came", act.Key)
}

// nodeOf returns the node that an action belongs to.
func (s *scheduler) nodeOf(act *action) flow.NodeInfo {
	if n, ok := stepkey.NodeOf(s.opt.Nodes, act.Key); ok {
		return n
	}
	return flow.NodeInfo{Key: act.Key, Kind: act.Payload.Kind()}
}

func interruptionKey(key string, n int) string {
	return key + "/" + decisionMark + strconv.Itoa(n)
}

// decisionMark begins the reason of a running action that was begun again by a
// person's word.
const decisionMark = "interrupted#"

// reasonSeparator is between such a reason and what the action waits for.
const reasonSeparator = "; "

// joinReasons returns the reason of an action that waits for something.
func joinReasons(decided, what string) string {
	if decided == "" {
		return what
	}
	return decided + reasonSeparator + what
}

// HeldFor returns what an action whose record has a reason waits for before it does anything, or "".
func HeldFor(reason string) string {
	if decisionCount(reason) > 0 {
		_, reason, _ = strings.Cut(reason, reasonSeparator)
	}
	return reason
}

// decisionCount is the number in such a reason, or 0.
func decisionCount(reason string) int {
	reason, _, _ = strings.Cut(reason, reasonSeparator)
	number, ok := strings.CutPrefix(reason, decisionMark)
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0
	}
	return n
}

// runningReason is the reason of an action's record while it runs.
func (act *action) runningReason() string {
	if act.decided == 0 {
		return ""
	}
	return decisionMark + strconv.Itoa(act.decided)
}

// answeredInterruptions counts the questions about a step's interruptions that
// earlier processes of the run had answered.
func (j *journal) answeredInterruptions(key string) int {
	for n := 0; ; n++ {
		if _, ok := j.completedRecord(interruptionKey(key, n+1)); !ok {
			return n
		}
	}
}
