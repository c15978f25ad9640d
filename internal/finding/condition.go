package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// ConditionSyntax reports a condition that cannot be parsed, in words.
func ConditionSyntax(at source.Span, problem string) *diag.Diagnostic {
	return codes.ConditionSyntax.New(at, problem)
}

// ConditionOperator reports an operator that conditions do not have.
func ConditionOperator(at source.Span, op string) *diag.Diagnostic {
	return codes.UnknownOperator.New(at, fmt.Sprintf("`%s` is not an operator in conditions", op)).
		WithHelp("use `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||` or `!`")
}

// MisspeltOutput reports a field of a node in a condition that is probably meant as
// its output; name is the place of the field's name.
func MisspeltOutput(at, name source.Span, node, field string) *diag.Diagnostic {
	return Meant(codes.MisspeltOutput.New(at, fmt.Sprintf("`$%s.%s` reads the field `%s` of the output", node, field, field)), nameWithin(name, field), "$"+node+".output", "output").WithHelp(fmt.Sprintf("write `$%s.output.%s` if the field exists", node, field))
}

// RunFact reports a condition that reads a fact about a script, such as its exit code, as if
// it were a field of the output.
func RunFact(at source.Span, node, field string) *diag.Diagnostic {
	return codes.MisspeltOutput.New(at, fmt.Sprintf("`$%s.%s` reads the field `%s` of the output, which `%s` does not print", node, field, field, node)).
		WithHelp("print what the condition needs, as in `make && echo ok || echo failed`, and compare `$" + node + ".output`").
		WithHelp("write `trigger_rule: all_done` to run a node after a failure, too")
}

// ConstantComparison reports a comparison with the same result in every run; why is
// a whole clause.
func ConstantComparison(at source.Span, result bool, why string) *diag.Diagnostic {
	return codes.ConstantComparison.New(at, fmt.Sprintf("always %t: %s", result, why))
}

// ObjectComparison reports a comparison of a whole object or list; fields are
// references to its fields, if it has any.
func ObjectComparison(at source.Span, value, kind string, fields []string) *diag.Diagnostic {
	d := codes.ObjectComparison.New(at, fmt.Sprintf("`%s` is compared as a string, but it is %s", value, kind))
	if len(fields) > 0 {
		d.WithHelp("compare a field: `" + strings.Join(fields, "`, `") + "`")
	}
	return d
}

// NotANumber reports an ordering of a value that is never a number.
func NotANumber(at source.Span, op, why string) *diag.Diagnostic {
	return codes.ConditionType.New(at, fmt.Sprintf("`%s` compares numbers, but %s", op, why))
}

// ProseComparison reports a comparison of a whole reply with a string.
func ProseComparison(at source.Span, node string) *diag.Diagnostic {
	return codes.ProseComparison.New(at, fmt.Sprintf("the reply of `%s` rarely equals exactly this string", node)).
		WithHelp(fmt.Sprintf("add an `output_format` with an enum to `%s`, and compare that field", node))
}

// UndeclaredRequired reports a required property that the schema does not declare.
func UndeclaredRequired(at source.Span, name string, declared []string) *diag.Diagnostic {
	return suggestNearestName(codes.UndeclaredRequired.New(at, fmt.Sprintf("undeclared property `%s` in `required`", name)), at, name, declared)
}

// MaybeSkippedBinding reports a value under `with:` whose producer may be skipped; cause
// is the condition that skips it.
func MaybeSkippedBinding(at source.Span, reader, producer, why string, cause source.Span) *diag.Diagnostic {
	return codes.MaybeMissing.New(at, fmt.Sprintf("`%s` fails if `%s` was skipped: this output is then missing", reader, producer)).
		WithRelated(cause, why).
		WithHelp("add `if_skipped` with a value for this case")
}

// MaybeSkipped reports a field of a producer that may have been skipped; why and
// cause name the reason and its place.
func MaybeSkipped(at source.Span, reader, producer, why string, cause source.Span) *diag.Diagnostic {
	return codes.MaybeMissing.New(at, fmt.Sprintf("`%s` fails if `%s` was skipped: this field is then missing", reader, producer)).
		WithRelated(cause, why).
		WithHelp(fmt.Sprintf("run `%s` only after `%s`: trigger rule `all_success`, or `when: $%s.output != ''`", reader, producer, producer))
}

// MaybeFailed reports a field of a producer that may have failed; rule is the
// reader's trigger rule.
func MaybeFailed(at source.Span, reader, producer, rule string) *diag.Diagnostic {
	return codes.MaybeMissing.New(at, fmt.Sprintf("`%s` fails if `%s` failed, despite `%s`: this field is missing", reader, producer, rule)).
		WithHelp(fmt.Sprintf("use trigger rule `all_success` for `%s`, or let `%s` write the value to a file", reader, producer))
}

// NeverTogether reports a node whose dependencies exclude each other; a and b are
// their conditions.
func NeverTogether(at source.Span, id string, value string, a, b source.Span) *diag.Diagnostic {
	return codes.NeverRuns.New(at, fmt.Sprintf("`%s` never runs: its dependencies exclude each other by `%s`", id, value)).
		WithRelated(a, "one branch runs under this condition").
		WithRelated(b, "the other under this one").
		WithHelp("use `trigger_rule: none_failed_min_one_success` on a node that joins branches")
}

// JoinSkipped reports a node that needs two branches of which either may be skipped alone,
// under the conditions at where. node is the whole definition of the node.
func JoinSkipped(at, node source.Span, id string, branches [2]string, where [2]source.Span) *diag.Diagnostic {
	const rule = "trigger_rule: none_failed_min_one_success"
	d := codes.NeverRuns.New(at, fmt.Sprintf("`%s` is skipped unless both `%s` and `%s` run, and the run still completes", id, branches[0], branches[1]))
	for i, place := range where {
		d.WithRelated(place, "`"+branches[i]+"` runs only under this condition")
	}
	title := "add `" + rule + "` if one of them is enough"
	if fix := newKey(at, node, rule); fix != nil {
		fix.Title = title
		withFix(d, fix)
	} else {
		d.WithHelp(strings.Replace(title, "add", "write", 1))
	}
	return d.WithHelp("repeat the conditions in the `when` of `" + id + "` if it needs both")
}

// newKey returns the fix, without a title, that adds a key behind the id of a node at a
// place, or nil if the node may have the key or its form is unusual.
func newKey(at, node source.Span, key string) *diag.Fix {
	name, _, _ := strings.Cut(key, ":")
	if !at.IsValid() || strings.Contains(node.Text(), name) {
		return nil
	}
	content := string(at.File.Content)
	before := content[strings.LastIndexByte(content[:at.Start], '\n')+1 : at.Start]
	line, _, _ := strings.Cut(content[at.End:], "\n")
	indent, end := len(before)-len(strings.TrimLeft(before, " -")), at.End
	switch rest := strings.TrimSpace(line); {
	case before[indent:] == "id: " && (rest == "" || rest[0] == '#'):
		end += len(strings.TrimRight(line, "\r"))
		key = "\n" + strings.Repeat(" ", indent) + key
	case strings.HasSuffix(before, "{id: ") && strings.HasPrefix(line, ","):
		key = ", " + key
	default:
		return nil
	}
	return &diag.Fix{Edits: []diag.Edit{{Span: source.Span{File: at.File, Start: end, End: end}, New: key}}}
}

// A Connective is one that the author of a condition probably meant, in place of that at At.
// Text is "" if there is none.
type Connective struct {
	Text string
	At   source.Span
}

// ConstantCondition reports the condition of a node with the same result in every run.
// key is the key of the condition.
func ConstantCondition(at source.Span, id, key string, intended Connective, result bool) *diag.Diagnostic {
	if !result {
		return orCorrect(codes.ConstantCondition.New(at, fmt.Sprintf("`%s` never runs: its condition is always false", id)), intended)
	}
	d := codes.ConstantCondition.New(at, fmt.Sprintf("the condition of `%s` is always true", id))
	if offerNear(d, intended.At, intended.Text) {
		return d.WithHelp("remove `" + key + "` if the condition is right")
	}
	return d.WithHelp("correct the condition, or remove `" + key + "`")
}

// ExcludedCondition reports the condition of a node inside another one whose own condition
// excludes it.
func ExcludedCondition(at source.Span, id, outer string, where source.Span) *diag.Diagnostic {
	return codes.ConstantCondition.New(at, fmt.Sprintf("`%s` never runs: its condition excludes that of `%s`", id, outer)).
		WithRelated(where, "the step around it runs under this condition").
		WithHelp(fmt.Sprintf("correct one of the conditions, or move `%s` out of `%s`", id, outer))
}

// ConstantLoop reports the condition of a loop, under a key such as "until", with the
// same result in every run; effect is the consequence.
func ConstantLoop(at source.Span, id, key, effect string, intended Connective, result bool) *diag.Diagnostic {
	return orCorrect(codes.ConstantCondition.New(at, fmt.Sprintf("the `%s` of `%s` is always %t: %s", key, id, result, effect)), intended)
}

// ConstantBranch reports a condition inside a template with the same result in every
// run.
func ConstantBranch(at source.Span, intended Connective, result bool) *diag.Diagnostic {
	return orCorrect(codes.ConstantCondition.New(at, fmt.Sprintf("this condition is always %t", result)), intended)
}

func orCorrect(d *diag.Diagnostic, intended Connective) *diag.Diagnostic {
	if offerNear(d, intended.At, intended.Text) {
		return d
	}
	return d.WithHelp("correct the condition, or remove it")
}

// AfterCancel reports a node that waits for a cancel node to complete.
func AfterCancel(at source.Span, id, cancel, rule string) *diag.Diagnostic {
	return codes.NeverRuns.New(at, fmt.Sprintf("`%s` never runs: trigger rule `%s` needs `%s`, which ends the run", id, rule, cancel)).
		WithHelp(fmt.Sprintf("depend on the nodes before `%s`, with the opposite condition", cancel))
}

// UnmentionedSignal reports a loop whose prompt does not mention the word that
// ends it.
func UnmentionedSignal(at source.Span, id, signal string) *diag.Diagnostic {
	return codes.LoopSignal.New(at, fmt.Sprintf("the prompt of `%s` never mentions `%s`, which ends the loop", id, signal)).
		WithHelp(fmt.Sprintf("tell the agent in the prompt to answer with `<promise>%s</promise>` when everything is done", signal)).
		WithHelp("test with `until_bash` instead whether everything is done")
}

// WholeComparison reports a comparison of the whole reply of an agent; canDeclare says
// that the node can have an output_format.
func WholeComparison(at source.Span, node string, canDeclare bool) *diag.Diagnostic {
	d := codes.ProseComparison.New(at, fmt.Sprintf("this compares the whole reply of `%s`, which is free text", node))
	d.Severity = diag.Error
	if canDeclare {
		return d.WithHelp(fmt.Sprintf("add an `output_format` to `%s`, and compare one of its fields", node))
	}
	return d.WithHelp("compare the output of a `bash` or `script` node that checks the reply")
}
