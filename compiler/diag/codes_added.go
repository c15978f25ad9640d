package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 74x: settings that wfc.yaml gives workflows.
var addedCodes = []*Code{setTwice}

var setTwice = &Code{
	ID: "WFC740", Slug: "set-twice", Severity: Warning,
	Doc: `The workflow and wfc.yaml both say when the workflow runs, or where its result
goes. The workflow's own setting counts, and that of wfc.yaml has no effect. Remove
one of the two.`,
	Config: "workflows:\n  flow.yaml: {schedule: \"0 7 * * *\"}\n",
	Bad:    "name: w\nschedule: \"0 9 * * MON\"\n" + afterSchedule,
	Good:   "name: w\n" + afterSchedule,
}

// SetTwice warns of a setting of wfc.yaml that the workflow at its place overrides.
func SetTwice(at source.Span, setting string, other source.Span) *Diagnostic {
	return setTwice.new(at, fmt.Sprintf("the workflow and wfc.yaml both set `%s`: the workflow's own counts", setting)).
		WithRelated(other, "this has no effect").WithHelp("remove one of the two")
}
