package archon

import (
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// Resolving interprets the texts of a workflow once all of its nodes are known. It
// parses each surface by the rules of its kind, binds each reference to its node
// and field, and puts the result into the node: a condition, a template or a
// program with bindings.
//
// Each surface is scanned once, from left to right. The original engine replaces its
// variables one after the other, node outputs last, so it scans a user's input for
// references. Here an inserted value is never scanned.

// A resolver is the state of resolving one workflow.
type resolver struct {
	*scope // of the surface that is resolved
	// all are the nodes by their ids in the program.
	all map[string]*ir.Node
	// bodies are the bodies of the nodes.
	bodies map[*ir.Node]*body
	bag    *diag.Bag
	env    *dialect.Env
	// shell rewrites bash scripts; it is made for the first one.
	shell *shell.Rewriter
	// formed are the loops with an output_format.
	formed map[*ir.Node]bool
}

// resolveSurfaces parses all surfaces and hands each result to its set function. It
// adds an ordering dependency wherever a node reads an output that it does not
// wait for.
func (d *decoder) resolveSurfaces(w *ir.Workflow) {
	r := &resolver{all: map[string]*ir.Node{}, bodies: map[*ir.Node]*body{}, bag: d.Bag, env: d.env, formed: d.formed}
	r.addBody(w.Body.(*ir.DAG), nil)
	d.scope.inputs.flow, d.scope.inputs.declared = w, d.defaults.declaresInputs
	for _, in := range d.defaults.inputs {
		d.scope.inputs.names = append(d.scope.inputs.names, in.Name)
	}
	for _, g := range d.groups {
		g.scope.inputs = g.scope.outer.inputs
	}
	for _, s := range d.surfaces {
		r.scope, r.bag = s.scope, d.Bag
		if b := s.scope.inputs.block; b != nil {
			r.bag = b.bag
		}
		r.resolveSurface(r.spliceArguments(s))
		if s.done != nil {
			s.done(r)
		}
	}
	r.resumeSessions(d.resumptions)
	for _, b := range d.blocks {
		b.addFindings()
	}
	r.scope, r.bag = d.scope, d.Bag
	r.addVariables()
	r.checkCheckouts(w.Body.All())
}

func (r *resolver) resolveSurface(s *surface) {
	switch s.kind {
	case whenSurface:
		if trimSpace(s.text.Value) == "" {
			// The engine skips the node of a condition that it cannot parse.
			r.bag.Add(codes.BlankCondition.New(s.at, "the condition is empty: the node is always skipped").
				WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove `when`"))
			s.setCondition(&expr.Literal{At: s.at, Text: "false", Typ: types.Bool})
			return
		}
		var insert func(source.Text) expr.Expr
		if r.inputs.block != nil {
			insert = func(side source.Text) expr.Expr { return r.insertedValue(s, side) }
		}
		e := parseWhen(s.text, func(ref nodeRef) expr.Expr { return r.leftSide(s, ref) }, insert, r.bag)
		r.refuseComparisons(e)
		s.setCondition(e)
	case bashSurface, untilBashSurface:
		s.setBash(program.Bash(r.rewriterOf(s), r.scanTemplate(s), holeName, r.bag))
	case scriptSurface:
		s.setScript(r.newScript(s))
	default:
		s.setTemplate(r.scanTemplate(s))
	}
}

// leftSide binds a reference of a condition. The value of a block's input can only be there
// if it is a reference itself.
func (r *resolver) leftSide(s *surface, ref nodeRef) expr.Expr {
	e := r.bindReference(s, ref)
	if !ref.input || r.inputs.block == nil {
		return e
	}
	at := s.text.Span(ref.start, ref.end)
	switch e := e.(type) { // a copy, whose place is that in the condition
	case *expr.Output:
		e.At = at
		return e
	case *expr.Field:
		e.At = at
		return e
	case *expr.Input:
		e.At = at
		return e
	case *expr.Bad, *expr.Local:
		return e
	}
	r.bag.Add(finding.ConditionSyntax(at, "`$INPUTS."+ref.field+"` is not a reference here: its value is written in the including workflow").
		WithHelp("compare a node's output on the left, and the input on the right"))
	return &expr.Bad{At: at}
}

// bindReference binds a reference of a surface to its node and field.
func (r *resolver) bindReference(s *surface, ref nodeRef) expr.Expr {
	at := s.text.Span(ref.start, ref.end)
	if ref.input {
		return r.resolveInput(s, ref.field, at, s.text.Span(ref.end-len(ref.field), ref.end))
	}
	if ref.previous {
		return r.bindPrevious(s, ref, at)
	}
	producer := r.nodes[ref.node]
	if producer == nil {
		return r.unknownNode(s, ref, at, r.ids)
	}
	if !r.ensureOrder(s, producer, at) {
		return &expr.Bad{At: at}
	}
	if ref.field == "" {
		return &expr.Output{At: at, Node: producer.ID}
	}
	if ref.short && declaredFields(producer) == nil && whyNoFields(producer) == "" && plain.Nearest(ref.field, []string{"output"}) != "" {
		name := s.text.Span(ref.end-len(ref.field), ref.end)
		r.bag.Add(finding.MisspeltOutput(at, name, ref.node, ref.field))
	}
	if s.kind == whenSurface && ref.short && isRunFact(producer, ref.field) {
		r.bag.Add(finding.RunFact(at, ref.node, ref.field))
	}
	return r.bindField(s, producer, ref.field, at)
}

// runFacts are facts about a node that conditions of other tools can read.
var runFacts = []string{"exit_code", "exitCode", "exit_status", "returncode", "status", "stdout", "stderr", "conclusion", "outcome"}

// isRunFact reports whether a field is a fact about the run of a script, and no field of
// its output: one that the script prints is in its text, unless it prints JSON of others.
func isRunFact(producer *ir.Node, field string) bool {
	if producer.Action == nil || producer.Action.Kind() != (*ir.Bash)(nil).Kind() || !slices.Contains(runFacts, field) {
		return false
	}
	text := strings.ToLower(producer.Span.Text())
	return !slices.ContainsFunc([]string{strings.ToLower(field), "json", "jq", "cat", "curl", "gh ", "python", "node"}, func(word string) bool {
		return strings.Contains(text, word)
	})
}

// readsLate reports whether the original engine reads a text only when its node runs: that
// of a command file which is not in a block.
func (r *resolver) readsLate(s *surface) bool {
	return s.kind == commandSurface && r.inputs.block == nil
}

// bindPrevious binds a reference to the previous iteration of the group around the surface.
func (r *resolver) bindPrevious(s *surface, ref nodeRef, at source.Span) expr.Expr {
	if r.siblings == nil {
		r.bag.Add(finding.PreviousOutsideGroup(at, s.text.Value[ref.start:ref.end]))
		return &expr.Bad{At: at}
	}
	producer := r.siblings[ref.node]
	if producer == nil {
		return r.unknownNode(s, ref, at, slices.Sorted(maps.Keys(r.siblings)))
	}
	if ref.field == "" {
		return &expr.Output{At: at, Node: producer.ID, Previous: true}
	}
	e := r.bindField(s, producer, ref.field, at)
	if f, ok := e.(*expr.Field); ok {
		f.Previous, f.Presence = true, expr.MaybeAbsent
	}
	return e
}

// unknownNode reports a reference to a node that is not one of ids.
func (r *resolver) unknownNode(s *surface, ref nodeRef, at source.Span, ids []string) expr.Expr {
	known := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !isReferable(id) })
	name := s.text.Span(ref.nameAt(), ref.nameAt()+len(ref.node))
	if s.kind == whenSurface {
		r.bag.Add(finding.UnknownNodeInCondition(at, name, ref.node, known))
		return &expr.Bad{At: at}
	}
	// The original reads command files when it runs: there a whole output of an unknown
	// node is empty, and a field of one fails the node.
	if r.rules.Holds(formats.UnknownNodes) && (!r.readsLate(s) || ref.previous || ref.field != "") {
		r.bag.Add(finding.UnknownNodeReference(at, name, ref.node, known, true))
		return &expr.Bad{At: at}
	}
	d := finding.UnknownNodeReference(at, name, ref.node, known, false)
	if s.kind.isShell() {
		d.WithHelp("write `${" + ref.node + "}`")
	}
	r.bag.Add(d)
	return emptyText(at)
}

// bindField binds a reference to a field of a producer's output. One that is not
// declared reads as a field of an unknown output: in every run it is missing,
// and the reader fails.
func (r *resolver) bindField(s *surface, producer *ir.Node, name string, at source.Span) expr.Expr {
	e := &expr.Field{At: at, Node: producer.ID, Path: []string{name}, Typ: types.Any}
	if producer.Output == types.Invalid {
		e.Typ = types.Invalid
		return e
	}
	if fields := declaredFields(producer); fields != nil {
		f := fields.Field(name)
		if f == nil {
			report := finding.UnknownField
			if s.kind == whenSurface {
				report = finding.UnknownFieldInCondition
			}
			r.bag.Add(report(at, producer.ID, name, fields.FieldNames(), producer.SchemaSpan))
			return e
		}
		e.Typ, e.Declared = f.Type, true
		if !f.Required {
			e.Presence = expr.MaybeAbsent
		}
		return e
	}
	if why := whyNoFields(producer); why != "" {
		r.bag.Add(finding.NoFields(at, producer.ID, name, why, producer.IDSpan))
		e.Typ = types.Invalid
	}
	return e
}

// declaredFields returns the fields that a node's schema declares; nil if there is
// no schema or it declares none.
func declaredFields(n *ir.Node) *types.Struct {
	s, _ := types.WithoutNull(n.Output).(*types.Struct)
	return s
}

// whyNoFields says why a node's output can never have fields, or "".
func whyNoFields(n *ir.Node) string {
	switch action := n.Action.(type) {
	case *ir.Approval:
		if !action.Capture && len(action.Decisions) == 0 {
			return "without `capture_response` its output is empty"
		}
	case *ir.Cancel:
		return "a `cancel` node ends the run"
	}
	if n.Fan() != nil {
		return "its output is a list"
	}
	if n.Schema == "" || n.Output == nil || n.Output == types.Any || n.Output == types.Invalid {
		return ""
	}
	return "its `output_format` declares " + n.Output.String()
}

// refuseComparisons reports comparisons in a condition that newer rules refuse:
// those of the whole reply of an agent, and those of a field that is an object or a list.
// If only the run knows whether a field is one, the run fails the node.
func (r *resolver) refuseComparisons(e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		c, ok := e.(*expr.Compare)
		if !ok {
			return true
		}
		switch x := c.X.(type) {
		case *expr.Output:
			lit, fixed := c.Y.(*expr.Literal)
			if x.Previous && fixed && lit.Text == "" {
				return false // it asks for the first iteration
			}
			if r.rules.Holds(formats.WholeReplies) && r.isWholeReply(x) {
				r.bag.Add(finding.WholeComparison(x.At, x.Node, r.all[x.Node].Action.Kind() != (*ir.Loop)(nil).Kind()))
				c.X = &expr.Bad{At: x.At} // the checks have nothing to add
			}
		case *expr.Field:
			if !r.rules.Holds(formats.ComparedValues) {
				return false
			}
			if kind, fields := expr.Composite(x.Typ); kind != "" && !c.Op.IsNumeric() {
				d := finding.ObjectComparison(x.At, x.Path[0], kind, nil)
				if len(fields) > 0 {
					d.WithHelp("declare the value to compare as a top-level field of `" + x.Node + "`: conditions do not reach into `" + x.Path[0] + "`")
				}
				d.Severity = diag.Error
				r.bag.Add(d)
				c.X = &expr.Bad{At: x.At}
			}
			x.Scalar = x.Typ == types.Any && !c.Op.IsNumeric() // a number is parsed
		}
		return false
	})
}

// isWholeReply reports whether an output is the free text of an agent.
func (r *resolver) isWholeReply(out *expr.Output) bool {
	producer := r.all[out.Node]
	if producer.Schema != "" || producer.Output == types.Invalid || r.formed[producer] {
		return false
	}
	kind := producer.Action.Kind()
	return kind == (*ir.Prompt)(nil).Kind() || kind == (*ir.Loop)(nil).Kind()
}
