package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 40x to 48x: control flow.
var flowCodes = []*Code{neverTogether, constantCondition, afterCancel, unmentionedSignal}

var neverTogether = &Code{
	ID: "WFC400", Slug: "never-runs", Severity: Warning,
	Doc: `A node waits for branches of which only one can run. Its trigger rule demands
that all of them complete, so the node never runs, and nothing says so.

A node that joins branches needs "trigger_rule: none_failed_min_one_success" or
"one_success".`,
	Bad: exampleHead + classifyNode + "  - id: fix\n    bash: make fix\n    depends_on: [classify]\n    when: $classify.output.kind == 'bug'\n" +
		"  - id: plan\n    bash: make plan\n    depends_on: [classify]\n    when: $classify.output.kind == 'feature'\n" +
		"  - id: report\n    bash: make report\n    depends_on: [fix, plan]\n",
	Good: exampleHead + classifyNode + "  - id: fix\n    bash: make fix\n    depends_on: [classify]\n    when: $classify.output.kind == 'bug'\n" +
		"  - id: plan\n    bash: make plan\n    depends_on: [classify]\n    when: $classify.output.kind == 'feature'\n" +
		"  - id: report\n    bash: make report\n    depends_on: [fix, plan]\n    trigger_rule: none_failed_min_one_success\n",
}

// NeverTogether reports a node that waits for nodes whose conditions exclude
// each other; a and b are the two conditions.
func NeverTogether(at source.Span, id string, value string, a, b source.Span) *Diagnostic {
	return neverTogether.new(at, fmt.Sprintf("`%s` never runs: it needs nodes that exclude each other by `%s`", id, value)).
		WithRelated(a, "one branch runs on this condition").
		WithRelated(b, "the other on this one").
		WithHelp("for a node that joins branches: `trigger_rule: none_failed_min_one_success`")
}

var constantCondition = &Code{
	ID: "WFC401", Slug: "constant-condition", Severity: Warning,
	Doc: `A condition as a whole has the same result in every run, although each of its
comparisons could go either way.`,
	Bad:  conditionExample("$check.output == 'ok' && $check.output == 'fine'"),
	Good: conditionExample("$check.output == 'ok' || $check.output == 'fine'"),
}

// ConstantCondition reports a condition that is always result.
func ConstantCondition(at source.Span, id string, result bool) *Diagnostic {
	if result {
		return constantCondition.new(at, fmt.Sprintf("the condition of `%s` always holds", id)).
			WithHelp("leave `when` out, or did you mean `&&`?")
	}
	return constantCondition.new(at, fmt.Sprintf("the condition of `%s` never holds, so it never runs", id)).
		WithHelp("did you mean `||`?")
}

var afterCancel = &Code{
	ID: "WFC402", Slug: "after-cancel", Severity: Warning,
	Doc: `A node needs a cancel node to complete. When that completes the run is over, and
when it is skipped the trigger rule keeps the node from running: it never runs.`,
	Bad:  exampleHead + "  - id: check\n    bash: ./check.sh\n  - id: stop\n    cancel: Nothing to do\n    depends_on: [check]\n    when: $check.output == 'none'\n  - id: go\n    bash: make\n    depends_on: [stop]\n",
	Good: exampleHead + "  - id: check\n    bash: ./check.sh\n  - id: stop\n    cancel: Nothing to do\n    depends_on: [check]\n    when: $check.output == 'none'\n  - id: go\n    bash: make\n    depends_on: [check]\n    when: $check.output != 'none'\n",
}

// AfterCancel reports a node that waits for a cancel node to complete.
func AfterCancel(at source.Span, id, cancel, rule string) *Diagnostic {
	return afterCancel.new(at, fmt.Sprintf("`%s` never runs: its trigger rule `%s` needs `%s`, which ends the run", id, rule, cancel)).
		WithHelp(fmt.Sprintf("depend on the nodes before `%s`, with the opposite condition", cancel))
}

var unmentionedSignal = &Code{
	ID: "WFC403", Slug: "unmentioned-signal", Severity: Warning,
	Doc: `A loop ends when its agent answers with a certain word, but its prompt never
mentions that word, so the agent can only hit on it by chance. The loop then
goes on to its last iteration and fails.

Say in the prompt what to answer when the work is done, or let a script decide
with until_bash. Upper and lower case count, except inside a tag.`,
	Bad:  exampleHead + "  - id: fix\n    loop: {prompt: Fix the next failing test, until: DONE, max_iterations: 5}\n",
	Good: exampleHead + "  - id: fix\n    loop: {prompt: 'Fix the next failing test. When all pass, answer with DONE.', until: DONE, max_iterations: 5}\n",
}

// UnmentionedSignal reports a loop whose prompt does not mention the word that
// ends it.
func UnmentionedSignal(at source.Span, id, signal string) *Diagnostic {
	return unmentionedSignal.new(at, fmt.Sprintf("the prompt of `%s` never mentions `%s`, so its agent does not know how to end the loop", id, signal)).
		WithHelp(fmt.Sprintf("say in the prompt: when everything is done, answer with `<promise>%s</promise>`", signal)).
		WithHelp("or test with `until_bash` whether it is done")
}
