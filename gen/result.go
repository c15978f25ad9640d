package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// What a run results in: deliveries, the outcome, and the fields of the definition about it.

// writeDelivery has a node's output delivered to the channels that the node names.
func (g flowWriter) writeDelivery(to *block, n *node, task func(*node) *jen.Statement) {
	if len(n.DeliverTo) == 0 {
		return
	}
	args := append([]jen.Code{jen.Id("c"), task(n)}, stringLiterals(ir.TargetNames(n.DeliverTo))...)
	g.addMarked(to, n.DeliverTo[0].Span, jen.Qual(flowPath, "Deliver").Call(args...))
}

// deliverResult has the workflow's result delivered.
func (g flowWriter) deliverResult(task func(*node) *jen.Statement) *jen.Statement {
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

// deliverOutcome runs the workflow and has its result delivered.
func (g definitionWriter) deliverOutcome() *jen.Statement {
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
		Return(jen.Id("out"), jen.Id("c").Dot("DeliverOutputs").Call(jen.Id("out"), jen.Err(), jen.Id(deliverToID), nodes))
}

// resultFields are the fields of a definition about the workflow's result.
func (g definitionWriter) resultFields(d *fields) {
	w := g.program.Workflow
	if w.Returns != nil {
		d.setLit("Returns", w.Returns.ID)
	}
	if w.Outcome != nil {
		d.setLit("OutcomeField", w.Outcome.Field)
	}
	d.setLit("RequiresEvidence", w.Evidence)
	d.setLit("Deprecated", w.Deprecated)
}

// placeUses is what runs use of the place where they work, or nil if that is nothing.
func (g definitionWriter) placeUses() *jen.Statement {
	d := fields{}
	d.setLit("BaseBranch", g.readsVariable(expr.BaseBranch))
	d.setLit("SharedDir", g.readsVariable(expr.StateDir))
	d.setLit("ArtifactList", g.readsVariable(expr.ArtifactList))
	d.setLit("NoFiles", !g.usesFiles())
	if n := g.program.Workflow.SessionNode(); n != nil {
		d.setField("SessionAt", jen.Lit(n.ID))
	}
	if d.code == nil {
		return nil
	}
	return jen.Qual(flowPath, "Uses").Add(d.asRow())
}

// writeVerdict adds the evidence that the workflow requires, and the author's verdict, to the
// end of a flow.
func (g flowWriter) writeVerdict(body *block, task func(*node) *jen.Statement) {
	w := g.program.Workflow
	if w.Evidence {
		body.addCode(jen.Id(endID).Op("=").Qual(flowPath, "RequireEvidence").Call(jen.Id("c"), jen.Id(endID)))
	}
	if w.Outcome == nil {
		return
	}
	n := g.byID[w.Returns.ID]
	field := n.exported
	if s, ok := n.Output.(*types.Struct); ok && g.types.structs[s] != nil {
		if f := g.types.structs[s].fieldNamed(w.Outcome.Field); f != nil {
			field = f.name
		}
	}
	achieved := jen.Func().Params(jen.Id("out").Add(n.value)).Bool().Add(oneLine(jen.Return(jen.Id("out").Dot(field))))
	verdict := jen.Id(endID).Op("=").Qual(flowPath, "Outcome").Call(jen.Id(endID), task(n), achieved)
	body.addCode(g.withComment(verdict, "not nil even for a success"))
}
