package lsp

import (
	"context"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// The call hierarchy is the graph of the workflow: the callers of a node are the nodes
// that lead to it.

func prepareCallHierarchy(ctx context.Context, c *call, params *protocol.TextDocumentPositionParams) ([]protocol.CallHierarchyItem, error) {
	t, err := c.resolveTarget(ctx, params)
	if err != nil || t == nil || t.a.index == nil {
		return nil, err
	}
	var n *ir.Node
	switch {
	case t.ref != nil && t.ref.Symbol.Kind == symbols.Node:
		n = t.ref.Symbol.Node
	case t.file == t.a.file:
		n = t.a.index.Enclosing(t.offset)
	}
	item, ok := c.callHierarchyItem(t.a, n)
	if !ok {
		return nil, nil
	}
	return []protocol.CallHierarchyItem{item}, nil
}

// callHierarchyItem describes a node; ok is false if it is not in the file.
func (c *call) callHierarchyItem(a *analysis, n *ir.Node) (item protocol.CallHierarchyItem, ok bool) {
	s := a.index.Node(n)
	if s == nil || s.Def.File != a.file {
		return item, false
	}
	symbol := a.symbolOf(s)
	return protocol.CallHierarchyItem{
		Name: symbol.Name, Kind: symbol.Kind, Detail: symbol.Detail, URI: c.view.fileURI(a.path),
		Range: symbol.Range, SelectionRange: symbol.SelectionRange,
	}, true
}

// A link leads from a node to one that follows it; at says so in the file.
type link struct {
	from, to *ir.Node
	at       source.Span
}

// bodyLinks returns the links of all bodies.
func bodyLinks(b ir.Body) []link {
	var list []link
	switch b := b.(type) {
	case *ir.DAG:
		for _, n := range b.Nodes {
			for _, need := range n.Needs {
				list = append(list, link{need.Node, n, need.Span})
			}
		}
	case *ir.Sequence:
		for i := 1; i < len(b.Nodes); i++ {
			list = append(list, link{b.Nodes[i-1], b.Nodes[i], b.Nodes[i].IDSpan})
		}
	case *ir.Graph:
		for _, n := range b.Nodes {
			for _, e := range n.Out {
				if e.To != nil {
					list = append(list, link{n, e.To, e.Span})
				}
			}
			if p, ok := n.Action.(*ir.Parallel); ok {
				for i, branch := range p.Branches {
					list = append(list, link{n, branch, p.BranchSpans[i]})
					if p.Join != nil {
						list = append(list, link{branch, p.Join, p.Join.IDSpan})
					}
				}
			}
		}
	}
	if b != nil {
		for _, n := range b.All() {
			list = append(list, bodyLinks(bodyOf(n.Action))...)
			for _, inner := range n.Inner() {
				if inner.ID != n.ID {
					list = append(list, link{n, inner, inner.IDSpan})
				}
			}
		}
	}
	return list
}

// bodyOf returns the body inside an action, or nil.
func bodyOf(a ir.Action) ir.Body {
	switch a := a.(type) {
	case *ir.Loop:
		return a.Body
	case *ir.Block:
		return a.Body
	}
	return nil
}

// linkedCalls returns the links of a node to others as calls, with the places of each.
func (c *call) linkedCalls(ctx context.Context, params *protocol.CallHierarchyParams, incoming bool) ([]protocol.CallHierarchyCall, error) {
	t, err := c.resolveTarget(ctx, &protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: params.Item.URI}, Position: params.Item.SelectionRange.Start,
	})
	list := []protocol.CallHierarchyCall{}
	if err != nil || t == nil || t.ref == nil || t.ref.Symbol.Kind != symbols.Node {
		return list, err
	}
	at := map[string]int{}
	for _, l := range bodyLinks(t.a.result.Workflow.Workflow.Body) {
		here, other := l.from, l.to
		if incoming {
			here, other = l.to, l.from
		}
		item, ok := c.callHierarchyItem(t.a, other)
		if !ok || here.ID != t.ref.Symbol.Node.ID {
			continue
		}
		i, known := at[other.ID]
		if !known {
			i = len(list)
			at[other.ID] = i
			linked := protocol.CallHierarchyCall{To: &item, FromRanges: []protocol.Range{}}
			if incoming {
				linked.From, linked.To = linked.To, nil
			}
			list = append(list, linked)
		}
		if l.at.File == t.a.file {
			list[i].FromRanges = append(list[i].FromRanges, rangeOf(l.at))
		}
	}
	return list, nil
}

func incomingCalls(ctx context.Context, c *call, params *protocol.CallHierarchyParams) ([]protocol.CallHierarchyCall, error) {
	return c.linkedCalls(ctx, params, true)
}

func outgoingCalls(ctx context.Context, c *call, params *protocol.CallHierarchyParams) ([]protocol.CallHierarchyCall, error) {
	return c.linkedCalls(ctx, params, false)
}
