package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
	"go.temporal.io/sdk/workflow"
)

// setHandlers sets the handlers of queries, updates and signals.
func (r *run) setHandlers() error {
	for _, name := range []string{wire.Answer, wire.Cancel, wire.Suspend, wire.ChildNews, wire.Approve} {
		r.signals = append(r.signals, workflow.GetSignalChannel(r.ctx, name))
	}
	return errors.Join(
		workflow.SetQueryHandler(r.ctx, wire.State, func() (*wire.RunState, error) { return r.snapshot(), nil }),
		workflow.SetQueryHandler(r.ctx, wire.Description, func() (json.RawMessage, error) { return json.Marshal(r.def) }),
		workflow.SetUpdateHandlerWithOptions(r.ctx, wire.Approve,
			func(_ workflow.Context, a runstore.Approval) (bool, error) { return r.kept.approve(a), nil },
			workflow.UpdateHandlerOptions{Validator: func(_ workflow.Context, a runstore.Approval) error { return r.checkAnswer(a.Answer) }}),
		workflow.SetUpdateHandlerWithOptions(r.ctx, wire.Answer,
			func(_ workflow.Context, a store.Answer) error {
				r.kept.Answers = append(r.kept.Answers, a)
				return nil
			},
			workflow.UpdateHandlerOptions{Validator: func(_ workflow.Context, a store.Answer) error { return r.checkAnswer(a) }}),
	)
}

// checkAnswer returns an error if an answer does not count.
func (r *run) checkAnswer(a store.Answer) error {
	if i := slices.IndexFunc(r.kept.Answers, func(b store.Answer) bool { return b.Key == a.Key }); i >= 0 {
		return &runerr.AnsweredError{Run: r.kept.Run.ID, Answer: r.kept.Answers[i]}
	}
	s := r.kept.openQuestion(a.Key)
	switch {
	case s == nil:
		return fmt.Errorf("run %s does not wait for an answer to `%s`", r.kept.Run.ID, a.Key)
	case isExpired(s, workflow.Now(r.ctx)):
		return fmt.Errorf("the time to answer `%s` is over", a.Key)
	case len(s.Question.Choices) > 0 && !slices.Contains(s.Question.Choices, a.Choice):
		return fmt.Errorf("unknown answer `%s` to `%s`%s", a.Choice, a.Key, plain.Instead(a.Choice, s.Question.Choices))
	}
	return nil
}

// receiveSignals handles the signals that have arrived.
func (r *run) receiveSignals() {
	for i, c := range r.signals {
		for c.Len() > 0 {
			switch i {
			case 0:
				var a store.Answer
				// An answer that no worker could check before it was given.
				if c.ReceiveAsync(&a); r.checkAnswer(a) == nil {
					r.kept.Answers = append(r.kept.Answers, a)
				}
			case 1:
				var by wire.Cancellation
				if c.ReceiveAsync(&by); r.cancel == nil {
					r.cancel = &by
				}
			case 2:
				c.ReceiveAsync(nil)
				r.suspended = true
			case 3:
				var n wire.News
				c.ReceiveAsync(&n)
				r.handleChildNews(n)
			default:
				var a runstore.Approval
				if c.ReceiveAsync(&a); r.checkAnswer(a.Answer) == nil {
					r.kept.approve(a)
				}
			}
		}
	}
}

func answerSignal(a store.Answer) sched.Signal {
	return sched.Answered{Key: a.Key, Result: flow.Result{
		Status: flow.Completed, Text: a.Text, Meta: flow.Meta{Choice: a.Choice, By: a.By, From: a.From},
	}}
}

// signalWorkflow sends a signal to another workflow and waits until it is delivered. A workflow
// that has ended needs none.
func (r *run) signalWorkflow(id, name string, message any) {
	if err := workflow.SignalExternalWorkflow(r.ctx, id, "", name, message).Get(r.ctx, nil); err != nil {
		workflow.GetLogger(r.ctx).Warn("the signal was not delivered", "workflow", id, "signal", name, "error", err)
	}
}
