package database

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent/answer"
	"github.com/wfc-lang/wfc/runtime/internal/ent/session"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowsteprun"
	"github.com/wfc-lang/wfc/runtime/store"
)

// CreateRun implements store.Store.
func (s *Store) CreateRun(ctx context.Context, r store.Run, steps []flow.Record) error {
	return s.commit.write(ctx, &newRun{r, steps})
}

type newRun struct {
	run   store.Run
	steps []flow.Record
}

func (c *newRun) apply(w *writer) error {
	ctx := context.Background()
	taken, err := w.client.WorkflowRun.Query().Where(workflowrun.ID(c.run.ID)).Exist(ctx)
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
	create, err := createRun(w.client.WorkflowRun.Create(), c.run)
	if err != nil {
		return err
	}
	if err := create.Exec(ctx); err != nil {
		return err
	}
	return w.putSteps(c.run.ID, c.steps)
}

// Begin implements store.Store.
func (s *Store) Begin(ctx context.Context, id, holder, executable string) error {
	return s.commit.write(ctx, &begin{id, holder, executable, time.Now()})
}

type begin struct {
	id, holder, executable string
	now                    time.Time
}

func (c *begin) apply(w *writer) error {
	if err := w.update(c.id, c.now); err != nil {
		return err
	}
	ctx := context.Background()
	n, err := w.client.WorkflowRun.Update().Where(workflowrun.ID(c.id)).
		SetStatus(string(flow.Running)).SetHolder(c.holder).SetExecutable(c.executable).
		ClearReason().ClearError().ClearOutputs().ClearSummary().
		SetFinished(0).SetCancelRequested(0).SetCancelBy("").AddProcesses(1).SetUpdated(fromTime(c.now)).
		Save(ctx)
	if err != nil {
		return err
	}
	if n == 0 {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	}
	return w.client.WorkflowRun.Update().Where(workflowrun.ID(c.id), workflowrun.Started(0)).SetStarted(fromTime(c.now)).Exec(ctx)
}

// Move implements store.Store.
func (s *Store) Move(ctx context.Context, id, fingerprint string) error {
	return s.commit.write(ctx, &move{id, fingerprint, time.Now()})
}

type move struct {
	id, fingerprint string
	now             time.Time
}

func (c *move) apply(w *writer) error {
	if err := w.update(c.id, c.now); err != nil {
		return err
	}
	ctx := context.Background()
	n, err := w.client.WorkflowRun.Update().Where(workflowrun.ID(c.id)).SetFingerprint(c.fingerprint).SetUpdated(fromTime(c.now)).Save(ctx)
	if err == nil && n == 0 {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	}
	return err
}

// Answer implements store.Store.
func (s *Store) Answer(ctx context.Context, id string, a store.Answer) error {
	return s.commit.write(ctx, &newAnswer{id, a})
}

type newAnswer struct {
	id     string
	answer store.Answer
}

func (c *newAnswer) apply(w *writer) error {
	// A run that goes on without the answer must not do so between the look and
	// the answer.
	if err := w.conn.Lock(c.id); err != nil {
		return err
	}
	ctx := context.Background()
	a := c.answer
	given, err := w.client.Answer.Query().Where(answer.RunID(c.id), answer.Key(a.Key)).Exist(ctx)
	if err != nil {
		return err
	}
	if given {
		return refused("question %s of run %s: %w", a.Key, c.id, store.ErrAnswered)
	}
	open, err := w.client.WorkflowStepRun.Query().Where(workflowsteprun.RunID(c.id), workflowsteprun.Key(a.Key), workflowsteprun.Status(string(flow.Waiting)), workflowsteprun.QuestionNotNil()).Exist(ctx)
	if err != nil {
		return err
	}
	if !open {
		return refused("open question %s of run %s: %w", a.Key, c.id, store.ErrNotFound)
	}
	return w.client.Answer.Create().SetRunID(c.id).SetKey(a.Key).SetChoice(a.Choice).SetText(fromText(a.Text)).
		SetBy(a.By).SetFrom(a.From).SetGiven(fromTime(a.Given)).Exec(ctx)
}

// KeepSession implements store.Store.
func (s *Store) KeepSession(ctx context.Context, workflow, key, session string) error {
	return s.commit.write(ctx, &keptSession{workflow, key, session})
}

type keptSession struct{ workflow, key, session string }

func (c *keptSession) apply(w *writer) error {
	ctx := context.Background()
	n, err := w.client.Session.Update().Where(session.Workflow(c.workflow), session.Key(c.key)).SetSession(c.session).Save(ctx)
	if err != nil || n > 0 {
		return err
	}
	return w.client.Session.Create().SetWorkflow(c.workflow).SetKey(c.key).SetSession(c.session).Exec(ctx)
}

// RequestCancel implements store.Store.
func (s *Store) RequestCancel(ctx context.Context, id, by string) error {
	return s.commit.write(ctx, &cancelRequest{id, by, time.Now()})
}

type cancelRequest struct {
	id, by string
	now    time.Time
}

func (c *cancelRequest) apply(w *writer) error {
	ctx := context.Background()
	n, err := w.client.WorkflowRun.Update().Where(workflowrun.ID(c.id)).SetCancelRequested(fromTime(c.now)).SetCancelBy(c.by).Save(ctx)
	if err == nil && n == 0 {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	}
	return err
}
