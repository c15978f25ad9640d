package compiler

import (
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Bounds returns how long runs of a workflow can be and what they can use, when
// that is a state graph without errors; otherwise nil.
func (r *Result) Bounds() *explore.Report {
	if r.Program == nil || r.HasErrors() {
		return nil
	}
	g, ok := r.Program.Workflow.Body.(*ir.Graph)
	if !ok {
		return nil
	}
	return explore.Run(g, explore.Options{}).Report()
}
