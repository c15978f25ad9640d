package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
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
			func(_ workflow.Context, a runstore.Approval) (bool, error) { return r.approve(a), nil },
			workflow.UpdateHandlerOptions{Validator: func(_ workflow.Context, a runstore.Approval) error { return r.checkAnswer(a.Answer) }}),
		workflow.SetUpdateHandlerWithOptions(r.ctx, wire.Answer,
			func(_ workflow.Context, a store.Answer) error {
				r.answers = append(r.answers, a)
				return nil
			},
			workflow.UpdateHandlerOptions{Validator: func(_ workflow.Context, a store.Answer) error { return r.checkAnswer(a) }}),
	)
}

// checkAnswer returns an error if an answer does not count.
func (r *run) checkAnswer(a store.Answer) error {
	if i := slices.IndexFunc(r.answers, func(b store.Answer) bool { return b.Key == a.Key }); i >= 0 {
		return &runerr.AnsweredError{Run: r.info.ID, Answer: r.answers[i]}
	}
	s := r.openQuestion(a.Key)
	switch {
	case s == nil:
		return fmt.Errorf("run %s does not wait for an answer to `%s`", r.info.ID, a.Key)
	case isExpired(s, workflow.Now(r.ctx)):
		return fmt.Errorf("the time to answer `%s` is over", a.Key)
	case len(s.Question.Choices) > 0 && !slices.Contains(s.Question.Choices, a.Choice):
		return fmt.Errorf("unknown answer `%s` to `%s`%s", a.Choice, a.Key, plain.Instead(a.Choice, s.Question.Choices))
	}
	return nil
}

// approve records an approval, and answers the question with the last one that is needed. It reports
// false if the person has given the same before.
func (r *run) approve(a runstore.Approval) bool {
	isSame := func(b runstore.Approval) bool { return b.Hash == a.Hash && b.Vote == a.Vote }
	added := !slices.ContainsFunc(r.approvals, func(b runstore.Approval) bool { return isSame(b) && strings.EqualFold(b.Answer.By, a.Answer.By) })
	if added {
		r.approvals = append(r.approvals, a)
	}
	var given []store.Answer
	for _, b := range r.approvals {
		if isSame(b) {
			given = append(given, b.Answer)
		}
	}
	if len(given) >= a.Needed {
		r.answers = append(r.answers, runstore.Joined(a.Answer, given))
	}
	return added
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
			case 3:
				var n wire.News
				c.ReceiveAsync(&n)
				r.handleChildNews(n)
			default:
				var a runstore.Approval
				if c.ReceiveAsync(&a); r.checkAnswer(a.Answer) == nil {
					r.approve(a)
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

// attributes are the fields of a run that lists show without asking a worker. They are search
// attributes, or in the memo if the namespace lacks those.
type attributes struct {
	status  flow.Status
	waiting []string
	cost    float64
}

// publishAttributes updates the attributes if the status or the open questions have changed. Each
// update is an event, so a change of the cost alone waits for the next other one.
func (r *run) publishAttributes() {
	now := attributes{status: r.state.Status, waiting: r.waitReasons()}
	if now.status == r.shown.status && slices.Equal(now.waiting, r.shown.waiting) {
		return
	}
	now.cost = sched.Used(r.steps).CostUSD
	r.shown = now
	memo := map[string]any{wire.MemoQuestions: r.openQuestions()}
	var err error
	if r.in.Options.Attributes {
		err = workflow.UpsertTypedSearchAttributes(r.ctx,
			temporal.NewSearchAttributeKeyKeyword(wire.AttributeStatus).ValueSet(string(now.status)),
			temporal.NewSearchAttributeKeyKeywordList(wire.AttributeWaiting).ValueSet(now.waiting),
			temporal.NewSearchAttributeKeyFloat64(wire.AttributeCost).ValueSet(now.cost))
	} else {
		memo[wire.AttributeStatus], memo[wire.AttributeWaiting], memo[wire.AttributeCost] = string(now.status), now.waiting, now.cost
	}
	if err = errors.Join(err, workflow.UpsertMemo(r.ctx, r.encodeMemo(r.info.ID, memo))); err != nil {
		workflow.GetLogger(r.ctx).Warn("the attributes of the run were not updated", "error", err)
	}
}

// encodeMemo encodes the values in the memo of a workflow. Temporal's SDK would keep them as they are
// if they cannot be encrypted, or if the server lacks a capability. Here the workflow task
// fails, and Temporal tries it again.
func (r *run) encodeMemo(id string, fields map[string]any) map[string]any {
	values := r.values
	if aware, ok := values.(workflow.ContextAware); ok {
		values = aware.WithWorkflowContext(r.ctx)
	}
	values = converter.WithDataConverterSerializationContext(values, converter.WorkflowSerializationContext{
		Namespace: workflow.GetInfo(r.ctx).Namespace, WorkflowID: id,
	})
	encoded := make(map[string]any, len(fields))
	for name, v := range fields {
		p, err := values.ToPayload(v)
		if err != nil {
			panic(fmt.Sprintf("encode %s for the memo: %v", name, err))
		}
		encoded[name] = converter.NewRawValue(p)
	}
	return encoded
}

// longestShown is how many bytes of a question's strings are kept for a time without
// workers.
const longestShown = 1 << 10

// openQuestions returns the open questions, with their beginnings, so that a person can answer
// while no worker lives.
func (r *run) openQuestions() []flow.Question {
	list := []flow.Question{}
	for _, s := range r.steps {
		if s.Status != flow.Waiting || s.Question == nil {
			continue
		}
		q := *s.Question
		q.LastEdit = ""
		for _, text := range []*string{&q.Message, &q.Output} {
			if len(*text) > longestShown {
				*text = strings.ToValidUTF8((*text)[:longestShown], "") + "…"
			}
		}
		list = append(list, q)
	}
	return list
}

// waitReasons lists the reasons why the run waits: `person: gate#1`, `event: upload`, `time: pause`.
func (r *run) waitReasons() []string {
	list := []string{}
	for _, s := range r.steps {
		if s.Status == flow.Waiting && s.Question != nil {
			list = append(list, wire.Waits(s.Question)+": "+s.Key)
		}
	}
	return list
}
