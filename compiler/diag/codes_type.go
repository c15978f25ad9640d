package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 3xx: types, conditions and presence. 30x is what a condition may look like,
// 32x what its comparisons mean, 34x schemas, 36x presence.
var typeCodes = []*Code{
	conditionSyntax, conditionOperator, conditionLiteral, conditionOperand, conditionPath, conditionIncomplete, conditionQuote,
	blankCondition, misspeltOutput,
	constantComparison, objectComparison, notANumber, proseComparison, optionalComparison,
	badSchema, undeclaredRequired, looseSchema,
	maybeSkipped, maybeFailed,
}

// conditionExample is a workflow whose second node has the given condition.
func conditionExample(when string) string {
	return exampleHead + "  - id: check\n    bash: ./check.sh\n  - id: go\n    bash: make\n    depends_on: [check]\n    when: " + when + "\n"
}

var conditionSyntax = &Code{
	ID: "WFC300", Slug: "condition-syntax", Severity: Error,
	Doc: `A condition cannot be read. A condition is one or more comparisons joined by &&
and ||, each with a reference on the left and a text in single quotes, a
number, true or false on the right. The original engine skips a node whose
condition it cannot read, and the run still counts as successful.`,
	Bad:  conditionExample("$check.output == 'ok' 'fine'"),
	Good: conditionExample("$check.output == 'ok' || $check.output == 'fine'"),
}

// ConditionSyntax reports a condition that cannot be read, in words.
func ConditionSyntax(at source.Span, problem string) *Diagnostic {
	return conditionSyntax.new(at, problem)
}

var conditionOperator = &Code{
	ID: "WFC301", Slug: "condition-operator", Severity: Error,
	Doc: `A condition uses an operator that it does not have. There are == and != for
texts, < <= > >= for numbers, && and || to join comparisons, and ! to negate
one.`,
	Bad:  conditionExample("$check.output = 'ok'"),
	Good: conditionExample("$check.output == 'ok'"),
}

// ConditionOperator reports an operator that conditions do not have.
func ConditionOperator(at source.Span, op string) *Diagnostic {
	return conditionOperator.new(at, fmt.Sprintf("conditions have no operator `%s`", op)).
		WithHelp("the operators are `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||` and `!`")
}

var conditionLiteral = &Code{
	ID: "WFC302", Slug: "condition-literal", Severity: Error,
	Doc: `The right side of a comparison is neither a text in quotes, nor a number, nor
true or false. Numbers are digits, possibly with a minus in front and a point
and digits behind.`,
	Bad:  conditionExample("$check.output == ok"),
	Good: conditionExample("$check.output == 'ok'"),
}

// ConditionLiteral reports a right side that is no literal, in words.
func ConditionLiteral(at source.Span, problem string) *Diagnostic {
	return conditionLiteral.new(at, problem)
}

var conditionOperand = &Code{
	ID: "WFC303", Slug: "condition-operand", Severity: Error,
	Doc: `The left side of a comparison is no reference to a node's output. Variables
such as $ARGUMENTS cannot be compared; let a bash node look at them and print
a word.`,
	Bad:  conditionExample("\"'ok' == $check.output\""),
	Good: conditionExample("$check.output == 'ok'"),
}

// ConditionOperand reports a left side that is no reference, in words.
func ConditionOperand(at source.Span, problem string) *Diagnostic {
	return conditionOperand.new(at, problem)
}

var conditionPath = &Code{
	ID: "WFC304", Slug: "condition-path", Severity: Error,
	Doc: `A reference in a condition names something that no reference can reach: a value
inside a field, or a field whose name holds other characters than letters,
digits and underscores.`,
	Bad:  conditionExample("$check.output.result.code == 0"),
	Good: conditionExample("$check.output.code == 0"),
}

// ConditionPath reports a path that cannot be followed, in words.
func ConditionPath(at source.Span, problem string) *Diagnostic {
	return conditionPath.new(at, problem)
}

var conditionIncomplete = &Code{
	ID: "WFC305", Slug: "condition-incomplete", Severity: Error,
	Doc: `Something is missing from a condition: a side of a comparison, the comparison
itself, or what && or || should join. A reference alone is no condition; say
what it is compared with.`,
	Bad:  conditionExample("$check.output"),
	Good: conditionExample("$check.output == 'true'"),
}

// ConditionIncomplete reports a part that is missing, in words.
func ConditionIncomplete(at source.Span, problem string) *Diagnostic {
	return conditionIncomplete.new(at, problem)
}

var blankCondition = &Code{
	ID: "WFC325", Slug: "blank-condition", Severity: Warning,
	Doc: `A condition is written and holds nothing. The original engine cannot decide such a
condition and skips the node without a word; so does wfc, and it says so.

Write the condition, or remove the key to run the node always.`,
	Bad:  conditionExample("''"),
	Good: conditionExample("$check.output == 'ok'"),
}

// BlankCondition reports a condition that is empty or blank.
func BlankCondition(at source.Span) *Diagnostic {
	return blankCondition.new(at, "the condition is empty, so the node is always skipped").
		WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove `when`")
}

var misspeltOutput = &Code{
	ID: "WFC326", Slug: "misspelt-output", Severity: Warning,
	Doc: `A condition reads a field whose name is nearly output. In conditions $node.field is
short for $node.output.field, so a misspelt output is taken for a field, which is not
there when the node runs.

Correct the name. If the field exists, write $node.output.field or declare it in the
node's output_format.`,
	Bad:  conditionExample("$check.outptu == 'ok'"),
	Good: conditionExample("$check.output == 'ok'"),
}

// MisspeltOutput reports a field of a node in a condition that was probably meant as
// its output; name is where the field's name stands.
func MisspeltOutput(at, name source.Span, node, field string) *Diagnostic {
	d := misspeltOutput.new(at, fmt.Sprintf("`$%s.%s` reads the field `%s` of the output", node, field, field)).
		WithHelp("did you mean `$" + node + ".output`?")
	if name.Text() == field {
		d.WithFix("replace with `output`", name, "output", false)
	}
	return d.WithHelp(fmt.Sprintf("if the field exists, write `$%s.output.%s`", node, field))
}

var conditionQuote = &Code{
	ID: "WFC306", Slug: "condition-quote", Severity: Error,
	Doc:  `A text in a condition has no closing quote.`,
	Bad:  conditionExample("$check.output == 'ok"),
	Good: conditionExample("$check.output == 'ok'"),
}

// ConditionQuote reports a quote that is never closed.
func ConditionQuote(at source.Span, quote string) *Diagnostic {
	return conditionQuote.new(at, fmt.Sprintf("the quote %s is never closed", quote))
}

var constantComparison = &Code{
	ID: "WFC320", Slug: "constant-comparison", Severity: Warning,
	Doc: `A comparison has the same result in every run, because the declared type of the
value cannot hold what it is compared with. A branch behind it never runs, or
always.`,
	Bad:  exampleHead + classifyNode + "  - id: fix\n    bash: make\n    depends_on: [classify]\n    when: $classify.output.kind == 'bugs'\n",
	Good: exampleHead + classifyNode + "  - id: fix\n    bash: make\n    depends_on: [classify]\n    when: $classify.output.kind == 'bug'\n",
}

// ConstantComparison reports a comparison that is always result; why is what
// is known of the value.
func ConstantComparison(at source.Span, result bool, why string) *Diagnostic {
	return constantComparison.new(at, fmt.Sprintf("always %t: %s", result, why))
}

var objectComparison = &Code{
	ID: "WFC321", Slug: "object-comparison", Severity: Warning,
	Doc: `A comparison takes a whole JSON object or list for a text. Its text is compact
JSON with every key in the producer's order, which hardly ever equals what is
written in a condition. Compare one of its fields.`,
	Bad:  exampleHead + classifyNode + "  - id: fix\n    bash: make\n    depends_on: [classify]\n    when: $classify.output == 'bug'\n",
	Good: exampleHead + classifyNode + "  - id: fix\n    bash: make\n    depends_on: [classify]\n    when: $classify.output.kind == 'bug'\n",
}

// ObjectComparison reports a comparison of an object or a list; fields are
// references to its fields, if it has any.
func ObjectComparison(at source.Span, value, kind string, fields []string) *Diagnostic {
	d := objectComparison.new(at, fmt.Sprintf("`%s` is compared as a text, but it is %s", value, kind))
	if len(fields) > 0 {
		d.WithHelp("compare a field: `" + strings.Join(fields, "`, `") + "`")
	}
	return d
}

var notANumber = &Code{
	ID: "WFC322", Slug: "not-a-number", Severity: Error,
	Doc: `One of the operators < <= > >= compares something that is never a number. The
condition could not be decided; the original engine skips the node.`,
	Bad:  conditionExample("$check.output > 'high'"),
	Good: conditionExample("$check.output > 5"),
}

// NotANumber reports an ordering of something that cannot be a number.
func NotANumber(at source.Span, op, what string) *Diagnostic {
	return notANumber.new(at, fmt.Sprintf("`%s` compares numbers, but %s", op, what))
}

var proseComparison = &Code{
	ID: "WFC323", Slug: "prose-comparison", Severity: Warning,
	Doc: `A condition compares the whole answer of an agent with a text. Agents hardly
ever answer with exactly that text, so the branch is skipped without notice.
Declare an output_format with an enum and compare its field.`,
	Bad:  exampleHead + "  - id: ask\n    prompt: Is this a bug? Answer yes or no.\n  - id: fix\n    bash: make\n    depends_on: [ask]\n    when: $ask.output == 'yes'\n",
	Good: exampleHead + "  - id: ask\n    prompt: Is this a bug?\n    output_format:\n      type: object\n      properties:\n        bug: {type: boolean}\n      required: [bug]\n  - id: fix\n    bash: make\n    depends_on: [ask]\n    when: $ask.output.bug == true\n",
}

// ProseComparison reports a comparison of a whole answer with a text.
func ProseComparison(at source.Span, node string) *Diagnostic {
	return proseComparison.new(at, fmt.Sprintf("the answer of `%s` must be exactly this text, which an agent hardly ever writes", node)).
		WithHelp(fmt.Sprintf("give `%s` an `output_format` with an enum and compare that field", node))
}

var optionalComparison = &Code{
	ID: "WFC324", Slug: "optional-comparison", Severity: Note,
	Doc: `A condition looks at a field that the schema does not require. When the agent
leaves it out it reads as an empty text, so the comparison is decided without
it. Put the field into "required" if the branch depends on it.`,
	Bad:  exampleHead + "  - id: ask\n    prompt: Is this a bug?\n    output_format:\n      type: object\n      properties:\n        bug: {type: boolean}\n        why: {type: string}\n      required: [why]\n  - id: fix\n    bash: make\n    depends_on: [ask]\n    when: $ask.output.bug == true\n",
	Good: exampleHead + "  - id: ask\n    prompt: Is this a bug?\n    output_format:\n      type: object\n      properties:\n        bug: {type: boolean}\n        why: {type: string}\n      required: [bug, why]\n  - id: fix\n    bash: make\n    depends_on: [ask]\n    when: $ask.output.bug == true\n",
}

// OptionalComparison reports a comparison of a field that may be missing.
func OptionalComparison(at source.Span, field string) *Diagnostic {
	return optionalComparison.new(at, fmt.Sprintf("the field `%s` is optional: when it is missing it is compared as an empty text", field)).
		WithHelp(fmt.Sprintf("add `%s` to `required` in the schema", field))
}

// schemaExample is a workflow with a node of the given output_format.
func schemaExample(format string) string {
	return exampleHead + "  - id: ask\n    prompt: Is this a bug?\n    output_format: " + format + "\n"
}

var badSchema = &Code{
	ID: "WFC340", Slug: "bad-schema", Severity: Warning,
	Doc: `A part of a JSON Schema means nothing: a type that does not exist, an enum
without values, a reference to a definition that is not there. What it
describes is then not checked.`,
	Bad:  schemaExample("{type: object, properties: {bug: {type: bool}}, required: [bug]}"),
	Good: schemaExample("{type: object, properties: {bug: {type: boolean}}, required: [bug]}"),
}

// BadSchema reports a part of a schema that means nothing, in words.
func BadSchema(at source.Span, problem string) *Diagnostic {
	return badSchema.new(at, problem)
}

var undeclaredRequired = &Code{
	ID: "WFC341", Slug: "undeclared-required", Severity: Warning,
	Doc: `A schema requires a property that its properties do not declare, so the answer
must hold a field of which nothing is known and that no reference can name.`,
	Bad:  schemaExample("{type: object, properties: {bug: {type: boolean}}, required: [bugs]}"),
	Good: schemaExample("{type: object, properties: {bug: {type: boolean}}, required: [bug]}"),
}

// UndeclaredRequired reports a required property that is not declared.
func UndeclaredRequired(at source.Span, name string, declared []string) *Diagnostic {
	d := undeclaredRequired.new(at, fmt.Sprintf("the required property `%s` is not declared", name))
	if near := Nearest(name, declared); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

var looseSchema = &Code{
	ID: "WFC342", Slug: "loose-schema", Severity: Note,
	Doc: `A schema declares properties and requires none, so an empty object is a valid
answer and every field may be missing.`,
	Bad:  schemaExample("{type: object, properties: {bug: {type: boolean}}}"),
	Good: schemaExample("{type: object, properties: {bug: {type: boolean}}, required: [bug]}"),
}

// LooseSchema reports a schema that requires none of its properties.
func LooseSchema(at source.Span, properties []string) *Diagnostic {
	return looseSchema.new(at, "the schema requires none of its properties, so `{}` is a valid answer").
		WithHelp("add `required: [" + strings.Join(properties, ", ") + "]`")
}

var maybeSkipped = &Code{
	ID: "WFC360", Slug: "field-of-skipped", Severity: Warning,
	Doc: `A node reads a field of a node that may have been skipped when the reader runs.
The field is then not there and the reader fails.

Make sure that the producer ran: by the default trigger rule, or by a condition
of the reader that looks at the producer's output first. Reading the whole
output is always possible: that of a skipped node is empty.`,
	Bad: exampleHead + classifyNode + "  - id: fix\n    bash: ./fix --json\n    depends_on: [classify]\n    when: $classify.output.kind == 'bug'\n" +
		"  - id: report\n    bash: echo $fix.output.url\n    depends_on: [fix]\n    trigger_rule: all_done\n",
	Good: exampleHead + classifyNode + "  - id: fix\n    bash: ./fix --json\n    depends_on: [classify]\n    when: $classify.output.kind == 'bug'\n" +
		"  - id: report\n    bash: echo $fix.output.url\n    depends_on: [fix]\n",
}

// MaybeSkipped reports a field of a producer that may have been skipped; why
// says what may skip it.
func MaybeSkipped(at source.Span, reader, producer, why string, cause source.Span) *Diagnostic {
	return maybeSkipped.new(at, fmt.Sprintf("`%s` may have been skipped when `%s` reads this field, and `%s` then fails", producer, reader, reader)).
		WithRelated(cause, why).
		WithHelp(fmt.Sprintf("run `%s` only when `%s` did: trigger rule `all_success`, or `when: $%s.output != ''`", reader, producer, producer))
}

var maybeFailed = &Code{
	ID: "WFC361", Slug: "field-of-failed", Severity: Warning,
	Doc: `A node that runs even after failures reads a field of a node that may have
failed. The field is then not there and the reader fails too, which defeats its
trigger rule.`,
	Bad:  exampleHead + "  - id: test\n    bash: ./test --json\n  - id: report\n    bash: echo $test.output.passed\n    depends_on: [test]\n    trigger_rule: all_done\n",
	Good: exampleHead + "  - id: test\n    bash: ./test --json\n  - id: report\n    bash: echo $test.output.passed\n    depends_on: [test]\n",
}

// MaybeFailed reports a field of a producer that may have failed; rule is the
// reader's trigger rule.
func MaybeFailed(at source.Span, reader, producer, rule string) *Diagnostic {
	return maybeFailed.new(at, fmt.Sprintf("`%s` runs even when `%s` failed (`%s`), but then it fails as well, because it reads this field", reader, producer, rule)).
		WithHelp(fmt.Sprintf("use trigger rule `all_success` for `%s`, or let `%s` write what is needed to a file", reader, producer))
}
