package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// GuardSyntax reports a condition that cannot be parsed, in words.
func GuardSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC345", at, problem)
}

// GuardNotText reports a condition that is not a string; kind is its type.
func GuardNotText(at source.Span, path, kind string) *diag.Diagnostic {
	return report("WFC346", at, fmt.Sprintf("`%s` must be a quoted string, got %s", path, kind))
}

// UnquotedGuard reports a condition without quotes; quoted is the condition with
// quotes.
func UnquotedGuard(at source.Span, path, quoted string) *diag.Diagnostic {
	return report("WFC347", at, fmt.Sprintf("`%s` should be in quotes", path)).
		WithSourceFix("put it in quotes", at, quoted, true)
}

// GuardType reports operands of incompatible types, in words; site is the origin of
// the other type.
func GuardType(at source.Span, problem string, site source.Span, why string) *diag.Diagnostic {
	return report("WFC348", at, problem).WithRelated(site, why)
}

// AppendToScalar reports an append to a variable that is not a list.
func AppendToScalar(at source.Span, name, kind string, site source.Span) *diag.Diagnostic {
	return report("WFC350", at, fmt.Sprintf("cannot append to `%s`: it is %s", name, kind)).
		WithRelated(site, "it is "+kind+" here").
		WithHelp(fmt.Sprintf("use `set`, or declare `%s` as a list", name))
}

// AssignedType reports a value whose type differs from that of its variable; site is
// the origin of the variable's type.
func AssignedType(at source.Span, name, kind, got string, site source.Span) *diag.Diagnostic {
	return report("WFC351", at, fmt.Sprintf("`%s` must be %s, got %s", name, kind, got)).
		WithRelated(site, "it is "+kind+" here")
}

// UndeclaredState reports the first place that sets an undeclared variable.
func UndeclaredState(at source.Span, name string, declared []string) *diag.Diagnostic {
	d := report("WFC352", at, fmt.Sprintf("undeclared state variable `%s`", name))
	if near := Nearest(name, declared); near != "" {
		d.WithHelp("did you mean `" + near + "`?")
	}
	return d.WithHelp("declare it under `state.variables` with an initial value")
}

// ConvertedText reports a node's text that becomes a value of another type.
func ConvertedText(at source.Span, name, kind string, site source.Span) *diag.Diagnostic {
	return report("WFC353", at, fmt.Sprintf("`%s` is %s, but the text of a node may contain none", name, kind)).
		WithRelated(site, "it is "+kind+" here").
		WithHelp("let each output set a fixed value: without a value in the text, the variable keeps the old one")
}

// QuotedOutput reports the word output in quotes.
func QuotedOutput(at source.Span) *diag.Diagnostic {
	return report("WFC354", at, "in quotes `output` is a word, not the text of the node").
		WithSourceFix("remove the quotes", at, "output", false)
}

// StateVariable reports a key under state that is meant as a variable.
func StateVariable(at source.Span, name string) *diag.Diagnostic {
	return report("WFC127", at, fmt.Sprintf("state variable `%s` must be under `state.variables`", name)).
		WithHelp(fmt.Sprintf("move it there: `state: {variables: {%s: …}}`", name))
}
