// Package trace turns the journals of a run and its children into the spans of one trace.
// The spans are a pure function of the journals, and their ids of the run's id, the step's
// key and the attempt, so every process computes the same ones:
//
//	journals, err := trace.Load(ctx, store, root)
//	t := trace.Build(journals, time.Now())
//
// Waiting isn't working: a wait for a person, a time, an event or a quota is a span of its
// own kind, and no span counts it as work. The package needs no telemetry library; package
// runtime/otel exports its spans.
package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Kind says what a span is about.
type Kind string

// The kinds of spans.
const (
	KindRun  Kind = "run"
	KindStep Kind = "step"
	// KindAttempt is one attempt at an action, and KindTurn one at a prompt.
	KindAttempt Kind = "attempt"
	KindTurn    Kind = "turn"
	KindTool    Kind = "tool"
	// KindWait is a wait for a person, a time, an event, a quota or a budget.
	KindWait Kind = "wait"
	// KindResume is the moment in which a person resumed the run.
	KindResume Kind = "resume"
)

// An ID identifies a span within its trace. The zero ID is no span.
type ID [8]byte

// A Span is a part of a run.
type Span struct {
	ID, Parent ID
	Kind       Kind
	// Run is the id of the span's run, Workflow its workflow, and Key the key of its step, or "".
	Run, Workflow, Key string
	// Name is the step's kind, the agent, the tool, or the kind of a wait.
	Name string
	// Attempt counts the step's attempts from 1.
	Attempt int
	Status  flow.Status
	// Failure is the message of a failure or why a run was cancelled, or "".
	Failure string
	// Start and End are the times. End is zero while the span lasts.
	Start, End time.Time
	// Working is the time in which something worked, and Waiting the time in which the span
	// only waited. What is missing to the whole, nobody worked on the run.
	Working, Waiting time.Duration
	// Model is the model that answered, and Usage the cost of the span and those below it,
	// without turns from a recording.
	Model string
	Usage flow.Usage
	// Session is the agent's session. Prompt and Reply are the content of a turn, or the script
	// and the output of another attempt.
	Session, Prompt, Reply string
	// By is the person who ended a wait, or who resumed the run and from where.
	By string
}

// A Trace is the spans of a run and its children: each span follows its parent.
type Trace struct {
	ID    [16]byte
	Root  string
	Spans []Span
}

// TraceID returns the id of a run's trace. Children belong to the trace of their root.
func TraceID(root string) (id [16]byte) {
	sum := sha256.Sum256([]byte("wfc trace\x00" + root))
	copy(id[:], sum[:])
	return id
}

// SpanID returns the id of a span: of a run if key is "", of a step if attempt is 0, and else
// of an attempt. Tool calls have a number within their step, and resumptions one within their
// run, from 1; others have 0.
func SpanID(run, key string, attempt, tool int) (id ID) {
	text := "wfc span\x00" + run + "\x00" + key + "\x00" + strconv.Itoa(attempt)
	if tool > 0 {
		text += "\x00tool " + strconv.Itoa(tool)
	}
	sum := sha256.Sum256([]byte(text))
	copy(id[:], sum[:])
	if binary.BigEndian.Uint64(id[:]) == 0 {
		id[7] = 1 // zero is no id
	}
	return id
}

// Took returns how long the span took, or takes so far.
func (s *Span) Took(now time.Time) time.Duration {
	if s.Start.IsZero() {
		return 0
	}
	return max(0, cmp.Or(s.End, now).Sub(s.Start))
}
