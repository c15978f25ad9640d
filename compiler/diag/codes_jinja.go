package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 362 to 389: Jinja2 templates of xprompt workflows.
var jinjaCodes = []*Code{
	jinjaSyntax, jinjaUnclosed, jinjaTag, jinjaOperator, jinjaUnsupported,
	jinjaUndefined, jinjaUnknownFilter, jinjaArguments, jinjaType, jinjaNoField,
	jinjaUndeclaredField, jinjaHiddenField, jinjaComparison, jinjaShellComment,
}

// jinjaExample is a workflow with one input, a step with declared output, and a
// step that prints the given template.
func jinjaExample(text string) string {
	return "input: {name: line}\nsteps:\n  - name: count\n    bash: echo files=3\n    output: {files: int, items: text}\n" +
		"  - name: greet\n    bash: |\n      echo \"Hello {{ name }}, " + text + "\"\n"
}

var jinjaSyntax = &Code{
	ID: "WFC362", Slug: "template-syntax", Severity: Error,
	Doc: `A template cannot be read. Between {{ and }} stands one expression, between {% and
%} one statement; everything else is text. The original engine fails the step
when it is reached, or takes a condition that it cannot read for false.`,
	Bad:  jinjaExample("{{ count.files + }}"),
	Good: jinjaExample("{{ count.files + 1 }}"),
}

// JinjaSyntax reports a template that cannot be read, in words.
func JinjaSyntax(at source.Span, problem string) *Diagnostic { return jinjaSyntax.new(at, problem) }

var jinjaUnclosed = &Code{
	ID: "WFC363", Slug: "template-unclosed", Severity: Error,
	Doc: `Something in a template is opened and never closed: a hole, a statement, a comment,
a bracket, a quote. The message stands where it is opened.

In scripts ${#name} opens a comment, since a comment begins with {#. Write
{{ "${#" }}name} there, or put the script between {% raw %} and {% endraw %}.`,
	Bad:  jinjaExample("{{ (count.files + 1 }}"),
	Good: jinjaExample("{{ (count.files + 1) }}"),
}

// JinjaUnclosed reports what is opened and never closed; closer is what would
// close it.
func JinjaUnclosed(at source.Span, opened, closer string) *Diagnostic {
	if opened == closer {
		return jinjaUnclosed.new(at, "the quote "+opened+" is never closed")
	}
	return jinjaUnclosed.new(at, fmt.Sprintf("`%s` is never closed; `%s` is missing", opened, closer))
}

var jinjaTag = &Code{
	ID: "WFC364", Slug: "template-tag", Severity: Error,
	Doc: `A statement of a template is not known, or ends something that is not open. There
are if, elif, else, for, set, macro, call, filter, with, raw and print; each but
print, and set with =, ends with end and its own name: endif, endfor.`,
	Bad:  jinjaExample("{% if name %}you{% fi %}"),
	Good: jinjaExample("{% if name %}you{% endif %}"),
}

// JinjaTag reports a statement that does not belong where it stands, in words.
func JinjaTag(at source.Span, problem string) *Diagnostic { return jinjaTag.new(at, problem) }

var jinjaOperator = &Code{
	ID: "WFC365", Slug: "template-operator", Severity: Error,
	Doc: `An expression uses an operator that templates do not have. There are + - * / // %
** for numbers, ~ to join texts, == != < <= > >= to compare, in and not in, and,
or, not, | for filters, is for tests, and "a if b else c".`,
	Bad:  jinjaExample("{{ 'many' if count.files > 1 && name }}"),
	Good: jinjaExample("{{ 'many' if count.files > 1 and name }}"),
}

// JinjaOperator reports an operator of another language; instead is what
// templates have for it, or "".
func JinjaOperator(at source.Span, op, instead string) *Diagnostic {
	d := jinjaOperator.new(at, fmt.Sprintf("templates have no operator `%s`", op))
	if instead != "" {
		d.WithHelp("write `" + strings.TrimSpace(instead) + "`")
		d.WithFix("replace with `"+strings.TrimSpace(instead)+"`", at, instead, false)
	}
	return d
}

var jinjaUnsupported = &Code{
	ID: "WFC366", Slug: "template-unsupported", Severity: Error,
	Doc: `A template uses something that templates of workflows cannot have.

include, import, from, extends and block need other template files, which the
original engine does not give its templates either; it fails the step. do,
trans, debug, break and continue need extensions that it does not load.

random and lipsum choose anew each time, so that a run that is resumed would go
another way than it began; let a step make the choice and read its output.

recursive loops, and the names of Python's own that begin with two underscores,
are not supported.`,
	Bad:  jinjaExample("{{ [1, 2] | random }}"),
	Good: jinjaExample("{{ [1, 2] | first }}"),
}

// JinjaUnsupported reports something that templates cannot use, in words.
func JinjaUnsupported(at source.Span, problem string) *Diagnostic {
	return jinjaUnsupported.new(at, problem)
}

var jinjaUndefined = &Code{
	ID: "WFC367", Slug: "undefined-variable", Severity: Error,
	Doc: `A template reads a variable that does not exist there. Variables are the inputs of
the workflow, the steps before, the variables of the step's own loop, and what
the template itself sets. The original engine fails the step when it comes to
it, and takes a condition for false.

A variable that may be missing can be asked about: "x is defined", "x |
default('')".`,
	Bad:  jinjaExample("{{ nam }}"),
	Good: jinjaExample("{{ name }}"),
}

// JinjaUndefined reports a variable that does not exist; candidates are those
// that do.
func JinjaUndefined(at source.Span, name string, candidates []string) *Diagnostic {
	d := jinjaUndefined.new(at, fmt.Sprintf("`%s` is not defined here", name))
	if near := Nearest(name, candidates); near != "" && (len(name) > 2 || strings.EqualFold(near, name)) {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

var jinjaUnknownFilter = &Code{
	ID: "WFC368", Slug: "unknown-filter", Severity: Error,
	Doc: `A template uses a filter (x | name) or a test (x is name) that does not exist.
Templates have the filters and tests that come with Jinja2.`,
	Bad:  jinjaExample("{{ name | uper }}"),
	Good: jinjaExample("{{ name | upper }}"),
}

// JinjaUnknownFilter reports a filter or a test (kind) that does not exist;
// candidates are those that do.
func JinjaUnknownFilter(at source.Span, kind, name string, candidates []string) *Diagnostic {
	d := jinjaUnknownFilter.new(at, fmt.Sprintf("templates have no %s `%s`", kind, name))
	if near := Nearest(name, candidates); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

var jinjaArguments = &Code{
	ID: "WFC369", Slug: "template-arguments", Severity: Error,
	Doc: `A filter, a test, a function, a method or a macro of a template is called with
arguments that it does not take, or without one that it needs.`,
	Bad:  jinjaExample("{{ name | replace('a') }}"),
	Good: jinjaExample("{{ name | replace('a', 'b') }}"),
}

// JinjaArguments reports arguments that do not fit, in words.
func JinjaArguments(at source.Span, problem string) *Diagnostic {
	return jinjaArguments.new(at, problem)
}

var jinjaType = &Code{
	ID: "WFC370", Slug: "template-type", Severity: Error,
	Doc: `An expression of a template does what must fail with the types of its values:
adding a text and a number, calling what is no function, looping over a number,
dividing by zero. Texts and other values are joined by ~; "x | int" and "x |
string" make a number and a text of a value.`,
	Bad:  jinjaExample("{{ name + 1 }}"),
	Good: jinjaExample("{{ name ~ 1 }}"),
}

// JinjaType reports an expression that must fail, in words.
func JinjaType(at source.Span, problem string) *Diagnostic { return jinjaType.new(at, problem) }

var jinjaNoField = &Code{
	ID: "WFC371", Slug: "no-such-field", Severity: Error,
	Doc: `A template reads a field or an attribute that the value never has, such as a
field of a text, or a child that a parallel step does not have.`,
	Bad:  jinjaExample("{{ name.first }}"),
	Good: jinjaExample("{{ name.split() | first }}"),
}

// JinjaNoField reports a field that what, in words, never has; candidates are the
// fields that it does have.
func JinjaNoField(at source.Span, what, name string, candidates []string) *Diagnostic {
	d := jinjaNoField.new(at, fmt.Sprintf("%s has no field `%s`", what, name))
	if near := Nearest(name, candidates); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

var jinjaUndeclaredField = &Code{
	ID: "WFC372", Slug: "undeclared-output-field", Severity: Warning,
	Doc: `A template reads a field that the step's output does not declare. A step may print
more fields than it declares, so this is no error; but most often the name is
misspelt, and then the step that reads it fails.

Declare the field, or mend its name.`,
	Bad:  jinjaExample("{{ count.file }}"),
	Good: jinjaExample("{{ count.files }}"),
}

// JinjaUndeclaredField reports a field that an output does not declare;
// candidates are those that it does.
func JinjaUndeclaredField(at source.Span, what, name string, candidates []string) *Diagnostic {
	d := jinjaUndeclaredField.new(at, fmt.Sprintf("%s does not declare the field `%s`", what, name))
	if near := Nearest(name, candidates); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d.WithHelp("declare it in the step's `output`")
}

var jinjaHiddenField = &Code{
	ID: "WFC373", Slug: "field-behind-method", Severity: Error,
	Doc: `A template reads a field whose name is that of a method of all objects: items,
keys, values, get, pop, update, copy, clear, setdefault, popitem, fromkeys.
Behind a point such a name is always the method, and a method that is not called
is of no use. In brackets the name is the field.`,
	Bad:  jinjaExample("{{ count.items | default('') | length }}"),
	Good: jinjaExample("{{ count['items'] | default('') | length }}"),
}

// JinjaHiddenField reports a declared field that a method hides; at is the point
// and the name.
func JinjaHiddenField(at source.Span, name string) *Diagnostic {
	return jinjaHiddenField.new(at, fmt.Sprintf("this is the method `%s` that all objects have, not the field of that name", name)).
		WithFix("read the field", at, `["`+name+`"]`, false)
}

var jinjaComparison = &Code{
	ID: "WFC374", Slug: "template-comparison", Severity: Warning,
	Doc: `A comparison of a template has the same result in every run, since its two sides
are never of the same type: a number is never equal to a text, even if they look
the same.`,
	Bad:  jinjaExample("{{ 'three' if count.files == '3' }}"),
	Good: jinjaExample("{{ 'three' if count.files == 3 }}"),
}

// JinjaComparison reports a comparison that is always result; x and y are the
// types of its sides, in words.
func JinjaComparison(at source.Span, result bool, x, y string) *Diagnostic {
	return jinjaComparison.new(at, fmt.Sprintf("always %t: %s is never equal to %s", result, x, y))
}

var jinjaShellComment = &Code{
	ID: "WFC375", Slug: "template-comment-in-script", Severity: Warning,
	Doc: `A script holds ${# and, further on, #}. To a template that is a comment: what stands
between is left out, as the original engine does too. The length of a shell
variable is read by {{ "${#" }}name}, or between {% raw %} and {% endraw %}.`,
	Bad:  jinjaExample("${#HOME} ${HOME#}"),
	Good: jinjaExample("{% raw %}${#HOME} ${HOME#}{% endraw %}"),
}

// JinjaShellComment reports a comment that looks like an expansion of the shell.
func JinjaShellComment(at source.Span) *Diagnostic {
	return jinjaShellComment.new(at, "`{#` begins a comment of the template here: the shell never sees what stands before `#}`").
		WithHelp("put it between `{% raw %}` and `{% endraw %}`")
}
