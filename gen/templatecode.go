package gen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
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

// A variable is a Go variable of something that the template declares.
type variable struct {
	name string
	form form
	// item is the type of an item of a typed list, of which only fields are read.
	item types.Type
}

// written is the code of the text of a template with statements.
func (f *function) written(t *template.Template) textCode {
	f.statements(t)
	at := t.Source.Span(0, 0)
	return textCode{code: f.evaluator().Dot("Take").Add(args()), fails: true, first: at, last: at}
}

// statements emits the statements of a template.
func (f *function) statements(t *template.Template) {
	w := &writer{function: f, t: t, plan: planVariables(t)}
	w.parts(t.Parts, w.plan.root)
}

// A writer writes the statements of one template.
type writer struct {
	*function
	t    *template.Template
	plan *variablePlan
}

// between is a part of a text, as far as there is one.
func between(text string, start, end int) string {
	start, end = min(max(start, 0), len(text)), min(max(end, 0), len(text))
	return text[min(start, end):end]
}

// at says where a part stands.
func (w *writer) at(text string, start, end int) string {
	return w.g.placeOf(text, w.t.Source.Span(start, end))
}

// tag is at for the tag that begins a statement.
func (w *writer) tag(start, end int) string {
	text := between(w.t.Source.Value, start, end)
	if i := strings.Index(text, "%}"); i >= 0 {
		text = text[:i+2]
	}
	return w.at(text, start, start+len(text))
}

// scope emits parts that have variables of their own.
func (w *writer) scope(parts []template.Part, of scopeKey) []jen.Code {
	return w.inside(func() { w.parts(parts, w.plan.scopes[of]) })
}

// parts emits parts; s is not nil when they are all of a scope's, which then
// begins here.
func (w *writer) parts(parts []template.Part, s *scope) {
	if s != nil {
		w.hoist(s)
	}
	for len(parts) > 0 {
		n := 0
		for n < len(parts) && textual(parts[n]) {
			n++
		}
		if n > 0 {
			w.text(parts[:n])
			parts = parts[n:]
			continue
		}
		w.part(parts[0])
		parts = parts[1:]
	}
}

func textual(p template.Part) bool {
	switch p.(type) {
	case *template.Text, *template.Hole:
		return true
	}
	return false
}

// text adds literal text and holes in a row.
func (w *writer) text(parts []template.Part) {
	code := w.holes(&template.Template{Source: w.t.Source, Parts: parts})
	if code.constant && code.empty {
		return
	}
	stmt := w.evaluator().Dot("Write").Call(code.code)
	if code.long {
		w.g.mark(w.block, code.first, stmt)
	} else {
		w.g.add(w.block, code.first, stmt)
	}
}

func (w *writer) part(p template.Part) {
	switch p := p.(type) {
	case *template.If:
		w.branches(p)
	case *template.For:
		w.loop(p)
	case *template.Set:
		w.set(p)
	case *template.Scope:
		w.block.add(jen.Block(w.scope(p.Body, scopeKey{p, bodyScope})...))
	case *template.Macro:
		w.macro(p)
	case *template.Bound:
		w.bind(p)
	}
}

// branches emits an if statement.
func (w *writer) branches(p *template.If) {
	var stmt *jen.Statement
	for i, b := range p.Branches {
		word := "if"
		if i > 0 {
			word = "elif"
		}
		at := w.g.placeOf("{% "+word+" "+b.Cond.Span().Text()+" %}", b.Cond.Span())
		cond := w.truthAt(w.decide(b.Cond), at).code
		body := w.inside(func() { w.parts(b.Body, nil) })
		if i == 0 {
			stmt = jen.If(cond).Block(body...)
		} else {
			stmt.Else().If(cond).Block(body...)
		}
	}
	if len(p.Else) > 0 {
		stmt.Else().Block(w.inside(func() { w.parts(p.Else, nil) })...)
	}
	w.g.mark(w.block, w.t.Source.Span(p.Start, p.Start+1), stmt)
}

// loop emits a for statement.
func (w *writer) loop(p *template.For) {
	if w.typedLoop(p) {
		return
	}
	at := w.tag(p.Start, p.End)
	items := w.compute(p.Items).value()
	reads := countReads(p.Body)
	if p.Where != nil {
		items = w.evaluator().Dot("Where").Add(args(items, w.filterFunc(p, at)))
	}
	w.plan.forget(&p.Target, reads)
	method, name := "Each", "item"
	if reads[p.Loop] > 0 {
		method, name = "Loop", "loop"
	}
	// What the items are assigned to gets its names before the body is written.
	ranged := ""
	body := w.inside(func() {
		item := jen.Id("_")
		switch {
		case reads[p.Loop] > 0:
			ranged = w.local(name)
			w.declare(p.Loop, ranged, anyForm)
			item = jen.Id(ranged).Dot("Item").Call()
			if p.Target.Var != nil && reads[p.Target.Var] > 0 {
				target := w.nameOf(p.Target.Var)
				w.block.add(jen.Id(target).Op(":=").Add(item))
			}
		case p.Target.Var != nil && reads[p.Target.Var] > 0:
			ranged = w.nameOf(p.Target.Var)
		case p.Target.Var == nil:
			ranged = w.local(name)
			item = jen.Id(ranged)
		}
		if p.Target.Var == nil {
			w.assignNew(&p.Target, item, reads, at)
		}
		w.block.add(w.scope(p.Body, scopeKey{p, bodyScope})...)
	})
	empty := ""
	if len(p.Else) > 0 {
		empty = w.local("empty")
		w.block.add(jen.Id(empty).Op(":=").True())
		body = append([]jen.Code{jen.Id(empty).Op("=").False()}, body...)
	}
	over := w.evaluator().Dot(method).Add(args(items, jen.Lit(at)))
	head := jen.Range().Add(over)
	if ranged != "" {
		head = jen.Id(ranged).Op(":=").Range().Add(over)
	}
	w.g.mark(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.For(head).Block(body...))
	if empty != "" {
		w.block.add(jen.If(jen.Id(empty)).Block(w.scope(p.Else, scopeKey{p, elseScope})...))
	}
}

// filterFunc is the function that decides for which items a loop runs.
func (w *writer) filterFunc(p *template.For, at string) *jen.Statement {
	reads := countIn(p.Where)
	param := "_"
	body := w.inside(func() {
		if v := p.Target.Var; v != nil {
			if reads[v] > 0 {
				param = w.nameOf(v)
			}
		} else {
			param = w.local("item")
			w.assignNew(&p.Target, jen.Id(param), reads, at)
		}
		w.block.add(jen.Return(w.truthAt(w.decide(p.Where), at).code))
	})
	return jen.Func().Params(jen.Id(param).Qual(pyPath, "Value")).Bool().Block(body...)
}

// nameOf is the variable of something declared, which gets one when it has none.
func (w *writer) nameOf(d *expr.Declared) string {
	if v, ok := w.vars[d]; ok {
		return v.name
	}
	name := w.local(unexported(exported(d.Name, "Value")))
	w.declare(d, name, anyForm)
	return name
}

// declare says what the variable of something declared is.
func (f *function) declare(d *expr.Declared, name string, form form) {
	if f.vars == nil {
		f.vars = map[*expr.Declared]variable{}
	}
	f.vars[d] = variable{name: name, form: form}
}

// assignNew divides a value among new variables, and sets fields.
func (w *writer) assignNew(t *template.Target, value *jen.Statement, reads map[*expr.Declared]int, at string) {
	switch {
	case t.Var != nil:
		if reads[t.Var] > 0 {
			w.block.add(jen.Id(w.nameOf(t.Var)).Op(":=").Add(value))
		}
	case t.Object != nil:
		w.setField(t, value, at)
	default:
		w.divide(t, value, at, func(t *template.Target, value *jen.Statement) { w.assignNew(t, value, reads, at) })
	}
}

func (w *writer) setField(t *template.Target, value *jen.Statement, at string) {
	object := w.compute(t.Object).value()
	w.block.add(w.evaluator().Dot("SetAttr").Add(args(object, jen.Lit(t.Field), value, jen.Lit(at))))
}

// divide unpacks a value and assigns its parts.
func (w *writer) divide(t *template.Target, value *jen.Statement, at string, assign func(*template.Target, *jen.Statement)) {
	parts := w.local("parts")
	w.block.add(jen.Id(parts).Op(":=").Add(w.evaluator()).Dot("Unpack").Add(args(value, jen.Lit(len(t.Items)), jen.Lit(at))))
	before := len(w.block.code)
	for i := range t.Items {
		assign(&t.Items[i], jen.Id(parts).Index(jen.Lit(i)))
	}
	if len(w.block.code) == before {
		w.block.add(jen.Id("_").Op("=").Id(parts))
	}
}
