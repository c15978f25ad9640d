package gen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// declaredInside are the nodes inside a node whose declarations are among its own.
func (n *node) declaredInside() []*node {
	if isBody(n.Node) {
		return nil
	}
	return n.inner
}

// ownSchema is the JSON Schema that the code holds for a node, "" when its shape
// says as much.
func (n *node) ownSchema() string {
	if n.same != nil {
		return ""
	}
	if n.asksAgent() && n.Schema != "" && !n.asked {
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

// outputSpec is the code of the spec of a node's output.
func (n *node) outputSpec() *jen.Statement {
	if spec := n.ownSpec(); spec != "" {
		return jen.Id(spec)
	}
	return jen.Qual(outputPath, "Undeclared")
}

// ownSpec is the variable that says what the node's own output holds: that of a
// loop whose output is that of its last round is the round's. It is "" when there
// is none.
func (n *node) ownSpec() string {
	if _, repeats := n.Action.(*ir.Repeat); repeats {
		return n.inner[0].spec
	}
	return n.spec
}

// asksAgent reports whether the node, or the loop that it is, asks an agent for its output.
func (n *node) asksAgent() bool {
	switch n.Action.(type) {
	case *ir.Prompt, *ir.Loop:
		return true
	}
	return false
}

// hasSchema reports whether the node, or one inside it, asks an agent for an answer
// of a form.
func (n *node) hasSchema() bool {
	return n.asksAgent() && n.Schema != "" || slices.ContainsFunc(n.inner, (*node).hasSchema)
}

// addedField returns the tag of a field that a review or an artifact adds to what the
// step gives, or "".
func (n *node) addedField(f *types.Field) string {
	switch {
	case f.Span.IsValid():
	case f.Name == "approved" && n.Review != nil:
		return "review"
	case f.Name == "_artifact" && n.capturesStdout():
		return "artifact"
	}
	return ""
}

// capturesStdout reports whether the run keeps the output of a step's program as a file.
func (n *node) capturesStdout() bool {
	return n.SaveStdout || len(n.inner) == 1 && n.inner[0].SaveStdout
}

// sharesTypeWith reports whether the Go types of two nodes' outputs are the same for sure.
func (n *node) sharesTypeWith(other *node) bool {
	return n == other || !n.typed && !other.typed || n.same != nil && (n.same == other.same || n.same == other) || other.same == n
}

// outputField is the type of the field of Outputs that holds a node's output, the calls
// that read it from the task, and whether the field may be left out.
func (n *node) outputField() (of, read *jen.Statement, optional bool) {
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

// nodeList names nodes: "`a`, `b` and `c`".
func nodeList(list []*node) string {
	return plain.JoinAnd(plain.Texts(list, func(n *node) string { return n.doc[strings.IndexByte(n.doc, '`'):] }))
}

// isDecoded reports whether an output's value is more than its text.
func isDecoded(t types.Type) bool {
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

// appendSpecNodes appends the node and those inside it that have specs, the inner ones first.
func (n *node) appendSpecNodes(list []*node) []*node {
	for _, inner := range n.inner {
		list = inner.appendSpecNodes(list)
	}
	if n.spec != "" {
		list = append(list, n)
	}
	return list
}
