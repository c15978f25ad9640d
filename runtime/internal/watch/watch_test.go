package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/watch"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// A watched source passes its changes on.
type watched struct {
	t       *testing.T
	watcher watch.Watcher
	passed  chan inbox.Delivery
	known   map[string]bool
	// fails makes the queue fail.
	fails bool
}

func newWatched(t *testing.T, on settings.TriggerSource) *watched {
	t.Helper()
	on.Every = time.Millisecond
	w := &watched{t: t, passed: make(chan inbox.Delivery, 100), known: map[string]bool{}}
	w.watcher = watch.Watcher{
		Trigger: &trigger.Trigger{Trigger: settings.Trigger{On: on}}, Dir: t.TempDir(), Environ: os.Environ(),
		Memory: filepath.Join(t.TempDir(), "memory.json"), Log: slog.New(slog.DiscardHandler),
		Accept: func(_ context.Context, d inbox.Delivery) (inbox.Receipt, error) {
			if w.fails {
				return inbox.Receipt{}, errors.New("the store is away")
			}
			if w.known[d.ID] { // as the queue does
				return inbox.Receipt{Outcome: inbox.Known}, nil
			}
			w.known[d.ID] = true
			w.passed <- d
			return inbox.Receipt{Outcome: inbox.Queued}, nil
		},
	}
	return w
}

// run watches while do works, as one process.
func (w *watched) run(do func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	again := w.watcher // nothing is remembered but in the file
	done := make(chan error, 1)
	go func() { done <- again.Run(ctx) }()
	do()
	cancel()
	if err := <-done; err != nil {
		w.t.Error(err)
	}
}

// next returns a field of the payload of the next change.
func (w *watched) next(field string) string {
	w.t.Helper()
	select {
	case d := <-w.passed:
		var payload map[string]string
		if err := json.Unmarshal(d.Payload, &payload); err != nil {
			w.t.Fatal(err)
		}
		return payload[field]
	case <-time.After(20 * time.Second):
		w.t.Fatal("nothing was noticed")
		return ""
	}
}

// quiet fails if something was noticed.
func (w *watched) quiet() {
	w.t.Helper()
	select {
	case d := <-w.passed:
		w.t.Errorf("noticed: %s", d.ID)
	default:
	}
}

func (w *watched) write(name, content string) {
	w.t.Helper()
	path := filepath.Join(w.watcher.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	w := newWatched(t, settings.TriggerSource{Files: "in/**/*.json"})
	outside := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(outside, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("in/a.json", "1")
	w.write("in/note.txt", "no")
	if err := os.Symlink(outside, filepath.Join(w.watcher.Dir, "in", "link.json")); err != nil {
		t.Skip(err)
	}
	w.run(func() {
		if got := w.next("path"); got != "in/a.json" {
			t.Errorf("noticed %s", got)
		}
		w.write("in/deep/er/b.json", "1")
		if got := w.next("path"); got != "in/deep/er/b.json" {
			t.Errorf("noticed %s", got)
		}
		w.write("in/a.json", "22")
		w.next("path")
		w.write("in/a.json", "1") // as it was before
		w.next("path")
	})
	// While nobody watches, one file changes and another one is touched.
	w.write("in/a.json", "333")
	touched := filepath.Join(w.watcher.Dir, "in/deep/er/b.json")
	if err := os.Chtimes(touched, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.run(func() {
		if got := w.next("path"); got != "in/a.json" {
			t.Errorf("noticed %s", got)
		}
		w.write("in/z.json", "last")
		if got := w.next("name"); got != "z.json" {
			t.Errorf("noticed %s", got)
		}
	})
	w.quiet()
	if err := os.WriteFile(w.watcher.Memory, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.watcher.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "remove "+w.watcher.Memory) {
		t.Error(err)
	}
}

// A crash between the queue and the memory does not make two deliveries of one change.
func TestCrashBeforeMemory(t *testing.T) {
	w := newWatched(t, settings.TriggerSource{Files: "*.json"})
	w.write("a.json", "1")
	w.run(func() { w.next("path") })
	if err := os.Remove(w.watcher.Memory); err != nil {
		t.Fatal(err)
	}
	w.run(func() {
		w.write("b.json", "1")
		if got := w.next("path"); got != "b.json" {
			t.Errorf("noticed %s again", got)
		}
	})
	w.quiet()
}

func TestBranch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	origin := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = origin
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func() string {
		git("commit", "-q", "--allow-empty", "-m", "more")
		return git("rev-parse", "HEAD")
	}
	git("init", "-q", "-b", "main")
	first := commit()
	w := newWatched(t, settings.TriggerSource{Branch: "main", Repository: origin})
	w.run(func() {
		for { // until the first commit is where the watch begins
			if text, _ := os.ReadFile(w.watcher.Memory); strings.Contains(string(text), first) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		second := commit()
		if got := w.next("commit"); got != second {
			t.Errorf("noticed %s, want %s", got, second)
		}
	})
	third := commit()
	git("branch", "other")
	w.run(func() {
		d := <-w.passed
		var payload map[string]string
		if err := json.Unmarshal(d.Payload, &payload); err != nil {
			t.Fatal(err)
		}
		if payload["commit"] != third || payload["branch"] != "main" || payload["previous"] == "" || payload["repository"] != origin {
			t.Errorf("the payload is %v", payload)
		}
	})
	w.quiet()
}

// A remote helper is a program that a URL names: git must not start it.
func TestNoRemoteHelper(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	w := newWatched(t, settings.TriggerSource{Branch: "main", Repository: "ext::touch " + mark})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := w.watcher.Run(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("git has started a program")
	}
}
