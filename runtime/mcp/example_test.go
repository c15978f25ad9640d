package mcp_test

import (
	"os"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/mcp"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// The main function of a program with the command mcp.
func ExampleServe() {
	workflow := flow.Definition{
		Name: "hello",
		Flow: func(c *flow.Context) (any, error) { return map[string]string{"greeting": "Hello"}, flow.Settle(c) },
	}
	os.Exit(cli.Main(cli.Program{Definition: &workflow, OpenStore: entstore.OpenState, MCP: mcp.Serve}))
}
