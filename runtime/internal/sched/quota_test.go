package sched_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// refuse returns the result of an agent whose plan is used up.
func refuse(q flow.Quota) flow.Result {
	q.Agent = "claude"
	return flow.Result{Status: flow.Failed, Meta: flow.Meta{CostUSD: 1, Session: "s1"}, Failure: &flow.Failure{
		Message: "limit reached", Class: flow.ClassFatal, Reason: "quota", Quota: &q,
	}}
}

// spread is how long after a reset the run of these tests tries again.
func spread(t *testing.T, at, reset time.Time) {
	t.Helper()
	if late := at.Sub(reset); late < 0 || late > 30*time.Second {
		t.Errorf("tried %v after the reset", late)
	}
}

// ask performs one action of a node and returns its result.
func ask(retry flow.Retry) func(c *flow.Context) (any, error) {
	return func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "echo", Retry: retry, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(echo("done"))
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
}

func TestQuotaIsAWait(t *testing.T) {
	reset := start.Add(3 * time.Hour)
	h, attempts := &host{}, []int{}
	h.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
		if attempts = append(attempts, attempt); attempt == 1 {
			return refuse(flow.Quota{Reset: reset, MaxWait: 4 * time.Hour}), true
		}
		spread(t, h.now, reset)
		return flow.Result{Status: flow.Completed, Text: "done", Meta: flow.Meta{CostUSD: 2}}, true
	}
	end, err := run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Completed || !slices.Equal(attempts, []int{1, 2}) {
		t.Fatal(end, err, attempts)
	}
	if got := h.steps()["fix"]; got.Meta.CostUSD != 3 || got.Failure != nil {
		t.Errorf("%+v", got)
	}
	if got := h.steps()["fix/quota#1"]; got.Status != flow.Completed || got.Question.Wait != flow.WaitQuota || got.Question.Message != "claude" {
		t.Errorf("%+v", got)
	}
}

// Without a process, the wait stays in the journal, and its deadline counts from the first
// process.
func TestQuotaPausesTheRun(t *testing.T) {
	reset := start.Add(3 * time.Hour)
	h := &host{perform: func(flow.Action, int) (flow.Result, bool) { return refuse(flow.Quota{Reset: reset}), true }}
	end, err := run(t, h, sched.Options{MaxWait: time.Minute}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Paused {
		t.Fatal(end, err)
	}
	left := h.steps()
	if left["fix"].Status != flow.Waiting || left["fix/quota#1"].Status != flow.Waiting {
		t.Fatalf("%+v", left)
	}
	recorded := []flow.Record{left["fix"], left["fix/quota#1"]}

	early := &host{now: start.Add(time.Hour)}
	end, err = resume(t, early, recorded, sched.Options{}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Paused || len(early.starts) > 0 {
		t.Fatal(end, err, early.starts)
	}
	// Policies for interruptions don't count: nothing was interrupted.
	late := &host{now: reset.Add(time.Hour)}
	late.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
		return flow.Result{Status: flow.Completed, Text: fmt.Sprint("attempt ", attempt)}, true
	}
	opt := sched.Options{}
	opt.OnInterrupt.Default = "fail"
	end, err = resume(t, late, recorded, opt, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Completed || late.steps()["fix"].Text != "attempt 2" || late.steps()["fix"].Meta.CostUSD != 1 {
		t.Fatal(end, err, late.steps()["fix"])
	}
	// The process died between the end of the wait and the next attempt.
	over := left["fix/quota#1"]
	over.Status = flow.Completed
	late.starts = nil
	end, err = resume(t, late, []flow.Record{left["fix"], over}, opt, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Completed || !slices.Equal(late.starts, []string{"fix"}) {
		t.Fatal(end, err, late.starts)
	}
}

// An agent that doesn't say when it answers again is asked after growing waits.
func TestQuotaWithoutReset(t *testing.T) {
	h := &host{}
	var tries []time.Time
	h.perform = func(flow.Action, int) (flow.Result, bool) {
		if tries = append(tries, h.now); len(tries) < 7 {
			return refuse(flow.Quota{Reset: start.Add(-time.Hour)}), true // a time that is over says nothing
		}
		return flow.Result{Status: flow.Completed}, true
	}
	if end, err := run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{})); err != nil || end.Status != flow.Completed {
		t.Fatal(end, err)
	}
	for i, minutes := range []time.Duration{5, 10, 20, 40, 60, 60} {
		spread(t, tries[i+1], tries[i].Add(minutes*time.Minute))
	}
}

func TestQuotaResetTooLate(t *testing.T) {
	h := &host{perform: func(flow.Action, int) (flow.Result, bool) {
		return refuse(flow.Quota{Reset: start.Add(200 * time.Hour), MaxWait: 24 * time.Hour}), true
	}}
	end, err := run(t, h, sched.Options{}, ask(flow.Retry{}))
	got := h.steps()["fix"]
	if err != nil || end.Status != flow.Failed || len(h.starts) != 1 || got.Failure.Quota != nil {
		t.Fatal(end, err, h.starts, got)
	}
	if want := "limit reached; it isn't reset before 2026-05-05"; !strings.HasPrefix(got.Failure.Message, want) {
		t.Errorf("%q", got.Failure.Message)
	}
	// The limit is for all waits of the action together, also across processes.
	h = &host{}
	h.perform = func(flow.Action, int) (flow.Result, bool) {
		return refuse(flow.Quota{Reset: h.now.Add(10 * time.Hour), MaxWait: 24 * time.Hour}), true
	}
	end, err = run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Failed || len(h.starts) != 3 {
		t.Fatal(end, err, h.starts)
	}
}

// Waits use up no retries, and a resumed run that failed has its whole limit again.
func TestQuotaAndRetries(t *testing.T) {
	h := &host{}
	kinds := []string{"quota", "transient", "quota", "transient", "transient"}
	h.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
		r := refuse(flow.Quota{Reset: h.now.Add(time.Hour)})
		if kinds[attempt-1] == "transient" {
			r.Failure = &flow.Failure{Message: "lost", Class: flow.ClassTransient}
		}
		return r, true
	}
	end, err := run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{Retries: 2, Delay: time.Second}))
	if err != nil || end.Status != flow.Failed || len(h.starts) != 5 || !strings.Contains(end.Error, "lost") {
		t.Fatal(end, err, h.starts)
	}
	s := h.steps()
	again := &host{now: h.now.Add(48 * time.Hour)}
	again.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
		if attempt == 1 {
			return refuse(flow.Quota{Reset: again.now.Add(time.Hour), MaxWait: 2 * time.Hour}), true
		}
		return flow.Result{Status: flow.Completed}, true
	}
	end, err = resume(t, again, []flow.Record{s["fix"], s["fix/quota#1"], s["fix/quota#2"]}, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Completed || again.steps()["fix/quota#3"].Status != flow.Completed {
		t.Fatal(end, err, again.steps())
	}
}

// A person can end the wait, and a cancelled run ends it.
func TestQuotaEndsEarly(t *testing.T) {
	h := &host{next: func(*host) []sched.Signal {
		return []sched.Signal{sched.Answered{Key: "fix/quota#1", Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: kernel.ChoiceWake, By: "eve"}}}}
	}}
	h.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
		if attempt == 1 {
			return refuse(flow.Quota{Reset: start.Add(time.Hour)}), true
		}
		return flow.Result{Status: flow.Completed, Text: h.now.Sub(start).String()}, true
	}
	end, err := run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Completed || h.steps()["fix"].Text != "0s" {
		t.Fatal(end, err, h.steps())
	}
	h = &host{next: func(*host) []sched.Signal { return []sched.Signal{sched.CancelRun{}} }}
	h.perform = func(flow.Action, int) (flow.Result, bool) {
		return refuse(flow.Quota{Reset: start.Add(time.Hour)}), true
	}
	end, err = run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Cancelled || h.steps()["fix"].Status != flow.Cancelled || h.steps()["fix/quota#1"].Status != flow.Cancelled {
		t.Fatal(end, err, h.steps())
	}
}

// Whoever puts waits for the same reset in order decides how long after it each one ends.
func TestQuotaInOrder(t *testing.T) {
	reset := start.Add(3 * time.Hour)
	h := &host{}
	var second time.Time
	h.perform = func(_ flow.Action, attempt int) (flow.Result, bool) {
		if attempt == 1 {
			return refuse(flow.Quota{Reset: reset, Delay: 17 * time.Second}), true
		}
		second = h.now
		return flow.Result{Status: flow.Completed}, true
	}
	if end, err := run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{})); err != nil || end.Status != flow.Completed {
		t.Fatal(end, err)
	}
	if late := second.Sub(reset); late != 17*time.Second {
		t.Errorf("tried %v after the reset", late)
	}
}

// A policy may set the first wait and the number of waits.
func TestQuotaWaitsAreLimited(t *testing.T) {
	h := &host{}
	var tries []time.Time
	h.perform = func(flow.Action, int) (flow.Result, bool) {
		tries = append(tries, h.now)
		return refuse(flow.Quota{FirstWait: 2 * time.Hour, MaxWaits: 3, Delay: time.Second}), true
	}
	end, err := run(t, h, sched.Options{MaxWait: 24 * time.Hour}, ask(flow.Retry{}))
	if err != nil || end.Status != flow.Failed || len(tries) != 4 || !strings.Contains(end.Error, "the prompt has waited 3 times, and may not wait more often") {
		t.Fatal(end, err, tries)
	}
	for i := range 3 {
		if wait := tries[i+1].Sub(tries[i]); wait != 2*time.Hour+time.Second {
			t.Errorf("wait %d: %v", i, wait)
		}
	}
}

// An attempt that waits before it does anything says so in the journal, and a process that died
// meanwhile has interrupted nothing.
func TestHeldAttempt(t *testing.T) {
	const what = "waits for its turn: agent `claude` takes 3 turns at a time"
	signals := [][]sched.Signal{{sched.Held{Key: "fix", For: what}}, {sched.Held{Key: "fix"}}, {sched.Done{Key: "fix", Result: flow.Result{Status: flow.Completed, Text: "done"}}}}
	h := &host{perform: func(flow.Action, int) (flow.Result, bool) { return flow.Result{}, false }}
	var held flow.Record
	h.next = func(h *host) []sched.Signal {
		if len(signals) == 2 {
			held = h.steps()["fix"]
		}
		next := signals[0]
		signals = signals[1:]
		return next
	}
	end, err := run(t, h, sched.Options{}, ask(flow.Retry{}))
	if got := h.steps()["fix"]; err != nil || end.Status != flow.Completed || got.Reason != "" || got.Text != "done" {
		t.Fatal(end, err, got)
	}
	if held.Status != flow.Waiting || sched.HeldFor(held.Reason) != what {
		t.Fatalf("%+v", held)
	}
	for reason, decided := range map[string]string{what: "", "interrupted#2; " + what: "interrupted#2"} {
		held.Reason = reason
		if got := sched.HeldFor(reason); got != what {
			t.Errorf("%q", got)
		}
		again := &host{}
		again.perform = func(flow.Action, int) (flow.Result, bool) {
			if got := again.steps()["fix"].Reason; got != decided {
				t.Errorf("%q, want %q", got, decided)
			}
			return flow.Result{Status: flow.Completed}, true
		}
		opt := sched.Options{}
		opt.OnInterrupt.Default = "fail"
		end, err := resume(t, again, []flow.Record{held}, opt, ask(flow.Retry{}))
		if err != nil || end.Status != flow.Completed {
			t.Errorf("%q: %v %v", reason, end, err)
		}
	}
}
