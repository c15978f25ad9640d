package local

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Notice is something that happened in a run: *BeginNotice, *StepNotice,
// *OutputNotice, *EventNotice or *EndNotice.
type Notice interface {
	// RunID is the run it happened in.
	RunID() string
}

type ofRun string

// RunID implements Notice.
func (r ofRun) RunID() string { return string(r) }

// A BeginNotice says that a process has taken up a run.
type BeginNotice struct {
	ofRun
	// Resumed says that it is not the first.
	Resumed bool
	// Worktree is the run's own worktree, or nil.
	Worktree *Worktree
}

// A StepNotice is a step's new state, as it was committed. A running step with
// a deadline waits for that: for its next attempt or for the end of a sleep.
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
	// Piece is valid until Watch returns.
	Piece []byte
}

// An EventNotice is an event that the flow logged.
type EventNotice struct {
	ofRun
	Event flow.Event
}

// An EndNotice is the end or the pause of a run. The run's lease is given back
// a moment later.
type EndNotice struct {
	ofRun
	End flow.RunEnd
}

// tell gives notices to the watcher, one at a time.
func (h *host) tell(list ...Notice) {
	h.telling.Lock()
	defer h.telling.Unlock()
	h.tellLocked(list)
}

func (h *host) tellLocked(list []Notice) {
	if watch := h.engine.cfg.Watch; watch != nil {
		for _, n := range list {
			watch(n)
		}
	}
}

// began tells that this process works on the run.
func (r *run) began(n *BeginNotice) {
	e := entry{Type: "run_started", Workflow: r.def.Name}
	if n.Resumed {
		e.Type = "run_resumed"
	}
	if r.tree != nil {
		e.Message = fmt.Sprintf("it works in the git worktree %s, whose branch %s began at %s", r.tree.Path, r.tree.Branch, r.tree.Base)
	}
	r.journal.write(e)
	r.host.tell(n)
}

// catchUp tells of the batches that are committed and not told of yet. Starting
// what a batch says has started goes before telling of it, and telling of it
// goes before all that comes of it: what steps print, and the next batch.
func (h *host) catchUp() {
	h.telling.Lock()
	defer h.telling.Unlock()
	for _, b := range h.untold {
		h.announce(b)
	}
	clear(h.untold)
	h.untold = h.untold[:0]
}

// keepArtifacts writes the artifacts of the steps that have completed; those
// that start next may read them.
func (h *host) keepArtifacts(steps []flow.Record) {
	for _, s := range steps {
		if s.Status == flow.Completed {
			h.run.keepArtifact(s)
		}
	}
}

// announce tells what a batch committed. The caller holds telling.
func (h *host) announce(b flow.Batch) {
	entries := batchEntries(b)
	for i := range entries {
		h.again(&entries[i])
	}
	h.run.journal.write(entries...)
	id := ofRun(h.run.info.ID)
	notices := make([]Notice, 0, len(b.Steps)+len(b.Events)+1)
	// Events say why steps are in the state that they are in.
	for _, e := range b.Events {
		notices = append(notices, &EventNotice{id, e})
	}
	for _, s := range b.Steps {
		notices = append(notices, &StepNotice{id, s})
	}
	if b.Run != nil {
		notices = append(notices, &EndNotice{id, *b.Run})
	}
	h.tellLocked(notices)
}

// again corrects the line of a step that goes on: its record says when it first
// began, which was before it waited for a person, or in an earlier process.
func (h *host) again(e *entry) {
	if e.Type != "step_started" && e.Type != "step_waiting" || e.Attempt > 1 {
		return
	}
	earlier := e.Time.Before(h.run.since)
	if e.Type == "step_started" && (earlier || h.begun[e.Node]) {
		e.Time = time.Time{} // now
		if e.Attempt == 0 {
			e.Type = "step_continued"
		}
	}
	if e.Attempt == 0 {
		if h.begun == nil {
			h.begun = map[string]bool{}
		}
		h.begun[e.Node] = true
	}
}

// batchEntries are the log's lines for a batch.
func batchEntries(b flow.Batch) []entry {
	entries := make([]entry, 0, len(b.Steps)+len(b.Events)+1)
	for _, e := range b.Events {
		entries = append(entries, entry{Time: e.Time, Type: e.Type, Node: e.Key, Message: e.Message})
	}
	for _, s := range b.Steps {
		if s.Status == flow.Running && s.Attempt > 0 && !s.Deadline.IsZero() {
			continue // it waits for its next attempt, which an event tells
		}
		entries = append(entries, stepEntry(s))
	}
	if b.Run != nil {
		entries = append(entries, entry{Type: "run_" + string(b.Run.Status), Reason: b.Run.Reason, Error: b.Run.Error})
	}
	return entries
}

// stepEntry is the log's line for a step's new state.
func stepEntry(s flow.Record) entry {
	e := entry{Type: "step_" + string(s.Status), Node: s.Key, Kind: s.Kind, Reason: s.Reason, Attempt: s.Attempt}
	if s.Question != nil {
		e.Message = s.Question.Message
	}
	switch s.Status {
	case flow.Running:
		e.Type = "step_started"
		if s.Attempt <= 1 {
			e.Time = s.Started // of a later attempt that is the first one's
		}
		return e
	case flow.Waiting:
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
	return e
}

// output passes on what a running step prints.
func (h *host) output(key, stream string, piece []byte) {
	if len(piece) == 0 {
		return // a sign of life, and no more
	}
	h.catchUp()
	h.run.journal.write(entry{Type: "output", Node: key, Stream: stream, Text: string(piece)})
	h.tell(&OutputNotice{ofRun(h.run.info.ID), key, stream, piece})
}
