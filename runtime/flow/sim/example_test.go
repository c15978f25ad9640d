package sim_test

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// A workflow has the same end wherever a process dies.
func ExampleExplore() {
	world := sim.World{
		Definition: &flow.Definition{Name: "nightly", Flow: func(c *flow.Context) (any, error) {
			flow.RunNext(c, flow.Node[string]{Key: "test", Run: func(c *flow.Context) (string, error) {
				done, err := c.Do(flow.Bash{Script: "make test"})
				return done.Text, err
			}})
			return nil, flow.Settle(c)
		}},
		Perform: func(sim.Attempt) sim.Performance {
			return sim.Performance{Takes: time.Minute, Result: flow.Result{Status: flow.Completed, Text: "passed"}}
		},
	}
	runs, err := sim.Explore(world, 1, 2, nil)
	fmt.Println(runs, err)
	// Output: 14 <nil>
}
