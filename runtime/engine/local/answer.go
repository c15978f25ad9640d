package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Answer answers an open question of a run; Given is now unless it says when.
// Once it returns without an error the answer is durable, and no other counts. A
// run of this engine goes on at once and one of another process within a moment
// of its Config.Poll; one that nobody works on, or that pauses just now, goes on
// when it is resumed.
//
// The error is an *AnsweredError when somebody was faster, a *NotOpenError when
// the run does not ask this, or says which choices there are.
func (e *Engine) Answer(ctx context.Context, id string, a store.Answer) error {
	status, err := e.Status(ctx, id)
	if err != nil {
		return err
	}
	if err := status.accepts(a); err != nil {
		return err
	}
	if a.Given.IsZero() {
		a.Given = time.Now()
	}
	switch err := e.cfg.Store.Answer(ctx, id, a); {
	case errors.Is(err, store.ErrAnswered), errors.Is(err, store.ErrNotFound):
		// Somebody answered, or the run went on, after the look.
		if status, again := e.Status(ctx, id); again == nil {
			return status.refusal(a.Key)
		}
		return err
	case err != nil:
		return err
	}
	if r := e.liveRun(id); r != nil {
		r.host.signal(answered(a))
	}
	return nil
}

// answered is an answer as the scheduler takes it.
func answered(a store.Answer) sched.Answered {
	return sched.Answered{Key: a.Key, Result: flow.Result{
		Status: flow.Completed, Text: a.Text, Meta: flow.Meta{Choice: a.Choice, By: a.By, From: a.From},
	}}
}

// accepts reports why an answer cannot be one to an open question, or nil.
func (s *RunStatus) accepts(a store.Answer) error {
	i := slices.IndexFunc(s.Questions, func(q engine.Question) bool { return q.Key == a.Key })
	if i < 0 {
		return s.refusal(a.Key)
	}
	q := s.Questions[i]
	choices := strings.Join(q.Choices, ", ")
	switch {
	case !q.Deadline.IsZero() && time.Now().After(q.Deadline):
		return fmt.Errorf("`%s` of run %s could be answered until %s; the run goes on without an answer when it is resumed", q.Key, s.ID, q.Deadline.Local().Format(time.DateTime))
	case a.Choice == "" && len(q.Choices) > 0:
		return fmt.Errorf("an answer to `%s` of run %s needs one of its choices: %s", q.Key, s.ID, choices)
	case a.Choice != "" && len(q.Choices) == 0:
		return fmt.Errorf("`%s` of run %s has no choices; its answer is words alone", q.Key, s.ID)
	case a.Choice != "" && !slices.Contains(q.Choices, a.Choice):
		return fmt.Errorf("`%s` is no choice of `%s` of run %s; the choices are: %s", a.Choice, q.Key, s.ID, choices)
	}
	return nil
}

// refusal says why a question that is not open cannot be answered.
func (s *RunStatus) refusal(key string) error {
	for _, given := range s.Answers {
		if given.Key == key {
			return &AnsweredError{Run: s.ID, Answer: given}
		}
	}
	return &NotOpenError{Run: s.ID, Status: s.Status, Key: key, Open: s.Questions}
}

// questions returns the open questions: those of steps that wait and have no
// answer yet.
func questions(id string, steps []flow.Record, answers []store.Answer) []engine.Question {
	var open []engine.Question
	for _, s := range steps {
		given := func(a store.Answer) bool { return a.Key == s.Key }
		if s.Status == flow.Waiting && s.Question != nil && !slices.ContainsFunc(answers, given) {
			open = append(open, question(id, s))
		}
	}
	return open
}

func question(id string, s flow.Record) engine.Question {
	return engine.Question{Question: *s.Question, Run: id, Since: s.Started, Deadline: s.Deadline}
}

// A NotOpenError says that a run does not ask what was answered.
type NotOpenError struct {
	Run string
	// Status is the run's.
	Status flow.Status
	// Key is of the step that was answered, or "" for any.
	Key string
	// Open are the questions that the run does ask.
	Open []engine.Question
}

func (e *NotOpenError) Error() string {
	switch {
	case e.Status.Ended():
		return fmt.Sprintf("run %s has ended: it is %s", e.Run, e.Status)
	case len(e.Open) == 0:
		return fmt.Sprintf("run %s asks nothing: it is %s", e.Run, e.Status)
	}
	keys := make([]string, len(e.Open))
	for i, q := range e.Open {
		keys[i] = "`" + q.Key + "`"
	}
	return fmt.Sprintf("`%s` is no open question of run %s; open: %s", e.Key, e.Run, strings.Join(keys, ", "))
}

// An AnsweredError says that a question has its answer.
type AnsweredError struct {
	Run string
	// Answer is the one that counts.
	Answer store.Answer
}

func (e *AnsweredError) Error() string {
	return fmt.Sprintf("`%s` of run %s was answered already: %s", e.Answer.Key, e.Run, Told(e.Answer))
}

// Is makes errors.Is(err, store.ErrAnswered) hold.
func (e *AnsweredError) Is(target error) bool { return target == store.ErrAnswered }

// Told returns an answer for people: who, when, from where and what.
func Told(a store.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", orUnknown(a.By), a.Given.Local().Format(time.DateTime))
	if a.From != "" {
		b.WriteString(" from " + a.From)
	}
	if a.Choice != "" {
		b.WriteString(": " + a.Choice)
	}
	if a.Text != "" && a.Choice != kernel.ChoiceEdit { // the text of an edit is a whole output
		b.WriteString(": " + a.Text)
	}
	return b.String()
}

func orUnknown(name string) string {
	if name == "" {
		return "somebody"
	}
	return name
}
