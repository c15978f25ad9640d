package sim_test

import (
	"errors"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// gated is a workflow with two bash steps side by side and a gate behind them.
func gated() *flow.Definition {
	return &flow.Definition{
		Name:  "gated",
		Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash"}, {Key: "gate", Kind: "approval", After: []string{"a", "b"}}},
		Flow: func(c *flow.Context) (any, error) {
			work := func(key string) *flow.Task[string] {
				return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", Run: func(c *flow.Context) (string, error) {
					r, err := c.Do(flow.Bash{Script: key})
					return r.Text, err
				}})
			}
			a, b := work("a"), work("b")
			flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: flow.After(a, b), Run: func(c *flow.Context) (string, error) {
				return steps.Approval{Message: "Go?", Capture: true}.Run(c)
			}})
			return nil, flow.Settle(c)
		},
	}
}

func done(text string, takes time.Duration) sim.Performance {
	return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: text}, Takes: takes}
}

// TestPersonAnswers: a person reads the question, and the answer comes after its time.
func TestPersonAnswers(t *testing.T) {
	begin := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	var asked []string
	o := sim.Run(sim.World{
		Definition: gated(), Start: begin, Orderly: true,
		Person: func(run string, q flow.Question) (sim.Answer, bool) {
			asked = append(asked, run+"|"+q.Key+"|"+q.Message)
			return sim.Answer{After: time.Hour, Result: flow.Result{Status: flow.Completed, Text: "yes", Meta: flow.Meta{Choice: "approve"}}}, true
		},
	}, 1)
	if len(o.Faults) > 0 || o.End.Status != flow.Completed || o.Step("gate").Text != "yes" || o.Elapsed != time.Hour {
		t.Errorf("%+v, %v, %q after %v", o.End, o.Faults, o.Step("gate").Text, o.Elapsed)
	}
	if len(asked) != 1 || asked[0] != "|gate#1|Go?" {
		t.Errorf("asked %q", asked)
	}
	if got := o.Step("gate#1").Finished; !got.Equal(begin.Add(time.Hour)) {
		t.Errorf("the gate ended at %v", got)
	}
}

// TestDies: the process dies in an action, and the next one performs it again.
func TestDies(t *testing.T) {
	attempts := 0
	o := sim.Run(sim.World{
		Definition: gated(), Orderly: true,
		Perform: func(a sim.Attempt) sim.Performance {
			if a.Key == "b" {
				attempts++
				if attempts == 1 {
					return sim.Performance{Dies: true}
				}
			}
			return done(a.Info.WorkDir+a.Run, 0)
		},
		Info: &flow.RunInfo{ID: "gated-1", WorkDir: "/here"},
	}, 1)
	if len(o.Faults) > 0 || o.Deaths != 1 || o.Processes != 2 || attempts != 2 || o.End.Status != flow.Paused {
		t.Errorf("%d deaths, %d processes, %d attempts, %+v, %v", o.Deaths, o.Processes, attempts, o.End, o.Faults)
	}
	if got := o.Step("b").Text; got != "/here" {
		t.Errorf("b printed %q", got)
	}
}

// TestOrderly: with an order of its own, the world is the same for every seed, and what ends
// first is committed first.
func TestOrderly(t *testing.T) {
	for seed := range uint64(20) {
		var order []string
		sim.Run(sim.World{
			Definition: gated(), Orderly: true,
			Perform: func(a sim.Attempt) sim.Performance {
				return done("", map[string]time.Duration{"a": 2 * time.Second, "b": time.Second}[a.Key])
			},
			Committed: func(run string, _ time.Time, b flow.Batch) {
				if run != "" {
					t.Error(errors.New("a child"))
				}
				for _, r := range b.Steps {
					if r.Status == flow.Completed && r.Kind == "bash" {
						order = append(order, r.Key)
					}
				}
			},
		}, seed)
		if len(order) != 2 || order[0] != "b" || order[1] != "a" {
			t.Fatalf("seed %d: %q", seed, order)
		}
	}
}
