package entstore

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/database"
)

// A store of any version before is brought up to date, with what it holds.
func TestMigrate(t *testing.T) {
	ctx := t.Context()
	for version := 1; version < len(database.Versions); version++ {
		path := filepath.Join(t.TempDir(), "wfc.db")
		db, err := openWriter(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range database.Versions[:version] {
			for _, statement := range change {
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, statement := range []string{
			`INSERT INTO workflow_runs (id, workflow, fingerprint, status, artifacts_dir, log_dir, work_dir, docs_dir, created, updated)
				VALUES ('demo-1', 'demo', 'f', 'failed', '', '', '', '', 1, 2)`,
			`INSERT INTO workflow_step_runs (run_id, key, status, text) VALUES ('demo-1', 'a', 'completed', 'out')`,
			fmt.Sprintf("PRAGMA user_version = %d", version),
		} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := Open(ctx, path)
		if err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		if err := s.Commit(ctx, "demo-1", flow.Batch{Steps: []flow.Record{{Key: "b", Prompt: "well?"}}}); err != nil {
			t.Errorf("version %d: %v", version, err)
		}
		run, err := s.Run(ctx, "demo-1")
		if err != nil || run.Workflow != "demo" || run.Status != flow.Failed {
			t.Errorf("version %d: %+v, %v", version, run, err)
		}
		steps, err := s.Steps(ctx, "demo-1")
		if err != nil || len(steps) != 2 || steps[0].Text != "out" || steps[1].Prompt != "well?" {
			t.Errorf("version %d: %+v, %v", version, steps, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
