package database

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent"
	"github.com/wfc-lang/wfc/runtime/internal/ent/message"
	"github.com/wfc-lang/wfc/runtime/internal/ent/predicate"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

var _ runstore.Mailbox = (*Store)(nil)

// messageColumns are the columns of a new message.
var messageColumns = []string{
	message.FieldBox, message.FieldKey, message.FieldRunID, message.FieldWorkflow, message.FieldEvent, message.FieldTarget,
	message.FieldBody, message.FieldState, message.FieldAttempts, message.FieldCreated, message.FieldDue, message.FieldUpdated,
}

// putMessage queues a message unless its box has one of its key.
func (w *writer) putMessage(box, run string, m flow.Message) (added bool, err error) {
	text := insertText(insertBuilder(w.dialect, message.Table, messageColumns).OnConflict(
		entsql.ConflictColumns(message.FieldBox, message.FieldKey), entsql.DoNothing()))
	result, err := w.conn.ExecContext(background, text, box, m.Key, run, m.Workflow, m.Event, m.Target, []byte(fromJSON(m.Body)),
		runstore.MessageQueued, int64(0), fromTime(m.Created), fromTime(m.Due), fromTime(m.Created))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// AddMessages implements runstore.Mailbox.
func (s *Store) AddMessages(ctx context.Context, list []runstore.Message) (added []bool, err error) {
	added = make([]bool, len(list))
	err = s.commit.writeChange(ctx, "", func(w *writer) error {
		for i, m := range list {
			var err error
			if added[i], err = w.putMessage(m.Box, m.RunID, m.Message); err != nil {
				return err
			}
		}
		return nil
	})
	return added, err
}

// Messages implements runstore.Mailbox.
func (s *Store) Messages(ctx context.Context, f runstore.MessageFilter) ([]runstore.Message, error) {
	q := s.reader.Message.Query().Order(message.ByID())
	for _, by := range []struct {
		value string
		where func(string) predicate.Message
	}{{f.Box, message.Box}, {f.RunID, message.RunID}, {f.State, message.State}} {
		if by.value != "" {
			q.Where(by.where(by.value))
		}
	}
	if f.Workflows != nil {
		q.Where(message.WorkflowIn(f.Workflows...))
	}
	rows, err := q.All(ctx)
	if err != nil {
		return nil, s.readError("messages", err)
	}
	list := make([]runstore.Message, len(rows))
	for i, row := range rows {
		list[i] = s.toMessage(row)
	}
	return list, nil
}

func (s *Store) toMessage(row *ent.Message) runstore.Message {
	text := s.cfg.Plain
	return runstore.Message{
		Message: flow.Message{
			Key: text(row.Key), Workflow: text(row.Workflow), Event: text(row.Event), Target: text(row.Target),
			Body: toJSON(row.Body), Created: toTime(row.Created), Due: toTime(row.Due),
		},
		ID: row.ID, Box: row.Box, RunID: text(row.RunID), State: row.State, Attempts: row.Attempts,
		Updated: toTime(row.Updated), Problem: toText(row.Error),
	}
}

// ClaimMessage implements runstore.Mailbox.
func (s *Store) ClaimMessage(ctx context.Context, m runstore.Message, now, until time.Time) (claimed bool, err error) {
	err = s.commit.writeChange(ctx, "", func(w *writer) error {
		n, err := w.client.Message.Update().
			Where(message.ID(m.ID), message.State(runstore.MessageQueued), message.Attempts(m.Attempts), message.Due(fromTime(m.Due))).
			AddAttempts(1).SetDue(fromTime(until)).SetUpdated(fromTime(now)).Save(background)
		claimed = n > 0
		return err
	})
	return claimed, err
}

// SettleMessage implements runstore.Mailbox.
func (s *Store) SettleMessage(ctx context.Context, m runstore.Message, now time.Time) error {
	return s.commit.writeChange(ctx, "", func(w *writer) error {
		return w.client.Message.Update().
			Where(message.ID(m.ID), message.State(runstore.MessageQueued), message.Attempts(m.Attempts)).
			SetState(m.State).SetDue(fromTime(m.Due)).SetUpdated(fromTime(now)).SetError(fromText(m.Problem)).Exec(background)
	})
}

// DropMessages implements runstore.Mailbox.
func (s *Store) DropMessages(ctx context.Context, workflow string, since time.Time) error {
	where := []predicate.Message{message.StateNEQ(runstore.MessageQueued), message.UpdatedLT(fromTime(since)), func(s *entsql.Selector) {
		s.Where(entsql.NotIn(s.C(message.FieldRunID), entsql.Select(workflowrun.FieldID).From(entsql.Table(workflowrun.Table))))
	}}
	if workflow != "" {
		where = append(where, message.Workflow(workflow))
	}
	return s.commit.writeChange(ctx, "", func(w *writer) error {
		_, err := w.client.Message.Delete().Where(where...).Exec(background)
		return err
	})
}
