package gen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A state graph becomes a loop around one switch over its nodes:
//
//	for at := r.Start(edge{To: nodeDraft}); at != nodeEnd; {
//		switch at {
//		case nodeReview:
//			at = r.Visit(visit{
//				Step:  step{Node: at, Run: r.review, Done: r.reviewDone},
//				Edges: []edge{{To: nodeDraft, If: r.reviewToDraft}, {To: nodeEnd}},
//			})
//		…
//		}
//	}
//
// A case says everything about a visit: the limits of the node, its branches, the
// interrupts, and the edges in order. The work of a node is a method (review), and so are
// its handlers (reviewDone) and the condition of each edge (reviewToDraft). The kernel
// calls them in the order that its semantics demand; see package flow/graph. The typed
// State and the last label of each node are in the walk, which a run embeds.

// A graphCode is the graph that is being written.
type graphCode struct {
	*ir.Graph
	nodes []*graphNode
	byID  map[string]*graphNode
	// fields are the Go names of the variables, by their names.
	fields map[string]string
	goals  []string // the methods that decide the goals
	// starts are the conditions of the edges of the start, "" for those without one.
	starts []string
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
	// guards are the methods that decide its edges, "" for those without a condition.
	guards []string
	// before and later are the interrupts before and after it.
	before, later []interruptCode
}

// An interruptCode is an interrupt with the methods that decide whether it asks and
// compose its message, "" for none.
type interruptCode struct {
	*ir.Interrupt
	when, compose string
}

// graphReserved are identifiers of the code of graphs.
var graphReserved = []string{
	"graph", "node", "edge", "step", "visit", "interrupt", inputTableID, nodeTableID, "info", "r", "o", "at", "s", "prompt", "json", "outcome", "graphfiles",
	"nodeEnd", "State", "Labels", "newState", "outputs", "sourceText",
}

// declareGraph finds names, types and places for the nodes of a graph.
func (g *generator) declareGraph(body *ir.Graph) {
	for _, name := range graphReserved {
		g.names.taken[name] = true
	}
	g.graph = &graphCode{Graph: body, byID: map[string]*graphNode{}, fields: map[string]string{}, methods: &names{taken: map[string]bool{"in": true}}}
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
		for _, e := range m.Out {
			m.guards = append(m.guards, g.guardName(m.exported, e))
		}
	}
	for _, e := range body.Start {
		g.graph.starts = append(g.graph.starts, g.guardName("start", e))
	}
	for i := range body.Goals {
		g.graph.goals = append(g.graph.goals, g.graph.methods.take(fmt.Sprintf("goal%d", i+1)))
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
		m.run = g.graph.methods.take(unexported(m.exported))
	}
	if len(m.Handlers) > 0 {
		m.done = g.graph.methods.take(unexported(m.exported) + "Done")
	}
}

// worked reports whether a node's work is a method.
func worked(a ir.Action) bool {
	switch a := a.(type) {
	case *ir.Parallel, *ir.Checkpoint:
		return false
	case *ir.Join:
		return a.Prompt != nil
	}
	return true
}

// guardName finds the name of the method that decides an edge, "" when none does.
func (g *generator) guardName(from string, e *ir.Edge) string {
	if e.Guard == nil {
		return ""
	}
	to := "End"
	if e.To != nil {
		to = g.graph.byID[e.To.ID].exported
	}
	return g.graph.methods.take(unexported(from) + "To" + to)
}

func (g *generator) declareInterrupt(i *ir.Interrupt) {
	m := g.graph.byID[i.Node.ID]
	when, list := "Before", &m.before
	if i.After {
		when, list = "After", &m.later
	}
	c := interruptCode{Interrupt: i}
	if i.When != nil {
		c.when = g.graph.methods.take("ask" + when + m.exported)
	}
	if _, constant := i.Message.Constant(); !constant {
		c.compose = g.graph.methods.take("message" + when + m.exported)
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

// timeoutOf is the label of a node that takes too long, or "".
func timeoutOf(n *ir.Node) string {
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
			g.walkFunc(f)
			g.initialState(f)
			g.guardFuncs(f, g.endsDoc(), func(yield func(name, text string, cond expr.Expr)) {
				g.eachGuard(g.graph.Start, g.graph.starts, yield)
				for i, goal := range g.graph.Goals {
					yield(g.graph.goals[i], goal.Text, goal.Cond)
				}
			})
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

// endsDoc is the comment of the conditions of the start's edges and of the goals.
func (g *generator) endsDoc() string {
	const goals = "a run that ends has succeeded if one of them holds."
	switch starts := slices.ContainsFunc(g.graph.starts, func(name string) bool { return name != "" }); {
	case !starts:
		return "The goals: " + goals
	case len(g.graph.goals) == 0:
		return "The conditions of the start."
	}
	return "The conditions of the start, and the goals: " + goals
}

// graphOutputs writes the type of a run's outputs.
func (g *generator) graphOutputs(f *jen.File) {
	f.Line()
	f.Comment(comment("Outputs are the outputs of a run: how it ended, the last label of each node, and the state."))
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
	f.Comment(comment("The labels of each node are what the workflow file lists as its outputs."))
	f.Type().DefsFunc(func(list *jen.Group) {
		for _, m := range g.graph.nodes {
			list.Id(m.label.name).String()
		}
	})
	f.Line()
	f.Const().DefsFunc(func(list *jen.Group) {
		for _, m := range g.graph.nodes {
			for _, value := range m.labels.Values {
				if name := m.label.consts[value]; name != "" {
					list.Id(name).Id(m.label.name).Op("=").Lit(value)
				}
			}
		}
	})
}

// runTypes writes the type of the nodes and that of a run.
func (g *generator) runTypes(f *jen.File) {
	g.top(f)
	f.Comment(comment("A node is the name of a node of the graph; nodeEnd is the end of the walk."))
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
		list.Id("step").Op("=").Qual(graphPath, "Step").Types(jen.Id("node"))
		list.Id("edge").Op("=").Qual(graphPath, "Edge").Types(jen.Id("node"))
		if len(g.graph.Interrupts) > 0 {
			list.Id("interrupt").Op("=").Qual(graphPath, "Interrupt").Types(jen.Id("node"))
		}
	})
	g.top(f)
	f.Comment(comment("A run is a walk through the graph, with the state and the labels."))
	f.Type().Id("run").Struct(
		jen.Op("*").Qual(graphPath, "Walk").Types(jen.Id("node"), jen.Id("State"), jen.Id("Labels")),
		jen.Id("in").Id("Inputs"),
	)
}

const walkDoc = "workflow walks through the graph: the output of each node decides which node is next."

// walkFunc writes the loop around the switch.
func (g *generator) walkFunc(f *jen.File) {
	d := fields{}
	d.set("Info", jen.Op("&").Id("info"))
	d.set("Nodes", jen.Id("nodes"))
	d.set("State", jen.Id("newState").Call(jen.Id("in")))
	if len(g.graph.goals) > 0 {
		d.set("Goals", jen.Index().Func().Params().Bool().ValuesFunc(func(list *jen.Group) {
			for _, name := range g.graph.goals {
				list.Id("r").Dot(name)
			}
		}))
	}
	cases := &block{}
	for _, m := range g.graph.nodes {
		if !m.branch {
			cases.add(g.visitCase(m))
		}
	}
	graph := jen.Qual(graphPath, "Graph").Types(jen.Id("node"), jen.Id("State"), jen.Id("Labels"))
	g.top(f)
	f.Comment(comment(walkDoc))
	f.Func().Id("workflow").Params(g.flowParams()...).Params(jen.Id("Outputs"), jen.Error()).Block(
		jen.Id("r").Op(":=").Op("&").Id("run").Values(jen.Id("in").Op(":").Id("in")),
		jen.Id("r").Dot("Walk").Op("=").Qual(graphPath, "New").Call(jen.Id("c"), graph.Add(d.lines())),
		jen.For(jen.Id("at").Op(":=").Id("r").Dot("Start").CallFunc(func(args *jen.Group) {
			for _, e := range g.edges(g.graph.Start, g.graph.starts) {
				args.Id("edge").Add(e)
			}
		}), jen.Id("at").Op("!=").Id("nodeEnd"), jen.Empty()).Block(jen.Switch(jen.Id("at")).Block(cases.code...)),
		jen.Return(jen.Id("r").Dot("Finish").Call()),
	)
}

// visitCase is the case of a node in the switch.
func (g *generator) visitCase(m *graphNode) *jen.Statement {
	d := fields{}
	d.set("Step", jen.Id("step").Add(g.step(m, jen.Id("at"))))
	g.visitFields(&d, m)
	code := &block{}
	g.mark(code, m.IDSpan, jen.Id("at").Op("=").Id("r").Dot("Visit").Call(jen.Id("visit").Add(lines(g.open(m.IDSpan), d.code))))
	return jen.Case(jen.Id(m.constant)).Block(code.code...)
}

// step is the literal of a node's step.
func (g *generator) step(m *graphNode, node *jen.Statement) *jen.Statement {
	d := fields{}
	d.set("Node", node)
	if m.Timeout > 0 {
		d.set("Timeout", duration(m.Timeout))
	}
	if label := timeoutOf(m.Node); label != "" {
		d.set("OnTimeout", jen.Lit(label))
	}
	if m.Retry != nil {
		d.set("Retry", retry(m.Retry))
	}
	run := jen.Id("r").Dot(m.run)
	if _, decides := m.Action.(*ir.Decision); decides {
		run = jen.Id("r").Dot("Decide").Call(run)
	} else if m.run == "" {
		run = jen.Qual(graphPath, "Pass").Call(jen.Lit(passLabel(m.Node)))
	}
	d.set("Run", run)
	done := jen.Id("r").Dot(m.done)
	if m.done == "" {
		done = jen.Qual(graphPath, "Keep").Call(jen.Op("&").Id("r").Dot("Labels").Dot(m.exported))
	}
	d.set("Done", done)
	return lines("{", d.code)
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
		d.set("Branches", jen.Index().Id("step").Add(rows("{", branches)))
		if label := failureLabel(m.Node); label != "" {
			d.set("OnFailure", jen.Lit(label))
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
			d.set(side.name, jen.Index().Id("interrupt").Add(rows("{", items)))
		}
	}
	if edges := g.edges(m.Out, m.guards); len(edges) > 0 {
		d.set("Edges", jen.Index().Id("edge").Add(lines("{", edges)))
	}
}

// edges are the literals of edges. Edges after one without a condition are never tried.
func (g *generator) edges(list []*ir.Edge, guards []string) (code []jen.Code) {
	for i, e := range list {
		d := fields{}
		d.set("To", g.target(e.To))
		if guards[i] != "" {
			d.set("If", jen.Id("r").Dot(guards[i]))
		}
		code = append(code, d.line())
		if guards[i] == "" {
			break
		}
	}
	return code
}

// target is the constant of a node, or of the end.
func (g *generator) target(n *ir.Node) *jen.Statement {
	if n == nil {
		return jen.Id("nodeEnd")
	}
	return jen.Id(g.graph.byID[n.ID].constant)
}

// interrupt is the literal of an interrupt.
func (g *generator) interrupt(i interruptCode) *jen.Statement {
	d := fields{}
	if i.when != "" {
		d.set("When", jen.Id("r").Dot(i.when))
	}
	if text, constant := i.Message.Constant(); constant {
		d.set("Message", g.quote(text))
	} else {
		d.set("Compose", jen.Id("r").Dot(i.compose))
	}
	if i.Required {
		d.set("Required", jen.True())
	}
	if i.Skip != nil {
		d.set("Skips", jen.True())
		d.set("SkipTo", g.target(i.Skip.To))
	}
	return lines("{", d.code)
}

func (g *generator) version() string {
	if v := g.graph.Version; v != "" {
		return v
	}
	return "1.0"
}

// limits is the code of the graph's limits, or nil when it has none.
func (g *generator) limits() *jen.Statement {
	l := g.graph.Limits
	d := fields{}
	if l.Iterations > 0 {
		d.set("Iterations", jen.Lit(l.Iterations))
	}
	if l.Time > 0 {
		d.set("Time", duration(l.Time))
	}
	if l.CostUSD > 0 {
		d.set("CostUSD", number(l.CostUSD))
	}
	if l.Parallel > 0 {
		d.set("Parallel", jen.Lit(l.Parallel))
	}
	if len(d.code) == 0 {
		return nil
	}
	return jen.Qual(flowPath, "Limits").Add(d.line())
}
