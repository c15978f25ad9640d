package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Constant inputs of a block are known when the file is compiled: they replace their
// references, as if the author had written them there. Other inputs are inserted by the
// run.

// An argument is the value of an input of a block.
type argument struct {
	name string
	// at is the value under `with:`; it is zero for a default.
	at value
	// text is what takes the place of references, and value what whole references pass on.
	// The text of an item is the reference itself.
	text  *template.Template
	value expr.Expr
	read  bool
}

// isObject reports whether the value is an object.
func (a *argument) isObject() bool {
	lit, constant := a.value.(*expr.Literal)
	return constant && lit.Typ == types.Any && strings.HasPrefix(lit.Text, "{")
}

// A patch is a range of a text that an argument has taken; its parts are not scanned.
type patch struct {
	start, end int
	parts      []template.Part
}

// passArguments gives the inputs of a block their values: those under `with:`, or else
// defaults.
func (d *decoder) passArguments(n *nodeDecl, b *block) {
	if n.with != nil && d.IsMapping(*n.with) {
		for i := range n.with.Node.Pairs {
			p := &n.with.Node.Pairs[i]
			at, name := n.with.Member(p), p.Key.Value
			switch {
			case !isInputName(name):
				d.Bag.Add(finding.InputName(p.Key.Span, name))
				continue
			case b.declared && b.findInput(name) == nil:
				d.Bag.Add(finding.UnknownArgument(p.Key.Span, b.name, name, b.inputNames()))
				continue
			}
			b.arguments = append(b.arguments, d.newArgument(n.node, b, name, at))
		}
	}
	d.addItemArgument(n, b)
	for _, in := range b.inputs {
		switch lit, constant := in.Default.(*expr.Literal); {
		case b.findArgument(in.Name) != nil:
		case in.Default == nil:
			b.reportMissingInput(in.Name, in.Span, "declared here")
		case constant && !isOptional(in):
			text := source.CoarseText(lit.Text, lit.At)
			if types.IsText(lit.Typ) {
				text = b.defaults[in.Name].Text()
			}
			b.arguments = append(b.arguments, &argument{name: in.Name, value: lit, text: template.Literal(text), read: true})
		}
	}
}

// isOptional reports whether an input may have no value.
func isOptional(in *ir.Input) bool {
	_, optional := in.Type.(*types.Optional)
	return optional
}

// newArgument makes the value of an input of a block, for the node that includes it.
func (d *decoder) newArgument(n *ir.Node, b *block, name string, at value) *argument {
	a := &argument{name: name, at: at, value: &expr.Bad{At: at.Place()}}
	if !d.IsText(at.Node) {
		lit := jsonLiteral(at.Node)
		a.value, a.text = lit, template.Literal(source.CoarseText(lit.Text, at.Place()))
		b.checkType(a, lit.Typ)
		d.checkInner(at)
		return a
	}
	text := at.Node.Text()
	a.text = template.Literal(text)
	s := d.addSurface(callSurface, n, text)
	s.setTemplate = func(t *template.Template) { a.text, a.value = t, joinTemplate(t, text.Whole()) }
	s.done = func(r *resolver) {
		// An input that is handed on as a whole stays what it is.
		if from := r.wholeArgument(text.Value); from != nil {
			a.value = from.value
			if from.text != nil {
				a.text = from.text
			}
		}
		b.checkType(a, r.valueType(a.value))
	}
	return a
}

// wholeArgument returns the value of the input of a block that a string consists of, or nil.
func (r *resolver) wholeArgument(text string) *argument {
	text = trimSpace(text)
	name, end := scanInput(text, 0)
	if r.inputs.block == nil || name == "" || end < len(text) {
		return nil
	}
	return r.inputs.block.findArgument(name)
}

// inputNames are the names of the declared inputs, sorted.
func (b *block) inputNames() []string {
	names := plain.Texts(b.inputs, func(in *ir.Input) string { return in.Name })
	slices.Sort(names)
	return names
}

func (b *block) findInput(name string) *ir.Input {
	for _, in := range b.inputs {
		if in.Name == name {
			return in
		}
	}
	return nil
}

func (b *block) findArgument(name string) *argument {
	for _, a := range b.arguments {
		if a.name == name {
			return a
		}
	}
	return nil
}

// reportMissingInput reports an input without a value, once.
func (b *block) reportMissingInput(name string, at source.Span, why string) {
	if !b.missing[name] {
		b.missing[name] = true
		b.outer.Add(finding.MissingArgument(b.site, b.name, name, at, why))
	}
}

// passedArgument returns the value of an input of the block that is resolved, or nil if it has
// none.
func (r *resolver) passedArgument(name string, at, nameAt source.Span) *argument {
	b := r.inputs.block
	if a := b.findArgument(name); a != nil {
		a.read = true
		return a
	}
	if b.declared && b.findInput(name) == nil {
		r.bag.Add(finding.UnknownInput(at, nameAt, name, b.inputNames()))
		return nil
	}
	b.reportMissingInput(name, at, "read here")
	return nil
}

// spliceArguments returns a surface in which references to inputs of a block are replaced by their
// values.
func (r *resolver) spliceArguments(s *surface) *surface {
	named := s.script != nil && s.script.Name != ""
	if r.inputs.block == nil || s.kind == whenSurface || named || !strings.Contains(s.text.Value, "$"+inputsScope+".") {
		return s
	}
	c := &scanner{resolver: r, s: s, text: s.text.Value}
	var texts []source.Text
	var patches []patch
	done, length := 0, 0
	for at := c.findDollar(0); at >= 0; {
		name, end := scanInput(c.text, at)
		if name == "" || s.bindings[name] != nil || s.kind.isShell() && c.inComment(at) {
			at = c.findDollar(at + 1)
			continue
		}
		span := s.text.Span(at, end)
		t := &template.Template{Source: s.text.Slice(at, end), Parts: []template.Part{&template.Hole{Expr: &expr.Bad{At: span}, End: end - at}}}
		if a := r.passedArgument(name, span, s.text.Span(end-len(name), end)); a != nil {
			if t = a.text; t == nil {
				t = referenceTemplate(a.value, s.text.Slice(at, end))
			}
		}
		texts = append(texts, s.text.Slice(done, at), t.Source)
		length += at - done
		patches = append(patches, newPatch(t, length))
		length += len(t.Source.Value)
		done, at = end, c.findDollar(end)
	}
	if len(patches) == 0 {
		return s
	}
	copied := *s
	copied.text, copied.patches = source.Join(append(texts, s.text.Slice(done, len(s.text.Value)))...), patches
	return &copied
}

// referenceTemplate is a text that consists of one reference to a value.
func referenceTemplate(e expr.Expr, text source.Text) *template.Template {
	return &template.Template{Source: text, Parts: []template.Part{&template.Hole{Expr: placeValue(e, text.Whole()), End: len(text.Value)}}}
}

// placeValue is a copy of a value; an item is at the place that reads it.
func placeValue(e expr.Expr, at source.Span) expr.Expr {
	e = expr.Copy(e)
	if item, ok := e.(*expr.Local); ok {
		item.At = at
	}
	return e
}

// newPatch returns the parts of a value for the text in which it begins at an offset.
func newPatch(t *template.Template, at int) patch {
	p := patch{start: at, end: at + len(t.Source.Value)}
	for _, part := range t.Parts {
		switch part := part.(type) {
		case *template.Text:
			p.parts = append(p.parts, &template.Text{Value: part.Value, Start: at + part.Start})
		case *template.Hole:
			p.parts = append(p.parts, &template.Hole{Expr: expr.Copy(part.Expr), Start: at + part.Start, End: at + part.End})
		}
	}
	return p
}

// insertPatch adds a value to the parts of a template.
func (c *scanner) insertPatch(p patch) {
	c.addLiteral(p.start)
	c.parts = append(c.parts, p.parts...)
	c.done = p.end
}

// insertedValue is the value of the right side of a comparison in a block.
func (r *resolver) insertedValue(s *surface, text source.Text) expr.Expr {
	side := *s
	side.kind, side.text = callSurface, text
	filled := r.spliceArguments(&side)
	if len(filled.patches) == 1 && filled.patches[0].start == 0 && filled.patches[0].end == len(filled.text.Value) {
		name, _ := scanInput(text.Value, 0)
		if a := r.inputs.block.findArgument(name); a != nil {
			return rightOperand(placeValue(a.value, text.Whole()), text.Whole())
		}
	}
	t := &template.Template{Source: filled.text}
	at := 0
	for _, p := range filled.patches {
		if p.start > at {
			t.Parts = append(t.Parts, &template.Text{Value: filled.text.Value[at:p.start], Start: at})
		}
		t.Parts, at = append(t.Parts, p.parts...), p.end
	}
	if rest := filled.text.Value[at:]; rest != "" {
		t.Parts = append(t.Parts, &template.Text{Value: rest, Start: at})
	}
	return joinTemplate(t, text.Whole())
}

// rightOperand is a value as the right side of a comparison.
func rightOperand(e expr.Expr, at source.Span) expr.Expr {
	lit, constant := e.(*expr.Literal)
	if !constant {
		return expr.Copy(e)
	}
	typ := lit.Typ
	if typ != types.Bool && !types.IsNumber(typ) {
		typ = types.Text
	}
	return &expr.Literal{At: at, Text: lit.Text, Typ: typ}
}

// envVariables are the environment variables of a script in the block.
func (b *block) envVariables() []ir.EnvVar {
	var env []ir.EnvVar
	for _, a := range b.arguments {
		env = append(env, ir.EnvVar{Name: inputVariable(a.name), Value: expr.Copy(a.value)})
	}
	return env
}

// noteVariables marks the arguments that a script reads from its environment.
func (b *block) noteVariables(s *surface) {
	if s.setBash == nil && s.setScript == nil {
		return
	}
	names, all := readsVariables(s.text.Value)
	for _, a := range b.arguments {
		a.read = a.read || all || slices.Contains(names, inputVariable(a.name))
	}
}

// checkType reports a value that an input cannot have; have is its type.
func (b *block) checkType(a *argument, have types.Type) {
	in := b.findInput(a.name)
	if in == nil {
		return
	}
	at := a.at.Place()
	if lit, constant := a.value.(*expr.Literal); constant {
		at = lit.At // which may be handed on
	}
	b.outer.Add(parameter{workflow: b.name, Input: in}.checkValue(a.value, have, at))
}
