package answer

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/drawing"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/graph"
)

// picture draws a workflow as SVG.
func picture(p *ir.Program) string {
	nodes, edges := drawing.Describe(p.Workflow)
	var b strings.Builder
	if err := graph.Write(&b, "svg", p.Workflow.Name, nodes, edges); err != nil {
		return "" // a builder takes everything
	}
	return b.String()
}
