package local

import (
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// A Notice is something that happened in a run. Exactly one of Begin, Step, Piece, Logged
// and End is set; it says what happened. The other fields, except RunID, belong to one of
// these.
type Notice struct {
	// RunID is the id of the run.
	RunID string
	// Begin says that this process has started to work on the run. With Begin, Resumed says
	// that an earlier process did so before, WorkDir is the folder where the run works, and
	// Worktree its separate worktree, or nil.
	Begin, Resumed bool
	WorkDir        string
	Worktree       *Worktree
	// Parent and ParentStep, with Begin, are the run that began this one, and the key of
	// the step by which it did; both are "" for a run that no other run began.
	Parent, ParentStep string
	// Step is a step's new state, as it was committed. If the step is running and has a
	// Deadline, nothing is performed until then: it waits for its next attempt, or it
	// sleeps.
	Step *flow.Record
	// Piece is a piece of the output of a running step, valid until Watch returns. With
	// Piece, Key is the key of the step, and Stream is "stdout", "stderr" or "agent".
	Key, Stream string
	Piece       []byte
	// Logged is an entry that the flow wrote to the run's log.
	Logged *flow.Event
	// End is the state of the run when this process stops working on it: its end or its
	// pause. The engine gives back the run's lease a moment later.
	End *flow.RunState
}

// reportNotices gives notices to the watcher, one at a time.
func (h *host) reportNotices(list ...Notice) {
	h.unreported.Lock()
	defer h.unreported.Unlock()
	h.reportLocked(list)
}

func (h *host) reportLocked(list []Notice) {
	if watch := h.engine.cfg.Watch; watch != nil {
		for _, n := range list {
			watch(n)
		}
	}
}

// logBegin logs that this process works on the run. by is who resumes it, or "".
func (r *run) logBegin(resumed bool, by string) {
	e := entry{Type: "run_started", Workflow: r.def.Name}
	if resumed {
		e.Type, e.Message = sched.EventResumed, by
	}
	if r.tree != nil {
		e.Message = strings.TrimPrefix(e.Message+"; ", "; ") + fmt.Sprintf("it works in the git worktree %s, whose branch %s started at %s", r.tree.Path, r.tree.Branch, r.tree.Base)
	}
	r.journal.writeEntries(e)
	r.host.reportNotices(Notice{RunID: r.info.ID, Begin: true, Resumed: resumed, WorkDir: r.info.WorkDir, Worktree: r.tree, Parent: r.parent.Run, ParentStep: r.parent.Step})
}

// reportCommitted reports the committed batches that are not reported yet. The engine
// starts the actions of a batch before it reports the batch, and reports the batch before
// its effects: the output of steps, and the next batch.
func (h *host) reportCommitted() {
	h.unreported.Lock()
	defer h.unreported.Unlock()
	for _, b := range h.unreported.batches {
		h.announceBatch(b)
	}
	clear(h.unreported.batches)
	h.unreported.batches = h.unreported.batches[:0]
}

// keepArtifacts writes the artifacts of the steps that have completed; those
// that start next may read them.
func (h *host) keepArtifacts(steps []flow.Record) {
	for _, s := range steps {
		if s.Status == flow.Completed {
			h.run.reportArtifactError(s.Key, h.run.artifactKeeper().Keep(s))
		}
	}
}

// announceBatch reports the contents of a batch. The caller holds reporting.
func (h *host) announceBatch(b flow.Batch) {
	entries := batchEntries(b)
	for i := range entries {
		h.correctBeginTime(&entries[i])
	}
	h.run.journal.writeEntries(entries...)
	id := h.run.info.ID
	notices := make([]Notice, 0, len(b.Steps)+len(b.Events)+1)
	// The events of a step say why it is in the state that it is in. Those of the run, such
	// as that it completed and nobody gets its result, follow from the states of its steps.
	events := func(ofRun bool) {
		for i := range b.Events {
			if e := &b.Events[i]; (e.Key == "") == ofRun && e.Type != sched.EventAttempt {
				notices = append(notices, Notice{RunID: id, Logged: &b.Events[i]})
			}
		}
	}
	events(false)
	for i := range b.Steps {
		notices = append(notices, Notice{RunID: id, Step: &b.Steps[i]})
	}
	events(true)
	if b.Run != nil {
		notices = append(notices, Notice{RunID: id, End: b.Run})
	}
	h.reportLocked(notices)
}

// correctBeginTime corrects the line of a step that continues: its record says when it first began,
// which was before it waited for a person, or in an earlier process.
func (h *host) correctBeginTime(e *entry) {
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
		plain.PutEntry(&h.begun, e.Node, true)
	}
}

// batchEntries are the log's lines for a batch.
func batchEntries(b flow.Batch) []entry {
	entries := make([]entry, 0, len(b.Steps)+len(b.Events)+1)
	for _, e := range b.Events {
		if e.Type == sched.EventAttempt {
			continue // the step's state says it
		}
		entries = append(entries, entry{Time: e.Time, Type: e.Type, Node: e.Key, Message: e.Message})
	}
	for _, s := range b.Steps {
		if s.Status == flow.Running && s.Attempt > 0 && !s.Deadline.IsZero() {
			continue // it waits for its next attempt, which an event reports
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

// reportOutput passes on the output of a running step.
func (h *host) reportOutput(key, stream string, piece []byte) {
	if len(piece) == 0 {
		return // a sign of life, and no more
	}
	h.reportCommitted()
	h.run.journal.writeEntries(entry{Type: "output", Node: key, Stream: stream, Text: string(piece)})
	h.reportNotices(Notice{RunID: h.run.info.ID, Key: key, Stream: stream, Piece: piece})
}
