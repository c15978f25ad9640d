package flow

import (
	"errors"
	"fmt"
)

// SkipLimit is the reason of a step that is skipped because the run came to a
// limit before the step began.
const SkipLimit = "run_limit"

// A LimitError is the verdict of a run that came to a limit of its own. Flow
// code returns it, as it is or wrapped, and engines end the run with it as
// LimitReached: the run can be resumed, with a higher limit.
type LimitError struct {
	// Limit is the limit's name as people write it, such as `max_steps` or
	// `--max-cost`. It is the reason of the run's end.
	Limit string
	// Used and Max are amounts with their units: "$1.20", "12 steps".
	Used, Max string
	// Hint says what to do about it, or is "".
	Hint string
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("the limit `%s` of %s is reached: %s used", e.Limit, e.Max, e.Used)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// AsLimit returns the limit that a verdict is about.
func AsLimit(err error) (limit *LimitError, ok bool) {
	ok = errors.As(err, &limit)
	return limit, ok
}
