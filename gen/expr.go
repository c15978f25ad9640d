package gen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// operand emits what must run first and returns the code of a value.
func (f operandWriter) operand(e expr.Expr) operand {
	switch e := e.(type) {
	case *expr.Literal:
		return operand{code: jen.Lit(e.Text), typ: literalType(e), lit: e, ref: e.Text, name: "constant"}
	case *expr.Output:
		return f.output(e)
	case *expr.Field:
		return f.field(e)
	case *expr.Input:
		if f.g.graph != nil {
			return f.graphOperand(e)
		}
		return f.input(e)
	case *expr.Joined:
		return f.joined(e)
	case *expr.Fallback:
		return f.fallback(e)
	case *expr.Var:
		return f.variable(e)
	case *expr.Compare, *expr.Logic, *expr.Not:
		return operand{code: f.conditions().condition(e).code, typ: types.Bool, ref: "the condition", name: "condition"}
	case *expr.State, *expr.LastLabel, *expr.Said, *expr.Progress:
		return f.graphOperand(e)
	}
	if isDynamic(e) {
		return f.values().dynamicOperand(e)
	}
	panic(fmt.Sprintf("an expression of type %T reached the generator", e))
}

func (f operandWriter) input(e *expr.Input) operand {
	f.uses.inputs = true
	in := f.g.inputs[e.Name]
	o := operand{code: in.readCode(), typ: in.Type, ref: e.Name, name: unexported(in.field)}
	if in.raw() {
		o.code, o.typ = call(valuePath, "RawText", o.code), types.Text
	}
	if t, ok := in.Type.(*types.Optional); ok {
		o.typ, o.opt = t.Elem, !nilable(t.Elem)
	}
	if e.Given {
		return f.requireInput(e, o)
	}
	return o
}

func (f operandWriter) output(e *expr.Output) operand {
	n := f.g.byID[e.Node]
	if e.Previous {
		return f.previousOutput(e, n)
	}
	o := operand{typ: types.Text, ref: reference(e, e.Node, nil), name: n.task}
	if e.Presence.Always() {
		o.code = f.task(n).Dot("Output").Call().Dot("Text")
	} else if e.Needed {
		o.code = f.try("needed "+n.ID, n.task+"Text", f.task(n).Dot("RequireText").Call(jen.Lit(o.ref)), e.At)
	} else {
		o.code = f.try("text "+n.ID, n.task+"Text", f.task(n).Dot("Text").Call(), e.At)
	}
	return o
}

func (f operandWriter) field(e *expr.Field) operand {
	n := f.g.byID[e.Node]
	if e.Previous {
		return f.previousField(e, n)
	}
	o := operand{typ: types.Text, ref: reference(e, e.Node, e.Path), name: n.task + exported(e.Path[len(e.Path)-1], "Field")}
	if m := f.g.member(e); m != nil {
		o.typ, o.opt = m.typ, m.opt
		if !mayLackOutput(e.Presence) {
			if v := f.known("value " + n.ID); v != "" {
				o.code = jen.Id(v)
				for _, name := range m.path {
					o.code.Dot(name)
				}
				return o
			}
			o.code = m.selectFrom(f.task(n))
			if m.opt {
				o.chain, o.at = "field "+n.ID+"."+strings.Join(e.Path, "\x00"), e.At
			}
			return o
		}
		o.code = f.try("value "+n.ID, n.task+"Value", f.task(n).Dot("RequireValue").Call(jen.Lit(o.ref)), e.At)
		for _, name := range m.path {
			o.code.Dot(name)
		}
		return o
	}
	if f.g.readable(e) {
		o.code = call(valuePath, "FieldText", append([]jen.Code{f.task(n)}, literals(e.Path)...)...)
		return o
	}
	list := append([]jen.Code{f.task(n), jen.Lit(o.ref)}, literals(e.Path)...)
	read := readerOf(e, n)
	if read == undeclaredReader {
		o.code = f.try("undeclared "+n.ID+"."+e.Path[0], o.name, call(valuePath, read, list[:3]...), e.At)
		return o
	}
	o.code = f.try(read+" "+n.ID+"."+strings.Join(e.Path, "\x00"), o.name, call(valuePath, read, list...), e.At)
	return o
}

// shareOutputs gives each output of which the values read several fields a variable.
func (f operandWriter) shareOutputs(values []expr.Expr) {
	fields := map[*node]int{}
	for _, e := range values {
		expr.Walk(e, func(e expr.Expr) bool {
			field, ok := e.(*expr.Field)
			if !ok || f.g.member(field) == nil || mayLackOutput(field.Presence) {
				return true
			}
			n := f.g.byID[field.Node]
			if fields[n]++; fields[n] == 2 && f.known("value "+n.ID) == "" {
				name := f.local(n.task + "Value")
				f.block.remember("value "+n.ID, name)
				f.g.mark(f.block, field.At, jen.Id(name).Op(":=").Add(f.task(n)).Dot("Output").Call().Dot("Value"))
			}
			return true
		})
	}
}

func (f operandWriter) variable(e *expr.Var) operand {
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
		o.code = f.try("base branch", "baseBranch", c.Dot("BaseBranch").Call(), e.At)
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
	o.code, o.opt = f.try("input "+e.Name, o.name, jen.Qual(flowPath, "RequireInput").Call(o.code, jen.Lit(ref)), e.At), false
	return o
}

// joined is the code of texts in a row.
func (f operandWriter) joined(e *expr.Joined) operand {
	code := jen.Lit("")
	for i, part := range e.Parts {
		if next := text(f.operand(part)); i == 0 {
			code = next
		} else {
			code.Op("+").Add(next)
		}
	}
	return operand{code: code, typ: types.Text, ref: e.At.Text(), name: "text"}
}

// fallback is the code of an output that has another value if its node was skipped.
func (f operandWriter) fallback(e *expr.Fallback) operand {
	n := f.g.producer(e.X)
	name := f.local(n.task + "Text")
	f.g.mark(f.block, e.At, jen.Id(name).Op(":=").Lit(e.Else.Text))
	body := f.inside(func() {
		if out, ok := e.X.(*expr.Output); ok && !out.Presence.Always() && !out.Needed && !out.Previous {
			f.fill(name, f.task(n).Dot("Text").Call(), out.At)
			return
		}
		f.block.add(jen.Id(name).Op("=").Add(text(f.operand(e.X))))
	})
	f.block.add(jen.If(f.task(n).Dot("Status").Call().Op("!=").Qual(flowPath, "Skipped")).Block(body...))
	return operand{code: jen.Id(name), typ: types.Text, ref: e.At.Text(), name: name}
}

// evaluate writes what evaluates a value that nothing reads, if that may fail the node.
func (f operandWriter) evaluate(e expr.Expr) {
	switch e := e.(type) {
	case *expr.Joined:
		for _, part := range e.Parts {
			f.evaluate(part)
		}
	case *expr.Fallback:
		if body := f.inside(func() { f.evaluate(e.X) }); len(body) > 0 {
			f.block.add(jen.If(f.task(f.g.producer(e.X)).Dot("Status").Call().Op("!=").Qual(flowPath, "Skipped")).Block(body...))
		}
	default:
		if f.g.fallible(e) {
			f.discards = true
			f.operand(e)
			f.discards = false
		}
	}
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
		o.code = g.inputs[e.Name].readFrom(jen.Id("r").Dot("in"))
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

// previousOutput is the text of an output in the previous iteration.
func (f operandWriter) previousOutput(e *expr.Output, n *node) operand {
	o := operand{ref: reference(e, e.Node, nil), typ: e.Type(), name: n.last + "Text"}
	o.code = f.try("previous "+n.ID, o.name, f.lastTask(n).Dot("Text").Call(), e.At)
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
		name = f.local(n.last + exported(e.Path[len(e.Path)-1], "Field"))
		f.g.mark(f.block, e.At, jen.Id(name).Op(":=").Lit(""))
	}
	body := f.inside(func() {
		if m != nil {
			f.block.add(jen.Id(name).Op("=").Add(text(operand{code: m.selectFrom(f.lastTask(n)), typ: m.typ, opt: m.opt})))
			return
		}
		args := append([]jen.Code{f.lastTask(n), jen.Lit(reference(e, e.Node, e.Path))}, literals(e.Path)...)
		read := readerOf(e, n)
		if read == undeclaredReader {
			args = args[:3]
		}
		if code := call(valuePath, read, args...); f.discards {
			f.try("", name, code, e.At)
		} else {
			f.fill(name, code, e.At)
		}
	})
	f.block.add(jen.If(f.lastTask(n).Dot("Status").Call().Op("==").Qual(flowPath, "Completed")).Block(body...))
	return operand{code: jen.Id(name), typ: types.Text, ref: reference(e, e.Node, e.Path), name: name}
}

// stateField is the code of a variable of the state.
func (g *goPackage) stateField(name string) *jen.Statement {
	return jen.Id("r").Dot("State").Dot(g.graph.fields[name])
}

// run is the receiver of the methods of a run.
func run() *jen.Statement { return jen.Id("r") }

// stateInput is the code of an input as the initial value of a variable; same reports
// whether both have the same Go type.
func (f operandWriter) stateInput(e *expr.Input, t types.Type) (code *jen.Statement, same bool) {
	o := f.input(e)
	elem, optional := unwrapped(t)
	switch {
	case !scalar(elem) || o.opt && !optional || !sameScalar(o.typ, elem):
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
	if o, ok := t.(*types.Optional); ok {
		t = o.Elem
	}
	s, ok := t.(*types.Struct)
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
