package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/ir"
)

// graphInfo is what the definition says of a graph besides its nodes.
func (g *generator) graphInfo() *jen.Statement {
	d := fields{}
	d.set("Version", jen.Lit(g.version()))
	if limits := g.limits(); limits != nil {
		d.set("Limits", limits)
	}
	var edges []jen.Code
	add := func(list []*ir.Edge) {
		for _, e := range list {
			row := fields{}
			if e.From != nil {
				row.set("From", jen.Lit(e.From.ID))
			}
			if e.To != nil {
				row.set("To", jen.Lit(e.To.ID))
			}
			if e.GuardText != "" {
				row.set("Guard", g.quote(e.GuardText))
			}
			edges = append(edges, row.line())
		}
	}
	add(g.graph.Start)
	for _, n := range g.graph.nodes {
		add(n.Out)
	}
	d.list("Edges", jen.Qual(flowPath, "EdgeInfo"), edges)
	return jen.Op("&").Qual(flowPath, "GraphInfo").Add(d.lines())
}

// graphNodeInfo adds what only nodes of graphs have to the description of one.
func graphNodeInfo(d *fields, n *ir.Node) {
	d.texts("Labels", labelNames(n))
	ids := func(nodes []*ir.Node) (list []string) {
		for _, n := range nodes {
			list = append(list, n.ID)
		}
		return list
	}
	switch a := n.Action.(type) {
	case *ir.Parallel:
		d.texts("Branches", ids(a.Branches))
	case *ir.Join:
		d.texts("Waits", ids(a.Waits))
	}
}
