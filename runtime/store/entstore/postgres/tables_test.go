package postgres_test

import (
	"database/sql"
	"maps"
	"slices"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/internal/ent/migrate"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// TestTables compares the tables of a new store with those that Ent would make
// of package schema. Ours compare texts by their bytes, and number rows, which
// Ent is told not to for SQLite's sake.
func TestTables(t *testing.T) {
	ours, theirs := schema(t), schema(t)
	openStore(t, ours, postgres.Options{})
	if err := migrate.NewSchema(entsql.OpenDB(dialect.Postgres, raw(t, theirs))).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, want := describe(t, ours), describe(t, theirs)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, got[name], want[name])
		}
	}
	if len(want) < 60 {
		t.Errorf("Ent made %d columns and indexes: is this test still looking at them?", len(want))
	}
	var folding int
	err := raw(t, ours).QueryRow(`SELECT count(*) FROM information_schema.columns
		WHERE table_schema = current_schema() AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`).Scan(&folding)
	if err != nil || folding > 0 {
		t.Errorf("%d columns do not compare by bytes (%v)", folding, err)
	}
}

func raw(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// describe says what the columns and indexes of a schema are.
func describe(t *testing.T, url string) map[string]string {
	t.Helper()
	rows, err := raw(t, url).Query(`
		SELECT table_name || '.' || column_name, replace(data_type, 'character varying', 'text') || ' ' || is_nullable || ' ' || coalesce(replace(column_default, 'character varying', 'text'), '')
		FROM information_schema.columns WHERE table_schema = current_schema()
		UNION ALL
		SELECT indexname, regexp_replace(indexdef, ' ON [^ ]+\.', ' ON ') FROM pg_indexes WHERE schemaname = current_schema()`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	described := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		described[name] = text
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return described
}
