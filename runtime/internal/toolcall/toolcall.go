// Package toolcall writes an agent's calls of tools to the journal of a run, as events that
// people can read, and reads them. The events have the names of tools and the times of calls;
// they have no arguments and results.
package toolcall

import (
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// EventType is the type of the events.
const EventType = "tool_call"

// A Call is an ended call of a tool.
type Call struct {
	Name   string
	Begun  time.Time
	Took   time.Duration
	Failed bool
}

const (
	took   = " took "
	failed = " failed after "
	// longestName is the longest name of a tool that is kept, in characters.
	longestName = 100
)

// Event returns the event of a call by a step.
func (c Call) Event(key string) flow.Event {
	word := took
	if c.Failed {
		word = failed
	}
	return flow.Event{Time: c.Begun, Type: EventType, Key: key, Message: plain.Clip(plain.Line(c.Name), longestName) + word + c.Took.Round(time.Microsecond).String()}
}

// FromEvent reads a call from an event.
func FromEvent(e flow.Event) (Call, bool) {
	if e.Type != EventType {
		return Call{}, false
	}
	c := Call{Begun: e.Time}
	word := took
	if c.Failed = strings.LastIndex(e.Message, failed) > strings.LastIndex(e.Message, took); c.Failed {
		word = failed
	}
	at := strings.LastIndex(e.Message, word)
	if at < 0 {
		return Call{}, false
	}
	d, err := time.ParseDuration(e.Message[at+len(word):])
	c.Name, c.Took = e.Message[:at], d
	return c, err == nil
}
