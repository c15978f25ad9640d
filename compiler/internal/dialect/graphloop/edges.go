package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// edgeDecl is an edge as it is written.
type edgeDecl struct {
	edge *ir.Edge
	// from and to are nil for START and END.
	from, to *nodeDecl
	fromV    *value
	toV      *value
	cond     *value
}

var edgeLevel = level{Where: "on an edge", Name: "the edge"}

var edgeFields = []field[edgeDecl]{
	{Name: "from", Shape: decode.FilledString, Required: true,
		Doc:  "Node that the edge leaves, or `START`.",
		Read: func(d *decoder, v value, e *edgeDecl) { e.fromV = decode.Keep(v, d.Filled) }},
	{Name: "to", Shape: decode.FilledString, Required: true,
		Doc:  "Node that runs next, or `END`.",
		Read: func(d *decoder, v value, e *edgeDecl) { e.toV = decode.Keep(v, d.Filled) }},
	{Name: "condition", Shape: decode.String,
		Doc:  "Condition under which the run takes the edge. The first edge in the file whose condition holds is taken.",
		Read: func(_ *decoder, v value, e *edgeDecl) { e.cond = &v }},
}

// readEdges decodes the list of edges. An edge that leads nowhere is left out;
// then the graph says that edges are missing, and the node that the edge left
// that something about it is.
func (d *decoder) readEdges(v value) {
	if v.Key != nil {
		d.graph.EdgesSpan = v.Key.Span
	}
	if !d.IsList(v) {
		d.graph.Broken = true
		return
	}
	seen := map[string]source.Span{}
	for _, item := range v.Node.Items {
		e := &edgeDecl{edge: &ir.Edge{Span: item.Place()}}
		at := v.Item(item)
		if !decode.Fields(d, edgeLevel, at, edgeFields, e) {
			d.graph.Broken = true
			continue
		}
		complete := d.Missing(at, at.Place(), edgeLevel, decode.Required(edgeFields)...)
		if !d.findEnds(e) || !complete {
			d.graph.Broken = true
			if e.from != nil {
				e.from.node.Broken = true
			}
			continue
		}
		if d.isDuplicate(e, seen) {
			continue
		}
		d.readGuard(e)
		d.edges = append(d.edges, e)
	}
}

// findEnds finds the two nodes of an edge, and reports unknown ones.
func (d *decoder) findEnds(e *edgeDecl) bool {
	ok := e.fromV != nil && e.toV != nil
	if v := e.fromV; v != nil {
		switch id := v.Node.Value; {
		case id == endID:
			d.Bag.Add(finding.EdgeDirection(v.Place(), endID))
			ok = false
		case id != startID:
			if e.from = d.end(v, startID); e.from == nil {
				ok = false
			}
		}
	}
	if v := e.toV; v != nil {
		switch id := v.Node.Value; {
		case id == startID:
			d.Bag.Add(finding.EdgeDirection(v.Place(), startID))
			ok = false
		case id != endID:
			if e.to = d.end(v, endID); e.to == nil {
				ok = false
			}
		}
	}
	return ok
}

// end finds the node of an edge's end; special is the name that could be there
// instead.
func (d *decoder) end(v *value, special string) *nodeDecl {
	if n := d.byID[v.Node.Value]; n != nil {
		return n
	}
	known := append(d.ids(), special)
	d.Bag.Add(finding.UnknownEdgeEnd(v.Place(), v.Node.Value, known))
	return nil
}

// ids are the names of all nodes.
func (d *decoder) ids() []string {
	ids := make([]string, len(d.nodes))
	for i, n := range d.nodes {
		ids[i] = n.node.ID
	}
	return ids
}

// isDuplicate reports a duplicate edge.
func (d *decoder) isDuplicate(e *edgeDecl, seen map[string]source.Span) bool {
	key := e.fromV.Node.Value + "\x00" + e.toV.Node.Value + "\x00"
	if e.cond != nil {
		if e.cond.Node.Kind != yamlsrc.Scalar {
			return false
		}
		bare := strings.Join(strings.Fields(e.cond.Node.Value), "")
		if inner, ok := unquote(source.PlainText(bare)); ok {
			bare = inner.Value
		}
		key += "?" + bare
	}
	if first, twice := seen[key]; twice {
		d.Bag.Add(finding.DuplicateEdge(e.edge.Span, e.fromV.Node.Value, e.toV.Node.Value, first))
		return true
	}
	seen[key] = e.edge.Span
	return false
}

func (d *decoder) readGuard(e *edgeDecl) {
	if e.from != nil {
		e.edge.From = e.from.node
	}
	if e.to != nil {
		e.edge.To = e.to.node
	}
	if e.cond == nil {
		return
	}
	e.edge.GuardText, e.edge.GuardSpan = e.cond.Node.Value, e.cond.Place()
	e.edge.Guard = d.addCondition(*e.cond, &condition{
		isEdge: true, from: e.from, place: "an edge", set: func(x expr.Expr) { e.edge.Guard = x },
	})
}
