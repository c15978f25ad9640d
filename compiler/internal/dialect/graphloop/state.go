package graphloop

import (
	"math"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

var stateLevel = level{Where: "under `state:`", Name: "`state`", Prefix: "state."}

// stateTable is the table of the state, which has one key.
func stateTable() decode.Table {
	return decode.Table{Level: stateLevel, Keys: []decode.Key{{
		Name: "variables", Shape: decode.MapOf(decode.Any).OrNull(), Examples: []string{`{"round": 0, "notes": []}`},
		Doc: "Variables with their initial values, which set their types; `null` is no value.",
	}}}
}

// A variable is a variable of the state: one that the file declares, that a
// handler sets, or that a text asks the user for.
type variable struct {
	field *ir.StateField
	// initial is the value that the file declares, or nil.
	initial *yamlsrc.Node
	// askedAt is where a text first asks the user for it.
	askedAt source.Span
	askedBy string
	writes  []*write
	// nulled says that a handler takes its value away.
	nulled bool
	// bad says that its declaration has a reported fault: readers of the variable
	// report nothing.
	bad bool
	typ *shape
}

// variables are the variables of the state.
type variables struct {
	bag *diag.Bag
	// all are in order of their first mention under state, in a handler, or as an input.
	all    []*variable
	byName map[string]*variable
}

// A write is one assignment of a handler.
type write struct {
	assign *ir.Assign
	node   *yamlsrc.Node
	// said says that the text of the node is assigned.
	said bool
}

// A measure is a figure of the run that conditions and templates can read.
type measure struct {
	known bool
	of    expr.Measure
}

// automatic are the variables that the run keeps itself. outputs is one of them
// that has a separate notation.
var automatic = map[string]measure{
	"iteration":      {true, expr.Iteration},
	"current_node":   {true, expr.CurrentNode},
	"started_at":     {true, expr.StartedAt},
	"nodes_executed": {true, expr.NodesExecuted},
	"estimated_cost": {true, expr.CostUSD},
	"outputs":        {},
}

const keptByRun = "the run maintains it itself"

// readableAutomatic are the names of the measures, for suggestions.
func readableAutomatic() []string {
	var names []string
	for _, m := range []expr.Measure{expr.Iteration, expr.CurrentNode, expr.StartedAt, expr.NodesExecuted, expr.CostUSD} {
		names = append(names, m.String())
	}
	return names
}

// ensureVariable returns the variable of a name, which it adds when it is new.
func (vs *variables) ensureVariable(name string, at source.Span) *variable {
	if v := vs.byName[name]; v != nil {
		return v
	}
	v := &variable{field: &ir.StateField{Name: name, Span: at}, typ: &shape{}}
	vs.byName[name] = v
	vs.all = append(vs.all, v)
	return v
}

// readState decodes the state: its variables, each with its first value.
func (d *decoder) readState(v value) {
	if !d.IsMapping(v) {
		return
	}
	for _, p := range v.Node.Pairs {
		if p.Key.Value == "variables" {
			continue
		}
		if !isName(p.Key.Value, false) || decode.NearMiss(v.Node, p.Key.Value, []string{"variables"}) != "" {
			d.UnknownKey(v, p.Key, stateLevel, []string{"variables"})
			continue
		}
		// It was meant as a variable; its readers are not further faults.
		d.Bag.Add(finding.StateVariable(p.Key.Span, p.Key.Value))
		d.state.ensureVariable(p.Key.Value, p.Key.Span).bad = true
	}
	p := v.Node.Pair("variables")
	if p == nil || p.Value.IsNull() {
		return
	}
	list := stateLevel.Value(v, p)
	if !d.IsMapping(list) {
		return
	}
	for _, p := range list.Node.Pairs {
		d.readVariable(list.Member(&p))
	}
}

func (d *decoder) readVariable(v value) {
	name, ok := d.state.variableName(v)
	if !ok {
		return
	}
	declared := d.state.ensureVariable(name, v.Key.Span)
	declared.field.Span, declared.field.Declared = v.Key.Span, true
	declared.bad = !d.state.isStateValue(v)
	if declared.initial = v.Node; declared.bad {
		declared.initial = nil
	}
}

// variableName returns the name of a variable, which is the value's key; false
// when it cannot be one, which is reported.
func (vs *variables) variableName(v value) (string, bool) {
	name := v.Key.Value
	if _, taken := automatic[name]; taken {
		vs.bag.Add(finding.ReservedName(v.Key.Span, "a variable", name, keptByRun))
		return "", false
	}
	if !isName(name, false) {
		vs.bag.Add(finding.BadName(v.Key.Span, "a variable", name, false))
		return "", false
	}
	return name, true
}

// isStateValue reports whether JSON has a notation for a value, and a fault if
// not.
func (vs *variables) isStateValue(v value) bool {
	if f, ok := v.Node.Number(); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		vs.bag.Add(finding.OutOfRange(v.Place(), v.Path, v.Node.Value, "a finite number"))
		return false
	}
	for _, n := range v.Node.Items {
		if !vs.isStateValue(value{Node: n, Key: v.Key, Path: v.Path}) {
			return false
		}
	}
	return !slices.ContainsFunc(v.Node.Pairs, func(p yamlsrc.Pair) bool { return !vs.isStateValue(v.Member(&p)) })
}

// lookUp finds the variable of `state.name`: a measure, a variable, or nothing,
// which it reports unless quiet.
func (vs *variables) lookUp(name string, at source.Span, quiet bool) (*variable, measure, bool) {
	if m := automatic[name]; m.known {
		return nil, m, true
	}
	if v := vs.byName[name]; v != nil {
		return v, measure{}, true
	}
	if !quiet {
		vs.bag.Add(finding.UnknownState(at, name, vs.stateNames()))
	}
	return nil, measure{}, false
}

// stateNames are the names that can be behind `state.`.
func (vs *variables) stateNames() []string {
	names := vs.declaredNames()
	for _, v := range vs.all {
		if !v.field.Declared && !v.bad {
			names = append(names, v.field.Name)
		}
	}
	return append(names, readableAutomatic()...)
}

func (vs *variables) declaredNames() []string {
	var names []string
	for _, v := range vs.all {
		if v.field.Declared {
			names = append(names, v.field.Name)
		}
	}
	return names
}

// handlerLevel is that of handlers. Messages call their keys by the output.
var handlerLevel = level{Where: "in a handler", Name: "a handler"}

// handlerTable is the table of a handler. Its parts count in this order.
var handlerTable = decode.Table{Level: handlerLevel, Keys: []decode.Key{
	{Name: "set", Shape: decode.MapOf(decode.Any).OrNull(), Examples: []string{`{"clean": true, "notes": "output"}`},
		Doc: "Variables with their new values; `output` is the node's text."},
	{Name: "append", Shape: decode.MapOf(decode.Any).OrNull(), Examples: []string{`{"log": "output"}`},
		Doc: "Variables that are lists, each with a value to add at its end."},
}}

// handlerKeys are the keys of the two parts of a handler.
var handlerKeys = handlerTable.Names()

// readHandlers decodes on_output: for each output the assignments, then the values
// that are appended to lists.
func (d *decoder) readHandlers(v value, n *nodeDecl) {
	if !d.IsMapping(v) {
		return
	}
	for _, p := range v.Node.Pairs {
		label := p.Key.Value
		h := &ir.Handler{Label: label, LabelSpan: p.Key.Span}
		if n.labelsKnown && n.node.Label(label) == nil {
			d.Bag.Add(finding.UnknownOutput(p.Key.Span, "unknown output `"+label+"` of `"+n.node.ID+"`", label, n.outputNames()))
		}
		d.readHandler(v.Member(&p), h)
		n.node.Handlers = append(n.node.Handlers, h)
	}
}

func (d *decoder) readHandler(v value, h *ir.Handler) {
	if v.Node.IsNull() || !d.IsMapping(v) {
		return
	}
	l := handlerLevel
	l.Prefix = v.Path + "."
	for _, p := range v.Node.Pairs {
		if !slices.Contains(handlerKeys, p.Key.Value) {
			d.UnknownKey(v, p.Key, l, handlerKeys)
		}
	}
	for _, key := range handlerKeys {
		p := v.Node.Pair(key)
		if p == nil || p.Value.IsNull() {
			continue
		}
		part := l.Value(v, p)
		if !d.IsMapping(part) {
			continue
		}
		for _, p := range part.Node.Pairs {
			if a := d.readAssign(part.Member(&p), key == "append"); a != nil {
				h.Assigns = append(h.Assigns, a)
			}
		}
	}
}

// readAssign decodes one assignment. The plain word output represents the text that
// the node gave.
func (d *decoder) readAssign(v value, isAppend bool) *ir.Assign {
	name, ok := d.state.variableName(v)
	if !ok || !d.state.isStateValue(v) {
		return nil
	}
	target := d.state.ensureVariable(name, v.Key.Span)
	a := &ir.Assign{Field: target.field, Append: isAppend, Span: v.Key.Span, ValueSpan: v.Place()}
	w := &write{assign: a, node: v.Node}
	if v.Node.IsString() && v.Node.Value == saidWord {
		if w.said = v.Node.Style == yamlsrc.Plain; !w.said {
			d.Bag.Add(finding.QuotedOutput(v.Node.Place()))
		}
	} else if v.Node.IsString() && v.Node.Style == yamlsrc.Plain && plain.Nearest(v.Node.Value, []string{saidWord}) != "" {
		d.Bag.Add(finding.NearOutput(v.Node.Place(), v.Node.Value))
	}
	if w.said {
		a.Value = &expr.Said{At: v.Place()}
	}
	target.nulled = target.nulled || v.Node.IsNull() && !isAppend
	target.writes = append(target.writes, w)
	return a
}

// saidWord is in a handler for the text that the node gave.
const saidWord = "output"
