package durable

import (
	"errors"
	"fmt"
	"slices"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// A publisher updates what lists show of a run without asking a worker: its search attributes, or
// its memo if the namespace lacks those.
type publisher struct {
	values converter.DataConverter
	// searchable means that the namespace has the search attributes.
	searchable bool
	// status and waiting are what lists show now.
	status  flow.Status
	waiting []string
}

// publish updates the fields if the status or the open questions have changed. Each update is an
// event, so a change of the cost alone waits for the next other one.
func (p *publisher) publish(ctx workflow.Context, run string, status flow.Status, j *journal) {
	waiting := j.waitReasons()
	if status == p.status && slices.Equal(waiting, p.waiting) {
		return
	}
	p.status, p.waiting = status, waiting
	cost := sched.Used(j.Steps).CostUSD
	memo := map[string]any{wire.MemoQuestions: j.openQuestions()}
	var err error
	if p.searchable {
		err = workflow.UpsertTypedSearchAttributes(ctx,
			temporal.NewSearchAttributeKeyKeyword(wire.AttributeStatus).ValueSet(string(status)),
			temporal.NewSearchAttributeKeyKeywordList(wire.AttributeWaiting).ValueSet(waiting),
			temporal.NewSearchAttributeKeyFloat64(wire.AttributeCost).ValueSet(cost))
	} else {
		memo[wire.AttributeStatus], memo[wire.AttributeWaiting], memo[wire.AttributeCost] = string(status), waiting, cost
	}
	if err = errors.Join(err, workflow.UpsertMemo(ctx, encodeMemo(ctx, p.values, run, memo))); err != nil {
		workflow.GetLogger(ctx).Warn("the attributes of the run were not updated", "error", err)
	}
}

// encodeMemo encodes the values in the memo of a workflow. Temporal's SDK would keep them as they are
// if they cannot be encrypted, or if the server lacks a capability. Here the workflow task
// fails, and Temporal tries it again.
func encodeMemo(ctx workflow.Context, values converter.DataConverter, id string, fields map[string]any) map[string]any {
	if aware, ok := values.(workflow.ContextAware); ok {
		values = aware.WithWorkflowContext(ctx)
	}
	values = converter.WithDataConverterSerializationContext(values, converter.WorkflowSerializationContext{
		Namespace: workflow.GetInfo(ctx).Namespace, WorkflowID: id,
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
