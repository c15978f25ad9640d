package gen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A node is what is known of one node of the flow.
type node struct {
	*ir.Node
	nodeNames
	nodeOutput
	// terminal says that no other node depends on it, unless another one has the result.
	terminal bool
	// doc is what comments call it, and part says that it is a part of that.
	doc, part string
	// index is its place in the flow.
	index int
	// before is the step before it in a sequence.
	before *node
	// inner are the nodes inside it: what a loop repeats, what a fork runs.
	inner []*node
	// whenCode is the function of its condition, and runCode that of its work.
	whenCode, runCode functionCode
	// idle says that it has no function: it does nothing.
	idle bool
	// inline says that the flow has the statement that its function would be.
	inline bool
	// unread says that nothing reads its output in the type of an iteration.
	unread bool
	// parts are functions that its function hands to the kernel.
	parts []*part
	// around is the node whose body has it, or nil, and last its variable in the next
	// iteration of that node. field is its field in the struct of the body's tasks.
	around      *node
	last, field string
	// tasks is the type of the struct that holds the tasks of its body.
	tasks string
	// answers says that a person answers after each iteration of the body.
	answers bool
	// more are declarations of further functions and types of the node.
	more []func(*jen.File)
}

// A functionCode is what a function of a node holds: what it is called with, its statements,
// and the notes of its comment. A sure one returns no error.
type functionCode struct {
	uses  *uses
	body  []jen.Code
	notes []string
	sure  bool
}

// A nodeOutput is the Go type of a node's output.
type nodeOutput struct {
	// value is the type; typed says that it is made of the text by decoding.
	value *jen.Statement
	typed bool
	// object says that the value is a pointer to a struct.
	object bool
	// json says that the output is of no such type, and its text JSON all the same.
	json bool
	// same is the node whose type and schema are this one's, too, or nil; all names
	// the nodes that share those of this one, if there are several.
	same *node
	all  string
	// types declare the types of its output and of those inside it.
	types []func(*jen.File)
	// shape is the type that its spec is made of, or nil, and asked says that the
	// schema of the reply is, too.
	shape *structType
	asked bool
}

// declared returns the declarations of types that make adds.
func (g *declarer) declared(make func()) []func(*jen.File) {
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
	m := &node{Node: n, nodeNames: g.names.node(n.ID, n.Action), doc: "node `" + n.ID + "`", index: len(g.byID)}
	if n.Parsing == ir.Strict {
		m.spec = g.names.take(unexported(m.exported) + "Spec")
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
	m.types = g.declared(func() { g.valueType(m) })
}

// valueType finds the Go type of a node's output.
func (g *declarer) valueType(m *node) {
	call, _ := m.Action.(*ir.Call)
	if m.typed = decoded(m.Output) && (call == nil || call.Fan != nil || !call.MayBeEmpty); !m.typed {
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
		g.share(m, same[0])
		return
	}
	g.names.release(m.output)
	if all := g.sharers(m); len(all) > 1 {
		shape := g.shapeName(m)
		m.all, m.schema = nodeList(all), g.names.take(unexported(shape)+"Schema")
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

// share has a node take over the type and the schema of another, which the workflow
// gives both.
func (g *declarer) share(m, first *node) {
	g.types.alias(m.Output, first.Output)
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

// sharers are the nodes with the schema and the type of one, in the order in which
// their types are found.
func (g *declarer) sharers(m *node) (all []*node) {
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
	return exported(name, "Shared")
}

// nodeList names nodes: "`a`, `b` and `c`".
func nodeList(list []*node) string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.doc[strings.IndexByte(n.doc, '`'):]
	}
	return conjunction(names)
}

// conjunction joins names: "a, b and c".
func conjunction(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// alike reports whether the Go types of two nodes' outputs are the same for sure.
func (n *node) alike(other *node) bool {
	return n == other || !n.typed && !other.typed || n.same != nil && (n.same == other.same || n.same == other) || other.same == n
}

// decoded reports whether an output's value is more than its text.
func decoded(t types.Type) bool {
	switch t := t.(type) {
	case types.Basic:
		return types.IsNumber(t) || t == types.Bool
	case *types.Struct:
		return len(t.Fields) > 0
	case *types.Enum, *types.List, *types.Optional:
		return true
	}
	return false
}

// ordered returns the nodes so that dependencies come first, otherwise in
// definition order.
func (g *goPackage) ordered() []*node { return g.orderedOf(g.nodes) }

// orderedOf is ordered for the nodes of a body.
func (g *goPackage) orderedOf(nodes []*node) []*node {
	list := make([]*node, 0, len(nodes))
	done := map[string]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if done[n.ID] {
			return
		}
		done[n.ID] = true
		for _, need := range n.Needs {
			visit(g.byID[need.Node.ID])
		}
		list = append(list, n)
	}
	for _, n := range nodes {
		visit(n)
	}
	return list
}

// outputsType writes the struct of the terminal nodes' outputs.
func (g definitionWriter) outputsType(f *jen.File) {
	f.Line()
	doc := "Outputs holds the outputs of the nodes on which no other depends; each is empty if its node did not complete."
	if g.sequence {
		doc = "Outputs holds the output of the last step. It is empty if the step did not complete."
		if n := g.nodes[len(g.nodes)-1]; n.Finally && !n.terminal {
			doc = "Outputs holds the output of the last step before those that clean up. It is empty if the step did not complete."
		}
	}
	if result := g.program.Workflow.Returns; result != nil {
		doc = "Outputs holds the output of node `" + result.ID + "`, the result. It is empty if the node did not complete."
	}
	f.Comment(comment(doc))
	f.Type().Id("Outputs").StructFunc(func(s *jen.Group) {
		for _, n := range g.nodes {
			if n.terminal {
				name := n.ID
				if !tagName(name) {
					name = n.exported
				}
				of, _, optional := n.outcome()
				if n.json {
					s.Comment(comment(n.exported + " is the output of " + n.doc + " as JSON."))
				}
				s.Id(n.exported).Add(of).Op(tag(name, optional))
			}
		}
	})
}

// outcome is the type of the field of Outputs that holds a node's output, the calls
// that read it from the task, and whether the field may be left out.
func (n *node) outcome() (of, read *jen.Statement, optional bool) {
	final := jen.Dot("Final").Call()
	switch {
	case n.json:
		return jen.Qual(jsonPath, "RawMessage"), final.Dot("JSON").Call(), true
	case n.object:
		return n.value, final.Dot("Value"), true
	case n.typed:
		return jen.Op("*").Add(n.value), jen.Dot("Optional").Call(), true
	}
	return jen.String(), final.Dot("Text"), false
}

func itoa(n int) string { return strconv.Itoa(n) }

// An input is one field of Inputs.
type input struct {
	*ir.Input
	field string
	code  *jen.Statement
	// fallback says that the field is a pointer, nil for the default.
	fallback bool
}

// declareInputs finds names for the inputs. One whose default is not its
// type's zero value becomes a pointer, so that leaving it out differs from
// giving the zero value.
func (g *declarer) declareInputs(list []*ir.Input) {
	taken := map[string]bool{}
	for _, in := range list {
		name := exported(in.Name, "Input")
		for base, i := name, 2; taken[name]; i++ {
			name = base + itoa(i)
		}
		taken[name] = true
		i := &input{Input: in, field: name}
		i.code = g.types.goType(in.Type, "Input"+name, "Input"+name, "the input `"+in.Name+"`")
		if i.raw() {
			i.code = jen.Qual(jsonPath, "RawMessage")
		} else if in.Default != nil && !zero(in.Default) {
			i.code = pointer(in.Type, i.code)
			i.fallback = true
		}
		g.inputs[in.Name] = i
		g.inputSeq = append(g.inputSeq, i)
	}
}

// constantOf returns a default, which the front ends make constant.
func constantOf(e expr.Expr) *expr.Literal {
	lit, ok := e.(*expr.Literal)
	if !ok {
		panic(fmt.Sprintf("an input's default is a %T", e))
	}
	return lit
}

// zero reports whether a default is its type's zero value.
func zero(e expr.Expr) bool {
	lit := constantOf(e)
	switch {
	case types.IsText(lit.Typ):
		return lit.Text == ""
	case types.IsNumber(lit.Typ):
		return lit.Text == "0"
	case lit.Typ == types.Bool:
		return lit.Text == "false"
	}
	return true
}

// literal is a constant as Go writes it.
func literal(lit *expr.Literal) *jen.Statement {
	switch {
	case types.IsNumber(lit.Typ):
		return jen.Op(lit.Text)
	case lit.Typ == types.Bool:
		return jen.Id(lit.Text)
	}
	return jen.Lit(lit.Text)
}

// defaultJSON is a default as JSON writes it.
func defaultJSON(lit *expr.Literal) string {
	switch {
	case types.IsNumber(lit.Typ), lit.Typ == types.Bool:
		return lit.Text
	case lit.Typ == types.Null:
		return "null"
	case lit.Typ == types.Any:
		return lit.Text
	}
	text, _ := json.Marshal(lit.Text)
	return string(text)
}

func (g definitionWriter) inputsType(f *jen.File) {
	doc := "Inputs are the values that a caller supplies."
	if len(g.inputSeq) == 0 {
		doc = "Inputs is empty: a caller supplies no values."
	}
	f.Comment(comment(doc))
	f.Type().Id("Inputs").StructFunc(func(s *jen.Group) {
		given := false
		for i, in := range g.inputSeq {
			switch doc := in.Doc; {
			case replacement(in):
				if !given {
					doc = in.field + ", if not nil, is the output of step `" + in.Name + "`, which does not run then."
					if slices.ContainsFunc(g.inputSeq[i+1:], replacement) {
						doc += " The following fields do the same."
					}
					s.Comment(comment(doc))
				}
				given = true
			case in.fallback || in.raw() && constantOf(in.Default).Text != "null":
				s.Comment(comment(g.is(in) + " The run replaces nil by the default, " + defaultJSON(constantOf(in.Default)) + ", before a node reads it."))
			case g.given(in):
				s.Comment(comment(g.is(in) + " It has no default: a node that reads it fails if it is nil."))
			case doc != "":
				doc = g.is(in)
				if in.Name == contextInput && !g.sequence && g.graph == nil && len(g.agents()) > 0 {
					doc += " wfc appends it to the prompt of each `prompt` or `command` node that does not mention it."
				}
				s.Comment(comment(doc))
			}
			s.Id(in.field).Add(in.code).Op(tag(in.Name, in.fallback))
		}
	})
}

// is says what an input is. That of a graph is a variable that its texts ask the user for.
func (g definitionWriter) is(in *input) string {
	doc := strings.TrimSuffix(strings.TrimSpace(in.Doc), ".")
	switch {
	case g.graph != nil:
		return in.field + " is the value for `(user provides via state." + in.Name + ")`."
	case doc == "":
		return in.field + " is the input `" + in.Name + "`."
	case strings.HasPrefix(doc, "the ") && (in.Name == contextInput || in.Rest):
		return in.field + " is " + doc + "."
	}
	return in.field + ": " + doc + "."
}

// given reports whether a node fails if the run has no value for an input.
func (g definitionWriter) given(in *input) (found bool) {
	for _, n := range g.nodes {
		eachNode(n.Node, func(n *ir.Node) {
			for _, e := range expressions(n) {
				expr.Walk(e, func(e expr.Expr) bool {
					read, ok := e.(*expr.Input)
					found = found || ok && read.Given && read.Name == in.Name
					return !found
				})
			}
		})
	}
	return found
}

// read is the code that reads an input; one that has a default is set.
func (in *input) read() *jen.Statement { return in.of(jen.Id("in")) }

// of is the code that reads an input of the given Inputs.
func (in *input) of(inputs *jen.Statement) *jen.Statement {
	if in.fallback {
		return jen.Op("*").Add(inputs).Dot(in.field)
	}
	return inputs.Dot(in.field)
}
