package local

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
	"github.com/wfc-lang/wfc/runtime/internal/process"
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
	// leased ends with store.ErrLeaseLost as its cause when the run's lease is
	// lost; what waits for the store waits no longer. lose ends it.
	leased context.Context
	lose   context.CancelCauseFunc

	mu      sync.Mutex
	mail    []sched.Signal
	arrived chan struct{} // holds a token when mail has come
	cancels map[string]context.CancelFunc

	telling sync.Mutex   // lets one watcher's call at a time through
	untold  []flow.Batch // committed, but not told yet
	// begun are the steps of several parts that the log says have started.
	begun map[string]bool

	// withheld logs once what scripts do not get.
	withheld sync.Once

	spare chan func() // work for goroutines that have done theirs

	// The rest belongs to the scheduler's goroutine.
	ticker   *time.Ticker // says when to look at the store again
	created  bool         // the run is new, so the store has no news of it yet
	version  int64        // of the store when it was last looked at
	looked   bool
	answered map[string]bool
	// persistent are the keys of the sessions to keep, by step.
	persistent map[string]string
	asking     asking
}

var _ sched.Host = (*host)(nil)

func newHost(ctx context.Context, e *Engine, r *run) *host {
	h := &host{
		engine: e, run: r, performers: map[string]engine.Performer{},
		arrived: make(chan struct{}, 1), cancels: map[string]context.CancelFunc{}, answered: map[string]bool{},
		ticker: time.NewTicker(e.cfg.Poll), spare: make(chan func()),
	}
	for _, p := range e.cfg.Performers {
		h.performers[p.Kind()] = p
	}
	h.ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.leased, h.lose = context.Background(), func(error) {}
	if _, ok := e.cfg.Store.(store.Lessor); ok {
		h.leased, h.lose = context.WithCancelCause(context.Background())
	}
	return h
}

// close ends what may still run and waits for it. Closing twice does nothing.
func (h *host) close() {
	h.stop()
	h.work.Wait()
	h.catchUp()
	h.ticker.Stop()
}

// signal leaves a signal for the scheduler. It may be called from anywhere.
func (h *host) signal(s sched.Signal) {
	h.mu.Lock()
	h.mail = append(h.mail, s)
	h.mu.Unlock()
	select {
	case h.arrived <- struct{}{}:
	default: // the token is there already
	}
}

// take empties the mailbox.
func (h *host) take() []sched.Signal {
	h.mu.Lock()
	defer h.mu.Unlock()
	mail := h.mail
	h.mail = nil
	return mail
}

// Commit implements sched.Host. What people are shown comes after the commit.
func (h *host) Commit(b flow.Batch) error {
	err := h.letGo(func(ctx context.Context) error { return h.engine.cfg.Store.Commit(ctx, h.run.info.ID, b) })
	if err != nil {
		return err
	}
	if len(h.persistent) > 0 {
		h.keepSessions(b.Steps)
	}
	h.keepArtifacts(b.Steps)
	h.telling.Lock()
	h.untold = append(h.untold, b)
	h.telling.Unlock()
	if !starts(b) {
		h.catchUp()
	}
	h.track(b.Steps)
	return nil
}

// starts reports whether the scheduler is about to start something that the
// batch says runs. Then telling of the batch waits until that is under way.
func starts(b flow.Batch) bool {
	return b.Run == nil && slices.ContainsFunc(b.Steps, func(s flow.Record) bool {
		return s.Status == flow.Running && s.Deadline.IsZero()
	}) && !slices.ContainsFunc(b.Steps, func(s flow.Record) bool { return s.Status == flow.Waiting })
}

// Start implements sched.Host.
func (h *host) Start(a flow.Action, attempt int) {
	if key := persistent(a); key != "" {
		if h.persistent == nil {
			h.persistent = map[string]string{}
		}
		h.persistent[a.Key] = key
	}
	ctx, cancel := context.WithCancel(h.ctx)
	h.mu.Lock()
	h.cancels[a.Key] = cancel
	h.mu.Unlock()
	h.do(func() {
		defer cancel()
		result := h.discreet(h.perform(ctx, a, attempt))
		h.mu.Lock()
		delete(h.cancels, a.Key)
		h.mu.Unlock()
		h.signal(sched.Done{Key: a.Key, Result: result})
	})
}

// do does work on a goroutine, one that has done other work if there is such:
// it has the stack that performers need.
func (h *host) do(work func()) {
	select {
	case h.spare <- work:
		return
	default:
	}
	h.work.Go(func() {
		for {
			work()
			select {
			case work = <-h.spare:
			case <-h.ctx.Done():
				return
			}
		}
	})
}

// perform performs one attempt. A panic of a performer is its failure. What is
// cancelled before it begins, does not.
func (h *host) perform(ctx context.Context, a flow.Action, attempt int) (result flow.Result) {
	if ctx.Err() != nil {
		return flow.Result{Status: flow.Cancelled}
	}
	defer func() {
		if p := recover(); p != nil {
			h.run.log.Error("a performer panicked", "node", a.Key, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result = failed("panic", "internal error: performing the step panicked: %v", p)
		}
	}()
	kind := a.Payload.Kind()
	p, ok := h.performers[kind]
	if !ok {
		return failed("performer", "nothing performs steps of kind `%s` here", kind)
	}
	if f := h.missing(a); f != nil {
		return flow.Result{Status: flow.Failed, Failure: f}
	}
	a, err := h.continued(ctx, a)
	if err != nil {
		result = failed("session", "the session that the last run left for step '%s' could not be read: %v", a.Key, err)
		result.Failure.Class = flow.ClassTransient
		return result
	}
	output, flush := h.masked(a)
	defer flush()
	return p.Perform(ctx, &engine.Call{
		Run: &h.run.info, Workflow: h.run.def, Action: a, Attempt: attempt, Dir: h.run.dir(),
		Environ: h.environ(a), Log: h.run.log.With("node", a.Key), Output: output,
		Warn: func(message string) {
			h.signal(sched.Warned{Key: a.Key, Message: process.Mask(h.run.journal.secrets, message)})
		},
	})
}

// discreet masks secrets in why a result failed, which goes to people. What a step
// gave stays as it is: it is data.
func (h *host) discreet(r flow.Result) flow.Result {
	if r.Failure != nil && len(h.run.journal.secrets) > 0 {
		f := *r.Failure
		f.Message = process.Mask(h.run.journal.secrets, f.Message)
		r.Failure = &f
	}
	return r
}

func failed(reason, format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Reason: reason, Class: flow.ClassFatal, Message: fmt.Sprintf(format, args...),
	}}
}

// Cancel implements sched.Host.
func (h *host) Cancel(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.cancels[key]; cancel != nil {
		cancel()
	}
}

// Now implements sched.Host.
func (h *host) Now() time.Time { return time.Now() }

// Pick implements sched.Host.
func (h *host) Pick(int) int { return 0 }

// Next implements sched.Host. Now and then it looks whether another process
// wants the run cancelled or has answered a question, also when the run is so
// busy that it never waits.
func (h *host) Next(wake time.Time) []sched.Signal {
	h.catchUp()
	if !wake.IsZero() && !wake.After(h.Now()) {
		if h.created {
			h.created = false
		} else {
			h.look()
		}
		return h.take()
	}
	var alarm <-chan time.Time
	if !wake.IsZero() {
		timer := time.NewTimer(time.Until(wake))
		defer timer.Stop()
		alarm = timer.C
	}
	for {
		select {
		case <-h.ticker.C:
			h.look()
		default:
		}
		if mail := h.take(); len(mail) > 0 {
			return mail
		}
		select {
		case <-h.arrived:
		case <-alarm:
			return h.take()
		case <-h.ticker.C:
			h.look()
		}
	}
}
