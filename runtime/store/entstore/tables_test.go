package entstore_test

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/internal/ent/migrate"
)

// TestTables compares the tables of a new store with those that Ent would make
// of package schema.
func TestTables(t *testing.T) {
	ours := filepath.Join(t.TempDir(), "wfc.db")
	opened(t, ours)
	theirs := raw(t, "file:"+filepath.Join(t.TempDir(), "ent.db")+"?_pragma=foreign_keys(1)")
	if err := migrate.NewSchema(entsql.OpenDB(dialect.SQLite, theirs)).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, want := describe(t, raw(t, "file:"+ours)), describe(t, theirs)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, got[name], want[name])
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("%s is not in package schema", name)
		}
	}
	if len(want) < 8 {
		t.Errorf("Ent made %d tables and indexes: is this test still looking at them?", len(want))
	}
}

func raw(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// describe says what columns the tables and indexes of a database have.
func describe(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	described := map[string]string{}
	for _, row := range query(t, db, "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'") {
		kind, name, table := row[0], row[1], row[2]
		var columns [][]string
		if kind == "table" {
			columns = query(t, db, fmt.Sprintf("SELECT name, upper(type), \"notnull\", coalesce(trim(dflt_value, ''''), '-'), pk FROM pragma_table_info('%s')", name))
		} else {
			columns = query(t, db, fmt.Sprintf("SELECT name FROM pragma_index_info('%s')", name))
			columns = append(columns, query(t, db, fmt.Sprintf("SELECT \"unique\" FROM pragma_index_list('%s') WHERE name = '%s'", table, name))...)
		}
		described[kind+" "+name] = fmt.Sprint(table, columns)
	}
	return described
}

func query(t *testing.T, db *sql.DB, text string) (all [][]string) {
	t.Helper()
	rows, err := db.Query(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row := make([]string, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", strings.TrimSpace(text), err)
	}
	return all
}
