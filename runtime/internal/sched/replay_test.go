package sched_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

func TestReplayDoesNothingAgain(t *testing.T) {
	flowOf := func(c *flow.Context) (any, error) {
		a := node(c, "a", "A")
		node(c, "b", "B", a)
		return nil, flow.Settle(c)
	}
	first := &host{}
	if _, err := run(t, first, sched.Options{}, flowOf); err != nil {
		t.Fatal(err)
	}
	recorded := []flow.Record{first.steps()["a"], first.steps()["b"]}
	again := &host{}
	end, err := resume(t, again, recorded, sched.Options{}, flowOf)
	if err != nil || end.Status != flow.Completed || len(again.starts) > 0 {
		t.Fatal(end, err, again.starts)
	}
	if len(again.batches) != 1 || len(again.batches[0].Steps) != 0 {
		t.Errorf("the replay committed %+v", again.batches)
	}
}

func TestResumeDecidesTheRestAnew(t *testing.T) {
	recorded := []flow.Record{
		{Key: "done", Status: flow.Completed, Text: "kept"},
		{Key: "failed", Status: flow.Failed, Failure: &flow.Failure{Message: "x"}, Attempt: 3, Meta: flow.Meta{CostUSD: 1}},
		{Key: "skipped", Status: flow.Skipped, Reason: kernel.SkipRule},
		{Key: "cancelled", Status: flow.Cancelled},
		{Key: "ran", Status: flow.Running, Attempt: 2, Meta: flow.Meta{CostUSD: 2}},
	}
	h, attempts := &host{}, map[string]int{}
	h.perform = func(a flow.Action, attempt int) (flow.Result, bool) {
		attempts[a.Key] = attempt
		return flow.Result{Status: flow.Completed, Text: "new", Meta: flow.Meta{CostUSD: 4}}, true
	}
	end, err := resume(t, h, recorded, sched.Options{}, func(c *flow.Context) (any, error) {
		for _, r := range recorded {
			node(c, r.Key, "")
		}
		return nil, flow.Settle(c)
	})
	if err != nil || end.Status != flow.Completed {
		t.Fatal(end, err)
	}
	if want := []string{"failed", "skipped", "cancelled", "ran"}; !slices.Equal(h.starts, want) {
		t.Errorf("performed %v", h.starts)
	}
	if attempts["failed"] != 1 || attempts["ran"] != 2 {
		t.Errorf("attempts %v: a failed step begins anew, an interrupted attempt is made again", attempts)
	}
	if got := h.steps(); got["failed"].Meta.CostUSD != 5 || got["ran"].Meta.CostUSD != 6 {
		t.Errorf("costs are lost: %+v %+v", got["failed"].Meta, got["ran"].Meta)
	}
}

func TestAlwaysRun(t *testing.T) {
	recorded := []flow.Record{{Key: "a", Kind: "echo", Status: flow.Completed, Text: "old"}}
	h := &host{}
	var text string
	_, err := resume(t, h, recorded, sched.Options{}, func(c *flow.Context) (any, error) {
		a := flow.Spawn(c, flow.Node[string]{Key: "a", AlwaysRun: true, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(echo("new"))
			return r.Text, err
		}})
		err := flow.Settle(c)
		text = a.Final().Text
		return nil, err
	})
	if err != nil || text != "new" || !slices.Equal(h.starts, []string{"a"}) || h.steps()["a"].Text != "new" {
		t.Fatal(err, text, h.starts)
	}
}

// A node that failed after its action completed is journalled as failed alone,
// so that a later process performs it again.
func TestCompletionOfAFailedNodeIsNotCommitted(t *testing.T) {
	h := &host{}
	end, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[int]{Key: "a", Kind: "node", Decode: decode, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(echo("no number"))
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	})
	if err != nil || end.Status != flow.Failed {
		t.Fatal(end, err)
	}
	for _, b := range h.batches {
		for _, r := range b.Steps {
			if r.Status == flow.Completed {
				t.Errorf("committed %+v", r)
			}
		}
	}
	if got := h.steps()["a"]; got.Attempt != 1 || got.Meta.Attempts != 1 || got.Text != "no number" || got.Started.IsZero() {
		t.Errorf("the step lost what its action left: %+v", got)
	}
}

func TestNowIsKept(t *testing.T) {
	var seen time.Time
	flowOf := func(c *flow.Context) (any, error) {
		seen = c.Scheduler().Now("clock")
		return nil, nil
	}
	h := &host{}
	if _, err := run(t, h, sched.Options{}, flowOf); err != nil {
		t.Fatal(err)
	}
	first := seen
	later := &host{now: start.Add(time.Hour)}
	if _, err := resume(t, later, []flow.Record{h.steps()["clock"]}, sched.Options{}, flowOf); err != nil {
		t.Fatal(err)
	}
	if first != seen || !first.Equal(start) {
		t.Errorf("first %v, then %v", first, seen)
	}
	end, err := resume(t, &host{}, []flow.Record{{Key: "clock", Status: flow.Completed, Text: "soon"}}, sched.Options{}, flowOf)
	if err != nil || end.Reason != "internal" {
		t.Errorf("a broken record gives %+v, %v", end, err)
	}
}

func TestSleepGoesOnAfterACrash(t *testing.T) {
	var woke time.Time
	h := &host{now: start.Add(20 * time.Minute)}
	recorded := []flow.Record{{Key: "nap", Kind: "sleep", Status: flow.Running, Started: start, Deadline: start.Add(time.Hour)}}
	_, err := resume(t, h, recorded, sched.Options{}, func(c *flow.Context) (any, error) {
		err := c.Sleep("nap", time.Hour)
		woke = c.Scheduler().Now("woke")
		return nil, err
	})
	if err != nil || !woke.Equal(start.Add(time.Hour)) {
		t.Fatal(woke, err)
	}
	if got := h.steps()["nap"]; got.Status != flow.Completed || got.Started != start {
		t.Errorf("%+v", got)
	}
}

// A run that one of its nodes cancelled is cancelled in its next process too,
// which takes that node from the journal.
func TestResumeOfACancelledRun(t *testing.T) {
	flowOf := func(c *flow.Context) (any, error) {
		stop := flow.Spawn(c, flow.Node[string]{Key: "stop", Run: func(c *flow.Context) (string, error) {
			c.CancelRun("broken")
			return "broken", nil
		}})
		node(c, "after", "", stop)
		return nil, flow.Settle(c)
	}
	first := &host{}
	if _, err := run(t, first, sched.Options{}, flowOf); err != nil {
		t.Fatal(err)
	}
	h := &host{}
	end, err := resume(t, h, []flow.Record{first.steps()["stop"]}, sched.Options{}, flowOf)
	if err != nil || end.Status != flow.Cancelled || end.Reason != "broken" || len(h.starts) > 0 {
		t.Fatalf("%+v %v, begun %v", end, err, h.starts)
	}
}

func TestAwait(t *testing.T) {
	if _, err := run(t, &host{}, sched.Options{}, func(c *flow.Context) (any, error) {
		e := c.Scheduler()
		done, never := e.NewFuture(), e.NewFuture()
		done.Settle(flow.Result{})
		for _, futures := range [][]*flow.Future{{}, {done}, {done, done}, {never, done}} {
			if err := e.AwaitAny(futures...); err != nil {
				t.Errorf("any of %d: %v", len(futures), err)
			}
		}
		late := e.Sleep("late", time.Hour)
		if err := e.AwaitAny(never, late, e.Sleep("soon", time.Minute)); err != nil || late.Settled() {
			t.Errorf("any waits for more than one: %v", err)
		}
		if err := e.Await(late, done, late); err != nil || !late.Settled() {
			t.Errorf("all: %v", err)
		}
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// decode decodes the JSON of an output.
func decode(text string) (v int, err error) { return v, json.Unmarshal([]byte(text), &v) }
