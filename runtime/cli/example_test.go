package cli_test

import (
	"os"
	"strings"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A program with a workflow of one node. Its command graph prints the nodes in layers, here
// the node greet in layer 1, and runs nothing.
func ExampleRun() {
	greeting := flow.Definition{
		Name:  "greeting",
		Nodes: []flow.NodeInfo{{Key: "greet", Kind: "bash"}},
		Flow: func(c *flow.Context) (any, error) {
			flow.Spawn(c, flow.Node[string]{Key: "greet", Kind: "bash", Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Bash{Script: "echo hello"}))
			}})
			return nil, flow.Settle(c)
		},
	}
	program := cli.Program{Definition: &greeting, OpenStore: memory.OpenState}
	cli.Run(program, []string{"graph"}, cli.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr})
	// Output: 1  greet  bash
}
