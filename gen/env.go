package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// The functions that make the variables of scripts: one for those of nodes, and
// one for those that test a loop, which see the iteration besides.
const (
	scriptEnv = "scriptEnv"
	testEnv   = "testEnv"
)

// env adds the variables that every script gets.
func (f *function) env(d *fields) {
	if len(f.g.program.Workflow.Env) == 0 {
		return
	}
	f.uses.inputs = true
	if f.home != nil {
		d.set("Env", jen.Id(testEnv).Call(jen.Id("c"), jen.Id("in"), jen.Id("i")))
		return
	}
	d.set("Env", jen.Id(scriptEnv).Call(jen.Id("c"), jen.Id("in")))
}

// envFuncs writes the functions that make the variables of scripts.
func (g *generator) envFuncs(f *jen.File) {
	if len(g.program.Workflow.Env) == 0 {
		return
	}
	var scripts, tests bool
	for _, n := range g.nodes {
		switch a := n.Action.(type) {
		case *ir.Bash, *ir.Script:
			scripts = true
		case *ir.Loop:
			tests = tests || a.Until != nil
		}
	}
	if scripts {
		g.envFunc(f, scriptEnv, "returns the environment variables that scripts get.", nil)
	}
	if tests {
		iteration := jen.Id("i").Op("*").Qual(stepsPath, "Iteration")
		g.envFunc(f, testEnv, "returns the environment variables that the tests of loops get.", iterationVariable, iteration)
	}
}

func (g *generator) envFunc(f *jen.File, name, doc string, home home, params ...jen.Code) {
	body := g.newFunction(jen.Nil())
	body.home = home
	var list []jen.Code
	for _, v := range g.program.Workflow.Env {
		d := fields{}
		d.set("Name", jen.Lit(v.Name))
		if b, ok := v.Value.(*expr.Var); ok && b.Var == expr.BaseBranch {
			// An unknown branch is no failure here: the script may not ask.
			d.set("Value", jen.Id("c").Dot("Engine").Call().Dot("Run").Call().Dot("BaseBranch"))
		} else {
			d.set("Value", text(body.operand(v.Value)))
		}
		list = append(list, d.line())
	}
	g.top(f)
	f.Comment(comment(name + " " + doc))
	f.Func().Id(name).Params(append(g.flowParams(), params...)...).Index().Qual(flowPath, "Variable").Block(
		jen.Return(jen.Index().Qual(flowPath, "Variable").Add(lines("{", list))))
}
