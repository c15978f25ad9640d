package local

import (
	"context"
	"runtime"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stack"
)

// Start implements sched.Host.
func (h *host) Start(a flow.Action, number int) {
	if hold := h.held[a.Key]; hold != nil {
		delete(h.held, a.Key)
		hold.Release()
		return
	}
	h.begin(h.ctx, a, number)
}

// Prepare implements sched.Preparer: a script's process is made while the start of its step
// is committed, and waits for that. It saves time only while a processor is free.
func (h *host) Prepare(a flow.Action, number int) {
	if _, ok := a.Payload.(flow.Bash); !ok || a.ReadOnly {
		return // what an action depends on may come with the commit
	}
	if _, ok := h.performers[a.Payload.Kind()].(attempt.Holder); !ok || h.performing() >= runtime.NumCPU() {
		return
	}
	hold := process.NewHold()
	if h.held == nil {
		h.held = map[string]*process.Hold{}
	}
	h.held[a.Key] = hold
	h.begin(process.WithHold(h.ctx, hold), a, number)
}

// performing is the number of actions that are being performed.
func (h *host) performing() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.cancels)
}

// begin performs an attempt on another goroutine.
func (h *host) begin(ctx context.Context, a flow.Action, number int) {
	if key := attempt.SessionKey(a); key != "" {
		if h.persistent == nil {
			h.persistent = map[string]string{}
		}
		h.persistent[a.Key] = key
	}
	ctx, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	h.cancels[a.Key] = cancel
	h.mu.Unlock()
	h.do(func() {
		defer cancel()
		result := h.perform(ctx, a, number)
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
		stack.Small()
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

// Cancel implements sched.Host.
func (h *host) Cancel(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.cancels[key]; cancel != nil {
		cancel()
	}
}

// perform performs one attempt.
func (h *host) perform(ctx context.Context, a flow.Action, number int) flow.Result {
	return h.site().Perform(ctx, a, number)
}

// site returns where the run's actions are performed.
func (h *host) site() *attempt.Site {
	return &attempt.Site{
		Run: &h.run.info, Workflow: h.run.def, Performers: h.performers, Dir: h.run.dir(),
		Environ: h.run.environ(), Scripts: h.engine.cfg.ScriptVariables, Named: h.engine.cfg.SecretVariables, Secrets: h.run.journal.secrets,
		Child: h.child,
		Log:   h.run.log, Output: h.output, Continue: h.continued,
		Warn: func(key, message string) { h.signal(sched.Warned{Key: key, Message: message}) },
		Withheld: func(names []string) {
			h.withheld.Do(func() {
				h.run.log.Info("scripts do not get these environment variables", "names", strings.Join(names, ", "))
			})
		},
	}
}
