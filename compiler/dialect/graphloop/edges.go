package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/expr"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
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

var edgeLevel = level{where: "on an edge", name: "the edge"}

var edgeKeys = fieldNames(edgeFields)

var edgeFields = []field[edgeDecl]{
	{"from", func(d *decoder, v value, e *edgeDecl) { e.fromV = d.filledValue(v) }},
	{"to", func(d *decoder, v value, e *edgeDecl) { e.toV = d.filledValue(v) }},
	{"condition", func(_ *decoder, v value, e *edgeDecl) { e.cond = &v }},
}

// readEdges decodes the list of edges. An edge that leads nowhere is left out;
// then the graph says that edges are missing, and the node that the edge left
// that something about it is.
func (d *decoder) readEdges(v value) {
	if v.key != nil {
		d.graph.EdgesSpan = v.key.Span
	}
	if !d.isList(v) {
		d.graph.Broken = true
		return
	}
	seen := map[string]source.Span{}
	for _, item := range v.node.Items {
		e := &edgeDecl{edge: &ir.Edge{Span: item.Place()}}
		at := v.item(item)
		if !decodeFields(d, edgeLevel, at, edgeFields, e) {
			d.graph.Broken = true
			continue
		}
		at.key = nil
		complete := d.missing(at, at.place(), edgeLevel, "from", "to")
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

// findEnds finds the nodes that an edge joins, and reports what is none.
func (d *decoder) findEnds(e *edgeDecl) bool {
	ok := e.fromV != nil && e.toV != nil
	if v := e.fromV; v != nil {
		switch id := v.node.Value; {
		case id == endID:
			d.bag.Add(diag.EdgeDirection(v.place(), endID))
			ok = false
		case id != startID:
			if e.from = d.end(v, startID); e.from == nil {
				ok = false
			}
		}
	}
	if v := e.toV; v != nil {
		switch id := v.node.Value; {
		case id == startID:
			d.bag.Add(diag.EdgeDirection(v.place(), startID))
			ok = false
		case id != endID:
			if e.to = d.end(v, endID); e.to == nil {
				ok = false
			}
		}
	}
	return ok
}

// end finds the node of an edge's end; special is the name that could stand
// there instead.
func (d *decoder) end(v *value, special string) *nodeDecl {
	if n := d.byID[v.node.Value]; n != nil {
		return n
	}
	known := append(d.ids(), special)
	d.bag.Add(diag.UnknownEdgeEnd(v.place(), v.node.Value, known))
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

// isDuplicate reports an edge that stands a second time.
func (d *decoder) isDuplicate(e *edgeDecl, seen map[string]source.Span) bool {
	key := e.fromV.node.Value + "\x00" + e.toV.node.Value + "\x00"
	if e.cond != nil {
		if e.cond.node.Kind != yamlsrc.Scalar {
			return false
		}
		bare := strings.Join(strings.Fields(e.cond.node.Value), "")
		if inner, ok := unquote(source.PlainText(bare)); ok {
			bare = inner.Value
		}
		key += "?" + bare
	}
	if first, twice := seen[key]; twice {
		d.bag.Add(diag.DuplicateEdge(e.edge.Span, e.fromV.node.Value, e.toV.node.Value, first))
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
	e.edge.GuardText, e.edge.GuardSpan = e.cond.node.Value, e.cond.place()
	e.edge.Guard = d.addCondition(*e.cond, &condition{
		isEdge: true, from: e.from, place: "an edge", set: func(x expr.Expr) { e.edge.Guard = x },
	})
}
