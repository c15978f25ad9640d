package local

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// asking are the questions that the asker of this process has. It belongs to
// the scheduler's goroutine.
type asking struct {
	// waiting are the steps that wait, as committed by this process.
	waiting map[string]flow.Record
	// settle ends the contexts of the questions that were asked.
	settle map[string]context.CancelCauseFunc
}

// Ask implements sched.Host. A committed question is already where the answers
// are looked for; somebody in this process is told of it besides.
func (h *host) Ask(q flow.Question) {
	asker := h.engine.cfg.Asker
	if asker == nil {
		return
	}
	ctx, settle := context.WithCancelCause(h.ctx)
	if h.asking.settle == nil {
		h.asking.settle = map[string]context.CancelCauseFunc{}
	}
	h.asking.settle[q.Key] = settle
	open := engine.Question{Question: q, Run: h.run.info.ID}
	if s, ok := h.waitingStep(q.Key); ok {
		open.Since, open.Deadline = s.Started, s.Deadline
	}
	asker.Ask(ctx, open, &replier{h, q.Key})
}

// waitingStep is the record of a step that waits: this process's, or the one
// that an earlier process left, which is not committed again.
func (h *host) waitingStep(key string) (flow.Record, bool) {
	if s, ok := h.asking.waiting[key]; ok {
		return s, true
	}
	for _, s := range h.run.recorded {
		if s.Key == key {
			return s, true
		}
	}
	return flow.Record{}, false
}

// track takes from a committed batch what the asker is to know: which steps
// wait, and which questions are settled.
func (h *host) track(steps []flow.Record) {
	if h.engine.cfg.Asker == nil {
		return
	}
	for _, s := range steps {
		if s.Status == flow.Waiting && s.Question != nil {
			if h.asking.waiting == nil {
				h.asking.waiting = map[string]flow.Record{}
			}
			h.asking.waiting[s.Key] = s
			continue
		}
		if settle := h.asking.settle[s.Key]; settle != nil {
			settle(settlement(h.run.info.ID, s))
			delete(h.asking.settle, s.Key)
		}
	}
}

// settlement says how a question was settled.
func settlement(id string, s flow.Record) error {
	switch {
	case s.Status == flow.Completed:
		return &AnsweredError{Run: id, Answer: store.Answer{
			Key: s.Key, Choice: s.Meta.Choice, Text: s.Text, By: s.Meta.By, From: s.Meta.From, Given: s.Finished,
		}}
	case s.Failure != nil:
		return s.Failure
	}
	return flow.ErrCancelled
}

// replier takes what the asker learns of one question.
type replier struct {
	host *host
	key  string
}

// Answer implements engine.Replier.
func (r *replier) Answer(a store.Answer) error {
	a.Key = r.key
	return r.host.engine.Answer(r.host.ctx, r.host.run.info.ID, a)
}

// Leave implements engine.Replier.
func (r *replier) Leave() { r.host.signal(sched.Unattended{}) }
