package gen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// runtimeVersion is the constant of package flow that generated code needs; its
// documentation says when it changes.
const runtimeVersion = "RunWfcGenAgainUnlessVersion5"

// definition writes the Workflow variable.
func (g definitionWriter) definition(f *jen.File) {
	w := g.program.Workflow
	d := fields{}
	d.set("Name", jen.Lit(w.Name))
	if w.Description != "" {
		d.set("Description", g.quote(w.Description))
	}
	d.set("Source", jen.Lit(g.source))
	d.set("Fingerprint", jen.Lit(g.program.Fingerprint()))
	in := jen.Nil()
	if len(g.inputSeq) > 0 {
		in = jen.Id(inputTableID)
		d.set("Inputs", in)
	}
	d.texts("Constants", w.Constants)
	if g.graph == nil {
		d.set("Nodes", jen.Id(nodeTableID))
	} else {
		d.set("Nodes", jen.Id(graphTableID).Dot("NodeInfos").Call())
		d.set("Graph", jen.Id(graphTableID).Dot("Info").Call())
	}
	d.texts("Agents", g.agents())
	d.lit("UsesBaseBranch", g.reads(expr.BaseBranch))
	if g.graph == nil && w.Exclusive && !w.ExclusiveSpan.IsValid() {
		d.setNoted("ExclusiveCheckout", jen.True(), g.note(defaultNote))
		d.lit("PromptsOnly", w.PromptsOnly())
	} else {
		d.lit("ExclusiveCheckout", w.Exclusive)
	}
	g.resultFields(&d)
	if w.Worktree != nil {
		always := map[bool]string{true: "WorktreeAlways", false: "WorktreeNever"}
		d.set("Worktree", jen.Qual(flowPath, always[*w.Worktree]))
	}
	d.texts("Tags", w.Tags)
	d.list("Labels", jen.Qual(flowPath, "Option"), g.options(w.Options))
	if w.Schedule != nil {
		d.set("Schedule", jen.Lit(w.Schedule.Cron))
	}
	if w.Concurrency > 0 { // no file sets it
		d.setNoted("Concurrency", jen.Lit(w.Concurrency), g.note(defaultNote))
	}
	if targets := ir.TargetNames(w.DeliverTo); len(targets) > 0 {
		g.doc(f, deliverToID+" are the targets for the workflow's result.")
		f.Var().Id(deliverToID).Op("=").Index().String().Values(literals(targets)...)
		d.set("DeliverTo", jen.Id(deliverToID))
	}
	if callees := directCallees(w); len(callees) > 0 {
		var list []jen.Code
		for _, callee := range callees {
			list = append(list, jen.Op("&").Qual(g.family.importPath(callee), definitionID))
		}
		d.set("Children", jen.Index().Op("*").Qual(flowPath, "Definition").Values(list...))
	}
	run := jen.Id("workflow")
	if g.deliversOutcome() {
		run = jen.Func().Params(flowParams()...).Params(jen.Id("Outputs"), jen.Error()).Block(g.deliverOutcome())
	}
	d.set("Flow", jen.Qual(flowPath, "TypedFlow").Call(in, run))
	g.doc(f, "Workflow is the definition that an engine runs.")
	f.Var().Id(definitionID).Op("=").Qual(flowPath, "Definition").Add(d.lines())
}

// runtimeConstant writes the constant that ties the code to a version of the runtime.
func (g definitionWriter) runtimeConstant(f *jen.File) {
	g.doc(f, "This code needs the runtime that it was generated for. If the constant is undefined, run `wfc gen` again.")
	f.Const().Id("_").Op("=").Qual(flowPath, runtimeVersion)
}

// inputTable writes the descriptions of the inputs.
func (g definitionWriter) inputTable(f *jen.File) {
	if len(g.inputSeq) == 0 {
		return
	}
	doc := "inputs describes the inputs, for command lines and forms."
	if slices.ContainsFunc(g.inputSeq, func(in *input) bool { return in.Default != nil && !replacement(in) }) {
		doc = "inputs describes the inputs: TypedFlow sets their defaults, and command lines and forms show them."
	}
	g.doc(f, doc)
	f.Var().Id(inputTableID).Op("=").Index().Qual(flowPath, "InputInfo").Add(rows("{", g.inputInfos()))
}

// nodeTable writes the descriptions of the nodes.
func (g definitionWriter) nodeTable(f *jen.File) {
	g.doc(f, "nodes is what the commands status, graph and info show of the nodes that workflow runs.")
	f.Var().Id(nodeTableID).Op("=").Index().Qual(flowPath, "NodeInfo").Add(rows("{", g.nodeInfos()))
}

// runFunc writes the function with which Go programs run the workflow.
func (g definitionWriter) runFunc(f *jen.File) {
	g.doc(f, "Run runs the workflow until it completes. If it fails, is cancelled or pauses, the error is a *local.RunError.")
	f.Func().Id("Run").Params(
		jen.Id("ctx").Qual(contextPath, "Context"), jen.Id("e").Op("*").Qual(localPath, "Engine"),
		jen.Id("in").Id("Inputs"), jen.Id("opts").Op("...").Func().Params(jen.Op("*").Qual(localPath, "Options")),
	).Params(jen.Id("Outputs"), jen.Error()).Block(
		jen.Return(jen.Qual(localPath, "RunTyped").Types(jen.Id("Inputs"), jen.Id("Outputs")).Call(
			jen.Id("ctx"), jen.Id("e"), jen.Op("&").Id(definitionID), jen.Id("in"), jen.Id("opts").Op("..."))),
	)
}

func (g definitionWriter) inputInfos() []jen.Code {
	var list []jen.Code
	for _, in := range g.inputSeq {
		if replacement(in) {
			list = append(list, jen.Qual(flowPath, "Replacement").Call(jen.Lit(in.Name), jen.Lit(in.Position)))
			continue
		}
		d := fields{}
		d.set("Name", jen.Lit(in.Name))
		d.set("Type", jen.Lit(in.typeName()))
		d.lit("Position", in.Position)
		d.lit("Replaces", in.Replaces)
		d.lit("Doc", in.Doc)
		if in.Default != nil {
			d.set("Default", g.quote(defaultJSON(constantOf(in.Default))))
		}
		d.lit("Rest", in.Rest)
		list = append(list, d.line())
	}
	return list
}

func (g definitionWriter) nodeInfos() []jen.Code {
	var list []jen.Code
	for _, n := range g.nodes {
		list = append(list, g.info(n).line())
	}
	return list
}

// info is what a definition says of a node.
func (g definitionWriter) info(n *node) *fields {
	d := &fields{}
	d.set("Key", jen.Lit(n.Local()))
	if n.IDSpan.IsValid() {
		d.set("Line", jen.Lit(n.IDSpan.Position().Line))
		if n.IDSpan.File != g.program.File {
			d.lit("File", baseName(n.IDSpan.File.Name))
		}
	}
	if n.Within != nil {
		d.lit("Include", n.Within.Local())
	}
	d.set("Kind", jen.Lit(n.Action.Kind()))
	switch a := n.Action.(type) {
	case *ir.Include:
		d.lit("Workflow", a.Workflow)
	case *ir.Block:
		d.lit("Workflow", a.Workflow)
	case *ir.Call:
		d.lit("Workflow", a.Callee.Workflow.Name)
	}
	var after, order []string
	for _, need := range n.Needs {
		if need.Order {
			order = append(order, need.Node.Local())
		} else {
			after = append(after, need.Node.Local())
		}
	}
	if n.before != nil {
		after = []string{n.before.ID}
	}
	d.texts("After", after)
	d.texts("Order", order)
	if n.Trigger != ir.AllSuccess {
		d.set("Rule", jen.Lit(n.Trigger.String()))
	}
	if n.WhenText != "" {
		d.set("When", g.quote(n.WhenText))
	}
	d.lit("Agent", agentOf(n.Node))
	d.texts("DeliverTo", ir.TargetNames(n.DeliverTo))
	d.texts("WorkerTags", g.tags(n.Node))
	d.lit("ArtifactType", n.Artifact)
	d.lit("Reviewed", n.Reviewed())
	d.lit("Finally", n.Finally)
	d.lit("Loop", ir.LoopText(n.Action))
	var inside []jen.Code
	for _, inner := range n.inner {
		inside = append(inside, g.info(inner).line())
	}
	d.list("Inside", jen.Qual(flowPath, "NodeInfo"), inside)
	return d
}

func (g definitionWriter) options(list []ir.Option) []jen.Code {
	return g.newFunction(nil).texts().options(list)
}

func (g graphWriter) variableInfos() []jen.Code {
	var list []jen.Code
	for _, v := range g.graph.State.Fields {
		d := fields{}
		elem, optional := unwrapped(v.Type)
		d.set("Name", jen.Lit(v.Name))
		d.set("Type", jen.Lit(variableType(elem)))
		d.lit("Optional", optional)
		list = append(list, d.line())
	}
	return list
}

// variableType names a variable's type as flow.VariableInfo does.
func variableType(t types.Type) string {
	switch t := t.(type) {
	case types.Basic:
		switch {
		case types.IsText(t):
			return types.Text.String()
		case types.IsNumber(t), t == types.Bool:
			return t.String()
		}
	case *types.Enum:
		return types.Text.String()
	case *types.List:
		return "list " + variableType(t.Elem)
	}
	return "json"
}

// sourceText writes the workflow's file, which is kept beside the state of its runs.
func (g definitionWriter) sourceText(f *jen.File) {
	g.doc(f, "sourceText is the workflow file, of which each run keeps a copy beside its state.")
	f.Const().Id("sourceText").Op("=").Add(g.quote(string(g.program.File.Content)))
}
