package finding

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ForkKey reports a key that only forks of Archon have.
func ForkKey(at source.Span, key string) *diag.Diagnostic {
	return report("WFC130", at, "`"+key+"` is a key of forks: Archon does not have it")
}

// InvalidPackage reports the folder of a packaged workflow, which no version of Archon loads.
func InvalidPackage(at source.Span, problem, help string) *diag.Diagnostic {
	return report("WFC131", at, problem).WithHelp(help)
}
