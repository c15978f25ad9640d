package growth

import (
	"context"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Payload completes at once with a text.
type Payload struct{ Text string }

// Kind implements flow.Payload.
func (Payload) Kind() string { return "text" }

// A Performer performs payloads.
type Performer struct{}

// Kind implements engine.Performer.
func (Performer) Kind() string { return Payload{}.Kind() }

// Perform implements engine.Performer.
func (Performer) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	return flow.Result{Status: flow.Completed, Text: call.Action.Payload.(Payload).Text, Meta: flow.Meta{Turns: 1}}
}

// Graph is a workflow of n nodes. needs returns the numbers of the nodes that a node waits
// for.
func Graph(n int, needs func(i int) []int) *flow.Definition {
	def := &flow.Definition{Name: "grows", Fingerprint: "grows"}
	for i := range n {
		info := flow.NodeInfo{Key: fmt.Sprintf("n%d", i), Kind: Payload{}.Kind()}
		for _, j := range needs(i) {
			info.After = append(info.After, def.Nodes[j].Key)
		}
		def.Nodes = append(def.Nodes, info)
	}
	def.Flow = func(c *flow.Context) (any, error) {
		tasks := make([]*flow.Task[string], n)
		for i, info := range def.Nodes {
			node := flow.Node[string]{Key: info.Key, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(Payload{"done"})
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

// Layers returns the numbers of the nodes that node i waits for in layers of a width: three
// of the layer before.
func Layers(i, width int) (needs []int) {
	for k := range 3 {
		if i >= width {
			needs = append(needs, (i/width-1)*width+(i+k)%width)
		}
	}
	return needs
}
