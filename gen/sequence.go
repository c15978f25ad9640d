package gen

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A sequence is written as it runs: one step after the other.
//
//	setup := flow.RunNext(c, flow.Node[*SetupOutput]{…})
//	items := flow.RunNext(c, flow.Node[[]ItemsItem]{…})
//	return Outputs{…}, flow.Settle(c)
//
// A step's own function is runSetup. What it repeats or runs side by side are
// functions of their own, which it hands to the kernel: iterateItems is one
// iteration, runFetchUsers child `users` of step `fetch`, untilRetry the test of a
// loop, makePlan what a person reviews. Each gets what it needs of the flow as
// parameters: inputs, tasks, the variables of the loops around it.

// declareSequence finds names, types and places for the steps of a sequence and
// for the nodes inside them.
func (g *declarer) declareSequence(body *ir.Sequence) {
	for _, name := range sequenceReserved {
		g.names.taken[name] = true
	}
	// A step that cleans up isn't the result, unless all steps do.
	last := len(body.Nodes) - 1
	for last > 0 && body.Nodes[last].Finally {
		last--
	}
	for i, n := range body.Nodes {
		m := g.declareStep(n, n.ID, fmt.Sprintf("step `%s`", n.ID))
		m.index, m.terminal = i, i == last
		if i > 0 {
			m.before = g.nodes[i-1]
		}
		g.nodes = append(g.nodes, m)
		g.byID[n.ID] = m
	}
	for _, m := range g.nodes {
		m.types = g.declaredTypes(func() { g.stepTypes(m) })
	}
}

// declareStep finds names for a node and for those inside it. path is what its
// names are made of, and doc what it is called in comments.
func (g *declarer) declareStep(n *ir.Node, path, doc string) *node {
	m := g.noteSchema(&node{Node: n, nodeNames: g.names.nameNode(path, n.Action), doc: doc})
	if n.Review != nil {
		m.makes = g.names.takeName("make" + m.exported)
	}
	if n.Parsing != ir.Plain {
		m.spec = g.names.takeName(unexportedName(m.exported) + "Spec")
	}
	switch a := n.Action.(type) {
	case *ir.ForEach:
		body := g.declareBody(m, a.Body, doc)
		_, fork := a.Body.Action.(*ir.Fork)
		body.unread = fork && a.Join == ir.JoinLast
		m.inner = []*node{body}
	case *ir.Repeat:
		test := "while"
		if a.Until {
			test = "until"
		}
		m.until = g.names.takeName(test + m.exported)
		m.inner = []*node{g.declareBody(m, a.Body, doc)}
	case *ir.Fork:
		for _, child := range a.Nodes {
			m.inner = append(m.inner, g.declareStep(child, path+" "+child.ID, fmt.Sprintf("`%s` in %s", child.ID, doc)))
		}
	}
	return m
}

// declareBody finds names for what a loop repeats.
func (g *declarer) declareBody(of *node, n *ir.Node, doc string) *node {
	m := g.noteSchema(&node{Node: n, nodeNames: of.nodeNames, doc: doc, part: "one iteration of "})
	m.run = g.names.takeName("iterate" + of.exported)
	m.output = g.names.takeName(g.names.elementName(of.exported))
	if n.Parsing != ir.Plain {
		m.spec = g.names.takeName(unexportedName(of.exported) + "Spec")
	}
	if a, ok := n.Action.(*ir.Fork); ok {
		for _, child := range a.Nodes {
			m.inner = append(m.inner, g.declareStep(child, of.exported+" "+child.ID, fmt.Sprintf("`%s` in %s", child.ID, doc)))
		}
	}
	return m
}

// stepTypes finds the Go types of a node's output and of those inside it, which
// come first: what they yield is part of what the node does.
func (g *declarer) stepTypes(m *node) {
	for _, inner := range m.inner {
		g.stepTypes(inner)
	}
	if m.unread {
		return // its type would have no use
	}
	g.valueType(m)
	g.findShape(m)
	m.json = !m.typed && !types.IsText(m.Output)
}
