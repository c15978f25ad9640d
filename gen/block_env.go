package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Scripts of a block that an include node inserts all get the block's inputs. If several
// do, one function returns their environment:
//
//	func reviewEnv(c *flow.Context, in Inputs, diffText string) []flow.Variable

// A blockEnv is that function for scripts with the same variables.
type blockEnv struct {
	vars []ir.EnvVar
	// includes are the names of the nodes that include the scripts.
	includes []string
	// scripts is the number of scripts that call the function, and called says that one has.
	scripts int
	called  bool
	// name is the function's name, and that of the first node until it is called.
	name string
}

// findBlockEnvs counts the scripts of blocks that have the same variables.
func (g *generator) findBlockEnvs() {
	g.blockEnvs = map[string]*blockEnv{}
	var walk func(nodes []*ir.Node, around *ir.Node)
	walk = func(nodes []*ir.Node, around *ir.Node) {
		for _, n := range nodes {
			include := cmp.Or(n.Within, around)
			switch a := n.Action.(type) {
			case *ir.Bash:
				g.countBlockEnv(include, a.Env)
			case *ir.Script:
				g.countBlockEnv(include, a.Env)
			case *ir.Loop:
				if a.Until != nil {
					g.countBlockEnv(include, a.Until.Env)
				}
			case *ir.Block:
				include = n
			}
			walk(n.Inner(), include)
		}
	}
	walk(g.program.Workflow.Body.All(), nil)
}

// countBlockEnv counts a script that a node includes; it is nil for one of no block.
func (g *generator) countBlockEnv(include *ir.Node, vars []ir.EnvVar) {
	if include == nil || len(vars) < 2 {
		return
	}
	key, name := g.envKey(vars), "`"+include.ID+"`"
	if g.blockEnvs[key] == nil {
		g.blockEnvs[key] = &blockEnv{vars: vars, name: include.ID}
	}
	e := g.blockEnvs[key]
	e.scripts++
	if !slices.Contains(e.includes, name) {
		e.includes = append(e.includes, name)
	}
}

// envKey is what is equal of scripts that share a function: its body.
func (g *generator) envKey(vars []ir.EnvVar) string {
	var key strings.Builder
	f := g.newFunction(jen.Nil())
	for _, v := range vars {
		if isFixed(v.Value) {
			fmt.Fprintf(&key, "%#v\n", f.envVariable(v))
		} else {
			fmt.Fprintf(&key, "%s from %s\n", v.Name, v.Value.Span().Text())
		}
	}
	return key.String()
}

// isFixed reports whether a value depends on nothing but the inputs of the run.
func isFixed(e expr.Expr) bool {
	fixed := true
	expr.Walk(e, func(e expr.Expr) bool {
		switch e.(type) {
		case *expr.Literal, *expr.Input, *expr.Joined:
		default:
			fixed = false
		}
		return fixed
	})
	return fixed
}

// inputVariables is how the variables of inputs begin.
const inputVariables = "INPUTS_"

// callBlockEnv is the call of the function of scripts with the same variables, or nil if the
// script has them alone.
func (f *function) callBlockEnv(vars []ir.EnvVar) *jen.Statement {
	e := f.g.blockEnvs[f.g.envKey(vars)]
	if e == nil || e.scripts < 2 {
		return nil
	}
	if !e.called {
		e.called, e.name = true, f.g.names.take(unexported(exported(e.name, "Block"))+"Env")
		f.g.calledBlockEnvs = append(f.g.calledBlockEnvs, e)
	}
	f.uses.inputs = true
	args := []jen.Code{jen.Id("c"), jen.Id("in")}
	for _, v := range vars {
		if !isFixed(v.Value) {
			args = append(args, text(f.operand(v.Value)))
		}
	}
	return jen.Id(e.name).Call(args...)
}

// blockEnvFuncs writes the functions that scripts call.
func (g *generator) blockEnvFuncs(f *jen.File) {
	for _, e := range g.calledBlockEnvs {
		body := g.newFunction(jen.Nil())
		var list, names []jen.Code
		for _, v := range e.vars {
			if isFixed(v.Value) {
				list = append(list, body.envVariable(v))
				continue
			}
			name := body.local(unexported(exported(strings.ToLower(strings.TrimPrefix(v.Name, inputVariables)), "Input")) + "Text")
			names = append(names, jen.Id(name))
			d := fields{}
			d.set("Name", jen.Lit(v.Name))
			d.set("Value", jen.Id(name))
			list = append(list, d.line())
		}
		params := g.flowParams()
		if len(names) > 0 {
			params = append(params, jen.List(names...).String())
		}
		g.doc(f, fmt.Sprintf("%s returns the environment variables of the scripts included by %s.", e.name, conjunction(e.includes)))
		f.Func().Id(e.name).Params(params...).Index().Qual(flowPath, "Variable").Block(jen.Return(body.extendedEnv(list)))
	}
}
