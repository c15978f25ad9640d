package entstore

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/answer"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/run"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/step"
)

// CreateRun implements store.Store.
func (s *Store) CreateRun(ctx context.Context, r store.Run, steps []flow.Record) error {
	return s.write(ctx, &newRun{r, steps})
}

type newRun struct {
	run   store.Run
	steps []flow.Record
}

func (c *newRun) apply(ctx context.Context, tx *ent.Tx, all *steps) error {
	taken, err := tx.Run.Query().Where(run.ID(c.run.ID)).Exist(ctx)
	if err != nil {
		return err
	}
	if taken {
		return refused("run %s: %w", c.run.ID, store.ErrExists)
	}
	keys := make(map[string]bool, len(c.steps))
	for _, r := range c.steps {
		if keys[r.Key] {
			return refused("step %s of run %s: %w", r.Key, c.run.ID, store.ErrExists)
		}
		keys[r.Key] = true
	}
	last, err := tx.Run.Query().Order(run.ByNumber(sql.OrderDesc())).Limit(1).Select(run.FieldNumber).Ints(ctx)
	if err != nil {
		return err
	}
	number := int64(1)
	if len(last) > 0 {
		number += int64(last[0])
	}
	if err := createRun(tx.Run.Create(), c.run, number).Exec(ctx); err != nil {
		return err
	}
	all.add(c.run.ID, c.steps)
	return nil
}

// Begin implements store.Store.
func (s *Store) Begin(ctx context.Context, id, holder, executable string) error {
	return s.write(ctx, &begin{id, holder, executable, time.Now()})
}

type begin struct {
	id, holder, executable string
	now                    time.Time
}

func (c *begin) apply(ctx context.Context, tx *ent.Tx, _ *steps) error {
	kept, err := tx.Run.Get(ctx, c.id)
	if ent.IsNotFound(err) {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	} else if err != nil {
		return err
	}
	u := tx.Run.UpdateOneID(c.id).SetStatus(string(flow.Running)).SetHolder(c.holder).SetExecutable(c.executable).
		ClearReason().ClearError().ClearOutputs().ClearSummary().
		SetFinished(0).SetCancelRequested(0).SetCancelBy("").AddProcesses(1).SetUpdated(fromTime(c.now))
	if kept.Started == 0 {
		u.SetStarted(fromTime(c.now))
	}
	return u.Exec(ctx)
}

// Move implements store.Store.
func (s *Store) Move(ctx context.Context, id, fingerprint string) error {
	return s.write(ctx, &move{id, fingerprint, time.Now()})
}

type move struct {
	id, fingerprint string
	now             time.Time
}

func (c *move) apply(ctx context.Context, tx *ent.Tx, _ *steps) error {
	n, err := tx.Run.Update().Where(run.ID(c.id)).SetFingerprint(c.fingerprint).SetUpdated(fromTime(c.now)).Save(ctx)
	if err == nil && n == 0 {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	}
	return err
}

// Answer implements store.Store.
func (s *Store) Answer(ctx context.Context, id string, a store.Answer) error {
	return s.write(ctx, &newAnswer{id, a})
}

type newAnswer struct {
	id     string
	answer store.Answer
}

func (c *newAnswer) apply(ctx context.Context, tx *ent.Tx, _ *steps) error {
	a := c.answer
	given, err := tx.Answer.Query().Where(answer.RunID(c.id), answer.Key(a.Key)).Exist(ctx)
	if err != nil {
		return err
	}
	if given {
		return refused("question %s of run %s: %w", a.Key, c.id, store.ErrAnswered)
	}
	open, err := tx.Step.Query().Where(step.RunID(c.id), step.Key(a.Key), step.Status(string(flow.Waiting))).Exist(ctx)
	if err != nil {
		return err
	}
	if !open {
		return refused("open question %s of run %s: %w", a.Key, c.id, store.ErrNotFound)
	}
	return tx.Answer.Create().SetRunID(c.id).SetKey(a.Key).SetText([]byte(a.Text)).
		SetBy(a.By).SetFrom(a.From).SetGiven(fromTime(a.Given)).Exec(ctx)
}

// RequestCancel implements store.Store.
func (s *Store) RequestCancel(ctx context.Context, id, by string) error {
	return s.write(ctx, &cancelRequest{id, by, time.Now()})
}

type cancelRequest struct {
	id, by string
	now    time.Time
}

func (c *cancelRequest) apply(ctx context.Context, tx *ent.Tx, _ *steps) error {
	n, err := tx.Run.Update().Where(run.ID(c.id)).SetCancelRequested(fromTime(c.now)).SetCancelBy(c.by).Save(ctx)
	if err == nil && n == 0 {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	}
	return err
}
