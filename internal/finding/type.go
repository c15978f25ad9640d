package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ConditionSyntax reports a condition that cannot be read, in words.
func ConditionSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC300", at, problem)
}

// ConditionOperator reports an operator that conditions do not have.
func ConditionOperator(at source.Span, op string) *diag.Diagnostic {
	return report("WFC301", at, fmt.Sprintf("conditions have no operator `%s`", op)).
		WithHelp("the operators are `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||` and `!`")
}

// ConditionLiteral reports a right side that is no literal, in words.
func ConditionLiteral(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC302", at, problem)
}

// ConditionOperand reports a left side that is no reference, in words.
func ConditionOperand(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC303", at, problem)
}

// ConditionPath reports a path that cannot be followed, in words.
func ConditionPath(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC304", at, problem)
}

// ConditionIncomplete reports a part that is missing, in words.
func ConditionIncomplete(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC305", at, problem)
}

// BlankCondition reports a condition that is empty or blank.
func BlankCondition(at source.Span) *diag.Diagnostic {
	return report("WFC325", at, "the condition is empty, so the node is always skipped").
		WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove `when`")
}

// MisspeltOutput reports a field of a node in a condition that was probably meant as
// its output; name is where the field's name stands.
func MisspeltOutput(at, name source.Span, node, field string) *diag.Diagnostic {
	d := report("WFC326", at, fmt.Sprintf("`$%s.%s` reads the field `%s` of the output", node, field, field)).
		WithHelp("did you mean `$" + node + ".output`?")
	if name.Text() == field {
		d.WithFix("replace with `output`", name, "output", false)
	}
	return d.WithHelp(fmt.Sprintf("if the field exists, write `$%s.output.%s`", node, field))
}

// ConditionQuote reports a quote that is never closed.
func ConditionQuote(at source.Span, quote string) *diag.Diagnostic {
	return report("WFC306", at, fmt.Sprintf("the quote %s is never closed", quote))
}

// ConstantComparison reports a comparison that is always result; why is what
// is known of the value.
func ConstantComparison(at source.Span, result bool, why string) *diag.Diagnostic {
	return report("WFC320", at, fmt.Sprintf("always %t: %s", result, why))
}

// ObjectComparison reports a comparison of an object or a list; fields are
// references to its fields, if it has any.
func ObjectComparison(at source.Span, value, kind string, fields []string) *diag.Diagnostic {
	d := report("WFC321", at, fmt.Sprintf("`%s` is compared as a text, but it is %s", value, kind))
	if len(fields) > 0 {
		d.WithHelp("compare a field: `" + strings.Join(fields, "`, `") + "`")
	}
	return d
}

// NotANumber reports an ordering of something that cannot be a number.
func NotANumber(at source.Span, op, what string) *diag.Diagnostic {
	return report("WFC322", at, fmt.Sprintf("`%s` compares numbers, but %s", op, what))
}

// ProseComparison reports a comparison of a whole answer with a text.
func ProseComparison(at source.Span, node string) *diag.Diagnostic {
	return report("WFC323", at, fmt.Sprintf("the answer of `%s` must be exactly this text, which an agent hardly ever writes", node)).
		WithHelp(fmt.Sprintf("give `%s` an `output_format` with an enum and compare that field", node))
}

// OptionalComparison reports a comparison of a field that may be missing.
func OptionalComparison(at source.Span, field string) *diag.Diagnostic {
	return report("WFC324", at, fmt.Sprintf("the field `%s` is optional: when it is missing it is compared as an empty text", field)).
		WithHelp(fmt.Sprintf("add `%s` to `required` in the schema", field))
}

// BadSchema reports a part of a schema that means nothing, in words.
func BadSchema(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC340", at, problem)
}

// UndeclaredRequired reports a required property that is not declared.
func UndeclaredRequired(at source.Span, name string, declared []string) *diag.Diagnostic {
	d := report("WFC341", at, fmt.Sprintf("the required property `%s` is not declared", name))
	if near := Nearest(name, declared); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

// LooseSchema reports a schema that requires none of its properties.
func LooseSchema(at source.Span, properties []string) *diag.Diagnostic {
	return report("WFC342", at, "the schema requires none of its properties, so `{}` is a valid answer").
		WithHelp("add `required: [" + strings.Join(properties, ", ") + "]`")
}

// MaybeSkipped reports a field of a producer that may have been skipped; why
// says what may skip it.
func MaybeSkipped(at source.Span, reader, producer, why string, cause source.Span) *diag.Diagnostic {
	return report("WFC360", at, fmt.Sprintf("`%s` may have been skipped when `%s` reads this field, and `%s` then fails", producer, reader, reader)).
		WithRelated(cause, why).
		WithHelp(fmt.Sprintf("run `%s` only when `%s` did: trigger rule `all_success`, or `when: $%s.output != ''`", reader, producer, producer))
}

// MaybeFailed reports a field of a producer that may have failed; rule is the
// reader's trigger rule.
func MaybeFailed(at source.Span, reader, producer, rule string) *diag.Diagnostic {
	return report("WFC361", at, fmt.Sprintf("`%s` runs even when `%s` failed (`%s`), but then it fails as well, because it reads this field", reader, producer, rule)).
		WithHelp(fmt.Sprintf("use trigger rule `all_success` for `%s`, or let `%s` write what is needed to a file", reader, producer))
}
