package lango

import (
	"github.com/wfc-lang/wfc/compiler/internal/cron"
	"github.com/wfc-lang/wfc/internal/ir"
)

// readSchedule reads and checks the schedule of the workflow. An empty one counts
// as missing.
func (d *decoder) readSchedule(v value) {
	text, ok := d.Text(v)
	if !ok || text == "" {
		return
	}
	at := v.Node.Text()
	schedule, findings := cron.Parse(text)
	for _, f := range findings {
		d.Bag.Add(cron.Diagnostic(f, at.Span(f.Start, f.End)))
	}
	if schedule != nil {
		d.workflow.Schedule = &ir.Schedule{Cron: text, Zone: schedule.Zone, Span: v.Place()}
	}
}
