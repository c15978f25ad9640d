package lango

import (
	"github.com/wfc-lang/wfc/compiler/cron"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
)

// readSchedule reads and checks when the workflow is to run. An empty one is none.
func (d *decoder) readSchedule(v value) {
	text, ok := d.Text(v)
	if !ok || text == "" {
		return
	}
	at := v.Node.Text()
	schedule, findings := cron.Parse(text)
	for _, f := range findings {
		d.Bag.Add(report(f, at.Span(f.Start, f.End)))
	}
	if schedule != nil {
		d.workflow.Schedule = &ir.Schedule{Cron: text, Zone: schedule.Zone, Span: v.Place()}
	}
}

// report makes a diagnostic of a finding.
func report(f cron.Finding, at source.Span) *diag.Diagnostic {
	var x *diag.Diagnostic
	switch f.Kind {
	case cron.Never:
		x = diag.NeverFires(at, f.Message)
	case cron.Either:
		x = diag.EitherDay(at, f.Message)
	default:
		x = diag.BadSchedule(at, f.Message)
	}
	if f.Help != "" {
		x.WithHelp(f.Help)
	}
	if f.Fix != "" {
		x.WithFix("replace with `"+f.Fix+"`", at, f.Fix, true)
	}
	return x
}
