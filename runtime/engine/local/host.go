package local

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// host is the world of a run on this machine: actions are performed on
// goroutines, which leave their results in a mailbox; the scheduler empties it
// when it has nothing else to do.
type host struct {
	engine     *Engine
	run        *run
	performers map[string]engine.Performer

	ctx  context.Context // ends with the host, or when the run's lease is lost
	stop context.CancelFunc
	work sync.WaitGroup
	leaseTerm
	mu      sync.Mutex
	mail    []sched.Signal
	arrived chan struct{} // holds a token when mail has come
	cancels map[string]context.CancelFunc
	// resting are the children that only wait for people, by id.
	resting map[string]*child
	// pausing says that the scheduler found no mail before a pause.
	pausing bool

	unreported reports
	// begun are the steps of several parts that the log says have started.
	begun map[string]bool

	// lifted says that a person has lifted the budgets for the run, and unpriced are the agents
	// whose unknown price was reported.
	lifted   atomic.Bool
	unpriced sync.Map

	// withheld logs once what scripts do not get.
	withheld sync.Once

	// sandbox is where the programs of actions start, or nil.
	sandbox *confine.Run

	spare chan func() // work for goroutines that have done theirs

	// The rest belongs to the scheduler's goroutine.
	seen seen
	// persistent are the keys of the sessions to keep, by step.
	persistent map[string]string
	// held are the processes that wait for the commit of their steps' starts.
	held   map[string]*process.Hold
	asking asking
	// notices returns what makes the notices about batches, or nil.
	notices func() *notices
}

// A leaseTerm is the time for which the run's lease holds.
type leaseTerm struct {
	// leased ends with runstore.ErrLost as its cause when the run's lease is
	// lost; what waits for the store waits no longer. lose ends it.
	leased context.Context
	lose   context.CancelCauseFunc
}

// Reports are batches that were committed, but not reported yet. The lock lets one watcher's
// call at a time through.
type reports struct {
	sync.Mutex
	batches []flow.Batch
}

// Seen is what the scheduler knows from its looks at the store.
type seen struct {
	ticker   *time.Ticker // says when to look again
	created  bool         // the run is new, so the store has no news of it yet
	version  int64        // of the store at the last look
	looked   bool
	answered map[string]bool
}

var (
	_ sched.Host     = (*host)(nil)
	_ sched.Preparer = (*host)(nil)
	_ sched.Lifter   = (*host)(nil)
)

func newHost(ctx context.Context, e *Engine, r *run) *host {
	h := &host{
		engine: e, run: r, performers: map[string]engine.Performer{},
		arrived: make(chan struct{}, 1), cancels: map[string]context.CancelFunc{},
		seen:  seen{ticker: time.NewTicker(e.cfg.Poll), answered: map[string]bool{}},
		spare: make(chan func()), notices: sync.OnceValue(r.newNotices),
	}
	for _, p := range e.cfg.Performers {
		h.performers[p.Kind()] = p
	}
	h.ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.leased, h.lose = context.Background(), func(error) {}
	if _, ok := e.cfg.Store.(runstore.Store); ok {
		h.leased, h.lose = context.WithCancelCause(context.Background())
	}
	return h
}

// close ends running actions and waits for them. Closing twice does nothing.
func (h *host) close() {
	h.stop()
	h.work.Wait()
	h.sandbox.Close()
	h.reportCommitted()
	h.seen.ticker.Stop()
}

// sendSignal leaves a signal for the scheduler. Callers must not hold h.mu.
func (h *host) sendSignal(s sched.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.addSignal(s)
}

// addSignal is sendSignal for callers that hold h.mu.
func (h *host) addSignal(s sched.Signal) {
	h.mail = append(h.mail, s)
	select {
	case h.arrived <- struct{}{}:
	default: // the token is there already
	}
}

// takeSignals empties the mailbox. last says that the run pauses if it's empty.
func (h *host) takeSignals(last bool) []sched.Signal {
	h.mu.Lock()
	defer h.mu.Unlock()
	mail := h.mail
	h.mail, h.pausing = nil, last && len(mail) == 0
	return mail
}

// Commit implements sched.Host. It shows the changes to people after the commit. Before it
// commits the end or the pause of the run, it ends the processes that the run's steps have
// left running.
func (h *host) Commit(b flow.Batch) error {
	if b.Run != nil {
		b.Events = append(slices.Clip(b.Events), h.endLeftovers()...)
		if text := h.sandbox.Report(); text != "" {
			b.Events = append(b.Events, flow.Event{Time: time.Now(), Type: confine.EventReport, Message: text})
		}
	}
	h.addNotices(&b)
	err := h.whileLeased(func(ctx context.Context) error { return h.engine.cfg.Store.Commit(ctx, h.run.info.ID, b) })
	if err != nil {
		return err
	}
	if len(b.Messages) > 0 {
		h.engine.courier.Nudge()
	}
	if len(h.persistent) > 0 {
		h.keepSessions(b.Steps)
	}
	h.keepArtifacts(b.Steps)
	h.unreported.Lock()
	h.unreported.batches = append(h.unreported.batches, b)
	h.unreported.Unlock()
	if !startsStep(b) {
		h.reportCommitted()
	}
	h.trackQuestions(b.Steps)
	return nil
}

// startsStep reports whether the scheduler is about to start something that the batch says
// runs. Then the report of the batch waits until that is under way.
func startsStep(b flow.Batch) bool {
	return b.Run == nil && slices.ContainsFunc(b.Steps, func(s flow.Record) bool {
		return s.Status == flow.Running && s.Deadline.IsZero()
	}) && !slices.ContainsFunc(b.Steps, func(s flow.Record) bool { return s.Status == flow.Waiting })
}

// Now implements sched.Host.
func (h *host) Now() time.Time { return time.Now() }

// Pick implements sched.Host.
func (h *host) Pick(int) int { return 0 }

// Next implements sched.Host. Now and then it looks whether another process
// wants the run cancelled or has answered a question, also when the run is so
// busy that it never waits.
func (h *host) Next(wake time.Time) []sched.Signal {
	h.reportCommitted()
	if !wake.IsZero() && !wake.After(h.Now()) {
		if h.seen.created {
			h.seen.created = false
		} else {
			h.pollStore()
		}
		h.wakeChildren()
		return h.takeSignals(true)
	}
	var alarm <-chan time.Time
	if !wake.IsZero() {
		alarm = time.After(time.Until(wake))
	}
	for {
		if !wake.IsZero() && !time.Now().Round(0).Before(wake.Round(0)) {
			return h.takeSignals(false) // the clock jumped, or the machine slept: timers don't count that
		}
		select {
		case <-h.seen.ticker.C:
			h.pollStore()
		default:
		}
		if mail := h.takeSignals(false); len(mail) > 0 {
			return mail
		}
		select {
		case <-h.arrived:
		case <-alarm:
			return h.takeSignals(false)
		case <-h.seen.ticker.C:
			h.pollStore()
		}
	}
}

// pollStore turns what other processes wrote into signals. It reads a store that cannot
// be read now again later: the run's own commits will fail if it is gone.
func (h *host) pollStore() {
	n := news{of: h.run.info.ID, version: h.seen.version}
	looked := h.seen.looked
	err := h.whileLeased(func(ctx context.Context) error { return n.readStore(ctx, h.engine.cfg.Store, looked) })
	switch {
	case h.leased.Err() != nil: // who ended it says so
	case err != nil:
		h.run.log.Warn("the store could not be read for answers and cancel requests", "error", err)
	case n.changed:
		h.dispatchNews(&n)
	}
}

// news is the result of a look at the store. The result of an abandoned look is ignored.
type news struct {
	of string // the run
	// version is the store's, first at the look before, and changed says that
	// something was written since.
	version int64
	changed bool
	run     store.Run
	answers []store.Answer
}

// readStore looks at the store; looked says that there was a look before.
func (n *news) readStore(ctx context.Context, from store.Store, looked bool) error {
	version, err := from.Generation(ctx)
	if err != nil || looked && version == n.version {
		return err
	}
	n.version, n.changed = version, true
	if n.run, err = from.Run(ctx, n.of); err == nil {
		n.answers, err = from.Answers(ctx, n.of)
	}
	return err
}

// dispatchNews signals the changes that a look has found.
func (h *host) dispatchNews(n *news) {
	// The version is older than the data read, so that no change is lost between this
	// look and the next.
	h.seen.looked, h.seen.version = true, n.version
	if !n.run.CancelRequested.IsZero() {
		h.sendSignal(sched.CancelRun{Reason: kernel.CancelReason(n.run.CancelBy)})
	}
	for _, a := range n.answers {
		if h.seen.answered[a.Key] {
			continue
		}
		h.seen.answered[a.Key] = true
		h.sendSignal(answerSignal(a))
	}
}
