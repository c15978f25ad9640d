package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graph"
)

func graphCommand(a *app) *cobra.Command {
	var flags compileFlags
	var format string
	var layers bool
	formats := graph.Formats()
	cmd := &cobra.Command{
		Use:     "graph FILE",
		Short:   "Draw a workflow",
		Long:    "graph draws a workflow as a table for the terminal, or as Mermaid, DOT or SVG.\nWith --layers, it prints layers of nodes that can run in parallel: [A] [B C] [D].",
		Example: "  wfc graph flow.yaml\n  wfc graph flow.yaml --format svg > flow.svg",
		Args:    oneWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", format, formats); err != nil {
				return err
			}
			if layers && cmd.Flags().Changed("format") {
				return errors.New("--layers has its own format; remove --format")
			}
			o, err := a.compileOne(&flags, args[0])
			if err != nil {
				return err
			}
			if flags.verbose {
				a.explain([]outcome{o})
			}
			if err := a.refuse(o); err != nil {
				return err
			}
			w := o.result.Program.Workflow
			nodes := describe(w.Body)
			var edges *flow.GraphInfo
			if g, ok := w.Body.(*ir.Graph); ok {
				if layers {
					return errors.New("--layers does not work with state graphs: their nodes have no layers")
				}
				edges = describeGraph(nodes, g)
			}
			if layers {
				return graph.WriteLayers(a.Out, nodes)
			}
			return graph.Write(a.Out, format, w.Name, nodes, edges)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&format, "format", formats[0], "output format: "+strings.Join(formats, ", "))
	cmd.Flags().BoolVar(&layers, "layers", false, "print layers of nodes that can run in parallel")
	return cmd
}

// describe returns what a graph shows of the nodes of a body.
func describe(body ir.Body) []flow.NodeInfo {
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

// describeNode returns what a graph shows of a node.
func describeNode(n *ir.Node) flow.NodeInfo {
	info := flow.NodeInfo{
		Key: n.Local(), Kind: n.Action.Kind(), When: n.WhenText,
		Line: n.IDSpan.Position().Line, Reviewed: n.Review != nil, Loop: ir.LoopText(n.Action),
	}
	if n.Trigger != ir.AllSuccess {
		info.Rule = n.Trigger.String()
	}
	switch a := n.Action.(type) {
	case *ir.Prompt:
		info.Agent = a.Agent.Name
	case *ir.Include:
		info.Workflow = a.Workflow
	case *ir.Block:
		info.Workflow = a.Workflow
	}
	if n.Within != nil {
		info.Within = n.Within.Local()
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

// describeGraph adds what only state graphs have to the description of their
// nodes, and returns their edges.
func describeGraph(nodes []flow.NodeInfo, g *ir.Graph) *flow.GraphInfo {
	info := &flow.GraphInfo{}
	add := func(list []*ir.Edge) {
		for _, e := range list {
			row := flow.EdgeInfo{Guard: e.GuardText}
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
			nodes[i].Waits = ir.IDs(a.Waits)
			if a.Prompt != nil {
				nodes[i].Agent = a.Prompt.Agent.Name
			}
		}
		add(n.Out)
	}
	return info
}
