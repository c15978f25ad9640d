package gen

import (
	"slices"
	"strings"

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

// scriptEnv is the function that makes the environment variables of scripts of a workflow
// that has further ones, such as those of its inputs.
const scriptEnv = "scriptEnv"

// scriptEnvFunc writes that function if a script needs it.
func (g *generator) scriptEnvFunc(f *jen.File) {
	if !g.usesScriptEnv {
		return
	}
	body := g.newFunction(jen.Nil())
	var list []jen.Code
	for _, v := range g.program.Workflow.MoreEnv {
		list = append(list, body.envVariable(v))
	}
	variables := jen.Index().Qual(flowPath, "Variable")
	g.doc(f, scriptEnv+" returns c.ScriptEnv with "+moreEnv(g.program.Workflow.MoreEnv)+", and more.")
	f.Func().Id(scriptEnv).Params(append(g.flowParams(), jen.Id("more").Op("...").Qual(flowPath, "Variable"))...).Add(variables).Block(
		jen.Return(jen.Qual("slices", "Concat").Add(lines("(", []jen.Code{
			body.commonEnv(), jen.Op(aloneMark).Add(variables.Clone().Add(lines("{", list))), jen.Op(aloneMark).Id("more"),
		}))),
	)
}

// moreEnv says what further environment variables are of.
func moreEnv(list []ir.EnvVar) string {
	var of []string
	add := func(what string) {
		if !slices.Contains(of, what) {
			of = append(of, what)
		}
	}
	for _, v := range list {
		if _, input := v.Value.(*expr.Input); input {
			add("the inputs of the workflow")
			continue
		}
		add("the run's id, state folder and list of artifacts")
	}
	return strings.Join(of, ", ")
}

// envVariable is the code of an environment variable.
func (f *function) envVariable(v ir.EnvVar) *jen.Statement {
	d := fields{}
	d.set("Name", jen.Lit(v.Name))
	d.set("Value", text(f.operand(v.Value)))
	return d.line()
}

// commonEnv is the code of the variables that scripts of every workflow get. The runtime
// knows their names; what differs are the inputs among their values.
func (f *function) commonEnv() *jen.Statement {
	var list []jen.Code
	again := false
	for _, v := range f.g.program.Workflow.Env {
		_, own := v.Value.(*expr.Var) // of the run
		if !own && !again {
			list = append(list, text(f.operand(v.Value))) // an input, or its constant
		}
		again = !own
	}
	return jen.Id("c").Dot("ScriptEnv").Call(list...)
}

// env adds the environment variables of a script: those that every script gets, and own.
func (f *function) env(d *fields, own ...ir.EnvVar) {
	if f.answers && f.home == nil {
		own = append(own, ir.EnvVar{Name: "LOOP_USER_INPUT", Value: &expr.Var{Var: expr.LoopUserInput}})
	}
	if f.g.program.Workflow.Env != nil {
		d.set("Env", f.scriptEnv(own))
	}
	f.variables(d)
}

// scriptEnv is the code of the environment variables of a script.
func (f *function) scriptEnv(own []ir.EnvVar) *jen.Statement {
	var list []jen.Code
	for _, v := range own {
		list = append(list, jen.Op(aloneMark).Qual(flowPath, "Variable").Add(f.envVariable(v)))
	}
	// The test of a loop gets the values of its iteration.
	of := func(env *jen.Statement) *jen.Statement {
		if f.home == nil {
			return env
		}
		return jen.Id(iterationID).Dot("ScriptEnv").Call(env)
	}
	if len(f.g.program.Workflow.MoreEnv) > 0 {
		f.g.usesScriptEnv, f.uses.inputs = true, true
		return of(jen.Id(scriptEnv).Add(lines("(", append([]jen.Code{jen.Id("c"), jen.Id("in")}, list...))))
	}
	env := of(f.commonEnv())
	if len(list) == 0 {
		return env
	}
	return jen.Id("append").Add(lines("(", append([]jen.Code{env}, list...)))
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

// verdict adds the evidence that the workflow requires, and the author's verdict, to the
// end of a flow.
func (g *generator) verdict(body *block, task func(*node) *jen.Statement) {
	w := g.program.Workflow
	if w.Evidence {
		body.add(jen.Err().Op("=").Qual(flowPath, "RequireEvidence").Call(jen.Id("c"), jen.Err()))
	}
	if w.Outcome == nil {
		return
	}
	n := g.byID[w.Returns.ID]
	field := n.exported
	if s, ok := n.Output.(*types.Struct); ok && g.types.structs[s] != nil {
		if f := g.types.structs[s].lookup(w.Outcome.Field); f != nil {
			field = f.name
		}
	}
	achieved := jen.Func().Params(jen.Id("out").Add(n.value)).Bool().Add(oneLine(jen.Return(jen.Id("out").Dot(field))))
	body.add(jen.Err().Op("=").Qual(flowPath, "Outcome").Call(jen.Err(), task(n), achieved))
}
