package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// method writes a method of the graph, which reads the inputs as `in`.
func (g *generator) method(f *jen.File, doc, name string, body *function, params, results []jen.Code) {
	code := body.block.code
	if body.uses.inputs {
		code = append([]jen.Code{jen.Id("in").Op(":=").Id("g").Dot("in")}, code...)
	}
	g.top(f)
	f.Comment(comment(name + " " + doc))
	f.Func().Params(jen.Id("g").Op("*").Id("graph")).Id(name).Params(params...).Params(results...).Block(code...)
}

func ending() *jen.Statement { return jen.Qual(flowPath, "Ending") }

// graphNodeFuncs writes the methods of a node.
func (g *generator) graphNodeFuncs(f *jen.File, m *graphNode) {
	g.visitFunc(f, m)
	g.runMethod(f, m)
	g.doneFunc(f, m)
	if !m.branch {
		g.edgeFuncs(f, m.after, fmt.Sprintf("chooses the edge that leads on from node `%s`.", m.ID), m.Out, m.guards)
	}
	for _, list := range [][]interruptCode{m.before, m.later} {
		for _, i := range list {
			g.interruptFuncs(f, i)
		}
	}
}

// visitFunc writes the method that says of what a visit of the node is made.
func (g *generator) visitFunc(f *jen.File, m *graphNode) {
	step := fields{}
	step.set("Node", jen.Id(m.constant))
	step.set("Kind", jen.Lit(m.Action.Kind()))
	if _, asks := m.Action.(*ir.Human); m.Timeout > 0 && !asks {
		step.set("Timeout", duration(m.Timeout))
	}
	if m.Retry != nil {
		step.set("Retry", retry(m.Retry))
	}
	step.set("Run", jen.Id("g").Dot(m.run))
	step.set("Done", jen.Id("g").Dot(m.done))
	body := g.newFunction(nil)
	result, doc := "Visit", "is a visit of node `%s`."
	d := step
	if m.branch {
		result, doc = "Step", "is node `%s`, a branch."
	} else {
		d = fields{}
		d.set("Step", jen.Qual(flowPath, "Step").Types(jen.Id("node")).Add(step.lines()))
		g.visitFields(&d, m)
	}
	typ := jen.Qual(flowPath, result).Types(jen.Id("node"))
	g.mark(body.block, m.IDSpan, jen.Return(typ.Clone().Add(lines(g.open(m.IDSpan), d.code))))
	g.method(f, fmt.Sprintf(doc, m.ID), m.visit, body, nil, []jen.Code{typ})
}

// visitFields are the fields of a visit besides its step.
func (g *generator) visitFields(d *fields, m *graphNode) {
	if p, ok := m.Action.(*ir.Parallel); ok {
		d.set("Branches", jen.Index().Qual(flowPath, "Step").Types(jen.Id("node")).ValuesFunc(func(list *jen.Group) {
			for _, b := range p.Branches {
				list.Id("g").Dot(g.graph.byID[b.ID].visit).Call()
			}
		}))
		if label := failureLabel(m.Node); label != "" {
			d.set("OnFailure", jen.Lit(label))
		}
	}
	for _, side := range []struct {
		name string
		list []interruptCode
	}{{"Before", m.before}, {"After", m.later}} {
		if len(side.list) > 0 {
			d.set(side.name, jen.Index().Qual(flowPath, "Interrupt").Types(jen.Id("node")).ValuesFunc(func(values *jen.Group) {
				for _, i := range side.list {
					values.Id("g").Dot(i.name).Call()
				}
			}))
		}
	}
	d.set("Next", jen.Id("g").Dot(m.after))
	if _, ok := m.Action.(*ir.Checkpoint); ok {
		d.set("Checkpoint", jen.True())
	}
}

// runMethod writes the method that does the node's work.
func (g *generator) runMethod(f *jen.File, m *graphNode) {
	body := g.newFunction(ending().Values())
	context, doc := "c", ""
	switch a := m.Action.(type) {
	case *ir.Prompt:
		doc = "asks the agent of node `%s`."
		body.askAgent(m, a, nil)
	case *ir.Bash:
		doc = "runs the script of node `%s`."
		d := body.bash(a)
		at := place(a.Original, m.IDSpan)
		call := jen.Qual(flowPath, "RunScript").Call(jen.Id("c"), jen.Qual(flowPath, "Bash").Add(lines(g.open(at), d.code)), g.labelsOf(m))
		g.mark(body.block, at, jen.Return(call))
	case *ir.Decision:
		doc, context = "decides node `%s`: "+escapeVerbs(a.CondText), "_"
		cond := body.condition(a.Cond)
		g.add(body.block, a.Cond.Span(), jen.Return(jen.Qual(flowPath, "Decide").Call(cond.code, jen.Lit(m.labels.Values[0]), jen.Lit(m.labels.Values[1]))))
	case *ir.Human:
		doc = "asks a person at node `%s`."
		message := body.hold("message", body.template(a.Message))
		limit := jen.Lit(0)
		if m.Timeout > 0 {
			limit = duration(m.Timeout)
		}
		at := place(a.Message, m.IDSpan)
		g.add(body.block, at, jen.Return(jen.Qual(flowPath, "AskPerson").Call(jen.Id("c"), message, limit, jen.Lit(a.Default), g.labelsOf(m))))
	case *ir.Join:
		if a.Prompt == nil {
			doc, context = "goes on behind the branches that node `%s` waits for.", "_"
			body.pass(m)
			break
		}
		doc = "asks the agent of node `%s`, which is shown what the branches gave."
		body.askAgent(m, a.Prompt, g.reports(a))
	case *ir.Parallel:
		doc, context = "is called when the branches of node `%s` have ended.", "_"
		body.pass(m)
	case *ir.Checkpoint:
		doc, context = "does nothing: node `%s` is there to have the state kept.", "_"
		body.pass(m)
	case *ir.Fail:
		doc, context = "fails node `%s`: something that it needs was not there when the workflow was compiled.", "_"
		d := fields{}
		d.set("Reason", jen.Lit("resource"))
		d.set("Class", jen.Qual(flowPath, "ClassFatal"))
		d.set("Message", jen.Lit(a.Message))
		g.add(body.block, m.IDSpan, jen.Return(ending().Values(), jen.Op("&").Qual(flowPath, "Failure").Add(d.line())))
	default:
		panic(fmt.Sprintf("an action of type %T reached the generator in a graph", m.Action))
	}
	g.method(f, fmt.Sprintf(doc, m.ID), m.run, body,
		[]jen.Code{jen.Id(context).Op("*").Qual(flowPath, contextType)}, []jen.Code{ending(), jen.Error()})
}

// escapeVerbs makes a text one that formatting leaves as it is.
func escapeVerbs(text string) string {
	var out []rune
	for _, r := range text {
		if out = append(out, r); r == '%' {
			out = append(out, r)
		}
	}
	return string(out)
}

// askAgent writes the body of a node that an agent works on. tail is appended to
// its prompt.
func (f *function) askAgent(m *graphNode, a *ir.Prompt, tail *jen.Statement) {
	f.tail = tail
	at := place(a.Text, m.IDSpan)
	d := f.turn(a, "", nil, m.IdleTimeout)
	call := jen.Qual(flowPath, "AskAgent").Call(jen.Id("c"), jen.Qual(flowPath, "Prompt").Add(lines(f.g.open(at), d.code)), f.g.labelsOf(m))
	f.g.mark(f.block, at, jen.Return(call))
}

// reports is the code of what the branches of a join gave.
func (g *generator) reports(a *ir.Join) *jen.Statement {
	var nodes []jen.Code
	for _, n := range a.Waits {
		nodes = append(nodes, jen.Id(g.graph.byID[n.ID].constant))
	}
	return jen.Id("g").Dot("walk").Dot("Reports").Call(nodes...)
}

// pass writes the body of a node that does nothing.
func (f *function) pass(m *graphNode) {
	label := m.labels.Values[0]
	for _, l := range m.Labels {
		if !l.Failure {
			label = l.Name
			break
		}
	}
	f.g.add(f.block, m.IDSpan, jen.Return(jen.Qual(flowPath, "Pass").Call(jen.Lit(label))))
}

// labelsOf is the code of a node's labels.
func (g *generator) labelsOf(m *graphNode) *jen.Statement {
	d := fields{}
	d.texts("Names", m.labels.Values)
	if label := timeoutOf(m.Node); label != "" {
		d.set("Timeout", jen.Lit(label))
	}
	switch m.Action.(type) {
	case *ir.Bash:
		d.set("Script", jen.Qual(outcomePath, "Script"))
	case *ir.Prompt, *ir.Join:
		d.set("Reply", jen.Qual(outcomePath, "Reply"))
	}
	return jen.Qual(flowPath, "Labels").Add(d.line())
}

// doneFunc writes the method that keeps the node's label and applies its handlers.
func (g *generator) doneFunc(f *jen.File, m *graphNode) {
	body := g.newFunction(nil)
	label := jen.Id("g").Dot("labels").Dot(m.exported)
	g.add(body.block, source.Span{}, jen.Add(label).Op("=").Id(m.label.name).Call(jen.Id("e").Dot("Label")))
	doc := "keeps the output of node `%s`."
	if len(m.Handlers) > 0 {
		doc = "keeps the output of node `%s` and applies its handlers."
		var cases []jen.Code
		for _, name := range m.labels.Values {
			code := body.inside(func() {
				for _, h := range m.Handlers {
					if h.Label == name {
						for _, a := range h.Assigns {
							body.assign(a)
						}
					}
				}
			})
			if len(code) > 0 {
				cases = append(cases, jen.Case(jen.Id(m.label.consts[name])).Block(code...))
			}
		}
		body.block.add(jen.Switch(label.Clone()).Block(cases...))
	}
	g.method(f, fmt.Sprintf(doc, m.ID), m.done, body, []jen.Code{jen.Id("e").Add(ending())}, nil)
}
