package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NeverTogether reports a node whose dependencies exclude each other; a and b are
// their conditions.
func NeverTogether(at source.Span, id string, value string, a, b source.Span) *diag.Diagnostic {
	return report("WFC400", at, fmt.Sprintf("`%s` never runs: its dependencies exclude each other by `%s`", id, value)).
		WithRelated(a, "one branch runs under this condition").
		WithRelated(b, "the other under this one").
		WithHelp("use `trigger_rule: none_failed_min_one_success` on a node that joins branches")
}

// ConstantCondition reports a condition whose result is the same in every run.
func ConstantCondition(at source.Span, id string, result bool) *diag.Diagnostic {
	if result {
		return report("WFC401", at, fmt.Sprintf("the condition of `%s` is always true", id)).
			WithHelp("did you mean `&&`? otherwise remove `when`")
	}
	return report("WFC401", at, fmt.Sprintf("`%s` never runs: its condition is always false", id)).
		WithHelp("did you mean `||`?")
}

// AfterCancel reports a node that waits for a cancel node to complete.
func AfterCancel(at source.Span, id, cancel, rule string) *diag.Diagnostic {
	return report("WFC402", at, fmt.Sprintf("`%s` never runs: trigger rule `%s` needs `%s`, which ends the run", id, rule, cancel)).
		WithHelp(fmt.Sprintf("depend on the nodes before `%s`, with the opposite condition", cancel))
}

// UnmentionedSignal reports a loop whose prompt does not mention the word that
// ends it.
func UnmentionedSignal(at source.Span, id, signal string) *diag.Diagnostic {
	return report("WFC403", at, fmt.Sprintf("the prompt of `%s` never mentions `%s`, which ends the loop", id, signal)).
		WithHelp(fmt.Sprintf("tell the agent in the prompt to answer with `<promise>%s</promise>` when everything is done", signal)).
		WithHelp("test with `until_bash` instead whether everything is done")
}
