//go:build unix

package local_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store"
)

// starting is a store that calls a function before it commits the start of a step.
type starting struct {
	store.Store
	before func(key string) error
}

func (s *starting) Commit(ctx context.Context, id string, b flow.Batch) error {
	for _, r := range b.Steps {
		if r.Status == flow.Running {
			if err := s.before(r.Key); err != nil {
				return err
			}
		}
	}
	return s.Store.Commit(ctx, id, b)
}

// witness is the performer of scripts; it tells of the actions whose process starts held.
type witness struct {
	*shell.Performer
	held chan string
}

func (w *witness) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	if process.HoldOf(ctx) != nil {
		w.held <- call.Action.Key
	}
	return w.Performer.Perform(ctx, call)
}

func touching(file string) *flow.Definition {
	def := &flow.Definition{Name: "held", Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash", After: []string{"a"}}}}
	def.Flow = func(c *flow.Context) (any, error) {
		script := func(text string) func(c *flow.Context) (string, error) {
			return func(c *flow.Context) (string, error) { return flow.TextOf(c.Do(flow.Bash{Script: text})) }
		}
		a := flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Run: script("echo a >> '" + file + "'")})
		flow.Spawn(c, flow.Node[string]{Key: "b", Kind: "bash", After: []flow.AnyTask{a}, Run: script("echo b >> '" + file + "'")})
		return nil, flow.Settle(c)
	}
	return def
}

// The process of a script starts while the start of its step is committed, and does nothing
// before that.
func TestScriptWaitsForTheCommit(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash on PATH")
	}
	refused := errors.New("the disk is full")
	for _, c := range []struct {
		name string
		fail string // the step whose start cannot be committed
		want string
	}{{"committed", "", "a\nb\n"}, {"not committed", "b", "a\n"}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			file := filepath.Join(w.work, "done")
			scripts := &witness{&shell.Performer{}, make(chan string, 2)}
			before := map[string]string{}
			w.store = &starting{w.store, func(key string) error {
				if held := <-scripts.held; held != key {
					t.Errorf("%s is held, not %s", held, key)
				}
				text, _ := os.ReadFile(file)
				before[key] = string(text)
				if key == c.fail {
					return refused
				}
				return nil
			}}
			e := w.engine(t, func(cfg *local.Config) { cfg.Performers = []engine.Performer{scripts} })
			r, err := e.Run(t.Context(), touching(file), nil, local.Options{WorkDir: w.work})
			if c.fail == "" && (err != nil || r.Status != flow.Completed) || c.fail != "" && !errors.Is(err, refused) {
				t.Errorf("%+v, %v", r, err)
			}
			text, err := os.ReadFile(file)
			if err != nil || string(text) != c.want || before["a"] != "" || before["b"] != "a\n" {
				t.Errorf("the scripts wrote %q, before the commits %q, %v", text, before, err)
			}
		})
	}
}

// crowded is a store to which other processes write.
type crowded struct{ store.Store }

func (crowded) Crowded() bool { return true }

// While other runs need the processors, a process that starts early only takes time from them.
func TestCrowdedRunHoldsNothing(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash on PATH")
	}
	local.Scarce(t)
	for _, c := range []struct {
		name string
		wrap func(store.Store) store.Store
		held int
	}{
		{"alone", func(s store.Store) store.Store { return s }, 2},
		{"crowded", func(s store.Store) store.Store { return crowded{s} }, 0},
	} {
		w := newWorld(t)
		w.store = c.wrap(w.store)
		scripts := &witness{&shell.Performer{}, make(chan string, 2)}
		e := w.engine(t, func(cfg *local.Config) { cfg.Performers = []engine.Performer{scripts} })
		r, err := e.Run(t.Context(), touching(filepath.Join(w.work, "done")), nil, local.Options{WorkDir: w.work})
		if err != nil || r.Status != flow.Completed || len(scripts.held) != c.held {
			t.Errorf("%s: %+v, %v, %d held", c.name, r, err, len(scripts.held))
		}
	}
}
