package sched_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// endless is a performer whose actions end only when they are cancelled.
func endless(flow.Action, int) (flow.Result, bool) { return flow.Result{}, false }

// cancels is what a person does: ask for the run's cancellation.
func cancels(*host) []sched.Signal { return []sched.Signal{sched.CancelRun{Reason: "enough"}} }

func TestCancelRun(t *testing.T) {
	h := &host{perform: endless, next: cancels}
	end, err := run(t, h, sched.Options{MaxParallel: 1}, func(c *flow.Context) (any, error) {
		a := node(c, "running", "")
		node(c, "queued", "")
		b := node(c, "after", "", a)
		flow.Spawn(c, flow.Node[string]{Key: "always", After: flow.After(a, b), Rule: flow.AllDone, Run: func(c *flow.Context) (string, error) {
			t.Error("a node began after the cancellation")
			return "", nil
		}})
		return nil, flow.Settle(c)
	})
	if err != nil || end.Status != flow.Cancelled || end.Reason != "enough" {
		t.Fatalf("%+v %v", end, err)
	}
	if !slices.Equal(h.starts, []string{"running"}) || !slices.Equal(h.cancels, []string{"running"}) {
		t.Errorf("begun %v, cancelled %v", h.starts, h.cancels)
	}
	got := h.steps()
	if got["running"].Status != flow.Cancelled {
		t.Errorf("running: %+v", got["running"])
	}
	for _, key := range []string{"queued", "after", "always"} {
		if got[key].Status != flow.Skipped || got[key].Reason != kernel.SkipCancelled {
			t.Errorf("%s: %+v", key, got[key])
		}
	}
}

// What completed although it was told to end has completed.
func TestCancelComesTooLate(t *testing.T) {
	h := &host{perform: endless}
	h.next = func(h *host) []sched.Signal {
		return []sched.Signal{sched.CancelRun{Reason: "enough"}, sched.Done{Key: "a", Result: flow.Result{Status: flow.Completed, Text: "x"}}}
	}
	end, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
		node(c, "a", "")
		return nil, flow.Settle(c)
	})
	if got := h.steps()["a"]; err != nil || got.Status != flow.Completed || got.Text != "x" || end.Status != flow.Cancelled || len(h.cancels) > 0 {
		t.Fatalf("%+v %+v %v", end, got, err)
	}
}

func TestCancelWhatWaits(t *testing.T) {
	for name, wait := range map[string]func(c *flow.Context) error{
		"sleep": func(c *flow.Context) error { return c.Sleep("x", time.Hour) },
		"ask":   func(c *flow.Context) error { _, err := c.Ask("x", flow.Question{}); return err },
		"any":   func(c *flow.Context) error { return c.Scheduler().AwaitAny(c.Scheduler().Sleep("x", time.Hour)) },
		"retry": func(c *flow.Context) error {
			f := c.Scheduler().Do(flow.Action{Key: "x", Payload: echo(""), Retry: flow.Retry{Retries: 1, Delay: time.Hour, All: true}})
			return c.Scheduler().Await(f)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{next: cancels, perform: func(flow.Action, int) (flow.Result, bool) {
				return flow.Result{Status: flow.Failed, Failure: &flow.Failure{}}, true
			}}
			if name != "retry" {
				h.perform = endless
			}
			end, err := run(t, h, sched.Options{Attended: true}, func(c *flow.Context) (any, error) {
				err := wait(c)
				if !errors.Is(err, flow.ErrCancelled) {
					t.Errorf("the wait ends with %v", err)
				}
				if err := c.Sleep("later", time.Hour); !errors.Is(err, flow.ErrCancelled) {
					t.Errorf("a later wait ends with %v", err)
				}
				return nil, err
			})
			if err != nil || end.Status != flow.Cancelled || h.steps()["x"].Status != flow.Cancelled || h.now != start {
				t.Fatalf("%+v %+v %v", end, h.steps()["x"], err)
			}
			if len(h.cancels) > 0 {
				t.Errorf("cancelled at the host: %v", h.cancels)
			}
		})
	}
}

// Cancelling a scope ends its actions and those of scopes in it, in the order
// of their beginning, and nothing else.
func TestScope(t *testing.T) {
	h := &host{perform: func(a flow.Action, _ int) (flow.Result, bool) {
		return flow.Result{Status: flow.Completed}, a.Key == "out"
	}}
	var states []flow.Status
	end, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
		e := c.Scheduler()
		sub, cancel := e.Scope()
		inner, _ := sub.Scope()
		var fs []*flow.Future
		for i := range 5 {
			in := []flow.Scheduler{sub, inner}[i%2]
			fs = append(fs, in.Do(flow.Action{Key: fmt.Sprint("in", i), Payload: echo("")}))
		}
		inner.Spawn(nil, func(e flow.Scheduler) {
			if err := e.Await(e.NewFuture()); !errors.Is(err, flow.ErrCancelled) {
				t.Errorf("a task of the scope ends its wait with %v", err)
			}
		})
		out := e.Do(flow.Action{Key: "out", Payload: echo("")})
		if err := e.Await(out); err != nil {
			t.Error(err)
		}
		cancel()
		cancel()
		if err := sub.Await(); !errors.Is(err, flow.ErrCancelled) {
			t.Errorf("the cancelled scope says %v", err)
		}
		if late, _ := inner.Scope(); late.AwaitAny() == nil {
			t.Error("a scope in a cancelled one is not cancelled")
		}
		if f := inner.Do(flow.Action{Key: "late", Payload: echo("")}); !f.Settled() || f.Result().Status != flow.Cancelled {
			t.Error("a cancelled scope begins actions")
		}
		err := e.Await(fs...)
		for _, f := range fs {
			states = append(states, f.Result().Status)
		}
		return nil, err
	})
	if err != nil || end.Status != flow.Completed {
		t.Fatalf("%+v %v", end, err)
	}
	if want := []string{"in0", "in1", "in2", "in3", "in4"}; !slices.Equal(h.cancels, want) {
		t.Errorf("cancelled %v", h.cancels)
	}
	for _, s := range states {
		if s != flow.Cancelled {
			t.Errorf("states %v", states)
		}
	}
}

// A cancelled action that waits for a slot never begins, and takes no slot.
func TestCancelQueued(t *testing.T) {
	h := &host{}
	_, err := run(t, h, sched.Options{MaxParallel: 1}, func(c *flow.Context) (any, error) {
		e := c.Scheduler()
		sub, cancel := e.Scope()
		first := e.Do(flow.Action{Key: "first", Payload: echo("")})
		queued := sub.Do(flow.Action{Key: "queued", Payload: echo("")})
		last := e.Do(flow.Action{Key: "last", Payload: echo("")})
		cancel()
		if queued.Result().Status != flow.Cancelled {
			t.Errorf("the queued action is %+v", queued.Result())
		}
		return nil, e.Await(first, last)
	})
	if err != nil || !slices.Equal(h.starts, []string{"first", "last"}) {
		t.Fatal(err, h.starts)
	}
	if _, known := h.steps()["queued"]; known {
		t.Error("an action that never began is journalled")
	}
}

// A wait ends once: a future that is settled after the cancellation does not
// wake the task again.
func TestWaitEndsOnce(t *testing.T) {
	var got []error
	end, err := run(t, &host{}, sched.Options{}, func(c *flow.Context) (any, error) {
		e := c.Scheduler()
		sub, cancel := e.Scope()
		late := e.NewFuture()
		over := e.NewFuture()
		sub.Spawn(nil, func(e flow.Scheduler) {
			got = append(got, e.Await(late), e.AwaitEnded(over))
		})
		_ = c.Sleep("a", time.Second)
		cancel()
		late.Settle(flow.Result{})
		_ = c.Sleep("b", time.Second)
		if len(got) > 0 {
			t.Error("the task went on without its future")
		}
		over.Settle(flow.Result{})
		return nil, c.Sleep("c", time.Second)
	})
	if err != nil || end.Status != flow.Completed || len(got) != 2 || !errors.Is(got[0], flow.ErrCancelled) || got[1] != nil {
		t.Fatalf("%+v %v %v", end, err, got)
	}
}

// When the flow returns, what it left running is ended before the run is.
func TestLeftBehind(t *testing.T) {
	h := &host{perform: endless}
	end, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
		c.Scheduler().Do(flow.Action{Key: "a", Payload: echo("")})
		c.Scheduler().Spawn([]*flow.Future{c.Scheduler().NewFuture()}, func(flow.Scheduler) { t.Error("began") })
		return nil, c.Scheduler().Await(c.Scheduler().Sleep("s", time.Second))
	})
	if err != nil || end.Status != flow.Completed || h.steps()["a"].Status != flow.Cancelled {
		t.Fatalf("%+v %+v %v", end, h.steps()["a"], err)
	}
}
