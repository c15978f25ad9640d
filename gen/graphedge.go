package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// startFuncs writes the choice of the first node.
func (g *generator) startFuncs(f *jen.File) {
	var guards []string
	for _, e := range g.graph.Start {
		guards = append(guards, g.guardName("start", e))
	}
	g.edgeFuncs(f, "first", "chooses the node that the run begins with.", g.graph.Start, guards)
}

// edgeFuncs writes a method that chooses among edges, and those that decide their
// guards. What comes behind an edge without a guard is never tried.
func (g *generator) edgeFuncs(f *jen.File, name, doc string, edges []*ir.Edge, guards []string) {
	body := g.newFunction(nil)
	always := false
	for i, e := range edges {
		to := jen.Id("nodeEnd")
		if e.To != nil {
			to = jen.Id(g.graph.byID[e.To.ID].constant)
		}
		taken := jen.Return(to, jen.True())
		if guards[i] == "" {
			g.add(body.block, e.Span, taken)
			always = true
			break
		}
		g.mark(body.block, e.Span, jen.If(jen.Id("g").Dot(guards[i]).Call()).Add(g.body(e.Span, taken)))
	}
	if !always {
		body.block.add(jen.Return(jen.Id("nodeEnd"), jen.False()))
	}
	g.method(f, doc, name, body, nil, []jen.Code{jen.Id("node"), jen.Bool()})
	for i, e := range edges {
		if guards[i] != "" {
			g.predicateMethod(f, guards[i], "decides an edge: "+e.GuardText, e.Guard)
			continue
		}
		break
	}
}

// predicateMethod writes a method that decides a condition.
func (g *generator) predicateMethod(f *jen.File, name, doc string, cond expr.Expr) {
	body := g.newFunction(jen.False())
	code := body.condition(cond).code
	g.add(body.block, cond.Span(), jen.Return(code))
	g.method(f, doc, name, body, nil, []jen.Code{jen.Bool()})
}

// goalFuncs writes the methods that decide the goals.
func (g *generator) goalFuncs(f *jen.File) {
	for i, goal := range g.graph.Goals {
		g.predicateMethod(f, g.graph.goals[i], "decides whether the run has done what it was to do: "+goal.Text, goal.Cond)
	}
}

// interruptFuncs writes the method that describes an interrupt, and those that it
// is made of.
func (g *generator) interruptFuncs(f *jen.File, i interruptCode) {
	d := fields{}
	if i.when != "" {
		d.set("When", jen.Id("g").Dot(i.when))
	}
	message := jen.Id("g").Dot(i.message)
	if i.message == "" {
		text, _ := i.Message.Constant()
		message = jen.Func().Params().String().Add(oneLine(jen.Return(jen.Lit(text))))
	}
	d.set("Message", message)
	if i.Required {
		d.set("Required", jen.True())
	}
	if i.Skip != nil {
		to := jen.Id("nodeEnd")
		if i.Skip.To != nil {
			to = jen.Id(g.graph.byID[i.Skip.To.ID].constant)
		}
		d.set("Skips", jen.True())
		d.set("SkipTo", to)
	}
	side := "before"
	if i.After {
		side = "after"
	}
	body := g.newFunction(nil)
	typ := jen.Qual(flowPath, "Interrupt").Types(jen.Id("node"))
	g.mark(body.block, i.Span, jen.Return(typ.Clone().Add(lines(g.open(i.Span), d.code))))
	g.method(f, fmt.Sprintf("is what a person is asked %s node `%s`.", side, i.Node.ID), i.name, body, nil, []jen.Code{typ})
	if i.when != "" {
		g.predicateMethod(f, i.when, "decides whether a person is asked: "+i.WhenText, i.When)
	}
	if i.message != "" {
		text := g.newFunction(jen.Lit(""))
		code := text.template(i.Message)
		g.add(text.block, code.last, jen.Return(code.code))
		g.method(f, "is the question.", i.message, text, nil, []jen.Code{jen.String()})
	}
}
