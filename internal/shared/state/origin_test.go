package state_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestOrigins(t *testing.T) {
	f := state.Folder{Path: t.TempDir()}
	if _, ok := f.Origin("a-1"); ok || f.LastOrigins() != nil || f.Runs() != nil {
		t.Error("an empty folder has origins")
	}
	program := filepath.Join(t.TempDir(), "program")
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	keep := func(run, workflow, source, program string, store settings.Store, created time.Time) {
		t.Helper()
		if err := os.MkdirAll(f.RunDir(run), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := f.KeepOrigin(state.Origin{Run: run, Workflow: workflow, Source: source, Program: program, Store: store, Created: created}); err != nil {
			t.Fatal(err)
		}
	}
	keep("a-1", "a", "/w/a.yaml", program, settings.StoreSQLite, at)
	keep("a-2", "a", "/w/a.yaml", program, settings.StoreSQLite, at.Add(time.Minute))
	keep("b-1", "b", "", program, settings.StoreSQLite, at.Add(time.Second))
	keep("b-2", "b", "", program, settings.StorePostgres, at.Add(2*time.Second))

	var last []string
	for _, o := range f.LastOrigins() {
		last = append(last, o.Run)
	}
	if len(last) != 3 || last[0] != "a-2" || last[1] != "b-2" || last[2] != "b-1" {
		t.Errorf("last origins: %v", last)
	}

	// A run goes on with its own copy of the program: what is known of it stays.
	keep("a-1", "a", "", f.Executable("a-1"), settings.StoreSQLite, at.Add(time.Hour))
	if o, ok := f.Origin("a-1"); !ok || o.Program != program || o.Source != "/w/a.yaml" || !o.Created.Equal(at) {
		t.Errorf("after a resumption: %+v %v", o, ok)
	}

	// What cannot be read counts as missing.
	for name, text := range map[string]string{"half a file": `{"version":1,"run_`, "another version": `{"version":99,"run_id":"a-1","program":"/p"}`, "a relative program": `{"version":1,"run_id":"a-1","program":"p"}`} {
		if err := os.WriteFile(filepath.Join(f.RunDir("a-1"), "origin.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if o, ok := f.Origin("a-1"); ok {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// Below finds all generations, and opens no file of a run that no other run began.
func TestBelow(t *testing.T) {
	f := state.Folder{Path: t.TempDir()}
	program := filepath.Join(f.Path, "program")
	for _, o := range []state.Origin{
		{Run: "flow-1"}, {Run: "flow-2"}, {Run: "flow-1--a", Parent: "flow-1"}, {Run: "flow-1--a--b", Parent: "flow-1--a"},
		{Run: "flow-1--c", Parent: "flow-1"}, {Run: "flow-2--a", Parent: "flow-2"},
	} {
		if err := os.MkdirAll(f.RunDir(o.Run), 0o700); err != nil {
			t.Fatal(err)
		}
		o.Program, o.Workflow, o.Store = program, "flow", settings.StoreSQLite
		if err := f.KeepOrigin(o); err != nil {
			t.Fatal(err)
		}
	}
	for run, want := range map[string][]string{
		"flow-1": {"flow-1--a", "flow-1--c", "flow-1--a--b"}, "flow-1--a": {"flow-1--a--b"}, "flow-2": {"flow-2--a"}, "flow-3": nil,
	} {
		if got := f.Descendants(run); !slices.Equal(got, want) {
			t.Errorf("below %s: %q, want %q", run, got, want)
		}
	}
}
