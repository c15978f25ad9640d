package finding

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// InvalidPackage reports the folder of a packaged workflow, which no version of Archon loads.
func InvalidPackage(at source.Span, problem, help string) *diag.Diagnostic {
	return report("WFC131", at, problem).WithHelp(help)
}
