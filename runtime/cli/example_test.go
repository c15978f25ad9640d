package cli_test

import (
	"os"
	"strings"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A program with a workflow of one node, which says a greeting.
func ExampleRun() {
	greeting := flow.Definition{
		Name:  "greeting",
		Nodes: []flow.NodeInfo{{Key: "greet", Kind: "bash"}},
		Flow:  func(*flow.Context) (any, error) { return "hello", nil },
	}
	program := cli.Program{Definition: &greeting, OpenStore: memory.OpenState}
	cli.Run(program, []string{"graph"}, cli.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr})
	// Output: 1  greet  bash
}
