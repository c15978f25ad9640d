package gen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// prepare writes the bodies of a node's functions, so that the flow knows what
// to call them with.
func (g nodeWriter) prepare(n *node) {
	g.placeItem(n)
	for _, inner := range n.inner {
		if inner.around == n {
			g.prepare(inner)
		}
	}
	if n.When != nil {
		f := g.functionAt(n.When.Span(), jen.False())
		f.conditions().predicate(n.When)
		n.whenCode = functionCode{f.uses, f.block.code, f.notes, f.sure}
	}
	f := g.functionAt(n.IDSpan, jen.Lit(""))
	f.answers = n.answers
	if n.Review != nil {
		f.actions().reviewed(n)
	} else {
		f.actions().perform(n)
	}
	n.runCode, n.parts = functionCode{uses: f.uses, body: f.block.code, notes: slices.Clip(f.notes)}, f.parts
	_, include := n.Action.(*ir.Include)
	n.idle = include && len(n.runCode.body) == 1
	n.inline = n.around == nil && len(g.nodes) <= chunkSize && f.actions().wraps(n)
}

// nodeFuncs writes what belongs to a node: the types of its output, its condition,
// its functions.
func (g nodeWriter) nodeFuncs(f *jen.File, n *node) {
	g.shapeDecls(f, n)
	if n.When != nil {
		doc := g.withPlace("decides whether "+n.doc+" runs", n.When.Span())
		if noted := noted(doc+".", n.whenCode.notes); noted != doc+"." {
			doc = noted + " The condition"
		}
		g.function(f, n.when, doc+":"+conditionDoc(n.WhenText), n.whenCode.uses.params(), n.whenCode.body, results(jen.Bool(), n.whenCode.sure)...)
	}
	params := append([]jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType)}, n.runCode.uses.params()...)
	if !n.idle && !n.inline {
		g.function(f, n.run, noted(g.withPlace(deed(n), n.IDSpan)+sentence(n.Doc), n.runCode.notes), params, n.runCode.body, jen.String(), jen.Error())
	}
	for _, p := range n.parts {
		p.declare(f)
	}
	for _, declare := range n.more {
		declare(f)
	}
	for _, inner := range n.inner {
		if inner.around == n {
			g.nodeFuncs(f, inner)
		}
	}
}

// wraps reports whether the function of a node is nothing but a loop over items, or its
// branches: the flow reads better with it in place. Code with directives keeps the function.
func (f actionWriter) wraps(n *node) bool {
	switch a := n.Action.(type) {
	case *ir.ForEach, *ir.Fork, *ir.Block:
	case *ir.Call:
		if a.Fan == nil {
			return false
		}
	default:
		return false
	}
	return n.Review == nil && n.Doc == "" && len(f.notes) == 0 && len(f.block.code) == 1
}

// deed says what the function of a node does.
func deed(n *node) string {
	if n.Review != nil {
		return "makes the output of " + n.doc + " until a person accepts it"
	}
	return act(n)
}

// sentence ends a sentence, and has a description follow it as another.
func sentence(description string) string {
	if description = strings.TrimSpace(description); description == "" {
		return "."
	}
	return ": " + strings.TrimSuffix(description, ".") + "."
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
		g.beginDeclaration(f)
	}
	f.Var().Id(n.schema).Op("=").Qual(jsonPath, "RawMessage").Call(g.jsonText(n.ownSchema()))
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
		g.doc(f, "The specs read and check the outputs of steps.")
		f.Var().DefsFunc(func(list *jen.Group) {
			for _, n := range with {
				list.Id(n.spec).Op("=").Add(g.specCode(n))
			}
		})
	}
}

// specVar writes the spec of a node.
func (g nodeWriter) specVar(f *jen.File, n *node) {
	g.doc(f, n.spec+" reads and checks the output of "+n.part+n.doc+".")
	f.Var().Id(n.spec).Op("=").Add(g.specCode(n))
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
