package local

import (
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Notice is something that happened in a run: *StepNotice, *OutputNotice,
// *EventNotice or *EndNotice.
type Notice interface {
	// RunID is the run it happened in.
	RunID() string
}

type ofRun string

// RunID implements Notice.
func (r ofRun) RunID() string { return string(r) }

// A StepNotice is a step's new state, as it was committed.
type StepNotice struct {
	ofRun
	Step flow.Record
}

// An OutputNotice is a piece of what a running step prints or says.
type OutputNotice struct {
	ofRun
	Key string
	// Stream is "stdout", "stderr" or "agent".
	Stream string
	Piece  []byte
}

// An EventNotice is an event that the flow logged.
type EventNotice struct {
	ofRun
	Event flow.Event
}

// An EndNotice is the end or the pause of a run.
type EndNotice struct {
	ofRun
	End flow.RunEnd
}

// announce tells the log and the watcher what a batch committed.
func (h *host) announce(b flow.Batch) {
	id := ofRun(h.run.info.ID)
	entries := make([]entry, 0, len(b.Steps)+len(b.Events)+1)
	for _, s := range b.Steps {
		if s.Status == flow.Completed {
			h.keepArtifact(s)
		}
		entries = append(entries, stepEntry(s))
	}
	for _, e := range b.Events {
		entries = append(entries, entry{Time: e.Time, Type: e.Type, Node: e.Key, Message: e.Message})
	}
	if b.Run != nil {
		entries = append(entries, entry{Type: "run_" + string(b.Run.Status), Reason: b.Run.Reason, Error: b.Run.Error})
	}
	h.run.journal.write(entries...)
	watch := h.engine.cfg.Watch
	if watch == nil {
		return
	}
	for _, s := range b.Steps {
		watch(&StepNotice{id, s})
	}
	for _, e := range b.Events {
		watch(&EventNotice{id, e})
	}
	if b.Run != nil {
		watch(&EndNotice{id, *b.Run})
	}
}

// stepEntry is the log's line for a step's new state.
func stepEntry(s flow.Record) entry {
	e := entry{Type: "step_" + string(s.Status), Node: s.Key, Kind: s.Kind, Reason: s.Reason, Attempt: s.Attempt}
	if s.Status == flow.Running {
		e.Type, e.Time = "step_started", s.Started
		return e
	}
	e.Time = s.Finished
	e.Text = s.Text
	if s.Failure != nil {
		e.Error = s.Failure.Message
	}
	if !s.Started.IsZero() && !s.Finished.IsZero() {
		e.DurationMS = max(1, s.Finished.Sub(s.Started).Round(time.Millisecond).Milliseconds())
	}
	if s.Meta != (flow.Meta{}) {
		e.Meta = &s.Meta
	}
	if s.Question != nil {
		e.Message = s.Question.Message
	}
	return e
}

// output passes on what a running step prints.
func (h *host) output(key, stream string, piece []byte) {
	if len(piece) == 0 {
		return
	}
	h.run.journal.write(entry{Type: "output", Node: key, Stream: stream, Text: string(piece)})
	if watch := h.engine.cfg.Watch; watch != nil {
		watch(&OutputNotice{ofRun(h.run.info.ID), key, stream, piece})
	}
}
