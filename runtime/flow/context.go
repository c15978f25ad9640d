// Package flow is the kernel that generated workflows are written against:
// typed tasks, actions as data, and the interface of the engines that run them.
//
// Flow code is deterministic by construction. It holds no clock, randomness,
// input or output, and neither goroutines nor channels; all effects are Actions
// performed through an Engine, which journals their results. So any run can be
// replayed from its journal, on any engine.
//
// The package imports nothing but the standard library.
package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrCancelled is what flow code gets when its scope or run is cancelled.
var ErrCancelled = errors.New("cancelled")

// A Context is a task's view of its run. It is passed down the calls of one
// task and never shared between tasks.
type Context struct {
	engine Engine
	group  *group
	key    string // of the node or part of one whose code runs; "" outside nodes
	spec   nodeSettings
	node   *nodeState
}

// nodeState is what the contexts of one node share.
type nodeState struct {
	key string
	// cancels is the reason for which the node's code cancelled the run.
	cancels string
	// session is the session of the agent that spoke last.
	session string
	// unknown is set when the output is not known, and maybe when the node may
	// not run; see Unknown.
	unknown Unknown
	maybe   bool
	// spent is what the node's parts cost; an action under the node's own key
	// has its cost in the node's record already.
	spent Meta
	// last is the key of the action or question that came last.
	last string
	// memory is what is written down for the node's prompts; see MemoryRule.
	memory string
	// replayed says that what the node's own record says is newer than what its
	// code does; see Walk.
	replayed bool
}

// nodeSettings are the settings of a node that its actions take over.
type nodeSettings struct {
	timeout time.Duration
	retry   Retry
	fresh   bool
}

// group is what the tasks of one flow share.
type group struct {
	tasks []anyTask
	// deliveries are settled when outputs of tasks are delivered, or cannot be.
	deliveries []*Future
	cancelled  bool
	reason     string
	// doubtful says that something is uncertain of any task, and deciding that a
	// condition is being decided; see Unknown.
	doubtful, deciding bool
	// seen is the last output read that nobody knows; see planned.
	seen *doubt
	// sequence says that the tasks are steps, one after the other, and broken that
	// one of them did not end well, so that none follows; stopped says that one did
	// not begin because the run was cancelled.
	sequence, broken, stopped bool
	// halts says that a failure breaks the flow although its tasks are no steps.
	halts bool
}

// NewContext returns the context of a run's first task. Engines call it.
func NewContext(e Engine) *Context {
	return &Context{engine: e, group: &group{}, node: &nodeState{}}
}

// Engine returns the engine that runs the task, for flow code that needs more
// than the Context offers.
func (c *Context) Engine() Engine { return c.engine }

// Key returns the key of the node, or part of one, whose code runs.
func (c *Context) Key() string { return c.key }

// At returns the context of a part of the node, whose steps stand under the key
// with the suffix: At("#3") in node fix is fix#3.
func (c *Context) At(suffix string) *Context {
	part := *c
	part.key += suffix
	return &part
}

// Inputs decodes the run's inputs into v, a pointer to the workflow's Inputs.
func (c *Context) Inputs(v any) error {
	raw := c.engine.Run().Inputs
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("the run's inputs: %w", JSONError(err, ""))
	}
	return nil
}

// RunID returns the run's id.
func (c *Context) RunID() string { return c.engine.Run().ID }

// ArtifactsDir returns the run's folder for artifacts.
func (c *Context) ArtifactsDir() string { return c.engine.Run().ArtifactsDir }

// DocsDir returns the project's documentation folder.
func (c *Context) DocsDir() string { return c.engine.Run().DocsDir }

// BaseBranch returns the branch that changes are made against, or a Failure
// when it is not known.
func (c *Context) BaseBranch() (string, error) {
	if b := c.engine.Run().BaseBranch; b != "" {
		return b, nil
	}
	return "", &Failure{Reason: "base_branch", Message: "the base branch is not known: give --base-branch NAME, set base_branch in wfc.yaml, or set the remote's default branch (git remote set-head origin --auto)"}
}

// Do performs an action under the node's own key and waits for its end. The
// error is a *Failure or ErrCancelled; a failed action's Result may still hold
// text.
func (c *Context) Do(p Payload) (Result, error) { return c.DoAs("", p) }

// DoAs is Do under a key below the node's: DoAs("#3", p) in node fix is step
// fix#3.
func (c *Context) DoAs(suffix string, p Payload) (Result, error) {
	c.node.last = c.key + suffix
	r, err := c.end(c.engine.Do(Action{
		Key: c.key + suffix, Payload: p,
		Timeout: c.spec.timeout, Retry: c.spec.retry, Fresh: c.spec.fresh,
	}))
	if r.Meta.Session != "" {
		c.node.session = r.Meta.Session
	}
	if r.Unknown != nil && err == nil {
		c.node.unknown = r.Unknown
	}
	if c.key+suffix != c.node.key {
		c.node.spent = c.node.spent.Plus(r.Meta)
	}
	return r, err
}

// Ask puts a question to a person under a key below the node's and waits for
// the answer.
func (c *Context) Ask(suffix string, q Question) (Result, error) {
	q.Key = c.key + suffix
	c.node.last = q.Key
	return c.end(c.engine.Ask(q))
}

// Sleep waits for d. The deadline is kept over restarts.
func (c *Context) Sleep(suffix string, d time.Duration) error {
	_, err := c.end(c.engine.Sleep(c.key+suffix, d))
	return err
}

// end waits for the end of something that a cancelled scope ends by itself.
// So a node ends as its action really did: an action that completes although
// it was told to end has completed, and no node ends before its processes.
func (c *Context) end(f *Future) (Result, error) {
	if err := c.engine.Await(Ended, f); err != nil {
		return Result{Status: Cancelled}, err
	}
	return outcome(f.Result())
}

func outcome(r Result) (Result, error) {
	switch r.Status {
	case Completed:
		return r, nil
	case Cancelled:
		return r, ErrCancelled
	}
	if r.Failure == nil {
		r.Failure = &Failure{Message: "failed without a reason"}
	}
	return r, r.Failure
}

// CancelRun ends the run as cancelled for a reason: tasks that run finish,
// nothing new starts. The first reason given counts. When a node that called it
// completes, the reason is journalled with it, so that a later process of the
// run, which takes the node from the journal, is cancelled too.
func (c *Context) CancelRun(reason string) {
	if reason == "" {
		reason = "the workflow cancelled its run"
	}
	c.node.cancels = reason
	if c.node.maybe {
		c.engine.Log(Event{Type: EventMayCancel, Key: c.node.key, Message: reason})
		return
	}
	if !c.group.cancelled {
		c.group.cancelled, c.group.reason = true, reason
	}
}
