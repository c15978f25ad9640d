package gen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

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
		m.labels = &types.Enum{Values: m.Node.LabelNames()}
		if len(m.labels.Values) > 1 {
			m.label = g.types.newEnum(m.labels, m.exported+"Label")
		}
	}
	for _, m := range g.graph.nodes {
		for _, e := range triedEdges(m.Out) {
			if label := g.labelTest(e.Guard, m); label == "" {
				g.nameTest(e.Guard, unexportedName(m.exported)+"To"+g.targetName(e.To))
			}
		}
		if d, ok := m.Action.(*ir.Decision); ok {
			g.nameTest(d.Cond, "decide"+m.exported)
		}
	}
	for _, e := range triedEdges(body.Start) {
		g.nameTest(e.Guard, "startTo"+g.targetName(e.To))
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

// nameGraphNode finds the identifiers of a node. Numbers distinguish ids with the same stem.
func (g *declarer) nameGraphNode(m *graphNode) {
	stem := exportedName(m.ID, "Node")
	for i, try := 2, stem; ; i++ {
		m.exported, m.constant = try, "node"+try
		if g.names.takeAll(m.exported, m.constant) {
			break
		}
		try = stem + itoa(i)
	}
	if hasWork(m.Action) {
		m.run = g.graph.methods.takeName("run" + m.exported)
	}
	if len(m.Handlers) > 0 {
		m.done = g.graph.methods.takeName("end" + m.exported)
	}
}

// nameTest names the method that decides a condition.
func (g *declarer) nameTest(cond expr.Expr, name string) {
	if cond != nil {
		g.graph.tests[cond] = g.graph.methods.takeName(name)
	}
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
		c.compose = g.graph.methods.takeName("compose" + when + m.exported)
	}
	*list = append(*list, c)
}

// declareState finds names for the variables.
func (g *declarer) declareState() {
	fieldNames := &names{taken: map[string]bool{}}
	for _, v := range g.graph.State.Fields {
		g.graph.fields[v.Name] = fieldNames.takeName(exportedName(v.Name, "Var"))
	}
	assigned := map[*ir.StateField]bool{}
	for _, n := range g.graph.nodes {
		for _, h := range n.Handlers {
			for _, a := range h.Assigns {
				assigned[a.Field] = true
			}
		}
	}
	for _, v := range g.graph.State.Fields {
		if in, ok := v.Initial.(*expr.Input); ok {
			if _, same := g.newFunction(nil).asOperandWriter().stateInput(in, v.Type); assigned[v] || !same {
				g.graph.own[in.Name] = true
			}
		}
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

// targetName is the stem of the names of a node, or of the end.
func (g *goPackage) targetName(n *ir.Node) string {
	if n == nil {
		return "End"
	}
	return g.graph.byID[n.ID].exported
}
