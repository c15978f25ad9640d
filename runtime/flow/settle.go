package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Settle waits for all nodes of the flow and their deliveries, and returns the flow's
// verdict: nil, or an error that names the failed nodes, the reason for which a node
// cancelled the run, or that no node completed.
func Settle(c *Context) error {
	futures := make([]*Future, len(c.flow.tasks))
	for i, t := range c.flow.tasks {
		futures[i] = t.future()
	}
	futures = append(futures, c.flow.deliveries...)
	if err := c.engine.Await(kernel.All, futures...); err != nil {
		return err
	}
	if c.flow.cancelled {
		return &kernel.CancelError{Reason: c.flow.reason}
	}
	if c.flow.stopped {
		return ErrCancelled
	}
	verdict := &kernel.NodesError{}
	completed := false
	for _, t := range c.flow.tasks {
		switch t.State() {
		case Completed:
			completed = true
		case Failed:
			verdict.Nodes = append(verdict.Nodes, kernel.NodeError{Key: t.Key(), Err: t.failure()})
		case Cancelled:
			return ErrCancelled
		}
	}
	if len(verdict.Nodes) > 0 || !completed && !c.flow.sequence {
		return verdict
	}
	return nil
}

// HaltOnFailure has nothing new start once a node of the flow has failed: nodes
// that run are waited for, and those that come later are skipped, also such as
// depend on no failed one. It is called before the first node is spawned.
func HaltOnFailure(c *Context) { c.flow.halts = true }

// Summary is a completed workflow's result in words: the outputs of its completed
// nodes, in the order in which they are given. Its form is that of the lango
// engine.
func Summary(c *Context, nodes ...Dependency) string {
	var b strings.Builder
	b.WriteString("Workflow '" + c.engine.Run().Workflow + "' completed.\n\n")
	for _, n := range nodes {
		if n.State() == Completed {
			b.WriteString("--- " + n.Key() + " ---\n" + n.FinalText() + "\n\n")
		}
	}
	return b.String()
}

// delivered is what is added to a node's key for the delivery of its output. That
// of a workflow's result is the step of just that name.
const delivered = "/deliver"

// Deliver sends a node's output to targets once the node has completed. It is a
// step of its own, node/deliver, that nothing waits for but the end of the flow:
// see Settle. When it fails, that step says so, and neither node nor run fails.
func Deliver[T any](c *Context, t *Task[T], targets ...string) {
	if len(targets) == 0 {
		return
	}
	done := c.engine.NewFuture()
	c.flow.deliveries = append(c.flow.deliveries, done)
	c.engine.Spawn([]*Future{t.done}, func(e Engine) {
		end := Result{Status: Skipped}
		if t.status == Completed {
			end = send(e, Delivery{Targets: targets, Step: t.key, Text: t.out.Text})
		}
		done.Settle(end)
	})
}

// DeliverResult sends a completed workflow's result to targets, or else to those
// that were named when the run began. It returns when that is done or has failed,
// which fails nothing. When nobody named targets, a warning says so.
func DeliverResult(c *Context, text string, targets ...string) {
	run := c.engine.Run()
	if len(targets) == 0 {
		targets = run.DeliverTo
	}
	if len(targets) == 0 {
		c.engine.Log(Event{Type: "warning", Message: fmt.Sprintf("workflow '%s' completed, but no channel is configured that its result is delivered to: "+
			"name some in the workflow's `deliver_to`, or in `delivery.default` of wfc.yaml", run.Workflow)})
		return
	}
	send(c.engine, Delivery{Targets: targets, Text: text})
}

// DeliverOutcome sends the result of a workflow to targets, unless it ended with an
// error, and returns that error. The result is out's own summary or, when it has
// none, the text of the first of the last nodes that completed with one: what a
// run shows.
func DeliverOutcome(c *Context, out any, err error, targets, last []string) error {
	if err != nil {
		return err
	}
	text := ""
	if s, ok := out.(interface{ Summary() string }); ok {
		text = s.Summary()
	}
	for _, t := range c.flow.tasks {
		if text == "" && slices.Contains(last, t.Key()) && strings.TrimSpace(t.FinalText()) != "" {
			text = t.FinalText()
		}
	}
	if text == "" {
		text = "Workflow '" + c.engine.Run().Workflow + "' completed."
	}
	DeliverResult(c, text, targets...)
	return nil
}

// send performs a delivery and waits for its end.
func send(e Engine, d Delivery) Result {
	d.Workflow = e.Run().Workflow
	f := e.Do(Action{Key: d.Step + delivered, Payload: d})
	if e.Await(kernel.Ended, f) != nil {
		return Result{Status: Cancelled}
	}
	return f.Result()
}
