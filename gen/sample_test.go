package gen_test

import (
	"github.com/wfc-lang/wfc/compiler/expr"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/types"
)

// triage is the workflow of the design: a script, a typed question, and a
// branch on the answer.
func triage() *ir.Program {
	b := newBuilder("triage-issue")
	b.flow.Description = "Classify an issue\nand investigate bugs."
	b.flow.Env = []ir.EnvVar{
		{Name: "ARGUMENTS", Value: &expr.Input{Name: "arguments", Typ: types.Text}},
		{Name: "BASE_BRANCH", Value: &expr.Var{Var: expr.BaseBranch}},
		{Name: "LOG_DIR", Value: &expr.Var{Var: expr.LogDir}},
		{Name: "REJECTION_REASON", Value: lit("")},
	}
	b.bash("fetch", `gh issue view "$ARGUMENTS" --json title,body`)
	classify := b.prompt("classify", "Classify this issue:\n$fetch.output\n", "fetch")
	classify.Action.(*ir.Prompt).AppendContext = true
	classify.Output = object(
		required("kind", enum("bug", "feature", "question")),
		required("confidence", types.Float),
	)
	classify.Schema = `{"type":"object","properties":{"kind":{"type":"string","enum":["bug","feature","question"]},"confidence":{"type":"number"}},"required":["kind","confidence"]}`
	investigate := b.prompt("investigate", "Find the root cause of this $classify.output.kind.", "classify")
	b.when(investigate, "$classify.output.kind == 'bug' && $classify.output.confidence > 0.6", func(ref func(string) expr.Expr) expr.Expr {
		return and(eq(ref("$classify.output.kind"), "bug"), compare(ref("$classify.output.confidence"), expr.NumberGreater, "0.6"))
	})
	b.cancel("stop", "not a bug but $classify.output.kind", "classify")
	return b.program()
}
