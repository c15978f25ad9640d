package gen

import (
	"fmt"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// chunkSize is the number of nodes from which on the flow is cut into several
// functions: the Go compiler's time grows faster than a function's length. (At
// 3,000 nodes one function took it twice as long as many.)
const chunkSize = 100

// flowFuncs writes the flow: one Spawn a node.
func (g *generator) flowFuncs(f *jen.File) {
	if g.sequence {
		g.sequenceFlow(f)
		return
	}
	for _, n := range g.nodes {
		g.prepare(n)
	}
	nodes := g.ordered()
	if len(nodes) <= chunkSize {
		g.wholeFlow(f, nodes)
	} else {
		g.cutFlow(f, nodes, flowDoc)
	}
}

const flowDoc = "workflow runs each node when the nodes before it are settled, if its rule and condition allow it."

// wholeFlow writes the flow as one function whose variables are the tasks.
func (g *generator) wholeFlow(f *jen.File, nodes []*node) {
	variable := func(n *node) *jen.Statement { return jen.Id(n.task) }
	body := &block{}
	g.halt(body)
	for _, n := range nodes {
		g.mark(body, n.IDSpan, jen.Id(n.task).Op(":=").Add(g.spawn(n, variable)))
		g.deliver(body, n, variable)
	}
	g.finish(body, variable)
	g.top(f)
	f.Comment(comment(flowDoc))
	f.Func().Id("workflow").Params(g.flowParams()...).Params(jen.Id("Outputs"), jen.Error()).Block(body.code...)
}

// cutFlow writes a long flow as several functions over a struct of the tasks.
func (g *generator) cutFlow(f *jen.File, nodes []*node, doc string) {
	field := func(n *node) *jen.Statement { return jen.Id("t").Dot(n.task) }
	g.top(f)
	f.Comment(comment("tasks are the flow's nodes."))
	f.Type().Id("tasks").StructFunc(func(s *jen.Group) {
		for _, n := range nodes {
			s.Id(n.task).Op("*").Qual(flowPath, "Task").Types(n.value)
		}
	})
	var parts []string
	body := &block{}
	g.halt(body)
	body.add(jen.Id("t").Op(":=").Op("&").Id("tasks").Values())
	for len(nodes) > 0 {
		chunk := nodes[:min(chunkSize, len(nodes))]
		nodes = nodes[len(chunk):]
		name := g.names.take(fmt.Sprintf("part%d", len(parts)+1))
		parts = append(parts, name)
		body.add(jen.Id("t").Dot(name).Call(jen.Id("c"), jen.Id("in")))
		part := &block{}
		for _, n := range chunk {
			g.mark(part, n.IDSpan, field(n).Op("=").Add(g.spawn(n, field)))
			g.deliver(part, n, field)
		}
		defer func() {
			g.top(f)
			f.Comment(comment(name + " is a part of the flow."))
			f.Func().Params(jen.Id("t").Op("*").Id("tasks")).Id(name).Params(g.flowParams()...).Block(part.code...)
		}()
	}
	g.finish(body, field)
	g.top(f)
	f.Comment(comment(doc))
	f.Func().Id("workflow").Params(g.flowParams()...).Params(jen.Id("Outputs"), jen.Error()).Block(body.code...)
}

func (g *generator) flowParams() []jen.Code {
	return []jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType), jen.Id("in").Id("Inputs")}
}

// finish writes the end of the flow: wait, and collect the outputs.
func (g *generator) finish(body *block, task func(*node) *jen.Statement) {
	out := fields{}
	for _, n := range g.nodes {
		if !n.terminal {
			continue
		}
		read := task(n).Dot("Final").Call()
		switch {
		case n.json:
			read = read.Dot("JSON").Call()
		case n.object:
			read = read.Dot("Value")
		case n.typed:
			read = task(n).Dot("Optional").Call()
		default:
			read = read.Dot("Text")
		}
		out.set(n.exported, read)
	}
	g.add(body, source.Span{}, jen.Err().Op(":=").Qual(flowPath, "Settle").Call(jen.Id("c")))
	if g.program.Workflow.Delivers {
		body.add(jen.If(jen.Err().Op("==").Nil()).Block(g.deliverResult(task)))
	}
	body.add(jen.Return(jen.Id("Outputs").Add(out.lines()), jen.Err()))
}

// spawn is the call that begins a node.
func (g *generator) spawn(n *node, task func(*node) *jen.Statement) *jen.Statement {
	d := fields{}
	d.set("Key", jen.Lit(n.ID))
	d.set("Kind", jen.Lit(n.Action.Kind()))
	var after, order []jen.Code
	for _, need := range n.Needs {
		t := task(g.byID[need.Node.ID])
		if need.Order {
			order = append(order, t)
		} else {
			after = append(after, t)
		}
	}
	if len(after) > 0 {
		d.set("After", jen.Qual(flowPath, "After").Call(after...))
	}
	if len(order) > 0 {
		d.set("Order", jen.Qual(flowPath, "After").Call(order...))
	}
	if n.Trigger != ir.AllSuccess {
		d.set("Rule", jen.Qual(flowPath, ruleNames[n.Trigger]))
	}
	// Each action of a node takes these two over, but a loop has them as a
	// whole, and an approval's timeout is for its question.
	_, loop := n.Action.(*ir.Loop)
	_, approval := n.Action.(*ir.Approval)
	if n.Timeout > 0 && !loop && !approval {
		d.set("Timeout", duration(n.Timeout))
	}
	if n.Retry != nil && !loop {
		d.set("Retry", retry(n.Retry))
	}
	if n.AlwaysRun {
		d.set("AlwaysRun", jen.True())
	}
	if n.typed {
		d.set("Decode", jen.Qual(valuePath, "Decode").Types(n.value))
	}
	if n.When != nil {
		d.alone("When", closure(n.when, nil, nil, n.whenUses.args(task), jen.Bool(), jen.Error()))
	}
	if n.Given != nil {
		d.alone("Given", jen.Func().Params().Params(jen.String(), jen.Bool(), jen.Error()).Add(oneLine(jen.Return(g.given(n)))))
	}
	context := []jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType)}
	d.alone("Run", closure(n.run, context, []jen.Code{jen.Id("c")}, n.runUses.args(task), jen.String(), jen.Error()))
	begin := "Spawn"
	if g.sequence {
		begin = "Perform"
	}
	return jen.Qual(flowPath, begin).Call(jen.Id("c"), jen.Qual(flowPath, "Node").Types(n.value).Add(lines(g.open(n.IDSpan), d.code)))
}

var ruleNames = [...]string{
	ir.AllSuccess:              "AllSuccess",
	ir.OneSuccess:              "OneSuccess",
	ir.NoneFailedMinOneSuccess: "NoneFailedMinOneSuccess",
	ir.AllDone:                 "AllDone",
}

// closure is a function value that calls a function with what it needs of the flow;
// params are those that the kernel fills, and own the arguments that they are.
func closure(name string, params, own, more []jen.Code, results ...jen.Code) *jen.Statement {
	if len(more) == 0 {
		return jen.Id(name)
	}
	call := jen.Id(name).Add(group("(", fillMark, append(own, more...)))
	return jen.Func().Params(params...).Params(results...).Add(oneLine(jen.Return(call)))
}

// duration is a time span in the largest unit that divides it.
func duration(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%unit.size != 0 {
			continue
		}
		if d == unit.size {
			return jen.Qual(timePath, unit.name)
		}
		return jen.Lit(int(d/unit.size)).Op("*").Qual(timePath, unit.name)
	}
	return jen.Lit(int(d))
}

func retry(r *ir.Retry) *jen.Statement {
	d := fields{}
	d.set("Max", jen.Lit(r.Max))
	if r.Delay > 0 {
		d.set("Delay", duration(r.Delay))
	}
	if r.All {
		d.set("All", jen.True())
	}
	return jen.Qual(flowPath, "Retry").Add(d.line())
}

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
	return n.outputSpec().Dot(method).Call(in.read())
}

// outputSpec is the code of the spec of a node's output.
func (n *node) outputSpec() *jen.Statement {
	if spec := n.ownSpec(); spec != "" {
		return jen.Id(spec)
	}
	return jen.Qual(outputPath, "Any")
}
