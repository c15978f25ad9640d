package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// UnusedIgnore reports a suppression that suppresses nothing. remove is what to
// delete when the whole comment is unused, else no place.
func UnusedIgnore(at source.Span, name string, remove source.Span) *diag.Diagnostic {
	return report("WFC801", at, fmt.Sprintf("`%s` is not reported here, so there is nothing to ignore", name)).
		WithSourceFix("remove the comment", remove, "", true)
}

// IgnoredError reports a suppression that names an error.
func IgnoredError(at source.Span, name string) *diag.Diagnostic {
	return report("WFC802", at, fmt.Sprintf("`%s` is an error and cannot be ignored", name)).
		WithHelp("only warnings and notes can be ignored")
}

// UnknownIgnore reports a suppression that names no code.
func UnknownIgnore(at source.Span, name string) *diag.Diagnostic {
	d := report("WFC803", at, fmt.Sprintf("there is no diagnostic `%s` to ignore", name))
	return suggest(d, at, name, codeNames(name)).WithHelp("`wfc explain` lists all diagnostics")
}

// BadDirective reports a comment for wfc that wfc does not understand.
func BadDirective(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC804", at, problem).
		WithHelp("write `# wfc:ignore[CODE] reason` or, on top of the file, `# wfc: dialect=NAME`")
}
