package gen

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
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
//			{From: nodeReview, To: nodeEnd, When: (*run).reviewToEnd, Text: "state.n > 3"},
//		},
//	}
//
// The work of a node is a method (runReview), and so are its handlers (endReview) and each
// condition that is not the label of an edge (reviewToEnd). A run has the typed State, the
// last label of each node, and the walk.

// A graphCode is the graph that is being written.
type graphCode struct {
	*ir.Graph
	nodes []*graphNode
	byID  map[string]*graphNode
	// fields are the Go names of the variables, by their names, and own the inputs that
	// may differ from the variables that they initialise.
	fields map[string]string
	own    map[string]bool
	// tests are the methods that decide conditions.
	tests map[expr.Expr]string
	// methods are the names of the methods of a run.
	methods *names
}

// A graphNode is one of the graph's nodes.
type graphNode struct {
	*node
	// constant is the node's own; label is the type of its labels, nil for a single one.
	constant string
	label    *enumType
	labels   *types.Enum
	// run and done are the methods of its work and of its handlers, "" for none.
	run, done string
	// branch means that a parallel runs it.
	branch bool
	// before and later are the interrupts before and after it.
	before, later []interruptCode
}

// An interruptCode is an interrupt with the method that composes its message, "" for none.
type interruptCode struct {
	*ir.Interrupt
	compose string
}

// sourceTextFile is the name of the file with the text of the workflow file.
const sourceTextFile = "source_text.go"

// graphReserved are identifiers of the code of graphs.
var graphReserved = []string{
	"graph", "node", inputTableID, graphTableID, "r", "o", "s", "prompt", "json", "reply", "graphfiles",
	"nodeStart", "nodeEnd", "State", "Labels", "outputs", "sourceText",
}

// declareGraph finds names, types and places for the nodes of a graph.
func (g *declarer) declareGraph(body *ir.Graph) {
	for _, name := range slices.Concat(graphReserved, defaultIDs) {
		g.names.taken[name] = true
	}
	g.graph = &graphCode{Graph: body, byID: map[string]*graphNode{}, fields: map[string]string{}, own: map[string]bool{}, tests: map[expr.Expr]string{}, methods: &names{taken: map[string]bool{}}}
	branches := map[*ir.Node]bool{}
	for _, n := range body.Nodes {
		if p, ok := n.Action.(*ir.Parallel); ok {
			for _, b := range p.Branches {
				branches[b] = true
			}
		}
	}
	for _, n := range body.Nodes {
		m := &graphNode{node: &node{Node: n, nodeOutput: nodeOutput{value: jen.String()}}, branch: branches[n]}
		g.nameGraphNode(m)
		g.graph.nodes = append(g.graph.nodes, m)
		g.graph.byID[n.ID] = m
		g.nodes = append(g.nodes, m.node)
		g.byID[n.ID] = m.node
	}
	for _, m := range g.graph.nodes {
		m.labels = &types.Enum{Values: labelNames(m.Node)}
		if len(m.labels.Values) > 1 {
			m.label = g.types.newEnum(m.labels, m.exported+"Label")
		}
	}
	for _, m := range g.graph.nodes {
		for _, e := range tried(m.Out) {
			if label := g.labelTest(e.Guard, m); label == "" {
				g.nameTest(e.Guard, unexported(m.exported)+"To"+graphWriter{g.goPackage}.targetName(e.To))
			}
		}
		if d, ok := m.Action.(*ir.Decision); ok {
			g.nameTest(d.Cond, "decide"+m.exported)
		}
	}
	for _, e := range tried(body.Start) {
		g.nameTest(e.Guard, "startTo"+graphWriter{g.goPackage}.targetName(e.To))
	}
	for _, goal := range body.Goals {
		if m, _ := g.anyLabelTest(goal.Cond); m == nil {
			g.nameTest(goal.Cond, "completion")
		}
	}
	for _, i := range body.Interrupts {
		g.declareInterrupt(i)
	}
	g.declareState()
}

// nameGraphNode finds the identifiers of a node. A number tells two ids with the same stem
// apart.
func (g *declarer) nameGraphNode(m *graphNode) {
	stem := exported(m.ID, "Node")
	for i, try := 2, stem; ; i++ {
		m.exported, m.constant = try, "node"+try
		if g.names.takeAll(m.exported, m.constant) {
			break
		}
		try = stem + itoa(i)
	}
	if worked(m.Action) {
		m.run = g.graph.methods.take("run" + m.exported)
	}
	if len(m.Handlers) > 0 && g.inlineHandler(m) == nil {
		m.done = g.graph.methods.take("end" + m.exported)
	}
}

// worked reports whether a node's work is a method.
func worked(a ir.Action) bool {
	switch a := a.(type) {
	case *ir.Parallel, *ir.Checkpoint, *ir.Decision:
		return false
	case *ir.Join:
		return a.Prompt != nil
	}
	return true
}

// nameTest names the method that decides a condition.
func (g *declarer) nameTest(cond expr.Expr, name string) {
	if cond != nil {
		g.graph.tests[cond] = g.graph.methods.take(name)
	}
}

// anyLabelTest returns the node and the label of a condition that only tests whether the last
// label of the node is this one; the node is nil for other conditions.
func (g *goPackage) anyLabelTest(cond expr.Expr) (*graphNode, string) {
	e, ok := cond.(*expr.Compare)
	if !ok || g.opt.Cover { // which counts the terms of all conditions
		return nil, ""
	}
	last, _ := e.X.(*expr.LastLabel)
	lit, _ := e.Y.(*expr.Literal)
	if e.Op != expr.ValueEqual || last == nil || lit == nil || !types.IsText(literalType(lit)) {
		return nil, ""
	}
	if n := g.graph.byID[last.Node]; n.Label(lit.Text) != nil {
		return n, lit.Text
	}
	return nil, ""
}

// labelTest is anyLabelTest for the label of the node n; it returns "" for other conditions.
func (g *goPackage) labelTest(cond expr.Expr, n *graphNode) string {
	if m, label := g.anyLabelTest(cond); m == n {
		return label
	}
	return ""
}

// test is the method that decides a condition.
func (g graphWriter) test(cond expr.Expr) *jen.Statement { return runMethod(g.graph.tests[cond]) }

// runMethod is the method of a run as a function.
func runMethod(name string) *jen.Statement { return jen.Parens(jen.Op("*").Id("run")).Dot(name) }

// labelText is a label as the kernel takes it.
func (m *graphNode) labelText(name string) *jen.Statement {
	if m.label == nil {
		return jen.Lit(name)
	}
	return jen.String().Call(jen.Id(m.label.consts[name]))
}

// labelConstants are the constants of the node's labels, by the labels.
func (m *graphNode) labelConstants() map[string]string {
	if m.label == nil {
		return nil
	}
	return m.label.consts
}

func (g *declarer) declareInterrupt(i *ir.Interrupt) {
	m := g.graph.byID[i.Node.ID]
	when, list := "Before", &m.before
	if i.After {
		when, list = "After", &m.later
	}
	c := interruptCode{Interrupt: i}
	g.nameTest(i.When, "ask"+when+m.exported)
	if _, constant := i.Message.Constant(); !constant {
		c.compose = g.graph.methods.take("compose" + when + m.exported)
	}
	*list = append(*list, c)
}

func labelNames(n *ir.Node) []string {
	var names []string
	for _, l := range n.Labels {
		names = append(names, l.Name)
	}
	return names
}

// failureLabel is the label of a script that fails, and of a parallel that continues after
// a branch failed, or "".
func failureLabel(n *ir.Node) string {
	for _, l := range n.Labels {
		if l.Failure && l.Name != timeoutLabel && l.Name != "no" {
			return l.Name
		}
	}
	return ""
}

// timeoutLabel is the label of a node that took too long.
const timeoutLabel = "timeout"

// timeoutOf is the label of a node that takes too long, or whose question nobody answers,
// or "".
func timeoutOf(n *ir.Node) string {
	if human, ok := n.Action.(*ir.Human); ok && human.Default != "" {
		return human.Default
	}
	if n.Label(timeoutLabel) != nil {
		return timeoutLabel
	}
	if _, ok := n.Action.(*ir.Bash); ok {
		return failureLabel(n)
	}
	return ""
}

// graphSections are the parts of the file of a graph.
func (g graphWriter) graphSections() []func(*jen.File) {
	sections := []func(*jen.File){
		func(f *jen.File) {
			f.PackageComment(comment(fileWriter{g.goPackage}.packageDoc()))
			definitionWriter{g.goPackage}.inputsType(f)
			g.graphOutputs(f)
			g.stateType(f)
			g.labelTypes(f)
			g.types.declare(f)
			definitionWriter{g.goPackage}.definition(f)
			definitionWriter{g.goPackage}.runFunc(f)
		},
		func(f *jen.File) {
			g.runTypes(f)
			flowWriter{g.goPackage}.defaultConsts(f)
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
		definitionWriter{g.goPackage}.inputTable(f)
		definitionWriter{g.goPackage}.runtimeConstant(f)
	})
}

// graphOutputs writes the type of a run's outputs.
func (g graphWriter) graphOutputs(f *jen.File) {
	f.Line()
	f.Comment(comment("Outputs say how a run ended, with the last label of each node and the state."))
	f.Type().Id("Outputs").Op("=").Qual(graphPath, "Outputs").Types(jen.Id("State"), jen.Id("Labels"))
}

// labelTypes writes the struct of the nodes' last labels and the types of labels.
func (g graphWriter) labelTypes(f *jen.File) {
	f.Line()
	f.Comment(comment("Labels holds the label with which each node ended last; it is empty for a node that has not ended."))
	f.Type().Id("Labels").StructFunc(func(s *jen.Group) {
		for _, m := range g.graph.nodes {
			if m.label == nil {
				s.Id(m.exported).String().Op(tag(m.ID, true))
			} else {
				s.Id(m.exported).Id(m.label.name).Op(tag(m.ID, true))
			}
		}
	})
	typed := slices.DeleteFunc(slices.Clone(g.graph.nodes), func(m *graphNode) bool { return m.label == nil })
	if len(typed) == 0 {
		return
	}
	f.Line()
	f.Comment(comment("The types of labels, one for each node with several. The labels of a node are its `outputs` in the workflow file."))
	f.Type().DefsFunc(func(list *jen.Group) {
		for _, m := range typed {
			list.Id(m.label.name).String()
		}
	})
	f.Line()
	f.Comment(comment("The labels of each type."))
	f.Const().DefsFunc(func(list *jen.Group) {
		for _, m := range typed {
			for _, value := range m.label.values {
				list.Id(m.label.consts[value]).Id(m.label.name).Op("=").Lit(value)
			}
		}
	})
}

// runTypes writes the type of the nodes and that of a run.
func (g graphWriter) runTypes(f *jen.File) {
	g.doc(f, "A node is the name of a node of the graph.")
	f.Type().Id("node").String()
	f.Line()
	f.Const().DefsFunc(func(c *jen.Group) {
		c.Id("nodeStart").Id("node").Op("=").Lit("")
		for _, m := range g.graph.nodes {
			c.Id(m.constant).Id("node").Op("=").Lit(m.ID)
		}
		c.Id("nodeEnd").Id("node").Op("=").Lit("")
	})
	g.doc(f, "A run is one walk through the graph, with its State and Labels.")
	f.Type().Id("run").StructFunc(func(s *jen.Group) {
		s.Qual(graphPath, "Walk").Types(jen.Id("node"), jen.Id("State"), jen.Id("Labels"), jen.Id("run"))
		if len(g.graph.own) > 0 {
			s.Id("in").Id("Inputs")
		}
	})
}

// last is the code of the last label of a node.
func (m *graphNode) last() *jen.Statement { return jen.Id("r").Dot("Labels").Dot(m.exported) }

// walkFunc writes the function that starts the walk.
func (g graphWriter) walkFunc(f *jen.File) {
	run := fields{}
	if len(g.graph.own) > 0 {
		run.set("in", jen.Id("in"))
	}
	params := flowParams()
	if len(g.graph.own) == 0 && !slices.ContainsFunc(g.graph.State.Fields, func(v *ir.StateField) bool { _, input := v.Initial.(*expr.Input); return input }) {
		params[1] = jen.Id("_").Id("Inputs")
	}
	body := &block{}
	body.add(jen.Id("r").Op(":=").Op("&").Id("run").Add(run.line()))
	if len(g.graph.State.Fields) > 0 {
		body.add(jen.Id("r").Dot("State").Op("=").Add(g.initialState()))
	}
	body.add(jen.Return(jen.Id("r").Dot("Follow").Call(jen.Id("c"), jen.Op("&").Id(graphTableID), jen.Id("r"))))
	g.doc(f, "workflow walks from node to node by their labels.")
	f.Func().Id("workflow").Params(params...).Params(jen.Id("Outputs"), jen.Error()).Block(body.code...)
}

// graphTable writes the table of nodes and edges.
func (g graphWriter) graphTable(f *jen.File) {
	d := fields{}
	d.set("Version", jen.Lit(cmp.Or(g.graph.Version, "1.0")))
	if limits := g.limits(); limits != nil {
		d.set("Limits", limits)
	}
	var nodes, edges, goals []jen.Code
	for _, m := range g.graph.nodes {
		nodes = append(nodes, g.row(g.nodeRow(m), m.IDSpan))
	}
	for _, e := range g.graph.Start {
		edges = append(edges, g.edgeRow(nil, e))
	}
	for _, m := range g.graph.nodes {
		for _, e := range m.Out {
			edges = append(edges, g.edgeRow(m, e))
		}
	}
	for _, goal := range g.graph.Goals {
		row := fields{}
		if m, label := g.anyLabelTest(goal.Cond); m != nil {
			row.set("Node", jen.Id(m.constant))
			row.set("Label", m.labelText(label))
		} else {
			row.set("When", g.test(goal.Cond))
		}
		goals = append(goals, jen.Values(row.code...))
	}
	d.set("Nodes", jen.Index().Add(graphType("Node")).Add(rows("{", nodes)))
	d.set("Edges", jen.Index().Add(graphType("Edge")).Add(rows("{", edges)))
	if len(goals) > 0 {
		d.set("Completion", jen.Index().Add(graphType("Goal")).Add(rows("{", goals)))
	}
	if infos := g.variableInfos(); len(infos) > 0 {
		d.set("State", jen.Index().Qual(flowPath, "VariableInfo").Add(rows("{", infos)))
	}
	d.set("Text", jen.Id("sourceText"))
	g.doc(f, graphTableID+" is the graph through which runs walk, and which pictures show.")
	f.Var().Id(graphTableID).Op("=").Add(graphType("Graph")).Add(rows("{", d.code))
}

// graphType is a type of package graph for the nodes and the runs of this graph.
func graphType(name string) *jen.Statement {
	return jen.Qual(graphPath, name).Types(jen.Id("node"), jen.Id("run"))
}

// nodeRow is the literal of a node in the table.
func (g graphWriter) nodeRow(m *graphNode) *jen.Statement {
	d := fields{}
	d.set("Name", jen.Id(m.constant))
	d.set("Line", jen.Lit(m.IDSpan.Position().Line))
	d.set("Kind", jen.Lit(m.Action.Kind()))
	d.lit("Agent", agentOf(m.Node))
	d.texts("WorkerTags", g.tags(m.Node))
	d.texts("Labels", m.labels.Values)
	switch a := m.Action.(type) {
	case *ir.Parallel:
		d.set("Branches", g.nodeList(a.Branches))
		if label := failureLabel(m.Node); label != "" {
			d.set("OnFailure", m.labelText(label))
		}
	case *ir.Join:
		d.set("WaitsFor", g.nodeList(a.Waits))
	}
	d.set("Timeout", timeout(m.Node))
	if label := timeoutOf(m.Node); label != "" {
		note := ""
		if a, ok := m.Action.(*ir.Human); !ok || a.Default == "" {
			note = g.note(defaultNote)
		}
		d.setNoted("OnTimeout", m.labelText(label), note)
	}
	switch {
	case m.Retry != nil && !m.Retry.MaxSpan.IsValid():
		d.setNoted("Retry", retry(m.Retry), g.note("the default number of retries"))
	case m.Retry != nil:
		d.set("Retry", retry(m.Retry))
	}
	if a, decides := m.Action.(*ir.Decision); decides {
		d.set("Decide", g.test(a.Cond))
	} else if m.run == "" {
		d.set("Pass", m.labelText(passLabel(m.Node)))
	} else {
		d.set("Run", runMethod(m.run))
	}
	if a := g.inlineHandler(m); a != nil {
		end := jen.Func().Params(jen.Id("r").Op("*").Id("run"), jen.Id("o").Add(outcomeType()))
		d.setNoted("OnEnd", end.Add(oneLine(g.newFunction(nil).operands().assignment(a))), g.note(g.position(a.Span)))
	} else if m.done != "" {
		d.set("OnEnd", runMethod(m.done))
	}
	d.list("Before", graphType("Interrupt"), g.interruptRows(m.before))
	d.list("After", graphType("Interrupt"), g.interruptRows(m.later))
	return rows("{", d.code)
}

// inlineHandler is the only assignment when a node with one label ends, or nil: the table holds
// its code.
func (g *goPackage) inlineHandler(m *graphNode) *ir.Assign {
	if len(m.Labels) == 1 && len(m.Handlers) == 1 && len(m.Handlers[0].Assigns) == 1 && !g.opt.LineDirectives {
		return m.Handlers[0].Assigns[0]
	}
	return nil
}

// nodeList is a list of nodes.
func (g graphWriter) nodeList(nodes []*ir.Node) *jen.Statement {
	var list []jen.Code
	for _, n := range nodes {
		list = append(list, g.target(n))
	}
	return jen.Index().Id("node").Values(list...)
}

// edgeRow is the literal of an edge from a node, or from the start. An edge that is never
// tried, because one before it always holds, needs no method.
func (g graphWriter) edgeRow(from *graphNode, e *ir.Edge) jen.Code {
	d := fields{}
	if from == nil {
		d.set("From", jen.Id("nodeStart"))
	} else {
		d.set("From", jen.Id(from.constant))
	}
	d.set("To", g.target(e.To))
	label := ""
	if from != nil {
		label = g.labelTest(e.Guard, from)
	}
	if label != "" {
		d.set("On", from.labelText(label))
	} else if g.graph.tests[e.Guard] != "" {
		d.set("When", g.test(e.Guard))
	}
	if e.GuardText != "" && e.GuardText != label {
		d.set("Text", g.quote(e.GuardText))
	}
	return withNote(g.row(d.line(), e.Span), g.note(g.position(e.Span)))
}

// passLabel is the label of a node that does nothing.
func passLabel(n *ir.Node) string {
	for _, l := range n.Labels {
		if !l.Failure {
			return l.Name
		}
	}
	return n.Labels[0].Name
}

// tried are the edges up to the first one without a condition.
func tried(list []*ir.Edge) []*ir.Edge {
	if i := slices.IndexFunc(list, func(e *ir.Edge) bool { return e.Guard == nil }); i >= 0 {
		return list[:i+1]
	}
	return list
}

// target is the constant of a node, or of the end.
func (g graphWriter) target(n *ir.Node) *jen.Statement { return jen.Id("node" + g.targetName(n)) }

// targetName is the stem of the names of a node, or of the end.
func (g graphWriter) targetName(n *ir.Node) string {
	if n == nil {
		return "End"
	}
	return g.graph.byID[n.ID].exported
}

// interruptRows are the literals of interrupts.
func (g graphWriter) interruptRows(list []interruptCode) (items []jen.Code) {
	for _, i := range list {
		items = append(items, g.row(g.interrupt(i), i.Span))
	}
	return items
}

// interrupt is the literal of an interrupt.
func (g graphWriter) interrupt(i interruptCode) *jen.Statement {
	d := fields{}
	if i.When != nil {
		d.set("When", g.test(i.When))
	}
	if text, constant := i.Message.Constant(); constant {
		d.set("Message", g.quote(text))
	} else {
		d.set("Compose", runMethod(i.compose))
	}
	d.lit("Required", i.Required)
	if i.Skip != nil {
		d.set("Skips", jen.True())
		d.setNoted("SkipTo", g.target(i.Skip.To), g.note("by the edge at "+g.position(i.Skip.Span)))
	}
	return lines(d.code)
}

// limits is the code of the graph's limits, or nil when it has none.
func (g graphWriter) limits() *jen.Statement {
	l := g.graph.Limits
	d := fields{}
	d.lit("Iterations", l.Iterations)
	d.duration("Time", l.Time)
	if l.CostUSD > 0 {
		d.set("CostUSD", number(l.CostUSD))
	}
	d.lit("Parallel", l.Parallel)
	if len(d.code) == 0 {
		return nil
	}
	return jen.Qual(flowPath, "GraphLimits").Add(d.line())
}
