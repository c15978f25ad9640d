package gen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// runtimeVersion is the constant of package flow that generated code needs; its
// documentation says when it changes.
const runtimeVersion = "RunWfcGenAgainUnlessVersion6"

// writeDefinition writes the Workflow variable.
func (g definitionWriter) writeDefinition(f *jen.File) {
	w := g.program.Workflow
	d := fields{}
	d.setField("Name", jen.Lit(w.Name))
	if w.Description != "" {
		d.setField("Description", g.quoteString(w.Description))
	}
	d.setField("Source", jen.Lit(g.source))
	d.setField("Fingerprint", jen.Lit(g.program.Fingerprint()))
	in := jen.Nil()
	if len(g.inputSeq) > 0 {
		in = jen.Id(inputTableID)
		d.setField("Inputs", in)
	}
	d.setTexts("Constants", w.Constants)
	if g.graph == nil {
		d.setField("Nodes", jen.Id(nodeTableID))
	} else {
		d.setField("Nodes", jen.Id(graphTableID).Dot("NodeInfos").Call())
		d.setField("Graph", jen.Id(graphTableID).Dot("Info").Call())
	}
	d.setTexts("Agents", g.agentNames())
	d.setList("Models", jen.Qual(flowPath, "ModelUse"), g.modelRows())
	d.setField("Uses", g.placeUses())
	if g.graph == nil && w.Exclusive && !w.ExclusiveSpan.IsValid() {
		d.setNoted("ExclusiveCheckout", jen.True(), g.noteText(defaultNote))
		d.setLit("PromptsOnly", w.PromptsOnly())
	} else {
		d.setLit("ExclusiveCheckout", w.Exclusive)
	}
	g.resultFields(&d)
	if w.Worktree != nil {
		always := map[bool]string{true: "WorktreeAlways", false: "WorktreeNever"}
		d.setField("Worktree", jen.Qual(flowPath, always[*w.Worktree]))
	}
	d.setTexts("Tags", w.Tags)
	d.setList("Labels", jen.Qual(flowPath, "Option"), g.newFunction(nil).asTextWriter().optionCodes(w.Options))
	if w.Schedule != nil {
		d.setField("Schedule", jen.Lit(w.Schedule.Cron))
	}
	if w.Concurrency > 0 { // no file sets it
		d.setNoted("Concurrency", jen.Lit(w.Concurrency), g.noteText(defaultNote))
	}
	if targets := ir.TargetNames(w.DeliverTo); len(targets) > 0 {
		g.writeDoc(f, deliverToID+" are the targets for the workflow's result.")
		f.Var().Id(deliverToID).Op("=").Index().String().Values(stringLiterals(targets)...)
		d.setField("DeliverTo", jen.Id(deliverToID))
	}
	if callees := directCallees(w); len(callees) > 0 {
		list := codesOf(callees, func(callee *ir.Program) *jen.Statement {
			return jen.Op("&").Qual(g.family.importPath(callee), definitionID)
		})
		d.setField("Children", jen.Index().Op("*").Qual(flowPath, "Definition").Values(list...))
	}
	run := jen.Id("workflow")
	if g.deliversOutcome() {
		run = jen.Func().Params(flowParams()...).Params(jen.Id("Outputs"), jen.Error()).Block(g.deliverOutcome())
	}
	d.setField("Flow", jen.Qual(flowPath, "TypedFlow").Call(in, run))
	g.writeDoc(f, "Workflow is the definition that an engine runs.")
	f.Var().Id(definitionID).Op("=").Qual(flowPath, "Definition").Add(d.asLines())
}

// runtimeConstant writes the constant that ties the code to a version of the runtime.
func (g definitionWriter) runtimeConstant(f *jen.File) {
	g.writeDoc(f, "This code needs the runtime that it was generated for. If the constant is undefined, run `wfc gen` again.")
	f.Const().Id("_").Op("=").Qual(flowPath, runtimeVersion)
}

// inputTable writes the descriptions of the inputs.
func (g definitionWriter) inputTable(f *jen.File) {
	if len(g.inputSeq) == 0 {
		return
	}
	doc := "inputs describes the inputs, for command lines and forms."
	if slices.ContainsFunc(g.inputSeq, func(in *input) bool { return in.Default != nil && !isReplacement(in) }) {
		doc = "inputs describes the inputs: TypedFlow sets their defaults, and command lines and forms show them."
	}
	g.writeDoc(f, doc)
	f.Var().Id(inputTableID).Op("=").Index().Qual(flowPath, "InputInfo").Add(itemRows("{", g.inputInfos()))
}

// nodeTable writes the descriptions of the nodes.
func (g definitionWriter) nodeTable(f *jen.File) {
	g.writeDoc(f, "nodes declares the nodes that workflow runs, with what the commands status, graph and info show of them.")
	f.Var().Id(nodeTableID).Op("=").Index().Qual(flowPath, "NodeInfo").Add(itemRows("{", codesOf(g.nodes, g.nodeInfo)))
}

// runFunc writes the function with which Go programs run the workflow.
func (g definitionWriter) runFunc(f *jen.File) {
	g.writeDoc(f, "Run runs the workflow until it completes. If it fails, is cancelled or pauses, the error is a *local.RunError.")
	f.Func().Id("Run").Params(
		jen.Id("ctx").Qual(contextPath, "Context"), jen.Id("engine").Op("*").Qual(localPath, "Engine"),
		jen.Id("in").Id("Inputs"), jen.Id("opts").Op("...").Func().Params(jen.Op("*").Qual(localPath, "Options")),
	).Params(jen.Id("Outputs"), jen.Error()).Block(
		jen.Return(jen.Qual(localPath, "RunTyped").Types(jen.Id("Inputs"), jen.Id("Outputs")).Call(
			jen.Id("ctx"), jen.Id("engine"), jen.Op("&").Id(definitionID), jen.Id("in"), jen.Id("opts").Op("..."))),
	)
}

func (g definitionWriter) inputInfos() []jen.Code {
	return codesOf(g.inputSeq, func(in *input) *jen.Statement {
		if isReplacement(in) {
			return jen.Qual(flowPath, "Replacement").Call(jen.Lit(in.Name), jen.Lit(in.Position))
		}
		d := fields{}
		d.setField("Name", jen.Lit(in.Name))
		d.setField("Type", jen.Lit(in.typeName()))
		d.setLit("Items", inputItems(in.Type))
		d.setTexts("Choices", in.Choices)
		d.setLit("Position", in.Position)
		d.setLit("Replaces", in.Replaces)
		d.setLit("Doc", in.Doc)
		if in.Default != nil {
			d.setField("Default", g.quoteString(defaultJSON(constantOf(in.Default))))
		}
		d.setLit("Rest", in.Rest)
		return d.asRow()
	})
}

// nodeInfo is a definition's description of a node.
func (g definitionWriter) nodeInfo(n *node) *jen.Statement {
	d := fields{}
	d.setField("Key", jen.Lit(n.Local()))
	if n.IDSpan.IsValid() {
		d.setField("Line", jen.Lit(n.IDSpan.Position().Line))
		if n.IDSpan.File != g.program.File {
			d.setLit("File", baseName(n.IDSpan.File.Name))
		}
	}
	if n.Include != nil {
		d.setLit("Include", n.Include.Local())
	}
	d.setField("Kind", jen.Lit(n.Action.Kind()))
	switch a := n.Action.(type) {
	case *ir.Include:
		d.setLit("Workflow", a.Workflow)
	case *ir.Block:
		d.setLit("Workflow", a.Workflow)
	case *ir.Call:
		d.setLit("Workflow", a.Callee.Workflow.Name)
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
	d.setTexts("After", after)
	d.setTexts("Order", order)
	if n.Rule != ir.AllSuccess {
		d.setField("Rule", jen.Lit(n.Rule.String()))
	}
	if n.WhenText != "" {
		d.setField("When", g.quoteString(n.WhenText))
	}
	d.setLit("Agent", agentOf(n.Node))
	d.setTexts("DeliverTo", ir.TargetNames(n.DeliverTo))
	d.setTexts("WorkerTags", g.workerTags(n.Node))
	d.setLit("ArtifactType", n.Artifact)
	d.setLit("Reviewed", n.Reviewed())
	d.setLit("Finally", n.Finally)
	d.setLit("Loop", ir.LoopText(n.Action))
	d.setRows("Inside", jen.Qual(flowPath, "NodeInfo"), codesOf(n.inner, g.nodeInfo))
	return d.asRow()
}

func (g graphWriter) variableInfos() []jen.Code {
	return codesOf(g.graph.State.Fields, func(v *ir.StateField) *jen.Statement {
		d := fields{}
		elem, optional := unwrapOptional(v.Type)
		d.setField("Name", jen.Lit(v.Name))
		d.setField("Type", jen.Lit(variableType(elem)))
		d.setLit("Optional", optional)
		return d.asRow()
	})
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
	g.writeDoc(f, "sourceText is the workflow file, of which each run keeps a copy beside its state.")
	f.Const().Id("sourceText").Op("=").Add(g.quoteString(string(g.program.File.Content)))
}
