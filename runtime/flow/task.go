package flow

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An Output is the output of a node that completed.
type Output[T any] struct {
	// Text is the output as the journal stores it. An output with a schema is JSON.
	Text string
	// Value is Text, decoded by Node.Decode.
	Value T
}

// JSON returns Text, or nil if Text is not JSON, as in the zero Output.
func (o Output[T]) JSON() json.RawMessage {
	if !json.Valid([]byte(o.Text)) {
		return nil
	}
	return json.RawMessage(o.Text)
}

// A Node is the definition of a node whose output has type T.
type Node[T any] struct {
	// Key is the key of the node and of its step: the node's id in the workflow. No other node
	// of the flow has it, and if Definition.Nodes has any, the key is one of these: for a node
	// inside a part (see steps.RunNodes), one of NodeInfo.Inside. Parts of nodes have keys such
	// as fix#3, items[2], review@5 and gate/rework#1, which no node may have beside such a part.
	// No key starts with a slash.
	Key string
	// After are the dependencies, in order: the nodes whose outputs the node reads.
	After []AnyTask
	// Order are nodes that must be settled before this one runs, whatever their status;
	// Rule does not see them.
	Order []AnyTask
	// Rule is the trigger rule; nil is AllSuccess.
	Rule Rule
	// SkipCountsAsFailure makes Rule treat a skipped dependency as failed if a failure further
	// up caused the skip.
	SkipCountsAsFailure bool
	// Include is the task of the node of kind "include" whose included workflow contains
	// this node. If Include did not complete, the node is skipped, whatever Rule says.
	// Include must be a direct or indirect dependency, by After or Order.
	Include AnyTask
	// When is the condition, decided once after Rule; nil always holds. An error fails
	// the node.
	When func() (bool, error)
	// Kind is the kind of node, as the workflow writes it. Displays have it, and questions show
	// the outputs of nodes before them (see Context.Ask), but not of the kinds "bash", "script",
	// "approval", "wait" and "cancel". A Payload's Kind, not this one, selects the performer.
	Kind string
	// Timeout and Retry apply to each action of the node.
	Timeout time.Duration
	Retry   Retry
	// SkipOnTimeout skips the node, instead of failing it, if an action of it reaches its time
	// limit.
	SkipOnTimeout bool
	// ReadOnly fails an action of the node that changes files of the checkout.
	ReadOnly bool
	// CheckArtifactRefs fails an action of the node whose output refers to an artifact that the
	// run does not have; see Action.CheckArtifactRefs.
	CheckArtifactRefs bool
	// AlwaysRun performs the node again in each process of the run.
	AlwaysRun bool
	// Finally runs a node of a sequence (see RunNext) also after a failure and after the
	// cancellation of the run. Only such nodes may follow it, and no person can be asked in
	// it.
	Finally bool
	// Replace returns, if ok is true, an output that replaces the node's own, such as one
	// that the caller of the run passed (see InputInfo.Replaces): the node is skipped, and
	// other nodes read the output as if the node had completed. An error fails the node.
	// Only RunNext calls it, Spawn ignores it; nil means that the node is never replaced.
	Replace func() (text string, ok bool, err error)
	// Decode returns the typed value of the output's text. It may be nil only if T is
	// string; then the text is the value.
	Decode func(text string) (T, error)
	// Run performs the node and returns the text of its output; nil means that the node
	// only marks a place, such as the start of an included workflow, and has no output.
	Run func(c *Context) (string, error)
}

// A Task is a node that Spawn or RunNext has started: its status and, once it is settled, its
// output. The methods that read the output panic before that, which fails the node that reads:
// add the task to its Node.After, or read it after Settle.
//
// Code in a loop may read the Task of a node in the previous iteration. In the first
// iteration that is nil: Status returns Pending and Text returns ""; check Status before you
// call another method.
type Task[T any] struct {
	key    string
	done   *Future
	status Status
	reason string
	out    Output[T]
	err    error
	// said is the session of the node's agent, or "".
	said string
	// heard are the tasks whose outputs a question after this one is about: this one, those
	// before a node that only marks a place, or none.
	heard []AnyTask
	// blocked means that the node was skipped because of a failure upstream.
	blocked bool
	// read is called before the output is read, if the engine is a kernel.Symbolic.
	read func(ref string, presence bool)
	// step means that the node is a step of a sequence.
	step bool
}

func (t *Task[T]) failure() error { return t.err }

func (t *Task[T]) speakers() []AnyTask { return t.heard }

func (t *Task[T]) future() *Future { return t.done }

func (t *Task[T]) session() string {
	if t == nil {
		return ""
	}
	t.requireSettled()
	return t.said
}

func (t *Task[T]) failedUpstream() bool {
	return t.blocked || t.status == Failed || t.status == Cancelled
}

// requireSettled panics if the node is not settled: its reader does not wait for it, and would
// get nothing. All methods that return an output call it.
func (t *Task[T]) requireSettled() {
	if t.status == Pending {
		panic(kernel.NewEarlyRead(t.key))
	}
}

// beforeRead checks that the node is settled, and tells a symbolic engine that the output is
// read as ref, or with the ref "" only whether there is one. presence means that the reader
// depends on whether the node runs.
func (t *Task[T]) beforeRead(ref string, presence bool) {
	t.requireSettled()
	if t.read != nil {
		t.read(ref, presence)
	}
}

// Key returns the key of the node.
func (t *Task[T]) Key() string { return t.key }

// Status returns the node's status: Completed, Failed, Skipped or Cancelled once the node
// is settled, and Pending before that, also while the node runs. A node that Node.Replace
// replaced is Completed here, although the journal has it as Skipped.
func (t *Task[T]) Status() Status {
	if t == nil {
		return Pending
	}
	return t.status
}

// Text returns the text of the output, or "" if the node was skipped or t is nil. The
// error is a *Failure of reason "reference" if the node failed or was cancelled.
// RequireText does not accept a skipped node.
func (t *Task[T]) Text() (string, error) {
	if t == nil {
		return "", nil
	}
	t.beforeRead("$"+t.key+".output", true)
	switch t.status {
	case Failed, Cancelled:
		return "", t.refFailure("$" + t.key + ".output")
	}
	return t.out.Text, nil
}

// RequireText returns the text of the output of a node that completed. The error is a *Failure
// of reason "reference" if the node was skipped, failed or was cancelled; ref is the
// reference in the workflow, for its message.
func (t *Task[T]) RequireText(ref string) (string, error) {
	t.beforeRead(ref, t.status != Completed)
	if t.status != Completed {
		return "", t.refFailure(ref)
	}
	return t.out.Text, nil
}

// RequireValue returns the typed output of a node that completed. The error is a *Failure of
// reason "reference" if the node was skipped, failed or was cancelled; ref is the
// reference in the workflow, for its message.
func (t *Task[T]) RequireValue(ref string) (T, error) {
	t.beforeRead(ref, t.status != Completed)
	if t.status != Completed {
		var zero T
		return zero, t.refFailure(ref)
	}
	return t.out.Value, nil
}

// MustOutput returns the output of a node that completed, and panics otherwise. The compiler
// writes it only where the trigger rule guarantees completion.
func (t *Task[T]) MustOutput() Output[T] {
	t.beforeRead("$"+t.key+".output", t.status != Completed)
	if t.status != Completed {
		panic(fmt.Sprintf("node %s is read although it is %s", t.key, t.status))
	}
	return t.out
}

func (t *Task[T]) refFailure(ref string) error {
	return t.missingFailure(fmt.Sprintf("`%s` cannot be read", ref), "output")
}

// missingFailure is the failure of a reader of a node that did not complete.
func (t *Task[T]) missingFailure(problem, lacks string) error {
	why := "was skipped"
	switch t.status {
	case Failed:
		why = "failed"
	case Cancelled:
		why = "was cancelled"
	}
	return &Failure{Reason: "reference", Message: fmt.Sprintf("%s: node `%s` %s, so it has no %s", problem, t.key, why, lacks)}
}

// Approved reports whether the output of a reviewed node was accepted, by a reviewer or as
// an input of the run. It is false if the node was skipped.
func (t *Task[T]) Approved() bool {
	t.beforeRead("", true)
	return t.status == Completed
}

// Final returns the output of a settled node, or the zero Output if the node did not
// complete: a workflow collects its outputs with it, however its nodes ended.
func (t *Task[T]) Final() Output[T] {
	t.requireSettled()
	if t.status != Completed {
		return Output[T]{}
	}
	return t.out
}

// Optional is Final for a value that may be absent: it returns a pointer to the typed
// output, or nil if the node did not complete.
func (t *Task[T]) Optional() *T {
	t.requireSettled()
	if t.status != Completed {
		return nil
	}
	return &t.out.Value
}

// Session returns the session of the node's agent, for a Prompt with Fork. The error is a
// *Failure of reason "reference" if the node did not complete. A node of a test may
// complete without a session.
func (t *Task[T]) Session() (string, error) {
	t.requireSettled()
	if t.status != Completed {
		return "", t.missingFailure(fmt.Sprintf("the session of node `%s` cannot be continued", t.key), "session")
	}
	return t.said, nil
}

func (t *Task[T]) finalText() string { return t.Final().Text }

// Session returns the session of an agent, for Prompt.Session: that of the first of the
// given nodes that completed with a session, or "".
func Session(nodes ...AnyTask) string {
	for _, n := range nodes {
		if s := n.session(); s != "" && n.Status() == Completed {
			return s
		}
	}
	return ""
}

// An AnyTask is a Task of any type: the task of a node, without the type of its output.
// It is for lists of tasks, such as Node.After, and for functions that only need a task's
// status or text.
type AnyTask interface {
	// Key is the key of the node: its id in the workflow.
	Key() string
	// Status is the status of the node; see Task.Status.
	Status() Status
	// Text is the text of the task's output; see Task.Text.
	Text() (string, error)

	finalText() string
	failure() error
	future() *Future
	session() string
	speakers() []AnyTask
	// failedUpstream reports whether the task did not complete because of a failure: its
	// own, or that of a node before it.
	failedUpstream() bool
}

// After returns its arguments as a list, for Node.After; it makes generated code
// readable.
func After(tasks ...AnyTask) []AnyTask { return tasks }

// speakersOf are the tasks whose outputs a question after these is about, each once.
func speakersOf(tasks []AnyTask) (list []AnyTask) {
	for _, t := range tasks {
		list = plain.AddNew(list, t.speakers()...)
	}
	return list
}

func futuresOf(tasks []AnyTask) (list []*Future) {
	for _, t := range tasks {
		list = append(list, t.future())
	}
	return list
}
