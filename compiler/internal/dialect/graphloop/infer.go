package graphloop

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// inferVariables gives every variable its type and its first value, and makes the inputs.
func (d *decoder) inferVariables() {
	for _, v := range d.state.all {
		if v.initial != nil {
			v.typ.unifyValue(v.initial)
		}
	}
	for _, v := range d.state.all {
		d.state.inferWrites(v)
	}
	for _, c := range d.conditions {
		c.term.constrainVariables()
		c.term.beCondition()
	}
	for _, v := range d.state.all {
		d.state.settleTexts(v)
	}
	for _, v := range d.state.all {
		if input := v.settleType(); input != nil {
			d.workflow.Inputs = append(d.workflow.Inputs, input)
		}
		d.graph.State.Fields = append(d.graph.State.Fields, v.field)
	}
}

// inferWrites uses the values that handlers assign to a variable.
func (vs *variables) inferWrites(v *variable) {
	if v.bad {
		return
	}
	if len(v.writes) > 0 && !v.field.Declared && !v.askedAt.IsValid() {
		var places []source.Span
		for _, w := range v.writes {
			places = append(places, w.assign.Span)
		}
		vs.bag.Add(finding.UndeclaredState(places, v.field.Name, vs.declaredNames()))
	}
	for _, w := range v.writes {
		a := w.assign
		target := v.typ
		if a.Append {
			if !v.typ.unifyForm(listForm, a.Span) {
				vs.bag.Add(finding.AppendToScalar(a.Span, v.field.Name, v.typ.findRoot().form.String(), v.typ.findRoot().from))
				a.Value = &expr.Bad{At: a.ValueSpan}
				continue
			}
			target = v.typ.elementShape()
		}
		switch {
		case w.said:
		case a.Append && w.node.IsNull():
			target.findRoot().form = anyForm
		case !target.unifyValue(w.node):
			vs.reportAssign(v, w, target.findRoot())
			a.Value = &expr.Bad{At: a.ValueSpan}
		}
	}
}

func (vs *variables) reportAssign(v *variable, w *write, s *shape) {
	kind := s.form.String()
	if w.assign.Append {
		kind = "a list of items that are each " + kind
	}
	x := finding.AssignedType(w.assign.ValueSpan, v.field.Name, kind, formOf(w.node).String(), s.from)
	if text := w.node.Value; formOf(w.node) == textForm && looksLikeExpression(text) {
		x.WithHelp("write a constant: handlers do not calculate")
	}
	vs.bag.Add(x)
}

// looksLikeExpression reports whether a text was perhaps meant to be worked out.
func looksLikeExpression(s string) bool {
	return strings.HasPrefix(s, "state.") || strings.HasPrefix(s, "outputs.") || strings.ContainsAny(s, "+*")
}

// constrainVariables uses the comparisons of variables.
func (t *term) constrainVariables() {
	for _, arg := range t.args {
		arg.constrainVariables()
	}
	if t.kind == compareTerm {
		x, y := t.args[0], t.args[1]
		x.unifyWith(y)
		y.unifyWith(x)
	}
	for _, arg := range t.args {
		if t.kind == notTerm || t.kind == andTerm || t.kind == orTerm {
			arg.beCondition()
		}
	}
}

// beCondition says that a variable that is alone is true or false.
func (t *term) beCondition() {
	if t.kind == stateTerm && t.variable != nil && t.variable.typ.findRoot().form == unknownForm {
		t.variable.typ.unifyForm(boolForm, t.at)
	}
}

// unifyWith unifies a variable with the value that it is compared with.
func (t *term) unifyWith(other *term) {
	if t.kind != stateTerm || t.variable == nil {
		return
	}
	s := t.variable.typ.findRoot()
	switch other.kind {
	case stateTerm:
		if other.variable != nil {
			unifyShapes(s, other.variable.typ)
		} else if f := other.measure.valueForm(); f != unknownForm {
			s.unifyForm(f, t.at)
		}
	case textTerm, outputTerm:
		s.unifyForm(textForm, t.at)
	case boolTerm:
		s.unifyForm(boolForm, t.at)
	case numberTerm:
		if s.unifyForm(numberForm, t.at) && !isWholeText(other.text) {
			s.fraction = true
		}
	}
}

// valueForm is the form of a measure's values.
func (m measure) valueForm() form {
	if !m.known {
		return unknownForm
	}
	switch m.of {
	case expr.Iteration, expr.CostUSD:
		return numberForm
	case expr.NodesExecuted:
		return listForm
	}
	return textForm
}

// settleTexts uses strings of unknown content: outputs of nodes, and inputs of users.
// They can have any value that fits the variable.
func (vs *variables) settleTexts(v *variable) {
	for _, w := range v.writes {
		if w.said {
			vs.settleSaid(v, w)
		}
	}
	if !v.askedAt.IsValid() || v.bad {
		return
	}
	v.typ.unifyForm(textForm, v.askedAt)
	s := v.typ.findRoot()
	s.fraction = true
	if s.form == listForm || s.form == mapForm || s.form == anyForm {
		vs.bag.Add(finding.AssignedType(v.askedAt, v.field.Name, s.form.String(), "a string, a number or a boolean from the user", s.from))
		v.bad = true
	}
}

// settleType fixes the variable's type, and returns the input that it asks the user for, or
// nil.
func (v *variable) settleType() (input *ir.Input) {
	f := v.field
	if f.Type = v.typ.findRoot().resolvedType(); v.bad {
		f.Type = types.Invalid
	}
	for _, w := range v.writes {
		if w.assign.Value == nil {
			w.assign.Value = newLiteral(w.node, memberType(f.Type, w.assign.Append))
		}
	}
	switch {
	case v.bad:
	case v.askedAt.IsValid():
		input = v.askedInput()
	case v.initial != nil && !v.initial.IsNull():
		f.Initial = newLiteral(v.initial, f.Type)
	}
	if (f.Initial == nil || v.nulled) && !v.bad {
		f.Type = &types.Optional{Elem: f.Type}
	}
	return input
}

// settleSaid checks the variable that gets the text of a node.
func (vs *variables) settleSaid(v *variable, w *write) {
	s := v.typ
	if _, bad := w.assign.Value.(*expr.Bad); bad || v.bad {
		return
	}
	if w.assign.Append {
		s = s.elementShape()
	}
	s.unifyForm(textForm, w.assign.ValueSpan)
	s = s.findRoot()
	switch s.form {
	case numberForm:
		s.fraction = true
		fallthrough
	case boolForm:
		vs.bag.Add(codes.ConvertedText.New(w.assign.Span, fmt.Sprintf("`%s` is %s, but the text of a node may contain none", v.field.Name, s.form.String())).
			WithRelated(s.from, "it is "+s.form.String()+" here").
			WithHelp("let each output set a fixed value: without a value in the text, the variable keeps the old one"))
	case listForm, mapForm:
		vs.bag.Add(finding.AssignedType(w.assign.ValueSpan, v.field.Name, s.form.String(), "the text of a node", s.from))
		w.assign.Value = &expr.Bad{At: w.assign.ValueSpan}
	}
}

// askedInput makes the input of a variable whose value templates ask the user for. Its
// declared value is the default.
func (v *variable) askedInput() *ir.Input {
	f := v.field
	in := &ir.Input{Name: f.Name, Type: f.Type, Span: v.askedAt, Doc: "provided by the user in " + v.askedBy}
	if v.initial != nil && !v.initial.IsNull() {
		in.Default = newLiteral(v.initial, f.Type)
	}
	f.Initial = &expr.Input{At: v.askedAt, Name: f.Name, Typ: f.Type}
	return in
}

// memberType is the type of the variable or list item that an assignment sets.
func memberType(t types.Type, isAppend bool) types.Type {
	if list, ok := t.(*types.List); ok && isAppend {
		return list.Elem
	}
	return t
}

// newLiteral is a value of the file as a constant.
func newLiteral(n *yamlsrc.Node, t types.Type) *expr.Literal {
	lit := &expr.Literal{At: n.Place(), Text: n.JSON(), Typ: t}
	form := formOf(n)
	if form == textForm {
		lit.Text = n.Value
	}
	if own := ownTypes[form]; own != nil && (t == types.Any || form == unknownForm) {
		lit.Typ = own
	}
	return lit
}

// ownTypes are the types of constants whose type nothing else decides.
var ownTypes = map[form]types.Type{
	unknownForm: types.Null, textForm: types.Text, numberForm: types.Float, boolForm: types.Bool,
}
