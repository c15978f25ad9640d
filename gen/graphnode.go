package gen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// writeMethod writes a method of a run.
func (g graphWriter) writeMethod(f *jen.File, doc, name string, body *function, params, results []jen.Code) {
	g.writeDoc(f, withNotes(name+" "+doc, body.notes))
	f.Func().Params(jen.Id("r").Op("*").Id("run")).Id(name).Params(params...).Params(results...).Block(body.block.code...)
}

// testMethod writes the method that decides a condition, if it has one.
func (g graphWriter) testMethod(f *jen.File, cond expr.Expr, deed, text string) {
	name := g.graph.tests[cond]
	if name == "" {
		return
	}
	body := g.functionAt(cond.Span(), jen.False())
	code := body.asConditionWriter().conditionCode(cond).code
	g.addWithPlace(body.block, cond.Span(), jen.Return(code))
	g.writeMethod(f, g.withPlace(deed, cond.Span())+":"+conditionDoc(text), name, body, nil, []jen.Code{jen.Bool()})
}

// guardMethod writes the method that decides an edge, if it has one.
func (g graphWriter) guardMethod(f *jen.File, from string, e *ir.Edge) {
	to := "the end"
	if e.To != nil {
		to = "node `" + e.To.ID + "`"
	}
	g.testMethod(f, e.Guard, "decides whether the walk goes from "+from+" to "+to, e.GuardText)
}

func outcomeType() *jen.Statement { return jen.Qual(graphPath, "NodeResult") }

// graphNodeFuncs writes the methods of a node.
func (g graphWriter) graphNodeFuncs(f *jen.File, m *graphNode) {
	if m.run != "" {
		g.workMethod(f, m)
	}
	if m.done != "" {
		g.doneMethod(f, m)
	}
	for _, i := range slices.Concat(m.before, m.later) {
		g.testMethod(f, i.When, "decides whether to ask a person", i.WhenText)
		if i.compose != "" {
			text := g.functionAt(i.Span, jen.Lit(""))
			code := text.asTextWriter().templateText(messageID, i.Message)
			g.addMarked(text.block, code.first, jen.Return(code.code))
			g.writeMethod(f, g.withPlace(fmt.Sprintf("composes a question to a person at node `%s`", m.ID), i.Span)+".", i.compose, text, nil, []jen.Code{jen.String()})
		}
	}
	if a, ok := m.Action.(*ir.Decision); ok {
		g.testMethod(f, a.Cond, fmt.Sprintf("decides whether node `%s` ends with `%s`, not `%s`", m.ID, m.labels.Values[0], m.labels.Values[1]), a.CondText)
	}
	for _, e := range m.Out {
		g.guardMethod(f, "node `"+m.ID+"`", e)
	}
}

// workMethod writes the method that does the node's work.
func (g graphWriter) workMethod(f *jen.File, m *graphNode) {
	body := g.functionAt(m.IDSpan, outcomeType().Values())
	context, doc, more := "c", "", "."
	switch a := m.Action.(type) {
	case *ir.Prompt:
		doc = "asks the agent of node `%s`"
		if len(m.labels.Values) > 1 {
			more = " and tells it to end with a label."
		}
		body.asActionWriter().askAgent(m, a, nil)
	case *ir.Bash:
		doc = "runs the command of node `%s`"
		d := body.asActionWriter().bashFields(a)
		body.asActionWriter().returnWork("RunScript", jen.Qual(flowPath, "Bash").Add(d.asLines()), beginOf(a.Original, m.IDSpan))
	case *ir.Human:
		doc = "asks a person at node `%s`"
		message := body.holdText(messageID, body.asTextWriter().templateText(messageID, a.Message))
		body.asActionWriter().returnWork("AskPerson", message, beginOf(a.Message, m.IDSpan))
	case *ir.Join:
		doc = "gives the outputs of the branches to the agent of node `%s`"
		body.asActionWriter().askAgent(m, a.Prompt, runReceiver().Dot("Reports").Call(jen.Id("c")))
	case *ir.Fail:
		doc, more, context = "fails node `%s`", ", which needs a file that was missing when the workflow was compiled.", "_"
		body.asActionWriter().writeFailure(m.node, a)
	default:
		panic(fmt.Sprintf("an action of type %T reached the generator in a graph", m.Action))
	}
	doc = fmt.Sprintf(doc, m.ID) + more // the table has the place
	if m.Doc != "" {
		doc += " " + m.Doc
	}
	g.writeMethod(f, doc, m.run, body,
		[]jen.Code{jen.Id(context).Op("*").Qual(flowPath, contextType)}, []jen.Code{outcomeType(), jen.Error()})
}

// askAgent writes the body of a node that an agent works on. tail is appended to
// its prompt.
func (f actionWriter) askAgent(m *graphNode, a *ir.Prompt, tail *jen.Statement) {
	f.tail = tail
	d := f.promptFields(a, nil, nil, m.IdleTimeout)
	f.returnWork("AskAgent", jen.Qual(flowPath, "Prompt").Add(d.asLines()), beginOf(a.Text, m.IDSpan))
}

// returnWork emits the return of what a method of the walk gives for the node's work.
func (f actionWriter) returnWork(method string, of *jen.Statement, at source.Span) {
	f.g.addMarked(f.block, at, jen.Return(runReceiver().Dot(method).Call(jen.Id("c"), of)))
}

// doneMethod writes the method that applies the node's handlers.
func (g graphWriter) doneMethod(f *jen.File, m *graphNode) {
	body := g.functionAt(m.IDSpan, nil)
	var labels []string
	var blocks [][]jen.Code
	for _, name := range m.labels.Values {
		code := body.innerBlock(func() {
			for _, h := range m.Handlers {
				if h.Label == name {
					for _, a := range h.Assigns {
						g.addWithPlace(body.block, a.Span, body.asOperandWriter().assignmentCode(a))
					}
				}
			}
		})
		if len(code) > 0 {
			labels, blocks = append(labels, m.labelConstants()[name]), append(blocks, code)
		}
	}
	switch {
	case len(m.labels.Values) == 1:
		body.block.addCode(slices.Concat(blocks...)...)
	case len(blocks) == 1:
		body.block.addCode(jen.If(m.lastLabel().Op("==").Id(labels[0])).Block(blocks[0]...))
	case len(blocks) > 1:
		body.block.addCode(jen.Switch(m.lastLabel()).BlockFunc(func(cases *jen.Group) {
			for i, code := range blocks {
				cases.Case(jen.Id(labels[i])).Block(code...)
			}
		}))
	}
	g.writeMethod(f, fmt.Sprintf("applies `on_output` of node `%s`.", m.ID), m.done, body, []jen.Code{jen.Id(resultID).Add(outcomeType())}, nil)
}
