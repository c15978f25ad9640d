package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// Child runs.

// FanOutGate reports a fan-out of a workflow that waits for people or times.
func FanOutGate(at source.Span, workflow, node string, gate source.Span) *diag.Diagnostic {
	return report("WFC394", at, fmt.Sprintf("`fan_out` cannot run workflow `%s`: its node `%s` waits", workflow, node)).
		WithRelated(gate, "this node waits").
		WithHelp("ask before or after the `fan_out`, or use the workflow without `fan_out`")
}

// CrowdedCheckout reports a node whose child run can meet that of another node in the
// checkout.
func CrowdedCheckout(at source.Span, node, other string, otherAt source.Span) *diag.Diagnostic {
	return report("WFC395", at, fmt.Sprintf("the runs of `%s` and `%s` can change one checkout at the same time", other, node)).
		WithRelated(otherAt, fmt.Sprintf("`%s` is here", other)).
		WithHelp(fmt.Sprintf("add `%s` to `depends_on`, or set `isolation: worktree`, or `mutates_checkout: false` in a workflow that runs", other))
}

// SharedCheckout reports a fan-out whose runs would change one checkout at the same time.
func SharedCheckout(at source.Span, workflow string) *diag.Diagnostic {
	return report("WFC394", at, fmt.Sprintf("runs of workflow `%s` would change one checkout at the same time", workflow)).
		WithHelp("set `isolation: worktree` or `max_parallel: 1`, or `mutates_checkout: false` in the workflow that runs")
}
