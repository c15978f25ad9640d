package gen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// run is the receiver of the methods of a run.
func run() *jen.Statement { return jen.Id("r") }

// method writes a method of a run.
func (g graphWriter) method(f *jen.File, doc, name string, body *function, params, results []jen.Code) {
	g.doc(f, noted(name+" "+doc, body.notes))
	f.Func().Params(jen.Id("r").Op("*").Id("run")).Id(name).Params(params...).Params(results...).Block(body.block.code...)
}

// testMethod writes the method that decides a condition, if it has one.
func (g graphWriter) testMethod(f *jen.File, cond expr.Expr, deed, text string) {
	name := g.graph.tests[cond]
	if name == "" {
		return
	}
	body := g.functionAt(cond.Span(), jen.False())
	code := body.conditions().condition(cond).code
	g.add(body.block, cond.Span(), jen.Return(code))
	g.method(f, g.placed(deed, cond.Span())+":"+conditionDoc(text), name, body, nil, []jen.Code{jen.Bool()})
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
			code := text.texts().template(messageID, i.Message)
			g.mark(text.block, code.first, jen.Return(code.code))
			g.method(f, g.placed(fmt.Sprintf("composes a question to a person at node `%s`", m.ID), i.Span)+".", i.compose, text, nil, []jen.Code{jen.String()})
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
			doc, more = "asks the agent of node `%s`", " and tells it to end with a label."
		}
		body.actions().askAgent(m, a, nil)
	case *ir.Bash:
		doc = "runs the command of node `%s`"
		d := body.actions().bash(a)
		at := place(a.Original, m.IDSpan)
		call := run().Dot("RunScript").Call(jen.Id("c"), jen.Qual(flowPath, "Bash").Add(d.lines()))
		g.mark(body.block, at, jen.Return(call))
	case *ir.Human:
		doc = "asks a person at node `%s`"
		message := body.hold(messageID, body.texts().template(messageID, a.Message))
		at := place(a.Message, m.IDSpan)
		g.mark(body.block, at, jen.Return(run().Dot("AskPerson").Call(jen.Id("c"), message)))
	case *ir.Join:
		doc = "gives the outputs of the branches to the agent of node `%s`"
		body.actions().askAgent(m, a.Prompt, run().Dot("Reports").Call(jen.Id("c")))
	case *ir.Fail:
		doc, more, context = "fails node `%s`", ", which needs a file that was missing when the workflow was compiled.", "_"
		body.actions().fail(m.node, a)
	default:
		panic(fmt.Sprintf("an action of type %T reached the generator in a graph", m.Action))
	}
	doc = g.placed(fmt.Sprintf(doc, m.ID), m.IDSpan) + more
	if m.Doc != "" {
		doc += " " + m.Doc
	}
	g.method(f, doc, m.run, body,
		[]jen.Code{jen.Id(context).Op("*").Qual(flowPath, contextType)}, []jen.Code{outcomeType(), jen.Error()})
}

// askAgent writes the body of a node that an agent works on. tail is appended to
// its prompt.
func (f actionWriter) askAgent(m *graphNode, a *ir.Prompt, tail *jen.Statement) {
	f.tail = tail
	at := place(a.Text, m.IDSpan)
	d := f.turn(a, nil, nil, m.IdleTimeout)
	call := run().Dot("AskAgent").Call(jen.Id("c"), jen.Qual(flowPath, "Prompt").Add(d.lines()))
	f.g.mark(f.block, at, jen.Return(call))
}

// doneMethod writes the method that applies the node's handlers.
func (g graphWriter) doneMethod(f *jen.File, m *graphNode) {
	body := g.functionAt(m.IDSpan, nil)
	var labels []string
	var blocks [][]jen.Code
	for _, name := range m.labels.Values {
		code := body.inside(func() {
			for _, h := range m.Handlers {
				if h.Label == name {
					for _, a := range h.Assigns {
						g.add(body.block, a.Span, body.operands().assignment(a))
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
		body.block.add(slices.Concat(blocks...)...)
	case len(blocks) == 1:
		body.block.add(jen.If(m.last().Op("==").Id(labels[0])).Block(blocks[0]...))
	case len(blocks) > 1:
		body.block.add(jen.Switch(m.last()).BlockFunc(func(cases *jen.Group) {
			for i, code := range blocks {
				cases.Case(jen.Id(labels[i])).Block(code...)
			}
		}))
	}
	g.method(f, g.placed(fmt.Sprintf("applies `on_output` of node `%s`", m.ID), m.IDSpan)+".", m.done, body, []jen.Code{jen.Id("o").Add(outcomeType())}, nil)
}

// graphOperand is the code of an expression that only graphs have.
func (f operandWriter) graphOperand(e expr.Expr) operand {
	g := f.g
	switch e := e.(type) {
	case *expr.State:
		elem, optional := unwrapped(g.graph.State.Field(e.Name).Type)
		return operand{
			code: g.stateField(e.Name), typ: elem, opt: optional && scalar(elem), plain: !scalar(elem),
			ref: "state." + e.Name, name: "variable",
		}
	case *expr.Input:
		if !g.graph.own[e.Name] {
			return f.graphOperand(&expr.State{At: e.At, Name: e.Name, Typ: e.Typ})
		}
		o := f.input(e)
		o.code = g.inputs[e.Name].of(jen.Id("r").Dot("in"))
		return o
	case *expr.LastLabel:
		m := g.graph.byID[e.Node]
		_, maybe := unwrapped(e.Typ)
		return operand{code: m.last(), typ: m.labels, label: m.label != nil, consts: m.labelConstants(), absent: maybe, ref: "outputs." + e.Node, name: "label"}
	case *expr.Said:
		return operand{code: jen.Id("o").Dot("Text"), typ: types.Text, ref: "output", name: "output"}
	case *expr.Progress:
		read := map[expr.Measure]string{
			expr.Iteration: "Iteration", expr.CurrentNode: "Current", expr.StartedAt: "StartedAt",
			expr.NodesExecuted: "Executed", expr.CostUSD: "CostUSD",
		}[e.Measure]
		return operand{code: run().Dot(read).Call(), typ: e.Type(), plain: e.Measure == expr.NodesExecuted, ref: "state." + e.Measure.String(), name: "measure"}
	}
	panic(fmt.Sprintf("an expression of type %T reached the generator", e))
}

// compareValues is the code of a comparison of values by their types. If Go can compare
// both types, it is a Go comparison in the order of the workflow: a constant is Y, also if
// the workflow has it on the left. It checks first whether an optional value is missing:
// a missing value differs from every other one, and is neither less nor greater.
func (f conditionWriter) compareValues(e *expr.Compare) boolean {
	x, y := f.operands().operand(e.X), f.operands().operand(e.Y)
	equality := e.Op == expr.ValueEqual || e.Op == expr.ValueNotEqual
	switch {
	case isNull(y) && equality:
		return f.compareNull(e.Op, x)
	case isNull(x) || isNull(y) || !alike(x.typ, y.typ) || x.opt && y.opt || (x.absent || y.absent) && (x.opt || y.opt || !equality):
		return f.compareAny(e.Op, x, y)
	}
	if y.lit != nil && y.typ == types.Bool && !x.opt {
		if (y.lit.Text == "true") == (e.Op == expr.ValueEqual) {
			return boolean{code: x.code, level: unaryLevel}
		}
		return boolean{code: jen.Op("!").Add(x.code), level: unaryLevel}
	}
	a, b := scalarCode(x, y), scalarCode(y, x)
	op := e.Op
	if y.lit != nil && e.Y.Span().Compare(e.X.Span()) < 0 {
		a, b, op = b, a, op.Mirrored()
	}
	code := boolean{code: jen.Add(a).Op(op.String()).Add(b), level: compareLevel}
	missing := x.code
	switch {
	case x.opt:
	case y.opt:
		missing = y.code
	default:
		return code
	}
	if e.Op == expr.ValueNotEqual {
		return boolean{code: jen.Add(missing).Op("==").Nil().Op("||").Add(code.code), level: orLevel}
	}
	return boolean{code: jen.Add(missing).Op("!=").Nil().Op("&&").Add(code.code), level: andLevel}
}

func isNull(o operand) bool { return o.lit != nil && o.lit.Typ == types.Null }

// alike reports whether Go compares two values of these types.
func alike(a, b types.Type) bool {
	return types.IsText(a) && types.IsText(b) || types.IsNumber(a) && types.IsNumber(b) || a == types.Bool && b == types.Bool
}

// scalarCode is the code of a value in the type of a comparison with another value.
func scalarCode(o, other operand) *jen.Statement {
	switch {
	case o.lit != nil && types.IsText(o.typ):
		if name := other.consts[o.lit.Text]; name != "" {
			return jen.Id(name)
		}
		return jen.Lit(o.lit.Text)
	case o.lit != nil:
		return jen.Op(o.lit.Text)
	}
	code := jen.Add(o.code)
	if o.opt {
		code = jen.Op("*").Add(code)
	}
	switch {
	case o.label && other.lit == nil:
		return jen.String().Call(code)
	case o.typ == types.Int && (other.typ == types.Float && (other.lit == nil || !canonicalInt(other.lit.Text))):
		return jen.Float64().Call(code)
	}
	return code
}

// compareNull is the code of a comparison with null.
func (f conditionWriter) compareNull(op expr.CompareOp, x operand) boolean {
	switch {
	case x.label:
		return boolean{code: jen.Add(x.code).Op(op.String()).Lit(""), level: compareLevel}
	case x.opt, x.plain:
		return boolean{code: jen.Add(x.code).Op(op.String()).Nil(), level: compareLevel}
	case (op == expr.ValueEqual) == isNull(x):
		return boolean{code: jen.True(), level: unaryLevel}
	}
	return boolean{code: jen.False(), level: unaryLevel}
}

// compareAny is the code of a comparison of values whose types Go cannot compare.
func (f conditionWriter) compareAny(op expr.CompareOp, x, y operand) boolean {
	call := func(name string, a, b operand) boolean {
		return boolean{code: jen.Qual(valuePath, name).Call(f.anyCode(a), f.anyCode(b)), level: unaryLevel}
	}
	switch op {
	case expr.ValueEqual:
		return call("Equal", x, y)
	case expr.ValueNotEqual:
		equal := call("Equal", x, y)
		return boolean{code: jen.Op("!").Add(equal.code), level: unaryLevel}
	case expr.ValueLess:
		return call("Less", x, y)
	case expr.ValueLessEqual:
		return call("AtMost", x, y)
	case expr.ValueGreater:
		return call("Less", y, x)
	}
	return call("AtMost", y, x)
}

// anyCode is the code of a value as one of any type.
func (f conditionWriter) anyCode(o operand) *jen.Statement {
	switch {
	case isNull(o):
		return jen.Nil()
	case o.lit != nil && scalar(o.lit.Typ):
		return scalarCode(o, operand{typ: types.Any})
	case o.lit != nil:
		return jen.Qual("encoding/json", "RawMessage").Call(f.g.quote(o.lit.Text))
	case o.label && o.absent:
		return jen.Qual(valuePath, "OrNull").Call(o.code)
	}
	return o.code
}

// literalType is the type of a constant in a comparison. A comparison of strings uses its
// text, whatever its type.
func literalType(e *expr.Literal) types.Type {
	if e.Typ == nil {
		return types.Text
	}
	return e.Typ
}
