package sched_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

func TestOneBatchATurn(t *testing.T) {
	h := &host{}
	end, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
		a := node(c, "a", "A")
		b := node(c, "b", "B")
		node(c, "c", "C", a, b)
		return map[string]string{"out": "<x>"}, flow.Settle(c)
	})
	if err != nil || end.Status != flow.Completed || string(end.Outputs) != `{"out":"<x>"}` {
		t.Fatal(end, err)
	}
	var got []string
	for _, b := range h.batches {
		var line []string
		for _, r := range b.Steps {
			line = append(line, r.Key+" "+string(r.Status))
		}
		if b.Run != nil {
			line = append(line, "run "+string(b.Run.Status))
		}
		got = append(got, strings.Join(line, ", "))
	}
	want := []string{
		"a running, b running",
		"a completed, b completed, c running",
		"c completed, run completed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("batches:\n%s", strings.Join(got, "\n"))
	}
}

func TestLimitOfParallelActions(t *testing.T) {
	h, open, most := &host{}, 0, 0
	h.perform = func(a flow.Action, _ int) (flow.Result, bool) {
		open++
		most = max(most, open)
		return flow.Result{}, false
	}
	h.next = func(h *host) []sched.Signal {
		open--
		return []sched.Signal{sched.Done{Key: h.starts[len(h.starts)-1-open], Result: flow.Result{Status: flow.Completed}}}
	}
	end, err := run(t, h, sched.Options{MaxParallel: 2}, func(c *flow.Context) (any, error) {
		for i := range 6 {
			node(c, fmt.Sprint("n", i), "")
		}
		return nil, flow.Settle(c)
	})
	if err != nil || end.Status != flow.Completed || most != 2 {
		t.Fatal(end, err, most)
	}
	if want := []string{"n0", "n1", "n2", "n3", "n4", "n5"}; !slices.Equal(h.starts, want) {
		t.Errorf("begun in the order %v", h.starts)
	}
}

func TestSummary(t *testing.T) {
	info := func(key string, after ...string) flow.NodeInfo {
		return flow.NodeInfo{Key: key, Kind: "echo", After: after}
	}
	opt := sched.Options{Nodes: []flow.NodeInfo{info("a"), info("blank", "a"), info("last", "a"), info("other", "a")}}
	end, err := run(t, &host{}, opt, func(c *flow.Context) (any, error) {
		a := node(c, "a", "inner")
		node(c, "blank", " \n", a)
		node(c, "last", "the summary\n", a)
		node(c, "other", "not this", a)
		return nil, flow.Settle(c)
	})
	if err != nil || end.Summary != "the summary\n" {
		t.Fatal(end, err)
	}
}

func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		value  any
		err    error
		status flow.Status
		reason string
		text   string
	}{
		{"completed", nil, nil, flow.Completed, "", ""},
		{"failed", nil, &flow.Failure{Reason: "why", Message: "what"}, flow.Failed, "why", "what"},
		{"plain error", nil, errors.New("what"), flow.Failed, "", "what"},
		{"cancelled", nil, &kernel.CancelError{Reason: "because"}, flow.Cancelled, "because", ""},
		{"no JSON", func() {}, nil, flow.Failed, "internal", "internal error: the outputs do not encode to JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &host{}
			end, err := run(t, h, sched.Options{}, func(*flow.Context) (any, error) { return tt.value, tt.err })
			if err != nil || end.Status != tt.status || end.Reason != tt.reason || !strings.HasPrefix(end.Error, tt.text) {
				t.Fatalf("%+v %v", end, err)
			}
			if last := h.batches[len(h.batches)-1].Run; last == nil || last.Status != end.Status {
				t.Errorf("committed: %+v", last)
			}
		})
	}
}

// What the flow did not come to is settled with the run's end.
func TestNothingIsPendingAfterTheEnd(t *testing.T) {
	recorded := []flow.Record{
		{Key: "a", Kind: "echo", Status: flow.Pending},
		{Key: "left", Kind: "echo", Status: flow.Running, Attempt: 1},
		{Key: "asked", Kind: "approval", Status: flow.Waiting, Question: &flow.Question{Message: "?"}},
		{Key: "done", Kind: "echo", Status: flow.Completed, Text: "x"},
	}
	opt := sched.Options{Nodes: []flow.NodeInfo{{Key: "a"}, {Key: "new"}}}
	h := &host{}
	if _, err := resume(t, h, recorded, opt, func(c *flow.Context) (any, error) { return nil, errors.New("early") }); err != nil {
		t.Fatal(err)
	}
	got := h.steps()
	for key, want := range map[string]flow.Status{"a": flow.Skipped, "new": flow.Skipped, "left": flow.Cancelled, "asked": flow.Cancelled} {
		if got[key].Status != want || got[key].Reason != kernel.SkipUnreached {
			t.Errorf("%s: %+v, want %s", key, got[key], want)
		}
	}
	if _, touched := got["done"]; touched {
		t.Error("the completed step was written again")
	}
}

func TestPanicOutsideNodes(t *testing.T) {
	for name, fn := range map[string]func(*flow.Context){
		"flow": func(*flow.Context) { panic("ouch") },
		"task": func(c *flow.Context) {
			c.Scheduler().Spawn(nil, func(flow.Scheduler) { panic("ouch") })
			_, _ = c.DoAs("slow", echo(""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{perform: func(flow.Action, int) (flow.Result, bool) { return flow.Result{}, false }}
			end, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
				fn(c)
				return nil, nil
			})
			if err != nil || end.Status != flow.Failed || !strings.HasPrefix(end.Error, "panic: ouch at run_test.go:") || end.Reason != "panic" {
				t.Fatalf("%+v %v", end, err)
			}
		})
	}
}

func TestMisuseFailsTheRun(t *testing.T) {
	for _, tt := range []struct {
		want string
		fn   func(c *flow.Context)
	}{
		{"step `twice` was started twice", func(c *flow.Context) {
			c.Scheduler().Do(flow.Action{Key: "twice", Payload: echo("")})
			c.Scheduler().Do(flow.Action{Key: "twice", Payload: echo("")})
		}},
		{"node `n` is spawned twice", func(c *flow.Context) { node(c, "n", ""); node(c, "n", "") }},
		{"step `n` was settled twice", func(c *flow.Context) {
			c.Scheduler().Settle(flow.Record{Key: "n", Status: flow.Completed})
			c.Scheduler().Settle(flow.Record{Key: "n", Status: flow.Completed})
		}},
		{"step `t` was started twice", func(c *flow.Context) { c.Scheduler().Now("t"); c.Scheduler().Now("t") }},
		{"use the one that the function of the node gets", func(c *flow.Context) {
			c.Scheduler().Spawn(nil, func(flow.Scheduler) { _ = c.Scheduler().Await() })
		}},
		{"these nodes wait: `stuck`", func(c *flow.Context) {
			flow.Spawn(c, flow.Node[string]{Key: "stuck", Run: func(c *flow.Context) (string, error) {
				return "", c.Scheduler().Await(c.Scheduler().NewFuture())
			}})
		}},
		{"waits for something that cannot come", func(c *flow.Context) {
			_ = c.Scheduler().AwaitAny(c.Scheduler().NewFuture(), c.Scheduler().NewFuture())
		}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			opt := sched.Options{}
			if strings.Contains(tt.want, "stuck") {
				opt.Nodes = []flow.NodeInfo{{Key: "stuck", Kind: "x"}}
			}
			end, err := run(t, &host{}, opt, func(c *flow.Context) (any, error) {
				tt.fn(c)
				return nil, flow.Settle(c)
			})
			reason := "internal"
			if strings.Contains(tt.want, "started twice") || strings.Contains(tt.want, "spawned twice") || strings.Contains(tt.want, "use the one") {
				reason = kernel.ReasonMisuse
			}
			if err != nil || end.Status != flow.Failed || end.Reason != reason || !strings.Contains(end.Error, tt.want) {
				t.Fatalf("%+v %v", end, err)
			}
		})
	}
}

func TestFailedCommit(t *testing.T) {
	broken := errors.New("disk full")
	for at := range 3 {
		n := 0
		h := &host{commit: func(flow.Batch) error {
			if n++; n > at {
				return broken
			}
			return nil
		}}
		unwound := false
		_, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
			defer func() { unwound = true }()
			_, _ = c.DoAs("a", echo(""))
			_, _ = c.DoAs("b", echo(""))
			return nil, nil
		})
		if !errors.Is(err, broken) || len(h.starts) != at || len(h.batches) != at || !unwound {
			t.Errorf("commit %d: %v, begun %v, %d batches, unwound %v", at, err, h.starts, len(h.batches), unwound)
		}
	}
}

// A stop commits nothing, cancels what runs and runs deferred calls, whatever
// the flow code does with the panic that unwinds it.
func TestStop(t *testing.T) {
	waits := map[string]func(c *flow.Context){
		"action": func(c *flow.Context) { _, _ = c.DoAs("x", echo("")) },
		"sleep":  func(c *flow.Context) { _ = c.Sleep("x", time.Hour) },
		"node":   func(c *flow.Context) { node(c, "x", ""); _ = flow.Settle(c) },
		"ask":    func(c *flow.Context) { _, _ = c.Ask("x", flow.Question{}) },
		"recovers": func(c *flow.Context) {
			for range 3 {
				func() {
					defer func() { _ = recover() }()
					_, _ = c.DoAs("x", echo(""))
				}()
			}
			c.Scheduler().Now("late")
			panic("the task went on")
		},
		"defers": func(c *flow.Context) {
			defer c.Scheduler().Settle(flow.Record{Key: "late", Status: flow.Failed})
			_, _ = c.DoAs("x", echo(""))
		},
		"scope": func(c *flow.Context) {
			sub, cancel := c.Scheduler().Scope()
			defer cancel()
			_ = sub.Await(sub.Do(flow.Action{Key: "x", Payload: echo("")}))
		},
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			unwound := 0
			h := &host{
				perform: func(flow.Action, int) (flow.Result, bool) { return flow.Result{}, false },
				next:    func(*host) []sched.Signal { return []sched.Signal{sched.Stop{}} },
			}
			_, err := run(t, h, sched.Options{Attended: true}, func(c *flow.Context) (any, error) {
				defer func() {
					unwound++
					if p := recover(); p != (kernel.Unwind{}) {
						t.Errorf("the task ends with %v", p)
					}
				}()
				wait(c)
				return nil, nil
			})
			if !errors.Is(err, sched.ErrStopped) || unwound != 1 || len(h.batches) != 1 {
				t.Fatalf("%v, unwound %d times, %d batches", err, unwound, len(h.batches))
			}
			if len(h.starts) != len(h.cancels) {
				t.Errorf("begun %v, cancelled %v", h.starts, h.cancels)
			}
		})
	}
}
