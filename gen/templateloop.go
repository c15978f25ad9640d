package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// typedLoop emits a for statement over a list of a step's typed output as one of
// Go, if what its body reads of an item is in the Go types:
//
//	for _, item := range setup.Out().Value.Items {
func (w *writer) typedLoop(p *template.For) bool {
	d := p.Target.Var
	if d == nil || w.plan.assigns[d] {
		return false
	}
	if _, list := p.Items.Type().(*types.List); !list {
		return false
	}
	list := w.sel(p.Items)
	if list == nil || list.opt {
		return false
	}
	t, ok := list.typ.(*types.List)
	if !ok || !w.goItem(d, t.Elem, p) {
		return false
	}
	name := "_"
	if reads := countReads(p.Body); reads[d] > 0 || p.Where != nil && countIn(p.Where)[d] > 0 {
		name = w.vars[d].name
	}
	empty := ""
	body := w.inside(func() {
		if p.Where != nil {
			keep := w.truthAt(w.decide(p.Where), w.tag(p.Start, p.End))
			w.block.add(jen.If(jen.Op("!").Add(keep.within(unaryLevel))).Block(jen.Continue()))
		}
		if len(p.Else) > 0 {
			empty = w.local("empty")
			w.block.add(jen.Id(empty).Op("=").False())
		}
		w.block.add(w.scope(p.Body, scopeKey{p, bodyScope})...)
	})
	if empty != "" {
		w.block.add(jen.Id(empty).Op(":=").True())
	}
	head := jen.List(jen.Id("_"), jen.Id(name)).Op(":=").Range().Add(list.code)
	if name == "_" {
		head = jen.Range().Add(list.code)
	}
	w.g.mark(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.For(head).Block(body...))
	if empty != "" {
		w.block.add(jen.If(jen.Id(empty)).Block(w.scope(p.Else, scopeKey{p, elseScope})...))
	}
	return true
}

// goItem makes the variable of a loop one of the Go type of the list's items. It
// does not when something else than its fields, or than fields that are always
// there, is read of it.
func (w *writer) goItem(d *expr.Declared, elem types.Type, p *template.For) bool {
	v := variable{name: w.local(unexported(exported(d.Name, "Value"))), item: elem}
	if c, ok := goValue(elem, jen.Null()); ok && c.form != anyForm {
		if _, enum := elem.(*types.Enum); enum {
			return false
		}
		v.form, v.item = c.form, nil
	}
	w.declare(d, v.name, v.form)
	w.vars[d] = v
	fits := true
	visit := func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Local:
			fits = fits && (e.Of != p.Loop && (e.Of != d || v.item == nil))
		case *expr.Attr:
			if v.item != nil && rootOf(e) == d {
				s := w.scalar(e)
				fits = fits && s != nil
				return false
			}
		}
		return true
	}
	expr.Walk(p.Where, visit)
	(&template.Template{Parts: p.Body}).Exprs(visit)
	if !fits {
		delete(w.vars, d)
		delete(w.taken, v.name)
	}
	return fits
}

// rootOf is the variable of which an attribute of an attribute is read, or nil.
func rootOf(e expr.Expr) *expr.Declared {
	for {
		switch x := e.(type) {
		case *expr.Attr:
			e = x.X
		case *expr.Local:
			return x.Of
		default:
			return nil
		}
	}
}
