// Package drawing describes workflows for pictures: for the command that draws them, the
// page of coverage and the preview in editors. runtime/draw draws the description.
package drawing

import (
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Describe returns the nodes of a workflow, and the edges of a state graph. The edges are
// nil for every other workflow.
func Describe(w *ir.Workflow) ([]flow.NodeInfo, *flow.GraphInfo) {
	nodes := nodesOf(w.Body)
	if g, ok := w.Body.(*ir.Graph); ok {
		return nodes, describeGraph(nodes, g)
	}
	return nodes, nil
}

// nodesOf describes the nodes of a body.
func nodesOf(body ir.Body) []flow.NodeInfo {
	var nodes []flow.NodeInfo
	var previous string
	for _, n := range body.All() {
		info := describeNode(n)
		if _, ok := body.(*ir.Sequence); ok && previous != "" {
			info.After = []string{previous}
		}
		previous = n.ID
		nodes = append(nodes, info)
	}
	return nodes
}

// describeNode describes a node and the nodes inside it.
func describeNode(n *ir.Node) flow.NodeInfo {
	info := flow.NodeInfo{
		Key: n.Local(), Kind: n.Action.Kind(), When: n.WhenText,
		Line: n.IDSpan.Position().Line, Reviewed: n.Reviewed(), Loop: ir.LoopText(n.Action),
	}
	if n.Rule != ir.AllSuccess {
		info.Rule = n.Rule.String()
	}
	switch a := n.Action.(type) {
	case *ir.Prompt:
		info.Agent = a.Agent.Name
	case *ir.Include:
		info.Workflow = a.Workflow
	case *ir.Block:
		info.Workflow = a.Workflow
	}
	if n.Include != nil {
		info.Include = n.Include.Local()
	}
	for _, need := range n.Needs {
		if need.Order {
			info.Order = append(info.Order, need.Node.Local())
		} else {
			info.After = append(info.After, need.Node.Local())
		}
	}
	if call, ok := n.Action.(*ir.Call); ok {
		info.Workflow = call.Callee.Workflow.Name
	}
	if loop, ok := n.Action.(*ir.Loop); ok {
		if _, group := loop.Body.(*ir.DAG); !group {
			return info // its kind says all
		}
	}
	for _, inner := range n.Inner() {
		info.Inside = append(info.Inside, describeNode(inner))
	}
	return info
}

// describeGraph adds outputs, branches and waits to the nodes of a state graph, and returns
// its edges.
func describeGraph(nodes []flow.NodeInfo, g *ir.Graph) *flow.GraphInfo {
	info := &flow.GraphInfo{}
	add := func(list []*ir.Edge) {
		for _, e := range list {
			row := flow.EdgeInfo{When: e.GuardText}
			if e.From != nil {
				row.From = e.From.ID
			}
			if e.To != nil {
				row.To = e.To.ID
			}
			info.Edges = append(info.Edges, row)
		}
	}
	add(g.Start)
	for i, n := range g.Nodes {
		for _, l := range n.Labels {
			nodes[i].Labels = append(nodes[i].Labels, l.Name)
		}
		switch a := n.Action.(type) {
		case *ir.Parallel:
			nodes[i].Branches = ir.IDs(a.Branches)
		case *ir.Join:
			nodes[i].WaitsFor = ir.IDs(a.Waits)
			if a.Prompt != nil {
				nodes[i].Agent = a.Prompt.Agent.Name
			}
		}
		add(n.Out)
	}
	return info
}
