package flow

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// ErrCancelled is returned to flow code whose scope or run is cancelled. Compare it with
// errors.Is.
var ErrCancelled = kernel.ErrCancelled

// A Context is a task's access to its run. It is passed down the calls of one task and
// never shared between tasks.
type Context struct {
	scheduler Scheduler
	flow      *flowState
	key       string    // of the node, or of its part, whose code runs; "" outside nodes
	action    Action    // with the settings that the node's actions inherit
	heard     []AnyTask // whose outputs the node's questions are about
	node      *NodeState
}

// flowState is what the tasks of one flow share.
type flowState struct {
	tasks []AnyTask
	// declared are the keys of infos in order: the flow spawns no others, if there are any.
	declared []string
	infos    map[string]*NodeInfo
	// claimed are the keys of tasks.
	claimed map[string]bool
	// deliveries are settled when outputs of tasks are delivered, or cannot be.
	deliveries []*Future
	cancelled  bool
	reason     string
	// inside is the key of the part of a node in which the flow runs, or ""; see
	// NodeContext.RunNodes.
	inside string
	// fresh means that the flow's nodes run again in each process of the run.
	fresh bool
	// spent is the cost of the flow's actions.
	spent Meta
	// sequence means that the tasks are steps, one after the other; broken, that one of
	// them failed, so that none follows; stopped, that one did not start because the
	// run was cancelled.
	sequence, broken, stopped bool
	// last are the steps that run at the end of every run.
	last []AnyTask
	// halts means that a failure breaks the flow although its tasks are not steps.
	halts bool
}

// Scheduler returns the Scheduler of the task, for flow code that needs more than the
// Context offers.
func (c *Context) Scheduler() Scheduler { return c.scheduler }

// Key returns the key of the node, or of its part, whose code runs. It is "" outside
// nodes.
func (c *Context) Key() string { return c.key }

// At returns the context of a part of the node. Its key has the suffix: At("#3") in
// node fix is fix#3.
func (c *Context) At(suffix string) *Context {
	part := *c
	part.key += suffix
	return &part
}

// withScheduler returns the context with another scheduler.
func (c *Context) withScheduler(e Scheduler) *Context {
	part := *c
	part.scheduler = e
	return &part
}

// Inputs decodes the run's inputs, a JSON object, into v: a pointer to the workflow's
// Inputs struct. The error is that of decoding, with line and column.
func (c *Context) Inputs(v any) error {
	raw := c.scheduler.Run().Inputs
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("the run's inputs: %w", plain.JSONError(err, ""))
	}
	return nil
}

// RunID returns the run's id.
func (c *Context) RunID() string { return c.scheduler.Run().ID }

// ArtifactsDir returns the absolute path of the run's folder for artifacts: files that
// belong to the run's result.
func (c *Context) ArtifactsDir() string { return c.scheduler.Run().ArtifactsDir }

// SharedDir returns the folder that all runs of the project share; see RunInfo.SharedDir.
func (c *Context) SharedDir() string { return c.scheduler.Run().SharedDir }

// ArtifactList returns the path of the file that lists the run's typed artifacts; see
// RunInfo.ArtifactList.
func (c *Context) ArtifactList() string { return c.scheduler.Run().ArtifactList() }

// DocsDir returns the project's documentation folder.
func (c *Context) DocsDir() string { return c.scheduler.Run().DocsDir }

// BaseBranch returns the branch that changes are based on, or a *Failure if it is not
// known.
func (c *Context) BaseBranch() (string, error) {
	if b := c.scheduler.Run().BaseBranch; b != "" {
		return b, nil
	}
	return "", &Failure{Reason: "base_branch", Message: kernel.UnknownBaseBranch}
}

// ScriptEnv returns the environment variables that scripts of archon workflows get, in a
// new slice: the run's folders and branch, and the two inputs of such workflows, arguments
// and background (Inputs.Arguments and Inputs.Context in generated code). BASE_BRANCH is
// empty if the branch is not known. LOOP_USER_INPUT, LOOP_PREV_OUTPUT and REJECTION_REASON
// are empty; for the test of a loop, steps.Iteration.ScriptEnv sets the first two.
func (c *Context) ScriptEnv(arguments, background string) []Variable {
	run := c.scheduler.Run()
	return []Variable{
		{Name: "ARTIFACTS_DIR", Value: run.ArtifactsDir}, {Name: "LOG_DIR", Value: run.LogDir},
		{Name: "BASE_BRANCH", Value: run.BaseBranch},
		{Name: "USER_MESSAGE", Value: arguments}, {Name: "ARGUMENTS", Value: arguments},
		{Name: "LOOP_USER_INPUT"}, {Name: "LOOP_PREV_OUTPUT"}, {Name: "REJECTION_REASON"},
		{Name: "CONTEXT", Value: background}, {Name: "EXTERNAL_CONTEXT", Value: background},
		{Name: "ISSUE_CONTEXT", Value: background},
	}
}

// Do performs an action under the node's key and waits for its result. A node, or a part
// of one (see At), may call Do once; it calls DoAs for further actions. The error is a
// *Failure or ErrCancelled. The Result of a failed action may still have a Text.
func (c *Context) Do(p Payload) (Result, error) { return c.DoAs("", p) }

// DoAs is Do with the node's key followed by suffix as the step's key: DoAs("#3", p) in
// node fix is step fix#3.
func (c *Context) DoAs(suffix string, p Payload) (Result, error) {
	c.node.Last = c.partKey(suffix)
	a := c.action
	a.Key, a.Payload = c.key+suffix, p
	r, err := c.awaitEnd(c.scheduler.Do(a))
	if r.Meta.Session != "" {
		c.node.Session = r.Meta.Session
	}
	if savesStdout(p) {
		r.StdoutPath = c.scheduler.Run().StdoutPath(c.key + suffix)
	}
	c.flow.spent = c.flow.spent.Plus(r.Meta)
	if c.key+suffix != c.node.Key {
		c.node.Spent = c.node.Spent.Plus(r.Meta)
	}
	return r, err
}

// Ask asks a person a question and waits for the answer, which is the Result's Text. The
// question's key is the node's key followed by suffix. A question without an Output is about
// the outputs of the dependencies whose Node.Kind does not exclude it, as far as its Message
// does not have them. The error is a *Failure, for example after its timeout, or ErrCancelled.
func (c *Context) Ask(suffix string, q Question) (Result, error) {
	q.Key = c.partKey(suffix)
	switch {
	case q.IsReview(), q.Output != "" && q.Speakers == nil:
		q.Speakers = []Speaker{{c.node.Key, len(q.Output)}}
	case q.Output == "" && q.Wait == "":
		q.Output, q.Speakers = c.agentWords(q.Message)
	}
	c.node.Last = q.Key
	return c.awaitEnd(c.scheduler.Ask(q))
}

// agentWords are the outputs that the node's questions are about, but for those in message.
func (c *Context) agentWords(message string) (words string, by []Speaker) {
	var list []string
	for _, t := range c.heard {
		text := strings.TrimSpace(t.finalText())
		if t.Status() == Completed && !saysAll(message, text) {
			list, by = append(list, text), append(by, Speaker{t.Key(), len(text)})
		}
	}
	return strings.Join(list, "\n\n"), by
}

// saysAll reports whether a message contains an output, or every string of one that is JSON, but
// for keys.
func saysAll(message, output string) bool {
	if output == "" || strings.Contains(message, output) {
		return true
	}
	if output[0] != '{' && output[0] != '[' || !json.Valid([]byte(output)) {
		return false
	}
	d := json.NewDecoder(strings.NewReader(output))
	for {
		token, err := d.Token()
		if err != nil {
			return true // the end
		}
		text, isString := token.(string)
		isKey := strings.HasPrefix(strings.TrimLeft(output[d.InputOffset():], " \t\r\n"), ":")
		if isString && !isKey && !strings.Contains(message, strings.TrimSpace(text)) {
			return false
		}
	}
}

// Sleep waits for d, as the step whose key is the node's key followed by suffix. The
// deadline is journalled: a later process of the run waits only for the rest. The error is
// ErrCancelled or a *Failure.
func (c *Context) Sleep(suffix string, d time.Duration) error {
	_, err := c.awaitEnd(c.scheduler.Sleep(c.partKey(suffix), d))
	return err
}

// awaitEnd waits for the end of an action, a question or a sleep, also if the scope is
// cancelled. So a node ends as its action did: an action that completes despite its
// cancellation has completed, and no node ends before its processes.
func (c *Context) awaitEnd(f *Future) (Result, error) {
	if err := c.scheduler.AwaitEnded(f); err != nil {
		return Result{Status: Cancelled}, err
	}
	return splitOutcome(f.Result())
}

func splitOutcome(r Result) (Result, error) {
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

// CancelRun ends the run as cancelled: running tasks finish, no other task starts. The
// first of several calls determines the reason. If the calling node completes, the engine
// journals the reason with it; so a later process of the run is cancelled too.
func (c *Context) CancelRun(reason string) {
	reason = cmp.Or(reason, "the workflow cancelled its run")
	c.node.cancels = reason
	if !c.flow.cancelled {
		c.flow.cancelled, c.flow.reason = true, reason
	}
}

// startTimer starts a timer under a key if the engine has such timers.
func startTimer(e Scheduler, key string, limit time.Duration) *Future {
	if keyed, ok := e.(interface {
		TimerOf(key string, d time.Duration) *Future
	}); ok {
		return keyed.TimerOf(key, limit)
	}
	return e.Timer(limit)
}

// WithTimeout calls fn and returns its results. If fn takes longer than limit, its
// actions are cancelled, and WithTimeout returns a *Failure with Reason "timeout". A
// limit of zero or less means no limit. A run that is resumed starts the limit again; a
// run that only moves to another worker of a cluster does not.
func (c *Context) WithTimeout(limit time.Duration, fn func(c *Context) (string, error)) (string, error) {
	if limit <= 0 {
		return fn(c)
	}
	work, end := c.scheduler.Scope()
	clock, stop := c.scheduler.Scope()
	defer stop()
	expired := false
	alarm := startTimer(clock, c.key, limit)
	clock.Spawn([]*Future{alarm}, func(Scheduler) {
		if alarm.Result().Status == Completed {
			expired = true
			end()
		}
	})
	text, err := fn(c.withScheduler(work))
	if expired && errors.Is(err, ErrCancelled) {
		err = &Failure{Reason: "timeout", ExitCode: -1, Message: fmt.Sprintf("node `%s` timed out after %s", c.node.Key, limit)}
	}
	return text, err
}
