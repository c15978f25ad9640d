package gen

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// infoVar writes the description of the graph.
func (g *generator) infoVar(f *jen.File) {
	d := fields{}
	d.set("Version", jen.Lit(cmp.Or(g.graph.Version, "1.0")))
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
				row.set("When", g.quote(e.GuardText))
			}
			edges = append(edges, row.line())
		}
	}
	add(g.graph.Start)
	for _, n := range g.graph.nodes {
		add(n.Out)
	}
	d.list("Edges", jen.Qual(flowPath, "EdgeInfo"), edges)
	d.list("State", jen.Qual(flowPath, "VariableInfo"), g.variableInfos())
	d.set("Text", jen.Id("sourceText"))
	g.doc(f, "info describes the graph: the version of its format, its limits, edges and variables, and the content of the workflow file.")
	f.Var().Id("info").Op("=").Qual(flowPath, "GraphInfo").Add(d.lines())
}

func (g *generator) variableInfos() []jen.Code {
	var list []jen.Code
	for _, v := range g.graph.State.Fields {
		d := fields{}
		elem, optional := unwrapped(v.Type)
		d.set("Name", jen.Lit(v.Name))
		d.set("Type", jen.Lit(variableType(elem)))
		d.lit("Optional", optional)
		list = append(list, d.line())
	}
	return list
}

// variableType names a variable's type as flow.VariableInfo does.
func variableType(t types.Type) string {
	switch t := t.(type) {
	case types.Basic:
		switch {
		case types.IsText(t):
			return types.Text.String()
		case types.IsNumber(t), t == types.Bool:
			return t.String()
		}
	case *types.Enum:
		return types.Text.String()
	case *types.List:
		return "list " + variableType(t.Elem)
	}
	return "json"
}

// sourceText writes the workflow's file, which is kept beside the state of its runs.
func (g *generator) sourceText(f *jen.File) {
	g.doc(f, "sourceText is the workflow file, of which each run keeps a copy beside its state.")
	f.Const().Id("sourceText").Op("=").Add(g.quote(string(g.program.File.Content)))
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
