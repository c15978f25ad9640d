package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// The author's environment variables are one function of the inputs, which every action
// of a script or an agent calls. Without inputs they are a table.

// An environment is the code of the author's environment variables.
type environment struct {
	name string
	*function
	list []jen.Code
	// fails says that the function returns an error, too.
	fails bool
}

// declareEnvironment finds the code of the environment variables, if there are any.
func (g *generator) declareEnvironment() {
	vars := g.program.Workflow.Environment
	if len(vars) == 0 {
		return
	}
	e := &environment{name: g.names.take("environment"), function: g.newFunction(jen.Nil())}
	for _, v := range vars {
		d := fields{}
		d.set("Name", jen.Lit(v.Name))
		d.set("Value", e.value(v.Name, v.Value))
		e.list = append(e.list, d.line())
	}
	e.fails = e.evaluates != ""
	e.check()
	g.environment = e
}

// value is the code of a variable's value.
func (e *environment) value(name string, x expr.Expr) *jen.Statement {
	if r, ok := x.(*expr.Rendered); ok {
		if t, ok := r.Text.(*template.Template); ok {
			v := e.local(unexported(exported(name, "Value")))
			code := e.template(v, t)
			if code.held || !code.fails && !code.long {
				return code.code
			}
			e.add(code.first, jen.Id(v).Op(":=").Add(code.code))
			return jen.Id(v)
		}
	}
	return text(e.operand(x))
}

// environmentFunc writes the environment variables.
func (g *generator) environmentFunc(f *jen.File) {
	e := g.environment
	if e == nil {
		return
	}
	variables := jen.Index().Qual(flowPath, "Variable")
	literal := variables.Clone().Add(rows("{", e.list))
	if !e.fails && !e.uses.inputs {
		g.doc(f, e.name+" are the environment variables of all scripts and agents.")
		f.Var().Id(e.name).Op("=").Add(literal)
		return
	}
	results, result := []jen.Code{variables}, []jen.Code{literal}
	if e.fails {
		results, result = append(results, jen.Error()), append(result, jen.Nil())
	}
	e.block.add(jen.Return(result...))
	g.function(f, e.name, "returns the environment variables of all scripts and agents.", e.uses.params(), e.block.code, results...)
}

// variables adds the author's environment variables to an action.
func (f *function) variables(d *fields) {
	e := f.g.environment
	switch {
	case e == nil:
	case e.fails:
		f.uses.inputs = f.uses.inputs || e.uses.inputs
		d.set("Env", f.try("environment", "variables", jen.Id(e.name).Call(e.uses.args(f.task, f.lastTask, nil)...), source.Span{}))
	case e.uses.inputs:
		f.uses.inputs = true
		d.set("Env", jen.Id(e.name).Call(jen.Id("in")))
	default:
		d.set("Env", jen.Id(e.name))
	}
}
