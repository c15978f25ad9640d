package gen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// operandCode emits what must run first and returns the code of a value.
func (f operandWriter) operandCode(e expr.Expr) operand {
	switch e := e.(type) {
	case *expr.Literal:
		return operand{code: jen.Lit(e.Text), typ: literalType(e), lit: e, ref: e.Text, name: "constant"}
	case *expr.Output:
		return f.outputOperand(e)
	case *expr.Field:
		return f.fieldOperand(e)
	case *expr.Input:
		if f.g.graph != nil {
			return f.graphOperand(e)
		}
		return f.inputOperand(e)
	case *expr.Joined:
		return f.joinedOperand(e)
	case *expr.Fallback:
		return f.fallbackOperand(e)
	case *expr.Var:
		return f.variableOperand(e)
	case *expr.Compare, *expr.Logic, *expr.Not:
		return operand{code: f.asConditionWriter().conditionCode(e).code, typ: types.Bool, ref: "the condition", name: "condition"}
	case *expr.State, *expr.LastLabel, *expr.Said, *expr.Progress:
		return f.graphOperand(e)
	}
	if isDynamic(e) {
		return f.asValueWriter().dynamicOperand(e)
	}
	panic(fmt.Sprintf("an expression of type %T reached the generator", e))
}

func (f operandWriter) inputOperand(e *expr.Input) operand {
	f.uses.inputs = true
	in := f.g.inputs[e.Name]
	o := operand{code: in.readCode(), typ: in.Type, ref: e.Name, name: unexportedName(in.field)}
	if in.isRaw() {
		o.code, o.typ = callFunc(valuePath, "RawText", o.code), types.Text
	}
	if t, ok := in.Type.(*types.Optional); ok {
		o.typ, o.opt = t.Elem, !hasNil(t.Elem)
	}
	if e.Given {
		return f.requireInput(e, o)
	}
	return o
}

func (f operandWriter) outputOperand(e *expr.Output) operand {
	n := f.g.byID[e.Node]
	if e.Previous {
		return f.previousOutput(e, n)
	}
	o := operand{typ: types.Text, ref: referenceText(e, e.Node, nil), name: n.task}
	if e.Presence.Always() {
		o.code = f.taskVariable(n).Dot("MustOutput").Call().Dot("Text")
	} else if e.Needed {
		o.code = f.tryCall("needed "+n.ID, n.task+"Text", f.taskVariable(n).Dot("RequireText").Call(jen.Lit(o.ref)), e.At)
	} else {
		o.code = f.tryCall("text "+n.ID, n.task+"Text", f.taskVariable(n).Dot("Text").Call(), e.At)
	}
	return o
}

func (f operandWriter) fieldOperand(e *expr.Field) operand {
	n := f.g.byID[e.Node]
	if e.Previous {
		return f.previousField(e, n)
	}
	o := operand{typ: types.Text, ref: referenceText(e, e.Node, e.Path), name: n.task + exportedName(e.Path[len(e.Path)-1], "Field")}
	if m := f.g.memberOfField(e); m != nil {
		o.typ, o.opt = m.typ, m.opt
		if !mayLackOutput(e.Presence) {
			if v := f.knownVariable("value " + n.ID); v != "" {
				o.code = jen.Id(v)
				for _, name := range m.path {
					o.code.Dot(name)
				}
				return o
			}
			o.code = m.selectFrom(f.taskVariable(n))
			if m.opt {
				o.chain, o.at = "field "+n.ID+"."+strings.Join(e.Path, "\x00"), e.At
			}
			return o
		}
		o.code = f.tryCall("value "+n.ID, n.task+"Value", f.taskVariable(n).Dot("RequireValue").Call(jen.Lit(o.ref)), e.At)
		for _, name := range m.path {
			o.code.Dot(name)
		}
		return o
	}
	if f.g.isReadable(e) {
		o.code = callFunc(valuePath, "FieldText", append([]jen.Code{f.taskVariable(n)}, stringLiterals(e.Path)...)...)
		return o
	}
	list := append([]jen.Code{f.taskVariable(n), jen.Lit(o.ref)}, stringLiterals(e.Path)...)
	read := readerOf(e, n)
	if read == undeclaredReader {
		o.code = f.tryCall("undeclared "+n.ID+"."+e.Path[0], o.name, callFunc(valuePath, read, list[:3]...), e.At)
		return o
	}
	o.code = f.tryCall(read+" "+n.ID+"."+strings.Join(e.Path, "\x00"), o.name, callFunc(valuePath, read, list...), e.At)
	return o
}

// shareOutputs gives each output of which the values read several fields a variable.
func (f operandWriter) shareOutputs(values []expr.Expr) {
	fields := map[*node]int{}
	for _, e := range values {
		expr.Walk(e, func(e expr.Expr) bool {
			field, ok := e.(*expr.Field)
			if !ok || f.g.memberOfField(field) == nil || mayLackOutput(field.Presence) {
				return true
			}
			n := f.g.byID[field.Node]
			if fields[n]++; fields[n] == 2 && f.knownVariable("value "+n.ID) == "" {
				name := f.newLocal(n.task + "Value")
				f.block.rememberRead("value "+n.ID, name)
				f.g.addMarked(f.block, field.At, jen.Id(name).Op(":=").Add(f.taskVariable(n)).Dot("MustOutput").Call().Dot("Value"))
			}
			return true
		})
	}
}

func (f operandWriter) variableOperand(e *expr.Var) operand {
	o := operand{typ: types.Text, ref: "the " + e.Var.String(), name: "variable"}
	c := jen.Id("c")
	switch e.Var {
	case expr.RunID:
		o.code = c.Dot("RunID").Call()
	case expr.ArtifactsDir:
		o.code = c.Dot("ArtifactsDir").Call()
	case expr.LogDir:
		o.code = c.Dot("Scheduler").Call().Dot("Run").Call().Dot("LogDir")
	case expr.DocsDir:
		o.code = c.Dot("DocsDir").Call()
	case expr.StateDir:
		o.code = c.Dot("SharedDir").Call()
	case expr.ArtifactList:
		o.code = c.Dot("ArtifactList").Call()
	case expr.BaseBranch:
		o.code = f.tryCall("base branch", "baseBranch", c.Dot("BaseBranch").Call(), e.At)
	default:
		// The rest has a value only in its part of a loop or an approval.
		o.code = jen.Lit("")
		var code *jen.Statement
		if f.home != nil {
			code = f.home(e.Var)
		}
		if code == nil && f.answers && e.Var == expr.LoopUserInput {
			f.uses.iteration = true
			code = iterationVariable(e.Var)
		}
		if code != nil {
			o.code = code
		}
	}
	return o
}

// requireInput is the code of an input that may have no value, which fails the node then.
func (f operandWriter) requireInput(e *expr.Input, o operand) operand {
	ref := cmp.Or(e.At.Text(), "$INPUTS."+e.Name)
	o.code, o.opt = f.tryCall("input "+e.Name, o.name, jen.Qual(flowPath, "RequireInput").Call(o.code, jen.Lit(ref)), e.At), false
	return o
}

// joinedOperand is the code of texts in a row.
func (f operandWriter) joinedOperand(e *expr.Joined) operand {
	code := jen.Lit("")
	for i, part := range e.Parts {
		if next := textOf(f.operandCode(part)); i == 0 {
			code = next
		} else {
			code.Op("+").Add(next)
		}
	}
	return operand{code: code, typ: types.Text, ref: e.At.Text(), name: "text"}
}

// fallbackOperand is the code of an output that has another value if its node was skipped.
func (f operandWriter) fallbackOperand(e *expr.Fallback) operand {
	n := f.g.producerOf(e.X)
	name := f.newLocal(n.task + "Text")
	f.g.addMarked(f.block, e.At, jen.Id(name).Op(":=").Lit(e.Else.Text))
	body := f.innerBlock(func() {
		if out, ok := e.X.(*expr.Output); ok && !out.Presence.Always() && !out.Needed && !out.Previous {
			f.fillVariable(name, f.taskVariable(n).Dot("Text").Call(), out.At)
			return
		}
		f.block.addCode(jen.Id(name).Op("=").Add(textOf(f.operandCode(e.X))))
	})
	f.block.addCode(jen.If(f.taskVariable(n).Dot("Status").Call().Op("!=").Qual(flowPath, "Skipped")).Block(body...))
	return operand{code: jen.Id(name), typ: types.Text, ref: e.At.Text(), name: name}
}

// evaluateUnread writes what evaluates a value that nothing reads, if that may fail the node.
func (f operandWriter) evaluateUnread(e expr.Expr) {
	switch e := e.(type) {
	case *expr.Joined:
		for _, part := range e.Parts {
			f.evaluateUnread(part)
		}
	case *expr.Fallback:
		if body := f.innerBlock(func() { f.evaluateUnread(e.X) }); len(body) > 0 {
			f.block.addCode(jen.If(f.taskVariable(f.g.producerOf(e.X)).Dot("Status").Call().Op("!=").Qual(flowPath, "Skipped")).Block(body...))
		}
	default:
		if f.g.mayFail(e) {
			f.discards = true
			f.operandCode(e)
			f.discards = false
		}
	}
}

// graphOperand is the code of an expression that only graphs have.
func (f operandWriter) graphOperand(e expr.Expr) operand {
	g := f.g
	switch e := e.(type) {
	case *expr.State:
		elem, optional := unwrapOptional(g.graph.State.Field(e.Name).Type)
		return operand{
			code: g.stateField(e.Name), typ: elem, opt: optional && isScalar(elem), plain: !isScalar(elem),
			ref: "state." + e.Name, name: "variable",
		}
	case *expr.Input:
		if !g.graph.own[e.Name] {
			return f.graphOperand(&expr.State{At: e.At, Name: e.Name, Typ: e.Typ})
		}
		o := f.inputOperand(e)
		o.code = g.inputs[e.Name].readFrom(jen.Id("r").Dot("in"))
		return o
	case *expr.LastLabel:
		m := g.graph.byID[e.Node]
		_, maybe := unwrapOptional(e.Typ)
		return operand{code: m.lastLabel(), typ: m.labels, label: m.label != nil, consts: m.labelConstants(), absent: maybe, ref: "outputs." + e.Node, name: "label"}
	case *expr.Said:
		return operand{code: jen.Id(resultID).Dot("Text"), typ: types.Text, ref: "output", name: "output"}
	case *expr.Progress:
		read := map[expr.Measure]string{
			expr.Iteration: "Iteration", expr.CurrentNode: "Current", expr.StartedAt: "StartedAt",
			expr.NodesExecuted: "Executed", expr.CostUSD: "CostUSD",
		}[e.Measure]
		return operand{code: runReceiver().Dot(read).Call(), typ: e.Type(), plain: e.Measure == expr.NodesExecuted, ref: "state." + e.Measure.String(), name: "measure"}
	}
	panic(fmt.Sprintf("an expression of type %T reached the generator", e))
}

// previousOutput is the text of an output in the previous iteration.
func (f operandWriter) previousOutput(e *expr.Output, n *node) operand {
	o := operand{ref: referenceText(e, e.Node, nil), typ: e.Type(), name: n.last + "Text"}
	o.code = f.tryCall("previous "+n.ID, o.name, f.lastTask(n).Dot("Text").Call(), e.At)
	return o
}

// previousField is the text of a field in the previous iteration. A node that did not
// complete there has none.
func (f operandWriter) previousField(e *expr.Field, n *node) operand {
	m := f.g.memberOf(e)
	if f.discards && m != nil { // it cannot fail
		return operand{code: jen.Id("_"), typ: types.Text}
	}
	name := "_"
	if !f.discards {
		name = f.newLocal(n.last + exportedName(e.Path[len(e.Path)-1], "Field"))
		f.g.addMarked(f.block, e.At, jen.Id(name).Op(":=").Lit(""))
	}
	body := f.innerBlock(func() {
		if m != nil {
			f.block.addCode(jen.Id(name).Op("=").Add(textOf(operand{code: m.selectFrom(f.lastTask(n)), typ: m.typ, opt: m.opt})))
			return
		}
		args := append([]jen.Code{f.lastTask(n), jen.Lit(referenceText(e, e.Node, e.Path))}, stringLiterals(e.Path)...)
		read := readerOf(e, n)
		if read == undeclaredReader {
			args = args[:3]
		}
		if code := callFunc(valuePath, read, args...); f.discards {
			f.tryCall("", name, code, e.At)
		} else {
			f.fillVariable(name, code, e.At)
		}
	})
	f.block.addCode(jen.If(f.lastTask(n).Dot("Status").Call().Op("==").Qual(flowPath, "Completed")).Block(body...))
	return operand{code: jen.Id(name), typ: types.Text, ref: referenceText(e, e.Node, e.Path), name: name}
}

// stateField is the code of a variable of the state.
func (g *goPackage) stateField(name string) *jen.Statement {
	return jen.Id("r").Dot("State").Dot(g.graph.fields[name])
}

// runReceiver is the receiver of the methods of a run.
func runReceiver() *jen.Statement { return jen.Id("r") }

// stateInput is the code of an input as the initial value of a variable; same reports
// whether both have the same Go type.
func (f operandWriter) stateInput(e *expr.Input, t types.Type) (code *jen.Statement, same bool) {
	o := f.inputOperand(e)
	elem, optional := unwrapOptional(t)
	switch {
	case !isScalar(elem) || o.opt && !optional || !sameScalar(o.typ, elem):
		return jen.Qual(valuePath, "Recast").Types(stateGo(t)).Call(o.code), false
	case optional && !o.opt:
		return jen.New(o.code), false
	}
	return o.code, true
}

// sameScalar reports whether two types have the same Go type.
func sameScalar(a, b types.Type) bool {
	_, enum := a.(*types.Enum)
	return types.IsText(a) && types.IsText(b) && !enum || a == b
}

// readerOf is the name of the function that looks a field up in the text of an output.
func readerOf(e *expr.Field, n *node) string {
	switch {
	case e.Declared:
		return declaredReaders[e.Scalar]
	case declaresOthers(n.Output, e.Path[0]):
		return undeclaredReader
	}
	return openReaders[e.Scalar]
}

// declaresOthers reports whether a type declares fields and not the named one.
func declaresOthers(t types.Type, name string) bool {
	s, ok := types.WithoutNull(t).(*types.Struct)
	return ok && s.Field(name) == nil
}

// The readers of fields: declaredReaders are for those that the output declares, by whether
// the value must be neither an object nor a list, openReaders the same for those of an output
// without a schema, and undeclaredReader for one that the output does not declare, which is
// one name.
var (
	declaredReaders = map[bool]string{false: "FieldOrEmpty", true: "ScalarFieldOrEmpty"}
	openReaders     = map[bool]string{false: "Field", true: "ScalarField"}
)

const undeclaredReader = "Undeclared"
