package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Settle waits for all nodes of the flow, also of a run that is cancelled, and for their
// deliveries: then their tasks can be read. It returns nil if the workflow completed.
// Otherwise the error names the failed nodes, gives the reason for which a node cancelled the
// run, or says that no node completed. A flow that spawns nodes must call it, because nodes
// that are not settled when the flow returns do not run, and fail the run.
func Settle(c *Context) error {
	futures := c.flow.futures()
	if err := c.scheduler.Await(futures...); err != nil {
		// Nodes of a cancelled run end soon, and the flow may read them.
		_ = c.scheduler.AwaitEnded(futures...)
		return err
	}
	if c.flow.cancelled {
		c.tellFailures()
		return &kernel.CancelError{Reason: c.flow.reason}
	}
	if c.flow.stopped {
		c.tellFailures()
		return ErrCancelled
	}
	verdict := &kernel.NodesError{}
	completed := false
	for _, t := range c.flow.tasks {
		switch t.Status() {
		case Completed:
			completed = true
		case Failed:
			verdict.Nodes = append(verdict.Nodes, kernel.NodeError{Key: t.Key(), Err: t.failure()})
		case Cancelled:
			c.tellFailures()
			return ErrCancelled
		}
	}
	if len(verdict.Nodes) > 0 || !completed && !c.flow.sequence {
		return verdict
	}
	return nil
}

// tellFailures logs the failures of steps at the end of a run that was cancelled: its end
// does not name them.
func (c *Context) tellFailures() {
	for _, t := range c.flow.last {
		if t.Status() == Failed {
			c.scheduler.Log(Event{Type: "warning", Key: t.Key(), Message: fmt.Sprintf("the run was cancelled, and step `%s` at its end failed: %v", t.Key(), t.failure())})
		}
	}
}

// HaltOnFailure lets no node start once a node of the flow has failed: the flow waits for
// running nodes and skips all others, also those that do not depend on the failed one.
// Call it before the first node is spawned.
func (c *Context) HaltOnFailure() { c.flow.halts = true }

// Summary returns a completed workflow's result as text: the outputs of those given nodes
// that completed, in the given order. The format is that of Lango, the program for which
// the dialect lango was made.
func Summary(c *Context, nodes ...AnyTask) string {
	var b strings.Builder
	b.WriteString("Workflow '" + c.scheduler.Run().Workflow + "' completed.\n\n")
	for _, n := range nodes {
		if text := n.finalText(); n.Status() == Completed {
			b.WriteString("--- " + n.Key() + " ---\n" + text + "\n\n")
		}
	}
	return b.String()
}

// delivered is the suffix of a node's key for the delivery of its output. The delivery of
// a workflow's result is the step of just this name.
const delivered = "/deliver"

// Deliver sends a node's output to targets, such as `slack` or `telegram:42`, once the
// node has completed. The delivery is a separate step, KEY/deliver, where KEY is the node's
// key. Only Settle waits for it. If it fails, only that step fails, neither the node nor
// the run.
func Deliver[T any](c *Context, t *Task[T], targets ...string) {
	if len(targets) == 0 {
		return
	}
	done := c.scheduler.NewFuture()
	c.flow.deliveries = append(c.flow.deliveries, done)
	c.scheduler.Spawn([]*Future{t.done}, func(e Scheduler) {
		end := Result{Status: Skipped}
		if t.status == Completed {
			end = sendDelivery(e, Delivery{Targets: targets, Step: t.key, Text: t.out.Text})
		}
		done.Settle(end)
	})
}

// DeliverResult sends text, the result of a completed workflow, to targets or, without
// any, to the targets of the run (RunInfo.DeliverTo), and waits for the end of the
// delivery. A failed delivery does not fail the run. If the run has no targets either,
// DeliverResult sends nothing and logs a warning. Workflows of the dialect lango call it,
// with the text of Summary.
func DeliverResult(c *Context, text string, targets ...string) {
	run := c.scheduler.Run()
	if len(targets) == 0 {
		targets = run.DeliverTo
	}
	if len(targets) == 0 {
		c.scheduler.Log(Event{Type: "warning", Message: fmt.Sprintf("workflow `%s` completed, but no channel gets its result: "+
			"name targets in the workflow's `deliver_to`, or in `delivery.default` of wfc.yaml", run.Workflow)})
		return
	}
	sendDelivery(c.scheduler, Delivery{Targets: targets, Text: text})
}

// DeliverOutputs chooses a text for the result of a completed workflow and delivers it as
// DeliverResult does. The text is the first of these that is not empty: the result of the
// method Summary() string of out, the workflow's outputs, if out has that method; the
// first output that is not blank among those of the nodes whose keys are in last; a
// sentence that the workflow completed.
//
// err is the end of the workflow as Settle returns it. DeliverOutputs returns err, and
// sends nothing if it is not nil. Workflows of dialects without deliveries call it if
// wfc.yaml names targets.
func (c *Context) DeliverOutputs(out any, err error, targets, last []string) error {
	if err != nil {
		return err
	}
	text := ""
	if s, ok := out.(interface{ Summary() string }); ok {
		text = s.Summary()
	}
	for _, t := range c.flow.tasks {
		if text == "" && slices.Contains(last, t.Key()) && strings.TrimSpace(t.finalText()) != "" {
			text = t.finalText()
		}
	}
	DeliverResult(c, cmp.Or(text, "Workflow '"+c.scheduler.Run().Workflow+"' completed."), targets...)
	return nil
}

// sendDelivery performs a delivery and waits for its end.
func sendDelivery(e Scheduler, d Delivery) Result {
	d.Workflow = e.Run().Workflow
	f := e.Do(Action{Key: d.Step + delivered, Payload: d})
	if e.AwaitEnded(f) != nil {
		return Result{Status: Cancelled}
	}
	return f.Result()
}

// Outcome records the verdict of the workflow's author about the run. The verdict is
// "succeeded" if achieved returns true for the output of result, and "failed" otherwise;
// see RunState.Outcome. err is the end of the workflow as Settle returns it.
//
// If result completed, the returned error carries both the verdict and err. So it is not
// nil even for a success: return it from the flow unchanged. If result did not complete,
// there is no verdict, and Outcome returns err itself.
func Outcome[T any](err error, result *Task[T], achieved func(T) bool) error {
	if result.Status() != Completed {
		return err
	}
	verdict := kernel.OutcomeFailed
	if achieved(result.out.Value) {
		verdict = kernel.OutcomeSucceeded
	}
	return &kernel.OutcomeError{Outcome: verdict, Err: err}
}

// RequireEvidence fails a workflow that completed without evidence: without the file
// evidence.json in the run's folder for artifacts. err is the end of the workflow as
// Settle returns it; if it is not nil, RequireEvidence checks nothing and returns it. The
// check is the step /evidence, so a resumed run checks again until it succeeds.
func RequireEvidence(c *Context, err error) error {
	if err != nil {
		return err
	}
	_, err = c.awaitEnd(c.scheduler.Do(Action{Key: evidence, Payload: kernel.Evidence{}}))
	return err
}

// evidence is the key of the check of the evidence. No node has a key with a slash in
// front.
const evidence = "/evidence"
