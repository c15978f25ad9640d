package sched_test

import (
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// echo is the payload of the tests' actions: it completes with its text.
type echo string

func (echo) Kind() string { return "echo" }

// host is a world without time in which every action completes at once with
// its payload as text.
type host struct {
	done    []sched.Signal
	batches []flow.Batch
	starts  []string
	cancels []string
	asked   []string
	now     time.Time

	perform func(a flow.Action, attempt int) (flow.Result, bool) // false: never ends
	commit  func(flow.Batch) error
	next    func(h *host) []sched.Signal // when nothing is done
}

func (h *host) Commit(b flow.Batch) error {
	if h.commit != nil {
		if err := h.commit(b); err != nil {
			return err
		}
	}
	h.batches = append(h.batches, b)
	return nil
}

func (h *host) Start(a flow.Action, attempt int, _ settings.Limits) {
	h.starts = append(h.starts, a.Key)
	r, ends := flow.Result{Status: flow.Completed}, true
	if p, ok := a.Payload.(echo); ok {
		r.Text = string(p)
	}
	if h.perform != nil {
		r, ends = h.perform(a, attempt)
	}
	if ends {
		h.done = append(h.done, sched.Done{Key: a.Key, Result: r})
	}
}

func (h *host) Cancel(key string) {
	h.cancels = append(h.cancels, key)
	h.done = append(h.done, sched.Done{Key: key, Result: flow.Result{Status: flow.Cancelled}})
}

func (h *host) Ask(q flow.Question) { h.asked = append(h.asked, q.Key) }

func (h *host) Next(wake time.Time) []sched.Signal {
	if len(h.done) == 0 && h.next != nil && wake != h.now {
		if out := h.next(h); len(out) > 0 {
			return out
		}
	}
	out := h.done
	h.done = nil
	if len(out) == 0 && wake.After(h.now) {
		h.now = wake
	}
	return out
}

func (h *host) Now() time.Time { return h.now }

func (h *host) Pick(int) int { return 0 }

// start is an instant with a fraction and a zone of its own, to be kept exactly.
var start = time.Date(2026, 5, 4, 3, 2, 1, 123456789, time.FixedZone("test", 3600))

// run runs fn in a host.
func run(t testing.TB, h *host, opt sched.Options, fn func(c *flow.Context) (any, error)) (flow.RunState, error) {
	t.Helper()
	return resume(t, h, nil, opt, fn)
}

// resume runs fn in a host on what the journal has.
func resume(t testing.TB, h *host, recorded []flow.Record, opt sched.Options, fn func(c *flow.Context) (any, error)) (flow.RunState, error) {
	t.Helper()
	if h.now.IsZero() {
		h.now = start
	}
	return sched.Run(h, &flow.RunInfo{ID: "t-000001", Workflow: "t"}, recorded, opt, fn)
}

// node spawns a node that echoes text.
func node(c *flow.Context, key, text string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "echo", After: after, Run: func(c *flow.Context) (string, error) {
		r, err := c.Do(echo(text))
		return r.Text, err
	}})
}

// steps are the last committed states by key.
func (h *host) steps() map[string]flow.Record {
	m := map[string]flow.Record{}
	for _, b := range h.batches {
		for _, r := range b.Steps {
			m[r.Key] = r
		}
	}
	return m
}
