package compiler

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Added are settings that the configuration gives a workflow of any dialect. What
// the workflow says itself goes before them.
type Added struct {
	// Schedule says when the workflow is to run; nil adds nothing.
	Schedule *ir.Schedule
	// DeliverTo are the channels that get the result.
	DeliverTo []ir.Target
}

// apply gives a workflow what it does not say itself.
func (a *Added) apply(w *ir.Workflow, bag *diag.Bag) {
	switch {
	case a.Schedule == nil:
	case w.Schedule != nil:
		bag.Add(finding.SetTwice(w.Schedule.Span, "schedule", a.Schedule.Span))
	default:
		w.Schedule = a.Schedule
	}
	switch {
	case len(a.DeliverTo) == 0:
	case len(w.DeliverTo) > 0:
		bag.Add(finding.SetTwice(w.DeliverTo[0].Span, "deliver_to", a.DeliverTo[0].Span))
	default:
		w.DeliverTo = a.DeliverTo
	}
}
