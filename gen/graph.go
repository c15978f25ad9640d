package gen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A state graph becomes a loop around one switch over its nodes:
//
//	at := g.walk.Start(g.first)
//	for {
//		switch at {
//		case nodeReview:
//			at = g.walk.Visit(g.visitReview())
//		…
//		}
//	}
//
// All that a run knows is in a struct: the typed State, the last label of each
// node, the walk. A node is a method that says of what a visit is made, which are
// methods too: what it does, its handlers (reviewDone), the choice of the edge
// (afterReview), and a predicate for each guard (reviewToImplement). The kernel
// calls them in the order that its semantics want.

// A graphCode is what is known of the graph that is being written.
type graphCode struct {
	*ir.Graph
	nodes []*graphNode
	byID  map[string]*graphNode
	// fields are the Go names of the variables, by their names.
	fields map[string]string
	goals  []string // the methods that decide the goals
}

// A graphNode is what is known of one of its nodes.
type graphNode struct {
	*node
	// constant is the node's own, label the type of its labels; visit, run, done
	// and after are its methods.
	constant, visit, done, after string
	label                        *enumType
	labels                       *types.Enum
	// branch says that a parallel runs it.
	branch bool
	// guards are the methods that decide its edges, "" for those without a guard.
	guards []string
	// before and later are the methods of the interrupts before and after it.
	before, later []interruptCode
}

// An interruptCode is an interrupt with the method that describes it, and those
// that decide and say what is asked.
type interruptCode struct {
	*ir.Interrupt
	name, when, message string
}

// graphReserved are the identifiers that the code of graphs uses for its own ends.
var graphReserved = []string{"graph", "node", "g", "e", "at", "s", "prompt", "json", "outcome", "graphfiles", "nodeEnd", "State", "Labels", "newState", "first", "walk", "state", "labels", "outputs", "sourceText"}

// declareGraph finds names, types and places for the nodes of a graph.
func (g *generator) declareGraph(body *ir.Graph) {
	for _, name := range graphReserved {
		g.names.taken[name] = true
	}
	g.graph = &graphCode{Graph: body, byID: map[string]*graphNode{}, fields: map[string]string{}}
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
		m.label = g.types.enum(m.labels, m.exported+"Label", "one of the outputs of node `"+cleanLine(m.ID)+"`")
		for _, e := range m.Out {
			m.guards = append(m.guards, g.guardName(m.exported, e))
		}
	}
	for i := range body.Goals {
		g.graph.goals = append(g.graph.goals, g.names.take(fmt.Sprintf("goal%d", i+1)))
	}
	for _, i := range body.Interrupts {
		g.declareInterrupt(i)
	}
	g.declareState()
}

// nameGraphNode finds the identifiers of a node. Two ids that lead to one stem are
// told apart by a number.
func (g *generator) nameGraphNode(m *graphNode) {
	stem := exported(m.ID, "Node")
	for i, try := 2, stem; ; i++ {
		m.exported, m.constant, m.visit, m.run = try, "node"+try, "visit"+try, "run"+try
		m.done, m.after = unexported(try)+"Done", "after"+try
		if g.names.takeAll(m.exported, m.constant, m.visit, m.run, m.done, m.after) {
			return
		}
		try = stem + itoa(i)
	}
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
	return g.names.take(unexported(from) + "To" + to)
}

func (g *generator) declareInterrupt(i *ir.Interrupt) {
	m := g.graph.byID[i.Node.ID]
	when, list := "Before", &m.before
	if i.After {
		when, list = "After", &m.later
	}
	c := interruptCode{Interrupt: i, name: g.names.take("ask" + when + m.exported)}
	if i.When != nil {
		c.when = g.names.take(c.name + "If")
	}
	if _, constant := i.Message.Constant(); !constant {
		c.message = g.names.take(c.name + "Text")
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

// failureLabel is the label with which a script fails or a parallel goes on after
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

// timeoutOf is the label with which a node ends that took too long, or "".
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
			g.labelsType(f)
			g.types.declare(f)
		},
		g.definition,
		func(f *jen.File) {
			g.runFunc(f)
			g.nodeConstants(f)
			g.graphType(f)
			g.walkFunc(f)
			g.envFuncs(f)
			g.initialState(f)
			g.startFuncs(f)
			g.goalFuncs(f)
		},
	}
	for nodes := range slices.Chunk(g.graph.nodes, sectionSize) {
		sections = append(sections, func(f *jen.File) {
			for _, n := range nodes {
				g.graphNodeFuncs(f, n)
			}
		})
	}
	return append(sections, g.sourceText)
}

// graphOutputs writes the struct of what a run leaves.
func (g *generator) graphOutputs(f *jen.File) {
	f.Line()
	f.Comment(comment("Outputs are what a run leaves."))
	f.Type().Id("Outputs").Struct(
		jen.Comment("// Success says that the run has ended as it should: one of its completion conditions holds."),
		jen.Id("Success").Bool().Op(tag("success", false)),
		jen.Comment("// Node is the node that ended last, Label and Text say how."),
		jen.Id("Node").String().Op(tag("node", false)),
		jen.Id("Label").String().Op(tag("label", false)),
		jen.Id("Text").String().Op(tag("text", false)),
		jen.Comment("// Iterations is the number of nodes that have ended."),
		jen.Id("Iterations").Int64().Op(tag("iterations", false)),
		jen.Comment("// Labels are the labels that the nodes last ended with, State the variables."),
		jen.Id("Labels").Id("Labels").Op(tag("labels", false)),
		jen.Id("State").Id("State").Op(tag("state", false)),
	)
	f.Line()
	f.Comment(comment("Summary is what to show to a person: what the last node gave."))
	f.Func().Params(jen.Id("o").Id("Outputs")).Id("Summary").Params().String().Add(oneLine(jen.Return(jen.Id("o").Dot("Text"))))
}

// labelsType writes the struct of the nodes' last labels.
func (g *generator) labelsType(f *jen.File) {
	f.Line()
	f.Comment(comment("Labels are the outputs that the nodes last ended with; that of a node that has not ended is empty."))
	f.Type().Id("Labels").StructFunc(func(s *jen.Group) {
		for _, m := range g.graph.nodes {
			s.Id(m.exported).Id(m.label.name).Op(tag(m.ID, true))
		}
	})
}

// nodeConstants writes the type of the nodes.
func (g *generator) nodeConstants(f *jen.File) {
	g.top(f)
	f.Comment(comment("A node is a node of the graph."))
	f.Type().Id("node").String()
	f.Line()
	f.Comment(comment("The nodes, and the end."))
	f.Const().DefsFunc(func(c *jen.Group) {
		for _, m := range g.graph.nodes {
			c.Id(m.constant).Id("node").Op("=").Lit(m.ID)
		}
		c.Id("nodeEnd").Id("node").Op("=").Lit("")
	})
}

// graphType writes the struct of a run's way through the graph.
func (g *generator) graphType(f *jen.File) {
	g.top(f)
	f.Comment(comment("A graph is what a run knows on its way through the graph."))
	f.Type().Id("graph").Struct(
		jen.Id("walk").Op("*").Qual(flowPath, "Walk").Types(jen.Id("node")),
		jen.Id("in").Id("Inputs"),
		jen.Id("state").Id("State"),
		jen.Id("labels").Id("Labels"),
	)
}

const walkDoc = "workflow is the flow: one node at a time, and what it ended with decides which is next."

// walkFunc writes the loop around the switch.
func (g *generator) walkFunc(f *jen.File) {
	d := fields{}
	d.set("Version", jen.Lit(g.version()))
	d.set("Nodes", jen.Index().Id("node").ValuesFunc(func(list *jen.Group) {
		for _, m := range g.graph.nodes {
			if !m.branch {
				list.Id(m.constant)
			}
		}
	}))
	if limits := g.limits(); limits != nil {
		d.set("Limits", limits)
	}
	d.set("State", jen.Op("&").Id("g").Dot("state"))
	d.set("Labels", jen.Op("&").Id("g").Dot("labels"))
	if len(g.graph.goals) > 0 {
		d.set("Goals", jen.Index().Func().Params().Bool().ValuesFunc(func(list *jen.Group) {
			for _, name := range g.graph.goals {
				list.Id("g").Dot(name)
			}
		}))
	}
	cases := &block{}
	for _, m := range g.graph.nodes {
		if m.branch {
			continue
		}
		visit := jen.Id("at").Op("=").Id("g").Dot("walk").Dot("Visit").Call(jen.Id("g").Dot(m.visit).Call())
		code := &block{}
		g.add(code, m.IDSpan, visit)
		cases.add(jen.Case(jen.Id(m.constant)).Block(code.code...))
	}
	last := jen.Id("g").Dot("walk").Dot("Last").Call()
	out := fields{}
	walk := jen.Id("g").Dot("walk")
	out.set("Success", walk.Clone().Dot("Success").Call())
	out.set("Node", walk.Clone().Dot("Current").Call())
	out.set("Label", jen.Id("last").Dot("Label"))
	out.set("Text", jen.Id("last").Dot("Text"))
	out.set("Iterations", walk.Clone().Dot("Iteration").Call())
	out.set("Labels", jen.Id("g").Dot("labels"))
	out.set("State", jen.Id("g").Dot("state"))
	cases.add(jen.Default().Block(
		jen.Id("last").Op(":=").Add(last),
		jen.Return(jen.Id("Outputs").Add(out.lines()), walk.Clone().Dot("Verdict").Call()),
	))
	g.top(f)
	f.Comment(comment(walkDoc))
	f.Func().Id("workflow").Params(g.flowParams()...).Params(jen.Id("Outputs"), jen.Error()).Block(
		jen.Id("g").Op(":=").Op("&").Id("graph").Values(jen.Id("in").Op(":").Id("in"), jen.Id("state").Op(":").Id("newState").Call(jen.Id("in"))),
		jen.Id("g").Dot("walk").Op("=").Qual(flowPath, "NewWalk").Call(jen.Id("c"), jen.Qual(flowPath, "Graph").Types(jen.Id("node")).Add(d.lines())),
		jen.Id("at").Op(":=").Id("g").Dot("walk").Dot("Start").Call(jen.Id("g").Dot("first")),
		jen.For().Block(jen.Switch(jen.Id("at")).Block(cases.code...)),
	)
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
