package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/internal/workspace"
)

// TestSnapshot changes a folder behind a snapshot's back: everybody must see it
// as it was first seen, a missing file too, and a new snapshot as it is.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	path, missing := filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "first")
	var s workspace.Snapshot
	look := func(s *workspace.Snapshot, want string, files ...string) {
		t.Helper()
		if got, err := s.Read(path); err != nil || string(got) != want {
			t.Errorf("read %q, %v; want %q", got, err, want)
		}
		if got := s.List(dir); !slices.Equal(got, files) {
			t.Errorf("list %q, want %q", got, files)
		}
		if _, err := s.Read(missing); (err == nil) != slices.Contains(files, "b.md") {
			t.Errorf("read %s: %v", missing, err)
		}
	}
	look(&s, "first", "a.md")
	write(path, "second")
	write(missing, "new")
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() { look(&s, "first", "a.md") })
	}
	readers.Wait()
	look(&workspace.Snapshot{}, "second", "a.md", "b.md")
}

// TestSnapshotPaths checks that a snapshot knows all that it has looked at, also what is missing.
func TestSnapshotPaths(t *testing.T) {
	dir := t.TempDir()
	var s workspace.Snapshot
	missing := filepath.Join(dir, "missing.md")
	if _, err := s.Read(missing); err == nil {
		t.Fatal("read a file that does not exist")
	}
	s.List(dir)
	s.List(dir)
	if got, want := s.Paths(), []string{dir, missing}; !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
}
