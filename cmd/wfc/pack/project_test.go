package pack_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/pack"
)

// A site is a project of a test.
type site struct {
	*pack.Project
	t *testing.T
}

func newSite(t *testing.T) *site {
	p, err := pack.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return &site{p, t}
}

// locked returns an entry for the lock.
func locked(name string) pack.Locked {
	return pack.Locked{
		Name: name, Repository: "https://host/" + name, Tag: "v1", Commit: strings.Repeat("0123456789", 4), Folder: "packs/" + name,
		Licence: "MIT", Powers: []string{"agent: claude"}, Workflows: map[string]string{name + ":a": "a.yaml"},
	}
}

// install installs a pack, in place of the one of its name.
func (s *site) install(name string, files ...pack.File) error {
	lock, err := s.Lock()
	if err != nil && err != pack.ErrNoLock {
		s.t.Fatal(err)
	}
	return s.Install(lock, locked(name), files, nil)
}

// check returns the differences between the project and its lock, or the fault of the lock.
func (s *site) check() []string {
	lock, err := s.Lock()
	if err != nil {
		return []string{err.Error()}
	}
	var list []string
	for _, l := range lock.Packs {
		problems, err := s.Compare(l)
		if err != nil {
			return append(list, err.Error())
		}
		for _, p := range problems {
			list = append(list, p.File+" "+p.What)
		}
	}
	return list
}

// state returns the files of the project.
func (s *site) state() map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(s.Dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		all[strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(s.Dir)+"/")] = string(content)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func (s *site) write(name, text string) {
	path := filepath.Join(s.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

func drawFiles(r *rand.Rand) []pack.File {
	var files []pack.File
	for i := range 1 + r.IntN(4) {
		content := make([]byte, r.IntN(40))
		for k := range content {
			content[k] = byte(r.IntN(256))
		}
		files = append(files, pack.File{Path: strings.Repeat("sub/", r.IntN(3)) + fmt.Sprintf("f%d.md", i), Content: content, Executable: r.IntN(2) == 0})
	}
	return files
}

// After packs are added, a check is clean. It finds every change of one byte in every file and in
// the lock, every missing file, and every file that is new.
func TestCheckFindsEveryByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1 {
		s := newSite(t)
		if err := os.Mkdir(filepath.Join(s.Dir, ".git"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			if err := s.install(name, drawFiles(r)...); err != nil {
				t.Fatal(err)
			}
		}
		if found := s.check(); found != nil {
			t.Fatalf("not clean: %q", found)
		}
		for name, text := range s.state() {
			for i := range len(text) {
				s.write(name, text[:i]+string(text[i] ^ byte(1+r.IntN(255)))[:1]+text[i+1:])
				if s.state()[name] != text && s.check() == nil {
					t.Fatalf("byte %d of %s may change", i, name)
				}
			}
			for _, other := range []string{text + "\n", strings.TrimSuffix(text, "\n") + " \n", "\ufeff" + text} {
				if s.write(name, other); s.check() == nil {
					t.Fatalf("%s may be %q", name, other)
				}
			}
			if err := os.Remove(filepath.Join(s.Dir, name)); err != nil {
				t.Fatal(err)
			}
			if s.check() == nil {
				t.Fatalf("%s may be missing", name)
			}
			s.write(name, text)
		}
		s.write("packs/a/sub/new.md", "")
		if found := s.check(); !slices.Equal(found, []string{"packs/a/sub/new.md is not in wfc.lock"}) {
			t.Fatalf("%q", found)
		}
		s.write(".gitignore", "new.md\n")
		if found := s.check(); found != nil {
			t.Fatalf("an ignored file: %q", found)
		}
	}
}

// A link in the place of a file, and a folder that leads out of the project, are no files.
func TestCheckFindsLinks(t *testing.T) {
	s := newSite(t)
	if err := s.install("a", pack.File{Path: "x/a.md", Content: []byte("a")}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.Dir, "packs/a/x/a.md")
	s.write("other.md", "a")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../../other.md", file); err != nil {
		t.Skip(err)
	}
	if found := s.check(); !slices.Equal(found, []string{"packs/a/x/a.md is not a regular file"}) {
		t.Errorf("%q", found)
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.md"), []byte("a"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if found := s.check(); len(found) == 0 {
		t.Error("a link out of the project is no difference")
	}
	if err := os.RemoveAll(filepath.Join(s.Dir, "packs")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.Dir, "packs")); err != nil {
		t.Fatal(err)
	}
	if err := s.install("b", pack.File{Path: "b.md"}); err == nil {
		t.Error("a pack was written out of the project")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// A change that dies before any of its steps leaves the old state or the new one, at the latest
// after the next command.
func TestInterrupted(t *testing.T) {
	a, b := pack.File{Path: "x/a.md", Content: []byte("a")}, pack.File{Path: "b.md", Content: []byte("b")}
	changes := map[string]func(s *site) error{
		"add":    func(s *site) error { return s.install("new", a, b) },
		"update": func(s *site) error { return s.install("old", b) },
		"remove": func(s *site) error {
			lock, _ := s.Lock()
			l, _ := lock.Find("old")
			return s.Remove(lock, l, nil, false)
		},
	}
	for name, change := range changes {
		prepared := func() *site {
			s := newSite(t)
			s.write("packs/mine.md", "mine")
			if err := s.install("old", a); err != nil {
				t.Fatal(err)
			}
			return s
		}
		var steps []string
		s := prepared()
		before := s.state()
		s.OnStep(func(step string) { steps = append(steps, step) })
		if err := change(s); err != nil {
			t.Fatal(err)
		}
		after := s.state()
		if len(steps) < 6 || maps.Equal(before, after) {
			t.Fatalf("%s: steps %v", name, steps)
		}
		for i, step := range steps {
			s := prepared()
			n := 0
			s.OnStep(func(string) {
				if n++; n > i {
					panic("killed")
				}
			})
			func() {
				defer func() { _ = recover() }()
				_ = change(s)
			}()
			again, err := pack.Open(s.Dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Recover(); err != nil {
				t.Errorf("%s before %s: %v", name, step, err)
			}
			again.Close()
			want := before
			if step == "clean" {
				want = after
			}
			if got := s.state(); !maps.Equal(got, want) {
				t.Errorf("%s before %s: %v", name, step, got)
			}
			if found := s.check(); found != nil {
				t.Errorf("%s before %s: %q", name, step, found)
			}
		}
	}
}

// A failure leaves what was there.
func TestFailedInstall(t *testing.T) {
	s := newSite(t)
	if err := s.install("a", pack.File{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	s.write("packs/b/mine.md", "mine")
	before := s.state()
	if err := s.install("b", pack.File{Path: "b.md"}); err == nil || !strings.Contains(err.Error(), "belongs to no pack") {
		t.Error(err)
	}
	s.OnStep(func(step string) {
		if step == "rename new" {
			os.RemoveAll(filepath.Join(s.Dir, ".wfc-add", "new"))
		}
	})
	if err := s.install("a", pack.File{Path: "other.md"}); err == nil {
		t.Error("a pack without files was written")
	}
	if got := s.state(); !maps.Equal(got, before) {
		t.Errorf("%v", got)
	}
}

func TestForgedJournal(t *testing.T) {
	s := newSite(t)
	s.write("src/main.go", "package main")
	s.write(".wfc-add/journal", `{"folder": "src", "old": false, "fresh": true, "lock": ""}`)
	if err := s.Recover(); err == nil || s.state()["src/main.go"] == "" {
		t.Errorf("%v, %v", err, s.state())
	}
}

func TestLockFaults(t *testing.T) {
	s := newSite(t)
	if _, err := s.Lock(); err != pack.ErrNoLock {
		t.Fatal(err)
	}
	if err := s.install("a", pack.File{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	good := s.state()["wfc.lock"]
	for text, want := range map[string]string{
		strings.Replace(good, `"version": 1`, `"version": 2`, 1): "wfc.lock has version 2, and this wfc reads 1",
		"<<<<<<< ours\n" + good:                                  "has a conflict of a merge",
		strings.Replace(good, "packs/a", "src", 1):               "is not one for packs",
		strings.Replace(good, "a.md", "../a.md", 1):              "which no pack can have",
		strings.Replace(good, "MIT", "GPL", 1):                   "somebody changed what it says",
		strings.Replace(good, `"name"`, `"more": 1, "name"`, 1):  "unknown key `more`",
		strings.ReplaceAll(good, "  ", "\t"):                     "it is not written as wfc writes it",
	} {
		s.write("wfc.lock", text)
		if _, err := s.Lock(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
