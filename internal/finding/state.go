package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// GuardSyntax reports a condition that cannot be read, in words.
func GuardSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC345", at, problem)
}

// GuardNotText reports a condition that is no text; kind says what it is.
func GuardNotText(at source.Span, path, kind string) *diag.Diagnostic {
	return report("WFC346", at, fmt.Sprintf("`%s` must be a text in quotes, not %s", path, kind))
}

// UnquotedGuard reports a condition without quotes; quoted is the condition with
// them.
func UnquotedGuard(at source.Span, path, quoted string) *diag.Diagnostic {
	return report("WFC347", at, fmt.Sprintf("`%s` should stand in quotes", path)).
		WithSourceFix("put it in quotes", at, quoted, true)
}

// GuardType reports operands that do not go together, in words; site is where
// the other type comes from.
func GuardType(at source.Span, problem string, site source.Span, why string) *diag.Diagnostic {
	return report("WFC348", at, problem).WithRelated(site, why)
}

// AppendToScalar reports an append to a variable that is no list.
func AppendToScalar(at source.Span, name, kind string, site source.Span) *diag.Diagnostic {
	return report("WFC350", at, fmt.Sprintf("nothing can be appended to `%s`, which is %s", name, kind)).
		WithRelated(site, "it is "+kind+" here").
		WithHelp(fmt.Sprintf("use `set`, or begin `%s` as a list", name))
}

// AssignedType reports a value of another type than its variable's; site is
// where that comes from.
func AssignedType(at source.Span, name, kind, got string, site source.Span) *diag.Diagnostic {
	return report("WFC351", at, fmt.Sprintf("`%s` is %s, but this is %s", name, kind, got)).
		WithRelated(site, "it is "+kind+" here")
}

// UndeclaredState reports the first place where an undeclared variable is
// written.
func UndeclaredState(at source.Span, name string, declared []string) *diag.Diagnostic {
	d := report("WFC352", at, fmt.Sprintf("`%s` is not declared under `state.variables`", name))
	if near := Nearest(name, declared); near != "" {
		d.WithHelp("did you mean `" + near + "`?")
	}
	return d.WithHelp("declare it with its first value")
}

// ConvertedText reports text that becomes a value of another type.
func ConvertedText(at source.Span, name, kind string, site source.Span) *diag.Diagnostic {
	return report("WFC353", at, fmt.Sprintf("`%s` is %s, but the text of a node is prose: when no value is found in it, the variable keeps the one it has", name, kind)).
		WithRelated(site, "it is "+kind+" here")
}

// QuotedOutput reports the word output in quotes.
func QuotedOutput(at source.Span) *diag.Diagnostic {
	return report("WFC354", at, "in quotes this is the word `output`, not the text that the node gave").
		WithSourceFix("remove the quotes", at, "output", false)
}

// StateVariable reports a key under state that was meant as a variable.
func StateVariable(at source.Span, name string) *diag.Diagnostic {
	return report("WFC127", at, fmt.Sprintf("`%s` is not declared under `state.variables`", name)).
		WithHelp(fmt.Sprintf("move it there: `state: {variables: {%s: …}}`", name))
}
