package finding

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// BadSchedule reports an invalid schedule.
func BadSchedule(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC730", at, problem)
}

// NeverFires reports a schedule that matches no day.
func NeverFires(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC731", at, problem)
}

// EitherDay warns of a schedule that fires more often than it seems to.
func EitherDay(at source.Span, problem string) *diag.Diagnostic { return report("WFC732", at, problem) }
