package durable

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// listen sets the handlers of queries, updates and signals.
func (r *run) listen() error {
	for _, name := range []string{wire.Answer, wire.Cancel, wire.Suspend, wire.ChildNews} {
		r.signals = append(r.signals, workflow.GetSignalChannel(r.ctx, name))
	}
	return errors.Join(
		workflow.SetQueryHandler(r.ctx, wire.State, func() (*wire.RunState, error) { return r.snapshot(), nil }),
		workflow.SetUpdateHandlerWithOptions(r.ctx, wire.Answer,
			func(_ workflow.Context, a store.Answer) error {
				r.answers = append(r.answers, a)
				return nil
			},
			workflow.UpdateHandlerOptions{Validator: func(_ workflow.Context, a store.Answer) error { return r.check(a) }}),
	)
}

// check returns an error if an answer does not count.
func (r *run) check(a store.Answer) error {
	if i := slices.IndexFunc(r.answers, func(b store.Answer) bool { return b.Key == a.Key }); i >= 0 {
		return &runerr.AnsweredError{Run: r.info.ID, Answer: r.answers[i]}
	}
	s := r.open(a.Key)
	switch {
	case s == nil:
		return fmt.Errorf("run %s does not wait for an answer to `%s`", r.info.ID, a.Key)
	case expired(s, workflow.Now(r.ctx)):
		return fmt.Errorf("the time to answer `%s` is over", a.Key)
	case len(s.Question.Choices) > 0 && !slices.Contains(s.Question.Choices, a.Choice):
		return fmt.Errorf("`%s` is not an answer to `%s`; the choices are: %s", a.Choice, a.Key, strings.Join(s.Question.Choices, ", "))
	}
	return nil
}

// receive handles the signals that have arrived.
func (r *run) receive() {
	for i, c := range r.signals {
		for c.Len() > 0 {
			switch i {
			case 0:
				var a store.Answer
				// An answer that no worker could check before it was given.
				if c.ReceiveAsync(&a); r.check(a) == nil {
					r.answers = append(r.answers, a)
				}
			case 1:
				var by wire.Cancellation
				if c.ReceiveAsync(&by); r.cancel == nil {
					r.cancel = &by
				}
			case 2:
				c.ReceiveAsync(nil)
				r.suspended = true
			default:
				var n wire.News
				c.ReceiveAsync(&n)
				r.hear(n)
			}
		}
	}
}

func answered(a store.Answer) sched.Signal {
	return sched.Answered{Key: a.Key, Result: flow.Result{
		Status: flow.Completed, Text: a.Text, Meta: flow.Meta{Choice: a.Choice, By: a.By, From: a.From},
	}}
}

// tell sends a signal to another workflow and waits until it is delivered. A workflow
// that has ended needs none.
func (r *run) tell(id, name string, message any) {
	if err := workflow.SignalExternalWorkflow(r.ctx, id, "", name, message).Get(r.ctx, nil); err != nil {
		workflow.GetLogger(r.ctx).Warn("the signal was not delivered", "workflow", id, "signal", name, "error", err)
	}
}
