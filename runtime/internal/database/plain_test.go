package database

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/internal/ent/migrate"
	"github.com/wfc-lang/wfc/runtime/store"
)

// plain is a connection without any of the care that the databases' own take.
type plain struct {
	*stdsql.Conn
	expected *[][]string // of the calls of Expect
}

func (p plain) exec(text string, values ...any) error {
	_, err := p.ExecContext(context.Background(), text, values...)
	return err
}

func (p plain) Transact(_ context.Context, do func() error) (bool, error) {
	if err := p.exec("BEGIN"); err != nil {
		return false, err
	}
	if err := do(); err != nil {
		_ = p.exec("ROLLBACK")
		return true, err
	}
	return true, p.exec("COMMIT")
}

func (p plain) Update(id string, now time.Time) error {
	var found string
	err := p.QueryRowContext(context.Background(), "SELECT id FROM workflow_runs WHERE id = ?", id).Scan(&found)
	if errors.Is(err, stdsql.ErrNoRows) {
		return store.ErrNotFound
	}
	return err
}

func (p plain) Expect(runs []string) error {
	*p.expected = append(*p.expected, slices.Clone(runs))
	return nil
}

func (plain) Lock(string) error { return nil }
func (plain) Ended(string)      {}
func (plain) Crowded() bool     { return false }

func (p plain) Write(query string, values ...driver.Value) error {
	return p.exec(query, anys(values)...)
}

func (p plain) PutStep(values ...driver.Value) error {
	return p.exec(PutStepText(dialect.SQLite), anys(values)...)
}

func (p plain) AddEvent(values ...driver.Value) error {
	return p.exec(AddEventText(dialect.SQLite), anys(values)...)
}

func anys(values []driver.Value) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

type noWatch struct{}

func (noWatch) Version(context.Context) (int64, error) { return 0, nil }
func (noWatch) Close() error                           { return nil }

// newStore returns a store in a new file, with the tables that Ent makes.
func newStore(t *testing.T) *Store {
	t.Helper()
	db, err := stdsql.Open("sqlite", filepath.Join(t.TempDir(), "wfc.db")+"?_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate.NewSchema(entsql.OpenDB(dialect.SQLite, db)).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := New(Config{
		Name: "a file", Dialect: dialect.SQLite, Reads: db, Watch: noWatch{},
		Explain: func(err error) error { return err },
		Close:   func() error { return nil },
		Open: func() (Connection, error) {
			conn, err := db.Conn(context.Background())
			return plain{conn, &[][]string{}}, err
		},
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
