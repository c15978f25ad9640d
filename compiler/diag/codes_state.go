package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 345 to 359: conditions and state of state graphs.
var stateCodes = []*Code{
	guardSyntax, guardNotText, unquotedGuard, guardType,
	appendToScalar, assignedType, undeclaredState, convertedText, quotedOutput, stateVariable,
}

// guardExample is a graph with an edge of the given condition, in quotes, after
// which another edge always goes on.
func guardExample(condition, variables string) string {
	return graphExample(graphReview+graphFix,
		"  - {from: START, to: a}\n  - {from: a, to: fix, condition: "+condition+"}\n  - {from: a, to: END}\n  - {from: fix, to: END}\n",
		"state: {variables: {"+variables+"}}\n")
}

// handlerExample is a graph whose only node has a handler.
func handlerExample(handler, variables string) string {
	return graphExample("  a:\n    type: task\n    agent: self\n    prompt: Do it\n    outputs: [done]\n    on_output:\n      done:\n"+handler+
		"  b: {type: task, agent: self, prompt: \"Go on from (reference state.x)\", outputs: [done]}\n",
		"  - {from: START, to: a}\n  - {from: a, to: b}\n  - {from: b, to: END}\n",
		"state: {variables: {"+variables+"}}\n")
}

var guardSyntax = &Code{
	ID: "WFC345", Slug: "guard-syntax", Severity: Error,
	Doc: `A condition of a state graph cannot be read. Conditions are made of

  state.NAME, outputs.NODE     a variable; the last output of a node
  'text', 3, true, null        constants
  == != < <= > >=              comparisons, one at a time
  && || !  ( )                 and, or, not; && binds tighter than ||
  any(…, …)  all(…, …)         one of the conditions, all of them
  NAME                         on edges: an output of the node they leave

The original runner takes no edge whose condition it cannot read, and then ends
the run as completed.

This is GL107 of the format's rules.`,
	Bad:  guardExample(`"dirty &&"`, ""),
	Good: guardExample(`"dirty"`, ""),
}

// GuardSyntax reports a condition that cannot be read, in words.
func GuardSyntax(at source.Span, problem string) *Diagnostic {
	return guardSyntax.new(at, problem)
}

var guardNotText = &Code{
	ID: "WFC346", Slug: "condition-not-text", Severity: Error,
	Doc: `A condition without quotes that YAML takes for something else than text: yes, no,
on and off are true and false to many readers of YAML, an exclamation mark begins
a tag, and nothing at all is null. The original runner takes an edge with such a
condition always, or stops.

Put the condition in quotes.

This is GL108 of the format's rules.`,
	Bad: graphExample("  a: {type: human, prompt: Again?, outputs: [yes, no]}\n"+graphFix,
		"  - {from: START, to: a}\n  - {from: a, to: fix, condition: yes}\n  - {from: a, to: END}\n  - {from: fix, to: END}\n", ""),
	Good: graphExample("  a: {type: human, prompt: Again?, outputs: [yes, no]}\n"+graphFix,
		"  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"yes\"}\n  - {from: a, to: END}\n  - {from: fix, to: END}\n", ""),
}

// GuardNotText reports a condition that is no text; kind says what it is.
func GuardNotText(at source.Span, path, kind string) *Diagnostic {
	return guardNotText.new(at, fmt.Sprintf("`%s` must be a text in quotes, not %s", path, kind))
}

var unquotedGuard = &Code{
	ID: "WFC347", Slug: "unquoted-condition", Severity: Warning,
	Doc: `A condition stands without quotes. It is read as it is meant, but others that look
much alike are not: yes and no are booleans to many readers of YAML, ! begins a
tag, # a comment. The format asks for quotes around every condition.

This is GL109 of the format's rules.`,
	Bad:  guardExample("dirty", ""),
	Good: guardExample(`"dirty"`, ""),
}

// UnquotedGuard reports a condition without quotes; quoted is the condition with
// them.
func UnquotedGuard(at source.Span, path, quoted string) *Diagnostic {
	return unquotedGuard.new(at, fmt.Sprintf("`%s` should stand in quotes", path)).
		WithSourceFix("put it in quotes", at, quoted, true)
}

var guardType = &Code{
	ID: "WFC348", Slug: "guard-type", Severity: Error,
	Doc: `A condition compares things that are never equal or in any order, such as a number
with a text, or takes for true or false what is neither. The type of a variable is
that of its first value, or of the values that handlers give it and that
conditions compare it with.

This is GL113 of the format's rules.`,
	Bad:  guardExample(`"state.tries == 'three'"`, "tries: 0"),
	Good: guardExample(`"dirty && state.iteration < 30"`, ""),
}

// GuardType reports operands that do not go together, in words; site is where
// the other type comes from.
func GuardType(at source.Span, problem string, site source.Span, why string) *Diagnostic {
	return guardType.new(at, problem).WithRelated(site, why)
}

var appendToScalar = &Code{
	ID: "WFC350", Slug: "append-to-scalar", Severity: Error,
	Doc: `A handler appends to a variable that is no list.

This is GL302 of the format's rules.`,
	Bad:  handlerExample("        append: {x: second}\n", "x: first"),
	Good: handlerExample("        append: {x: second}\n", "x: [first]"),
}

// AppendToScalar reports an append to a variable that is no list.
func AppendToScalar(at source.Span, name, kind string, site source.Span) *Diagnostic {
	return appendToScalar.new(at, fmt.Sprintf("nothing can be appended to `%s`, which is %s", name, kind)).
		WithRelated(site, "it is "+kind+" here").
		WithHelp(fmt.Sprintf("use `set`, or begin `%s` as a list", name))
}

var assignedType = &Code{
	ID: "WFC351", Slug: "assigned-type", Severity: Error,
	Doc: `A handler gives a variable a value of another type than its other values have,
so conditions and prompts could not rely on it.

This is GL303 of the format's rules.`,
	Bad:  handlerExample("        set: {x: ready}\n", "x: 0"),
	Good: handlerExample("        set: {x: 1}\n", "x: 0"),
}

// AssignedType reports a value of another type than its variable's; site is
// where that comes from.
func AssignedType(at source.Span, name, kind, got string, site source.Span) *Diagnostic {
	return assignedType.new(at, fmt.Sprintf("`%s` is %s, but this is %s", name, kind, got)).
		WithRelated(site, "it is "+kind+" here")
}

var undeclaredState = &Code{
	ID: "WFC352", Slug: "undeclared-state", Severity: Warning,
	Doc: `A handler sets a variable that state.variables does not declare. Perhaps its name
is misspelt; if not, it has no value until the handler runs.

Declare it with its first value.

This is GL304 of the format's rules.`,
	Bad:  handlerExample("        set: {x: 1, y: 2}\n", "x: 0"),
	Good: handlerExample("        set: {x: 1}\n", "x: 0"),
}

// UndeclaredState reports the first place where an undeclared variable is
// written.
func UndeclaredState(at source.Span, name string, declared []string) *Diagnostic {
	d := undeclaredState.new(at, fmt.Sprintf("`%s` is not declared under `state.variables`", name))
	if near := Nearest(name, declared); near != "" {
		d.WithHelp("did you mean `" + near + "`?")
	}
	return d.WithHelp("declare it with its first value")
}

var convertedText = &Code{
	ID: "WFC353", Slug: "converted-text", Severity: Warning,
	Doc: `A handler gives the text of an agent, a person or a script to a variable that is a
number or a boolean. The text is searched for one: a number that is all of the
text, or stands behind the variable's name, or is the only one in it. When there
is no telling, the variable keeps its value and the run warns.

Let the node end with different outputs and set the values in their handlers, or
make sure that the text is a number and nothing else.

This is GL310 of the format's rules.`,
	Bad:  handlerExample("        set: {x: output}\n", "x: 0"),
	Good: handlerExample("        set: {x: output}\n", "x: ''"),
}

// ConvertedText reports text that becomes a value of another type.
func ConvertedText(at source.Span, name, kind string, site source.Span) *Diagnostic {
	return convertedText.new(at, fmt.Sprintf("`%s` is %s, but the text of a node is prose: when no value is found in it, the variable keeps the one it has", name, kind)).
		WithRelated(site, "it is "+kind+" here")
}

var quotedOutput = &Code{
	ID: "WFC354", Slug: "quoted-output", Severity: Note,
	Doc: `A handler sets a variable to the word output in quotes, which is that word. Without
quotes it is the text that the node gave.`,
	Bad:  handlerExample("        set: {x: 'output'}\n", "x: ''"),
	Good: handlerExample("        set: {x: output}\n", "x: ''"),
}

// QuotedOutput reports the word output in quotes.
func QuotedOutput(at source.Span) *Diagnostic {
	return quotedOutput.new(at, "in quotes this is the word `output`, not the text that the node gave").
		WithSourceFix("remove the quotes", at, "output", false)
}

var stateVariable = &Code{
	ID: "WFC127", Slug: "state-variable", Severity: Error,
	Doc: `A variable of the state stands directly under state. Variables are declared under
state.variables; elsewhere they have no first value, and what reads them has nothing
to read.`,
	Bad:  "workflow: w\nstate: {n: 0}\nnodes:\n  a: {type: checkpoint, outputs: [done]}\nedges:\n  - {from: START, to: a}\n  - {from: a, to: END}\n",
	Good: "workflow: w\nstate: {variables: {n: 0}}\nnodes:\n  a: {type: checkpoint, outputs: [done], on_output: {done: {set: {n: 1}}}}\nedges:\n  - {from: START, to: a}\n  - {from: a, to: END}\ncompletion: [\"state.n == 1\"]\n",
}

// StateVariable reports a key under state that was meant as a variable.
func StateVariable(at source.Span, name string) *Diagnostic {
	return stateVariable.new(at, fmt.Sprintf("`%s` is not declared under `state.variables`", name)).
		WithHelp(fmt.Sprintf("move it there: `state: {variables: {%s: …}}`", name))
}
