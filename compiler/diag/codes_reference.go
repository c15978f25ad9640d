package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 25x to 29x: references to nodes and their fields.
var referenceCodes = []*Code{
	unknownNodeReference, unknownNodeInCondition, selfReference, descendantReference,
	undeclaredDependency, orderCycle, unknownField, noFields, runOnReference, nestedField,
	misspeltReference, bracedReference, unknownVariable, variableInMessage, emptyVariable,
	unnamableNode, runOnVariable, unknownFieldInCondition,
}

// exampleHead starts the examples that need no settings of their own.
const exampleHead = "name: w\ndescription: d\nnodes:\n"

// classifyNode is the node whose fields the examples read.
const classifyNode = `  - id: classify
    prompt: What kind of issue is this?
    output_format:
      type: object
      properties:
        kind: {type: string, enum: [bug, feature]}
        score: {type: number}
      required: [kind, score]
`

var unknownNodeReference = &Code{
	ID: "WFC250", Slug: "unknown-node-reference", Severity: Warning,
	Doc: `A text refers to the output of a node that does not exist. The reference is
replaced by nothing, so an agent or a script works with an empty text.

Inside code spans and fences of a prompt such a reference is text, so a prompt
can explain the syntax.`,
	Bad:  exampleHead + "  - id: fetch\n    bash: cat issue.txt\n  - id: plan\n    prompt: Plan $fetsh.output\n    depends_on: [fetch]\n",
	Good: exampleHead + "  - id: fetch\n    bash: cat issue.txt\n  - id: plan\n    prompt: Plan $fetch.output\n    depends_on: [fetch]\n",
}

// UnknownNodeReference reports a reference to a node that does not exist. near
// is the id that was probably meant, or ""; fix may be nil.
func UnknownNodeReference(at source.Span, id, near string, fix *Fix) *Diagnostic {
	d := unknownNodeReference.new(at, fmt.Sprintf("there is no node `%s`: the reference is replaced by empty text", id))
	return d.meant(near, fix)
}

// meant adds the name that was probably meant and the fix that writes it.
func (d *Diagnostic) meant(near string, fix *Fix) *Diagnostic {
	if near != "" {
		d.WithHelp("did you mean `" + near + "`?")
	}
	return d.withFix(fix)
}

// withFix adds a fix that may be nil.
func (d *Diagnostic) withFix(fix *Fix) *Diagnostic {
	if fix != nil {
		d.Fixes = append(d.Fixes, *fix)
	}
	return d
}

var unknownNodeInCondition = &Code{
	ID: "WFC251", Slug: "unknown-node-in-condition", Severity: Error,
	Doc: `A condition refers to a node that does not exist. There is nothing to compare,
so the condition could never be decided.`,
	Bad:  exampleHead + "  - id: check\n    bash: echo ok\n  - id: go\n    bash: make\n    depends_on: [check]\n    when: $chek.output == 'ok'\n",
	Good: exampleHead + "  - id: check\n    bash: echo ok\n  - id: go\n    bash: make\n    depends_on: [check]\n    when: $check.output == 'ok'\n",
}

// UnknownNodeInCondition reports a condition on a node that does not exist.
func UnknownNodeInCondition(at source.Span, id, near string, fix *Fix) *Diagnostic {
	return unknownNodeInCondition.new(at, fmt.Sprintf("there is no node `%s` to compare", id)).meant(near, fix)
}

var selfReference = &Code{
	ID: "WFC252", Slug: "self-reference", Severity: Error,
	Doc: `A node refers to its own output, which does not exist while the node runs. In
a loop, the output of the iteration before is $LOOP_PREV_OUTPUT.`,
	Bad:  exampleHead + "  - id: a\n    prompt: Improve $a.output\n",
	Good: exampleHead + "  - id: a\n    prompt: Write a poem\n  - id: b\n    prompt: Improve $a.output\n    depends_on: [a]\n",
}

// SelfReference reports a node that reads its own output.
func SelfReference(at source.Span, id string) *Diagnostic {
	return selfReference.new(at, fmt.Sprintf("`%s` reads its own output, which is not there before it ends", id)).
		WithHelp("in a loop's prompt, `$LOOP_PREV_OUTPUT` is the output of the iteration before")
}

var descendantReference = &Code{
	ID: "WFC253", Slug: "descendant-reference", Severity: Error,
	Doc: `A node refers to the output of a node that waits for it. The output is never
there when it is read.`,
	Bad:  exampleHead + "  - id: a\n    bash: echo $b.output\n  - id: b\n    bash: echo hi\n    depends_on: [a]\n",
	Good: exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo $a.output\n    depends_on: [a]\n",
}

// DescendantReference reports a node that reads a node behind it.
func DescendantReference(at source.Span, reader, producer string, declared source.Span) *Diagnostic {
	return descendantReference.new(at, fmt.Sprintf("`%s` reads the output of `%s`, which runs after it", reader, producer)).
		WithRelated(declared, fmt.Sprintf("`%s` waits for `%s`", producer, reader))
}

var undeclaredDependency = &Code{
	ID: "WFC254", Slug: "undeclared-dependency", Severity: Warning,
	Doc: `A node refers to the output of a node that it does not depend on. The original
engine runs them in whatever order their layers give, and the reference is
often empty. Here the reader waits for the other node; writing the dependency
down makes the order plain and lets the trigger rule see it.`,
	Bad:  exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo $a.output\n",
	Good: exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    depends_on: [a]\n    bash: echo $a.output\n",
}

// UndeclaredDependency reports a node that reads a node it does not depend on.
func UndeclaredDependency(at source.Span, reader, producer string, fix *Fix) *Diagnostic {
	return undeclaredDependency.new(at, fmt.Sprintf("`%s` reads the output of `%s` but does not depend on it", reader, producer)).
		WithHelp(fmt.Sprintf("add `%s` to the `depends_on` of `%s`; until then it only waits for it", producer, reader)).
		withFix(fix)
}

var orderCycle = &Code{
	ID: "WFC255", Slug: "reference-cycle", Severity: Error,
	Doc: `Nodes refer to each other's outputs, so each would have to run before the
other.`,
	Bad:  exampleHead + "  - id: a\n    bash: echo $b.output\n  - id: b\n    bash: echo $a.output\n",
	Good: exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo $a.output\n    depends_on: [a]\n",
}

// OrderCycle reports a reference that closes a cycle of references.
func OrderCycle(at source.Span, reader, producer string, other source.Span) *Diagnostic {
	return orderCycle.new(at, fmt.Sprintf("`%s` reads the output of `%s`, which already waits for `%s` because of another reference", reader, producer, reader)).
		WithRelated(other, fmt.Sprintf("`%s` waits because of this reference", producer))
}

var unknownField = &Code{
	ID: "WFC256", Slug: "unknown-field", Severity: Warning,
	Doc: `A reference names a field that the node's output_format does not declare. The
original engine loads such a workflow, and so does wfc; the node that reads the
field fails in every run.`,
	Bad:  exampleHead + classifyNode + "  - id: show\n    bash: echo $classify.output.knd\n    depends_on: [classify]\n",
	Good: exampleHead + classifyNode + "  - id: show\n    bash: echo $classify.output.kind\n    depends_on: [classify]\n",
}

// UnknownField reports a field that the producer's schema does not declare.
func UnknownField(at source.Span, node, field string, fields []string, schema source.Span) *Diagnostic {
	d := unknownField.new(at, fmt.Sprintf("the output of `%s` has no field `%s`, so this node always fails", node, field))
	return d.declaredFields(at, field, fields, schema)
}

// declaredFields says which fields there are and which was probably meant.
func (d *Diagnostic) declaredFields(at source.Span, field string, fields []string, schema source.Span) *Diagnostic {
	d.WithRelated(schema, "its fields are declared here")
	if near := Nearest(field, fields); near != "" {
		name := source.Span{File: at.File, Start: at.End - len(field), End: at.End}
		d.WithHelp("did you mean `" + near + "`?")
		if name.Text() == field {
			d.WithFix("replace with `"+near+"`", name, near, false)
		}
		return d
	}
	if len(fields) == 0 {
		return d.WithHelp("its `properties` are empty")
	}
	return d.WithHelp("it has `" + strings.Join(fields, "`, `") + "`")
}

var unknownFieldInCondition = &Code{
	ID: "WFC267", Slug: "unknown-field-in-condition", Severity: Error,
	Doc: `A condition compares a field that the node's output_format does not declare.
There is nothing to compare, so the condition could never be decided.`,
	Bad:  exampleHead + classifyNode + "  - id: fix\n    bash: make\n    depends_on: [classify]\n    when: $classify.output.knd == 'bug'\n",
	Good: exampleHead + classifyNode + "  - id: fix\n    bash: make\n    depends_on: [classify]\n    when: $classify.output.kind == 'bug'\n",
}

// UnknownFieldInCondition reports a condition on a field that the producer's
// schema does not declare.
func UnknownFieldInCondition(at source.Span, node, field string, fields []string, schema source.Span) *Diagnostic {
	d := unknownFieldInCondition.new(at, fmt.Sprintf("the output of `%s` has no field `%s` to compare", node, field))
	return d.declaredFields(at, field, fields, schema)
}

var noFields = &Code{
	ID: "WFC257", Slug: "no-fields", Severity: Error,
	Doc: `A reference names a field of an output that is never a JSON object, such as
that of an approval that captures no response. The node that reads it would
always fail.`,
	Bad:  exampleHead + "  - id: gate\n    approval: {message: 'Go on?'}\n  - id: show\n    bash: echo $gate.output.answer\n    depends_on: [gate]\n",
	Good: exampleHead + "  - id: gate\n    approval: {message: 'Go on?', capture_response: true}\n  - id: show\n    bash: echo $gate.output\n    depends_on: [gate]\n",
}

// NoFields reports a field of an output that has none; why says why not.
func NoFields(at source.Span, node, field, why string, declared source.Span) *Diagnostic {
	return noFields.new(at, fmt.Sprintf("the output of `%s` has no field `%s`: %s", node, field, why)).
		WithRelated(declared, fmt.Sprintf("`%s` is defined here", node))
}

var runOnReference = &Code{
	ID: "WFC258", Slug: "run-on-reference", Severity: Warning,
	Doc: `Letters, digits or an underscore follow directly behind a reference. They are
no part of it: $a.outputs is the output of a followed by an s.`,
	Bad:  exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    prompt: Sum up $a.outputs\n    depends_on: [a]\n",
	Good: exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    prompt: Sum up $a.output\n    depends_on: [a]\n",
}

// RunOnReference reports text glued to the end of a reference.
func RunOnReference(at source.Span, reference, tail string) *Diagnostic {
	return runOnReference.new(at, fmt.Sprintf("this reads as `%s` followed by the text `%s`", reference, tail)).
		WithHelp("separate them, or remove the text")
}

var nestedField = &Code{
	ID: "WFC259", Slug: "nested-field", Severity: Warning,
	Doc: `A reference goes on behind a field. Only top-level fields can be referenced:
$a.output.user.name is the field user, as JSON, followed by the text .name.`,
	Bad:  exampleHead + "  - id: a\n    bash: cat user.json\n  - id: b\n    prompt: Greet $a.output.user.name\n    depends_on: [a]\n",
	Good: exampleHead + "  - id: a\n    bash: jq '{name:.user.name}' user.json\n  - id: b\n    prompt: Greet $a.output.name\n    depends_on: [a]\n",
}

// NestedField reports a path behind a field.
func NestedField(at source.Span, reference, tail string) *Diagnostic {
	return nestedField.new(at, fmt.Sprintf("this reads as `%s` followed by the text `%s`: only top-level fields can be referenced", reference, tail)).
		WithHelp("make the inner value a field of its own in the node that produces it")
}

var misspeltReference = &Code{
	ID: "WFC260", Slug: "misspelt-reference", Severity: Warning,
	Doc: `A text names an existing node but is no reference, because .output is missing
or misspelt. It stays as it is written. The short form $node.field exists in
conditions only.`,
	Bad:  exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    prompt: Sum up $a.Output\n    depends_on: [a]\n",
	Good: exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    prompt: Sum up $a.output\n    depends_on: [a]\n",
}

// MisspeltReference reports text that was probably meant as a reference.
func MisspeltReference(at source.Span, text, meant string) *Diagnostic {
	return misspeltReference.new(at, fmt.Sprintf("`%s` is no reference and stays as it is", text)).
		WithFix("write `"+meant+"`", at, meant, false)
}

var bracedReference = &Code{
	ID: "WFC261", Slug: "braced-reference", Severity: Warning,
	Doc: `Braces keep a name from being replaced: ${ARGUMENTS} in a prompt reaches the
agent as it is. In bash ${NAME} is a shell variable, and two of the names that
are replaced, WORKFLOW_ID and DOCS_DIR, are not set as shell variables.`,
	Bad:  exampleHead + "  - id: a\n    prompt: Do ${ARGUMENTS}\n",
	Good: exampleHead + "  - id: a\n    prompt: Do $ARGUMENTS\n",
}

// BracedReference reports a name in braces; shell says that it stands in bash.
func BracedReference(at source.Span, name string, shell bool) *Diagnostic {
	message := fmt.Sprintf("`${%s}` is not replaced: the braces make it plain text", name)
	if shell {
		message = fmt.Sprintf("`${%s}` is an unset shell variable", name)
	}
	return bracedReference.new(at, message).WithFix("write `$"+name+"`", at, "$"+name, false)
}

var unknownVariable = &Code{
	ID: "WFC262", Slug: "unknown-variable", Severity: Warning,
	Doc: `A prompt holds a name that is almost one of the variables that are replaced.
As it stands it reaches the agent as plain text.`,
	Bad:  exampleHead + "  - id: a\n    prompt: Do $ARGUMENT\n",
	Good: exampleHead + "  - id: a\n    prompt: Do $ARGUMENTS\n",
}

// UnknownVariable reports a name that is close to a variable's.
func UnknownVariable(at source.Span, name, near string) *Diagnostic {
	return unknownVariable.new(at, fmt.Sprintf("`$%s` is no variable and reaches the agent as it is", name)).
		WithHelp("did you mean `$"+near+"`?").
		WithFix("replace with `$"+near+"`", at, "$"+near, false)
}

var variableInMessage = &Code{
	ID: "WFC263", Slug: "variable-in-message", Severity: Warning,
	Doc: `Messages of approvals and the reasons of cancel nodes hold references to
outputs only; variables such as $ARGUMENTS are not replaced in them.`,
	Bad:  exampleHead + "  - id: stop\n    cancel: Cannot do $ARGUMENTS\n",
	Good: exampleHead + "  - id: why\n    bash: echo \"$ARGUMENTS\"\n  - id: stop\n    cancel: Cannot do $why.output\n    depends_on: [why]\n",
}

// VariableInMessage reports a variable where only references are replaced.
func VariableInMessage(at source.Span, name string) *Diagnostic {
	return variableInMessage.new(at, fmt.Sprintf("`$%s` is not replaced here: only references to outputs are", name)).
		WithHelp("let a bash node print it, and refer to that node's output")
}

var emptyVariable = &Code{
	ID: "WFC264", Slug: "empty-variable", Severity: Warning,
	Doc: `Some variables have a value in one place only: $LOOP_USER_INPUT and
$LOOP_PREV_OUTPUT in loop.prompt, $REJECTION_REASON in
approval.on_reject.prompt. Everywhere else they are empty.`,
	Bad:  exampleHead + "  - id: a\n    prompt: Go on from $LOOP_PREV_OUTPUT\n",
	Good: exampleHead + "  - id: a\n    loop:\n      prompt: Go on from $LOOP_PREV_OUTPUT and say DONE at the end\n      until: DONE\n      max_iterations: 3\n",
}

// EmptyVariable reports a variable outside the place where it has a value.
func EmptyVariable(at source.Span, name, place string) *Diagnostic {
	return emptyVariable.new(at, fmt.Sprintf("`$%s` is always empty here: it has a value only in %s", name, place))
}

var unnamableNode = &Code{
	ID: "WFC265", Slug: "unnamable-node", Severity: Warning,
	Doc: `A text refers to a node whose id no reference can spell. Ids that are referred
to start with a letter or an underscore and hold letters, digits, underscores
and hyphens.`,
	Bad:  exampleHead + "  - id: a.b\n    bash: echo hi\n  - id: c\n    prompt: Sum up $a.b.output\n    depends_on: [a.b]\n",
	Good: exampleHead + "  - id: a-b\n    bash: echo hi\n  - id: c\n    prompt: Sum up $a-b.output\n    depends_on: [a-b]\n",
}

// UnnamableNode reports a reference to a node whose id cannot be referenced.
func UnnamableNode(at source.Span, id string, declared source.Span) *Diagnostic {
	return unnamableNode.new(at, fmt.Sprintf("the node `%s` cannot be referenced, so this stays as it is", id)).
		WithRelated(declared, "rename the node: letters, digits, `_` and `-`, starting with a letter or `_`")
}

var runOnVariable = &Code{
	ID: "WFC266", Slug: "run-on-variable", Severity: Warning,
	Doc: `Letters, digits or an underscore follow directly behind a variable. They are no
part of its name: $DOCS_DIRS is the docs folder followed by an S. In bash,
braces make a longer name a shell variable of its own.`,
	Bad:  exampleHead + "  - id: a\n    prompt: Read $DOCS_DIRS\n",
	Good: exampleHead + "  - id: a\n    prompt: Read $DOCS_DIR\n",
}

// RunOnVariable reports text glued to the end of a variable.
func RunOnVariable(at source.Span, name, tail string, shell bool) *Diagnostic {
	d := runOnVariable.new(at, fmt.Sprintf("this reads as `$%s` followed by the text `%s`", name, tail))
	if shell {
		return d.WithFix("write `${"+name+tail+"}` for the shell variable", at, "${"+name+tail+"}", false)
	}
	return d
}
