package finding

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ConditionExtension reports syntax that the original engine does not have.
func ConditionExtension(at source.Span) *diag.Diagnostic {
	return report("WFC900", at, "the original engine cannot read this condition and skips the node").
		WithHelp("it has no parentheses, no `!` and no double quotes")
}

// InsertedTextScanned reports a value that the original engine scans again.
func InsertedTextScanned(at source.Span) *diag.Diagnostic {
	return report("WFC901", at, "the original engine replaces references inside this value too")
}
