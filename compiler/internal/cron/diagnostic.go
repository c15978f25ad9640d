package cron

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// Diagnostic makes a diagnostic of a finding.
func Diagnostic(f Finding, at source.Span) *diag.Diagnostic {
	var x *diag.Diagnostic
	switch f.Kind {
	case Never:
		x = finding.NeverFires(at, f.Message)
	case Either:
		x = finding.EitherDay(at, f.Message)
	default:
		x = finding.BadSchedule(at, f.Message)
	}
	if f.Help != "" {
		x.WithHelp(f.Help)
	}
	if f.Fix != "" {
		x.WithFix("replace with `"+f.Fix+"`", at, f.Fix, true)
	}
	return x
}
