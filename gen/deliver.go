package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

// halt has a failure end the flow, where that is the workflow's rule.
func (g *generator) halt(to *block) {
	if dag, ok := g.program.Workflow.Body.(*ir.DAG); ok && dag.Halts {
		to.add(jen.Qual(flowPath, "HaltOnFailure").Call(jen.Id("c")))
	}
}

// deliver has a node's output delivered to the channels that the node names.
func (g *generator) deliver(to *block, n *node, task func(*node) *jen.Statement) {
	if len(n.DeliverTo) == 0 {
		return
	}
	args := append([]jen.Code{jen.Id("c"), task(n)}, literals(ir.TargetNames(n.DeliverTo))...)
	g.add(to, n.DeliverTo[0].Span, jen.Qual(flowPath, "Deliver").Call(args...))
}

// deliverResult has the workflow's result delivered.
func (g *generator) deliverResult(task func(*node) *jen.Statement) *jen.Statement {
	nodes := []jen.Code{jen.Id("c")}
	for _, n := range g.nodes {
		nodes = append(nodes, task(n))
	}
	args := []jen.Code{jen.Id("c"), jen.Qual(flowPath, "Summary").Call(nodes...)}
	if len(g.program.Workflow.DeliverTo) > 0 {
		args = append(args, jen.Id(deliverToID).Op("..."))
	}
	return jen.Qual(flowPath, "DeliverResult").Call(args...)
}

// deliversOutcome reports whether a workflow whose format knows no deliveries sends
// its result to channels, since the configuration names some.
func (g *generator) deliversOutcome() bool {
	w := g.program.Workflow
	return !w.Delivers && len(w.DeliverTo) > 0
}

// deliverOutcome runs the workflow and has its result delivered.
func (g *generator) deliverOutcome() *jen.Statement {
	var last []jen.Code
	for _, n := range g.nodes {
		if n.terminal {
			last = append(last, jen.Lit(n.ID))
		}
	}
	nodes := jen.Nil()
	if len(last) > 0 {
		nodes = jen.Index().String().Values(last...)
	}
	return jen.List(jen.Id("out"), jen.Err()).Op(":=").Id("workflow").Call(jen.Id("c"), jen.Id("in")).Line().
		Return(jen.Id("out"), jen.Qual(flowPath, "DeliverOutputs").Call(jen.Id("c"), jen.Id("out"), jen.Err(), jen.Id(deliverToID), nodes))
}

// delivers reports whether a workflow sends anything to channels.
func (g *generator) delivers() bool {
	if g.program.Workflow.Delivers || g.deliversOutcome() {
		return true
	}
	for _, n := range g.nodes {
		if len(n.DeliverTo) > 0 {
			return true
		}
	}
	return false
}

const deliverPath = modulePath + "/runtime/deliver"
