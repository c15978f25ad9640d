package runfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Store writes a run to a store. The caller holds the lease on it. If it fails, the store
// does not have the run, or the error is store.ErrExists.
func Store(ctx context.Context, to store.Store, j *trace.Journal) (err error) {
	answered := map[string]bool{}
	for _, a := range j.Answers {
		answered[a.Key] = true
	}
	// A store takes answers to open questions alone.
	first := make([]flow.Record, len(j.Steps))
	var last []flow.Record
	for i, s := range j.Steps {
		if first[i] = s; answered[s.Key] && s.Question != nil && s.Status != flow.Waiting {
			first[i].Status = flow.Waiting
			last = append(last, s)
		}
	}
	if err := to.CreateRun(ctx, j.Run, first); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.DeleteRun(context.WithoutCancel(ctx), j.Run.ID))
		}
	}()
	for _, a := range j.Answers {
		if err := to.Answer(ctx, j.Run.ID, a); err != nil {
			return fmt.Errorf("the answer to %s: %w", a.Key, err)
		}
	}
	b := flow.Batch{Steps: last, Events: j.Events}
	for _, r := range j.Turns {
		if r.ID = 0; r.State == spending.Reserved {
			r.State = spending.Lost // nobody here will end it
		}
		r.State, r.Warned = spending.ImportedPrefix+r.State, ""
		b.Spending = append(b.Spending, r)
	}
	if err := to.Commit(ctx, j.Run.ID, b); err != nil {
		return err
	}
	box, ok := to.(runstore.Mailbox)
	if !ok {
		return nil // the people are asked again
	}
	var approvals []runstore.Message
	for _, m := range j.Approvals {
		approvals = append(approvals, runstore.Message{Box: runstore.BoxApproval, RunID: j.Run.ID, Message: m})
	}
	_, err = box.AddMessages(ctx, approvals)
	return err
}
