package temporal_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// A program for a Temporal cluster has the command worker. This command line lacks the key
// of the certificate, so Open returns an error and does not call the cluster.
func ExampleOpen() {
	greeting := flow.Definition{
		Name:  "greeting",
		Nodes: []flow.NodeInfo{{Key: "greet", Kind: "bash"}},
		Flow: func(c *flow.Context) (any, error) {
			done, err := c.Do(flow.Bash{Script: "echo hello"})
			return done.Text, err
		},
	}
	program := cli.Program{
		Definition: &greeting,
		Performers: []engine.Performer{&shell.Performer{}},
		Cluster:    temporal.Cluster(),
	}
	args := []string{"worker", "--temporal", "temporal.example.com:7233", "--tls-cert", "worker.pem"}
	var log strings.Builder
	code := cli.Run(program, args, cli.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: &log})
	_, message, _ := strings.Cut(log.String(), ": ")
	fmt.Print(message)
	fmt.Println("exit code", code)
	// Output:
	// a client certificate needs both its file and the file of its key
	// exit code 1
}
