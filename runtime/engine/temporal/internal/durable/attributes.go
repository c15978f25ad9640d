package durable

import (
	"errors"
	"slices"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// attributes are the fields of a run that lists show without asking a worker. They are search
// attributes, or in the memo if the namespace lacks those.
type attributes struct {
	status  flow.Status
	waiting []string
	cost    float64
}

// publish updates the attributes if the status or the open questions have changed. Each
// update is an event, so a change of the cost alone waits for the next other one.
func (r *run) publish() {
	now := attributes{status: r.state.Status, waiting: r.waiting()}
	if now.status == r.shown.status && slices.Equal(now.waiting, r.shown.waiting) {
		return
	}
	now.cost = sched.Used(r.steps).CostUSD
	r.shown = now
	memo := map[string]any{wire.MemoQuestions: r.questions()}
	var err error
	if r.in.Options.Attributes {
		err = workflow.UpsertTypedSearchAttributes(r.ctx,
			temporal.NewSearchAttributeKeyKeyword(wire.AttributeStatus).ValueSet(string(now.status)),
			temporal.NewSearchAttributeKeyKeywordList(wire.AttributeWaiting).ValueSet(now.waiting),
			temporal.NewSearchAttributeKeyFloat64(wire.AttributeCost).ValueSet(now.cost))
	} else {
		memo[wire.AttributeStatus], memo[wire.AttributeWaiting], memo[wire.AttributeCost] = string(now.status), now.waiting, now.cost
	}
	if err = errors.Join(err, workflow.UpsertMemo(r.ctx, memo)); err != nil {
		workflow.GetLogger(r.ctx).Warn("the attributes of the run were not updated", "error", err)
	}
}

// longestShown is how many bytes of a question's texts are kept for a time without workers.
const longestShown = 1 << 10

// questions returns the open questions, with their beginnings, so that a person can answer
// while no worker lives.
func (r *run) questions() []flow.Question {
	list := []flow.Question{}
	for _, s := range r.steps {
		if s.Status != flow.Waiting || s.Question == nil {
			continue
		}
		q := *s.Question
		q.Draft = ""
		for _, text := range []*string{&q.Message, &q.Output} {
			if len(*text) > longestShown {
				*text = strings.ToValidUTF8((*text)[:longestShown], "") + "…"
			}
		}
		list = append(list, q)
	}
	return list
}

// waiting lists the reasons why the run waits: `person: gate#1`, `event: upload`, `time: pause`.
func (r *run) waiting() []string {
	list := []string{}
	for _, s := range r.steps {
		if s.Status == flow.Waiting && s.Question != nil {
			list = append(list, wire.Waits(s.Question)+": "+s.Key)
		}
	}
	return list
}
