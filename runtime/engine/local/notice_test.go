package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Steps are at work before it is told that they have started, but nothing that
// comes of them is told before that: neither to the watcher nor in the log.
func TestStartIsToldFirst(t *testing.T) {
	t.Run("output", func(t *testing.T) {
		startIsToldFirst(t, func(call *engine.Attempt) { call.Output("stdout", []byte("hello")) })
	})
	t.Run("notes", func(t *testing.T) {
		startIsToldFirst(t, func(call *engine.Attempt) { call.Log.Info("hello", "node", call.Action.Key) })
	})
}

// The warning that nobody gets the result of a completed run follows the step that completed
// it.
func TestWarningsAboutTheRunAreToldLast(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a"})
	inner := def.Flow
	def.Flow = func(c *flow.Context) (any, error) {
		out, err := inner(c)
		flow.DeliverResult(c, "the result")
		return out, err
	}
	var told []string
	e := w.engine(t, func(c *local.Config) {
		c.Watch = func(n local.Notice) {
			switch {
			case n.Step != nil:
				told = append(told, n.Step.Key+" "+string(n.Step.Status))
			case n.Logged != nil:
				told = append(told, n.Logged.Type)
			}
		}
	})
	must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	if got, want := strings.Join(told, ", "), "a running, a completed, warning"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}

func startIsToldFirst(t *testing.T, speak func(*engine.Attempt)) {
	const count = 300
	w := newWorld(t)
	var steps []step
	for i := range count {
		key := fmt.Sprintf("s%d", i)
		steps = append(steps, step{key: key})
		w.performer.set(key, func(_ context.Context, call *engine.Attempt) flow.Result {
			speak(call)
			return completed("done")
		})
	}
	started := map[string]bool{}
	e := w.engine(t, func(c *local.Config) {
		c.MaxParallel = count
		c.Watch = func(n local.Notice) {
			switch {
			case n.Step != nil:
				started[n.Step.Key] = true
			case n.Piece != nil:
				if !started[n.Key] {
					t.Errorf("%s prints before it is told that it has started", n.Key)
				}
			}
		}
	})
	id := must(t, flow.Completed)(e.Run(context.Background(), define("demo", steps...), nil, w.options())).ID
	logged := map[string]bool{}
	for line := range strings.Lines(readLog(t, w, id)) {
		var l struct{ Type, Node string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch l.Type {
		case "step_started":
			logged[l.Node] = true
		case "output", "note":
			if !logged[l.Node] {
				t.Errorf("the log has the %s of %s before its start", l.Type, l.Node)
			}
		}
	}
	if len(logged) != count {
		t.Errorf("the log tells of %d starts", len(logged))
	}
}
