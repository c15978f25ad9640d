package entstore

import (
	"context"
	stdsql "database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/large"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/database"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A recorder keeps the queries that a store makes.
type recorder struct {
	*stdsql.DB
	text []string
	args [][]any
}

// QueryContext implements database.Reader.
func (r *recorder) QueryContext(ctx context.Context, text string, args ...any) (*stdsql.Rows, error) {
	r.text, r.args = append(r.text, text), append(r.args, args)
	return r.DB.QueryContext(ctx, text, args...)
}

// TestQueryPlans asks SQLite for the plan of each query. None reads a whole table and none
// sorts more than the rows of one run or one family. Only the question for all runs walks an
// index of all runs, from the newest.
func TestQueryPlans(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "wfc.db")
	filled, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Fill(ctx, filled, 50, "flow"); err != nil {
		t.Fatal(err)
	}
	if err := filled.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := openReaders(path)
	if err != nil {
		t.Fatal(err)
	}
	reads := &recorder{DB: db}
	s := database.New(database.Config{
		Name: path, Dialect: dialectName, Reads: reads, Watch: &watch{db: db}, Explain: explainError, Close: func() error { return nil },
	})
	defer s.Close()
	const id = "flow-000007"
	runs := func(f store.Filter) func() error {
		return func() error {
			_, err := s.Runs(ctx, f)
			return err
		}
	}
	const walk = "SCAN workflow_runs USING INDEX run_created"
	for _, q := range []struct {
		name string
		ask  func() error
		// walks says that the query may walk the index of the runs; sorts, that it may sort
		// the rows that it found.
		walks, sorts bool
	}{
		{"run", func() error { _, err := s.Run(ctx, id); return err }, false, false},
		{"steps", func() error { _, err := s.Steps(ctx, id); return err }, false, true},
		{"events", func() error { _, _, err := s.Events(ctx, id, 0); return err }, false, false},
		{"answers", func() error { _, err := s.Answers(ctx, id); return err }, false, true},
		{"session", func() error { _, err := s.Session(ctx, "flow", "a"); return err }, false, false},
		{"all", runs(store.Filter{}), true, false},
		{"brief", runs(store.Filter{Brief: true}), true, false},
		{"ended before", runs(store.Filter{Before: time.Now(), Brief: true}), true, false},
		{"of a workflow and ended before", runs(store.Filter{Workflow: "flow", Before: time.Now(), Brief: true}), false, false},
		{"newest", runs(store.Filter{Limit: 20}), true, false},
		{"newest of a workflow", runs(store.Filter{Workflow: "flow", Limit: 1}), false, false},
		{"failed", runs(store.Filter{Status: flow.Failed, Limit: 20}), false, false},
		{"failed of a workflow", runs(store.Filter{Workflow: "flow", Status: flow.Failed, Limit: 20}), false, false},
		{"family", runs(store.Filter{Prefix: id + "--"}), false, true},
		{"prefix of a workflow's run", runs(store.Filter{Workflow: "flow", Prefix: "flow-00000"}), false, true},
	} {
		t.Run(q.name, func(t *testing.T) {
			reads.text, reads.args = nil, nil
			if err := q.ask(); err != nil {
				t.Fatal(err)
			}
			if len(reads.text) == 0 {
				t.Fatal("no query was recorded")
			}
			for i, text := range reads.text {
				rows, err := db.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text, reads.args[i]...)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				for rows.Next() {
					var node, parent, unused int
					var step string
					if err := rows.Scan(&node, &parent, &unused, &step); err != nil {
						t.Fatal(err)
					}
					walks := q.walks && step == walk || step == "USE TEMP B-TREE FOR LAST TERM OF ORDER BY"
					sorts := q.sorts && step == "USE TEMP B-TREE FOR ORDER BY"
					if !walks && !sorts && !strings.HasPrefix(step, "SEARCH ") {
						t.Errorf("%s\n%s", step, text)
					}
				}
				if err := rows.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Brief leaves out what may be large, and nothing that selects or orders runs.
func TestBrief(t *testing.T) {
	ctx := t.Context()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "wfc.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := large.Fill(ctx, s, 20, "flow"); err != nil {
		t.Fatal(err)
	}
	whole, err := s.Runs(ctx, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	brief, err := s.Runs(ctx, store.Filter{Brief: true})
	if err != nil || len(brief) != len(whole) {
		t.Fatalf("%d runs, want %d: %v", len(brief), len(whole), err)
	}
	same := func(a, b time.Time) bool { return a.Equal(b) }
	for i, r := range brief {
		w := whole[i]
		if r.ID != w.ID || r.Workflow != w.Workflow || r.Status != w.Status || r.Reason != w.Reason || r.Error != w.Error || string(r.Settings) != string(w.Settings) ||
			!same(r.Created, w.Created) || !same(r.Started, w.Started) || !same(r.Finished, w.Finished) || !same(r.Updated, w.Updated) {
			t.Errorf("%+v\nwant %+v", r, w)
		}
		if r.Inputs != nil || r.Outputs != nil || r.Summary != "" || r.Graph != nil {
			t.Errorf("%+v has what Brief leaves out", r)
		}
	}
}
