package suite

import (
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A form describes a value without a schema by its uses: a list is iterated, a number is
// added, an object has the fields that are read.
type form struct {
	// kind is number, bool, string, word (a string without spaces), array, object, or "" for
	// a value that is only printed.
	kind string
	// parts are the fields, and under element the elements.
	parts map[string]*form
}

// ensurePart returns the form at a path, which it makes.
func (f *form) ensurePart(path []string) *form {
	if f == nil {
		f = &form{}
	}
	for _, name := range path {
		if f.parts == nil {
			f.parts = map[string]*form{}
		}
		if f.parts[name] == nil {
			f.parts[name] = &form{}
		}
		f = f.parts[name]
	}
	return f
}

// partAt returns the form at a path, which is empty if it is unknown.
func (f *form) partAt(path ...string) *form {
	for _, name := range path {
		if f != nil {
			f = f.parts[name]
		}
	}
	if f == nil {
		return &form{}
	}
	return f
}

// isShaped reports whether the form says more than the names of fields, which conditions and
// templates say, too.
func (f *form) isShaped() bool {
	if f == nil {
		return false
	}
	if f.kind != "" && f.kind != "string" || f.parts[element] != nil {
		return true
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(f.parts)), (*form).isShaped)
}

// sampleValue returns a value of the form. label names the value in its strings.
func (f *form) sampleValue(label string) any {
	kind := f.kind
	switch {
	case len(f.parts) > 1 || len(f.parts) == 1 && f.parts[element] == nil:
		kind = "object"
	case f.parts[element] != nil && kind != "string":
		kind = "array"
	}
	switch kind {
	case "number":
		return 3.0
	case "bool":
		return true
	case "word":
		return strings.ReplaceAll(label, " ", "-")
	case "array":
		return f.sampleElements(label, 3)
	case "object":
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(f.parts)) {
			if name != element {
				object[name] = f.parts[name].sampleValue(name + " of " + label)
			}
		}
		if len(object) == 0 {
			object["key"] = "value of " + label
		}
		return object
	}
	return label
}

// sampleElements returns a list of n values with the form of the elements.
func (f *form) sampleElements(label string, n int) []any {
	list := []any{}
	for i := range n {
		v := numberElement(f.partAt(element).sampleValue(label), i+1)
		if n, ok := v.(float64); ok {
			v = n - float64(i)
		}
		list = append(list, v)
	}
	return list
}

// Filters, tests and methods of templates by the form of their operand.
var (
	filterForms = map[string]string{
		"abs": "number", "round": "number",
		"upper": "string", "lower": "string", "title": "string", "capitalize": "string", "replace": "string", "trim": "string",
		"wordcount": "string", "truncate": "string", "indent": "string", "striptags": "string", "center": "string", "format": "string",
		"join": "array", "first": "array", "last": "array", "sort": "array", "unique": "array", "max": "array", "min": "array",
		"sum": "array", "reverse": "array", "map": "array", "select": "array", "reject": "array", "selectattr": "array",
		"rejectattr": "array", "groupby": "array", "batch": "array", "slice": "array", "list": "array",
		"dictsort": "object", "items": "object",
	}
	testForms = map[string]string{
		"odd": "number", "even": "number", "divisibleby": "number", "number": "number", "integer": "number", "float": "number",
		"string": "string", "lower": "string", "upper": "string", "iterable": "array", "sequence": "array", "mapping": "object",
	}
	methodForms = map[string]string{
		"items": "object", "keys": "object", "values": "object", "get": "object",
		"split": "string", "strip": "string", "startswith": "string", "endswith": "string", "upper": "string", "lower": "string",
		"title": "string", "replace": "string", "splitlines": "string", "join": "string",
	}
)

// conversionForms are the forms of strings that are read as values of types.
var conversionForms = map[types.Type]string{types.Int: "number", types.Float: "number", types.Bool: "bool", types.Word: "word"}

// learnForms finds the forms of values that have no schema, by their uses in the workflow.
func (m *model) learnForms() {
	for _, pl := range m.places {
		s := pl.scope
		var read func(e expr.Expr) bool
		read = func(e expr.Expr) bool {
			m.learnExprForms(s, e)
			call, ok := e.(*expr.Call)
			if !ok {
				return true
			}
			method, ok := call.Fn.(*expr.Attr)
			if !ok {
				return true
			}
			expr.Walk(method.X, read) // the method is not a field
			for _, a := range call.Args {
				expr.Walk(a.Value, read)
			}
			return false
		}
		if n := pl.node; n.When != nil {
			expr.Walk(n.When, read)
		}
		switch a := pl.node.Action.(type) {
		case *ir.ForEach:
			for _, v := range a.Vars {
				expr.Walk(v.Items, read)
				m.learnForm(s, v.Items, []string{element}, "")
			}
		case *ir.Repeat:
			expr.Walk(a.Cond, read)
		}
		walkTemplates(pl.node, func(t *template.Template) {
			template.WalkParts(t.Parts, func(p template.Part) bool {
				if loop, ok := p.(*template.For); ok && loop.Target.Var != nil {
					s.lists[loop.Target.Var] = loop.Items
					m.learnForm(s, loop.Items, []string{element}, "")
				}
				return true
			})
		})
		walkValues(pl.node, read)
	}
}

// learnForm notes the form of a part of an expression's value, as far as it has no schema.
func (m *model) learnForm(s *scope, e expr.Expr, path []string, kind string) {
	for _, src := range m.exprSources(s, e, 0) {
		p := m.producers[src.slot]
		whole := append(slices.Clone(src.path), path...)
		if p == nil || src.inexact || src.size || src.field != nil || src.label || p.test || len(p.labels) > 0 || src.slot.kind == "answers" {
			continue
		}
		if p.shape != nil && (p.slot.kind != "inputs" || types.SchemaKind(p.shape) != "string" || p.shape[spaceless] == true || len(whole) == 0) {
			continue
		}
		if p.form == nil {
			p.form = &form{}
		}
		if f := p.form.ensurePart(whole); f.kind == "" {
			f.kind = kind
		}
	}
}

// learnExprForms notes the forms of the operands of an expression.
func (m *model) learnExprForms(s *scope, e expr.Expr) {
	switch e := e.(type) {
	case *expr.Attr:
		m.learnForm(s, e, nil, "")
	case *expr.Item:
		m.learnForm(s, e, nil, "")
		if key, ok := e.Key.(*expr.Literal); ok && types.IsText(key.Typ) {
			m.learnForm(s, e.X, nil, "object")
		}
	case *expr.Sign:
		m.learnForm(s, e.X, nil, "number")
	case *expr.Arith:
		if kind := arithmeticForm(e); kind != "" {
			m.learnForm(s, e.X, nil, kind)
			m.learnForm(s, e.Y, nil, kind)
		}
	case *expr.Relation:
		x := e.X
		for _, link := range e.Links {
			m.learnComparison(s, x, link)
			x = link.Y
		}
	case *expr.Test:
		m.learnForm(s, e.X, nil, testForms[e.Name])
	case *expr.Convert:
		m.learnForm(s, onlyValue(e.X), nil, conversionForms[e.To])
	case *expr.Filter:
		m.learnFilter(s, e)
	case *expr.Call:
		if method, ok := e.Fn.(*expr.Attr); ok && methodForms[method.Name] != "" {
			m.learnForm(s, method.X, nil, methodForms[method.Name])
		}
	}
}

// onlyValue returns the value whose text an expression is, or the expression.
func onlyValue(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Str:
		return onlyValue(x.X)
	case *expr.Concat:
		if len(x.Parts) == 1 {
			return onlyValue(x.Parts[0])
		}
	case *expr.Rendered:
		if t, ok := x.Text.(*template.Template); ok && len(t.Parts) == 1 {
			if hole, ok := t.Parts[0].(*template.Hole); ok {
				return onlyValue(hole.Expr)
			}
		}
	}
	return e
}

// arithmeticForm is the form of the operands of an operator.
func arithmeticForm(e *expr.Arith) string {
	for _, side := range []expr.Expr{e.X, e.Y} {
		if types.IsText(side.Type()) {
			return ""
		}
		if _, list := side.(*expr.ListOf); list {
			return ""
		}
	}
	return "number"
}

// learnComparison notes the forms of the sides of a comparison.
func (m *model) learnComparison(s *scope, x expr.Expr, link expr.Link) {
	if link.Op == expr.In || link.Op == expr.NotIn {
		return // a string or a list
	}
	for _, sides := range [][2]expr.Expr{{x, link.Y}, {link.Y, x}} {
		if c, ok := sides[1].(*expr.Literal); ok {
			switch literalValue(c).(type) {
			case float64:
				m.learnForm(s, sides[0], nil, "number")
			case string:
				m.learnForm(s, sides[0], nil, "string")
			}
		}
	}
}

// learnFilter notes the form of the operand of a filter, and those of its elements.
func (m *model) learnFilter(s *scope, e *expr.Filter) {
	kind := filterForms[e.Name]
	if kind == "" {
		return
	}
	m.learnForm(s, e.X, nil, kind)
	if kind != "array" {
		return
	}
	attribute, of := "", ""
	for i, a := range e.Args {
		c, ok := a.Value.(*expr.Literal)
		switch {
		case !ok:
		case a.Name == "attribute" || i == 0 && (e.Name == "selectattr" || e.Name == "rejectattr" || e.Name == "groupby"):
			attribute = c.Text
		case i == 2 && types.IsNumber(c.Typ):
			of = "number"
		}
	}
	if e.Name == "sum" {
		of = "number"
		for _, a := range e.Args {
			if a.Name == "start" {
				return
			}
		}
	}
	path := []string{element}
	if attribute != "" {
		path = append(path, attribute)
	}
	if attribute != "" || of != "" {
		m.learnForm(s, e.X, path, of)
	}
}
