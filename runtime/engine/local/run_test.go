package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

func TestRun(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}})
	e := w.engine(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the caller's context ends nothing
	r := must(t, flow.Completed)(e.Run(ctx, def, json.RawMessage(`{"x":1}`), w.options()))
	if string(r.Outputs) != `{"a":"ran a","b":"ran b"}` || r.Summary != "ran b" {
		t.Errorf("outputs %s, summary %q", r.Outputs, r.Summary)
	}
	kept := w.run(t, r.ID)
	if kept.Status != flow.Completed || string(kept.Inputs) != `{"x":1}` || kept.WorkDir != w.work || kept.DocsDir != "docs/" || kept.Finished.IsZero() {
		t.Errorf("kept: %+v", kept)
	}
	info, err := os.Stat(kept.LogDir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("run folder: %v %v", info, err)
	}
	if info, err := os.Stat(kept.ArtifactsDir); err != nil || !info.IsDir() {
		t.Errorf("artifacts folder: %v %v", info, err)
	}
	if live := e.Live(); len(live) > 0 {
		t.Errorf("still live: %v", live)
	}
}

func TestAFailedRunIsNoError(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", fails("no luck"))
	e := w.engine(t, nil)
	r := must(t, flow.Failed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	if !strings.Contains(r.Error, "no luck") {
		t.Errorf("error %q", r.Error)
	}
}

func TestPerformersThatCannot(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", func(context.Context, *engine.Attempt) flow.Result { panic("oops") })
	e := w.engine(t, nil)
	r := must(t, flow.Failed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	if f := w.steps(t, r.ID)["a"].Failure; f == nil || f.Reason != "panic" || !strings.Contains(f.Message, "oops") {
		t.Errorf("failure %+v", f)
	}
	e = w.engine(t, func(c *local.Config) { c.Performers = nil })
	r = must(t, flow.Failed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	if f := w.steps(t, r.ID)["a"].Failure; f == nil || f.Message != "nothing performs steps of kind `bash` here" {
		t.Errorf("failure %+v", f)
	}
}

func TestBeginRefuses(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	def := define("demo", step{key: "a"})
	must(t, flow.Completed)(e.Run(context.Background(), def, nil, local.Options{ID: "taken", WorkDir: w.work}))
	cases := map[string]struct {
		inputs string
		opt    local.Options
		want   string
	}{
		"inputs that are a list": {`[1]`, w.options(), "not a JSON object"},
		"inputs that end early":  {`{"a":`, w.options(), "not a JSON object"},
		"an id with a slash":     {`{}`, local.Options{ID: "a/b", WorkDir: w.work}, "cannot be the id"},
		"an id that moves up":    {`{}`, local.Options{ID: "..", WorkDir: w.work}, "cannot be the id"},
		"the id latest":          {`{}`, local.Options{ID: "latest", WorkDir: w.work}, "cannot be the id"},
		"an id that is taken":    {`{}`, local.Options{ID: "taken", WorkDir: w.work}, "exists already"},
		"a folder that is not":   {`{}`, local.Options{WorkDir: filepath.Join(w.work, "none")}, "working folder"},
	}
	for name, c := range cases {
		_, err := e.Run(context.Background(), def, json.RawMessage(c.inputs), c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Nothing is left of what was refused, and nothing taken from what was there.
	entries, err := os.ReadDir(filepath.Join(w.folder.Path, "runs"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "taken" {
		t.Errorf("run folders: %v %v", entries, err)
	}
	if live := e.Live(); len(live) > 0 {
		t.Errorf("live: %v", live)
	}
}

// failing is a store whose commits fail after some.
type failing struct {
	store.Store
	left int
}

func (f *failing) Commit(ctx context.Context, id string, b flow.Batch) error {
	if f.left--; f.left < 0 {
		return errors.New("the disk is full")
	}
	return f.Store.Commit(ctx, id, b)
}

// After a commit that failed nothing goes on: what runs is ended, the run can
// be resumed.
func TestFailedCommit(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "quick"}, step{key: "slow"})
	ended := make(chan struct{})
	slow := make(chan struct{})
	w.performer.set("slow", func(ctx context.Context, call *engine.Attempt) flow.Result {
		defer close(ended)
		close(slow)
		<-ctx.Done()
		return flow.Result{Status: flow.Cancelled}
	})
	w.performer.set("quick", func(context.Context, *engine.Attempt) flow.Result {
		<-slow
		return completed("")
	})
	e := w.engine(t, func(c *local.Config) { c.Store = &failing{w.store, 1} })
	_, err := e.Run(context.Background(), def, nil, local.Options{ID: "full", WorkDir: w.work})
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatalf("error %v", err)
	}
	select {
	case <-ended:
	default:
		t.Error("a step was left running")
	}
	status, err := e.Status(context.Background(), "full")
	if err != nil || status.Status != flow.Interrupted {
		t.Fatalf("status %v %v", status, err)
	}
	w.performer.set("slow", nil)
	w.performer.set("quick", nil)
	must(t, flow.Completed)(w.engine(t, nil).Resume(context.Background(), def, "full", local.Options{}))
}

func TestRunAsyncAndShutdown(t *testing.T) {
	w := newWorld(t)
	w.performer.set("b", w.performer.block)
	def := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}})
	e := w.engine(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	id, err := e.RunAsync(ctx, def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-w.performer.begun
	status, err := e.Status(context.Background(), id)
	if err != nil || status.Status != flow.Running || len(status.Steps) != 2 || status.Steps[0].Status != flow.Completed {
		t.Errorf("status %+v %v", status, err)
	}
	if err := e.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if status, err = e.Status(context.Background(), id); err != nil || status.Status != flow.Interrupted {
		t.Errorf("status %+v %v", status, err)
	}
	// Nothing of it is running.
	if len(status.Steps) != 2 || status.Steps[0].Status != flow.Completed || status.Steps[1].Status != flow.Interrupted {
		t.Errorf("its steps: %+v", status.Steps)
	}
	if _, err := e.Run(context.Background(), def, nil, w.options()); !errors.Is(err, local.ErrShutdown) {
		t.Errorf("a run after the shutdown: %v", err)
	}
	w.performer.set("b", nil)
	other := w.engine(t, nil)
	must(t, flow.Completed)(other.Resume(context.Background(), def, id, local.Options{}))
	if n := w.performer.count("a"); n != 1 {
		t.Errorf("a was performed %d times", n)
	}
	if n := w.performer.count("b"); n != 2 {
		t.Errorf("b was performed %d times", n)
	}
}

func TestRunIsStoppedByShutdown(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", w.performer.block)
	e := w.engine(t, nil)
	failure := make(chan error)
	go func() {
		_, err := e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options())
		failure <- err
	}()
	<-w.performer.begun
	go func() { _ = e.Shutdown(context.Background()) }()
	if err := <-failure; !errors.Is(err, local.ErrShutdown) {
		t.Errorf("error %v", err)
	}
}

// A shutdown that does not succeed in time says so.
func TestShutdownWaitsNoLongerThanItMay(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.performer.set("a", func(context.Context, *engine.Attempt) flow.Result {
		w.performer.begun <- "a"
		<-release
		return completed("")
	})
	e := w.engine(t, nil)
	if _, err := e.RunAsync(context.Background(), define("demo", step{key: "a"}), nil, w.options()); err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(release)
}

// Several runs on several engines of one store at once.
func TestTwoEnginesOnOneStore(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}})
	engines := []*local.Engine{w.engine(t, nil), w.engine(t, nil)}
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			r, err := engines[i%2].Run(context.Background(), def, nil, w.options())
			if err != nil || r.Status != flow.Completed {
				t.Errorf("run %d: %+v %v", i, r, err)
			}
		})
	}
	wait.Wait()
	runs, err := engines[0].ListRuns(context.Background(), store.Filter{Workflow: "demo"})
	if err != nil || len(runs) != 20 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// The watcher sees what was committed, in order, one notice at a time.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		attempts := 0
		w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
			call.Output("stdout", []byte("hello"))
			if attempts++; attempts == 1 {
				return fails("not yet")(nil, nil)
			}
			return completed("done")
		})
		var seen []string
		busy := false
		e := w.engine(t, func(c *local.Config) {
			c.Watch = func(n local.Notice) {
				if busy {
					t.Error("two notices at once")
				}
				busy = true
				defer func() { busy = false }()
				switch {
				case n.Begin:
					seen = append(seen, fmt.Sprint("begin ", n.Resumed))
				case n.Step != nil:
					kept, err := w.store.Steps(context.Background(), n.RunID)
					if err != nil || kept[0].Status != n.Step.Status {
						t.Errorf("%+v was told before it was committed", n.Step)
					}
					seen = append(seen, fmt.Sprint(n.Step.Key, " ", n.Step.Status, " ", n.Step.Attempt, " ", !n.Step.Deadline.IsZero()))
				case n.Logged != nil:
					seen = append(seen, n.Logged.Type)
				case n.Piece != nil:
					seen = append(seen, n.Key+" "+n.Stream+" "+string(n.Piece))
				case n.End != nil:
					seen = append(seen, "end "+string(n.End.Status))
				}
			}
		})
		must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a", retry: 1, delay: time.Minute}), nil, w.options()))
		want := "begin false|a running 1 false|a stdout hello|step_retrying|a running 2 true|a running 2 false|a stdout hello|a completed 2 false|end completed"
		if got := strings.Join(seen, "|"); got != want {
			t.Errorf("seen %s\nwant %s", got, want)
		}
	})
}

// A flow that forgets to settle its nodes fails, in each process of the run, and runs none.
func TestUnsettledNodesFailTheRun(t *testing.T) {
	w := newWorld(t)
	def := &flow.Definition{Name: "demo", Fingerprint: "f1", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		for _, n := range def.Nodes {
			flow.Spawn(c, flow.Node[string]{Key: n.Key, Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Bash{Script: n.Key}))
			}})
		}
		return "done", nil
	}
	const want = "the flow returned while `a` and `b` had not settled: end it with `return outputs, flow.Settle(c)`"
	e := w.engine(t, nil)
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	again := must(t, flow.Failed)(e.Resume(context.Background(), def, r.ID, local.Options{}))
	if r.Error != want || again.Error != want || r.Reason != "misuse" {
		t.Errorf("%+v %+v", r, again)
	}
	for _, s := range w.steps(t, r.ID) {
		if s.Status != flow.Skipped {
			t.Errorf("%+v", s)
		}
	}
}
