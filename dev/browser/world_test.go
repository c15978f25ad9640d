// Package browser tries the pages of `wfc serve` in Chromium: `make test-browser`.
package browser

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	wfc      = flag.String("wfc", "", "the program wfc")
	chromium = flag.String("chromium", "chromium", "the program Chromium")
	axe      = flag.String("axe", "", "the file axe.min.js of axe-core, which audits pages")
	shots    = flag.String("shots", "", "the folder for screenshots; without it, there are none")
)

// patience is how long a test waits for an event that must come.
const patience = time.Minute

// A world is a project with workflows and a state folder of its own.
type world struct {
	t *testing.T
	// dir is the project, and home the folder of the state and of the configuration.
	dir, home string
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	if *wfc == "" {
		t.Skip("make test-browser names the program")
	}
	w := &world{t, filepath.Join(t.TempDir(), "shop"), t.TempDir()}
	for name, content := range files {
		path := filepath.Join(w.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "--quiet", w.dir).CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	return w
}

func (w *world) environment() []string {
	return append(os.Environ(), "XDG_STATE_HOME="+w.home, "WFC_STATE=", "NO_COLOR=1")
}

// run runs wfc, which must end with a code, and returns what it prints.
func (w *world) run(code int, args ...string) string {
	w.t.Helper()
	cmd := exec.Command(*wfc, args...)
	cmd.Dir, cmd.Env = w.dir, w.environment()
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		w.t.Fatalf("wfc %v: %d, %v\n%s", args, got, err, out)
	}
	return string(out)
}

var runID = regexp.MustCompile(`(?m)^run (\S+)$`)

// start starts a workflow and returns the id of the run, which waits.
func (w *world) start(args ...string) string {
	w.t.Helper()
	out := w.run(3, append([]string{"run"}, append(args, "--no-ask", "--agent", "claude=scripted:replies.json")...)...)
	return runID.FindStringSubmatch(out)[1]
}

// file returns the content of a file of the project, for which it waits.
func (w *world) file(name string) string {
	w.t.Helper()
	var text []byte
	await(w.t, name, func() bool {
		var err error
		text, err = os.ReadFile(filepath.Join(w.dir, name))
		return err == nil
	})
	return string(text)
}

// state is the state folder of the project.
func (w *world) state() string {
	w.t.Helper()
	found, _ := filepath.Glob(filepath.Join(w.home, "wfc", "*", "runs.db"))
	if len(found) != 1 {
		w.t.Fatalf("the state folders are %q", found)
	}
	return filepath.Dir(found[0])
}

// await waits until something holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%s does not come", what)
		}
	}
}

var openAddress = regexp.MustCompile(`open (http://[^/\s]+)(/\S*)?\s`)

// A server is a process that serves pages.
type server struct {
	// base is its address, and entry the path by which a browser signs in.
	base, entry string
	stop        func()
}

// serve starts `wfc serve`, which ends with the test.
func (w *world) serve(args ...string) *server {
	w.t.Helper()
	cmd := exec.Command(*wfc, append([]string{"serve", "--address=127.0.0.1:0"}, args...)...)
	cmd.Dir, cmd.Env = w.dir, w.environment()
	out, err := cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	s := &server{}
	s.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			w.t.Logf("serve: %v", err)
		}
	})
	w.t.Cleanup(s.stop)
	said, piece := "", make([]byte, 4096)
	for {
		n, err := out.Read(piece)
		said += string(piece[:n])
		if found := openAddress.FindStringSubmatch(said); found != nil {
			s.base, s.entry = found[1], found[2]
			return s
		}
		if err != nil {
			w.t.Fatalf("serve said %q: %v", said, err)
		}
	}
}

// background starts a run that the test does not wait for, and returns its end.
func (w *world) background(args ...string) (ended func() string) {
	w.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, *wfc, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.environment(), &out, &out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	w.t.Cleanup(func() { stop(); <-done })
	return func() string { <-done; return strings.TrimSpace(out.String()) }
}
