package cron

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// Diagnostic makes a diagnostic of a finding.
func Diagnostic(f Finding, at source.Span) *diag.Diagnostic {
	var x *diag.Diagnostic
	switch f.Kind {
	case Never:
		x = diag.NeverFires(at, f.Message)
	case Either:
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
