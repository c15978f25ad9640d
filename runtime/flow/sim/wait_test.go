package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// waits is a workflow that waits and then acts.
func waits(w interface {
	Run(*flow.Context) (string, error)
}) *flow.Definition {
	return &flow.Definition{Name: "waits", Nodes: []flow.NodeInfo{{Key: "hold", Kind: "wait"}, {Key: "act", Kind: "node", After: []string{"hold"}}}, Flow: func(c *flow.Context) (any, error) {
		hold := flow.Spawn(c, flow.Node[string]{Key: "hold", Kind: "wait", Run: w.Run})
		inner(c, "act", "done", hold)
		err := flow.Settle(c)
		return summary(hold.Final().Text), err
	}}
}

func TestWaits(t *testing.T) {
	said := func(choice, text string, after time.Duration) []sim.Answer {
		return []sim.Answer{{Key: "hold/wait", After: after, Result: flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{Choice: choice}}}}
	}
	for _, test := range []struct {
		name    string
		wait    steps.Wait
		answers []sim.Answer
		status  flow.Status
		want    string
	}{
		{"a duration", steps.Wait{For: time.Hour}, nil, flow.Completed, `{"status":"satisfied","waited_ms":3600000}`},
		{"a time", steps.Wait{Until: "2030-01-01T02:00:00Z"}, nil, flow.Completed, `{"status":"satisfied","waited_ms":7200000}`},
		{"a time that is over", steps.Wait{Until: "2029-01-01T02:00:00Z"}, nil, flow.Completed, `{"status":"satisfied","waited_ms":0}`},
		{"no time", steps.Wait{Until: "tomorrow"}, nil, flow.Failed, ""},
		{"an event", steps.Wait{Event: "deployed", EventTimeout: time.Hour}, said(kernel.ChoiceSignal, `{"at": 1}`, time.Minute), flow.Completed, `{"status":"satisfied","waited_ms":60000,"event":"deployed","payload":{"at":1}}`},
		{"an event with words", steps.Wait{Event: "deployed", EventTimeout: time.Hour}, said(kernel.ChoiceSignal, `all <well>`, time.Minute), flow.Completed, `{"status":"satisfied","waited_ms":60000,"event":"deployed","payload":"all <well>"}`},
		{"an event that does not come", steps.Wait{Event: "deployed", EventTimeout: time.Hour}, nil, flow.Completed, `{"status":"expired","waited_ms":3600000,"event":"deployed"}`},
		{"attention", steps.Wait{Attention: "look"}, said(kernel.ChoiceWake, "", time.Minute), flow.Completed, `{"status":"satisfied","waited_ms":60000}`},
		{"attention of nobody", steps.Wait{Attention: "look"}, nil, flow.Paused, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := sim.Explore(sim.World{Definition: waits(test.wait), Perform: perform, Answers: test.answers}, 1, 3, func(whole, got *sim.Result) error {
				if got.End.Status != test.status || got.End.Summary != test.want {
					return fmt.Errorf("it ended as %+v", got.End)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDecisions(t *testing.T) {
	for _, test := range []struct {
		choices []string
		choice  string
		status  flow.Status
		want    string
	}{
		{[]string{"approve", "revise"}, "revise", flow.Completed, `{"decision":"revise","text":"like this"}`},
		{[]string{"approve", "reject"}, "reject", flow.Completed, `{"decision":"reject","text":"like this"}`},
		{[]string{"approve", "revise"}, "reject", flow.Cancelled, ""},
		{[]string{"approve"}, "whatever", flow.Failed, ""},
	} {
		w := sim.World{Definition: waits(steps.Decision[string]{Message: "well?", Choices: test.choices}), Perform: perform, Answers: []sim.Answer{
			{Key: "hold#1", After: time.Minute, Result: flow.Result{Status: flow.Completed, Text: "like this", Meta: flow.Meta{Choice: test.choice}}},
		}}
		_, err := sim.Explore(w, 1, 3, func(whole, got *sim.Result) error {
			if got.End.Status != test.status || got.End.Summary != test.want {
				return fmt.Errorf("it ended as %+v", got.End)
			}
			return sim.Same(whole, got)
		})
		if err != nil {
			t.Errorf("%v %s: %v", test.choices, test.choice, err)
		}
	}
}
