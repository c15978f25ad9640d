package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// delivering is a workflow of two steps, of which the first is delivered side by
// side with the second, and the result at the end.
func delivering(targets ...string) *flow.Definition {
	return &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		a := flow.Spawn(c, flow.Node[string]{Key: "a", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(work{Text: "one", Takes: time.Second})
			return r.Text, err
		}})
		flow.Deliver(c, a, "slack", "telegram:42")
		b := flow.Spawn(c, flow.Node[string]{Key: "b", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(work{Text: a.MustOutput().Text + " two", Takes: time.Second})
			return r.Text, err
		}})
		err := flow.Settle(c)
		if err == nil {
			flow.DeliverResult(c, b.Final().Text, targets...)
		}
		return b.Final().Text, err
	}}
}

// sending performs deliveries with an end, and other actions as ever.
func sending(end flow.Result) func(sim.Attempt) sim.Performance {
	return func(a sim.Attempt) sim.Performance {
		if _, ok := a.Payload.(flow.Delivery); ok {
			return sim.Performance{Result: end, Takes: 3 * time.Second}
		}
		return perform(a)
	}
}

var arrived = flow.Result{Status: flow.Completed, Text: "slack"}

// A delivery is a step of its own that no node waits for, but the end of the
// flow; what is delivered is what the node gave.
func TestDeliver(t *testing.T) {
	var sent []flow.Delivery
	inner := sending(arrived)
	w := sim.World{Definition: delivering("discord"), Perform: func(a sim.Attempt) sim.Performance {
		if d, ok := a.Payload.(flow.Delivery); ok {
			sent = append(sent, d)
		}
		return inner(a)
	}}
	o := sim.Run(w, 1)
	if o.End.Status != flow.Completed || len(o.Faults) > 0 {
		t.Fatalf("%+v", o)
	}
	// One second for a, three for its delivery, in which b runs, three at the end.
	if o.Elapsed != 7*time.Second {
		t.Errorf("it took %v", o.Elapsed)
	}
	if len(sent) != 2 || sent[0].Text != "one" || sent[0].Step != "a" || sent[0].Workflow == "" || strings.Join(sent[0].Targets, " ") != "slack telegram:42" ||
		sent[1].Text != "one two" || sent[1].Step != "" || sent[1].Targets[0] != "discord" {
		t.Errorf("%+v", sent)
	}
	for _, key := range []string{"a/deliver", "/deliver"} {
		if r := o.Step(key); r.Status != flow.Completed || r.Kind != "deliver" {
			t.Errorf("%s: %+v", key, r)
		}
	}
}

// A delivery that fails is to be seen, and fails nothing else.
func TestFailedDelivery(t *testing.T) {
	failed := flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "slack: nobody there"}}
	o := sim.Run(sim.World{Definition: delivering("discord"), Perform: sending(failed)}, 1)
	if o.End.Status != flow.Completed || o.Step("a").Status != flow.Completed {
		t.Errorf("%+v", o)
	}
	for _, key := range []string{"a/deliver", "/deliver"} {
		if r := o.Step(key); r.Status != flow.Failed || r.Failure == nil || r.Failure.Message != "slack: nobody there" {
			t.Errorf("%s: %+v", key, r)
		}
	}
}

// Nothing is delivered of what failed or of a run that did.
func TestNothingToDeliver(t *testing.T) {
	def := &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		a := flow.Spawn(c, flow.Node[string]{Key: "a", Run: func(c *flow.Context) (string, error) {
			_, err := c.Do(work{Fails: 1})
			return "", err
		}})
		flow.Deliver(c, a, "slack")
		err := flow.Settle(c)
		if err == nil {
			flow.DeliverResult(c, "", "slack")
		}
		return nil, err
	}}
	o := sim.Run(sim.World{Definition: def, Perform: sending(arrived)}, 1)
	if o.End.Status != flow.Failed || o.Step("a/deliver").Key != "" || o.Step("/deliver").Key != "" {
		t.Errorf("%+v", o)
	}
}

// Requirement 002: a workflow that completes with no channel is warned about.
func TestNoDeliveryChannelWarning(t *testing.T) {
	o := sim.Run(sim.World{Definition: delivering(), Perform: sending(arrived)}, 1)
	for _, e := range o.Events {
		if e.Type == "warning" && strings.Contains(e.Message, "workflow `t` completed, but no channel") && strings.Contains(e.Message, "`delivery.default` of wfc.yaml") {
			return
		}
	}
	t.Errorf("%+v", o.Events)
}

// Whenever a process dies, what was delivered and committed is not delivered
// again, and the run ends the same.
func TestDeliveriesSurviveCrashes(t *testing.T) {
	if _, err := sim.Explore(sim.World{Definition: delivering("discord"), Perform: sending(arrived)}, 1, 5, nil); err != nil {
		t.Error(err)
	}
	failed := flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no"}}
	if _, err := sim.Explore(sim.World{Definition: delivering("discord"), Perform: sending(failed)}, 1, 5, nil); err != nil {
		t.Error(err)
	}
}
