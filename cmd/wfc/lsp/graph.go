package lsp

import (
	"context"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/drawing"
	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/draw"
)

// graphMethod is a method of wfc, not of the protocol: it draws a workflow for a preview.
const graphMethod = "wfc/graph"

// drawGraph draws a workflow as SVG, with the ranges of its nodes. While the text has no
// program, it draws the last version that had one. The result is null for a file that is
// not a workflow.
func drawGraph(ctx context.Context, c *call, params *protocol.DocumentParams) (*protocol.Graph, error) {
	doc, a, err := c.openAnalysis(ctx, params.TextDocument.URI)
	if doc == nil || err != nil {
		return nil, err
	}
	stale := a.index == nil
	if stale {
		a = doc.good
	}
	if a == nil || a.index == nil {
		return nil, nil
	}
	w := a.result.Workflow.Workflow
	var svg strings.Builder
	nodes, edges := drawing.Describe(w)
	if err := draw.Write(&svg, "svg", w.Name, nodes, edges); err != nil {
		return nil, err
	}
	result := &protocol.Graph{Name: w.Name, SVG: svg.String(), Stale: stale, Nodes: []protocol.GraphNode{}}
	ir.Walk(w.Body, func(n *ir.Node) {
		if s := a.index.Node(n); s != nil && s.Def.File == a.file && s.Def.IsValid() {
			at := a.symbolOf(s)
			result.Nodes = append(result.Nodes, protocol.GraphNode{Key: n.Local(), Range: at.Range, SelectionRange: at.SelectionRange})
		}
	})
	return result, nil
}
