package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, id string, b flow.Batch) error {
	return s.commit.write(ctx, &batchChange{id, b, time.Now()})
}

type batchChange struct {
	id    string
	batch flow.Batch
	now   time.Time
}

func (c *batchChange) apply(w *writer) error {
	if err := w.update(c.id, c.now); err != nil {
		return err
	}
	if err := w.putSteps(c.id, c.batch.Steps); err != nil {
		return err
	}
	for _, e := range c.batch.Events {
		if err := w.conn.AddEvent(w.row(c.id, fromTime(e.Time), e.Type, e.Key, fromText(e.Message))...); err != nil {
			return fmt.Errorf("an event of run %s: %w", c.id, err)
		}
	}
	if c.batch.Run == nil {
		return nil
	}
	return w.endRun(c.id, c.batch.Run, c.now)
}

// update notes in a run that something of it changes.
func (w *writer) update(id string, now time.Time) error {
	err := w.conn.Update(id, now)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return refused("run %s: %w", id, store.ErrNotFound)
	case errors.Is(err, store.ErrLeaseLost):
		return refused("run %s: %w", id, store.ErrLeaseLost)
	}
	return err
}

// putSteps sets the states of steps, one after the other, so that of several
// states of one step the last stays.
func (w *writer) putSteps(id string, records []flow.Record) error {
	for i := range records {
		if err := w.putRecord(id, &records[i]); err != nil {
			return fmt.Errorf("step %s of run %s: %w", records[i].Key, id, err)
		}
	}
	return nil
}

func (w *writer) putRecord(id string, r *flow.Record) error {
	failure, err := packFailure(r.Failure)
	if err != nil {
		return err
	}
	meta, err := packMeta(r.Meta)
	if err != nil {
		return err
	}
	question, err := packQuestion(r.Question)
	if err != nil {
		return err
	}
	return w.conn.PutStep(w.row(id, r.Key, r.Kind, string(r.Status), fromText(r.Reason), fromText(r.Text),
		failure, meta, question, int64(r.Attempt), fromTime(r.Deadline), fromTime(r.Started), fromTime(r.Finished), fromText(r.Prompt))...)
}

func (w *writer) endRun(id string, end *flow.RunEnd, now time.Time) error {
	finished := time.Time{}
	if end.Status.Ended() {
		finished = now
	}
	w.conn.Ended(id)
	return w.client.WorkflowRun.Update().Where(workflowrun.ID(id)).SetStatus(string(end.Status)).
		SetReason(fromText(end.Reason)).SetError(fromText(end.Error)).
		SetOutputs(fromJSON(end.Outputs)).SetSummary(fromText(end.Summary)).
		SetFinished(fromTime(finished)).SetUpdated(fromTime(now)).
		Exec(context.Background())
}
