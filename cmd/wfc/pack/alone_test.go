package pack_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/pack"
)

// Commands that run side by side lose nothing: all of them saw a project without packs.
func TestSideBySide(t *testing.T) {
	s := newSite(t)
	var all sync.WaitGroup
	names := strings.Split("abcdefgh", "")
	for _, name := range names {
		all.Go(func() {
			p, err := pack.Open(s.Dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer p.Close()
			if err := p.Install(&pack.Lock{Version: 1}, locked(name), []pack.File{{Path: "x/a.md", Content: []byte(name)}}, nil); err != nil {
				t.Error(err)
			}
			if p.IsInterrupted() {
				t.Error("a change of another process seems interrupted")
			}
		})
	}
	all.Wait()
	lock, err := s.Lock()
	if err != nil || !slices.Equal(lock.Names(), names) || s.check() != nil {
		t.Errorf("%v, %v, %q", lock.Names(), err, s.check())
	}
	if found, _ := filepath.Glob(filepath.Join(s.Dir, ".wfc-add*")); found != nil {
		t.Errorf("%q are left", found)
	}
}

// What changed since a command looked at the project is not lost.
func TestChangedMeanwhile(t *testing.T) {
	s := newSite(t)
	if err := s.install("a", pack.File{Path: "a.md"}, pack.File{Path: "b.md"}); err != nil {
		t.Fatal(err)
	}
	lock, err := s.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.install("a", pack.File{Path: "a.md", Content: []byte("2")}); err != nil {
		t.Fatal(err)
	}
	old, _ := lock.Find("a")
	for _, change := range []error{s.Install(lock, locked("a"), []pack.File{{Path: "c.md"}}, nil), s.Remove(lock, old, nil, false), s.Install(&pack.Lock{}, locked("a"), []pack.File{{Path: "c.md"}}, nil)} {
		if change == nil || !strings.Contains(change.Error(), "another command changed pack `a` meanwhile") {
			t.Error(change)
		}
	}
	if lock, err = s.Lock(); err != nil {
		t.Fatal(err)
	}
	now, _ := lock.Find("a")
	s.write("packs/a/a.md", "edited")
	edits, err := s.Compare(now)
	if err != nil {
		t.Fatal(err)
	}
	s.write("packs/a/mine.md", "mine")
	if err := s.Remove(lock, now, edits, false); err == nil || !strings.Contains(err.Error(), "`packs/a/mine.md` changed meanwhile") {
		t.Error(err)
	}
	other := locked("b")
	other.Workflows = now.Workflows
	if err := s.Install(&pack.Lock{}, other, []pack.File{{Path: "c.md"}}, nil); err == nil || !strings.Contains(err.Error(), "pack `a` offers the workflow `a:a`, too") {
		t.Error(err)
	}
	want := []string{"packs/a/a.md", "packs/a/mine.md", "wfc.lock"}
	if got := slices.Sorted(maps.Keys(s.state())); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Files that git ignores are no part of a pack: an update, a removal and an interruption keep them.
func TestIgnoredFilesStay(t *testing.T) {
	s := newSite(t)
	if err := os.Mkdir(filepath.Join(s.Dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.write(".gitignore", ".env\ncache/\n")
	if err := s.install("a", pack.File{Path: "x/a.md"}, pack.File{Path: "cache/known.md"}); err != nil {
		t.Fatal(err)
	}
	ignored := map[string]string{"packs/a/.env": "secret", "packs/a/x/.env": "other", "packs/a/x/cache/deep/file": "1", "packs/a/cache/mine": "2"}
	for name, text := range ignored {
		s.write(name, text)
	}
	kept := func(what string, others ...string) {
		t.Helper()
		state := s.state()
		for name, text := range ignored {
			if state[name] != text {
				t.Errorf("%s: %s is %q", what, name, state[name])
			}
		}
		want := slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(ignored)), others...)))
		if got := slices.Sorted(maps.Keys(state)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", what, got)
		}
		if found := s.check(); found != nil {
			t.Errorf("%s: %q", what, found)
		}
	}
	if err := s.install("a", pack.File{Path: "b.md"}, pack.File{Path: "x/.env"}); err == nil || !strings.Contains(err.Error(), "`packs/a/x/.env`, where there is one that git ignores") {
		t.Error(err)
	}
	if err := s.install("a", pack.File{Path: "b.md"}, pack.File{Path: "cache/new.md"}); err != nil {
		t.Fatal(err)
	}
	kept("update", ".gitignore", "wfc.lock", "packs/a/b.md", "packs/a/cache/new.md")
	s.OnStep(func(step string) {
		if step == "clean" {
			panic("killed")
		}
	})
	func() {
		defer func() { _ = recover() }()
		lock, _ := s.Lock()
		l, _ := lock.Find("a")
		_ = s.Remove(lock, l, nil, false)
	}()
	again, err := pack.Open(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Recover(); err != nil {
		t.Error(err)
	}
	kept("interrupted removal", ".gitignore", "wfc.lock")
	s.OnStep(func(string) {})
	if err := s.install("a", pack.File{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	kept("added again", ".gitignore", "wfc.lock", "packs/a/a.md")
}

func TestFolderInOtherLetters(t *testing.T) {
	for name, want := range map[string]string{"packs/A/mine.md": "`packs/A` and `packs/a` are one folder", "Packs/mine.md": "`Packs` and `packs` are one folder"} {
		s := newSite(t)
		s.write(name, "mine")
		if _, err := os.Stat(filepath.Join(s.Dir, "packs/a")); err == nil {
			t.Skip("this system ignores the case of letters")
		}
		if err := s.install("a", pack.File{Path: "a.md"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}
