package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// Environment variables. The author's are one function of the inputs, which every action of
// a script or an agent calls; without inputs they are a table. Scripts get more of them, which
// the format defines.

// declareEnvironment finds the code of the environment variables, if there are any.
func (g *declarer) declareEnvironment() {
	vars := g.program.Workflow.Environment
	if len(vars) == 0 {
		return
	}
	e := &environment{name: g.names.takeName("environment"), function: g.newFunction(jen.Nil())}
	for _, v := range vars {
		d := fields{}
		d.setField("Name", jen.Lit(v.Name))
		d.setField("Value", e.variableValue(v.Name, v.Value))
		e.list = append(e.list, d.asRow())
	}
	e.fails = e.evaluates != ""
	e.checkEvaluator()
	g.environment = e
}

// variableValue is the code of a variable's value.
func (e *environment) variableValue(name string, x expr.Expr) *jen.Statement {
	if r, ok := x.(*expr.Rendered); ok {
		if t, ok := r.Text.(*template.Template); ok {
			v := e.newLocal(unexportedName(exportedName(name, "Value")))
			code := e.asTextWriter().templateText(v, t)
			if code.held || !code.fails && !code.long {
				return code.code
			}
			e.g.addMarked(e.block, code.first, jen.Id(v).Op(":=").Add(code.code))
			return jen.Id(v)
		}
	}
	return textOf(e.asOperandWriter().operandCode(x))
}

// environmentFunc writes the environment variables.
func (g definitionWriter) environmentFunc(f *jen.File) {
	e := g.environment
	if e == nil {
		return
	}
	variables := jen.Index().Qual(flowPath, "Variable")
	literal := variables.Clone().Add(itemRows("{", e.list))
	if !e.fails && !e.uses.inputs {
		g.writeDoc(f, e.name+" are the environment variables of all scripts and agents.")
		f.Var().Id(e.name).Op("=").Add(literal)
		return
	}
	results, result := []jen.Code{variables}, []jen.Code{literal}
	if e.fails {
		results, result = append(results, jen.Error()), append(result, jen.Nil())
	}
	e.block.addCode(jen.Return(result...))
	g.writeFunction(f, e.name, "returns the environment variables of all scripts and agents.", e.uses.parameterList(), e.block.code, results...)
}

// setAuthorVariables adds the author's environment variables to an action.
func (f scriptWriter) setAuthorVariables(d *fields) {
	e := f.g.environment
	switch {
	case e == nil:
	case e.fails:
		f.uses.inputs = f.uses.inputs || e.uses.inputs
		d.setField("Env", f.tryCall("environment", "variables", jen.Id(e.name).Call(e.uses.argumentList(f.taskVariable, f.lastTask, nil)...), source.Span{}))
	case e.uses.inputs:
		f.uses.inputs = true
		d.setField("Env", jen.Id(e.name).Call(jen.Id("in")))
	default:
		d.setField("Env", jen.Id(e.name))
	}
}

// scriptEnvFunc writes that function if a script needs it.
func (g definitionWriter) scriptEnvFunc(f *jen.File) {
	if !g.usesScriptEnv {
		return
	}
	body := g.newFunction(jen.Nil())
	list := codesOf(g.program.Workflow.MoreEnv, body.asScriptWriter().envVariable)
	env := appendVariables(body.asScriptWriter().commonEnv(), list)
	g.writeFunction(f, scriptEnv, "returns the environment variables of every script.", flowParams(), []jen.Code{jen.Return(env)}, jen.Index().Qual(flowPath, "Variable"))
}

// envVariable is the code of an environment variable.
func (f scriptWriter) envVariable(v ir.EnvVar) *jen.Statement {
	d := fields{}
	d.setField("Name", jen.Lit(v.Name))
	d.setField("Value", textOf(f.asOperandWriter().operandCode(v.Value)))
	return d.asRow()
}

// commonEnv is the code of the variables that scripts of every workflow get. The runtime
// knows their names; what differs are the inputs among their values.
func (f scriptWriter) commonEnv() *jen.Statement {
	var list []jen.Code
	again := false
	for _, v := range f.g.program.Workflow.Env {
		_, own := v.Value.(*expr.Var) // of the run
		if !own && !again {
			list = append(list, textOf(f.asOperandWriter().operandCode(v.Value))) // an input, or its constant
		}
		again = !own
	}
	return jen.Id("c").Dot("ScriptEnv").Call(list...)
}

// setEnv adds the environment variables of a script: those that every script gets, and own.
func (f scriptWriter) setEnv(d *fields, own ...ir.EnvVar) {
	if f.g.program.Workflow.Env != nil {
		d.setField("Env", f.scriptEnv(own))
	}
	f.setAuthorVariables(d)
}

// scriptEnv is the code of the environment variables of a script.
func (f scriptWriter) scriptEnv(own []ir.EnvVar) *jen.Statement {
	env := f.extendedEnv(codesOf(own, f.envVariable))
	// The test of a loop gets the values of its iteration, and a node of its body the answer.
	switch {
	case f.home != nil:
		return jen.Id(iterationID).Dot("ScriptEnv").Call(env)
	case f.answers:
		f.uses.iteration = true
		return jen.Id(iterationID).Dot("AnswerEnv").Call(env)
	}
	return env
}

// extendedEnv is the code of the variables that all scripts get, and of those in list.
func (f scriptWriter) extendedEnv(list []jen.Code) *jen.Statement {
	env := f.commonEnv()
	if len(f.g.program.Workflow.MoreEnv) > 0 {
		f.g.usesScriptEnv, f.uses.inputs = true, true
		env = jen.Id(scriptEnv).Call(jen.Id("c"), jen.Id("in"))
	}
	if len(list) == 0 {
		return env
	}
	return appendVariables(env, list)
}

// appendVariables appends variables, of which list has the fields, to env.
func appendVariables(env *jen.Statement, list []jen.Code) *jen.Statement {
	items := []jen.Code{env}
	for _, v := range list {
		items = append(items, jen.Qual(flowPath, "Variable").Add(v))
	}
	return jen.Id("append").Add(brokenArguments(items))
}
