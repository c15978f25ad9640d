package database

import (
	"context"
	"database/sql/driver"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/internal/ent"
	"github.com/wfc-lang/wfc/runtime/internal/ent/event"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowsteprun"
)

// writer is the connection that writes. What every step needs the connection
// does itself, with statements whose text is made once by Ent's builder; what
// happens a few times a run goes through Ent's client on the same connection,
// within the same transaction. Only the committer's goroutine uses it.
type writer struct {
	conn   Connection
	client *ent.Client
	// values is the buffer of row.
	values []driver.Value
}

// row is a row in a buffer, for a call that keeps nothing of it: a list that goes
// through an interface would be allocated for every step.
func (w *writer) row(values ...driver.Value) []driver.Value {
	w.values = append(w.values[:0], values...)
	return w.values
}

func newWriter(cfg Config) (*writer, error) {
	conn, err := cfg.Open()
	if err != nil {
		return nil, err
	}
	return &writer{conn: conn, client: ent.NewClient(ent.Driver(querier{conn, cfg.Dialect}))}, nil
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
	return insertText(insert(dialect, workflowsteprun.Table, StepColumns).OnConflict(
		entsql.ConflictColumns(workflowsteprun.FieldRunID, workflowsteprun.FieldKey),
		entsql.ResolveWith(func(u *entsql.UpdateSet) {
			for _, column := range StepColumns[2:] {
				u.SetExcluded(column)
			}
		})))
}

// AddEventText inserts an event.
func AddEventText(dialect string) string {
	return insertText(insert(dialect, event.Table, EventColumns))
}

// TouchText sets when the run of an id was updated; these are its parameters,
// the time first.
func TouchText(dialect string) string {
	text, _ := entsql.Dialect(dialect).Update(workflowrun.Table).Set(workflowrun.FieldUpdated, 0).Where(entsql.EQ(workflowrun.FieldID, "")).Query()
	return text
}

// insert inserts a row of parameters.
func insert(dialect, table string, columns []string) *entsql.InsertBuilder {
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

// Tx implements dialect.Driver: what Ent would do in a transaction of its own
// is part of the one that is open.
func (q querier) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(q), nil }

// Close implements dialect.Driver; the connection is somebody else's.
func (querier) Close() error { return nil }

// Dialect implements dialect.Driver.
func (q querier) Dialect() string { return q.name }
