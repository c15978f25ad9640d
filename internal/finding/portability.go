package finding

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ConditionExtension reports condition syntax that the original engine lacks.
func ConditionExtension(at source.Span) *diag.Diagnostic {
	return report("WFC900", at, "the original engine cannot parse this condition and skips the node").
		WithHelp("avoid parentheses, `!` and double quotes")
}

// InsertedTextScanned reports a value that the original engine scans for references.
func InsertedTextScanned(at source.Span) *diag.Diagnostic {
	return report("WFC901", at, "the original engine also replaces references inside this value")
}
