package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// SetTwice warns of a setting of wfc.yaml that the workflow at its place overrides.
func SetTwice(at source.Span, setting string, other source.Span) *diag.Diagnostic {
	return report("WFC740", at, fmt.Sprintf("the workflow and wfc.yaml both set `%s`: the workflow's own counts", setting)).
		WithRelated(other, "this has no effect").WithHelp("remove one of the two")
}
