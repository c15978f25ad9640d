package trial

import (
	"context"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// Samples are workflows whose histories are in testdata of package durable, by name. A history
// fits the flow that wrote it, so a sample never changes: add another one instead.
func Samples() map[string]*flow.Definition {
	child := sample("child", "in:bash ask:approval", func(c *flow.Context) (any, error) {
		spawn(c, "in", flow.Retry{})
		ask(c, "ask")
		return nil, flow.Settle(c)
	})
	parent := sample("parent", "call:workflow b:bash", func(c *flow.Context) (any, error) {
		call := flow.Spawn(c, flow.Node[string]{Key: "call", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Child{Workflow: "child"}))
		}})
		spawn(c, "b", flow.Retry{}, call)
		return nil, flow.Settle(c)
	})
	parent.Children = []*flow.Definition{child}
	list := []*flow.Definition{
		child, parent, graphSample(),
		sample("loop", "loop:loop", loopSample),
		sample("review", "a:bash gate:approval b:bash", func(c *flow.Context) (any, error) {
			spawn(c, "b", flow.Retry{}, ask(c, "gate", spawn(c, "a", flow.Retry{})))
			return nil, flow.Settle(c)
		}),
		sample("retry", "fails:bash b:bash", func(c *flow.Context) (any, error) {
			spawn(c, "b", flow.Retry{}, spawn(c, "fails", flow.Retry{Retries: 2, All: true}))
			return nil, flow.Settle(c)
		}),
		sample("cancel", "waits:bash b:bash", func(c *flow.Context) (any, error) {
			spawn(c, "b", flow.Retry{}, spawn(c, "waits", flow.Retry{}))
			return nil, flow.Settle(c)
		}),
	}
	samples := map[string]*flow.Definition{}
	for _, def := range list {
		samples[def.Name] = def
	}
	return samples
}

func sample(name, nodes string, fn func(c *flow.Context) (any, error)) *flow.Definition {
	def := &flow.Definition{Name: name, Fingerprint: "f1", Flow: fn}
	for n := range strings.FieldsSeq(nodes) {
		key, kind, _ := strings.Cut(n, ":")
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: kind})
	}
	return def
}

// spawn adds a node with an action whose script is the node's key.
func spawn(c *flow.Context, key string, retry flow.Retry, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", Retry: retry, After: after, Run: func(c *flow.Context) (string, error) {
		return flow.TextOf(c.Do(flow.Bash{Script: key}))
	}})
}

func ask(c *flow.Context, key string, after ...flow.AnyTask) *flow.Task[string] {
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
	type node string
	type state struct{ Drafts int }
	type labels struct{ Write, Review string }
	nodes := []flow.NodeInfo{
		{Key: "write", Kind: "prompt", Labels: []string{"done"}},
		{Key: "review", Kind: "prompt", Labels: []string{"bugs", "clean"}},
	}
	info := &flow.GraphInfo{Version: "1.0", Limits: flow.GraphLimits{Iterations: 10}}
	return &flow.Definition{Name: "graph", Fingerprint: "f1", Nodes: nodes, Graph: info, Flow: func(c *flow.Context) (any, error) {
		var s state
		var last labels
		w := graph.New(c, graph.Graph[node, state, labels]{Info: info, Nodes: nodes, State: &s, Labels: &last})
		prompt := func(c *flow.Context) (graph.NodeResult, error) {
			return w.AskAgent(c, flow.Prompt{Agent: "claude", Text: w.Current()})
		}
		for at := w.Start(graph.Edge[node]{To: "write"}); at != ""; {
			switch at {
			case "write":
				at = w.Visit(graph.Visit[node]{
					Work:  graph.Work[node]{Node: at, Run: prompt, OnEnd: graph.Keep(&last.Write)},
					Edges: []graph.Edge[node]{{To: "review"}},
				})
			case "review":
				at = w.Visit(graph.Visit[node]{
					Work:  graph.Work[node]{Node: at, Run: prompt, OnEnd: graph.Keep(&last.Review)},
					Edges: []graph.Edge[node]{{To: "write", When: func() bool { return last.Review == "bugs" }}, {To: ""}},
				})
			}
		}
		return w.Finish()
	}}
}

// SamplePerformers perform the actions of samples. Begun gets the keys of actions that wait
// for their cancellation.
func SamplePerformers(begun chan<- string) []engine.Performer {
	var list []engine.Performer
	for _, kind := range []string{flow.Bash{}.Kind(), flow.Prompt{}.Kind(), flow.GraphState{}.Kind()} {
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
