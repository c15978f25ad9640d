package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// UnusedIgnore reports a suppression that suppresses nothing. remove is the span to
// delete if the whole comment is unused, else an invalid one.
func UnusedIgnore(at source.Span, name string, remove source.Span) *diag.Diagnostic {
	return report("WFC801", at, fmt.Sprintf("unused `wfc:ignore`: `%s` is not reported here", name)).
		WithSourceFix("remove the comment", remove, "", true)
}

// IgnoredError reports a suppression that names an error.
func IgnoredError(at source.Span, name string) *diag.Diagnostic {
	return report("WFC802", at, fmt.Sprintf("`%s` is an error and cannot be ignored", name)).
		WithHelp("fix it; only warnings and notes can be ignored")
}

// UnknownIgnore reports a suppression that names no code.
func UnknownIgnore(at source.Span, name string) *diag.Diagnostic {
	d := report("WFC803", at, fmt.Sprintf("unknown diagnostic `%s` in `wfc:ignore`", name))
	return suggest(d, at, name, codeNames(name)).WithHelp("run `wfc explain` to list all diagnostics")
}

// BadDirective reports an unknown or invalid wfc comment.
func BadDirective(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC804", at, problem).
		WithHelp("write `# wfc:ignore[CODE] reason` or, at the top of the file, `# wfc: dialect=NAME`")
}
