package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// TemplateSyntax reports a template that cannot be parsed, in words.
func TemplateSyntax(at source.Span, problem string) *diag.Diagnostic {
	return codes.TemplateSyntax.New(at, problem)
}

// JinjaUnclosed reports an opening that is never closed; closer would close it.
func JinjaUnclosed(at source.Span, opened, closer string) *diag.Diagnostic {
	if opened == closer {
		return codes.TemplateSyntax.New(at, "the quote "+opened+" is never closed")
	}
	return codes.TemplateSyntax.New(at, fmt.Sprintf("`%s` is never closed: `%s` is missing", opened, closer))
}

// JinjaOperator reports an operator of another language; instead is the operator of
// templates, or "".
func JinjaOperator(at source.Span, op, instead string) *diag.Diagnostic {
	d := codes.UnknownOperator.New(at, fmt.Sprintf("`%s` is not an operator in templates", op))
	if instead != "" {
		Meant(d, at, strings.TrimSpace(instead), instead)
	}
	return d
}

// JinjaUndefined reports an undefined variable; candidates are the defined ones.
func JinjaUndefined(at source.Span, name string, candidates []string) *diag.Diagnostic {
	d := codes.UndefinedVariable.New(at, fmt.Sprintf("`%s` is not defined here", name))
	if near := plain.Nearest(name, candidates); near != "" && (len(name) > 2 || strings.EqualFold(near, name)) {
		Meant(d, at, near, near)
	}
	return d
}

// JinjaUnknownFilter reports an unknown filter or test, as kind says; candidates are
// the known ones.
func JinjaUnknownFilter(at source.Span, kind, name string, candidates []string) *diag.Diagnostic {
	return suggestNearestName(codes.UnknownFilter.New(at, fmt.Sprintf("unknown %s `%s`", kind, name)), at, name, candidates)
}

// TemplateArguments reports a call with invalid arguments, in words.
func TemplateArguments(at source.Span, problem string) *diag.Diagnostic {
	return codes.TemplateArguments.New(at, problem)
}

// JinjaNoField reports a field that a value never has; owner is that value in words,
// and candidates are its fields.
func JinjaNoField(at source.Span, owner, name string, candidates []string) *diag.Diagnostic {
	return suggestNearestName(codes.NoSuchField.New(at, fmt.Sprintf("%s has no field `%s`", owner, name)), at, name, candidates)
}

// JinjaUndeclaredField reports a field that an output does not declare; candidates
// are the declared ones.
func JinjaUndeclaredField(at source.Span, owner, name string, candidates []string) *diag.Diagnostic {
	return offerOr(codes.UnknownField.New(at, fmt.Sprintf("%s does not declare the field `%s`", owner, name)), at, name, candidates, "declare it in the step's `output`")
}

// JinjaHiddenField reports a declared field that a method hides; at is the dot and
// the name.
func JinjaHiddenField(at source.Span, name string) *diag.Diagnostic {
	return codes.FieldBehindMethod.New(at, fmt.Sprintf("this reads the method `%s` of all objects, not the field", name)).
		WithFix("read the field", at, `["`+name+`"]`)
}
