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

	"github.com/wfc-lang/wfc/internal/growth"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/state"
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
	code := cli.Run(cli.Program{Definition: make(n), Performers: []engine.Performer{performer{}}, OpenStore: entstore.OpenState},
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
		return graph(n, func(i int) []int { return []int{i - 1}[:min(i, 1)] })
	},
	"wide": func(n int) *flow.Definition { return graph(n, func(int) []int { return nil }) },
	"layers": func(n int) *flow.Definition {
		const width = 50
		return graph(n, func(i int) (needs []int) {
			for k := range 3 {
				if i >= width {
					needs = append(needs, (i/width-1)*width+(i+k)%width)
				}
			}
			return needs
		})
	},
	"iterations": func(n int) *flow.Definition {
		return single(steps.Loop{
			Max: n, Condition: "the last iteration", Done: func(text string) bool { return text == fmt.Sprint(n) },
			Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
				return c.Do(payload{text: fmt.Sprint(i.Number)})
			},
		}.Run)
	},
	"gates": func(n int) *flow.Definition {
		def := graph(n, func(int) []int { return nil })
		run := steps.Approval{Message: "Go on?"}.Run
		def.Flow = func(c *flow.Context) (any, error) {
			for _, info := range def.Nodes {
				flow.Spawn(c, flow.Node[string]{Key: info.Key, Run: run})
			}
			return nil, flow.Settle(c)
		}
		return def
	},
	"runs": func(int) *flow.Definition { return graph(1, func(int) []int { return nil }) },
	"output": func(n int) *flow.Definition {
		text := strings.Repeat("0123456789 \"quoted\" text\n", n)
		return single(func(c *flow.Context) (string, error) {
			r, err := c.Do(payload{text: text})
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
	runs, err := entstore.OpenState(ctx, folder)
	if err != nil {
		return err
	}
	return errors.Join(growth.Fill(ctx, runs, n, "grows"), runs.Close())
}

// single is a workflow of one node.
func single(run func(c *flow.Context) (string, error)) *flow.Definition {
	def := &flow.Definition{Name: "grows", Fingerprint: "grows", Nodes: []flow.NodeInfo{{Key: "a", Kind: payload{}.Kind()}}, Returns: "a"}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Perform(c, flow.Node[string]{Key: "a", Run: run})
		return nil, flow.Settle(c)
	}
	return def
}

// graph is a workflow of n nodes. needs returns the numbers of the nodes that a node waits
// for.
func graph(n int, needs func(i int) []int) *flow.Definition {
	def := &flow.Definition{Name: "grows", Fingerprint: "grows"}
	for i := range n {
		info := flow.NodeInfo{Key: fmt.Sprintf("n%d", i), Kind: payload{}.Kind()}
		for _, j := range needs(i) {
			info.After = append(info.After, def.Nodes[j].Key)
		}
		def.Nodes = append(def.Nodes, info)
	}
	def.Flow = func(c *flow.Context) (any, error) {
		tasks := make([]*flow.Task[string], n)
		for i, info := range def.Nodes {
			node := flow.Node[string]{Key: info.Key, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(payload{text: "done"})
				return r.Text, err
			}}
			for _, j := range needs(i) {
				node.After = append(node.After, tasks[j])
			}
			tasks[i] = flow.Spawn(c, node)
		}
		return nil, flow.Settle(c)
	}
	return def
}

// A payload completes at once with a text.
type payload struct{ text string }

// Kind implements flow.Payload.
func (payload) Kind() string { return "text" }

type performer struct{}

// Kind implements engine.Performer.
func (performer) Kind() string { return payload{}.Kind() }

// Perform implements engine.Performer.
func (performer) Perform(_ context.Context, call *engine.Call) flow.Result {
	return flow.Result{Status: flow.Completed, Text: call.Action.Payload.(payload).text, Meta: flow.Meta{Turns: 1}}
}
