// Package entstore keeps runs in a database through Ent: SQLite, pure Go.
//
// Package schema defines the tables; package ent is generated from it by "go
// generate", which needs modules that nothing else does and leaves go.mod alone.
// A change of the schema is also a new entry of versions in tables.go.
package entstore

//go:generate ./generate.sh

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/answer"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/event"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/run"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/session"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/step"
)

// Store is a store.Store in a database.
type Store struct {
	path   string
	reads  *stdsql.DB
	reader *ent.Client // on reads
	watch  *watch
	commit *committer
}

var _ store.Store = (*Store)(nil)

// Close implements store.Store. What was given to it before is written first.
func (s *Store) Close() error {
	// The writer closes last: as the last connection it moves what the log
	// holds into the database, which the readers' connections cannot.
	return errors.Join(s.watch.close(), s.reads.Close(), s.commit.close())
}

// Run implements store.Store.
func (s *Store) Run(ctx context.Context, id string) (store.Run, error) {
	row, err := s.reader.Run.Get(ctx, id)
	if err != nil {
		return store.Run{}, s.readError("run "+id, err)
	}
	r, err := toRun(row)
	if err != nil {
		return store.Run{}, s.readError("run "+id, err)
	}
	return r, nil
}

// Runs implements store.Store.
func (s *Store) Runs(ctx context.Context, f store.Filter) ([]store.Run, error) {
	q := s.reader.Run.Query().Order(run.ByCreated(sql.OrderDesc()), run.ByID())
	if f.Workflow != "" {
		q.Where(run.Workflow(f.Workflow))
	}
	if f.Status != "" {
		q.Where(run.Status(string(f.Status)))
	}
	if f.Prefix != "" {
		// A range, because LIKE would fold case and read % and _.
		q.Where(run.IDGTE(f.Prefix))
		if end, ok := afterPrefix(f.Prefix); ok {
			q.Where(run.IDLT(end))
		}
	}
	if f.Limit > 0 {
		q.Limit(f.Limit)
	}
	rows, err := q.All(ctx)
	if err != nil {
		return nil, s.readError("runs", err)
	}
	runs := make([]store.Run, len(rows))
	for i, row := range rows {
		if runs[i], err = toRun(row); err != nil {
			return nil, s.readError("run "+row.ID, err)
		}
	}
	return runs, nil
}

// afterPrefix returns the smallest text that is greater than every text that
// begins with prefix.
func afterPrefix(prefix string) (string, bool) {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xFF {
			b[i]++
			return string(b[:i+1]), true
		}
	}
	return "", false
}

// Steps implements store.Store.
func (s *Store) Steps(ctx context.Context, id string) ([]flow.Record, error) {
	rows, err := s.reader.Step.Query().Where(step.RunID(id)).Order(step.ByID()).All(ctx)
	if err == nil && len(rows) == 0 {
		_, err = s.reader.Run.Get(ctx, id)
	}
	if err != nil {
		return nil, s.readError("run "+id, err)
	}
	steps := make([]flow.Record, len(rows))
	for i, row := range rows {
		if steps[i], err = toRecord(row); err != nil {
			return nil, fmt.Errorf("step %s of run %s in %s: %w", row.Key, id, s.path, err)
		}
	}
	return steps, nil
}

// Events implements store.Store.
func (s *Store) Events(ctx context.Context, id string, seq int64) (events []flow.Event, last int64, err error) {
	rows, err := s.reader.Event.Query().Where(event.RunID(id), event.IDGT(seq)).Order(event.ByID()).All(ctx)
	if err == nil && len(rows) == 0 {
		_, err = s.reader.Run.Get(ctx, id)
	}
	if err != nil {
		return nil, 0, s.readError("run "+id, err)
	}
	last = seq
	for _, row := range rows {
		events = append(events, flow.Event{Time: toTime(row.Time), Type: row.Type, Key: row.Key, Message: string(row.Message)})
		last = row.ID
	}
	return events, last, nil
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, workflow, key string) (string, error) {
	row, err := s.reader.Session.Query().Where(session.Workflow(workflow), session.Key(key)).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", s.readError("the session of "+key, err)
	}
	return row.Session, nil
}

// Answers implements store.Store.
func (s *Store) Answers(ctx context.Context, id string) ([]store.Answer, error) {
	rows, err := s.reader.Answer.Query().Where(answer.RunID(id)).Order(answer.ByID()).All(ctx)
	if err == nil && len(rows) == 0 {
		_, err = s.reader.Run.Get(ctx, id)
	}
	if err != nil {
		return nil, s.readError("run "+id, err)
	}
	answers := make([]store.Answer, len(rows))
	for i, row := range rows {
		answers[i] = store.Answer{Key: row.Key, Choice: row.Choice, Text: string(row.Text), By: row.By, From: row.From, Given: toTime(row.Given)}
	}
	return answers, nil
}

// readError says what could not be read, and where.
func (s *Store) readError(what string, err error) error {
	if ent.IsNotFound(err) {
		return fmt.Errorf("%s: %w", what, store.ErrNotFound)
	}
	return fmt.Errorf("read %s in the store %s: %w", what, s.path, explain(err))
}
