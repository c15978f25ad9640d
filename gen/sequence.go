package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A sequence is written as it runs: one step after the other.
//
//	setup := flow.Perform(c, flow.Node[*SetupOutput]{…})
//	items := flow.Perform(c, flow.Node[[]ItemsItem]{…})
//	return Outputs{…}, flow.Settle(c)
//
// A step's own function is runSetup. What it repeats or runs side by side are
// functions of their own, which it hands to the kernel: iterateItems is one
// iteration, runFetchUsers child `users` of step `fetch`, untilRetry the test of a
// loop, makePlan what a person reviews. Each gets what it needs of the flow as
// parameters: inputs, tasks, the variables of the loops around it.

// declareSequence finds names, types and places for the steps of a sequence and
// for the nodes inside them.
func (g *generator) declareSequence(body *ir.Sequence) {
	for _, name := range sequenceReserved {
		g.names.taken[name] = true
	}
	for i, n := range body.Nodes {
		m := g.declareStep(n, n.ID, fmt.Sprintf("step `%s`", n.ID))
		m.terminal = i == len(body.Nodes)-1
		if i > 0 {
			m.before = g.nodes[i-1]
		}
		g.nodes = append(g.nodes, m)
		g.byID[n.ID] = m
	}
	for _, m := range g.nodes {
		m.types = g.declared(func() { g.stepTypes(m) })
	}
}

// sequenceReserved are the identifiers that the code of sequences uses for its own
// ends.
var sequenceReserved = []string{inputTableID, nodeTableID, "output", "py", "attempt", "previous", "text", "json"}

// declareStep finds names for a node and for those inside it. path is what its
// names are made of, and doc what it is called in comments.
func (g *generator) declareStep(n *ir.Node, path, doc string) *node {
	m := &node{Node: n, nodeNames: g.names.node(path, n.Action), doc: doc}
	if n.Review != nil {
		m.makes = g.names.take("make" + m.exported)
	}
	if n.Parsing != ir.Plain {
		m.spec = g.names.take(unexported(m.exported) + "Spec")
	}
	switch a := n.Action.(type) {
	case *ir.ForEach:
		m.inner = []*node{g.declareBody(m, a.Body, doc)}
	case *ir.Again:
		test := "while"
		if a.Until {
			test = "until"
		}
		m.until = g.names.take(test + m.exported)
		m.inner = []*node{g.declareBody(m, a.Body, doc)}
	case *ir.Fork:
		for _, child := range a.Nodes {
			m.inner = append(m.inner, g.declareStep(child, path+" "+child.ID, fmt.Sprintf("`%s` in %s", child.ID, doc)))
		}
	}
	return m
}

// declareBody finds names for what a loop repeats.
func (g *generator) declareBody(of *node, n *ir.Node, doc string) *node {
	m := &node{Node: n, nodeNames: of.nodeNames, doc: doc, part: "one iteration of "}
	m.run = g.names.take("iterate" + of.exported)
	m.output = g.names.take(of.exported + "Part")
	if n.Parsing != ir.Plain {
		m.spec = g.names.take(unexported(of.exported) + "Spec")
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
func (g *generator) stepTypes(m *node) {
	for _, inner := range m.inner {
		g.stepTypes(inner)
	}
	g.valueType(m)
	g.findShape(m)
	m.json = !m.typed && !types.IsText(m.Output)
}

// sequenceFlow writes the flow of a sequence: one Perform a step.
func (g *generator) sequenceFlow(f *jen.File) {
	used := map[*node]bool{}
	for _, n := range g.nodes {
		g.prepare(n)
		for _, u := range []*uses{n.whenUses, n.runUses} {
			if u == nil {
				continue
			}
			for _, task := range u.nodes {
				used[task] = true
			}
		}
		used[n] = used[n] || n.terminal
	}
	if len(g.nodes) > chunkSize {
		g.cutFlow(f, g.nodes, sequenceDoc)
		return
	}
	variable := func(n *node) *jen.Statement { return jen.Id(n.task) }
	body := &block{}
	for _, n := range g.nodes {
		step := g.spawn(n, variable)
		if used[n] {
			step = jen.Id(n.task).Op(":=").Add(step)
		}
		g.mark(body, n.IDSpan, step)
	}
	g.finish(body, variable)
	g.top(f)
	f.Comment(comment(sequenceDoc))
	f.Func().Id("workflow").Params(g.flowParams()...).Params(jen.Id("Outputs"), jen.Error()).Block(body.code...)
}

const sequenceDoc = "workflow runs one step after the other, until one fails."

// given is the code of the value that a caller gave in place of a step's output.
func (g *generator) given(n *node) *jen.Statement {
	in, method := g.inputs[n.Given.Name], "Given"
	if n.Review != nil {
		method = "GivenAccepted" // nobody is asked about it
	}
	if spec := n.ownSpec(); spec != "" {
		return jen.Id(spec).Dot(method).Call(in.read())
	}
	return jen.Qual(outputPath, method).Call(in.read())
}
