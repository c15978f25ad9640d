package gen

import (
	"encoding/json"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A template with statements becomes Go statements that add its text to the
// evaluator's, which is taken at the end:
//
//	for item := range e.Each(items, "{% for item in items %} (line 7)") {
//		e.Write("- " + e.Text(e.Attr(item, "name"), "{{ item.name }} (line 7)") + "\n")
//	}
//	prompt := e.Take()
//
// If no part of it needs the evaluator, they add to a string:
//
//	prompt := "These tests fail:\n"
//	if causes.MustOutput().Text != "" {
//		prompt += causes.MustOutput().Text + "\n"
//	}

// statementsText is the code of the text of a template with statements. name is that of the string
// to which they may add.
func (f textWriter) statementsText(name string, t *template.Template) textCode {
	probe := f.g.newFunction(f.zero)
	probe.home, probe.owned = f.home, f.owned
	at := t.Source.Span(0, 0)
	if probe.asTextWriter().writeStatements(t, name, "+="); probe.evaluates != "" {
		f.writeStatements(t, "", "")
		return textCode{code: f.useEvaluator().Dot("Take").Call(), fails: true, first: at}
	}
	put := ":="
	if first, ok := t.Parts[0].(*template.Text); !isTextual(t.Parts[0]) || ok && first.Value == "" {
		f.block.addCode(jen.Var().Id(name).String())
		put = "="
	}
	f.writeStatements(t, name, put)
	return textCode{code: jen.Id(name), first: at, held: true}
}

// writeStatements emits the statements of a template, which add to a string by the operator put,
// or to the evaluator's text if into is "".
func (f textWriter) writeStatements(t *template.Template, into, put string) {
	w := &writer{function: f.function, t: t, plan: planVariables(t), into: into, put: put}
	w.writeParts(t.Parts, w.plan.root)
}

// A writer writes the statements of one template.
type writer struct {
	*function
	t    *template.Template
	plan *variablePlan
	// into and put are those of statements; after the first text, or in a loop, put is +=.
	into, put string
}

// partPlace says where a part stands.
func (w *writer) partPlace(text string, start, end int) string {
	return w.g.placeOf(text, w.t.Source.Span(start, end))
}

// tagPlace is partPlace for the tag that begins a statement.
func (w *writer) tagPlace(start, end int) string {
	text := textBetween(w.t.Source.Value, start, end)
	if i := strings.Index(text, "%}"); i >= 0 {
		text = text[:i+2]
	}
	return w.partPlace(text, start, start+len(text))
}

// writeScope emits parts that have variables of their own.
func (w *writer) writeScope(parts []template.Part, of scopeKey) []jen.Code {
	return w.innerBlock(func() { w.writeParts(parts, w.plan.scopes[of]) })
}

// writeParts emits parts; s is not nil when they are all of a scope's, which then
// begins here.
func (w *writer) writeParts(parts []template.Part, s *scope) {
	if s != nil {
		w.hoistVariables(s)
	}
	for len(parts) > 0 {
		n := 0
		for n < len(parts) && isTextual(parts[n]) {
			n++
		}
		if n > 0 {
			w.writeText(parts[:n])
			parts = parts[n:]
			continue
		}
		w.writePart(parts[0])
		parts = parts[1:]
	}
}

func isTextual(p template.Part) bool {
	switch p.(type) {
	case *template.Text, *template.Hole:
		return true
	}
	return false
}

// writeText adds literal text and holes in a row.
func (w *writer) writeText(parts []template.Part) {
	if h, ok := parts[0].(*template.Hole); ok && len(parts) == 1 && w.into == "" && isDynamic(h.Expr) {
		if v := w.asValueWriter().shownValue(h.Expr); v.form == anyForm && v.field == nil {
			at := w.g.whereText(w.partPlace(textBetween(w.t.Source.Value, h.Start, h.End), h.Start, h.End))
			w.g.addMarked(w.block, w.t.Span(h), w.useEvaluator().Dot("WriteValue").Call(v.code, at))
			return
		}
	}
	code := w.asTextWriter().holesText(&template.Template{Source: w.t.Source, Parts: parts})
	if code.constant && code.empty {
		return
	}
	if w.into != "" {
		w.g.addMarked(w.block, code.first, jen.Id(w.into).Op(w.put).Add(code.code))
		w.put = "+="
		return
	}
	w.g.addMarked(w.block, code.first, w.useEvaluator().Dot("Write").Call(code.code))
}

func (w *writer) writePart(p template.Part) {
	switch p := p.(type) {
	case *template.If:
		w.writeBranches(p)
	case *template.For:
		w.writeLoop(p)
	case *template.Set:
		w.writeSet(p)
	case *template.Scope:
		w.block.addCode(jen.Block(w.writeScope(p.Body, scopeKey{p, bodyScope})...))
	case *template.Macro:
		w.writeMacro(p)
	case *template.Bound:
		w.writeBinding(p)
	}
}

// writeBranches emits an if statement.
func (w *writer) writeBranches(p *template.If) {
	var stmt *jen.Statement
	first := w.put
	for i, b := range p.Branches {
		word := "if"
		if i > 0 {
			word = "elif"
		}
		at := w.g.placeOf("{% "+word+" "+b.Cond.Span().Text()+" %}", b.Cond.Span())
		cond := w.asValueWriter().truthAt(w.asValueWriter().decideTruth(b.Cond), at).code
		w.put = first
		body := w.innerBlock(func() { w.writeParts(b.Body, nil) })
		if i == 0 {
			stmt = jen.If(cond).Block(body...)
		} else {
			stmt.Else().If(cond).Block(body...)
		}
	}
	if len(p.Else) > 0 {
		w.put = first
		stmt.Else().Block(w.innerBlock(func() { w.writeParts(p.Else, nil) })...)
	}
	w.put = "+="
	w.g.addMarked(w.block, w.t.Source.Span(p.Start, p.Start+1), stmt)
}

// writeLoop emits a for statement.
func (w *writer) writeLoop(p *template.For) {
	w.put = "+="
	if w.typedLoop(p) {
		return
	}
	at := w.tagPlace(p.Start, p.End)
	items := w.asValueWriter().computeValue(p.Items).pyValue()
	reads := countReads(p.Body)
	if p.Where != nil {
		items = w.useEvaluator().Dot("Where").Call(items, w.filterFunc(p, at))
	}
	w.plan.forgetTargets(&p.Target, reads)
	method, name := "Each", "item"
	if reads[p.Loop] > 0 {
		method, name = "Loop", "loop"
	}
	// What the items are assigned to gets its names before the body is written.
	ranged := ""
	body := w.innerBlock(func() {
		item := jen.Id("_")
		switch {
		case reads[p.Loop] > 0:
			ranged = w.newLocal(name)
			w.declareVariable(p.Loop, ranged, anyForm)
			item = jen.Id(ranged).Dot("Item").Call()
			if p.Target.Var != nil && reads[p.Target.Var] > 0 {
				target := w.nameOf(p.Target.Var)
				w.block.addCode(jen.Id(target).Op(":=").Add(item))
			}
		case p.Target.Var != nil && reads[p.Target.Var] > 0:
			ranged = w.nameOf(p.Target.Var)
		case p.Target.Var == nil:
			ranged = w.newLocal(name)
			item = jen.Id(ranged)
		}
		if p.Target.Var == nil {
			w.assignNew(&p.Target, item, reads, at)
		}
		w.block.addCode(w.writeScope(p.Body, scopeKey{p, bodyScope})...)
	})
	empty := ""
	if len(p.Else) > 0 {
		empty = w.newLocal("empty")
		w.block.addCode(jen.Id(empty).Op(":=").True())
		body = append([]jen.Code{jen.Id(empty).Op("=").False()}, body...)
	}
	over := w.useEvaluator().Dot(method).Call(items, jen.Lit(at))
	head := jen.Range().Add(over)
	if ranged != "" {
		head = jen.Id(ranged).Op(":=").Range().Add(over)
	}
	w.g.addMarked(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.For(head).Block(body...))
	if empty != "" {
		w.block.addCode(jen.If(jen.Id(empty)).Block(w.writeScope(p.Else, scopeKey{p, elseScope})...))
	}
}

// filterFunc is the function that decides for which items a loop runs.
func (w *writer) filterFunc(p *template.For, at string) *jen.Statement {
	reads := countIn(p.Where)
	param := "_"
	body := w.innerBlock(func() {
		if v := p.Target.Var; v != nil {
			if reads[v] > 0 {
				param = w.nameOf(v)
			}
		} else {
			param = w.newLocal("item")
			w.assignNew(&p.Target, jen.Id(param), reads, at)
		}
		w.block.addCode(jen.Return(w.asValueWriter().decideTruth(p.Where).code)) // the loop says where it is
	})
	keep := jen.Func().Params(jen.Id(param).Qual(pyPath, "Value")).Bool()
	if len(body) == 1 {
		return keep.Add(oneLine(jen.Add(body[0])))
	}
	return keep.Block(body...)
}

// nameOf is the variable of something declared, which gets one when it has none.
func (w *writer) nameOf(d *expr.Declared) string {
	if v, ok := w.vars[d]; ok {
		w.block.takeName(v.name)
		return v.name
	}
	name := w.newLocal(unexportedName(exportedName(d.Name, "Value")))
	w.declareVariable(d, name, anyForm)
	return name
}

// assignNew divides a value among new variables, and sets fields.
func (w *writer) assignNew(t *template.Target, value *jen.Statement, reads map[*expr.Declared]int, at string) {
	switch {
	case t.Var != nil:
		if reads[t.Var] > 0 {
			w.block.addCode(jen.Id(w.nameOf(t.Var)).Op(":=").Add(value))
		}
	case t.Object != nil:
		w.setField(t, value, at)
	default:
		w.divideValue(t, value, at, func(t *template.Target, value *jen.Statement) { w.assignNew(t, value, reads, at) })
	}
}

func (w *writer) setField(t *template.Target, value *jen.Statement, at string) {
	object := w.asValueWriter().computeValue(t.Object).pyValue()
	w.block.addCode(w.useEvaluator().Dot("SetAttr").Call(object, jen.Lit(t.Field), value, jen.Lit(at)))
}

// divideValue unpacks a value and assigns its parts.
func (w *writer) divideValue(t *template.Target, value *jen.Statement, at string, assign func(*template.Target, *jen.Statement)) {
	parts := w.newLocal("parts")
	w.block.addCode(jen.Id(parts).Op(":=").Add(w.useEvaluator()).Dot("Unpack").Call(value, jen.Lit(len(t.Items)), jen.Lit(at)))
	before := len(w.block.code)
	for i := range t.Items {
		assign(&t.Items[i], jen.Id(parts).Index(jen.Lit(i)))
	}
	if len(w.block.code) == before {
		w.block.addCode(jen.Id("_").Op("=").Id(parts))
	}
}

// typedLoop emits a for statement over a list of a step's typed output as one of
// Go, if what its body reads of an item is in the Go types:
//
//	for _, item := range setup.MustOutput().Value.Items {
func (w *writer) typedLoop(p *template.For) bool {
	d := p.Target.Var
	if d == nil || w.plan.assigns[d] {
		return false
	}
	if _, list := p.Items.Type().(*types.List); !list {
		return false
	}
	list := w.asValueWriter().selectField(p.Items)
	if list == nil || list.opt {
		return false
	}
	t, ok := list.typ.(*types.List)
	if !ok || !w.goItem(d, t.Elem, p) {
		return false
	}
	empty := ""
	if len(p.Else) > 0 {
		empty = w.newLocal("empty")
		w.block.addCode(jen.Id(empty).Op(":=").True())
	}
	body := w.innerBlock(func() {
		each := func() {
			if empty != "" {
				w.block.addCode(jen.Id(empty).Op("=").False())
			}
			w.block.addCode(w.writeScope(p.Body, scopeKey{p, bodyScope})...)
		}
		if p.Where == nil {
			each()
			return
		}
		keep := w.asValueWriter().truthAt(w.asValueWriter().decideTruth(p.Where), w.tagPlace(p.Start, p.End))
		w.block.addCode(jen.If(keep.code).Block(w.innerBlock(each)...))
	})
	head := jen.Range().Add(list.code)
	if w.varReads[d] > 0 {
		head = jen.List(jen.Id("_"), jen.Id(w.vars[d].name)).Op(":=").Add(head)
	}
	w.g.addMarked(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.For(head).Block(body...))
	if empty != "" {
		w.block.addCode(jen.If(jen.Id(empty)).Block(w.writeScope(p.Else, scopeKey{p, elseScope})...))
	}
	delete(w.block.taken, w.vars[d].name)
	return true
}

// goItem makes the variable of a loop one of the Go type of the list's items. It
// does not when something else than its fields, or than fields that are always
// there, is read of it.
func (w *writer) goItem(d *expr.Declared, elem types.Type, p *template.For) bool {
	v := variable{name: w.newLocal(unexportedName(exportedName(d.Name, "Value"))), item: elem}
	if c, ok := goValue(elem, jen.Null()); ok && c.form != anyForm {
		if _, enum := elem.(*types.Enum); enum {
			return false
		}
		v.form, v.item = c.form, nil
	}
	w.declareVariable(d, v.name, v.form)
	w.vars[d] = v
	fits := true
	visit := func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Local:
			fits = fits && (e.Of != p.Loop && (e.Of != d || v.item == nil))
		case *expr.Attr:
			if v.item != nil && rootOf(e) == d {
				fits = fits && w.asValueWriter().scalarSelection(e) != nil
				return false
			}
		}
		return true
	}
	expr.Walk(p.Where, visit)
	(&template.Template{Parts: p.Body}).Exprs(visit)
	w.varReads[d] = 0
	if !fits {
		delete(w.vars, d)
		delete(w.block.taken, v.name)
	}
	return fits
}

// writeSet emits a set statement.
func (w *writer) writeSet(p *template.Set) {
	at := w.tagPlace(p.Start, p.End)
	v := w.asValueWriter().computeValue(p.Value)
	d := p.Target.Var
	if d != nil && !w.plan.isRead(d) {
		if !v.literal {
			w.block.addCode(w.useEvaluator().Dot("Do").Call(v.pyValue(), jen.Lit(at)))
		}
		return
	}
	if d == nil || !w.plan.declaresHere(d, p) {
		w.assignTarget(&p.Target, v, at)
		return
	}
	// The one assignment of the variable also declares it, with the type of its
	// value when that is sure.
	form := v.form
	if v.fails {
		form = anyForm
	}
	code := w.asValueWriter().valueAt(v, at)
	if form != anyForm {
		code = v.code
	}
	if form == intForm && v.literal {
		code = jen.Int64().Call(v.code)
	}
	name := w.newLocal(unexportedName(exportedName(d.Name, "Value")))
	w.g.addMarked(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.Id(name).Op(":=").Add(code))
	w.declareVariable(d, name, form)
}

// assignTarget gives a value to variables that are declared, and to fields.
func (w *writer) assignTarget(t *template.Target, v computed, at string) {
	switch {
	case t.Var != nil && w.plan.isRead(t.Var):
		w.block.addCode(jen.Id(w.nameOf(t.Var)).Op("=").Add(w.asValueWriter().valueAt(v, at)))
	case t.Var != nil:
		w.block.addCode(w.useEvaluator().Dot("Do").Call(v.pyValue(), jen.Lit(at)))
	case t.Object != nil:
		w.setField(t, v.pyValue(), at)
	default:
		w.divideValue(t, v.pyValue(), at, func(t *template.Target, part *jen.Statement) { w.assignTarget(t, plainValue(anyForm, part), at) })
	}
}

// hoistVariables declares the variables of a scope that are not declared where they get
// their value: because that is in a branch, or because they get it several times.
func (w *writer) hoistVariables(s *scope) {
	for _, d := range s.hoisted {
		w.block.addCode(jen.Var().Id(w.nameOf(d)).Qual(pyPath, "Value").Op("=").Add(w.useEvaluator()).Dot("Undefined").Call(jen.Lit(d.Name)))
	}
}

// writeMacro emits a macro.
func (w *writer) writeMacro(p *template.Macro) {
	if !w.plan.isRead(p.Var) {
		return // nobody calls it
	}
	description := fields{}
	description.setField("Name", jen.Lit(p.Var.Name))
	params := plain.Texts(p.Params, func(param template.Param) string { return param.Var.Name })
	description.setTexts("Params", params)
	description.setLit("Varargs", p.Varargs != nil)
	description.setLit("Kwargs", p.Kwargs != nil)
	description.setLit("Caller", p.Caller != nil)
	call, used := w.newLocal("call"), false
	argument := func(d *expr.Declared, value func() *jen.Statement) {
		if d != nil && w.plan.isRead(d) {
			used = true
			w.block.addCode(jen.Id(w.nameOf(d)).Op(":=").Add(value()))
		}
	}
	body := w.innerBlock(func() {
		for i, param := range p.Params {
			if param.Default != nil && !w.plan.isRead(param.Var) {
				used = true // the default is computed, and may fail, all the same
				w.block.addCode(w.macroArgument(call, i, param))
				continue
			}
			argument(param.Var, func() *jen.Statement { return w.macroArgument(call, i, param) })
		}
		argument(p.Varargs, func() *jen.Statement { return jen.Id(call).Dot("Varargs").Call() })
		argument(p.Kwargs, func() *jen.Statement { return jen.Id(call).Dot("Kwargs").Call() })
		argument(p.Caller, func() *jen.Statement { return jen.Id(call).Dot("Caller").Call() })
		w.block.addCode(w.writeScope(p.Body, scopeKey{p, bodyScope})...)
	})
	if !used {
		call = "_"
	}
	code := w.useEvaluator().Dot("Macro").Call(jen.Qual(pyPath, "Macro").Add(description.asRow()),
		jen.Func().Params(jen.Id(call).Op("*").Qual(pyPath, "MacroCall")).Block(body...))
	op := "="
	if w.plan.declaresHere(p.Var, p) {
		op = ":="
	}
	w.g.addMarked(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.Id(w.nameOf(p.Var)).Op(op).Add(code))
}

// macroArgument is the argument of a macro's parameter.
func (w *writer) macroArgument(call string, i int, p template.Param) *jen.Statement {
	if p.Default == nil {
		return jen.Id(call).Dot("Arg").Call(jen.Lit(i))
	}
	return jen.Id(call).Dot("ArgOr").Call(jen.Lit(i), thunkFor(w.asValueWriter().computeValue(p.Default)))
}

// writeBinding hands a value to the program that the template makes.
func (w *writer) writeBinding(p *template.Bound) {
	d := fields{}
	d.setField("Name", jen.Lit(p.Name))
	span := w.t.Source.Span(p.Start, p.End)
	d.setField("Value", w.asScriptWriter().namedBinding(p.Name, w.asValueWriter().shownValue(p.Expr), w.partPlace(textBetween(w.t.Source.Value, p.Start, p.End), p.Start, p.End), span))
	d.setMarks(p.Integer, p.Literal, p.Words, p.Echoed)
	binding := jen.Qual(flowPath, "Binding").Add(d.asLines())
	w.g.addMarked(w.block, span, w.useEvaluator().Dot("Bind").Call(w.g.quoteString(p.Before+p.Name+p.After), binding))
}

// templateText emits what must run first and returns the code of a template's text.
// When the code uses the evaluator, its error is to be checked; holdText does that. name is that
// of a variable for the text.
func (f textWriter) templateText(name string, t *template.Template) textCode {
	if t.Statements() {
		return f.statementsText(name, t)
	}
	return f.holesText(t)
}

// holesText is templateText for one that has only text and holes.
func (f textWriter) holesText(t *template.Template) textCode {
	var pieces []piece
	var fails bool
	var values []expr.Expr
	for _, h := range t.Holes() {
		values = append(values, h.Expr)
	}
	f.asOperandWriter().shareOutputs(values)
	for _, part := range t.Parts {
		switch p := part.(type) {
		case *template.Text:
			list := literalPieces(p.Value, t.Source, p.Start)
			if n := len(list); n > 0 {
				list[n-1].added = p.Start == len(t.Source.Value)
			}
			pieces = appendPieces(pieces, list)
		case *template.Hole:
			if !isDynamic(p.Expr) {
				pieces = f.addValue(pieces, p.Expr, t.Span(p))
				continue
			}
			v := f.asValueWriter().shownValue(p.Expr)
			fails = fails || v.fails || v.form == anyForm
			code := f.asValueWriter().textAt(v, f.g.placeOf(textBetween(t.Source.Value, p.Start, p.End), t.Span(p)))
			pieces = append(pieces, piece{code: code, at: t.Span(p)})
		}
	}
	code := f.g.joinPieces(pieces, false)
	code.fails, code.long = fails, code.long || fails && len(pieces) > 1
	return code
}

// addValue adds the text of a value. A constant becomes part of the literal text around it.
func (f textWriter) addValue(pieces []piece, e expr.Expr, at source.Span) []piece {
	if joined, ok := e.(*expr.Joined); ok {
		for _, part := range joined.Parts {
			pieces = f.addValue(pieces, part, at)
		}
		return pieces
	}
	o := f.asOperandWriter().operandCode(e)
	switch {
	case o.lit == nil || strings.Contains(o.lit.Text, "\n"):
		return append(pieces, piece{code: textOf(o), at: at})
	case o.lit.Text == "":
		return pieces
	}
	return appendPieces(pieces, []piece{{text: o.lit.Text, at: at}})
}

// optionCodes are the codes of options, of which those with texts are made of values of the
// run.
func (f textWriter) optionCodes(list []ir.Option) []jen.Code {
	var out []jen.Code
	for _, o := range list {
		d := fields{}
		d.setField("Name", jen.Lit(o.Name))
		if o.Text != nil {
			d.setField("Value", callFunc(valuePath, "Encode", f.holdText(unexportedName(o.Name), f.templateText(unexportedName(o.Name), o.Text))))
		} else {
			d.setField("Value", f.g.jsonText(o.JSON))
		}
		if len(o.Inner) == 0 {
			out = append(out, d.asRow())
			continue
		}
		code := jen.Qual(flowPath, "Option").Add(d.asRow())
		for _, inner := range o.Inner {
			path := pathTo(o.JSON, inner.Start)
			name := f.newLocal(unexportedName(exportedName(path[0], "Helper") + "Prompt"))
			text := f.templateText(name+"Text", inner.Text)
			f.g.addWithPlace(f.block, text.first, jen.Id(name).Op(":=").Add(f.holdText(name+"Text", text)))
			code.Op(".").Line().Id("With").Call(append([]jen.Code{jen.Id(name)}, stringLiterals(path)...)...)
		}
		out = append(out, code)
	}
	return out
}

// pathTo returns the keys that lead to the value at a place inside a JSON object.
func pathTo(object string, at int) []string {
	dec := json.NewDecoder(strings.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		if end := int(dec.InputOffset()); end > at {
			name, _ := key.(string)
			if value[0] != '{' {
				return []string{name}
			}
			return append([]string{name}, pathTo(string(value), at-end+len(value))...)
		}
	}
	return nil
}

// appendPieces appends pieces. Literal text within a line is one piece.
func appendPieces(pieces, more []piece) []piece {
	n := len(pieces)
	if n == 0 || len(more) == 0 || pieces[n-1].code != nil || more[0].code != nil || pieces[n-1].endsLine() {
		return append(pieces, more...)
	}
	pieces[n-1].text += more[0].text
	return append(pieces, more[1:]...)
}

// namedBinding is textAt for the binding of a name: an expression of the evaluator has a
// variable, so that the binding is a line.
func (f scriptWriter) namedBinding(name string, v computed, at string, span source.Span) *jen.Statement {
	code := f.asValueWriter().textAt(v, at)
	if v.form != anyForm && !v.fails {
		return code
	}
	name = unexportedName(exportedName(strings.TrimPrefix(name, "wfc_"), "Value"))
	value := jen.Id(f.newLocal(name, name+"Text"))
	f.g.addMarked(f.block, span, jen.Add(value).Op(":=").Add(code))
	return value
}
