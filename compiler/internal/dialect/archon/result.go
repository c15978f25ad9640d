package archon

import (
	"encoding/json"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// The result of a workflow: the node whose output it is, the field of it that holds
// the author's verdict, and the evidence without which a run does not complete.

// readFilledName reads a name without the spaces around it.
func readFilledName(d *decoder, v value) *value {
	if s, ok := d.Text(v); ok {
		if trimSpace(s) != "" {
			return &v
		}
		d.Empty(v)
	}
	return nil
}

// evidenceDecl holds the keys under `evidence_policy:`.
type evidenceDecl struct{ required bool }

var evidenceLevel = level{Where: "under `evidence_policy:`", Name: "`evidence_policy`", Prefix: "evidence_policy."}

var evidenceFields = []field[evidenceDecl]{
	{Name: "required", Shape: decode.Bool, Required: true,
		Doc:  "Whether a run completes only with the file `evidence.json` in `$ARTIFACTS_DIR`.",
		Read: func(d *decoder, v value, e *evidenceDecl) { e.required, _ = d.Flag(v) }},
}

func readEvidence(d *decoder, v value, w *workflowDecl) {
	var e evidenceDecl
	if readLevel(d, v, evidenceLevel, evidenceFields, &e) {
		w.evidence = e.required
	}
}

// deprecatedDecl holds the keys under `deprecated:`.
type deprecatedDecl struct{ message string }

var deprecatedLevel = level{Where: "under `deprecated:`", Name: "`deprecated`", Prefix: "deprecated."}

var deprecatedFields = []field[deprecatedDecl]{
	{Name: "message", Shape: decode.FilledString, Required: true,
		Doc:  "Advice for users of the workflow.",
		Read: func(d *decoder, v value, w *deprecatedDecl) { w.message, _ = d.Filled(v) }},
}

func readDeprecated(d *decoder, v value, w *workflowDecl) {
	var decl deprecatedDecl
	if readLevel(d, v, deprecatedLevel, deprecatedFields, &decl) {
		w.deprecated = trimSpace(decl.message)
	}
}

// setResult finds the node whose output is the result, and the field with the
// author's verdict.
func (d *decoder) setResult(w *workflowDecl, flow *ir.Workflow) {
	flow.Evidence, flow.Deprecated = w.evidence, w.deprecated
	if w.returns != nil {
		id := trimSpace(w.returns.Node.Value)
		known := d.scope.ids
		if flow.Returns = d.scope.nodes[id]; flow.Returns == nil {
			// Versions that do not know the key accept the file.
			strict := w.outcome != nil || d.rules.Holds(formats.UnknownResult)
			d.Bag.Add(finding.UnknownResult(w.returns.Place(), id, known, strict))
			return
		}
	}
	if w.outcome == nil {
		return
	}
	at, field := w.outcome.Place(), trimSpace(w.outcome.Node.Value)
	if w.returns == nil {
		d.Bag.Add(finding.OutcomeField(at, "the workflow has no `returns`", "name the node with the verdict in `returns`", source.Span{}))
		return
	}
	if flow.Returns.Output == types.Invalid || !d.isOutcome(at, field, flow.Returns) {
		return
	}
	flow.Outcome = &ir.Outcome{Field: field, Span: at}
}

// declaresObject reports whether a schema says `type: object`, instead of having only
// properties.
func declaresObject(schema string) bool {
	var s struct{ Type any }
	return json.Unmarshal([]byte(schema), &s) == nil && s.Type == "object"
}

// isOutcome reports whether a field of a node's output can be the verdict, and a fault
// if not.
func (r *reader) isOutcome(at source.Span, name string, n *ir.Node) bool {
	wrong := func(why, help string) bool {
		r.Bag.Add(finding.OutcomeField(at, why, help, n.SchemaSpan))
		return false
	}
	if loop, ok := n.Action.(*ir.Loop); ok {
		if _, group := loop.Body.(*ir.DAG); group {
			return wrong("`"+n.ID+"` is a `loop_group`", "name another node in `returns`: one that reads the output of `"+n.ID+"`")
		}
	}
	if n.Schema == "" {
		return wrong("`"+n.ID+"` has no `output_format`", "add an `output_format` with the bool field `"+name+"` to `"+n.ID+"`")
	}
	s, ok := n.Output.(*types.Struct)
	if !ok || !declaresObject(n.Schema) {
		return wrong("the output of `"+n.ID+"` is not an object", "declare `type: object` in its `output_format`")
	}
	switch f := s.Field(name); {
	case f == nil:
		r.Bag.Add(finding.UndeclaredOutcome(at, n.ID, name, s.FieldNames(), n.SchemaSpan))
		return false
	case f.Type != types.Bool:
		return wrong("`"+name+"` is not a bool", "declare `"+name+": {type: boolean}`")
	case !f.Required:
		return wrong("`"+name+"` may be missing", "add `"+name+"` to `required`")
	}
	return true
}
