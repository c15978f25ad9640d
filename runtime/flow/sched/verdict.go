package sched

import (
	"errors"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// verdict makes the run's end of those verdicts of flow code that are neither a
// failure nor a cancellation, and reports whether it was one.
func (s *scheduler) verdict(end *flow.RunEnd) bool {
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
