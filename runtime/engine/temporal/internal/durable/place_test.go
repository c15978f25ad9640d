package durable_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
)

// hosted returns a run whose files are in a checkout on the one worker.
func hosted(t *testing.T, s stage, nodes string, fn func(c *flow.Context) (any, error)) (w *trial.World, checkout string) {
	t.Helper()
	w = world(t, s, nodes, fn)
	g := origin(t)
	w.Options.Workspace = wire.WorkspaceHost
	w.Run.Info.WorkDir = g.Path
	w.Run.Environ = g.Environ
	return w, g.Path
}

// checkoutLock is the lock of a checkout in the state folder of a run's worker.
func checkoutLock(t *testing.T, w *trial.World, checkout string) string {
	t.Helper()
	root, err := state.Root(checkout)
	if err != nil {
		t.Fatal(err)
	}
	return state.Folder{Path: w.Run.RunDir}.CheckoutLock(root)
}

func isHeld(t *testing.T, path string) bool {
	t.Helper()
	held, _, err := filelock.Held(path)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// A run with a worktree changes nothing in the checkout of its worker.
func TestWorktree(t *testing.T) {
	for _, always := range []bool{false, true} {
		w, checkout := hosted(t, stage{"a": edits("new", "from a\n"), "b": reads("new")}, "a gate<a b<gate", func(c *flow.Context) (any, error) {
			bash(c, "b", gate(c, "gate", bash(c, "a")))
			return nil, flow.Settle(c)
		})
		branch := "feature"
		if always {
			w.Run.Definition.Worktree, branch = flow.WorktreeAlways, "wfc/demo-000001"
		} else {
			w.Options.Worktree = &worktree.Tree{Branch: branch}
		}
		must(t, flow.Paused)(w.Process())
		must(t, flow.Paused)(w.Process()) // suspended, and begun again in the same place
		must(t, flow.Completed)(w.Process(approve("gate#1")))
		if _, err := os.Stat(filepath.Join(checkout, "new")); err == nil {
			t.Error("the checkout has the file of the worktree")
		}
		if got := step(w, "b").Text; got != "from a" {
			t.Errorf("b read %q", got)
		}
		tree := state.Folder{Path: w.Run.RunDir}.WorktreeDir("demo-000001")
		if head, err := os.ReadFile(filepath.Join(checkout, ".git", "worktrees", filepath.Base(tree), "HEAD")); err != nil || strings.TrimSpace(string(head)) != "ref: refs/heads/"+branch {
			t.Errorf("the worktree is at %s: %v", head, err)
		}
	}
}

// A worktree that cannot be made fails the run and leaves no branch.
func TestWorktreeRefused(t *testing.T) {
	w, _ := hosted(t, stage{}, "a", func(c *flow.Context) (any, error) {
		bash(c, "a")
		return nil, flow.Settle(c)
	})
	w.Options.Worktree = &worktree.Tree{Base: "nowhere"}
	if end := must(t, flow.Failed)(w.Process()); !strings.Contains(end.Error, "unknown branch, tag or commit `nowhere`") {
		t.Errorf("%+v", end)
	}
}

// A run holds the lock of its checkout while it works, and not while it waits for people.
func TestCheckoutLock(t *testing.T) {
	lock, held := "", true
	s := stage{"a": func(context.Context, *engine.Attempt) flow.Result {
		held = held && isHeld(t, lock)
		return flow.Result{Status: flow.Completed}
	}}
	s["b"] = s["a"]
	w, checkout := hosted(t, s, "a gate<a b<gate", func(c *flow.Context) (any, error) {
		bash(c, "b", gate(c, "gate", bash(c, "a")))
		return nil, flow.Settle(c)
	})
	w.Run.Definition.ExclusiveCheckout = true
	lock = checkoutLock(t, w, checkout)
	released := 0
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
		env.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
			if info.ActivityType.Name == wire.Release && !isHeld(t, lock) {
				released++
			}
		})
	}
	must(t, flow.Paused)(w.Process())
	must(t, flow.Completed)(w.Process(approve("gate#1")))
	if !held || released != 2 {
		t.Errorf("held in actions: %t, released %d times", held, released)
	}
}

// A run waits for the checkout of another one, and can be cancelled meanwhile.
func TestCheckoutIsBusy(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		w, checkout := hosted(t, stage{}, "a", func(c *flow.Context) (any, error) {
			bash(c, "a")
			return nil, flow.Settle(c)
		})
		w.Run.Definition.ExclusiveCheckout = true
		path := checkoutLock(t, w, checkout)
		other, err := filelock.Acquire(path, "run other")
		if err != nil {
			t.Fatal(err)
		}
		w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
			env.RegisterDelayedCallback(func() {
				if cancelled {
					env.SignalWorkflow(wire.Cancel, wire.Cancellation{By: "eve"})
					return
				}
				other.Release()
			}, time.Minute)
		}
		want := flow.Completed
		if cancelled {
			want = flow.Cancelled
		}
		end := must(t, want)(w.Process())
		if cancelled && end.Reason != "cancelled by eve" {
			t.Errorf("%+v", end)
		}
		if isHeld(t, path) != cancelled {
			t.Errorf("the lock is held: %t", !cancelled)
		}
		other.Release()
	}
}

// A child works on the checkout that its parent holds; two children take turns.
func TestChildrenShareCheckout(t *testing.T) {
	var at, most atomic.Int64
	s := stage{"in": func(context.Context, *engine.Attempt) flow.Result {
		most.Store(max(most.Load(), at.Add(1)))
		defer at.Add(-1)
		return flow.Result{Status: flow.Completed}
	}}
	w, _ := hosted(t, s, "x y", func(c *flow.Context) (any, error) {
		for _, key := range []string{"x", "y"} {
			flow.Spawn(c, flow.Node[string]{Key: key, Kind: "workflow", Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Child{Workflow: "inner", Inputs: json.RawMessage(`{}`)}))
			}})
		}
		return nil, flow.Settle(c)
	})
	w.Run.Definition.ExclusiveCheckout = true
	w.Run.Definition.Children = []*flow.Definition{{
		Name: "inner", Fingerprint: "f2", ExclusiveCheckout: true, Nodes: []flow.NodeInfo{{Key: "in", Kind: "bash"}},
		Flow: func(c *flow.Context) (any, error) {
			bash(c, "in")
			return nil, flow.Settle(c)
		},
	}}
	must(t, flow.Completed)(w.Process())
	if most.Load() != 1 {
		t.Errorf("%d children at once", most.Load())
	}
}

// A keeper keeps the state of a graph, and notes who takes and releases its folder.
type keeper struct {
	notes []string
	lost  bool
	saved int
}

func (*keeper) Kind() string { return graphstate.State{}.Kind() }

func (k *keeper) Perform(context.Context, *engine.Attempt) flow.Result {
	k.saved++
	return flow.Result{Status: flow.Completed}
}

func (k *keeper) Take(_ *flow.RunInfo, _ *flow.Definition, _ string, resumed bool) (*graphstate.Taken, error) {
	note := "new"
	if resumed {
		note = "resumed"
	}
	k.notes = append(k.notes, note)
	return &graphstate.Taken{Lost: resumed && k.lost, Release: func() { k.notes = append(k.notes, "released") }}, nil
}

func (*keeper) Load(string, *flow.Definition, bool) (*graphstate.Task, error) { return nil, nil }
func (*keeper) Look(*flow.RunInfo, *flow.Definition) *graphstate.Task         { return nil }
func (*keeper) Folder(*flow.RunInfo, *flow.Definition) string                 { return "" }
func (*keeper) Name(string) error                                             { return nil }

// The run of a state graph has the folder of its task while it works, and saves its state
// again if the folder has lost it.
func TestTaskFolder(t *testing.T) {
	for _, lost := range []bool{false, true} {
		w, _ := hosted(t, stage{}, "gate", func(c *flow.Context) (any, error) {
			if _, err := c.DoAs("save", graphstate.State{}); err != nil {
				return nil, err
			}
			gate(c, "gate")
			return nil, flow.Settle(c)
		})
		k := &keeper{lost: lost}
		w.Run.Performers = append(w.Run.Performers, k)
		w.Run.Definition.Graph = &flow.GraphInfo{}
		must(t, flow.Paused)(w.Process())
		must(t, flow.Completed)(w.Process(approve("gate#1")))
		if got := strings.Join(k.notes, " "); got != "new released resumed released" {
			t.Error(got)
		}
		if want := map[bool]int{false: 1, true: 2}[lost]; k.saved != want {
			t.Errorf("lost %t: the state was saved %d times", lost, k.saved)
		}
	}
}

// asks is an agent whose session has the number of the turn.
type asks struct{ sessions []string }

func (*asks) Kind() string { return flow.Prompt{}.Kind() }

func (a *asks) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	a.sessions = append(a.sessions, call.Action.Payload.(flow.Prompt).Session)
	return flow.Result{Status: flow.Completed, Meta: flow.Meta{Session: "s" + call.Info.ID}}
}

// A session that an agent keeps is continued by the next run on the same worker.
func TestKeptSession(t *testing.T) {
	agent := &asks{}
	dir := t.TempDir()
	for _, id := range []string{"demo-000001", "demo-000002"} {
		w, _ := hosted(t, stage{}, "ask", func(c *flow.Context) (any, error) {
			flow.Spawn(c, flow.Node[string]{Key: "ask", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Prompt{Text: "?", Agent: "x", Persist: true}))
			}})
			return nil, flow.Settle(c)
		})
		w.Run.RunDir, w.Run.Info.ID = dir, id
		w.Run.Performers = append(w.Run.Performers, agent)
		must(t, flow.Completed)(w.Process())
	}
	if got := strings.Join(agent.sessions, ","); got != ",sdemo-000001" {
		t.Errorf("the turns had the sessions %q", got)
	}
}
