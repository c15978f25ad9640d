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

var edgeLevel = level{Where: "on an edge", Name: "the edge", Foreign: decode.ForeignTo(Name, decode.OnEdge)}

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

// readEdges decodes the list of edges. It leaves out an edge that leads nowhere, and
// marks the graph as having missing edges, and the node that the edge left as broken.
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
			d.dropEdge(e)
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
	var fromOK, toOK bool
	e.from, fromOK = d.findEdgeEnd(e.fromV, startID, endID)
	e.to, toOK = d.findEdgeEnd(e.toV, endID, startID)
	return fromOK && toOK
}

// findEdgeEnd finds the node of an edge's end. own is the end of the graph that is valid there
// and has no node; other is the one that is not valid there.
func (d *decoder) findEdgeEnd(v *value, own, other string) (n *nodeDecl, ok bool) {
	if v == nil {
		return nil, false
	}
	id := v.Node.Value
	n = d.byID[id]
	switch {
	case id == other:
		d.Bag.Add(finding.MisplacedEdge(v.Place(), other))
	case id == own:
		return nil, true
	case n == nil:
		d.Bag.Add(finding.UnknownEdgeEnd(v.Place(), id, append(d.nodeIDs(), own)))
	}
	return n, n != nil
}

// isDuplicate reports a duplicate edge.
func (d *decoder) isDuplicate(e *edgeDecl, seen map[string]source.Span) bool {
	key := e.fromV.Node.Value + "\x00" + e.toV.Node.Value + "\x00"
	if e.cond != nil {
		if e.cond.Node.Kind != yamlsrc.Scalar {
			return false
		}
		bare := strings.Join(strings.Fields(e.cond.Node.Value), "")
		if inner, ok := unquoteText(source.PlainText(bare)); ok {
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

// connectEdge adds an edge to its node. Branches have no edges: their parallel
// starts them and continues at its join, so an edge from a branch to that join has
// no effect.
func (d *decoder) connectEdge(e *edgeDecl) {
	if e.to != nil && e.to.parallel != nil && !(e.from != nil && e.from.parallel != nil) {
		d.Bag.Add(finding.BranchEdge(e.edge.Span, e.to.node.ID, e.to.parallel.node.ID, "", true))
		d.dropEdge(e)
		return
	}
	if e.from != nil && e.from.parallel != nil {
		p := e.from.parallel.node
		join := p.Action.(*ir.Parallel).Join
		if join != nil && e.edge.To != join {
			d.Bag.Add(finding.BranchEdge(e.edge.Span, e.from.node.ID, p.ID, join.ID, false))
			d.dropEdge(e)
		}
		return
	}
	if e.from == nil {
		d.graph.Start = append(d.graph.Start, e.edge)
		return
	}
	e.from.node.Out = append(e.from.node.Out, e.edge)
}

// dropEdge says that an edge is missing.
func (d *decoder) dropEdge(e *edgeDecl) {
	d.graph.Broken = true
	if e.from != nil {
		e.from.node.Broken = true
	}
}
