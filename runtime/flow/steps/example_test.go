package steps_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// workflow is a workflow of one node.
func workflow(run func(c *flow.Context) (string, error)) *flow.Definition {
	return &flow.Definition{Name: "example", Flow: func(c *flow.Context) (any, error) {
		flow.RunNext(c, flow.Node[string]{Key: "node", Run: run})
		return nil, flow.Settle(c)
	}}
}

// perform is a world in which every action completes with a text.
func perform(text func(a flow.Action) string) func(sim.Attempt) sim.Performance {
	return func(a sim.Attempt) sim.Performance {
		return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: text(a.Action)}}
	}
}

// An agent works until the tests pass.
func ExampleLoop() {
	run := sim.Run(sim.World{
		Definition: workflow(steps.Loop{
			Max:  5,
			Goal: "`go test ./...`",
			Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
				return c.Do(flow.Prompt{Agent: "claude", Text: fmt.Sprintf("Fix the failing tests, attempt %d.", i.Number)})
			},
			Until: func(c *flow.Context, _ *steps.Iteration) (bool, error) {
				return steps.Test(c, flow.Bash{Script: "go test ./..."})
			},
		}.Run),
		Perform: perform(func(a flow.Action) string {
			if _, test := a.Payload.(flow.Bash); test {
				return fmt.Sprint(a.Key == "node#2/until") // the tests pass after the second iteration
			}
			return "mended"
		}),
	}, 1)
	for _, step := range run.Steps {
		fmt.Println(step.Key, step.Text)
	}
	// Output:
	// node mended
	// node#1 mended
	// node#1/until false
	// node#2 mended
	// node#2/until true
}

// A person approves after one rejection.
func ExampleApproval() {
	run := sim.Run(sim.World{
		Definition: workflow(steps.Approval{
			Message: "Release it?",
			Rework: func(c *flow.Context, reason string) (flow.Result, error) {
				return c.Do(flow.Prompt{Agent: "claude", Text: "Rework: " + reason})
			},
			MaxRejections: 3,
			Capture:       true,
		}.Run),
		Answers: []sim.Answer{
			{Key: "node#1", After: time.Hour, Result: flow.Result{Status: flow.Completed, Text: "too long", Meta: flow.Meta{Choice: "reject"}}},
			{Key: "node#2", After: time.Hour, Result: flow.Result{Status: flow.Completed, Text: "fine", Meta: flow.Meta{Choice: "approve"}}},
		},
		Perform: perform(func(a flow.Action) string { return "shorter" }),
	}, 1)
	fmt.Println(run.Step("node/rework#1").Text)
	fmt.Println(run.Step("node").Text)
	// Output:
	// shorter
	// fine
}

// Two checks run side by side; their outputs become one.
func ExampleFork() {
	join := func(outputs []steps.BranchOutput) (string, error) {
		var list []string
		for _, o := range outputs {
			list = append(list, o.Name+": "+o.Text)
		}
		return strings.Join(list, ", "), nil
	}
	check := func(script string) func(c *flow.Context) (string, error) {
		return func(c *flow.Context) (string, error) {
			done, err := c.Do(flow.Bash{Script: script})
			return done.Text, err
		}
	}
	run := sim.Run(sim.World{
		Definition: workflow(func(c *flow.Context) (string, error) {
			return steps.Fork{
				Branches: []steps.Branch{{Name: "lint", Run: check("make lint")}, {Name: "test", Run: check("make test")}},
				FailFast: true,
			}.Run(c, join)
		}),
		Perform: perform(func(a flow.Action) string { return "done" }),
	}, 1)
	fmt.Println(run.Step("node").Text)
	// Output: lint: done, test: done
}

// A step runs once for each item of a list.
func ExampleEach() {
	items := []string{"a.go", "b.go"}
	run := sim.Run(sim.World{
		Definition: workflow(func(c *flow.Context) (string, error) {
			join := func(texts []string) (string, error) { return strings.Join(texts, " "), nil }
			return steps.Each(c, len(items), join, func(c *flow.Context, i int) (string, error) {
				done, err := c.Do(flow.Bash{Script: "gofmt -l " + items[i]})
				return done.Text, err
			})
		}),
		Perform: perform(func(a flow.Action) string { return strings.TrimPrefix(a.Payload.(flow.Bash).Script, "gofmt -l ") }),
	}, 1)
	fmt.Println(run.Step("node[1]").Text, "|", run.Step("node").Text)
	// Output: b.go | a.go b.go
}
