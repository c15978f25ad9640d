package gen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// An operand is the code of a value together with what its Go type is.
type operand struct {
	code *jen.Statement
	// typ is the type the code has; opt says that it is a pointer to it.
	typ types.Type
	opt bool
	// lit is set when the value is a constant.
	lit *expr.Literal
	// ref is the value as the workflow names it.
	ref string
	// name is what a variable for it is called.
	name string
	// chain is set for an optional field of an output that can be read anywhere: it says
	// which, and at where the workflow reads it.
	chain string
	at    source.Span
	// plain says that its text is not its own form but a list's items in a row;
	// label that it is a label, and absent that it may be the empty one.
	plain, label, absent bool
	// consts are the constants of a label's type, by the labels.
	consts map[string]string
}

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
	o := operand{code: in.read(), typ: in.Type, ref: e.Name, name: unexported(in.field)}
	if in.raw() {
		o.code, o.typ = call(valuePath, "RawText", o.code), types.Text
	}
	if t, ok := in.Type.(*types.Optional); ok {
		o.typ, o.opt = t.Elem, !nilable(t.Elem)
	}
	if e.Given {
		return f.given(e, o)
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

// A member is a field of a structured output that Go code can select.
type member struct {
	path []string // Go names
	typ  types.Type
	opt  bool
}

// member returns how Go selects a field, or nil when its value must be looked
// up in the text: because its type is not known, because a level above it may
// be missing, or because only the text has its exact form.
func (g *goPackage) member(e *expr.Field) *member {
	if e.Previous {
		return nil
	}
	return g.memberOf(e)
}

// memberOf is member also for an output of the previous iteration.
func (g *goPackage) memberOf(e *expr.Field) *member {
	m := g.selected(e)
	if m == nil || !types.IsText(m.typ) && !types.IsNumber(m.typ) && m.typ != types.Bool {
		return nil
	}
	return m
}

// selected is memberOf for a value of any type.
func (g *goPackage) selected(e *expr.Field) *member {
	n := g.byID[e.Node]
	if !e.Declared || !n.typed {
		return nil
	}
	m := &member{typ: n.Output}
	for _, name := range e.Path {
		s, ok := m.typ.(*types.Struct)
		if !ok || m.opt || g.types.structs[s] == nil {
			return nil
		}
		field := g.types.structs[s].lookup(name)
		if field == nil {
			return nil
		}
		m.path = append(m.path, field.name)
		m.typ, m.opt = field.field.Type, !field.field.Required
		if o, ok := m.typ.(*types.Optional); ok {
			m.typ, m.opt = o.Elem, true
		}
	}
	return m
}

// readable reports whether the text of an output surely has the field that the schema
// declares, or lacks it as the schema allows.
func (g *goPackage) readable(e *expr.Field) bool {
	return e.Declared && !e.Scalar && !e.Previous && !gone(e.Presence) && g.byID[e.Node].object
}

// of selects the member of the output of a task that completed.
func (m *member) of(task *jen.Statement) *jen.Statement {
	code := task.Dot("Output").Call().Dot("Value")
	for _, name := range m.path {
		code.Dot(name)
	}
	return code
}

func (f operandWriter) field(e *expr.Field) operand {
	n := f.g.byID[e.Node]
	if e.Previous {
		return f.previousField(e, n)
	}
	o := operand{typ: types.Text, ref: reference(e, e.Node, e.Path), name: n.task + exported(e.Path[len(e.Path)-1], "Field")}
	if m := f.g.member(e); m != nil {
		o.typ, o.opt = m.typ, m.opt
		if !gone(e.Presence) {
			if v := f.known("value " + n.ID); v != "" {
				o.code = jen.Id(v)
				for _, name := range m.path {
					o.code.Dot(name)
				}
				return o
			}
			o.code = m.of(f.task(n))
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
			if !ok || f.g.member(field) == nil || gone(field.Presence) {
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

// The readers of fields: declaredReaders are for those that the output declares, by whether
// the value must be neither an object nor a list, openReaders the same for those of an output
// without a schema, and undeclaredReader for one that the output does not declare, which is
// one name.
var (
	declaredReaders = map[bool]string{false: "FieldOrEmpty", true: "ScalarFieldOrEmpty"}
	openReaders     = map[bool]string{false: "Field", true: "ScalarField"}
)

const undeclaredReader = "Undeclared"

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

// gone reports whether the producer itself may have nothing to read.
func gone(p expr.Presence) bool { return p&(expr.MaybeSkipped|expr.MaybeFailed) != 0 }

// reference is a reference as the workflow writes it.
func reference(e expr.Expr, node string, path []string) string {
	if text := e.Span().Text(); strings.HasPrefix(text, "$") && !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return strings.Join(append([]string{"$" + node, "output"}, path...), ".")
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

// text is the code of a value's text.
func text(o operand) *jen.Statement {
	switch {
	case o.lit != nil:
		return jen.Lit(o.lit.Text)
	case o.plain, o.opt && (types.IsText(o.typ) || types.IsNumber(o.typ) || o.typ == types.Bool), types.IsNumber(o.typ):
		return jen.Qual(valuePath, "Plain").Call(o.code)
	case types.IsText(o.typ):
		if _, enum := o.typ.(*types.Enum); enum {
			return jen.String().Call(o.code)
		}
		return o.code
	case o.typ == types.Bool:
		return jen.Qual(strconvPath, "FormatBool").Call(o.code)
	}
	return jen.Qual(valuePath, "Encode").Call(o.code)
}

// fallible reports whether evaluating an expression may fail the node.
func (g *goPackage) fallible(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Output:
		return !e.Presence.Always() || e.Previous
	case *expr.Field:
		return gone(e.Presence) || g.member(e) == nil && !g.readable(e)
	case *expr.Var:
		return e.Var == expr.BaseBranch
	case *expr.Input:
		return e.Given
	case *expr.Not:
		return g.fallible(e.X)
	case *expr.Logic:
		return g.fallible(e.X) || g.fallible(e.Y)
	case *expr.Compare:
		return g.fallible(e.X) || g.fallible(e.Y) || e.Op.IsNumeric() && (!g.number(e.X) || !g.number(e.Y))
	}
	return false
}

// number reports whether an expression is a number without further ado.
func (g *goPackage) number(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Literal:
		_, ok := constantNumber(e.Text)
		return ok
	case *expr.Field:
		m := g.member(e)
		return m != nil && !m.opt && types.IsNumber(m.typ)
	case *expr.Input:
		return types.IsNumber(e.Typ)
	}
	return false
}

// raw reports whether an input is kept as JSON: one of any type whose keys must keep
// their order.
func (in *input) raw() bool {
	lit, ok := in.Default.(*expr.Literal)
	return ok && in.Type == types.Any && lit.Typ == types.Any
}

// given is the code of an input that may have no value, which fails the node then.
func (f operandWriter) given(e *expr.Input, o operand) operand {
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

// producer is the node of an output or of a field of one.
func (g *goPackage) producer(e expr.Expr) *node {
	switch e := e.(type) {
	case *expr.Output:
		return g.byID[e.Node]
	case *expr.Field:
		return g.byID[e.Node]
	}
	return nil
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
