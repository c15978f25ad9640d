package gen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A state graph becomes a loop around one switch over its nodes:
//
//	for at := r.walk.Start(edge{To: nodeDraft}); at != nodeEnd; {
//		switch at {
//		case nodeReview:
//			at = r.walk.Visit(visit{
//				Work:  work{Node: at, Run: r.runReview, OnEnd: r.endReview},
//				Edges: []edge{{To: nodeDraft, When: r.reviewToDraft}, {To: nodeEnd}},
//			})
//		…
//		}
//	}
//
// A case says everything about a visit: the limits of the node, its branches, the
// interrupts, and the edges in order. The work of a node is a method (runReview), and so
// are its handlers (endReview) and the condition of each edge (reviewToDraft). The kernel
// calls them in the order that its semantics demand; see package flow/graph. A run has the
// typed State, the last label of each node, and the walk.

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
	// constant is the node's own; label is the type of its labels.
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

// graphReserved are identifiers of the code of graphs.
var graphReserved = []string{
	"graph", "node", "edge", "work", "visit", "interrupt", inputTableID, nodeTableID, graphInfoID, "r", "o", "at", "s", "prompt", "json", "reply", "graphfiles",
	"nodeEnd", "State", "Labels", "outputs", "sourceText",
}

// declareGraph finds names, types and places for the nodes of a graph.
func (g *generator) declareGraph(body *ir.Graph) {
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
		m := &graphNode{node: &node{Node: n, value: jen.String()}, branch: branches[n]}
		g.nameGraphNode(m)
		g.graph.nodes = append(g.graph.nodes, m)
		g.graph.byID[n.ID] = m
		g.nodes = append(g.nodes, m.node)
		g.byID[n.ID] = m.node
	}
	for _, m := range g.graph.nodes {
		m.labels = &types.Enum{Values: labelNames(m.Node)}
		m.label = g.types.newEnum(m.labels, m.exported+"Label")
	}
	for _, m := range g.graph.nodes {
		for _, e := range tried(m.Out) {
			g.nameTest(e.Guard, unexported(m.exported)+"To"+g.targetName(e.To))
		}
		if d, ok := m.Action.(*ir.Decision); ok {
			g.nameTest(d.Cond, "decide"+m.exported)
		}
	}
	for _, e := range tried(body.Start) {
		g.nameTest(e.Guard, "startTo"+g.targetName(e.To))
	}
	for _, goal := range body.Goals {
		g.nameTest(goal.Cond, "completion")
	}
	for _, i := range body.Interrupts {
		g.declareInterrupt(i)
	}
	g.declareState()
}

// nameGraphNode finds the identifiers of a node. A number tells two ids with the same stem
// apart.
func (g *generator) nameGraphNode(m *graphNode) {
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
	if len(m.Handlers) > 0 {
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

// nameTest names the method that decides a condition, if it has one.
func (g *generator) nameTest(cond expr.Expr, name string) {
	if n, _ := g.labelTest(cond); cond != nil && n == nil {
		g.graph.tests[cond] = g.graph.methods.take(name)
	}
}

// labelTest returns the node and the labels of a condition that only tests whether the
// last label of the node is one of them; the node is nil for other conditions.
func (g *generator) labelTest(cond expr.Expr) (*graphNode, []string) {
	if g.opt.Cover {
		return nil, nil // every condition is a method, whose terms are counted
	}
	switch e := cond.(type) {
	case *expr.Compare:
		last, _ := e.X.(*expr.LastLabel)
		lit, _ := e.Y.(*expr.Literal)
		if e.Op != expr.ValueEqual || last == nil || lit == nil || !types.IsText(literalType(lit)) {
			return nil, nil
		}
		if n := g.graph.byID[last.Node]; n.Label(lit.Text) != nil {
			return n, []string{lit.Text}
		}
	case *expr.Logic:
		x, labels := g.labelTest(e.X)
		y, others := g.labelTest(e.Y)
		if e.Op == expr.Or && x == y {
			return x, append(labels, others...)
		}
	}
	return nil, nil
}

// test is the code of a condition: the method that decides it, or a test of a label.
func (g *generator) test(cond expr.Expr) jen.Code {
	n, labels := g.labelTest(cond)
	if n == nil {
		return jen.Id("r").Dot(g.graph.tests[cond])
	}
	list := []jen.Code{jen.Op("&").Add(n.last())}
	for _, name := range labels {
		list = append(list, jen.Id(n.label.consts[name]))
	}
	return jen.Qual(graphPath, "Is").Call(list...)
}

func (g *generator) declareInterrupt(i *ir.Interrupt) {
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
func (g *generator) graphSections() []func(*jen.File) {
	sections := []func(*jen.File){
		func(f *jen.File) {
			f.PackageComment(comment(g.packageDoc()))
			g.inputsType(f)
			g.graphOutputs(f)
			g.stateType(f)
			g.labelTypes(f)
			g.types.declare(f)
			g.definition(f)
			g.runFunc(f)
		},
		func(f *jen.File) {
			g.runTypes(f)
			g.defaultConsts(f)
			g.walkFunc(f)
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
		g.inputTable(f)
		g.nodeTable(f)
		g.infoVar(f)
		g.sourceText(f)
		g.runtimeConstant(f)
	})
}

// graphOutputs writes the type of a run's outputs.
func (g *generator) graphOutputs(f *jen.File) {
	f.Line()
	f.Comment(comment("Outputs say how a run ended, with the last label of each node and the state."))
	f.Type().Id("Outputs").Op("=").Qual(graphPath, "Outputs").Types(jen.Id("State"), jen.Id("Labels"))
}

// labelTypes writes the struct of the nodes' last labels and the types of labels.
func (g *generator) labelTypes(f *jen.File) {
	f.Line()
	f.Comment(comment("Labels holds the label with which each node ended last; it is empty for a node that has not ended."))
	f.Type().Id("Labels").StructFunc(func(s *jen.Group) {
		for _, m := range g.graph.nodes {
			s.Id(m.exported).Id(m.label.name).Op(tag(m.ID, true))
		}
	})
	f.Line()
	f.Comment(comment("The types of labels, one for each node. The labels of a node are its `outputs` in the workflow file."))
	f.Type().DefsFunc(func(list *jen.Group) {
		for _, m := range g.graph.nodes {
			list.Id(m.label.name).String()
		}
	})
	f.Line()
	f.Comment(comment("The labels of each type."))
	f.Const().DefsFunc(func(list *jen.Group) {
		for _, m := range g.graph.nodes {
			for _, value := range m.label.values {
				list.Id(m.label.consts[value]).Id(m.label.name).Op("=").Lit(value)
			}
		}
	})
}

// runTypes writes the type of the nodes and that of a run.
func (g *generator) runTypes(f *jen.File) {
	g.doc(f, "A node is the name of a node of the graph; nodeEnd is the end of the walk.")
	f.Type().Id("node").String()
	f.Line()
	f.Const().DefsFunc(func(c *jen.Group) {
		for _, m := range g.graph.nodes {
			c.Id(m.constant).Id("node").Op("=").Lit(m.ID)
		}
		c.Id("nodeEnd").Id("node").Op("=").Lit("")
	})
	f.Line()
	f.Comment(comment("The types of package graph for the nodes of this graph."))
	f.Type().DefsFunc(func(list *jen.Group) {
		list.Id("visit").Op("=").Qual(graphPath, "Visit").Types(jen.Id("node"))
		list.Id("work").Op("=").Qual(graphPath, "Work").Types(jen.Id("node"))
		list.Id("edge").Op("=").Qual(graphPath, "Edge").Types(jen.Id("node"))
		if len(g.graph.Interrupts) > 0 {
			list.Id("interrupt").Op("=").Qual(graphPath, "Interrupt").Types(jen.Id("node"))
		}
	})
	g.doc(f, "A run has the state, the last label of each node, and the walk through the graph.")
	f.Type().Id("run").StructFunc(func(s *jen.Group) {
		if len(g.graph.own) > 0 {
			s.Id("in").Id("Inputs")
		}
		s.Id("state").Id("State")
		s.Id("labels").Id("Labels")
		s.Id("walk").Op("*").Qual(graphPath, "Walk").Types(jen.Id("node"), jen.Id("State"), jen.Id("Labels"))
	})
}

// walk is the code of the walk of a run.
func walk() *jen.Statement { return jen.Id("r").Dot("walk") }

// last is the code of the last label of a node.
func (m *graphNode) last() *jen.Statement { return jen.Id("r").Dot("labels").Dot(m.exported) }

// walkFunc writes the loop around the switch.
func (g *generator) walkFunc(f *jen.File) {
	d := fields{}
	d.set("Info", jen.Op("&").Id(graphInfoID))
	d.set("Nodes", jen.Id("nodes"))
	d.set("State", jen.Op("&").Id("r").Dot("state"))
	d.set("Labels", jen.Op("&").Id("r").Dot("labels"))
	if len(g.graph.Goals) > 0 {
		var goals []jen.Code
		for _, goal := range g.graph.Goals {
			goals = append(goals, g.test(goal.Cond))
		}
		d.set("Completion", jen.Index().Func().Params().Bool().Add(group("{", listMark, goals)))
	}
	cases := &block{}
	for _, m := range g.graph.nodes {
		if !m.branch {
			cases.add(g.visitCase(m))
		}
	}
	cases.add(jen.Default().Block(jen.Panic(jen.Lit("unknown node ").Op("+").Id("at"))))
	run := fields{}
	if len(g.graph.own) > 0 {
		run.set("in", jen.Id("in"))
	}
	if len(g.graph.State.Fields) > 0 {
		run.set("state", g.initialState())
	}
	graph := jen.Qual(graphPath, "Graph").Types(jen.Id("node"), jen.Id("State"), jen.Id("Labels"))
	params := g.flowParams()
	if len(g.graph.own) == 0 && !slices.ContainsFunc(g.graph.State.Fields, func(v *ir.StateField) bool { _, input := v.Initial.(*expr.Input); return input }) {
		params[1] = jen.Id("_").Id("Inputs")
	}
	g.doc(f, "workflow walks from node to node by their labels.")
	f.Func().Id("workflow").Params(params...).Params(jen.Id("Outputs"), jen.Error()).Block(
		jen.Id("r").Op(":=").Op("&").Id("run").Add(run.line()),
		walk().Op("=").Qual(graphPath, "New").Call(jen.Id("c"), graph.Add(d.lines())),
		jen.For(jen.Id("at").Op(":=").Add(walk()).Dot("Start").Add(args(g.edges(g.graph.Start, "edge")...)), jen.Id("at").Op("!=").Id("nodeEnd"), jen.Empty()).Block(jen.Switch(jen.Id("at")).Block(cases.code...)),
		jen.Return(walk().Dot("Finish").Call()),
	)
}

// visitCase is the case of a node in the switch.
func (g *generator) visitCase(m *graphNode) *jen.Statement {
	d := fields{}
	d.set("Work", jen.Id("work").Add(g.step(m, jen.Id("at"))))
	g.visitFields(&d, m)
	code := &block{}
	g.mark(code, m.IDSpan, jen.Id("at").Op("=").Add(walk()).Dot("Visit").Call(jen.Id("visit").Add(lines(g.open(m.IDSpan), d.code))))
	return jen.Case(jen.Id(m.constant)).Block(code.code...)
}

// step is the literal of a node's step.
func (g *generator) step(m *graphNode, node *jen.Statement) *jen.Statement {
	d := fields{}
	d.set("Node", node)
	run := jen.Id("r").Dot(m.run)
	if a, decides := m.Action.(*ir.Decision); decides {
		yes, no := m.label.consts[m.labels.Values[0]], m.label.consts[m.labels.Values[1]]
		run = jen.Qual(graphPath, "Either").Call(g.test(a.Cond), jen.Id(yes), jen.Id(no))
	} else if m.run == "" {
		run = jen.Qual(graphPath, "Pass").Call(jen.Id(m.label.consts[passLabel(m.Node)]))
	}
	d.set("Run", run)
	done := jen.Id("r").Dot(m.done)
	if m.done == "" {
		done = jen.Qual(graphPath, "Keep").Call(jen.Op("&").Add(m.last()))
	}
	d.set("OnEnd", done)
	d.set("Timeout", timeout(m.Node))
	if label := timeoutOf(m.Node); label != "" {
		code := jen.String().Call(jen.Id(m.label.consts[label]))
		if a, ok := m.Action.(*ir.Human); !ok || a.Default == "" {
			d.own("OnTimeout", g.byDefault(code))
		} else {
			d.set("OnTimeout", code)
		}
	}
	switch {
	case m.Retry != nil && !m.Retry.MaxSpan.IsValid():
		d.own("Retry", g.comments("the default number of retries").Add(retry(m.Retry)))
	case m.Retry != nil:
		d.set("Retry", retry(m.Retry))
	}
	return d.line()
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

// visitFields adds everything around the step of a visit.
func (g *generator) visitFields(d *fields, m *graphNode) {
	if p, ok := m.Action.(*ir.Parallel); ok {
		var branches []jen.Code
		for _, b := range p.Branches {
			branch := g.graph.byID[b.ID]
			branches = append(branches, g.row(g.step(branch, jen.Id(branch.constant)), b.IDSpan))
		}
		d.set("Branches", jen.Index().Id("work").Add(rows("{", branches)))
		if label := failureLabel(m.Node); label != "" {
			d.set("OnFailure", jen.String().Call(jen.Id(m.label.consts[label])))
		}
	}
	for _, side := range []struct {
		name string
		list []interruptCode
	}{{"Before", m.before}, {"After", m.later}} {
		if len(side.list) > 0 {
			var items []jen.Code
			for _, i := range side.list {
				items = append(items, g.row(g.interrupt(i), i.Span))
			}
			d.set(side.name, jen.Index().Id("interrupt").Add(group("{", listMark, items)))
		}
	}
	if edges := g.edges(m.Out, ""); len(edges) > 0 {
		mark := brokenMark
		if len(edges) == 1 {
			mark = listMark
		}
		d.set("Edges", jen.Index().Id("edge").Add(group(g.open(m.Out[0].Span), mark, edges)))
	}
}

// edges are the literals of edges, of the given type if it is not that of a list.
func (g *generator) edges(list []*ir.Edge, of string) (code []jen.Code) {
	for _, e := range tried(list) {
		d := fields{}
		d.set("To", g.target(e.To))
		if e.Guard != nil {
			d.set("When", g.test(e.Guard))
		}
		code = append(code, g.row(jen.Id(of).Add(d.lines()), e.Span))
	}
	return code
}

// tried are the edges up to the first one without a condition.
func tried(list []*ir.Edge) []*ir.Edge {
	if i := slices.IndexFunc(list, func(e *ir.Edge) bool { return e.Guard == nil }); i >= 0 {
		return list[:i+1]
	}
	return list
}

// target is the constant of a node, or of the end.
func (g *generator) target(n *ir.Node) *jen.Statement { return jen.Id("node" + g.targetName(n)) }

// targetName is the stem of the names of a node, or of the end.
func (g *generator) targetName(n *ir.Node) string {
	if n == nil {
		return "End"
	}
	return g.graph.byID[n.ID].exported
}

// interrupt is the literal of an interrupt.
func (g *generator) interrupt(i interruptCode) *jen.Statement {
	d := fields{}
	if i.When != nil {
		d.set("When", g.test(i.When))
	}
	if text, constant := i.Message.Constant(); constant {
		d.set("Message", g.quote(text))
	} else {
		d.set("Compose", jen.Id("r").Dot(i.compose))
	}
	d.lit("Required", i.Required)
	if i.Skip != nil {
		d.set("Skips", jen.True())
		d.set("SkipTo", g.comments("by the edge at "+g.position(i.Skip.Span)).Add(g.target(i.Skip.To)))
	}
	return lines("{", d.code)
}

// limits is the code of the graph's limits, or nil when it has none.
func (g *generator) limits() *jen.Statement {
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
