package gen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// flowFuncs writes the flow: one Spawn a node, or one Perform a step.
func (g flowWriter) flowFuncs(f *jen.File) {
	for _, n := range g.nodes {
		nodeWriter(g).prepareNode(n)
	}
	if nodes := g.orderedOf(g.nodes); len(nodes) <= chunkSize {
		g.wholeFlow(f, nodes)
	} else {
		g.cutFlow(f, nodes)
	}
	nodeWriter(g).writeSpecs(f)
}

// flowDoc describes the function of the flow.
func (g flowWriter) flowDoc() string {
	switch {
	case g.sequence && g.nodes[len(g.nodes)-1].Finally:
		return "workflow runs one step after the other, until one fails, and then the steps that clean up."
	case g.sequence:
		return "workflow runs one step after the other, until one fails."
	}
	return "workflow runs each node when those before it are settled, if its rule and its condition allow it."
}

// wholeFlow writes the flow as one function whose variables are the tasks.
func (g flowWriter) wholeFlow(f *jen.File, nodes []*node) {
	variable := func(n *node) *jen.Statement { return jen.Id(n.task) }
	body := &block{}
	g.writeHalt(body)
	used := usedTasks(nodes)
	for _, n := range nodes {
		task := jen.Id(n.task).Op(":=")
		if !used[n] {
			task = &jen.Statement{}
		}
		g.addMarked(body, n.IDSpan, task.Add(spawner(g).spawnCall(n, variable)))
		g.writeDelivery(body, n, variable)
	}
	g.workflowFunc(f, body, variable)
}

// writeHalt has a failure end the flow, where that is the workflow's rule.
func (g flowWriter) writeHalt(to *block) {
	if dag, ok := g.program.Workflow.Body.(*ir.DAG); ok && dag.Halts {
		to.addCode(jen.Id("c").Dot("HaltOnFailure").Call())
	}
}

// workflowFunc writes the function of the flow.
func (g flowWriter) workflowFunc(f *jen.File, body *block, task func(*node) *jen.Statement) {
	g.writeEnd(body, task)
	g.defaultConsts(f)
	g.writeDoc(f, g.flowDoc())
	params := flowParams()
	if !g.flowReadsInputs() {
		params[1] = jen.Id("_").Id("Inputs")
	}
	f.Func().Id("workflow").Params(params...).Params(jen.Id("Outputs"), jen.Error()).Block(body.code...)
}

// cutFlow writes a long flow as several functions over a struct of the tasks.
func (g flowWriter) cutFlow(f *jen.File, nodes []*node) {
	field := func(n *node) *jen.Statement { return jen.Id("t").Dot(n.task) }
	g.writeDoc(f, "tasks are the flow's nodes.")
	f.Type().Id("tasks").StructFunc(func(s *jen.Group) {
		for _, n := range nodes {
			s.Id(n.task).Op("*").Qual(flowPath, "Task").Types(n.value)
		}
	})
	var parts []string
	body := &block{}
	g.writeHalt(body)
	body.addCode(jen.Id("t").Op(":=").Op("&").Id("tasks").Values())
	for len(nodes) > 0 {
		chunk := nodes[:min(chunkSize, len(nodes))]
		nodes = nodes[len(chunk):]
		name := g.names.takeName(fmt.Sprintf("part%d", len(parts)+1))
		parts = append(parts, name)
		body.addCode(jen.Id("t").Dot(name).Call(jen.Id("c"), jen.Id("in")))
		part := &block{}
		for _, n := range chunk {
			g.addMarked(part, n.IDSpan, field(n).Op("=").Add(spawner(g).spawnCall(n, field)))
			g.writeDelivery(part, n, field)
		}
		defer func() {
			g.writeDoc(f, name+" is a part of the flow.")
			f.Func().Params(jen.Id("t").Op("*").Id("tasks")).Id(name).Params(flowParams()...).Block(part.code...)
		}()
	}
	g.workflowFunc(f, body, field)
}

// flowReadsInputs reports whether the function of the flow needs the inputs.
func (g flowWriter) flowReadsInputs() bool {
	return len(g.nodes) > chunkSize || anyUse(g.nodes, func(u *uses) bool { return u.inputs }) ||
		slices.ContainsFunc(g.nodes, func(n *node) bool { return n.Given != nil })
}

// writeEnd writes the end of the flow: wait, and collect the outputs.
func (g flowWriter) writeEnd(body *block, task func(*node) *jen.Statement) {
	out := fields{}
	for _, n := range g.nodes {
		if !n.terminal {
			continue
		}
		_, read, _ := n.outputField()
		out.setField(n.exported, task(n).Add(read))
	}
	end := jen.Err
	if hasVerdict(g.program) {
		end = func() *jen.Statement { return jen.Id(endID) }
	}
	g.addMarked(body, source.Span{}, end().Op(":=").Qual(flowPath, "Settle").Call(jen.Id("c")))
	if g.program.Workflow.Delivers {
		body.addCode(jen.If(end().Op("==").Nil()).Block(g.deliverResult(task)))
	}
	g.writeVerdict(body, task)
	body.addCode(jen.Return(jen.Id("Outputs").Add(out.asLines()), end()))
}
