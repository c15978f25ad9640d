package gen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// The shape of a step's output is written once, as a struct with tags. The spec by
// which package output converts and checks what a program prints, and the JSON
// Schema that an agent is asked to hold to, are made of that struct when the program
// starts; see output.Of. What a struct cannot say, such as the keywords of a JSON
// Schema of the workflow's own, is a schema in the code, and the struct is a view of it.

// A fieldShape is what tags say of a field besides its name.
type fieldShape struct {
	// is is the kind of a string, byDefault the JSON value of a field that is
	// absent, and added is the tag of a field that the step does not give, or "".
	is, byDefault, added string
}

// findShape finds the struct that a node's spec can be made of.
func (g *declarer) findShape(n *node) {
	if n.Spec == nil || n.spec == "" {
		return
	}
	of, list := itemType(n.Output)
	want, wantList := itemType(n.Spec.Type)
	object, ok := of.(*types.Struct)
	if !ok || list != wantList {
		return
	}
	declared, ok := want.(*types.Struct)
	d := g.types.structs[object]
	if !ok || d == nil || d.shaped || len(d.fields) != len(object.Fields) {
		return
	}
	shapes := make([]fieldShape, len(d.fields))
	own := slices.Clone(declared.Fields)
	own = slices.DeleteFunc(own, func(f *types.Field) bool { return n.addedField(f) != "" })
	for i, field := range d.fields {
		f := field.field
		if shapes[i].added = n.addedField(f); shapes[i].added != "" {
			continue
		}
		if len(own) == 0 || own[0].Name != f.Name || own[0].Required != f.Required || !types.Identical(own[0].Type, f.Type) {
			return
		}
		own = own[1:]
		if b, basic := f.Type.(types.Basic); basic && (b == types.Word || b == types.Line || b == types.Path) {
			shapes[i].is = b.String()
		} else if o, null := f.Type.(*types.Optional); null && (o.Elem == types.Word || o.Elem == types.Line || o.Elem == types.Path) {
			shapes[i].is = o.Elem.String()
		}
		for _, value := range n.Spec.Defaults {
			if value.Field == f.Name {
				shapes[i].byDefault = value.JSON
			}
		}
	}
	if len(own) > 0 || n.Spec.Schema != "" && g.schema(d, shapes, list, false) != n.Spec.Schema {
		return
	}
	for i := range d.fields {
		d.fields[i].shape = shapes[i]
	}
	d.shaped = true
	n.shape, n.asked = d, n.Schema != "" && g.schema(d, shapes, list, true) == n.Schema
}

// itemType returns the type of the items of a list, and that it is one; else the
// type itself.
func itemType(t types.Type) (types.Type, bool) {
	if l, ok := t.(*types.List); ok {
		return l.Elem, true
	}
	return t, false
}

// addedField returns the tag of a field that a review or an artifact adds to what the
// step gives, or "".
func (n *node) addedField(f *types.Field) string {
	switch {
	case f.Span.IsValid():
	case f.Name == "approved" && n.Review != nil:
		return "review"
	case f.Name == "_artifact" && n.captures():
		return "artifact"
	}
	return ""
}

// captures reports whether what the program of a step prints is kept as a file.
func (n *node) captures() bool {
	return n.Captures || len(n.inner) == 1 && n.inner[0].Captures
}

// schema is the JSON Schema that package output makes of a shape.
func (g *declarer) schema(d *structType, shapes []fieldShape, list, asked bool) string {
	s := g.objectSchema(d, shapes, asked)
	if list {
		return `{"type":"array","items":` + s + `}`
	}
	return s
}

func (g *declarer) objectSchema(d *structType, shapes []fieldShape, asked bool) string {
	var properties, required []string
	for i, f := range d.fields {
		shape := f.shape
		if shapes != nil {
			shape = shapes[i]
		}
		if shape.added != "" {
			continue
		}
		t, o := f.field.Type, (*types.Optional)(nil)
		if o, _ = t.(*types.Optional); o != nil {
			t = o.Elem
		}
		schema := g.typeSchema(t, asked)
		if o != nil && !nilable(o.Elem) && (f.field.Required || shape.byDefault == "null") {
			schema = `{"anyOf":[` + schema + `,{"type":"null"}]}`
		}
		name := strconv.Quote(f.json)
		properties = append(properties, name+":"+schema)
		if f.field.Required && !(asked && shape.byDefault != "") {
			required = append(required, name)
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return s + `}`
}

func (g *declarer) typeSchema(t types.Type, asked bool) string {
	switch t := t.(type) {
	case *types.List:
		return `{"type":"array","items":` + g.typeSchema(t.Elem, asked) + `}`
	case *types.Struct:
		if d := g.types.structs[t]; d != nil {
			return g.objectSchema(d, nil, asked)
		}
	case *types.Optional:
		return g.typeSchema(t.Elem, asked)
	case types.Basic:
		switch {
		case types.IsText(t):
			return `{"type":"string"}`
		case t == types.Int:
			return `{"type":"integer"}`
		case t == types.Float:
			return `{"type":"number"}`
		case t == types.Bool:
			return `{"type":"boolean"}`
		}
	case *types.Enum:
		return `{"type":"string"}`
	}
	return `{}`
}

// shapeDecls writes what belongs to the output of a node and of those inside it: the
// types and the JSON Schemas.
func (g nodeWriter) shapeDecls(f *jen.File, n *node) {
	for _, declare := range n.types {
		declare(f)
	}
	g.schemas(f, n)
	if n.spec != "" && !g.sequence {
		g.specVar(f, n)
	}
}

// parted are the nodes inside a node whose declarations are among its own.
func (n *node) parted() []*node {
	if isBody(n.Node) {
		return nil
	}
	return n.inner
}

// schemas writes the JSON Schemas of the workflow's own that a node, and those
// inside it, ask for or check by.
func (g nodeWriter) schemas(f *jen.File, n *node) {
	for _, inner := range n.parted() {
		g.schemas(f, inner)
	}
	if n.ownSchema() == "" {
		return
	}
	if n.all != "" {
		g.doc(f, n.schema+" is the JSON Schema of the output of "+n.all+".")
	} else {
		g.top(f)
	}
	f.Var().Id(n.schema).Op("=").Qual(jsonPath, "RawMessage").Call(g.jsonText(n.ownSchema()))
}

// ownSchema is the JSON Schema that the code holds for a node, "" when its shape
// says as much.
func (n *node) ownSchema() string {
	if n.same != nil {
		return ""
	}
	if n.asks() && n.Schema != "" && !n.asked {
		return n.Schema
	}
	if n.spec != "" && n.Spec != nil && n.shape == nil {
		return n.Spec.Schema
	}
	if n.Parsing == ir.Strict {
		return n.Schema
	}
	return ""
}

// schemaCode is the code of the schema of a prompt's reply, or nil.
func (n *node) schemaCode() *jen.Statement {
	switch {
	case n.Schema == "":
		return nil
	case n.asked:
		return jen.Id(n.spec).Dot("ReplySchema").Call()
	}
	return jen.Id(n.schema)
}

// jsonText is a JSON text as a string that breaks between its parts.
func (g *style) jsonText(text string) *jen.Statement {
	if g.directives || len(text) <= longString {
		return g.quote(text)
	}
	return brokenText(text, ',')
}

// specs writes the variables that say how the outputs of nodes are made of what their
// actions give.
func (g nodeWriter) specs(f *jen.File) {
	var with []*node
	for _, n := range g.nodes {
		with = n.withSpec(with)
	}
	if !g.sequence {
		return // they are beside the schemas that they check
	}
	switch len(with) {
	case 0:
	case 1:
		g.specVar(f, with[0])
	default:
		g.doc(f, "The specs read and check the outputs of steps."+fromTags(with, " They are"))
		f.Var().DefsFunc(func(list *jen.Group) {
			for _, n := range with {
				if doc := n.checks(n.spec); doc != "" {
					list.Comment(comment(doc))
				}
				list.Id(n.spec).Op("=").Add(g.specCode(n))
			}
		})
	}
}

// specVar writes the spec of a node.
func (g nodeWriter) specVar(f *jen.File, n *node) {
	g.doc(f, n.spec+" reads and checks the output of "+n.part+n.doc+"."+fromTags([]*node{n}, " It is")+n.checks(" It"))
	f.Var().Id(n.spec).Op("=").Add(g.specCode(n))
}

// fromTags says, behind a subject and its verb, that specs are made of the tags of types.
func fromTags(with []*node, are string) string {
	if slices.ContainsFunc(with, func(n *node) bool { return n.shape != nil }) {
		return are + " made from the tags of the types."
	}
	return ""
}

// withSpec appends the node and those inside it that have specs, the inner ones first.
func (n *node) withSpec(list []*node) []*node {
	for _, inner := range n.inner {
		list = inner.withSpec(list)
	}
	if n.spec != "" {
		list = append(list, n)
	}
	return list
}

// checks says, behind a subject, what the node's spec checks by a JSON Schema, or is "".
func (n *node) checks(subject string) string {
	if n.Spec == nil || n.Spec.Schema == "" {
		return ""
	}
	return subject + " also checks lists and objects in fields by JSON Schema" + innerKinds(n.Spec.Type) + "."
}

// innerKinds says that the kinds of strings in lists and objects are not told apart, if the
// type of an output has some there.
func innerKinds(t types.Type) string {
	of, _ := itemType(t)
	object, ok := of.(*types.Struct)
	if !ok {
		return ""
	}
	found := map[types.Type]bool{}
	var find func(t types.Type, inside bool)
	find = func(t types.Type, inside bool) {
		switch t := t.(type) {
		case types.Basic:
			found[t] = found[t] || inside
		case *types.Optional:
			find(t.Elem, inside)
		case *types.List:
			find(t.Elem, true)
		case *types.Struct:
			for _, f := range t.Fields {
				find(f.Type, true)
			}
		}
	}
	for _, f := range object.Fields {
		find(f.Type, false)
	}
	var kinds []string
	for _, kind := range []types.Basic{types.Word, types.Line, types.Path} {
		if found[kind] {
			kinds = append(kinds, kind.String())
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return ", which accepts any string for a " + strings.Join(kinds, " or ")
}

func (g nodeWriter) specCode(n *node) *jen.Statement {
	s, kind, step := n.Spec, jen.Lit(specKind(n.Action)), jen.Lit(n.ID)
	if n.Parsing == ir.Strict {
		d := fields{}
		d.set("Step", step)
		d.set("Kind", kind)
		d.set("Schema", jen.Id(n.schema))
		d.set("Check", jen.Qual(structuredPath, "Check"))
		return jen.Op("&").Qual(outputPath, "Spec").Add(d.lines())
	}
	if s == nil {
		return jen.Qual(outputPath, "Of").Types(jen.Any()).Call(kind, step)
	}
	if n.shape != nil {
		shape := jen.Id(n.shape.name)
		if _, list := s.Type.(*types.List); list {
			shape = jen.Index().Add(shape)
		}
		code := jen.Qual(outputPath, "Of").Types(shape).Call(kind, step)
		if s.Schema != "" {
			code.Dot("WithCheck").Call(jen.Qual(structuredPath, "Check"))
		}
		return code
	}
	d := fields{}
	d.set("Step", step)
	d.set("Kind", kind)
	of, list := itemType(s.Type)
	d.lit("List", list)
	if s.Schema != "" {
		d.set("Schema", jen.Id(n.schema))
		d.set("Check", jen.Qual(structuredPath, "Check"))
	}
	if object, ok := of.(*types.Struct); ok {
		var list []jen.Code
		for _, field := range object.Fields {
			if n.addedField(field) == "" {
				list = append(list, specField(field, s.Defaults))
			}
		}
		d.list("Fields", jen.Qual(outputPath, "Field"), list)
	}
	return jen.Op("&").Qual(outputPath, "Spec").Add(d.lines())
}

func specField(field *types.Field, defaults []ir.FieldDefault) *jen.Statement {
	d := fields{}
	d.set("Name", jen.Lit(field.Name))
	t := field.Type
	if o, ok := t.(*types.Optional); ok {
		d.set("Nullable", jen.True())
		t = o.Elem
	}
	if b, ok := t.(types.Basic); ok && b != types.Any {
		d.set("Type", jen.Lit(b.String()))
	}
	byDefault := false
	for _, value := range defaults {
		if value.Field == field.Name {
			byDefault = true
			d.set("Default", jen.Lit(value.JSON))
		}
	}
	d.lit("Required", field.Required && !byDefault)
	return d.line()
}

// specKind is what a step of an action is called in messages about its output.
func specKind(a ir.Action) string {
	switch a := a.(type) {
	case *ir.Bash:
		return "bash"
	case *ir.Script:
		return a.Runtime
	}
	return a.Kind()
}
