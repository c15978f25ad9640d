package document

import (
	"encoding/hex"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
)

// A Trace is the document of a trace.
type Trace struct {
	SchemaVersion int    `json:"schema_version"`
	Run           string `json:"run_id"`
	TraceID       string `json:"trace_id"`
	Spans         []Span `json:"spans"`
}

// A Span is a span of a trace. It follows its parent.
type Span struct {
	ID     string     `json:"span_id"`
	Parent string     `json:"parent_span_id,omitempty"`
	Kind   trace.Kind `json:"kind"`
	Run    string     `json:"run_id"`
	// Workflow is the run's workflow, Node the step, and Name the step's kind, the agent, the
	// tool or the kind of a wait.
	Workflow string      `json:"workflow"`
	Node     string      `json:"node,omitempty"`
	Name     string      `json:"name,omitempty"`
	Attempt  int         `json:"attempt,omitempty"`
	Status   flow.Status `json:"status"`
	Error    string      `json:"error,omitempty"`
	Started  time.Time   `json:"started,omitzero"`
	Finished time.Time   `json:"finished,omitzero"`
	// DurationMS is the time from start to end, WorkingMS the part in which something worked, and
	// WaitingMS the part in which the span only waited.
	DurationMS int64  `json:"duration_ms"`
	WorkingMS  int64  `json:"working_ms"`
	WaitingMS  int64  `json:"waiting_ms"`
	Model      string `json:"model,omitempty"`
	By         string `json:"by,omitempty"`
	flow.Usage
}

// NewTrace returns the document of a trace. mask hides secrets in messages.
func NewTrace(t *trace.Trace, now time.Time, mask func(string) string) Trace {
	d := Trace{SchemaVersion: 1, Run: t.Root, TraceID: hex.EncodeToString(t.ID[:]), Spans: make([]Span, len(t.Spans))}
	for i := range t.Spans {
		s := &t.Spans[i]
		d.Spans[i] = Span{
			ID: hex.EncodeToString(s.ID[:]), Kind: s.Kind, Run: s.Run, Workflow: s.Workflow, Node: s.Key, Name: s.Name, Attempt: s.Attempt,
			Status: s.Status, Error: mask(s.Failure), Started: s.Start, Finished: s.End,
			DurationMS: s.Took(now).Milliseconds(), WorkingMS: s.Working.Milliseconds(), WaitingMS: s.Waiting.Milliseconds(),
			Model: s.Model, By: s.By, Usage: s.Usage,
		}
		if s.Parent != (trace.ID{}) {
			d.Spans[i].Parent = hex.EncodeToString(s.Parent[:])
		}
	}
	return d
}
