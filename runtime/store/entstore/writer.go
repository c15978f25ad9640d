package entstore

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/store/entstore/ent"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/event"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/run"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/step"
)

// writer is the connection that writes. What every step needs are statements
// prepared once, their text made by Ent's builder; what happens a few times a
// run goes through Ent's client on the same connection, within the same
// transaction. Only the committer's goroutine uses it.
//
// Its methods take no context: a transaction that has begun is finished,
// whatever becomes of those who wait for it.
type writer struct {
	conn   *stdsql.Conn
	client *ent.Client

	begin, commit, rollback statement
	touch                   statement // updated, id
	putStep                 statement // stepColumns
	addEvent                statement // eventColumns

	// touched says of the runs that this process commits to when it last noted
	// in them that it did.
	touched map[string]time.Time
}

var (
	stepColumns = []string{
		step.FieldRunID, step.FieldKey,
		step.FieldKind, step.FieldStatus, step.FieldReason, step.FieldText, step.FieldFailure, step.FieldMeta, step.FieldQuestion,
		step.FieldAttempt, step.FieldDeadline, step.FieldStarted, step.FieldFinished,
	}
	eventColumns = []string{event.FieldRunID, event.FieldTime, event.FieldType, event.FieldKey, event.FieldMessage}
)

func newWriter(db *stdsql.DB) (*writer, error) {
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn, touched: map[string]time.Time{}, client: ent.NewClient(ent.Driver(connDriver{conn}))}
	if _, err := conn.ExecContext(ctx, sqlBusyTimeout(busyTimeout/2)); err != nil {
		conn.Close()
		return nil, err
	}
	touch, _ := entsql.Dialect(dialectName).Update(run.Table).Set(run.FieldUpdated, 0).Where(entsql.EQ(run.FieldID, "")).Query()
	for _, s := range []struct {
		statement *statement
		text      string
	}{
		{&w.begin, sqlBegin},
		{&w.commit, sqlCommit},
		{&w.rollback, sqlRollback},
		{&w.touch, touch},
		{&w.putStep, putStepText()},
		{&w.addEvent, insertText(insert(event.Table, eventColumns))},
	} {
		if *s.statement, err = prepare(conn, s.text); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return w, nil
}

// putStepText inserts a step or, when the run has one of its key, sets all of
// it but run and key: rows keep their number, so the order of a run's steps
// stays, and the index is not touched.
func putStepText() string {
	return insertText(insert(step.Table, stepColumns).OnConflict(
		entsql.ConflictColumns(step.FieldRunID, step.FieldKey),
		entsql.ResolveWith(func(u *entsql.UpdateSet) {
			for _, column := range stepColumns[2:] {
				u.SetExcluded(column)
			}
		})))
}

// insert inserts a row of parameters.
func insert(table string, columns []string) *entsql.InsertBuilder {
	values := make([]any, len(columns))
	for i := range values {
		values[i] = "" // anything but nil, which would be written out
	}
	return entsql.Dialect(dialectName).Insert(table).Columns(columns...).Values(values...)
}

func insertText(b *entsql.InsertBuilder) string {
	text, _ := b.Query()
	return text
}

// exec runs a prepared statement and returns how many rows it changed.
func (w *writer) exec(s statement, args ...driver.Value) (int64, error) {
	return s.exec(w.conn, args)
}

// patience is how often lock waits for half of busyTimeout while other processes
// get their changes through.
const patience = 24

// lock begins a transaction. SQLite's lock is not fair: on a busy machine a
// process can stand in line for long while another one writes again and again.
// As long as others get on, that is a reason to wait; one that holds the lock
// and writes nothing is waited for twice, which makes busyTimeout. Whether
// others get on is asked only when the lock is not free: nearly always it is.
func (w *writer) lock() error {
	before := int64(-1)
	for waited := 1; ; waited++ {
		_, err := w.exec(w.begin)
		if !isBusy(err) || waited == patience {
			return err
		}
		now := w.changes()
		if now == before {
			return err
		}
		before = now
	}
}

// changes is a number that other connections' commits change, 0 when it cannot
// be read.
func (w *writer) changes() (version int64) {
	_ = w.conn.QueryRowContext(context.Background(), sqlChanges).Scan(&version)
	return version
}

// transact does something in a transaction. When it fails nothing is written;
// begun says whether it came as far as doing anything.
func (w *writer) transact(do func() error) (begun bool, err error) {
	if err := w.lock(); err != nil {
		return false, err
	}
	if err = do(); err == nil {
		_, err = w.exec(w.commit)
	}
	if err != nil {
		// The first error is the one that tells. SQLite may have rolled back
		// by itself.
		_, _ = w.exec(w.rollback)
	}
	return true, err
}

func (w *writer) close() error {
	var errs []error
	for _, s := range []statement{w.begin, w.commit, w.rollback, w.touch, w.putStep, w.addEvent} {
		errs = append(errs, s.close(w.conn))
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// connDriver lets Ent's client work on a connection, in the transaction that is
// open there.
type connDriver struct{ conn *stdsql.Conn }

// Exec implements dialect.Driver.
func (d connDriver) Exec(ctx context.Context, query string, args, v any) error {
	return d.driver().Exec(ctx, query, args, v)
}

// Query implements dialect.Driver.
func (d connDriver) Query(ctx context.Context, query string, args, v any) error {
	return d.driver().Query(ctx, query, args, v)
}

func (d connDriver) driver() entsql.Conn { return entsql.Conn{ExecQuerier: d.conn} }

// Tx implements dialect.Driver: what Ent would do in a transaction of its own
// is part of the one that is open.
func (d connDriver) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(d), nil }

// Close implements dialect.Driver; the connection is the writer's.
func (connDriver) Close() error { return nil }

// Dialect implements dialect.Driver.
func (connDriver) Dialect() string { return dialectName }
