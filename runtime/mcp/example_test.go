package mcp_test

import (
	"context"
	"fmt"
	"io"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/mcp"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A client lists the tools of a program with the command mcp. The program runs in the same
// process, and two pipes connect it with the client.
func ExampleServer() {
	hello := flow.Definition{
		Name:        "hello",
		Description: "Greet somebody",
		Flow:        func(c *flow.Context) (any, error) { return map[string]string{"greeting": "Hello"}, flow.Settle(c) },
	}
	program := cli.Program{Definition: &hello, OpenStore: memory.OpenState, MCP: mcp.Server()}
	state, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	code := make(chan int)
	go func() {
		code <- cli.Run(program, []string{"mcp", "--state", state}, cli.Streams{In: in, Out: out, Err: os.Stderr})
	}()

	ctx := context.Background()
	client := sdk.NewClient(&sdk.Implementation{Name: "example"}, nil)
	session, err := client.Connect(ctx, &sdk.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tool.Name)
	}
	toProgram.Close()
	fmt.Println("exit code", <-code)
	// Output:
	// workflow_cancel
	// workflow_list
	// workflow_resume
	// workflow_run
	// workflow_status
	// exit code 0
}
