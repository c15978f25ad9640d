package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// WaitFor reports a wait for nothing, or for several things.
func WaitFor(at source.Span, kinds []string) *diag.Diagnostic {
	message := "`wait` does not say for what to wait"
	if len(kinds) > 0 {
		message = fmt.Sprintf("`wait` has several keys of which it may have one: %s", quoteAll(kinds))
	}
	return report("WFC213", at, message).WithHelp("give it one of `duration_ms`, `until`, `event` with `deadline_ms`, and `attention`")
}

// InvalidTime reports a time to wait for that is not one in UTC.
func InvalidTime(at source.Span, text string) *diag.Diagnostic {
	return report("WFC213", at, fmt.Sprintf("`%s` is not a time in UTC", text)).WithHelp("write the time as in `2027-01-31T09:00:00Z`")
}

// NotOnWait reports a key that a wait cannot have.
func NotOnWait(at source.Span, key string) *diag.Diagnostic {
	return report("WFC213", at, fmt.Sprintf("`wait` nodes cannot have `%s`", key)).WithHelp("remove it")
}

// InvalidDecision reports a fault in the decisions of a gate; why is a whole clause.
func InvalidDecision(at source.Span, why string) *diag.Diagnostic {
	return report("WFC214", at, "invalid `decisions`: "+why).WithHelp("write them as in `decisions: [{id: approve}, {id: ask-again}]`")
}
