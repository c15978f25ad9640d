package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// changes are what happens to a binary between a run's processes.
func changes() map[string]func(t *testing.T, path string) {
	return map[string]func(t *testing.T, path string){
		"deleted": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"moved": func(t *testing.T, path string) {
			if err := os.Rename(path, path+".old"); err != nil {
				t.Fatal(err)
			}
		},
		"replaced by a build": func(t *testing.T, path string) {
			write(t, path+".tmp", "second")
			if err := os.Rename(path+".tmp", path); err != nil {
				t.Fatal(err)
			}
		},
		"overwritten": func(t *testing.T, path string) { write(t, path, "second") },
	}
}

// pinned makes an engine of a binary that holds "first", in whose runs step a
// fails.
func (w *world) pinned(t *testing.T) (e *local.Engine, binary string) {
	t.Helper()
	binary = filepath.Join(w.work, "demo")
	write(t, binary, "first")
	w.performer.set("a", fails("no"))
	return w.engine(t, func(c *local.Config) { c.Executable = binary }), binary
}

func (w *world) keeps(t *testing.T, id, want string) {
	t.Helper()
	if text, err := os.ReadFile(w.folder.Executable(id)); err != nil || string(text) != want {
		t.Errorf("run %s keeps %q, %v; want %q", id, text, err, want)
	}
}

// A run that has ended without completing has its binary, whatever is done to
// the file that it was.
func TestBinaryOfARunThatHasEnded(t *testing.T) {
	for name, change := range changes() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			e, binary := w.pinned(t)
			r := must(t, flow.Failed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
			change(t, binary)
			w.keeps(t, r.ID, "first")
		})
	}
}

// So has one that goes on for a while, in case that its process is killed.
func TestBinaryOfARunThatGoesOn(t *testing.T) {
	for name, change := range changes() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			e, binary := w.pinned(t)
			w.performer.set("a", w.performer.block)
			id, err := e.RunAsync(context.Background(), define("demo", step{key: "a"}), nil, w.options())
			if err != nil {
				t.Fatal(err)
			}
			<-w.performer.begun
			w.keeps(t, id, "first") // from the start, as long as nobody writes into the file
			within(t, "the copy", func() bool {
				kept, err := os.Stat(w.folder.Executable(id))
				now, gone := os.Stat(binary)
				return err == nil && gone == nil && !os.SameFile(kept, now)
			})
			change(t, binary)
			w.keeps(t, id, "first")
			_ = e.Cancel(context.Background(), id, "test")
		})
	}
}

// within waits for something that another goroutine does.
func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

func (w *world) builds(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(w.folder.BinaryFile("x")))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Runs of one build share one copy, which goes when no run depends on it.
func TestBuildsAreKeptOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("copies are not counted here")
	}
	w := newWorld(t)
	e, binary := w.pinned(t)
	def := define("demo", step{key: "a"})
	first := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	second := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	a, err := os.Stat(w.folder.Executable(first.ID))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.Stat(w.folder.Executable(second.ID))
	if err != nil || !os.SameFile(a, b) || len(w.builds(t)) != 1 {
		t.Fatalf("two runs keep two copies: %v %v", err, w.builds(t))
	}
	old := w.builds(t)[0]
	// One of them completes, by another process: the other still needs the copy.
	w.performer.set("a", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), def, first.ID, local.Options{}))
	w.keeps(t, second.ID, "first")
	another := func(text string) {
		t.Helper()
		write(t, binary, text)
		w.performer.set("a", fails("no"))
		changed := define("demo", step{key: "a"})
		changed.Fingerprint = "of " + text
		e := w.engine(t, func(c *local.Config) { c.Executable = binary })
		r := must(t, flow.Failed)(e.Run(context.Background(), changed, nil, w.options()))
		w.keeps(t, r.ID, text)
	}
	another("second")
	if len(w.builds(t)) != 2 {
		t.Errorf("copies: %v", w.builds(t))
	}
	w.performer.set("a", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), def, second.ID, local.Options{}))
	another("third build")
	for _, name := range w.builds(t) {
		if name == old {
			t.Errorf("no run depends on %s, and it is there", name)
		}
	}
	if len(w.builds(t)) != 2 {
		t.Errorf("copies: %v", w.builds(t))
	}
}

// A run that soon completes leaves nothing, and copies nothing.
func TestBinaryOfARunThatCompletes(t *testing.T) {
	w := newWorld(t)
	e, _ := w.pinned(t)
	w.performer.set("a", nil)
	r := must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	if _, err := os.Stat(w.folder.Executable(r.ID)); !errors.Is(err, os.ErrNotExist) || len(w.builds(t)) > 0 {
		t.Errorf("left: %v, %v", err, w.builds(t))
	}
}

// Two builds that differ in nothing but their code are two.
func TestBuildsThatLookAlike(t *testing.T) {
	w := newWorld(t)
	e, binary := w.pinned(t)
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	def := define("demo", step{key: "a"})
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	write(t, binary, "other")
	if err := os.Chtimes(binary, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	other := define("demo", step{key: "a"})
	other.Fingerprint = "f2"
	e = w.engine(t, func(c *local.Config) { c.Executable = binary })
	s := must(t, flow.Failed)(e.Run(context.Background(), other, nil, w.options()))
	w.keeps(t, r.ID, "first")
	w.keeps(t, s.ID, "other")
}

// A process that lives longer than the file that it was started from does not
// take the next build for itself.
func TestBinaryReplacedUnderARunningProcess(t *testing.T) {
	w := newWorld(t)
	e, binary := w.pinned(t)
	changes()["replaced by a build"](t, binary)
	r := must(t, flow.Failed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	if _, err := os.Stat(w.folder.Executable(r.ID)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it keeps another build's binary: %v", err)
	}
	// Where the system still has the file, that is kept.
	if runtime.GOOS != "linux" {
		return
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(binary)
	if err := os.Link(own, binary); err != nil {
		t.Skip("the test's own binary is on another file system")
	}
	e = w.engine(t, func(c *local.Config) { c.Executable = binary })
	changes()["replaced by a build"](t, binary)
	r = must(t, flow.Failed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	kept, err := os.Stat(w.folder.Executable(r.ID))
	mine, err2 := os.Stat(own)
	if err != nil || err2 != nil || kept.Size() != mine.Size() || kept.Mode().Perm()&0o100 == 0 {
		t.Errorf("it keeps %v %v, and is %v %v", kept, err, mine, err2)
	}
}
