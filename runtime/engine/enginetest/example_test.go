package enginetest_test

import (
	"context"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// echo performs bash actions: their output is their script.
type echo struct{}

func (echo) Kind() string { return flow.Bash{}.Kind() }

func (echo) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	return flow.Result{Status: flow.Completed, Text: call.Action.Payload.(flow.Bash).Script}
}

func ExampleRun() {
	deploy := flow.Definition{
		Name:  "deploy",
		Nodes: []flow.NodeInfo{{Key: "build", Kind: "bash"}},
		Flow: func(c *flow.Context) (any, error) {
			build := flow.Spawn(c, flow.Node[string]{Key: "build", Kind: "bash", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: "make"})
				return r.Text, err
			}})
			err := flow.Settle(c)
			return build.Final().Text, err
		},
	}
	run := &enginetest.Run{Definition: &deploy, Info: &flow.RunInfo{ID: "deploy-1"}, Performers: []engine.Performer{echo{}}}
	end, err := run.Continue()
	fmt.Println(end.Status, string(end.Outputs), err)
	// Output: completed "make" <nil>
}
