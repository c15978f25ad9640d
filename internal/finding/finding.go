// Package finding makes the diagnostics of the compiler: one constructor for each
// code, in the file of its family. The compiler, the reader of wfc.yaml and the
// commands report nothing in another way.
package finding

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// report returns a diagnostic of the code with the given ID.
func report(id string, at source.Span, message string) *diag.Diagnostic {
	code, ok := diag.Lookup(id)
	if !ok {
		panic("unknown code " + id) // a test calls every constructor's code
	}
	return code.New(at, message)
}
