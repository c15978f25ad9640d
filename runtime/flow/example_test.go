package flow_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// A workflow of two nodes: the second one waits for the first one and reads its output.
// The simulated world performs its actions.
func Example() {
	world := sim.World{
		Definition: &flow.Definition{Name: "mend", Flow: func(c *flow.Context) (any, error) {
			lint := flow.Spawn(c, flow.Node[string]{
				Key: "lint",
				Run: func(c *flow.Context) (string, error) {
					done, err := c.Do(flow.Bash{Script: "golangci-lint run"})
					return done.Text, err
				},
			})
			fix := flow.Spawn(c, flow.Node[string]{
				Key:   "fix",
				After: flow.After(lint),
				Run: func(c *flow.Context) (string, error) {
					done, err := c.Do(flow.Prompt{Agent: "claude", Text: "Mend: " + lint.MustOutput().Text})
					return done.Text, err
				},
			})
			err := flow.Settle(c)
			return fix.Final().Text, err
		}},
		Perform: func(a sim.Attempt) sim.Performance {
			text := "3 faults"
			if p, ok := a.Payload.(flow.Prompt); ok {
				text = strings.ToUpper(p.Text)
			}
			return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: text}}
		},
	}
	run := sim.Run(world, 1)
	fmt.Println(run.End.Status, string(run.End.Outputs))
	for _, step := range run.Steps {
		fmt.Println(step.Key, step.Status)
	}
	// Output:
	// completed "MEND: 3 FAULTS"
	// lint completed
	// fix completed
}

// A node with a trigger rule runs although one of its dependencies was skipped.
func ExampleNode_rule() {
	run := sim.Run(sim.World{Definition: &flow.Definition{Name: "report", Flow: func(c *flow.Context) (any, error) {
		tests := flow.Spawn(c, flow.Node[string]{Key: "tests", Run: func(*flow.Context) (string, error) { return "passed", nil }})
		deploy := flow.Spawn(c, flow.Node[string]{Key: "deploy", When: func() (bool, error) { return false, nil }})
		flow.Spawn(c, flow.Node[string]{
			Key:   "report",
			After: flow.After(tests, deploy),
			Rule:  flow.NoneFailedMinOneSuccess,
			Run:   func(*flow.Context) (string, error) { return "tests " + tests.Final().Text, nil },
		})
		return nil, flow.Settle(c)
	}}}, 1)
	fmt.Println(run.Step("deploy").Status, run.Step("deploy").Reason)
	fmt.Println(run.Step("report").Text)
	// Output:
	// skipped when_condition
	// tests passed
}
