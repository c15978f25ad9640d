package mutate

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// visitGraph visits what belongs to no node of a state graph: edges, limits, interrupts, goals.
func (f *finder) visitGraph(g *ir.Graph) {
	f.visitEdges("START", g.Start)
	for _, n := range g.Nodes {
		f.visitEdges(n.ID, n.Out)
		f.visitHandlers(n)
	}
	root := &spot{node: f.index.doc.Root}
	before := len(f.sites)
	f.addLimitFaults(root.valueForKey("limits").valueForKey("max_iterations"), "", nil)
	if proof := unreachedLimit(g); proof != "" {
		for _, s := range f.sites[before:] {
			s.same = proof
		}
	}
	for _, in := range g.Interrupts {
		at := f.index.mappingAt(in.Span)
		if at == nil {
			continue
		}
		facts := []string{"node " + in.Node.ID}
		f.addMissingKey(at, Gate, in.Node.ID, facts, "no interrupt at `%s`", in.Node.ID)
		f.addMissingKey(at.valueForKey("condition"), Guard, in.Node.ID, facts, "the interrupt at `%s` has no condition", in.Node.ID)
		if in.When != nil {
			f.addConditionFaults(in.When, place{node: in.Node.ID, what: "condition of the interrupt at `" + in.Node.ID + "`", facts: facts})
		}
		if required := at.valueForKey("required"); required != nil && required.node.Value == "true" {
			f.addSite(&site{class: Gate, node: in.Node.ID, at: required.node.Span.Start, facts: facts, text: fmt.Sprintf("the interrupt at `%s` is not required", in.Node.ID),
				edits: []edit{{required.node.Span.Start, required.node.Span.End, "false"}}})
		}
	}
	for _, goal := range g.Goals {
		if !f.isInFile(goal.Span) {
			continue
		}
		f.addConditionFaults(goal.Cond, place{what: "goal " + quoteExcerpt(goal.Text), hint: goalHint})
		if at := f.index.scalarAt(goal.Span); at != nil && len(g.Goals) > 1 {
			f.addSite(&site{class: Condition, hint: goalHint, at: goal.Span.Start, edits: f.index.removalEdits(at), text: "missing goal " + quoteExcerpt(goal.Text)})
		}
	}
}

// goalHint says how to notice a fault in a goal.
const goalHint = "`exit` or `outputs: {success: …}` in a test that ends at this node"

// visitEdges visits the edges of a node.
func (f *finder) visitEdges(from string, edges []*ir.Edge) {
	facts := []string{"node " + from}
	if from == "START" {
		facts = nil
	}
	for i, e := range edges {
		if !f.isInFile(e.Span) {
			continue
		}
		to := "END"
		if e.To != nil {
			to = e.To.ID
		}
		if e.Guard != nil {
			f.addConditionFaults(e.Guard, place{node: from, what: fmt.Sprintf("condition of the edge `%s` → `%s`", from, to), facts: facts, flow: true})
			if at := f.index.mappingAt(e.Span); at != nil {
				f.addMissingKey(at.valueForKey("condition"), Guard, from, facts, "the edge `%s` → `%s` has no condition", from, to).flow = true
			}
		}
		if i+1 < len(edges) && f.isInFile(edges[i+1].Span) && edges[i+1].Span.Start > e.Span.End {
			next := edges[i+1]
			f.addSite(&site{class: Order, node: from, at: e.Span.Start, facts: facts, flow: true, text: fmt.Sprintf("the edges from `%s` have another order", from), edits: []edit{
				{e.Span.Start, e.Span.End, f.sourceText(next.Span)}, {next.Span.Start, next.Span.End, f.sourceText(e.Span)},
			}})
		}
	}
}

// visitHandlers visits the values that handlers of a node give to variables.
func (f *finder) visitHandlers(n *ir.Node) {
	facts := []string{"node " + n.ID}
	for _, h := range n.Handlers {
		for _, a := range h.Assigns {
			if at := f.index.scalarAt(a.ValueSpan); at != nil {
				f.addMissingKey(at, Binding, n.ID, facts, "`%s` does not change `%s`", n.ID, a.Field.Name)
			}
			if lit, ok := a.Value.(*expr.Literal); ok && f.isInFile(a.ValueSpan) {
				f.addLiteralFaults(lit, a.Field.Type, place{node: n.ID, what: "value of `" + a.Field.Name + "`", facts: facts})
			}
		}
	}
	join, ok := n.Action.(*ir.Join)
	if !ok {
		return
	}
	for i, at := range join.WaitSpans {
		if spot := f.index.scalarAt(at); spot != nil && f.isInFile(at) {
			f.addSite(&site{class: Dependency, node: n.ID, at: at.Start, facts: facts, edits: f.index.removalEdits(spot),
				text: fmt.Sprintf("`%s` does not wait for `%s`", n.ID, join.Waits[i].ID)})
		}
	}
}

// addLiteralFaults adds the faults that a constant has another value.
func (f *finder) addLiteralFaults(lit *expr.Literal, of types.Type, at place) {
	if !f.isInFile(lit.At) {
		return
	}
	written := f.sourceText(lit.At)
	of = types.WithoutNull(of)
	replace := func(class, value string) {
		if class == Limit {
			at.hint = cmp.Or(at.hint, hints[Condition])
		}
		f.addSite(&site{class: class, node: at.node, at: lit.At.Start, facts: at.facts, flow: at.flow, condition: at.decides, hint: at.hint, text: fmt.Sprintf("%s: %s instead of %s", at.what, quoteExcerpt(value), quoteExcerpt(lit.Text)),
			edits: []edit{{lit.At.Start, lit.At.End, strings.Replace(written, lit.Text, value, 1)}}})
	}
	if !strings.Contains(written, lit.Text) {
		return
	}
	switch n, err := strconv.Atoi(lit.Text); {
	case lit.Text == "true" && (of == types.Bool || lit.Typ == types.Bool):
		replace(Enum, "false")
	case lit.Text == "false" && (of == types.Bool || lit.Typ == types.Bool):
		replace(Enum, "true")
	case err == nil && strconv.Itoa(n) == lit.Text && of != types.Text:
		replace(Limit, strconv.Itoa(n-1))
		replace(Limit, strconv.Itoa(n+1))
	default:
		if enum, ok := of.(*types.Enum); ok {
			for i, value := range enum.Values {
				if value == lit.Text && len(enum.Values) > 1 {
					replace(Enum, enum.Values[(i+1)%len(enum.Values)])
				}
			}
		}
	}
}
