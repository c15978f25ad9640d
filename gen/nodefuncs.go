package gen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// prepareNode writes the bodies of a node's functions, so that the flow knows what
// to call them with.
func (g nodeWriter) prepareNode(n *node) {
	g.placeItem(n)
	for _, inner := range n.inner {
		if inner.around == n {
			g.prepareNode(inner)
		}
	}
	if n.When != nil {
		f := g.functionAt(n.When.Span(), jen.False())
		f.asConditionWriter().writePredicate(n.When)
		n.whenCode = functionCode{f.uses, f.block.code, f.notes, f.sure}
	}
	f := g.functionAt(n.IDSpan, jen.Lit(""))
	f.answers = n.answers
	if n.Review != nil {
		f.asActionWriter().writeReview(n)
	} else {
		f.asActionWriter().writeAction(n)
	}
	n.runCode, n.parts = functionCode{uses: f.uses, body: f.block.code, notes: slices.Clip(f.notes)}, f.parts
	_, include := n.Action.(*ir.Include)
	n.idle = include && len(n.runCode.body) == 1
	n.inline = n.around == nil && len(g.nodes) <= chunkSize && f.asActionWriter().isOnlyLoop(n)
}

// nodeFuncs writes what belongs to a node: the types of its output, its condition,
// its functions.
func (g nodeWriter) nodeFuncs(f *jen.File, n *node) {
	g.shapeDecls(f, n)
	if n.When != nil {
		doc := g.withPlace("decides whether "+n.doc+" runs", n.When.Span())
		if noted := withNotes(doc+".", n.whenCode.notes); noted != doc+"." {
			doc = noted + " The condition"
		}
		g.writeFunction(f, n.when, doc+":"+conditionDoc(n.WhenText), n.whenCode.uses.parameterList(), n.whenCode.body, resultTypes(jen.Bool(), n.whenCode.sure)...)
	}
	params := append([]jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType)}, n.runCode.uses.parameterList()...)
	if !n.idle && !n.inline {
		g.writeFunction(f, n.run, withNotes(g.withPlace(describeNode(n), n.IDSpan)+endSentence(n.Doc), n.runCode.notes), params, n.runCode.body, jen.String(), jen.Error())
	}
	for _, p := range n.parts {
		p.declarePart(f)
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

// isOnlyLoop reports whether the function of a node is nothing but a loop over items, or its
// branches: the flow reads better with it in place. Code with directives keeps the function.
func (f actionWriter) isOnlyLoop(n *node) bool {
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

// describeNode says what the function of a node does.
func describeNode(n *node) string {
	if n.Review != nil {
		return "makes the output of " + n.doc + " until a person accepts it"
	}
	return describeAction(n)
}

// endSentence ends a sentence, and has a description follow it as another.
func endSentence(description string) string {
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
	g.writeSchemas(f, n)
	if n.spec != "" && !g.sequence {
		g.specVar(f, n)
	}
}

// writeSchemas writes the JSON Schemas of the workflow's own that a node, and those
// inside it, ask for or check by.
func (g nodeWriter) writeSchemas(f *jen.File, n *node) {
	for _, inner := range n.declaredInside() {
		g.writeSchemas(f, inner)
	}
	if n.ownSchema() == "" {
		return
	}
	g.writeDoc(f, n.schema+" is the JSON Schema of the output of "+cmp.Or(n.all, n.part+n.doc)+".")
	f.Var().Id(n.schema).Op("=").Qual(jsonPath, "RawMessage").Call(g.jsonText(n.ownSchema()))
}

// writeSpecs writes the variables that say how the outputs of nodes are made of what their
// actions give.
func (g nodeWriter) writeSpecs(f *jen.File) {
	var with []*node
	for _, n := range g.nodes {
		with = n.appendSpecNodes(with)
	}
	if !g.sequence {
		return // they are beside the schemas that they check
	}
	switch len(with) {
	case 0:
	case 1:
		g.specVar(f, with[0])
	default:
		g.writeDoc(f, "The specs read and check the outputs of steps.")
		f.Var().DefsFunc(func(list *jen.Group) {
			for _, n := range with {
				list.Id(n.spec).Op("=").Add(g.specCode(n))
			}
		})
	}
}

// specVar writes the spec of a node.
func (g nodeWriter) specVar(f *jen.File, n *node) {
	g.writeDoc(f, n.spec+" reads and checks the output of "+n.part+n.doc+".")
	f.Var().Id(n.spec).Op("=").Add(g.specCode(n))
}

func (g nodeWriter) specCode(n *node) *jen.Statement {
	s, kind, step := n.Spec, jen.Lit(specKind(n.Action)), jen.Lit(n.ID)
	if n.Parsing == ir.Strict {
		s = &ir.OutputSpec{Schema: n.Schema}
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
	d.setField("Step", step)
	d.setField("Kind", kind)
	of, list := itemType(s.Type)
	d.setLit("List", list)
	if s.Schema != "" {
		d.setField("Schema", jen.Id(n.schema))
		d.setField("Check", jen.Qual(structuredPath, "Check"))
	}
	if object, ok := of.(*types.Struct); ok {
		var list []jen.Code
		for _, field := range object.Fields {
			if n.addedField(field) == "" {
				list = append(list, specField(field, s.Defaults))
			}
		}
		d.setList("Fields", jen.Qual(outputPath, "Field"), list)
	}
	return jen.Op("&").Qual(outputPath, "Spec").Add(d.asLines())
}

func specField(field *types.Field, defaults []ir.FieldDefault) *jen.Statement {
	d := fields{}
	d.setField("Name", jen.Lit(field.Name))
	t := field.Type
	if o, ok := t.(*types.Optional); ok {
		d.setField("Nullable", jen.True())
		t = o.Elem
	}
	if b, ok := t.(types.Basic); ok && b != types.Any {
		d.setField("Type", jen.Lit(b.String()))
	}
	byDefault := false
	for _, value := range defaults {
		if value.Field == field.Name {
			byDefault = true
			d.setField("Default", jen.Lit(value.JSON))
		}
	}
	d.setLit("Required", field.Required && !byDefault)
	return d.asRow()
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
