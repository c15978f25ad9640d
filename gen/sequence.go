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
		g.stepTypes(m)
	}
}

// sequenceReserved are the identifiers that the code of sequences uses for its own
// ends.
var sequenceReserved = []string{"output", "py", "attempt", "previous", "text", "json"}

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
	m := &node{Node: n, nodeNames: of.nodeNames, doc: doc}
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

const sequenceDoc = "workflow is the flow: one step after the other, until one fails."

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

// specs writes the variables that say how the outputs of a node, and of those
// inside it, are made of what their actions give.
func (g *generator) specs(f *jen.File, n *node) {
	for _, inner := range n.inner {
		g.specs(f, inner)
	}
	if n.spec == "" {
		return
	}
	g.top(f)
	f.Comment(comment(fmt.Sprintf("%s says what the output of %s holds.", n.spec, n.doc)))
	f.Var().Id(n.spec).Op("=").Qual(outputPath, "Spec").Add(g.specCode(n))
}

func (g *generator) specCode(n *node) *jen.Statement {
	d := fields{}
	d.set("Step", jen.Lit(n.ID))
	d.set("Kind", jen.Lit(specKind(n.Action)))
	s := n.Spec
	if s == nil {
		d.set("Any", jen.True())
		return d.line()
	}
	t := s.Type
	if l, ok := t.(*types.List); ok {
		d.set("List", jen.True())
		t = l.Elem
	}
	if s.Schema != "" {
		d.set("Schema", g.quote(s.Schema))
		d.set("Check", jen.Qual(structuredPath, "Check"))
	}
	if object, ok := t.(*types.Struct); ok {
		var list []jen.Code
		for _, field := range object.Fields {
			if field.Name == approvedField && n.Review != nil && !field.Span.IsValid() {
				continue // it is the review's, and not the step's own
			}
			list = append(list, specField(field, s.Defaults))
		}
		d.list("Fields", jen.Qual(outputPath, "Field"), list)
	}
	return d.lines()
}

// approvedField is the field that a review adds to an output.
const approvedField = "approved"

func specField(field *types.Field, defaults []ir.FieldDefault) *jen.Statement {
	d := fields{}
	d.set("Name", jen.Lit(field.Name))
	t := field.Type
	if o, ok := t.(*types.Optional); ok {
		d.set("Nullable", jen.True())
		t = o.Elem
	}
	if b, ok := t.(types.Basic); ok && b != types.Any {
		d.set("Type", jen.Lit(b.String()))
	}
	byDefault := false
	for _, value := range defaults {
		if value.Field == field.Name {
			byDefault = true
			d.set("Default", jen.Lit(value.JSON))
		}
	}
	if field.Required && !byDefault {
		d.set("Required", jen.True())
	}
	return d.line()
}

// specKind is what a step of an action is called in messages about its output.
func specKind(a ir.Action) string {
	switch a := a.(type) {
	case *ir.Bash:
		return "bash"
	case *ir.Script:
		return a.Runtime
	}
	return a.Kind()
}
