package durable_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// grows has the history of each workflow grow by one event for each action, as far as the
// engine can see, which asks for its length when an action ends.
func grows(env *testsuite.TestWorkflowEnvironment, performed *atomic.Int64) func(context.Context, *engine.Attempt) flow.Result {
	env.SetCurrentHistoryLength(0)
	var mine int
	env.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
		if info.ActivityType.Name == wire.Perform {
			mine++
			env.SetCurrentHistoryLength(mine)
		}
	})
	return func(_ context.Context, call *engine.Attempt) flow.Result {
		performed.Add(1)
		return flow.Result{Status: flow.Completed, Text: "ran " + call.Action.Key}
	}
}

// A run with a long history goes on in a new workflow: no action runs twice, no answer is
// lost, and the flow does not notice.
func TestContinueAsNew(t *testing.T) {
	const nodes = 20
	var performed atomic.Int64
	s := stage{}
	w := world(t, s, "", func(c *flow.Context) (any, error) {
		var last []flow.AnyTask
		for i := range nodes {
			if i == nodes/2 {
				last = flow.After(gate(c, "gate", last...))
			}
			last = flow.After(bash(c, fmt.Sprint("n", i), last...))
		}
		return nil, flow.Settle(c)
	})
	w.Options.MaxEvents = 3
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
		perform := grows(env, &performed)
		for i := range nodes {
			s[fmt.Sprint("n", i)] = perform
		}
	}
	must(t, flow.Paused)(w.Process())
	if performed.Load() != nodes/2 || w.Workflows < 4 {
		t.Errorf("%d actions in %d workflows before the gate", performed.Load(), w.Workflows)
	}
	must(t, flow.Completed)(w.Process(approve("gate#1")))
	if performed.Load() != nodes || w.Workflows < 7 {
		t.Errorf("%d actions in %d workflows", performed.Load(), w.Workflows)
	}
	if s := step(w, "gate#1"); s.Meta.By != "eve" {
		t.Errorf("%+v", s)
	}
}

// A run keeps its newest events and counts the others, over all of its workflows.
func TestManyEvents(t *testing.T) {
	const nodes, notes, kept = 4, 2400, 1000
	var performed atomic.Int64
	s := stage{}
	w := world(t, s, "", func(c *flow.Context) (any, error) {
		talks := flow.Spawn(c, flow.Node[string]{Key: "talks", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			for i := range notes {
				c.Scheduler().Log(flow.Event{Type: "note", Message: fmt.Sprint(i)})
			}
			return flow.TextOf(c.Do(flow.Bash{Script: "talks"}))
		}})
		last := flow.After(talks)
		for i := range nodes {
			last = flow.After(bash(c, fmt.Sprint("n", i), last...))
		}
		return nil, flow.Settle(c)
	})
	w.Options.MaxEvents = 2
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
		perform := grows(env, &performed)
		for _, key := range []string{"n0", "n1", "n2", "n3", "talks"} {
			s[key] = perform
		}
	}
	must(t, flow.Completed)(w.Process())
	list := w.Events()
	last := slices.IndexFunc(list, func(e flow.Event) bool { return e.Message == fmt.Sprint(notes-1) })
	if len(list) != kept || last < 0 || w.Dropped() < notes-kept || w.Workflows < 3 {
		t.Errorf("%d events after %d in %d workflows, the last note is event %d", len(list), w.Dropped(), w.Workflows, last)
	}
}

// Nothing begins any more when the history is long, and what runs is waited for.
func TestHandOverWaits(t *testing.T) {
	var performed atomic.Int64
	s := stage{}
	w := world(t, s, "a a1<a b b1<b", func(c *flow.Context) (any, error) {
		bash(c, "a1", bash(c, "a"))
		bash(c, "b1", bash(c, "b"))
		return nil, flow.Settle(c)
	})
	w.Options.MaxEvents = 1
	w.Options.MaxParallel = 2
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
		perform := grows(env, &performed)
		s["a"], s["b"] = perform, perform
	}
	must(t, flow.Completed)(w.Process())
	if performed.Load() != 2 || w.Workflows != 2 {
		t.Errorf("%d actions in %d workflows", performed.Load(), w.Workflows)
	}
}

// A large value is in the store of blobs, and only a reference is in messages; it comes back
// whole, also in the journal that the next workflow of the run gets.
func TestLargeValues(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	s := stage{
		"a": func(context.Context, *engine.Attempt) flow.Result {
			return flow.Result{Status: flow.Completed, Text: large}
		},
	}
	w := world(t, s, "a gate<a b<a<gate", func(c *flow.Context) (any, error) {
		a := bash(c, "a")
		g := gate(c, "gate", a)
		flow.Spawn(c, flow.Node[string]{Key: "b", Kind: "bash", After: flow.After(a, g), Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: "b", Bindings: []flow.Binding{{Name: "v", Value: a.MustOutput().Text}}}))
		}})
		return nil, flow.Settle(c)
	})
	got := ""
	s["b"] = func(_ context.Context, call *engine.Attempt) flow.Result {
		got = call.Action.Payload.(flow.Bash).Bindings[0].Value
		return flow.Result{Status: flow.Completed}
	}
	dir := t.TempDir()
	w.Blobs = claim.Folder(dir)
	must(t, flow.Paused)(w.Process())
	must(t, flow.Paused)(w.Process()) // suspended, and begun again with its journal
	must(t, flow.Completed)(w.Process(approve("gate#1")))
	if got != large || step(w, "a").Text != large {
		t.Errorf("%d and %d bytes came back", len(got), len(step(w, "a").Text))
	}
	files, size := 0, int64(0)
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			files, size = files+1, size+info.Size()
		}
		return err
	})
	if err != nil || files == 0 || size < 1<<20 {
		t.Errorf("the store has %d files of %d bytes: %v", files, size, err)
	}
}

func TestSuspend(t *testing.T) {
	w := world(t, stage{}, "gate", func(c *flow.Context) (any, error) {
		gate(c, "gate")
		return nil, flow.Settle(c)
	})
	must(t, flow.Paused)(w.Process())
	if end := must(t, flow.Paused)(w.Signal(wire.Suspend, nil)); end.Reason != durable.ReasonSuspended {
		t.Errorf("%+v", end)
	}
}

// The timeout of a loop counts on in the next workflow of the run.
func TestLoopTimeoutGoesOn(t *testing.T) {
	var performed atomic.Int64
	s := stage{}
	w := world(t, s, "l", func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "l", Kind: "loop", Run: func(c *flow.Context) (string, error) {
			return c.WithTimeout(time.Hour, func(c *flow.Context) (string, error) {
				for i := range 20 {
					if _, err := c.DoAs(fmt.Sprint("#", i), flow.Bash{Script: "a"}); err != nil {
						return "", err
					}
					if err := c.Sleep(fmt.Sprint("#", i, "/pause"), 10*time.Minute); err != nil {
						return "", err
					}
				}
				return "", nil
			})
		}})
		return nil, flow.Settle(c)
	})
	w.Options.MaxEvents = 2
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) { s["a"] = grows(env, &performed) }
	must(t, flow.Failed)(w.Process())
	if f := step(w, "l").Failure; f == nil || f.Reason != "timeout" || performed.Load() != 6 || w.Workflows < 3 {
		t.Errorf("%d iterations in %d workflows: %+v", performed.Load(), w.Workflows, f)
	}
}

// A run keeps the shared folder of its state when it continues in a new workflow.
func TestStateFolder(t *testing.T) {
	seen := map[string]string{}
	s := stage{}
	for _, key := range []string{"a", "b"} {
		s[key] = func(_ context.Context, call *engine.Attempt) flow.Result {
			seen[key] = call.Info.SharedDir
			return flow.Result{Status: flow.Completed}
		}
	}
	w := world(t, s, "a gate<a b<gate", func(c *flow.Context) (any, error) {
		bash(c, "b", gate(c, "gate", bash(c, "a")))
		return nil, flow.Settle(c)
	})
	dir := t.TempDir()
	w.Run.Info.SharedDir, w.Options.Workspace = dir, wire.WorkspaceNone
	must(t, flow.Paused)(w.Process())
	must(t, flow.Paused)(w.Process())
	must(t, flow.Completed)(w.Process(approve("gate#1")))
	if seen["a"] != dir || seen["b"] != dir {
		t.Errorf("the folder is %s, and the steps saw %v", dir, seen)
	}
}
