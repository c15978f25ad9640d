package local_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A step is a bash node of a test's workflow.
type step struct {
	key   string
	after []string
	// ask makes it a question instead, about an output, or "".
	ask, about string
	// retry tries it again so often.
	retry    int
	delay    time.Duration
	artifact string
}

// define makes a workflow of steps.
func define(name string, steps ...step) *flow.Definition {
	def := &flow.Definition{Name: name, Fingerprint: "f1"}
	for _, s := range steps {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: s.key, Kind: "bash", After: s.after, ArtifactType: s.artifact})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		tasks := map[string]*flow.Task[string]{}
		outputs := map[string]string{}
		for _, s := range steps {
			n := flow.Node[string]{Key: s.key, Kind: "bash", Retry: flow.Retry{Retries: s.retry, Delay: s.delay, All: true}, Run: func(c *flow.Context) (string, error) {
				if s.ask != "" {
					r, err := c.Ask("", flow.Question{Message: s.ask, Output: s.about})
					return r.Text, err
				}
				r, err := c.Do(flow.Bash{Script: s.key})
				return r.Text, err
			}}
			for _, key := range s.after {
				n.After = append(n.After, tasks[key])
			}
			tasks[s.key] = flow.Spawn(c, n)
		}
		err := flow.Settle(c)
		for _, s := range steps {
			outputs[s.key] = tasks[s.key].Final().Text
		}
		return outputs, err
	}
	return def
}

// performer performs steps as tests say; by default they complete with "ran
// KEY".
type performer struct {
	mu sync.Mutex
	// by says how steps go; nil results are those of the default.
	by map[string]func(ctx context.Context, call *engine.Attempt) flow.Result
	// done counts how often steps were performed.
	done map[string]int
	// begun takes the keys of steps that block.
	begun chan string
}

func newPerformer() *performer {
	return &performer{by: map[string]func(context.Context, *engine.Attempt) flow.Result{}, done: map[string]int{}, begun: make(chan string, 100)}
}

func (p *performer) Kind() string { return "bash" }

func (p *performer) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	p.mu.Lock()
	p.done[call.Action.Key]++
	do := p.by[call.Action.Key]
	p.mu.Unlock()
	if do != nil {
		return do(ctx, call)
	}
	return completed("ran " + call.Action.Key)
}

func (p *performer) count(key string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done[key]
}

// set says how a step goes from now on.
func (p *performer) set(key string, do func(context.Context, *engine.Attempt) flow.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.by[key] = do
}

// block performs a step until it is cancelled.
func (p *performer) block(ctx context.Context, call *engine.Attempt) flow.Result {
	p.begun <- call.Action.Key
	<-ctx.Done()
	return flow.Result{Status: flow.Cancelled}
}

func completed(text string) flow.Result { return flow.Result{Status: flow.Completed, Text: text} }

func fails(message string) func(context.Context, *engine.Attempt) flow.Result {
	return func(context.Context, *engine.Attempt) flow.Result {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: message}}
	}
}

// world is what engines share: a store, a state folder and a working folder.
type world struct {
	store     store.Store
	folder    state.Folder
	work      string
	performer *performer
	// refused is closed by tests in which something is refused.
	refused chan struct{}
}

func newWorld(t *testing.T) *world {
	return &world{memory.New(), state.Folder{Path: t.TempDir()}, t.TempDir(), newPerformer(), make(chan struct{})}
}

// engine makes an engine, as another process would. change may be nil.
func (w *world) engine(t *testing.T, change func(*local.Config)) *local.Engine {
	t.Helper()
	cfg := local.Config{
		Store: w.store, State: w.folder.Path, Performers: []engine.Performer{w.performer},
		Environ: []string{"PATH=" + os.Getenv("PATH")}, Poll: 10 * time.Millisecond,
	}
	if change != nil {
		change(&cfg)
	}
	e, err := local.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	return e
}

func (w *world) options() local.Options { return local.Options{WorkDir: w.work} }

// steps returns the states of a run's steps.
func (w *world) steps(t *testing.T, id string) map[string]flow.Record {
	t.Helper()
	list, err := w.store.Steps(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]flow.Record{}
	for _, s := range list {
		steps[s.Key] = s
	}
	return steps
}

func (w *world) run(t *testing.T, id string) store.Run {
	t.Helper()
	r, err := w.store.Run(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// must runs or resumes and wants the given end.
func must(t *testing.T, want flow.Status) func(*local.Result, error) *local.Result {
	return func(r *local.Result, err error) *local.Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != want {
			t.Fatalf("run %s ended as %s (%s), want %s", r.ID, r.Status, r.Error, want)
		}
		return r
	}
}
