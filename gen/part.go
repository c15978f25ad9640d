package gen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A part is a function that a node's own function hands to the kernel: what an
// iteration does, what tests a loop, what follows a rejection.
type part struct {
	*function
	name, doc string
	// own is the parameter that the kernel fills besides the context, and
	// ownType its type.
	own     string
	ownType *jen.Statement
	// result is the type of what it returns besides the error.
	result *jen.Statement
	// pure says that it performs nothing, so that it gets no context.
	pure bool
}

// A home is the code of the variables that have a value in a part and nowhere
// else: nil for the others.
type home func(expr.Variable) *jen.Statement

// part begins a part of the function's node.
func (f *function) part(name, doc string, result, zero *jen.Statement) *part {
	return &part{function: f.g.newFunction(zero), name: name, doc: name + " " + doc, result: result}
}

// inIteration makes the part one that is called with an iteration of a loop.
func (p *part) inIteration() *part {
	p.own, p.ownType, p.home = "i", jen.Op("*").Qual(stepsPath, "Iteration"), iterationVariable
	return p
}

// afterRejection makes the part one that is called with what a person said who
// rejected.
func (p *part) afterRejection() *part {
	p.own, p.ownType, p.home = "reason", jen.String(), rejectionVariable
	return p
}

// flowResult is the type of what an action comes to.
func flowResult() *jen.Statement { return jen.Qual(flowPath, "Result") }

// calls ends a part and returns the function literal that calls it with what it
// needs of the flow, which the node's function needs then, too.
func (f *function) calls(p *part) *jen.Statement {
	f.parts = append(append(f.parts, p), p.function.parts...)
	f.needs(p.uses)
	more := p.uses.args(f.task)
	if len(more) == 0 {
		return jen.Id(p.name)
	}
	args := append([]jen.Code{jen.Id("c"), jen.Id(p.own)}, more...)
	return jen.Func().Params(p.params()...).Params(p.result, jen.Error()).Add(oneLine(jen.Return(jen.Id(p.name).Call(args...))))
}

// params are the parameters that the kernel fills.
func (p *part) params() []jen.Code {
	var list []jen.Code
	if !p.pure {
		list = append(list, jen.Id("c").Op("*").Qual(flowPath, contextType))
	}
	if p.own != "" {
		list = append(list, jen.Id(p.own).Add(p.ownType))
	}
	return list
}

// declare writes the part.
func (p *part) declare(f *jen.File) {
	p.g.function(f, p.name, strings.TrimPrefix(p.doc, p.name+" "), append(p.params(), p.uses.params()...), p.block.code, p.result, jen.Error())
}

// place is where a text begins, or otherwise when that is not known.
func place(t *template.Template, otherwise source.Span) source.Span {
	if t != nil {
		if at := t.Source.Span(0, 0); at.IsValid() {
			return at
		}
	}
	return otherwise
}

// actions are the actions that a node is made of: its own, or those inside it.
func actions(a ir.Action) []ir.Action {
	switch a := a.(type) {
	case *ir.Loop:
		_, prompt := bodyOf(a)
		list := []ir.Action{prompt}
		if a.Until != nil {
			list = append(list, a.Until)
		}
		return list
	case *ir.Approval:
		if a.Rework != nil {
			return []ir.Action{a.Rework}
		}
		return nil
	case *ir.Join:
		if a.Prompt != nil {
			return []ir.Action{a.Prompt}
		}
		return nil
	case *ir.ForEach:
		return actions(a.Body.Action)
	case *ir.Again:
		return actions(a.Body.Action)
	case *ir.Fork:
		var list []ir.Action
		for _, n := range a.Nodes {
			list = append(list, actions(n.Action)...)
		}
		return list
	}
	return []ir.Action{a}
}

// messages are the texts of a node that people read at a gate.
func messages(a ir.Action) []*template.Template {
	switch a := a.(type) {
	case *ir.Loop:
		if a.Gate != nil {
			return []*template.Template{a.Gate.Message}
		}
	case *ir.Approval:
		return []*template.Template{a.Gate.Message}
	case *ir.Human:
		return []*template.Template{a.Message}
	}
	return nil
}

// agentOf is the name of the agent that a node asks, or "".
func agentOf(a ir.Action) string {
	for _, a := range actions(a) {
		if p, ok := a.(*ir.Prompt); ok {
			return p.Agent.Name
		}
	}
	return ""
}
