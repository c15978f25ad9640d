package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// Inputs that may have no value, values that commands and scripts are passed, and the
// result of a workflow.

// raw reports whether an input is kept as JSON: one of any type whose keys must keep
// their order.
func (in *input) raw() bool {
	lit, ok := in.Default.(*expr.Literal)
	return ok && in.Type == types.Any && lit.Typ == types.Any
}

// given is the code of an input that may have no value, which fails the node then.
func (f *function) given(e *expr.Input, o operand) operand {
	ref := e.At.Text()
	if ref == "" {
		ref = "$INPUTS." + e.Name
	}
	o.code, o.opt = f.try("input "+e.Name, o.name, jen.Qual(flowPath, "Given").Call(o.code, jen.Lit(ref)), e.At), false
	return o
}

// joined is the code of texts in a row.
func (f *function) joined(e *expr.Joined) operand {
	code := jen.Lit("")
	for i, part := range e.Parts {
		if next := text(f.operand(part)); i == 0 {
			code = next
		} else {
			code.Op("+").Op(softMark).Add(next)
		}
	}
	return operand{code: code, typ: types.Text, ref: e.At.Text(), name: "text"}
}

// fallback is the code of an output that has another value if its node was skipped.
func (f *function) fallback(e *expr.Fallback) operand {
	n := f.g.producer(e.X)
	name := f.local(n.task + "Value")
	f.g.add(f.block, e.At, jen.Id(name).Op(":=").Lit(e.Else.Text))
	body := f.inside(func() { f.block.add(jen.Id(name).Op("=").Add(text(f.operand(e.X)))) })
	f.block.add(jen.If(f.task(n).Dot("State").Call().Op("!=").Qual(flowPath, "Skipped")).Block(body...))
	return operand{code: jen.Id(name), typ: types.Text, ref: e.At.Text(), name: name}
}

// producer is the node of an output or of a field of one.
func (g *generator) producer(e expr.Expr) *node {
	switch e := e.(type) {
	case *expr.Output:
		return g.byID[e.Node]
	case *expr.Field:
		return g.byID[e.Node]
	}
	return nil
}

// evaluate writes what evaluates a value that nothing reads, if that may fail the node.
func (f *function) evaluate(e expr.Expr) {
	switch e := e.(type) {
	case *expr.Joined:
		for _, part := range e.Parts {
			f.evaluate(part)
		}
	case *expr.Fallback:
		if body := f.inside(func() { f.evaluate(e.X) }); len(body) > 0 {
			f.block.add(jen.If(f.task(f.g.producer(e.X)).Dot("State").Call().Op("!=").Qual(flowPath, "Skipped")).Block(body...))
		}
	default:
		if f.g.fallible(e) {
			f.discards = true
			f.operand(e)
			f.discards = false
		}
	}
}

// moreEnv is the function that makes the variables which scripts of a workflow with inputs
// get besides.
const moreEnv = "moreEnv"

// moreEnvFunc writes that function if a script needs it.
func (g *generator) moreEnvFunc(f *jen.File) {
	if !g.usesMoreEnv {
		return
	}
	body := g.newFunction(jen.Nil())
	var list []jen.Code
	for _, v := range g.program.Workflow.MoreEnv {
		list = append(list, body.envVariable(v))
	}
	g.top(f)
	f.Comment(comment(moreEnv + " returns the environment variables of scripts for the run's files and inputs."))
	f.Func().Id(moreEnv).Params(g.flowParams()...).Index().Qual(flowPath, "Variable").Block(
		jen.Return(jen.Index().Qual(flowPath, "Variable").Add(lines("{", list))))
}

// envVariable is the code of an environment variable.
func (f *function) envVariable(v ir.EnvVar) *jen.Statement {
	d := fields{}
	d.set("Name", jen.Lit(v.Name))
	d.set("Value", text(f.operand(v.Value)))
	return d.line()
}

// extended adds a workflow's further variables, and those of one script, to the code of
// the variables that every script gets.
func (f *function) extended(env *jen.Statement, own []ir.EnvVar) *jen.Statement {
	if len(f.g.program.Workflow.MoreEnv) > 0 {
		f.g.usesMoreEnv, f.uses.inputs = true, true
		env = jen.Append(env, jen.Id(moreEnv).Call(jen.Id("c"), jen.Id("in")).Op("..."))
	}
	if len(own) == 0 {
		return env
	}
	list := []jen.Code{env}
	for _, v := range own {
		list = append(list, jen.Qual(flowPath, "Variable").Add(f.envVariable(v)))
	}
	return jen.Id("append").Add(lines("(", list))
}

// resultFields are the fields of a definition about the workflow's result.
func (g *generator) resultFields(d *fields) {
	w := g.program.Workflow
	if w.Returns != nil {
		d.lit("Returns", w.Returns.ID)
	}
	if w.Outcome != nil {
		d.lit("Outcome", w.Outcome.Field)
	}
	d.lit("Evidence", w.Evidence)
	d.lit("SharesState", g.reads(expr.StateDir))
	d.lit("ListsArtifacts", g.reads(expr.ArtifactList))
	d.lit("NoFiles", !g.usesFiles())
	d.lit("SessionNode", g.sessionNode())
	d.lit("Deprecated", w.Deprecated)
}

// reads reports whether a node of the workflow, or a script's environment, reads a
// variable of the run.
func (g *generator) reads(v expr.Variable) bool {
	found := false
	visit := func(e expr.Expr) bool {
		read, ok := e.(*expr.Var)
		found = found || ok && read.Var == v
		return !found
	}
	for _, e := range g.program.Workflow.MoreEnv {
		expr.Walk(e.Value, visit)
	}
	for _, n := range g.nodes {
		for _, e := range expressions(n.Node) {
			expr.Walk(e, visit)
		}
	}
	return found
}

// verdict is the code of the end of a flow: err, with the evidence that the workflow
// requires and the author's verdict.
func (g *generator) verdict(task func(*node) *jen.Statement) *jen.Statement {
	w := g.program.Workflow
	end := jen.Err()
	if w.Evidence {
		end = jen.Qual(flowPath, "RequireEvidence").Call(jen.Id("c"), end)
	}
	if w.Outcome == nil {
		return end
	}
	n := g.byID[w.Returns.ID]
	field := n.exported
	if s, ok := n.Output.(*types.Struct); ok && g.types.structs[s] != nil {
		if f := g.types.structs[s].lookup(w.Outcome.Field); f != nil {
			field = f.name
		}
	}
	achieved := jen.Func().Params(jen.Id("out").Add(n.value)).Bool().Add(oneLine(jen.Return(jen.Id("out").Dot(field))))
	return jen.Qual(flowPath, "Outcome").Call(end, task(n), achieved)
}
