// Package attempt performs attempts at actions, for the engines that run processes: it
// finds the performer, checks the files that an action needs or must not change, limits
// the environment, and masks secrets in what the action prints.
package attempt

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
	"github.com/wfc-lang/wfc/runtime/internal/checkout"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A Site is where the actions of a run are performed.
type Site struct {
	Run        *flow.RunInfo
	Workflow   *flow.Definition
	Performers map[string]engine.Performer
	// Dir is the run's own folder; see engine.Attempt.
	Dir string
	// Environ is the environment of processes, as os.Environ has it, and Scripts the names
	// of the variables that scripts get, with * for any characters; nil means all.
	Environ, Scripts []string
	// Named are the names of variables with secrets whose names do not say so, and Secrets
	// the variables whose values are masked.
	Named, Secrets []string
	Log            *slog.Logger
	// Output receives the output of actions in pieces, and Warn their warnings.
	Output func(key, stream string, piece []byte)
	Warn   func(key, message string)
	// Event receives entries for the run's journal. It may be nil.
	Event func(e flow.Event)
	// Waits receives what actions wait for before they do anything; see engine.Attempt. It may
	// be nil.
	Waits func(key, what string)
	// Queue orders the turns of agents. It may be nil.
	Queue engine.Queue
	// CostLimit and AtLimit are as in engine.Attempt.
	CostLimit string
	AtLimit   func(spent flow.Meta) bool
	// Withheld is called with the names of variables that scripts do not get.
	Withheld func(names []string)
	// Child performs actions that are runs of other workflows. It may be nil.
	Child func(ctx context.Context, a flow.Action, p flow.Child) flow.Result
	// Sandbox is where the programs of actions start. It may be nil.
	Sandbox *confine.Run
	// Continue returns the action with the session that it continues, if it does. It may be
	// nil.
	Continue func(ctx context.Context, a flow.Action) (flow.Action, error)
}

// A Holder is a performer that does nothing of an action before the process.Hold of the
// context is released. It may get ready: start a process that waits for the release.
type Holder interface {
	engine.Performer
	// StartsBeforeCommit does nothing.
	StartsBeforeCommit()
}

// Perform performs one attempt, and masks secrets in its failure. A panic of a performer
// is its failure. An action that is cancelled before it begins does not begin.
func (s *Site) Perform(ctx context.Context, a flow.Action, attempt int) flow.Result {
	return s.maskFailure(s.performUnmasked(ctx, a, attempt))
}

func (s *Site) performUnmasked(ctx context.Context, a flow.Action, attempt int) (result flow.Result) {
	if ctx.Err() != nil {
		return flow.Result{Status: flow.Cancelled}
	}
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a performer panicked", "node", a.Key, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result = Failed("panic", "internal error: performing the step panicked: %v", p)
		}
	}()
	switch p := a.Payload.(type) {
	case flow.Child:
		if s.Child != nil {
			return s.Child(ctx, a, p)
		}
	case kernel.Evidence:
		return artifact.CheckEvidence(s.Run)
	}
	kind := a.Payload.Kind()
	p, ok := s.Performers[kind]
	if !ok {
		return Failed("performer", "nothing performs steps of kind `%s` here", kind)
	}
	if f := s.missingFileFailure(a); f != nil {
		return flow.Result{Status: flow.Failed, Failure: f}
	}
	a, err := s.continueSession(ctx, a)
	if err != nil {
		result = Failed("session", "the session that the last run left for step `%s` could not be read: %v", a.Key, err)
		result.Failure.Class = flow.ClassTransient
		return result
	}
	output, flush := s.maskedOutput(a)
	defer flush()
	before, err := s.readCheckout(ctx, a)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	defer func() { result = s.failIfChanged(ctx, a, before, artifact.CheckRefs(s.Run, a, result)) }()
	ctx, leave, err := s.Sandbox.Enter(ctx, a, attempt, func(text string) { s.Log.Info(text, "node", a.Key) })
	if err != nil {
		return Failed("sandbox", "%v", err)
	}
	defer func() { result = leave(result) }()
	var waits func(string)
	if s.Waits != nil {
		waits = func(what string) { s.Waits(a.Key, process.Mask(s.Secrets, what)) }
	}
	return p.Perform(ctx, &engine.Attempt{
		Info: s.Run, Workflow: s.Workflow, Action: a, Number: attempt, RunDir: s.Dir,
		Environ: s.actionEnviron(a), Log: s.Log.With("node", a.Key), Output: output,
		Warn: func(message string) {
			s.Warn(a.Key, process.Mask(s.Secrets, message))
		},
		Event: s.maskedEvent(),
		Waits: waits, Queue: s.Queue, CostLimit: s.CostLimit, AtLimit: s.AtLimit,
	})
}

// maskedEvent returns Event for events in which secrets are masked, or nil.
func (s *Site) maskedEvent() func(e flow.Event) {
	if s.Event == nil {
		return nil
	}
	return func(e flow.Event) {
		e.Message = process.Mask(s.Secrets, e.Message)
		s.Event(e)
	}
}

func (s *Site) continueSession(ctx context.Context, a flow.Action) (flow.Action, error) {
	if s.Continue == nil {
		return a, nil
	}
	return s.Continue(ctx, a)
}

// Failed returns the failure of an action that a retry cannot help.
func Failed(reason, format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Reason: reason, Class: flow.ClassFatal, Message: fmt.Sprintf(format, args...),
	}}
}

// missingFileFailure returns the failure of an action that requires a file that does not exist. It
// is here because flow code does no I/O: files change between a run and its replay.
func (s *Site) missingFileFailure(a flow.Action) *flow.Failure {
	prompt, _ := a.Payload.(flow.Prompt)
	for _, file := range prompt.Requires {
		if !input.Exists(file.Path, s.Run.WorkDir) {
			return &flow.Failure{Reason: "template", Message: file.Missing}
		}
	}
	return nil
}

// maskFailure masks secrets in the failure of a result, which people see. The output of a
// step stays unchanged: it is data.
func (s *Site) maskFailure(r flow.Result) flow.Result {
	if r.Failure != nil && len(s.Secrets) > 0 {
		f := *r.Failure
		f.Message = process.Mask(s.Secrets, f.Message)
		r.Failure = &f
	}
	return r
}

// SessionKey returns the key under which the session of an action's agent is kept for the
// next run of the workflow, or "" if it is not kept. Agents do not know each other's
// sessions, so each has its own.
func SessionKey(a flow.Action) string {
	p, ok := a.Payload.(flow.Prompt)
	if !ok || !p.Persist {
		return ""
	}
	return strconv.Quote(p.Agent) + " " + a.Key
}

// Continue returns an action with the session that the last run of the workflow left, if the
// action continues that. find returns the session of a key, or "".
func Continue(a flow.Action, find func(key string) (string, error)) (flow.Action, error) {
	key := SessionKey(a)
	p, _ := a.Payload.(flow.Prompt)
	if key == "" || p.Session != "" || p.FreshSession || p.Fork {
		return a, nil
	}
	session, err := find(key)
	p.Session = session
	a.Payload = p
	return a, err
}
