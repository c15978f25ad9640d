package sched

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// finish commits the run's end together with the rest of its last turn.
func (s *scheduler) finish() (flow.RunState, error) {
	end := s.end()
	if end.Status.Ended() {
		s.sweep(end.Status)
	}
	b := s.journal.batch()
	b.Run = &end
	if err := s.host.Commit(b); err != nil {
		return flow.RunState{}, fmt.Errorf("write the journal: %w", err)
	}
	return end, nil
}

// pause commits that the run waits for people and has no process.
func (s *scheduler) pause() (flow.RunState, error) {
	end := flow.RunState{Status: flow.Paused}
	b := s.journal.batch()
	b.Run = &end
	if err := s.host.Commit(b); err != nil {
		return flow.RunState{}, fmt.Errorf("write the journal: %w", err)
	}
	return end, nil
}

// end makes the run's end of what the flow returned, or of what ended it.
func (s *scheduler) end() flow.RunState {
	end := flow.RunState{Status: flow.Completed, Summary: s.summary()}
	if outcome, ok := errors.AsType[*kernel.OutcomeError](s.err); ok {
		end.Outcome, s.err = outcome.Outcome, outcome.Err
	}
	failure := s.failure
	if failure == nil && s.value != nil {
		var err error
		if end.Outputs, err = kernel.Encode(s.value); err != nil {
			failure = internal("the outputs do not encode to JSON: %v", err)
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
	case s.verdict(&end):
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

// sweep ends the steps that the flow did not reach: a run that has ended has no pending
// steps, and none that an earlier process began and that still run.
func (s *scheduler) sweep(end flow.Status) {
	reason := kernel.SkipUnreached
	switch end {
	case flow.Cancelled:
		reason = kernel.SkipCancelled
	case flow.LimitReached:
		reason = kernel.SkipLimit
	}
	for _, n := range s.opt.Nodes {
		if st := s.journal.step(n.Key); !st.known {
			st.rec.Status = flow.Pending
		}
	}
	for _, st := range s.journal.order {
		switch st.rec.Status {
		case flow.Pending:
			s.journal.settle(st, flow.Record{Key: st.rec.Key, Status: flow.Skipped, Reason: reason}, s.now)
		case flow.Running, flow.Waiting:
			s.journal.settle(st, flow.Record{Key: st.rec.Key, Status: flow.Cancelled, Reason: reason}, s.now)
		}
	}
}

// summary is the outputs' own summary, or the text of the node that is the result if it
// completed, or of the first node without dependents that completed and has any. Steps
// that clean up do not count.
func (s *scheduler) summary() string {
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

// deadlock is the failure of a flow whose tasks wait for events that cannot come.
func (s *scheduler) deadlock() *flow.Failure {
	var waiting []string
	for _, n := range s.opt.Nodes {
		if st := s.journal.steps[n.Key]; !st.settled {
			waiting = append(waiting, "`"+n.Key+"`")
		}
	}
	const shown = 10
	switch n := len(waiting); {
	case n == 0:
		return internal("the flow waits for something that cannot come")
	case n > shown:
		waiting = append(waiting[:shown], fmt.Sprintf("and %d more", n-shown))
	}
	return internal("nothing runs, but these nodes wait: %s", strings.Join(waiting, ", "))
}

// verdict makes the run's end of those verdicts of flow code that are neither a
// failure nor a cancellation, and reports whether it was one.
func (s *scheduler) verdict(end *flow.RunState) bool {
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

// ChildResult returns the result of an action that was the run with the given id, which
// has ended.
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
	return r
}
