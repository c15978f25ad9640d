package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// method writes a method of a run, which reads the inputs as `in`.
func (g *generator) method(f *jen.File, doc, name string, body *function, params, results []jen.Code) {
	g.top(f)
	f.Comment(comment(name + " " + doc))
	f.Add(runMethod(name, params, results).Block(body.withInputs()...))
}

// runMethod is the head of a method of a run.
func runMethod(name string, params, results []jen.Code) *jen.Statement {
	return jen.Func().Params(jen.Id("r").Op("*").Id("run")).Id(name).Params(params...).Params(results...)
}

// withInputs is the body of a method of a run that declares `in` if it reads it.
func (f *function) withInputs() []jen.Code {
	if !f.uses.inputs {
		return f.block.code
	}
	return append([]jen.Code{jen.Id("in").Op(":=").Id("r").Dot("in")}, f.block.code...)
}

func outcomeType() *jen.Statement { return jen.Qual(graphPath, "Outcome") }

// graphNodeFuncs writes the methods of a node.
func (g *generator) graphNodeFuncs(f *jen.File, m *graphNode) {
	if m.run != "" {
		g.workMethod(f, m)
	}
	if m.done != "" {
		g.doneMethod(f, m)
	}
	for _, i := range append(m.before[:len(m.before):len(m.before)], m.later...) {
		if i.compose != "" {
			text := g.newFunction(jen.Lit(""))
			code := text.template(i.Message)
			g.add(text.block, code.first, jen.Return(code.code))
			g.method(f, fmt.Sprintf("composes a question to a person at node `%s`.", m.ID), i.compose, text, nil, []jen.Code{jen.String()})
		}
	}
	g.guardFuncs(f, fmt.Sprintf("The conditions of node `%s`.", m.ID), func(yield func(name, text string, cond expr.Expr)) {
		g.eachGuard(m.Out, m.guards, yield)
		for _, i := range append(m.before[:len(m.before):len(m.before)], m.later...) {
			if i.when != "" {
				yield(i.when, i.WhenText, i.When)
			}
		}
	})
}

// eachGuard calls yield for the conditions of edges. Edges after one without a condition
// are never tried.
func (g *generator) eachGuard(edges []*ir.Edge, guards []string, yield func(name, text string, cond expr.Expr)) {
	for i, e := range edges {
		if guards[i] == "" {
			return
		}
		yield(guards[i], e.GuardText, e.Guard)
	}
}

// guardFuncs writes the methods of conditions, each on one line if it is short.
func (g *generator) guardFuncs(f *jen.File, doc string, each func(yield func(name, text string, cond expr.Expr))) {
	first := true
	each(func(name, text string, cond expr.Expr) {
		body := g.newFunction(jen.False())
		code := body.condition(cond).code
		g.add(body.block, cond.Span(), jen.Return(code))
		head, stmts := runMethod(name, nil, []jen.Code{jen.Bool()}), body.withInputs()
		if first {
			g.top(f)
			f.Comment(comment(doc))
		}
		switch {
		case len(stmts) == 1 && !g.opt.LineDirectives:
			f.Add(g.at(cond.Span()).Add(head.Add(oneLine(jen.Return(code.Clone())))))
		case first:
			f.Add(head.Block(stmts...))
		default:
			g.top(f)
			f.Comment(comment(name + " decides: " + text))
			f.Add(head.Block(stmts...))
		}
		first = false
	})
}

// workMethod writes the method that does the node's work.
func (g *generator) workMethod(f *jen.File, m *graphNode) {
	body := g.newFunction(outcomeType().Values())
	context, doc := "c", ""
	switch a := m.Action.(type) {
	case *ir.Prompt:
		doc = "asks the agent of node `%s`."
		body.askAgent(m, a, nil)
	case *ir.Bash:
		doc = "runs the command of node `%s`."
		d := body.bash(a)
		at := place(a.Original, m.IDSpan)
		call := jen.Id("r").Dot("RunScript").Call(jen.Id("c"), jen.Qual(flowPath, "Bash").Add(lines(g.open(at), d.code)))
		g.mark(body.block, at, jen.Return(call))
	case *ir.Decision:
		cond := body.condition(a.Cond)
		g.add(body.block, a.Cond.Span(), jen.Return(cond.code))
		g.method(f, fmt.Sprintf("decides node `%s`: %s", m.ID, a.CondText), m.run, body, nil, []jen.Code{jen.Bool()})
		return
	case *ir.Human:
		doc = "asks a person at node `%s`."
		message := body.hold("message", body.template(a.Message))
		at := place(a.Message, m.IDSpan)
		g.add(body.block, at, jen.Return(jen.Id("r").Dot("AskPerson").Call(jen.Id("c"), message, jen.Lit(a.Default))))
	case *ir.Join:
		doc = "gives the outputs of the branches to the agent of node `%s`."
		body.askAgent(m, a.Prompt, g.reports(a))
	case *ir.Fail:
		doc, context = "fails node `%s`, which needs a file that was missing when the workflow was compiled.", "_"
		d := fields{}
		d.set("Reason", jen.Lit("resource"))
		d.set("Class", jen.Qual(flowPath, "ClassFatal"))
		d.set("Message", jen.Lit(a.Message))
		g.add(body.block, m.IDSpan, jen.Return(outcomeType().Values(), jen.Op("&").Qual(flowPath, "Failure").Add(d.line())))
	default:
		panic(fmt.Sprintf("an action of type %T reached the generator in a graph", m.Action))
	}
	doc = fmt.Sprintf(doc, m.ID)
	if m.Doc != "" {
		doc += " " + m.Doc
	}
	g.method(f, doc, m.run, body,
		[]jen.Code{jen.Id(context).Op("*").Qual(flowPath, contextType)}, []jen.Code{outcomeType(), jen.Error()})
}

// askAgent writes the body of a node that an agent works on. tail is appended to
// its prompt.
func (f *function) askAgent(m *graphNode, a *ir.Prompt, tail *jen.Statement) {
	f.tail = tail
	at := place(a.Text, m.IDSpan)
	d := f.turn(a, nil, nil, m.IdleTimeout)
	call := jen.Id("r").Dot("AskAgent").Call(jen.Id("c"), jen.Qual(flowPath, "Prompt").Add(lines(f.g.open(at), d.code)))
	f.g.mark(f.block, at, jen.Return(call))
}

// reports is the code of the outputs of a join's branches.
func (g *generator) reports(a *ir.Join) *jen.Statement {
	var nodes []jen.Code
	for _, n := range a.Waits {
		nodes = append(nodes, jen.Id(g.graph.byID[n.ID].constant))
	}
	return jen.Id("r").Dot("Reports").Call(nodes...)
}

// doneMethod writes the method that keeps the node's label and applies its handlers.
func (g *generator) doneMethod(f *jen.File, m *graphNode) {
	body := g.newFunction(nil)
	label := jen.Id("r").Dot("Labels").Dot(m.exported)
	body.block.add(jen.Add(label).Op("=").Id(m.label.name).Call(jen.Id("o").Dot("Label")))
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
		if len(code) > 0 && len(m.labels.Values) == 1 {
			body.block.add(code...)
		} else if len(code) > 0 {
			cases = append(cases, jen.Case(jen.Id(m.label.consts[name])).Block(code...))
		}
	}
	if len(cases) > 0 {
		body.block.add(jen.Switch(label.Clone()).Block(cases...))
	}
	g.method(f, fmt.Sprintf("keeps the output of node `%s` and applies its handlers.", m.ID), m.done, body, []jen.Code{jen.Id("o").Add(outcomeType())}, nil)
}
