package gen

import (
	"encoding/json"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// declaredTypes returns the declarations of types that make adds.
func (g *declarer) declaredTypes(make func()) []func(*jen.File) {
	before := len(g.types.decls)
	make()
	return slices.Clip(g.types.decls[before:])
}

// declareNodes finds names, types and places for the nodes.
func (g *declarer) declareNodes(body *ir.DAG) {
	for _, name := range slices.Concat(defaultIDs, []string{inputTableID, nodeTableID}) {
		g.names.taken[name] = true
	}
	needed := map[*ir.Node]bool{}
	for _, n := range body.Nodes {
		for _, need := range n.Needs {
			needed[need.Node] = true
		}
	}
	for _, n := range body.Nodes {
		g.reserveBodies(n)
	}
	for _, n := range body.Nodes {
		m := g.declareNode(n)
		m.terminal = !needed[n]
		if result := g.program.Workflow.Returns; result != nil {
			m.terminal = n == result
		}
		g.nodes = append(g.nodes, m)
	}
	// Types come after the nodes' own names, so that a field's type never
	// takes a name away from a node.
	for _, m := range g.nodes {
		g.nodeTypes(m)
	}
}

// declareNode finds names and places for a node of a DAG and for those inside it.
func (g *declarer) declareNode(n *ir.Node) *node {
	m := &node{Node: n, nodeNames: g.names.nameNode(n.ID, n.Action), doc: "node `" + n.ID + "`", index: len(g.byID)}
	if n.Parsing == ir.Strict {
		m.spec = g.names.takeName(unexportedName(m.exported) + "Spec")
	}
	g.byID[n.ID] = m
	g.declareInside(m)
	return g.noteSchema(m) // behind the nodes inside, whose output may be that of the node
}

// nodeTypes finds the Go types of a node's output and of those inside it.
func (g *declarer) nodeTypes(m *node) {
	for _, inner := range m.inner {
		g.nodeTypes(inner)
	}
	m.types = g.declaredTypes(func() { g.valueType(m) })
}

// valueType finds the Go type of a node's output.
func (g *declarer) valueType(m *node) {
	call, _ := m.Action.(*ir.Call)
	if m.typed = isDecoded(m.Output) && (call == nil || call.Fan != nil || !call.MayBeEmpty); !m.typed {
		m.value, m.json = jen.String(), m.json || call != nil && call.Fan != nil
		return
	}
	name, stem, doc := m.output, m.exported, m.part+m.doc
	if m.part != "" {
		stem = m.output // InvoicesItem has the type InvoicesItemTax of its field tax
	}
	if a, ok := m.Action.(*ir.ForEach); ok && a.Join == ir.JoinLast {
		doc = "the last iteration of " + doc + ", empty if there is none"
	}
	if same := g.bySchema[m.Schema]; m.Spec == nil && len(same) > 1 && same[0].value != nil && types.Identical(same[0].Output, m.Output) {
		g.shareType(m, same[0])
		return
	}
	g.names.releaseName(m.output)
	if all := g.nodesSharing(m); len(all) > 1 {
		shape := g.shapeName(m)
		m.all, m.schema = nodeList(all), g.names.takeName(unexportedName(shape)+"Schema")
		name, stem, doc = shape+"Output", "", m.all
		if _, wait := m.Action.(*ir.Wait); wait {
			stem = shape
		}
		m.value = g.types.goType(m.Output, name, stem, "the output of each of "+doc)
	} else {
		m.value = g.types.goType(m.Output, name, stem, "the output of "+doc)
	}
	// A pointer, because the Go compiler makes one copy of generic
	// code for all pointers but one for each struct.
	if _, m.object = m.Output.(*types.Struct); m.object {
		m.value = jen.Op("*").Add(m.value)
	}
}

// shareType has a node take over the type and the schema of another, which the workflow
// gives both.
func (g *declarer) shareType(m, first *node) {
	g.types.aliasType(m.Output, first.Output)
	m.value, m.object, m.same, m.schema = first.value, first.object, first, first.schema
}

// noteSchema notes a node by its JSON Schema.
func (g *declarer) noteSchema(m *node) *node {
	if call, ok := m.Action.(*ir.Call); ok && call.Fan == nil && call.MayBeEmpty {
		return m // its output has no Go type
	}
	if m.Schema != "" && m.Spec == nil {
		g.bySchema[m.Schema] = append(g.bySchema[m.Schema], m)
	}
	return m
}

// nodesSharing are the nodes with the schema and the type of one, in the order in which
// their types are found.
func (g *declarer) nodesSharing(m *node) (all []*node) {
	for _, n := range g.bySchema[m.Schema] {
		if m.Spec == nil && types.Identical(n.Output, m.Output) {
			all = append(all, n)
		}
	}
	return all
}

// shapeName is what a type that several nodes share is called: its schema's title, or
// its first fields.
func (g *declarer) shapeName(m *node) string {
	var schema struct {
		Title string `json:"title"`
	}
	_ = json.Unmarshal([]byte(m.Schema), &schema) // it was read before
	name := schema.Title
	if of, _ := itemType(m.Output); name == "" {
		if s, ok := of.(*types.Struct); ok {
			for _, f := range s.Fields[:min(2, len(s.Fields))] {
				name += " " + f.Name
			}
		}
	}
	return exportedName(name, "Shared")
}

// declareInputs finds names for the inputs. One whose default is not its
// type's zero value becomes a pointer, so that leaving it out differs from
// giving the zero value.
func (g *declarer) declareInputs(list []*ir.Input) {
	fieldNames := &names{taken: map[string]bool{}}
	for _, in := range list {
		name := fieldNames.takeName(exportedName(in.Name, "Input"))
		i := &input{Input: in, field: name}
		i.code = g.types.goType(in.Type, "Input"+name, "Input"+name, "the input `"+in.Name+"`")
		if i.isRaw() {
			i.code = jen.Qual(jsonPath, "RawMessage")
		} else if in.Default != nil && !isZeroDefault(in.Default) {
			i.code = pointerTo(in.Type, i.code)
			i.fallback = true
		}
		g.inputs[in.Name] = i
		g.inputSeq = append(g.inputSeq, i)
	}
}

// declareInside finds names and places for the nodes of a body.
func (g *declarer) declareInside(m *node) {
	dag := m.InnerDAG()
	if dag == nil {
		return
	}
	loop, _ := m.Action.(*ir.Loop)
	fieldNames := &names{taken: map[string]bool{}}
	for _, n := range dag.Nodes {
		inner := g.declareNode(n)
		inner.field = fieldNames.takeName(unexportedName(exportedName(n.Local(), "Node")))
		inner.around, inner.answers = m, loop != nil && loop.Gate != nil
		inner.last = g.names.takeName(lastPrefix + inner.exported)
		m.inner = append(m.inner, inner)
	}
	m.tasks = g.names.takeName(unexportedName(m.exported) + "Tasks")
}

// reserveBodies keeps the names that functions of bodies need from nodes.
func (g *declarer) reserveBodies(n *ir.Node) {
	if isBody(n) {
		for _, name := range []string{tasksID, lastID} {
			g.names.taken[name] = true
		}
	}
}
