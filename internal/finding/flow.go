package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NeverTogether reports a node that waits for nodes whose conditions exclude
// each other; a and b are the two conditions.
func NeverTogether(at source.Span, id string, value string, a, b source.Span) *diag.Diagnostic {
	return report("WFC400", at, fmt.Sprintf("`%s` never runs: it needs nodes that exclude each other by `%s`", id, value)).
		WithRelated(a, "one branch runs on this condition").
		WithRelated(b, "the other on this one").
		WithHelp("for a node that joins branches: `trigger_rule: none_failed_min_one_success`")
}

// ConstantCondition reports a condition that is always result.
func ConstantCondition(at source.Span, id string, result bool) *diag.Diagnostic {
	if result {
		return report("WFC401", at, fmt.Sprintf("the condition of `%s` always holds", id)).
			WithHelp("leave `when` out, or did you mean `&&`?")
	}
	return report("WFC401", at, fmt.Sprintf("the condition of `%s` never holds, so it never runs", id)).
		WithHelp("did you mean `||`?")
}

// AfterCancel reports a node that waits for a cancel node to complete.
func AfterCancel(at source.Span, id, cancel, rule string) *diag.Diagnostic {
	return report("WFC402", at, fmt.Sprintf("`%s` never runs: its trigger rule `%s` needs `%s`, which ends the run", id, rule, cancel)).
		WithHelp(fmt.Sprintf("depend on the nodes before `%s`, with the opposite condition", cancel))
}

// UnmentionedSignal reports a loop whose prompt does not mention the word that
// ends it.
func UnmentionedSignal(at source.Span, id, signal string) *diag.Diagnostic {
	return report("WFC403", at, fmt.Sprintf("the prompt of `%s` never mentions `%s`, so its agent does not know how to end the loop", id, signal)).
		WithHelp(fmt.Sprintf("say in the prompt: when everything is done, answer with `<promise>%s</promise>`", signal)).
		WithHelp("or test with `until_bash` whether it is done")
}
