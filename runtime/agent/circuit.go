package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
)

// A circuit keeps the turns of an agent from asking a service that is down. After some outages in
// a row it opens: turns wait, and one of them at a time asks, as a probe. Once a turn gets an answer,
// or a refusal that is no outage, the circuit closes and all of them ask.
//
// A turn waits at most as long as its step lets an agent be silent, counted from the beginning of
// the outage, and then fails without having asked. So the retries of a step keep their meaning,
// and a wide run doesn't wait for each of its steps anew.
//
// The circuit decides nothing that a replay would have to repeat: it only delays a turn, or makes
// it fail like one that asked in vain.
type circuit struct {
	agent string

	mu      sync.Mutex
	outages int       // in a row
	since   time.Time // when the circuit opened; zero while it is closed
	last    string    // what the last outage said
	next    time.Time // when a probe may ask
	pause   time.Duration
	probing bool
}

const (
	// mostOutages in a row open a circuit.
	mostOutages = 3
	// firstPause is the pause before the first probe. It doubles with each, up to longestPause.
	firstPause   = 5 * time.Second
	longestPause = time.Minute
)

// pass waits until a turn may ask, perhaps as a probe. wait is called with what the turn waits for,
// at most once. The error is a *flow.Failure if the turn has waited for its longest time, or that of
// ctx.
func (c *circuit) pass(ctx context.Context, a *turnAsks, wait func(what string)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.probe = false
	for told := false; !c.since.IsZero(); told = true {
		now, pause := time.Now().Round(0), look
		switch left := c.next.Sub(now); {
		case left <= 0 && !c.probing:
			c.probing, a.probe = true, true
			return nil
		case !now.Before(c.since.Add(a.longest)): // the turn ends without having asked
			f := failures.New(flow.ClassTransient, failures.ReasonOutage, "agent `%s` was not asked: it has not answered since %s; the last of %d failures in a row: %s",
				c.agent, c.since.UTC().Format(time.RFC3339), c.outages, c.last)
			f.RetryAfter = max(0, left)
			return f
		case left > 0:
			pause = min(pause, left)
		}
		text := fmt.Sprintf("waits until agent `%s` answers again; it failed %d times in a row: %s", c.agent, c.outages, c.last)
		c.mu.Unlock()
		if !told {
			wait(text)
		}
		err := repeat.Sleep(ctx, pause)
		if c.mu.Lock(); err != nil {
			return err
		}
	}
	return nil
}

// look is the time between two looks of a waiting turn at the circuit and the clock, which continues
// while a machine sleeps.
const look = time.Second

// answered notes that the service has answered a turn, perhaps only with the beginning of a reply.
func (c *circuit) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answeredLocked()
}

func (c *circuit) answeredLocked() {
	c.outages, c.since, c.probing, c.pause = 0, time.Time{}, false, 0
}

// end notes how a turn ended, and returns its failure with what the circuit knows of the outage.
func (c *circuit) end(a *turnAsks, r flow.Result) *flow.Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.over = true
	switch {
	case isOutage(r):
		if c.last = r.Failure.Message; !a.failed { // else its requests were counted
			c.failedLocked(r.Failure, a)
		}
		if !c.since.IsZero() {
			named := *r.Failure
			named.Message += fmt.Sprintf("; agent `%s` failed %d times in a row, so further turns wait for a probe", c.agent, c.outages)
			return &named
		}
	case r.Status == flow.Cancelled, r.Failure != nil && r.Failure.Reason == failures.ReasonTimeout:
		c.failedLocked(nil, a)
	default:
		c.answeredLocked()
	}
	return r.Failure
}

// failedLocked notes an outage, or the end of a turn without news, if f is nil.
func (c *circuit) failedLocked(f *flow.Failure, a *turnAsks) {
	probe := a.probe
	if a.probe = false; probe {
		c.probing = false
	}
	if f == nil {
		return
	}
	c.outages++
	c.last = f.Message
	now := time.Now().Round(0)
	switch {
	case c.since.IsZero() && c.outages < mostOutages:
		return
	case c.since.IsZero():
		c.since, c.pause = now, firstPause
	case probe:
		c.pause = min(2*c.pause, longestPause)
	}
	if c.since.Equal(now) || probe {
		c.next = now.Add(max(c.pause, f.RetryAfter))
	}
}

// isOutage reports whether a result says that the agent's service is down: it refuses connections,
// answers with its own faults, or has too much to do.
func isOutage(r flow.Result) bool {
	return r.Status == flow.Failed && r.Failure != nil && r.Failure.Class == flow.ClassTransient && r.Failure.Reason == failures.ReasonAgent
}

// circuitOf returns the circuit of an agent, or nil if it has none.
func (p *Performer) circuitOf(name string) *circuit {
	if p.settings.Local != nil && p.settings.Local(name) {
		return nil
	}
	c, _ := p.circuits.LoadOrStore(name, &circuit{agent: name})
	return c.(*circuit)
}

// askAdmitted asks an agent once the turn may begin: when the agent has a free place, and its
// service answers.
func (p *Performer) askAdmitted(ctx context.Context, t *turn, name string, ask func() flow.Result) flow.Result {
	leave, err := p.takePlace(ctx, t, name)
	if err != nil {
		return waitResult(ctx, err)
	}
	defer leave()
	if t.circuit = p.circuitOf(name); t.circuit == nil {
		return ask()
	}
	defer t.showWait("")
	longest := t.limits.idle
	if t.limits.total > 0 {
		longest = min(longest, t.limits.total)
	}
	t.asks = &turnAsks{circuit: t.circuit, longest: longest}
	if err := t.circuit.pass(ctx, t.asks, t.showWait); err != nil {
		return waitResult(ctx, err)
	}
	t.showWait("")
	result := ask()
	result.Failure = t.circuit.end(t.asks, result)
	return result
}

// turnAsks are the requests of a turn to its service. An SDK repeats a request that met an outage:
// each counts, and waits like a turn while the circuit is open. The circuit's lock guards the rest.
type turnAsks struct {
	circuit *circuit
	longest time.Duration

	begun        atomic.Bool // the turn passed the circuit for its first request
	probe        bool
	failed, over bool // the last request met an outage; the turn has ended
}

// Begin implements failures.Asks.
func (a *turnAsks) Begin(ctx context.Context) error {
	if first := !a.begun.Swap(true); first {
		return nil
	}
	return a.circuit.pass(ctx, a, func(string) {})
}

// End implements failures.Asks.
func (a *turnAsks) End(problem string) {
	a.circuit.mu.Lock()
	defer a.circuit.mu.Unlock()
	if a.failed = problem != ""; !a.over && a.failed {
		a.circuit.failedLocked(&flow.Failure{Message: problem}, a)
	}
}

// waitResult returns the result of a turn that did not begin.
func waitResult(ctx context.Context, err error) flow.Result {
	if ctx.Err() != nil {
		return flow.Result{Status: flow.Cancelled}
	}
	if f, ok := errors.AsType[*flow.Failure](err); ok {
		return failedResult("", f)
	}
	return failedResult("", failures.New(flow.ClassTransient, failures.ReasonAgent, "%v", err))
}

// takePlace waits for a place of an agent whose turns at a time are limited.
func (p *Performer) takePlace(ctx context.Context, t *turn, name string) (leave func(), err error) {
	queue := p.queueFor(t.call)
	if p.settings.Most == nil || queue == nil {
		return func() {}, nil
	}
	owner, most := p.settings.Most(name)
	if most <= 0 {
		return func() {}, nil
	}
	defer t.showWait("")
	leave, err = queue.Take(ctx, owner, most, func() {
		t.showWait(fmt.Sprintf("waits for its turn: agent `%s` takes %s at a time", owner, plain.Count(most, "turn")))
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("no place of agent `%s`: %w", owner, err)
	}
	return leave, err
}

// queueFor returns the queue of an attempt, or nil.
func (p *Performer) queueFor(call *engine.Attempt) engine.Queue {
	if call.Queue != nil {
		return call.Queue
	}
	return p.settings.Queue
}

// showWait shows what the turn waits for; "" says that it no longer waits.
func (t *turn) showWait(what string) {
	if t.waits == what {
		return
	}
	t.waits = what
	switch {
	case t.call.Waits != nil:
		t.call.Waits(what)
	case what != "":
		t.call.Log.Info(what, "node", t.call.Action.Key)
	}
}
