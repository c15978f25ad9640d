package finding

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// offer asks whether the known name nearest to name was meant, adds the fix that
// writes it at the place, and reports whether there is one.
func offer(d *diag.Diagnostic, at source.Span, name string, known []string) bool {
	return offerNear(d, at, Nearest(name, known))
}

// offerNear is offer for a nearest name that is already known, or "".
func offerNear(d *diag.Diagnostic, at source.Span, near string) bool {
	if near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return near != ""
}

// Nearest returns the candidate most like name, for "did you mean"; see plain.Nearest.
func Nearest(name string, candidates []string) string { return plain.Nearest(name, candidates) }
