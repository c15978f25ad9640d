// Command runner is the program of a workflow that grows with a number, with the command
// line of every workflow. Tests build it with statement counters.
//
//	runner SHAPE N COMMAND…
//
// COMMAND is a command of cli. When it ends, runner writes the bytes that it has allocated
// to the file that the environment variable ALLOCATED names.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/dev/growth"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/testkit/large"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

func main() {
	n, err := strconv.Atoi(os.Args[2])
	make := shapes[os.Args[1]]
	if err != nil || make == nil {
		fmt.Fprintln(os.Stderr, "usage: runner SHAPE N COMMAND…")
		os.Exit(2)
	}
	if os.Args[1] == "runs" && os.Args[3] == "run" {
		if err := fill(n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	code := cli.Run(cli.Program{Definition: make(n), Performers: []engine.Performer{growth.Performer{}}, OpenStore: entstore.OpenState},
		os.Args[3:], cli.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr})
	if err := growth.KeepAllocated(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(code)
}

// shapes are the workflows that grow.
var shapes = map[string]func(n int) *flow.Definition{
	"chain": func(n int) *flow.Definition {
		return growth.Graph(n, func(i int) []int { return []int{i - 1}[:min(i, 1)] })
	},
	"wide": func(n int) *flow.Definition { return growth.Graph(n, func(int) []int { return nil }) },
	"layers": func(n int) *flow.Definition {
		const width = 50
		return growth.Graph(n, func(i int) []int { return growth.Layers(i, width) })
	},
	"iterations": func(n int) *flow.Definition {
		return single(steps.Loop{
			Max: n, Goal: "the last iteration", Done: func(text string) bool { return text == fmt.Sprint(n) },
			Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
				return c.Do(growth.Payload{Text: fmt.Sprint(i.Number)})
			},
		}.Run)
	},
	"gates": func(n int) *flow.Definition {
		def := growth.Graph(n, func(int) []int { return nil })
		run := steps.Approval{Message: "Go on?"}.Run
		def.Flow = func(c *flow.Context) (any, error) {
			for _, info := range def.Nodes {
				flow.Spawn(c, flow.Node[string]{Key: info.Key, Run: run})
			}
			return nil, flow.Settle(c)
		}
		return def
	},
	"runs": func(int) *flow.Definition { return growth.Graph(1, func(int) []int { return nil }) },
	"output": func(n int) *flow.Definition {
		text := strings.Repeat("0123456789 \"quoted\" text\n", n)
		return single(func(c *flow.Context) (string, error) {
			r, err := c.Do(growth.Payload{Text: text})
			return r.Text, err
		})
	},
}

// fill makes the records of n runs in the store, without their folders.
func fill(n int) error {
	folder, err := state.Locate("", ".")
	if err != nil {
		return err
	}
	ctx := context.Background()
	runs, err := entstore.OpenState(ctx, folder.Path)
	if err != nil {
		return err
	}
	return errors.Join(large.Fill(ctx, runs, n, "grows"), runs.Close())
}

// single is a workflow of one node.
func single(run func(c *flow.Context) (string, error)) *flow.Definition {
	def := &flow.Definition{Name: "grows", Fingerprint: "grows", Nodes: []flow.NodeInfo{{Key: "a", Kind: growth.Payload{}.Kind()}}, Returns: "a"}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.RunNext(c, flow.Node[string]{Key: "a", Run: run})
		return nil, flow.Settle(c)
	}
	return def
}
