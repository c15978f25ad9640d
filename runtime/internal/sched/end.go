package sched

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// commitEnd commits the run's end together with the rest of its last turn.
func (s *scheduler) commitEnd() (flow.RunState, error) {
	end := s.makeRunEnd()
	if end.Status.Ended() {
		s.endUnreachedSteps(end.Status)
	}
	return s.commitState(end)
}

// commitPause commits that the run waits for people and has no process.
func (s *scheduler) commitPause() (flow.RunState, error) {
	return s.commitState(flow.RunState{Status: flow.Paused})
}

func (s *scheduler) commitState(end flow.RunState) (flow.RunState, error) {
	b := s.journal.takeBatch()
	b.Run = &end
	if err := s.host.Commit(b); err != nil {
		return flow.RunState{}, fmt.Errorf("write the journal: %w", err)
	}
	return end, nil
}

// makeRunEnd makes the run's end of what the flow returned, or of what ended it.
func (s *scheduler) makeRunEnd() flow.RunState {
	end := flow.RunState{Status: flow.Completed, Summary: s.runSummary()}
	if outcome, ok := errors.AsType[*kernel.OutcomeError](s.err); ok {
		end.Outcome, s.err = outcome.Outcome, outcome.Err
	}
	failure := s.failure
	if failure == nil && s.value != nil {
		var err error
		if end.Outputs, err = kernel.Encode(s.value); err != nil {
			failure = internalFailure("the outputs do not encode to JSON: %v", err)
		}
	}
	switch {
	case failure != nil:
		end.Status, end.Reason, end.Error = flow.Failed, failure.Reason, failure.Message
	case s.limit != nil && s.cancelled == nil:
		end.Status, end.Reason, end.Error = flow.LimitReached, s.limit.Limit, s.limit.Error()
	case s.err == nil:
	case s.cancelled != nil:
		end.Status, end.Reason = flow.Cancelled, s.cancelled.Reason
	case s.applyVerdict(&end):
	case errors.Is(s.err, flow.ErrCancelled):
		end.Status, end.Reason = flow.Cancelled, s.err.Error()
	default:
		end.Status, end.Error = flow.Failed, s.err.Error()
		if f, ok := errors.AsType[*flow.Failure](s.err); ok {
			end.Reason = f.Reason
		}
	}
	return end
}

// endUnreachedSteps ends the steps that the flow did not reach: a run that has ended has no pending
// steps, and none that an earlier process began and that still run.
func (s *scheduler) endUnreachedSteps(end flow.Status) {
	reason := kernel.SkipUnreached
	switch end {
	case flow.Cancelled:
		reason = kernel.SkipCancelled
	case flow.LimitReached:
		reason = kernel.SkipLimit
	}
	for _, n := range s.opt.Nodes {
		if st := s.journal.ensureStep(n.Key); !st.known {
			st.rec.Status = flow.Pending
		}
	}
	for _, st := range s.journal.order {
		switch st.rec.Status {
		case flow.Pending:
			s.journal.settleStep(st, flow.Record{Key: st.rec.Key, Status: flow.Skipped, Reason: reason}, s.now)
		case flow.Running, flow.Waiting:
			s.journal.settleStep(st, flow.Record{Key: st.rec.Key, Status: flow.Cancelled, Reason: reason}, s.now)
		}
	}
}

// runSummary is the outputs' own summary, or the text of the node that is the result if it
// completed, or of the first node without dependents that completed and has any. Steps
// that clean up do not count.
func (s *scheduler) runSummary() string {
	if v, ok := s.value.(summarized); ok {
		return v.Summary()
	}
	if st := s.journal.steps[s.opt.Returns]; st != nil && st.rec.Status == flow.Completed {
		return st.rec.Text
	}
	inner := map[string]bool{}
	for _, n := range s.opt.Nodes {
		inner[n.Key] = inner[n.Key] || n.Finally
		for _, key := range n.After {
			inner[key] = inner[key] || !n.Finally
		}
	}
	for _, n := range s.opt.Nodes {
		if st := s.journal.steps[n.Key]; !inner[n.Key] && st.rec.Status == flow.Completed && strings.TrimSpace(st.rec.Text) != "" {
			return st.rec.Text
		}
	}
	return ""
}

// deadlockFailure is the failure of a flow whose tasks wait for events that cannot come.
func (s *scheduler) deadlockFailure() *flow.Failure {
	var waiting []string
	for _, n := range s.opt.Nodes {
		if st := s.journal.steps[n.Key]; !st.settled {
			waiting = append(waiting, "`"+n.Key+"`")
		}
	}
	const shown = 10
	switch n := len(waiting); {
	case n == 0:
		return internalFailure("the flow waits for something that cannot come")
	case n > shown:
		waiting = append(waiting[:shown], fmt.Sprintf("and %d more", n-shown))
	}
	return internalFailure("nothing runs, but these nodes wait: %s", strings.Join(waiting, ", "))
}

// applyVerdict makes the run's end of those verdicts of flow code that are neither a
// failure nor a cancellation, and reports whether it was one.
func (s *scheduler) applyVerdict(end *flow.RunState) bool {
	var goals *kernel.GoalsError
	var stop *kernel.StopError
	var limit *kernel.LimitError
	switch {
	case errors.As(s.err, &limit):
		end.Status, end.Reason, end.Error = flow.LimitReached, limit.Limit, limit.Error()
	case errors.As(s.err, &stop):
		end.Status, end.Reason, end.Error = flow.Paused, stop.Reason, stop.Message
	case errors.As(s.err, &goals):
		end.Reason = kernel.ReasonGoals
	default:
		return false
	}
	return true
}

// summarized are outputs that know best what to show to a person.
type summarized interface{ Summary() string }

// PendingSteps are the steps of a run that has not begun.
func PendingSteps(nodes []flow.NodeInfo) []flow.Record {
	steps := make([]flow.Record, len(nodes))
	for i, n := range nodes {
		steps[i] = flow.Record{Key: n.Key, Kind: n.Kind, Status: flow.Pending}
	}
	return steps
}

// ByParent is who cancels the children of a run that is cancelled.
func ByParent(parent string) string { return "its parent " + parent }

// IsFinal reports whether a child with this end never continues: it has completed, or a person
// cancelled it.
func IsFinal(parent string, status flow.Status, reason string) bool {
	return status == flow.Completed || status == flow.Cancelled && reason != kernel.CancelReason(ByParent(parent))
}

// ChildResult returns the result of an action that was the run with the given id, which
// has ended. It is at the limit if that run reached what was left of its parent's limits.
func ChildResult(id string, end flow.RunState, steps []flow.Record) flow.Result {
	r := flow.Result{Status: flow.Completed, Text: end.Summary, Meta: Used(steps)}
	if end.Status == flow.Completed {
		return r
	}
	message := fmt.Sprintf("run %s is %s", id, end.Status)
	for _, why := range []string{end.Reason, end.Error} {
		if why != "" {
			message += ": " + why
		}
	}
	reason := kernel.ChildFailed
	if end.Status == flow.Cancelled {
		reason = kernel.ChildCancelled
	}
	r.Status, r.Failure = flow.Failed, &flow.Failure{Reason: reason, Class: flow.ClassFatal, Message: message, ExitCode: -1}
	if end.Status == flow.LimitReached && limitSettings[end.Reason] != "" {
		r.Status = flow.LimitReached
	}
	return r
}
