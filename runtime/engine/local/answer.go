package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// ErrNotContinued: the answer is durable and final, but the run does not continue with it, for
// example because the workflow in Config.Workflows is another version than the run's.
var ErrNotContinued = errors.New("the answer is recorded, but the run does not continue")

// Answer answers the open question with the key a.Key; a zero a.Given means now. a.By must name
// the person or program that answers, because runs keep who approved. When Answer returns nil, the
// answer is durable and final. A run of this engine continues at once, and a run of another process
// after at most its Config.Poll. If no process works on the run, the engine continues it as
// ResumeAsync does, with the workflow in Config.Workflows, or when no other run works on its
// checkout; without that workflow, the run continues when it is resumed.
//
// The error wraps store.ErrAnswered if the answer is too late, because the question was answered
// before or the run has ended, and ErrNotContinued if the answer counts, but the run does not
// continue. Other errors say that By is missing, that the run has no such question, or list the
// valid choices.
func (e *Engine) Answer(ctx context.Context, id string, a store.Answer) error {
	status, err := e.Status(ctx, id)
	if err != nil {
		return err
	}
	if err := status.CheckAnswer(a); err != nil {
		return err
	}
	if a.By == "" {
		return fmt.Errorf("an answer to `%s` of run %s needs By, the name of who answers", a.Key, id)
	}
	if a.Given.IsZero() {
		a.Given = time.Now()
	}
	switch err := e.cfg.Store.Answer(ctx, id, a); {
	case errors.Is(err, store.ErrAnswered), errors.Is(err, store.ErrNotFound):
		// Somebody answered, or the run went on, after the look.
		if status, again := e.Status(ctx, id); again == nil {
			return status.closedQuestionError(a.Key)
		}
		return err
	case err != nil:
		return err
	}
	if r := e.liveRun(id); r != nil {
		r.host.sendSignal(answerSignal(a))
		return nil
	}
	e.lookAt(ctx, status.Run)
	if err := e.continueAnswered(ctx, status.Run); err != nil {
		return fmt.Errorf("`%s` of run %s: %w: %w", a.Key, id, ErrNotContinued, err)
	}
	return nil
}

// lookAt has the next run above one that this engine works on look at its child, which
// rests.
func (e *Engine) lookAt(ctx context.Context, kept store.Run) {
	for up := parentOf(kept.Settings).Run; up != ""; up = parentOf(kept.Settings).Run {
		if r := e.liveRun(up); r != nil {
			r.host.mu.Lock()
			c := r.host.resting[kept.ID]
			r.host.mu.Unlock()
			if c != nil {
				c.wakeUp()
			}
			return
		}
		next, err := e.cfg.Store.Run(ctx, up)
		if err != nil {
			return // the child looks by itself, a little later
		}
		kept = next
	}
}

// answerSignal is an answer as the scheduler takes it.
func answerSignal(a store.Answer) sched.Answered {
	return sched.Answered{Key: a.Key, Result: flow.Result{
		Status: flow.Completed, Text: a.Text, Meta: flow.Meta{Choice: a.Choice, By: a.By, From: a.From},
	}}
}

// CheckAnswer returns the error with which Engine.Answer refuses an answer, or nil if the run has
// the question open and the answer is one of its choices.
func (s *RunStatus) CheckAnswer(a store.Answer) error {
	i := slices.IndexFunc(s.Questions, func(q engine.Question) bool { return q.Key == a.Key })
	if i < 0 {
		return s.closedQuestionError(a.Key)
	}
	q := s.Questions[i]
	switch {
	case !q.Deadline.IsZero() && time.Now().After(q.Deadline):
		return fmt.Errorf("`%s` of run %s could be answered until %s; resume the run to continue without an answer", q.Key, s.ID, q.Deadline.Local().Format(time.DateTime))
	case a.Choice == "" && len(q.Choices) > 0:
		return fmt.Errorf("an answer to `%s` of run %s needs a choice: use one of %s", q.Key, s.ID, plain.NameList(q.Choices))
	case a.Choice != "" && len(q.Choices) == 0:
		return fmt.Errorf("`%s` of run %s has no choices; its answer is only words", q.Key, s.ID)
	case a.Choice != "" && !slices.Contains(q.Choices, a.Choice):
		return fmt.Errorf("unknown answer `%s` to `%s` of run %s%s", a.Choice, q.Key, s.ID, plain.Instead(a.Choice, q.Choices))
	}
	return nil
}

// closedQuestionError says why a question that is not open cannot be answered.
func (s *RunStatus) closedQuestionError(key string) error {
	for _, given := range s.Answers {
		if given.Key == key {
			return &runerr.AnsweredError{Run: s.ID, Answer: given}
		}
	}
	return &runerr.NotOpenError{Run: s.ID, Status: s.Status, Key: key, Open: s.Questions}
}

// openQuestions returns the open questions: those of steps that wait and have no
// answer yet.
func openQuestions(id string, steps []flow.Record, answers []store.Answer) []engine.Question {
	given := make(map[string]bool, len(answers))
	for _, a := range answers {
		given[a.Key] = true
	}
	var open []engine.Question
	for _, s := range steps {
		if s.Status == flow.Waiting && s.Question != nil && !given[s.Key] {
			open = append(open, engine.Question{Question: *s.Question, RunID: id, Since: s.Started, Deadline: s.Deadline})
		}
	}
	return open
}

// asking are the questions that the asker of this process has. It belongs to
// the scheduler's goroutine.
type asking struct {
	// waiting are the steps that wait, as committed by this process.
	waiting map[string]flow.Record
	// settle ends the contexts of the questions that were asked.
	settle map[string]context.CancelCauseFunc
}

// Ask implements sched.Host. The store already has a committed question, for answers from
// elsewhere; Ask also shows it to the Asker of this process.
func (h *host) Ask(q flow.Question) {
	asker := h.engine.cfg.Asker
	if asker == nil || q.NeedsNobody() {
		return
	}
	ctx, settle := context.WithCancelCause(h.ctx)
	plain.PutEntry(&h.asking.settle, q.Key, settle)
	open := engine.Question{Question: q, RunID: h.run.info.ID}
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

// trackQuestions takes from a committed batch the facts for the asker: which steps wait, and which
// questions are settled.
func (h *host) trackQuestions(steps []flow.Record) {
	if h.engine.cfg.Asker == nil {
		return
	}
	for _, s := range steps {
		if s.Status == flow.Waiting && s.Question != nil {
			plain.PutEntry(&h.asking.waiting, s.Key, s)
			continue
		}
		if settle := h.asking.settle[s.Key]; settle != nil {
			settle(settlementError(h.run.info.ID, s))
			delete(h.asking.settle, s.Key)
		}
	}
}

// settlementError says how a question was settled.
func settlementError(id string, s flow.Record) error {
	switch {
	case s.Status == flow.Completed:
		return &runerr.AnsweredError{Run: id, Answer: store.Answer{
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
func (r *replier) Leave() { r.host.sendSignal(sched.Unattended{}) }
