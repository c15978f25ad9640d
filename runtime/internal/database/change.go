package database

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent"
	"github.com/wfc-lang/wfc/runtime/internal/ent/answer"
	"github.com/wfc-lang/wfc/runtime/internal/ent/event"
	"github.com/wfc-lang/wfc/runtime/internal/ent/message"
	"github.com/wfc-lang/wfc/runtime/internal/ent/session"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowsteprun"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// background is the context of changes: a transaction that has begun is finished, even if
// nobody waits for it.
var background = context.Background()

// CreateRun implements store.Store.
func (s *Store) CreateRun(ctx context.Context, r store.Run, steps []flow.Record) error {
	return s.commit.writeChange(ctx, "", func(w *writer) error {
		keys := make(map[string]bool, len(steps))
		for _, step := range steps {
			if keys[step.Key] {
				return newRefusal("step %s of run %s: %w", step.Key, r.ID, store.ErrExists)
			}
			keys[step.Key] = true
		}
		values, err := runValues(r)
		if err != nil {
			return err
		}
		result, err := w.conn.ExecContext(background, addRunText(w.dialect), values...)
		if err != nil {
			return err
		}
		if added, err := result.RowsAffected(); err != nil || added == 0 {
			return cmp.Or(err, newRefusal("run %s: %w", r.ID, store.ErrExists))
		}
		return w.putSteps(r.ID, steps)
	})
}

// Begin implements store.Store.
func (s *Store) Begin(ctx context.Context, id, holder, executable string) error {
	now := time.Now()
	return s.commit.writeChange(ctx, id, func(w *writer) error {
		if err := w.touchRun(id, now); err != nil {
			return err
		}
		err := requireFound(id)(w.client.WorkflowRun.Update().Where(workflowrun.ID(id)).
			SetStatus(string(flow.Running)).SetHolder(holder).SetExecutable(executable).
			ClearReason().ClearError().ClearOutputs().ClearSummary().SetOutcome("").
			SetFinished(0).SetCancelRequested(0).SetCancelBy("").AddProcesses(1).SetUpdated(fromTime(now)).
			Save(background))
		if err != nil {
			return err
		}
		if err := w.loseReservations(id); err != nil {
			return err
		}
		return w.client.WorkflowRun.Update().Where(workflowrun.ID(id), workflowrun.Started(0)).SetStarted(fromTime(now)).Exec(background)
	})
}

// requireFound refuses a change that found no run of the given id.
func requireFound(id string) func(changed int, err error) error {
	return func(changed int, err error) error {
		if err == nil && changed == 0 {
			return newRefusal("run %s: %w", id, store.ErrNotFound)
		}
		return err
	}
}

// SetFingerprint implements store.Store.
func (s *Store) SetFingerprint(ctx context.Context, id, fingerprint string) error {
	return s.changeRun(ctx, id, func(u *ent.WorkflowRunUpdate) { u.SetFingerprint(fingerprint) })
}

// SetSettings implements store.Store.
func (s *Store) SetSettings(ctx context.Context, id string, settings json.RawMessage) error {
	return s.changeRun(ctx, id, func(u *ent.WorkflowRunUpdate) { u.SetSettings(settings) })
}

// changeRun changes fields of a run.
func (s *Store) changeRun(ctx context.Context, id string, set func(*ent.WorkflowRunUpdate)) error {
	now := time.Now()
	return s.commit.writeChange(ctx, id, func(w *writer) error {
		if err := w.touchRun(id, now); err != nil {
			return err
		}
		u := w.client.WorkflowRun.Update().Where(workflowrun.ID(id)).SetUpdated(fromTime(now))
		set(u)
		return requireFound(id)(u.Save(background))
	})
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, id string, b flow.Batch) error {
	return s.commit.writeChange(ctx, id, batchChange(id, b, time.Now()))
}

// batchChange is the change of a batch.
func batchChange(id string, b flow.Batch, now time.Time) change {
	return func(w *writer) error {
		if err := w.touchRun(id, now); err != nil {
			return err
		}
		if err := w.putSteps(id, b.Steps); err != nil {
			return err
		}
		for i := range b.Steps {
			if b.Steps[i].Status != flow.Pending {
				continue
			}
			if _, err := w.client.Answer.Delete().Where(answer.RunID(id), answer.Key(b.Steps[i].Key)).Exec(background); err != nil {
				return fmt.Errorf("the answer of step %s of run %s: %w", b.Steps[i].Key, id, err)
			}
		}
		for _, e := range b.Events {
			if err := w.conn.AddEvent(w.fillRow(id, fromTime(e.Time), e.Type, e.Key, fromText(e.Message))...); err != nil {
				return fmt.Errorf("an event of run %s: %w", id, err)
			}
		}
		if err := w.settle(id, b.Spending); err != nil {
			return fmt.Errorf("the costs of run %s: %w", id, err)
		}
		for _, m := range b.Messages {
			if _, err := w.putMessage(runstore.BoxNotice, id, m); err != nil {
				return fmt.Errorf("a message of run %s: %w", id, err)
			}
		}
		if b.Run == nil {
			return nil
		}
		return w.endRun(id, b.Run, now)
	}
}

// touchRun notes in a run that something of it changes.
func (w *writer) touchRun(id string, now time.Time) error {
	err := w.conn.Update(id, now)
	for _, known := range []error{store.ErrNotFound, runstore.ErrLost} {
		if errors.Is(err, known) {
			return newRefusal("run %s: %w", id, known)
		}
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
	failure, failureErr := packPart(r.Failure, "failure")
	meta, metaErr := packPart(r.Meta, "meta data")
	question, questionErr := packPart(r.Question, "question")
	if err := cmp.Or(failureErr, metaErr, questionErr); err != nil {
		return err
	}
	return w.conn.PutStep(w.fillRow(id, r.Key, r.Kind, string(r.Status), fromText(r.Reason), fromText(r.Text),
		failure, meta, question, int64(r.Attempt), fromTime(r.Deadline), fromTime(r.Started), fromTime(r.Finished), fromText(r.Prompt))...)
}

func (w *writer) endRun(id string, end *flow.RunState, now time.Time) error {
	finished := time.Time{}
	if end.Status.Ended() {
		finished = now
	}
	w.conn.Ended(id)
	return w.conn.Write(endRunText(w.dialect), string(end.Status), fromText(end.Reason), fromText(end.Error),
		[]byte(fromJSON(end.Outputs)), fromText(end.Summary), end.Outcome, fromTime(finished), fromTime(now), id)
}

// Answer implements store.Store.
func (s *Store) Answer(ctx context.Context, id string, a store.Answer) error {
	return s.commit.writeChange(ctx, "", func(w *writer) error {
		// A run must not continue without the answer between the look and the answer.
		if err := w.conn.Lock(id); err != nil {
			return err
		}
		given, err := w.client.Answer.Query().Where(answer.RunID(id), answer.Key(a.Key)).Exist(background)
		if err != nil {
			return err
		}
		if given {
			return newRefusal("question %s of run %s: %w", a.Key, id, store.ErrAnswered)
		}
		open, err := w.client.WorkflowStepRun.Query().Where(workflowsteprun.RunID(id), workflowsteprun.Key(a.Key), workflowsteprun.Status(string(flow.Waiting)), workflowsteprun.QuestionNotNil()).Exist(background)
		if err != nil {
			return err
		}
		if !open {
			return newRefusal("open question %s of run %s: %w", a.Key, id, store.ErrNotFound)
		}
		return w.client.Answer.Create().SetRunID(id).SetKey(a.Key).SetChoice(a.Choice).SetText(fromText(a.Text)).
			SetBy(a.By).SetFrom(a.From).SetGiven(fromTime(a.Given)).Exec(background)
	})
}

// KeepSession implements store.Store.
func (s *Store) KeepSession(ctx context.Context, workflow, key, kept string) error {
	return s.commit.writeChange(ctx, "", func(w *writer) error {
		n, err := w.client.Session.Update().Where(session.Workflow(workflow), session.Key(key)).SetSession(kept).Save(background)
		if err != nil || n > 0 {
			return err
		}
		return w.client.Session.Create().SetWorkflow(workflow).SetKey(key).SetSession(kept).Exec(background)
	})
}

// RequestCancel implements store.Store.
func (s *Store) RequestCancel(ctx context.Context, id, by string) error {
	now := time.Now()
	return s.commit.writeChange(ctx, "", func(w *writer) error {
		return requireFound(id)(w.client.WorkflowRun.Update().Where(workflowrun.ID(id)).SetCancelRequested(fromTime(now)).SetCancelBy(by).Save(background))
	})
}

// DeleteRun implements store.Store.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	now := time.Now()
	return s.commit.writeChange(ctx, id, func(w *writer) error {
		if err := w.touchRun(id, now); err != nil { // only the holder of the lease may
			return err
		}
		err := requireFound(id)(w.client.WorkflowRun.Delete().Where(workflowrun.ID(id)).Exec(background))
		for _, remove := range []func(context.Context) (int, error){
			w.client.WorkflowStepRun.Delete().Where(workflowsteprun.RunID(id)).Exec,
			w.client.Event.Delete().Where(event.RunID(id)).Exec,
			w.client.Answer.Delete().Where(answer.RunID(id)).Exec,
			// What arrived stays, so that it is known if it comes again.
			w.client.Message.Delete().Where(message.RunID(id), message.BoxIn(runstore.BoxNotice, runstore.BoxApproval)).Exec,
		} {
			if err == nil {
				_, err = remove(background)
			}
		}
		return err
	})
}

// writer is the connection that writes. For the changes of every step, it uses statements
// that Ent's builder makes once; changes that happen a few times a run go through Ent's
// client on the same connection, within the same transaction. Only the committer's
// goroutine uses it.
type writer struct {
	conn    Connection
	client  *ent.Client
	dialect string
	// values is the buffer of fillRow, and runs that of applyGroup.
	values []driver.Value
	runs   []string
}

// fillRow is a row in a buffer, for a call that keeps nothing of it: a list that goes
// through an interface would be allocated for every step.
func (w *writer) fillRow(values ...driver.Value) []driver.Value {
	w.values = append(w.values[:0], values...)
	return w.values
}

func newWriter(cfg Config) (*writer, error) {
	conn, err := cfg.Open()
	if err != nil {
		return nil, err
	}
	return &writer{conn: conn, dialect: cfg.Dialect, client: ent.NewClient(ent.Driver(querier{conn, cfg.Dialect}))}, nil
}

// StepColumns and EventColumns are the columns that Connection writes. The first
// two of a step are its key.
var (
	StepColumns = []string{
		workflowsteprun.FieldRunID, workflowsteprun.FieldKey,
		workflowsteprun.FieldKind, workflowsteprun.FieldStatus, workflowsteprun.FieldReason, workflowsteprun.FieldText, workflowsteprun.FieldFailure, workflowsteprun.FieldMeta, workflowsteprun.FieldQuestion,
		workflowsteprun.FieldAttempt, workflowsteprun.FieldDeadline, workflowsteprun.FieldStarted, workflowsteprun.FieldFinished, workflowsteprun.FieldPrompt,
	}
	EventColumns = []string{event.FieldRunID, event.FieldTime, event.FieldType, event.FieldKey, event.FieldMessage}
)

// PutStepText inserts a step or, when the run has one of its key, sets all of
// it but run and key: rows keep their number, so the order of a run's steps
// stays, and the index is not touched.
func PutStepText(dialect string) string {
	return insertText(insertBuilder(dialect, workflowsteprun.Table, StepColumns).OnConflict(
		entsql.ConflictColumns(workflowsteprun.FieldRunID, workflowsteprun.FieldKey),
		entsql.ResolveWith(func(u *entsql.UpdateSet) {
			for _, column := range StepColumns[2:] {
				u.SetExcluded(column)
			}
		})))
}

// AddEventText inserts an event.
func AddEventText(dialect string) string {
	return insertText(insertBuilder(dialect, event.Table, EventColumns))
}

// TouchText sets when the run of an id was updated; these are its parameters,
// the time first.
func TouchText(dialect string) string {
	text, _ := entsql.Dialect(dialect).Update(workflowrun.Table).Set(workflowrun.FieldUpdated, 0).Where(entsql.EQ(workflowrun.FieldID, "")).Query()
	return text
}

// addRunText inserts a run, unless there is one of its id.
func addRunText(dialect string) string {
	return insertText(insertBuilder(dialect, workflowrun.Table, runColumns).OnConflict(entsql.ConflictColumns(workflowrun.FieldID), entsql.DoNothing()))
}

// endRunText sets how a run has ended or paused; the last parameter is its id.
func endRunText(dialect string) string {
	u := entsql.Dialect(dialect).Update(workflowrun.Table)
	for _, column := range []string{
		workflowrun.FieldStatus, workflowrun.FieldReason, workflowrun.FieldError, workflowrun.FieldOutputs,
		workflowrun.FieldSummary, workflowrun.FieldOutcome, workflowrun.FieldFinished, workflowrun.FieldUpdated,
	} {
		u.Set(column, 0)
	}
	text, _ := u.Where(entsql.EQ(workflowrun.FieldID, "")).Query()
	return text
}

// insertBuilder inserts a row of parameters.
func insertBuilder(dialect, table string, columns []string) *entsql.InsertBuilder {
	values := make([]any, len(columns))
	for i := range values {
		values[i] = "" // anything but nil, which would be written out
	}
	return entsql.Dialect(dialect).Insert(table).Columns(columns...).Values(values...)
}

func insertText(b *entsql.InsertBuilder) string {
	text, _ := b.Query()
	return text
}

// querier lets Ent's client work on a connection: on the writer's in the
// transaction that is open there.
type querier struct {
	conn entsql.ExecQuerier
	name string
}

// Exec implements dialect.Driver.
func (q querier) Exec(ctx context.Context, query string, args, v any) error {
	return entsql.Conn{ExecQuerier: q.conn}.Exec(ctx, query, args, v)
}

// Query implements dialect.Driver.
func (q querier) Query(ctx context.Context, query string, args, v any) error {
	return entsql.Conn{ExecQuerier: q.conn}.Query(ctx, query, args, v)
}

// Tx implements dialect.Driver: it makes Ent use the open transaction instead of a new
// one.
func (q querier) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(q), nil }

// Close implements dialect.Driver; the connection is somebody else's.
func (querier) Close() error { return nil }

// Dialect implements dialect.Driver.
func (q querier) Dialect() string { return q.name }
