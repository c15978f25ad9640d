package trial

import (
	"context"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
)

// Samples are workflows whose histories are in testdata of package durable, by name. A history
// fits the flow that wrote it, so a sample never changes: add another one instead.
func Samples() map[string]*flow.Definition {
	child := newSample("child", "in:bash ask:approval", func(c *flow.Context) (any, error) {
		spawnScript(c, "in", flow.Retry{})
		spawnApproval(c, "ask")
		return nil, flow.Settle(c)
	})
	parent := newSample("parent", "call:workflow b:bash:call", func(c *flow.Context) (any, error) {
		call := flow.Spawn(c, flow.Node[string]{Key: "call", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Child{Workflow: "child"}))
		}})
		spawnScript(c, "b", flow.Retry{}, call)
		return nil, flow.Settle(c)
	})
	parent.Children = []*flow.Definition{child}
	list := []*flow.Definition{
		child, parent, graphSample(),
		newSample("loop", "loop:loop", loopSample),
		newSample("review", "a:bash gate:approval:a b:bash:gate", func(c *flow.Context) (any, error) {
			spawnScript(c, "b", flow.Retry{}, spawnApproval(c, "gate", spawnScript(c, "a", flow.Retry{})))
			return nil, flow.Settle(c)
		}),
		newSample("retry", "fails:bash b:bash:fails", func(c *flow.Context) (any, error) {
			spawnScript(c, "b", flow.Retry{}, spawnScript(c, "fails", flow.Retry{Retries: 2, All: true}))
			return nil, flow.Settle(c)
		}),
		newSample("cancel", "waits:bash b:bash:waits", func(c *flow.Context) (any, error) {
			spawnScript(c, "b", flow.Retry{}, spawnScript(c, "waits", flow.Retry{}))
			return nil, flow.Settle(c)
		}),
	}
	samples := map[string]*flow.Definition{}
	for _, def := range list {
		samples[def.Name] = def
	}
	return samples
}

func newSample(name, nodes string, fn func(c *flow.Context) (any, error)) *flow.Definition {
	def := &flow.Definition{Name: name, Fingerprint: "f1", Flow: fn}
	for n := range strings.FieldsSeq(nodes) {
		parts := strings.Split(n, ":")
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: parts[0], Kind: parts[1], After: parts[2:]})
	}
	return def
}

// spawnScript adds a node with an action whose script is the node's key.
func spawnScript(c *flow.Context, key string, retry flow.Retry, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", Retry: retry, After: after, Run: func(c *flow.Context) (string, error) {
		return flow.TextOf(c.Do(flow.Bash{Script: key}))
	}})
}

func spawnApproval(c *flow.Context, key string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "approval", After: after, Run: func(c *flow.Context) (string, error) {
		return steps.Approval{Message: "ship it?"}.Run(c)
	}})
}

// loopSample has iterations for several workflows, if each has few events.
func loopSample(c *flow.Context) (any, error) {
	const iterations = 20
	flow.Spawn(c, flow.Node[string]{Key: "loop", Kind: "loop", Run: func(c *flow.Context) (string, error) {
		return steps.Loop{
			Max: iterations, Goal: "its end",
			Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
				return c.Do(flow.Bash{Script: fmt.Sprint(i.Number)})
			},
			Done: func(text string) bool { return text == fmt.Sprint(iterations) },
		}.Run(c)
	}})
	return nil, flow.Settle(c)
}

// graphSample writes and reviews until the review finds nothing.
func graphSample() *flow.Definition {
	table := &graph.Graph[string, graphRun]{
		Version: "1.0", Limits: flow.GraphLimits{Iterations: 10},
		Nodes: []graph.Node[string, graphRun]{
			{Name: "write", Kind: "prompt", Labels: []string{"done"}, Run: (*graphRun).askPrompt},
			{Name: "review", Kind: "prompt", Labels: []string{"bugs", "clean"}, Run: (*graphRun).askPrompt},
		},
		Edges: []graph.Edge[string, graphRun]{
			{From: graph.Start, To: "write"},
			{From: "write", To: "review"},
			{From: "review", To: "write", On: "bugs"},
			{From: "review", To: graph.End},
		},
	}
	return &flow.Definition{Name: "graph", Fingerprint: "f1", Nodes: table.NodeInfos(), Graph: table.Info(), Flow: func(c *flow.Context) (any, error) {
		r := &graphRun{}
		return r.Follow(c, table, r)
	}}
}

// A graphRun is one run of graphSample.
type graphRun struct {
	graph.Walk[string, struct{ Drafts int }, struct{ Write, Review string }, graphRun]
}

func (r *graphRun) askPrompt(c *flow.Context) (graph.NodeResult, error) {
	return r.AskAgent(c, flow.Prompt{Agent: "claude", Text: r.Current()})
}

// SamplePerformers perform the actions of samples. Begun gets the keys of actions that wait
// for their cancellation.
func SamplePerformers(begun chan<- string) []engine.Performer {
	var list []engine.Performer
	for _, kind := range []string{flow.Bash{}.Kind(), flow.Prompt{}.Kind(), graphstate.State{}.Kind()} {
		list = append(list, samplePerformer{kind, begun})
	}
	return list
}

type samplePerformer struct {
	kind  string
	begun chan<- string
}

func (p samplePerformer) Kind() string { return p.kind }

func (p samplePerformer) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	done := flow.Result{Status: flow.Completed}
	switch payload := call.Action.Payload.(type) {
	case flow.Prompt:
		done.Text = "a draft [OUTPUT:done]"
		switch call.Action.Key {
		case "review@2":
			done.Text = "[OUTPUT:bugs]"
		case "review@4":
			done.Text = "[OUTPUT:clean]"
		}
	case flow.Bash:
		done.Text = payload.Script
		switch {
		case payload.Script == "fails" && call.Number < 3:
			return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "not yet", Class: flow.ClassTransient}}
		case payload.Script == "waits":
			p.begun <- call.Action.Key
			<-ctx.Done()
			return flow.Result{Status: flow.Cancelled}
		}
	}
	return done
}
