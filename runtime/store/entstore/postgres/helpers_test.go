package postgres_test

import (
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

func create(t testing.TB, s store.Store, id string) {
	t.Helper()
	run := store.Run{RunInfo: flow.RunInfo{ID: id, Workflow: "demo"}, Status: flow.Pending, Created: time.Now()}
	if err := s.CreateRun(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, s store.Store, id string, steps ...flow.Record) {
	t.Helper()
	if err := s.Commit(t.Context(), id, flow.Batch{Steps: steps}); err != nil {
		t.Fatal(err)
	}
}

func started(key string) flow.Record {
	return flow.Record{Key: key, Kind: "bash", Status: flow.Running, Attempt: 1, Started: time.Now()}
}

func completed(key string) flow.Record {
	return flow.Record{Key: key, Kind: "bash", Status: flow.Completed, Text: "done", Started: time.Now(), Finished: time.Now()}
}
