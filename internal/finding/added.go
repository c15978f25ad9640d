package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// SetTwice warns of a setting of wfc.yaml that the workflow itself overrides at
// the given place.
func SetTwice(at source.Span, setting string, other source.Span) *diag.Diagnostic {
	return report("WFC740", at, fmt.Sprintf("both the workflow and wfc.yaml set `%s`: the workflow wins", setting)).
		WithRelated(other, "this has no effect").WithHelp("remove one of the two")
}
