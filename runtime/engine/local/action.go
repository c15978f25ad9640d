package local

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/checkout"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/internal/evidence"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

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
		result := h.maskFailure(h.perform(ctx, a, attempt))
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
	switch p := a.Payload.(type) {
	case flow.Child:
		return h.child(ctx, a, p)
	case flow.Evidence:
		return evidence.Perform(&h.run.info)
	}
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
	output, flush := h.maskedOutput(a)
	defer flush()
	before, err := h.checkout(ctx, a)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	defer func() { result = h.unchanged(ctx, a, before, h.refersToFiles(a, result)) }()
	return p.Perform(ctx, &engine.Call{
		Run: &h.run.info, Workflow: h.run.def, Action: a, Attempt: attempt, Dir: h.run.dir(),
		Environ: h.environ(a), Log: h.run.log.With("node", a.Key), Output: output,
		Warn: func(message string) {
			h.signal(sched.Warned{Key: a.Key, Message: process.Mask(h.run.journal.secrets, message)})
		},
	})
}

// maskFailure masks secrets in why a result failed, which goes to people. What a step
// gave stays as it is: it is data.
func (h *host) maskFailure(r flow.Result) flow.Result {
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

// environ is the environment of an action. Scripts are the user's own code and
// get what the user allows, which is everything unless the user says otherwise.
// What agents get is for their performer to say, which knows what they need.
func (h *host) environ(a flow.Action) []string {
	all := h.run.environ()
	if !h.limited(a) {
		return all
	}
	given, withheld := envvar.Split(all, func(name string) bool {
		if slices.Contains(h.engine.cfg.Secrets, name) || process.SecretName(name) {
			return envvar.Named(name, h.engine.cfg.Scripts)
		}
		return envvar.Named(name, envvar.Base()) || envvar.Named(name, h.engine.cfg.Scripts)
	})
	if len(withheld) > 0 {
		h.withheld.Do(func() {
			h.run.log.Info("scripts do not get these environment variables", "names", strings.Join(withheld, ", "))
		})
	}
	return given
}

// limited reports whether an action is a script that does not get the whole
// environment.
func (h *host) limited(a flow.Action) bool {
	if h.engine.cfg.Scripts == nil {
		return false
	}
	switch a.Payload.(type) {
	case flow.Bash, flow.Script:
		return true
	}
	return false
}

// maskedOutput returns what takes the output of an action. Of processes the
// secrets are masked that they have and that tell so by their name or value; one
// that does not have a secret may print it all the same, out of a file, in pieces.
func (h *host) maskedOutput(a flow.Action) (output func(stream string, piece []byte), flush func()) {
	plain := h.recorder(a.Key)
	_, prompt := a.Payload.(flow.Prompt)
	if !prompt && !h.limited(a) && !h.hasNamedSecrets() || len(h.run.journal.secrets) == 0 {
		return plain, func() {}
	}
	var mu sync.Mutex
	streams := map[string]stream{}
	output = func(name string, piece []byte) {
		if len(piece) == 0 {
			return // a sign of life, and no more
		}
		mu.Lock()
		defer mu.Unlock()
		s, ok := streams[name]
		if !ok {
			s.write, s.flush = process.MaskStream(h.run.journal.secrets, func(piece []byte) { plain(name, piece) })
			streams[name] = s
		}
		s.write(piece)
	}
	return output, func() {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range streams {
			s.flush()
		}
	}
}

// hasNamedSecrets reports whether there are secrets that only the settings tell.
func (h *host) hasNamedSecrets() bool {
	return slices.ContainsFunc(h.engine.cfg.Environ, func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return slices.Contains(h.engine.cfg.Secrets, name) && !process.Secret(name, value)
	})
}

// stream is one of an action's outputs.
type stream struct {
	write func(piece []byte)
	flush func()
}

// mostOutput is how many bytes of each stream of one attempt of a step reach the
// log and those who watch. A process may print as many to its standard output.
const mostOutput = 64 << 20

// bounded returns a function that passes on at most limit bytes of each stream,
// and then calls cut once for it. It is safe for concurrent use.
func bounded(limit int, pass func(stream string, piece []byte), cut func(stream string)) func(stream string, piece []byte) {
	var mu sync.Mutex
	passed := map[string]int{}
	return func(stream string, piece []byte) {
		mu.Lock()
		defer mu.Unlock()
		before := passed[stream]
		if before > limit {
			return
		}
		passed[stream] = before + len(piece)
		room := limit - before
		if len(piece) <= room {
			pass(stream, piece)
			return
		}
		pass(stream, piece[:room])
		cut(stream)
	}
}

// recorder returns what takes the output of one attempt of a step.
func (h *host) recorder(key string) func(stream string, piece []byte) {
	return bounded(mostOutput, func(stream string, piece []byte) { h.output(key, stream, piece) }, func(stream string) {
		h.run.log.Warn(fmt.Sprintf("%s is longer than %d MiB: the rest of it is not in the log", stream, mostOutput>>20), "node", key)
	})
}
