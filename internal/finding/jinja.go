package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// JinjaSyntax reports a template that cannot be read, in words.
func JinjaSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC362", at, problem)
}

// JinjaUnclosed reports what is opened and never closed; closer is what would
// close it.
func JinjaUnclosed(at source.Span, opened, closer string) *diag.Diagnostic {
	if opened == closer {
		return report("WFC363", at, "the quote "+opened+" is never closed")
	}
	return report("WFC363", at, fmt.Sprintf("`%s` is never closed; `%s` is missing", opened, closer))
}

// JinjaTag reports a statement that does not belong where it stands, in words.
func JinjaTag(at source.Span, problem string) *diag.Diagnostic { return report("WFC364", at, problem) }

// JinjaOperator reports an operator of another language; instead is what
// templates have for it, or "".
func JinjaOperator(at source.Span, op, instead string) *diag.Diagnostic {
	d := report("WFC365", at, fmt.Sprintf("templates have no operator `%s`", op))
	if instead != "" {
		d.WithHelp("write `" + strings.TrimSpace(instead) + "`")
		d.WithFix("replace with `"+strings.TrimSpace(instead)+"`", at, instead, false)
	}
	return d
}

// JinjaUnsupported reports something that templates cannot use, in words.
func JinjaUnsupported(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC366", at, problem)
}

// JinjaUndefined reports a variable that does not exist; candidates are those
// that do.
func JinjaUndefined(at source.Span, name string, candidates []string) *diag.Diagnostic {
	d := report("WFC367", at, fmt.Sprintf("`%s` is not defined here", name))
	if near := Nearest(name, candidates); near != "" && (len(name) > 2 || strings.EqualFold(near, name)) {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

// JinjaUnknownFilter reports a filter or a test (kind) that does not exist;
// candidates are those that do.
func JinjaUnknownFilter(at source.Span, kind, name string, candidates []string) *diag.Diagnostic {
	d := report("WFC368", at, fmt.Sprintf("templates have no %s `%s`", kind, name))
	if near := Nearest(name, candidates); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

// JinjaArguments reports arguments that do not fit, in words.
func JinjaArguments(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC369", at, problem)
}

// JinjaType reports an expression that must fail, in words.
func JinjaType(at source.Span, problem string) *diag.Diagnostic { return report("WFC370", at, problem) }

// JinjaNoField reports a field that what, in words, never has; candidates are the
// fields that it does have.
func JinjaNoField(at source.Span, what, name string, candidates []string) *diag.Diagnostic {
	d := report("WFC371", at, fmt.Sprintf("%s has no field `%s`", what, name))
	if near := Nearest(name, candidates); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

// JinjaUndeclaredField reports a field that an output does not declare;
// candidates are those that it does.
func JinjaUndeclaredField(at source.Span, what, name string, candidates []string) *diag.Diagnostic {
	d := report("WFC372", at, fmt.Sprintf("%s does not declare the field `%s`", what, name))
	if near := Nearest(name, candidates); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d.WithHelp("declare it in the step's `output`")
}

// JinjaHiddenField reports a declared field that a method hides; at is the point
// and the name.
func JinjaHiddenField(at source.Span, name string) *diag.Diagnostic {
	return report("WFC373", at, fmt.Sprintf("this is the method `%s` that all objects have, not the field of that name", name)).
		WithFix("read the field", at, `["`+name+`"]`, false)
}

// JinjaComparison reports a comparison that is always result; x and y are the
// types of its sides, in words.
func JinjaComparison(at source.Span, result bool, x, y string) *diag.Diagnostic {
	return report("WFC374", at, fmt.Sprintf("always %t: %s is never equal to %s", result, x, y))
}

// JinjaShellComment reports a comment that looks like an expansion of the shell.
func JinjaShellComment(at source.Span) *diag.Diagnostic {
	return report("WFC375", at, "`{#` begins a comment of the template here: the shell never sees what stands before `#}`").
		WithHelp("put it between `{% raw %}` and `{% endraw %}`")
}
