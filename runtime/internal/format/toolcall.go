package format

import (
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// ToolCallEvent is the type of the events about an agent's calls of tools in the journal of a run, which
// people can read. They have the names of tools and the times of calls, and no arguments and results.
const ToolCallEvent = "tool_call"

// A ToolCall is an ended call of a tool.
type ToolCall struct {
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
func (c ToolCall) Event(key string) flow.Event {
	word := took
	if c.Failed {
		word = failed
	}
	return flow.Event{Time: c.Begun, Type: ToolCallEvent, Key: key, Message: plain.Clip(plain.Line(c.Name), longestName) + word + c.Took.Round(time.Microsecond).String()}
}

// ReadToolCall reads a call from an event.
func ReadToolCall(e flow.Event) (ToolCall, bool) {
	if e.Type != ToolCallEvent {
		return ToolCall{}, false
	}
	c := ToolCall{Begun: e.Time}
	word := took
	if c.Failed = strings.LastIndex(e.Message, failed) > strings.LastIndex(e.Message, took); c.Failed {
		word = failed
	}
	at := strings.LastIndex(e.Message, word)
	if at < 0 {
		return ToolCall{}, false
	}
	d, err := time.ParseDuration(e.Message[at+len(word):])
	c.Name, c.Took = e.Message[:at], d
	return c, err == nil
}
