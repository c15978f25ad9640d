package sched

import (
	"errors"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// verdict makes the run's end of those verdicts of flow code that are neither a
// failure nor a cancellation, and reports whether it was one.
func (s *scheduler) verdict(end *flow.RunEnd) bool {
	var goals *flow.GoalsError
	var stop *flow.StopError
	limit, limited := flow.AsLimit(s.err)
	switch {
	case limited:
		end.Status, end.Reason, end.Error = flow.LimitReached, limit.Limit, limit.Error()
	case errors.As(s.err, &stop):
		end.Status, end.Reason, end.Error = flow.Paused, stop.Reason, stop.Message
	case errors.As(s.err, &goals):
		end.Reason = flow.ReasonGoals
	default:
		return false
	}
	return true
}

// summarized are outputs that know best what to show to a person.
type summarized interface{ Summary() string }
