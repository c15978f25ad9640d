package entstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

func TestOpenMakesPrivateFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state", "project")
	s := opened(t, filepath.Join(folder, "wfc.db"))
	createStore(t, s, "demo-000001")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v (%v), want 0600", e.Name(), info.Mode(), err)
		}
	}
	if got := strings.Join(names, " "); got != "wfc.db wfc.db-shm wfc.db-wal" {
		t.Errorf("the folder holds %s", got)
	}
	if info, err := os.Stat(folder); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v (%v), want 0700", info.Mode(), err)
	}
}

func TestOpenPaths(t *testing.T) {
	for _, name := range []string{"with blank", "a?b=c", "a#b", "a%41", "a&b", "ünïcode", "it's"} {
		path := filepath.Join(t.TempDir(), name, name+".db")
		s := open(t, path)
		createStore(t, s, "demo-000001")
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", path, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the store is elsewhere: %v", err)
		}
		if _, err := opened(t, path).Run(t.Context(), "demo-000001"); err != nil {
			t.Errorf("opened again: %v", err)
		}
	}
}

func TestOpenRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	s := opened(t, "state/wfc.db")
	t.Chdir(t.TempDir()) // the working directory may change later
	createStore(t, s, "demo-000001")
	if _, err := s.Run(t.Context(), "demo-000001"); err != nil {
		t.Error(err)
	}
}

// TestOpenAtOnce opens a store that is not there many times at once, and writes
// to it.
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "wfc.db")
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			s, err := entstore.Open(t.Context(), path)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			run := store.Run{RunInfo: flow.RunInfo{ID: fmt.Sprint(i)}}
			if err := errors.Join(s.CreateRun(t.Context(), run, nil), s.Close()); err != nil {
				t.Errorf("use: %v", err)
			}
		})
	}
	wait.Wait()
	runs, err := opened(t, path).Runs(t.Context(), store.Filter{})
	if err != nil || len(runs) != 8 {
		t.Errorf("the store holds %d runs (%v), want 8", len(runs), err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".new*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestOpenEmptyFile opens what another program, or one that died, left empty.
func TestOpenEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	createStore(t, opened(t, path), "demo-000001")
}

func TestOpenFaults(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ofVersion := func(name string, version int) string {
		path := filepath.Join(folder, name)
		opened(t, path).Close()
		if _, err := raw(t, "file:"+path).Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct{ name, path, want string }{
		{"a newer store", ofVersion("newer.db", 99), "a newer wfc wrote it (tables of version 99; this build knows 7)"},
		{"an unreleased store", ofVersion("older.db", 5), "an unreleased wfc wrote it (tables of version 5; this build reads 7 and later)"},
		{"no database", file("text.db", []byte(strings.Repeat("no database\n", 500))), "damaged or not a store of wfc"},
		{"a folder", folder, "it is not a file"},
		{"below a file", filepath.Join(file("file", nil), "state", "wfc.db"), "not a directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, _ := os.ReadFile(test.path)
			_, err := entstore.Open(t.Context(), test.path)
			if err == nil {
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), test.path) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error %q does not name %s and say %q", err, test.path, test.want)
			}
			if after, _ := os.ReadFile(test.path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpenWithoutRights(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("this user may write everything, or the system knows no modes")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "wfc.db")
	s := open(t, path)
	createStore(t, s, "demo-000001")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct {
		path string
		mode fs.FileMode
	}{{path, 0o400}, {folder, 0o500}} {
		if err := os.Chmod(change.path, change.mode); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(change.path, 0o700)
	}
	if _, err := entstore.Open(t.Context(), filepath.Join(folder, "other.db")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a new store in a folder that cannot be written: %v", err)
	}
	s, err := entstore.Open(t.Context(), path)
	if err == nil {
		defer s.Close()
		err = s.Begin(t.Context(), "demo-000001", "h", "x")
	}
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a store that cannot be written: %v", err)
	}
}

// TestDamage overwrites the tables of a store: what is asked of it fails with
// an error that says so, and nothing panics.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	s := open(t, path)
	createStore(t, s, "demo-000001")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const page = 4096
	roots := query(t, raw(t, "file:"+path), "SELECT rootpage FROM sqlite_master WHERE rootpage > 0")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range roots {
		root, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		copy(content[(root-1)*page:root*page], bytes.Repeat([]byte{0xA5}, page))
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = entstore.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("the descriptions of the tables are whole, yet: %v", err)
	}
	defer s.Close()
	_, err = s.Run(t.Context(), "demo-000001")
	for what, err := range map[string]error{"read": err, "write": s.Begin(t.Context(), "demo-000001", "h", "x")} {
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
}

func TestClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	before := runtime.NumGoroutine()
	s := open(t, path)
	createStore(t, s, "demo-000001")
	if _, err := s.Generation(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	_, runErr := s.Run(t.Context(), "demo-000001")
	_, versionErr := s.Generation(t.Context())
	for what, err := range map[string]error{
		"Run": runErr, "Version": versionErr, "Begin": s.Begin(t.Context(), "demo-000001", "h", "x"),
	} {
		if err == nil || !strings.Contains(err.Error(), "closed") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s of a closed store: %v", what, err)
		}
	}
	// database/sql ends its own goroutines soon after Close and tells nobody.
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log is left behind: %v", err)
	}
}

// TestCloseWhileWriting closes a store under its writers: each learns whether
// its change is kept.
func TestCloseWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	s := open(t, path)
	createStore(t, s, "demo-000001")
	const writers = 32
	kept := make([]bool, writers)
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			err := s.Commit(context.Background(), "demo-000001", flow.Batch{Steps: []flow.Record{started(fmt.Sprint(i))}})
			if kept[i] = err == nil; err != nil && !strings.Contains(err.Error(), "it is closed") {
				t.Errorf("commit: %v", err)
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait()
	steps, err := opened(t, path).Steps(t.Context(), "demo-000001")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, r := range steps {
		found[r.Key] = true
	}
	for i, said := range kept {
		if found[fmt.Sprint(i)] != said {
			t.Errorf("commit %d said kept: %v, found: %v", i, said, found[fmt.Sprint(i)])
		}
	}
}

// The next process that opens the store reads the whole log first, so the log stays short.
func TestTheLogStaysShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	s, err := entstore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := store.Run{RunInfo: flow.RunInfo{ID: "w-1", Workflow: "w"}, Status: flow.Running}
	if err := s.CreateRun(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 3000)
	for i := range 500 {
		batch := flow.Batch{Steps: []flow.Record{{Key: fmt.Sprint("n", i), Kind: "bash", Status: flow.Completed, Text: text}}}
		if err := s.Commit(t.Context(), "w-1", batch); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() > 2<<20 {
		t.Errorf("the log has %v, %v", info, err)
	}
}
