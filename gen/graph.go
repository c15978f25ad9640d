package gen

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A state graph becomes one table of nodes and edges, through which package flow/graph walks:
//
//	var table = graph.Graph[node, run]{
//		Nodes: []graph.Node[node, run]{
//			{
//				Name: nodeReview,
//				Kind: "prompt",
//				Run:  (*run).runReview,
//				…
//			},
//			…
//		},
//		Edges: []graph.Edge[node, run]{
//			{From: nodeReview, To: nodeDraft, On: string(ReviewLabelBugs)},
//			{From: nodeReview, To: graph.End, When: (*run).reviewToEnd, Text: "state.n > 3"},
//		},
//	}
//
// The work of a node is a method (runReview), and so are its handlers (endReview) and each
// condition that is not the label of an edge (reviewToEnd). A run has the typed State, the
// last label of each node, and the walk.

// testValue is the method that decides a condition.
func (g graphWriter) testValue(cond expr.Expr) *jen.Statement { return runMethod(g.graph.tests[cond]) }

// runMethod is the method of a run as a function.
func runMethod(name string) *jen.Statement { return jen.Parens(jen.Op("*").Id("run")).Dot(name) }

// graphSections are the parts of the file of a graph.
func (g graphWriter) graphSections() []func(*jen.File) {
	sections := []func(*jen.File){
		func(f *jen.File) {
			f.PackageComment(wrapComment(fileWriter(g).packageDoc()))
			definitionWriter(g).inputsType(f)
			g.graphOutputs(f)
			g.stateType(f)
			g.labelTypes(f)
			g.types.declareTypes(f)
			definitionWriter(g).writeDefinition(f)
			definitionWriter(g).runFunc(f)
		},
		func(f *jen.File) {
			g.runTypes(f)
			flowWriter(g).defaultConsts(f)
			g.walkFunc(f)
			g.graphTable(f)
			for _, e := range g.graph.Start {
				g.guardMethod(f, "the start", e)
			}
			for _, goal := range g.graph.Goals {
				g.testMethod(f, goal.Cond, "decides whether a run that ends has succeeded", goal.Text)
			}
		},
	}
	for nodes := range slices.Chunk(g.graph.nodes, sectionSize) {
		sections = append(sections, func(f *jen.File) {
			for _, n := range nodes {
				g.graphNodeFuncs(f, n)
			}
		})
	}
	return append(sections, func(f *jen.File) {
		definitionWriter(g).inputTable(f)
		definitionWriter(g).runtimeConstant(f)
	})
}

// graphOutputs writes the type of a run's outputs.
func (g graphWriter) graphOutputs(f *jen.File) {
	g.writeDoc(f, "Outputs say how a run ended, with the last label of each node and the state.")
	f.Type().Id("Outputs").Op("=").Qual(graphPath, "Outputs").Types(jen.Id("State"), jen.Id("Labels"))
}

// labelTypes writes the struct of the nodes' last labels and the types of labels.
func (g graphWriter) labelTypes(f *jen.File) {
	g.writeDoc(f, "Labels holds the label with which each node ended last; it is empty for a node that has not ended.")
	f.Type().Id("Labels").StructFunc(func(s *jen.Group) {
		for _, m := range g.graph.nodes {
			if m.label == nil {
				s.Id(m.exported).String().Op(jsonTag(m.ID, true))
			} else {
				s.Id(m.exported).Id(m.label.name).Op(jsonTag(m.ID, true))
			}
		}
	})
	typed := slices.DeleteFunc(slices.Clone(g.graph.nodes), func(m *graphNode) bool { return m.label == nil })
	if len(typed) == 0 {
		return
	}
	g.writeDoc(f, "The types of labels, one for each node with several. The labels of a node are its `outputs` in the workflow file.")
	f.Type().DefsFunc(func(list *jen.Group) {
		for _, m := range typed {
			list.Id(m.label.name).String()
		}
	})
	g.writeDoc(f, "The labels of each type.")
	f.Const().DefsFunc(func(list *jen.Group) {
		for _, m := range typed {
			m.label.defineValues(list)
		}
	})
}

// runTypes writes the type of the nodes and that of a run.
func (g graphWriter) runTypes(f *jen.File) {
	g.writeDoc(f, "A node is the name of a node of the graph.")
	f.Type().Id("node").String()
	f.Line()
	f.Const().DefsFunc(func(c *jen.Group) {
		for _, m := range g.graph.nodes {
			c.Id(m.constant).Id("node").Op("=").Lit(m.ID)
		}
	})
	g.writeDoc(f, "A run is one walk through the graph, with its State and Labels.")
	f.Type().Id("run").StructFunc(func(s *jen.Group) {
		s.Qual(graphPath, "Walk").Types(jen.Id("node"), jen.Id("State"), jen.Id("Labels"), jen.Id("run"))
		if len(g.graph.own) > 0 {
			s.Id("in").Id("Inputs")
		}
	})
}

// walkFunc writes the function that starts the walk.
func (g graphWriter) walkFunc(f *jen.File) {
	run := fields{}
	if len(g.graph.own) > 0 {
		run.setField("in", jen.Id("in"))
	}
	params := flowParams()
	if len(g.graph.own) == 0 && !slices.ContainsFunc(g.graph.State.Fields, func(v *ir.StateField) bool { _, input := v.Initial.(*expr.Input); return input }) {
		params[1] = jen.Id("_").Id("Inputs")
	}
	body := &block{}
	body.addCode(jen.Id("r").Op(":=").Op("&").Id("run").Add(run.asRow()))
	if len(g.graph.State.Fields) > 0 {
		body.addCode(jen.Id("r").Dot("State").Op("=").Add(g.initialState()))
	}
	body.addCode(jen.Return(jen.Id("r").Dot("Follow").Call(jen.Id("c"), jen.Op("&").Id(graphTableID), jen.Id("r"))))
	g.writeDoc(f, "workflow walks from node to node by their labels.")
	f.Func().Id("workflow").Params(params...).Params(jen.Id("Outputs"), jen.Error()).Block(body.code...)
}

// graphTable writes the table of nodes and edges.
func (g graphWriter) graphTable(f *jen.File) {
	d := fields{}
	d.setField("Version", jen.Lit(cmp.Or(g.graph.Version, "1.0")))
	d.setField("Limits", g.limitsLiteral())
	nodes := codesOf(g.graph.nodes, func(m *graphNode) *jen.Statement { return g.rowAt(g.nodeRow(m), m.IDSpan) })
	var edges []jen.Code
	for _, e := range g.graph.Start {
		edges = append(edges, g.edgeRow(nil, e))
	}
	for _, m := range g.graph.nodes {
		for _, e := range m.Out {
			edges = append(edges, g.edgeRow(m, e))
		}
	}
	goals := codesOf(g.graph.Goals, func(goal *ir.Goal) *jen.Statement {
		row := fields{}
		if m, label := g.anyLabelTest(goal.Cond); m != nil {
			row.setField("Node", jen.Id(m.constant))
			row.setField("Label", m.labelText(label))
		} else {
			row.setField("When", g.testValue(goal.Cond))
		}
		return row.asRow()
	})
	d.setRows("Nodes", graphType("Node"), nodes)
	d.setRows("Edges", graphType("Edge"), edges)
	d.setRows("Completion", graphType("Goal"), goals)
	d.setRows("State", jen.Qual(flowPath, "VariableInfo"), g.variableInfos())
	d.setField("Text", jen.Id("sourceText"))
	g.writeDoc(f, graphTableID+" is the graph through which runs walk, and which pictures show.")
	f.Var().Id(graphTableID).Op("=").Add(graphType("Graph")).Add(itemRows("{", d.code))
}

// graphType is a type of package graph for the nodes and the runs of this graph.
func graphType(name string) *jen.Statement {
	return jen.Qual(graphPath, name).Types(jen.Id("node"), jen.Id("run"))
}

// nodeRow is the literal of a node in the table.
func (g graphWriter) nodeRow(m *graphNode) *jen.Statement {
	d := fields{}
	d.setField("Name", jen.Id(m.constant))
	d.setField("Line", jen.Lit(m.IDSpan.Position().Line))
	d.setField("Kind", jen.Lit(m.Action.Kind()))
	d.setLit("Agent", agentOf(m.Node))
	d.setTexts("WorkerTags", g.workerTags(m.Node))
	if m.label == nil {
		d.setTexts("Labels", m.labels.Values)
	} else {
		d.setField("Labels", callFunc(graphPath, "LabelsOf", codesOf(m.labels.Values, m.labelConstant)...))
	}
	switch a := m.Action.(type) {
	case *ir.Parallel:
		d.setField("Branches", jen.Index().Id("node").Values(codesOf(a.Branches, g.targetConstant)...))
		d.setField("FailureLabel", m.labelText(m.Node.FailureLabel()))
	case *ir.Join:
		d.setField("WaitsFor", jen.Index().Id("node").Values(codesOf(a.Waits, g.targetConstant)...))
	}
	d.setField("Timeout", timeoutCode(m.Node))
	if label := timeoutOf(m.Node); label != "" {
		note := ""
		if a, ok := m.Action.(*ir.Human); !ok || a.Default == "" {
			note = g.noteText(defaultNote)
		}
		d.setNoted("TimeoutLabel", m.labelText(label), note)
	}
	note := ""
	if m.Retry != nil && !m.Retry.MaxSpan.IsValid() {
		note = g.noteText("the default number of retries")
	}
	d.setNoted("Retry", retryCode(m.Retry), note)
	if a, decides := m.Action.(*ir.Decision); decides {
		d.setField("Decide", g.testValue(a.Cond))
		d.setField("ThenLabel", m.labelText(m.labels.Values[0]))
		d.setField("ElseLabel", m.labelText(m.labels.Values[1]))
	} else if m.run == "" {
		d.setField("EndLabel", m.labelText(m.Node.PassLabel()))
	} else {
		d.setField("Run", runMethod(m.run))
	}
	if m.done != "" {
		d.setField("OnEnd", runMethod(m.done))
	}
	d.setList("Before", graphType("Interrupt"), codesOf(m.before, g.interruptRow))
	d.setList("After", graphType("Interrupt"), codesOf(m.later, g.interruptRow))
	return itemRows("{", d.code)
}

// edgeRow is the literal of an edge from a node, or from the start. An edge that is never
// tried, because one before it always holds, needs no method.
func (g graphWriter) edgeRow(from *graphNode, e *ir.Edge) jen.Code {
	d := fields{}
	label, start := "", jen.Qual(graphPath, "Start")
	if from != nil {
		label, start = g.labelTest(e.Guard, from), jen.Id(from.constant)
	}
	d.setField("From", start)
	d.setField("To", g.targetConstant(e.To))
	if label != "" {
		d.setField("On", from.labelText(label))
	} else if g.graph.tests[e.Guard] != "" {
		d.setField("When", g.testValue(e.Guard))
	}
	if e.GuardText != "" && e.GuardText != label {
		d.setField("Text", g.quoteString(e.GuardText))
	}
	return withNote(g.rowAt(d.asRow(), e.Span), g.noteText(g.positionOf(e.Span)))
}

// targetConstant is the constant of a node, or of the end.
func (g graphWriter) targetConstant(n *ir.Node) *jen.Statement {
	if n == nil {
		return jen.Qual(graphPath, "End")
	}
	return jen.Id(g.graph.byID[n.ID].constant)
}

// interruptRow is the literal of an interrupt.
func (g graphWriter) interruptRow(i interruptCode) *jen.Statement {
	d := fields{}
	if i.When != nil {
		d.setField("When", g.testValue(i.When))
	}
	if text, constant := i.Message.Constant(); constant {
		d.setField("Message", g.quoteString(text))
	} else {
		d.setField("Compose", runMethod(i.compose))
	}
	d.setLit("Required", i.Required)
	if i.Skip != nil {
		d.setNoted("SkipTo", g.targetConstant(i.Skip.To), g.noteText("by the edge at "+g.positionOf(i.Skip.Span)))
	}
	return g.rowAt(d.asLines(), i.Span)
}

// limitsLiteral is the code of the graph's limits, or nil when it has none.
func (g graphWriter) limitsLiteral() *jen.Statement {
	l := g.graph.Limits
	d := fields{}
	d.setLit("Iterations", l.Iterations)
	d.setDuration("Time", l.Time)
	if l.CostUSD > 0 {
		d.setField("CostUSD", numberCode(l.CostUSD))
	}
	d.setLit("Parallel", l.Parallel)
	if len(d.code) == 0 {
		return nil
	}
	return jen.Qual(flowPath, "GraphLimits").Add(d.asRow())
}
