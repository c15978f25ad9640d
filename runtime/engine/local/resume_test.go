package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
)

func TestResumeDoesOnlyWhatIsNotCompleted(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}}, step{key: "c", after: []string{"b"}})
	w.performer.set("b", fails("no luck"))
	e := w.engine(t, nil)
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	w.performer.set("b", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, local.Options{}))
	for key, want := range map[string]int{"a": 1, "b": 2, "c": 1} {
		if n := w.performer.count(key); n != want {
			t.Errorf("%s was performed %d times, want %d", key, n, want)
		}
	}
	if kept := w.run(t, r.ID); kept.Processes != 2 || kept.Error != "" {
		t.Errorf("kept: %+v", kept)
	}
	_, err := e.Resume(context.Background(), def, r.ID, local.Options{})
	if err == nil || !strings.Contains(err.Error(), "has completed") {
		t.Errorf("resuming a completed run: %v", err)
	}
}

func TestResumeRefuses(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a"})
	w.performer.set("a", fails("no"))
	e := w.engine(t, nil)
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	if _, err := e.Resume(context.Background(), def, "none", local.Options{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
	if _, err := os.Stat(w.folder.RunDir("none")); err == nil {
		t.Error("an unknown run has a folder now")
	}
	other := define("other", step{key: "a"})
	if _, err := e.Resume(context.Background(), other, r.ID, local.Options{}); err == nil || !strings.Contains(err.Error(), "belongs to workflow demo, and this is other") {
		t.Errorf("a run of another workflow: %v", err)
	}
	if err := os.Remove(w.work); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Resume(context.Background(), def, r.ID, local.Options{}); err == nil || !strings.Contains(err.Error(), "works in the folder "+w.work+", which does not exist; to continue, put the project there") {
		t.Errorf("a run whose folder is gone: %v", err)
	}
	if status, err := e.Status(context.Background(), r.ID); err != nil || status.Status != flow.Failed {
		t.Errorf("status after refusals: %+v %v", status, err)
	}
}

// The folders of a run of another machine are in this machine's state folder, and outputs that are kept
// as files are written there again.
func TestResumeOnAnotherMachine(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a", artifact: "report"}, step{key: "b", after: []string{"a"}})
	def.Uses.SharedDir = true
	w.performer.set("b", fails("no luck"))
	r := must(t, flow.Failed)(w.engine(t, nil).Run(context.Background(), def, nil, w.options()))
	first := w.folder.Path
	w.folder.Path = t.TempDir()
	w.performer.set("b", func(_ context.Context, call *engine.Attempt) flow.Result {
		report, _ := os.ReadFile(filepath.Join(w.folder.Artifacts(r.ID), "nodes", "a.md"))
		return completed(strings.Join([]string{string(report), call.Info.ArtifactsDir, call.Info.LogDir, call.Info.SharedDir}, " "))
	})
	err := errors.Join(os.RemoveAll(first), os.WriteFile(first, nil, 0o600)) // nothing can be made there
	must(t, flow.Completed)(w.engine(t, nil).Resume(context.Background(), def, r.ID, local.Options{}))
	want := strings.Join([]string{"ran a", w.folder.Artifacts(r.ID), w.folder.RunDir(r.ID), w.folder.Shared()}, " ")
	if text := w.steps(t, r.ID)["b"].Text; err != nil || text != want {
		t.Errorf("it got %q, want %q (%v)", text, want, err)
	}
}

func TestLease(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", w.performer.block)
	def := define("demo", step{key: "a"})
	first, second := w.engine(t, nil), w.engine(t, nil)
	id, err := first.RunAsync(context.Background(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	var busy *local.BusyError
	if _, err := second.Resume(context.Background(), def, id, local.Options{}); !errors.As(err, &busy) || busy.RunID != id || !strings.HasPrefix(busy.Holder, "process ") {
		t.Errorf("resumed by another engine: %v", err)
	}
	if _, err := first.Resume(context.Background(), def, id, local.Options{}); !errors.As(err, &busy) || busy.Holder != "this process" {
		t.Errorf("resumed by the same engine: %v", err)
	}
	if _, err := second.Run(context.Background(), def, nil, local.Options{ID: id, WorkDir: w.work}); !errors.As(err, &busy) {
		t.Errorf("begun once more: %v", err)
	}
	if status, err := second.Status(context.Background(), id); err != nil || status.Status != flow.Running {
		t.Errorf("status: %+v %v", status, err)
	}
}

func TestExclusiveWorkflowsHaveTheCheckoutAlone(t *testing.T) {
	w := newWorld(t)
	sub := filepath.Join(w.work, "sub")
	for _, dir := range []string{filepath.Join(w.work, ".git"), sub} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.performer.set("hold", w.performer.block)
	def := define("demo", step{key: "hold"})
	def.ExclusiveCheckout = true
	free := define("free", step{key: "a"})
	e := w.engine(t, nil)
	id, err := e.RunAsync(context.Background(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	var busy *local.BusyError
	_, err = w.engine(t, nil).Run(context.Background(), def, nil, local.Options{ID: "second", WorkDir: sub})
	if !errors.As(err, &busy) || busy.Checkout == "" || !strings.Contains(err.Error(), "run "+id+" works on the checkout") {
		t.Errorf("a second run: %v", err)
	}
	// The advice is for the format of the workflow, and for git or a folder.
	graph := define("graph", step{key: "a"})
	graph.ExclusiveCheckout, graph.Graph = true, &flow.GraphInfo{}
	inPlace := define("inplace", step{key: "a"})
	inPlace.ExclusiveCheckout, inPlace.Worktree = true, flow.WorktreeNever
	const tree, key = "its own worktree (`--worktree`)", "set `mutates_checkout: false`"
	for _, tt := range []struct {
		def       *flow.Definition
		has, lack string
	}{{def, tree, "folder"}, {def, key, "folder"}, {graph, tree, key}, {inPlace, "or run in another checkout", tree}} {
		_, err := w.engine(t, nil).Run(context.Background(), tt.def, nil, local.Options{ID: "other", WorkDir: sub})
		if err == nil || !strings.Contains(err.Error(), tt.has) || strings.Contains(err.Error(), tt.lack) {
			t.Errorf("a second run of %s: %v, want %q and not %q", tt.def.Name, err, tt.has, tt.lack)
		}
	}
	if _, err := os.Stat(w.folder.RunDir("second")); err == nil {
		t.Error("the refused run left its folder")
	}
	must(t, flow.Completed)(e.Run(context.Background(), free, nil, w.options()))
	if err := e.Cancel(context.Background(), id, ""); err != nil {
		t.Fatal(err)
	}
	w.performer.set("hold", nil)
	must(t, flow.Completed)(e.Run(context.Background(), def, nil, local.Options{WorkDir: sub}))
}

func TestOtherBuilds(t *testing.T) {
	w := newWorld(t)
	executable := filepath.Join(t.TempDir(), "demo")
	build := func(text string) {
		t.Helper()
		os.Remove(executable) // builds replace
		if err := os.WriteFile(executable, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	build("first")
	e := w.engine(t, func(c *local.Config) { c.Executable = executable })
	w.performer.set("b", fails("no luck"))
	def := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}})
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))

	build("second")
	e = w.engine(t, func(c *local.Config) { c.Executable = executable })
	changed := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}}, step{key: "c", after: []string{"b"}})
	changed.Fingerprint = "f2"
	var other *runerr.OtherBuildError
	if _, err := e.Resume(context.Background(), changed, r.ID, local.Options{}); !errors.As(err, &other) {
		t.Fatalf("resumed by another build: %v", err)
	}
	if text, err := os.ReadFile(other.Executable); err != nil || string(text) != "first" {
		t.Errorf("the run's build is kept as %q, %v", text, err)
	}

	renamed := define("demo", step{key: "x"}, step{key: "b"})
	renamed.Fingerprint = "f3"
	if _, err := e.Resume(context.Background(), renamed, r.ID, local.Options{Force: true}); err == nil || !strings.Contains(err.Error(), "completed step `a`, which this build does not have") {
		t.Errorf("moved to a build without a step: %v", err)
	}
	retyped := define("demo", step{key: "a"}, step{key: "b"})
	retyped.Fingerprint, retyped.Nodes[0].Kind = "f4", "prompt"
	if _, err := e.Resume(context.Background(), retyped, r.ID, local.Options{Force: true}); err == nil || !strings.Contains(err.Error(), "as a bash node, which is a prompt node here") {
		t.Errorf("moved to a build with another kind of step: %v", err)
	}

	// Moved, the run belongs to the new build, also after another failure.
	must(t, flow.Failed)(e.Resume(context.Background(), changed, r.ID, local.Options{Force: true}))
	if _, err := e.Resume(context.Background(), def, r.ID, local.Options{}); !errors.As(err, &other) {
		t.Fatalf("resumed by its old build: %v", err)
	}
	if text, err := os.ReadFile(other.Executable); err != nil || string(text) != "second" {
		t.Errorf("the run's build is kept as %q, %v", text, err)
	}
	w.performer.set("b", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), changed, r.ID, local.Options{}))
	if _, err := os.Stat(w.folder.Executable(r.ID)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the completed run still keeps its build: %v", err)
	}
	if n := w.performer.count("a"); n != 1 {
		t.Errorf("a was performed %d times", n)
	}
}

func TestABuildThatIsNotKept(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", fails("no"))
	e := w.engine(t, func(c *local.Config) { c.Executable = filepath.Join(w.work, "gone") })
	r := must(t, flow.Failed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	changed := define("demo", step{key: "a"})
	changed.Fingerprint = "f2"
	var other *runerr.OtherBuildError
	if _, err := e.Resume(context.Background(), changed, r.ID, local.Options{}); !errors.As(err, &other) || other.Executable != "" || !strings.Contains(err.Error(), "no longer kept") {
		t.Errorf("%v", err)
	}
}

// A retry that was due after the process had died is done by the next one, at
// its time.
func TestRetryGoesOnInALaterProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		def := define("demo", step{key: "a", retry: 1, delay: time.Hour})
		w.performer.set("a", fails("not yet"))
		resting := make(chan struct{})
		e := w.engine(t, func(c *local.Config) {
			c.Watch = func(n local.Notice) {
				if s := n; s.Step != nil && !s.Step.Deadline.IsZero() {
					close(resting)
				}
			}
		})
		begun := time.Now()
		id, err := e.RunAsync(context.Background(), def, nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		<-resting
		if err := e.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		attempt := 0
		w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
			attempt = call.Number
			return completed("")
		})
		must(t, flow.Completed)(w.engine(t, nil).Resume(context.Background(), def, id, local.Options{}))
		if attempt != 2 || time.Since(begun) < time.Hour || time.Since(begun) > time.Hour+time.Minute {
			t.Errorf("attempt %d after %v", attempt, time.Since(begun))
		}
	})
}
