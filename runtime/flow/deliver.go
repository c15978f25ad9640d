package flow

import (
	"fmt"
	"slices"
	"strings"
)

// A Delivery is the payload of a message to people: what a step gave, or a
// workflow's result, for channels such as `slack` or `telegram:42`.
type Delivery struct {
	// Targets are where it goes: a channel's name, or one and what the channel
	// calls the receiver.
	Targets []string `json:"targets"`
	// Workflow is the workflow's name, and Step the key of the node whose output
	// it is; "" is the workflow's result.
	Workflow string `json:"workflow"`
	Step     string `json:"step,omitempty"`
	Text     string `json:"text"`
}

// Kind implements Payload.
func (Delivery) Kind() string { return "deliver" }

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
	c.group.deliveries = append(c.group.deliveries, done)
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
	for _, t := range c.group.tasks {
		r, ok := t.(Reported)
		if ok && text == "" && slices.Contains(last, r.Key()) && r.State() == Completed && strings.TrimSpace(r.FinalText()) != "" {
			text = r.FinalText()
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
	if e.Await(Ended, f) != nil {
		return Result{Status: Cancelled}
	}
	return f.Result()
}
