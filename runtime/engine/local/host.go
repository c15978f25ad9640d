package local

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
)

// host is the world of a run on this machine: actions are performed on
// goroutines, which leave their results in a mailbox; the scheduler empties it
// when it has nothing else to do.
type host struct {
	engine     *Engine
	run        *run
	performers map[string]engine.Performer
	artifacts  map[string]string // the artifact type of the nodes that have one

	ctx  context.Context // ends with the host
	stop context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	mail    []sched.Signal
	arrived chan struct{} // holds a token when mail has come
	cancels map[string]context.CancelFunc

	version  int64 // of the store when it was last looked at
	looked   bool
	answered map[string]bool
}

func newHost(e *Engine, r *run) *host {
	h := &host{
		engine: e, run: r, performers: map[string]engine.Performer{}, artifacts: map[string]string{},
		arrived: make(chan struct{}, 1), cancels: map[string]context.CancelFunc{}, answered: map[string]bool{},
	}
	for _, p := range e.cfg.Performers {
		h.performers[p.Kind()] = p
	}
	for _, n := range r.def.Nodes {
		if n.Artifact != "" {
			h.artifacts[n.Key] = n.Artifact
		}
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// close ends what may still run and waits for it.
func (h *host) close() {
	h.stop()
	h.work.Wait()
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

// Commit implements sched.Host. What people are shown comes after the commit.
func (h *host) Commit(b flow.Batch) error {
	if err := h.engine.cfg.Store.Commit(context.Background(), h.run.info.ID, b); err != nil {
		return err
	}
	h.announce(b)
	return nil
}

// Start implements sched.Host.
func (h *host) Start(a flow.Action, attempt int) {
	ctx, cancel := context.WithCancel(h.ctx)
	h.mu.Lock()
	h.cancels[a.Key] = cancel
	h.mu.Unlock()
	h.work.Go(func() {
		defer cancel()
		result := h.perform(ctx, a, attempt)
		h.mu.Lock()
		delete(h.cancels, a.Key)
		h.mu.Unlock()
		h.signal(sched.Done{Key: a.Key, Result: result})
	})
}

// perform performs one attempt. A panic of a performer is its failure.
func (h *host) perform(ctx context.Context, a flow.Action, attempt int) (result flow.Result) {
	defer func() {
		if p := recover(); p != nil {
			h.run.log.Error("a performer panicked", "node", a.Key, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result = failed("panic", flow.ClassFatal, "internal error: performing the step panicked: %v", p)
		}
	}()
	kind := a.Payload.Kind()
	p, ok := h.performers[kind]
	if !ok {
		return failed("performer", flow.ClassFatal, "nothing performs steps of kind `%s` here", kind)
	}
	return p.Perform(ctx, &engine.Call{
		Run: &h.run.info, Action: a, Attempt: attempt, Dir: h.run.folder.Run(h.run.info.ID),
		Environ: h.engine.cfg.Environ, Log: h.run.log.With("node", a.Key),
		Output: func(stream string, piece []byte) { h.output(a.Key, stream, piece) },
	})
}

func failed(reason string, class flow.Class, format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Reason: reason, Class: class, Message: fmt.Sprintf(format, args...)}}
}

// Cancel implements sched.Host.
func (h *host) Cancel(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.cancels[key]; cancel != nil {
		cancel()
	}
}

// Ask implements sched.Host: a committed question is already where the answers
// are looked for.
func (h *host) Ask(flow.Question) {}

// Now implements sched.Host.
func (h *host) Now() time.Time { return time.Now() }

// Pick implements sched.Host.
func (h *host) Pick(int) int { return 0 }

// Next implements sched.Host. While it waits it looks now and then whether
// another process wants the run cancelled or has answered a question.
func (h *host) Next(wake time.Time) []sched.Signal {
	var alarm <-chan time.Time
	if !wake.IsZero() {
		timer := time.NewTimer(time.Until(wake))
		defer timer.Stop()
		alarm = timer.C
	}
	poll := time.NewTicker(h.engine.cfg.Poll)
	defer poll.Stop()
	if !h.looked {
		h.looked = true
		h.look()
	}
	for {
		if mail := h.take(); len(mail) > 0 {
			return mail
		}
		select {
		case <-h.arrived:
		case <-alarm:
			return h.take()
		case <-poll.C:
			h.look()
		}
	}
}

func (h *host) take() []sched.Signal {
	h.mu.Lock()
	defer h.mu.Unlock()
	mail := h.mail
	h.mail = nil
	return mail
}

// look turns what other processes wrote into signals. A store that cannot be
// read now is asked again later: the run's own commits will tell if it is gone.
func (h *host) look() {
	ctx, id := context.Background(), h.run.info.ID
	version, err := h.engine.cfg.Store.Version(ctx)
	if err != nil || version == h.version {
		return
	}
	h.version = version
	kept, err := h.engine.cfg.Store.Run(ctx, id)
	if err != nil {
		h.run.log.Warn("the store could not be read for requests", "error", err)
		return
	}
	if !kept.CancelRequested.IsZero() {
		h.signal(sched.CancelRun{Reason: cancelReason(kept.CancelBy)})
	}
	answers, err := h.engine.cfg.Store.Answers(ctx, id)
	if err != nil {
		h.run.log.Warn("the store could not be read for answers", "error", err)
		return
	}
	for _, a := range answers {
		if h.answered[a.Key] {
			continue
		}
		h.answered[a.Key] = true
		h.signal(sched.Answered{Key: a.Key, Result: flow.Result{
			Status: flow.Completed, Text: a.Text, Meta: flow.Meta{By: a.By, From: a.From},
		}})
	}
}
