package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 8xx: style, and the comments that steer wfc.
var styleCodes = []*Code{unusedIgnore, ignoredError, unknownIgnore, badDirective}

const tidyWorkflow = "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n"

var unusedIgnore = &Code{
	ID: "WFC801", Slug: "unused-ignore", Severity: Warning,
	Doc: `A comment wfc:ignore names a diagnostic that is not reported there. Either
the reason for it is gone and the comment can go too, or it stands on the wrong
line.

A comment counts for its own line, or for the next line when it stands alone; a
line that opens a block of text counts with the whole block. Before the first
key of the file it counts for the whole file.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi # wfc:ignore[unknown-ignore] no longer needed\n",
	Good: tidyWorkflow,
}

// UnusedIgnore reports a suppression that suppresses nothing. remove is what to
// delete when the whole comment is unused, else no place.
func UnusedIgnore(at source.Span, name string, remove source.Span) *Diagnostic {
	return unusedIgnore.new(at, fmt.Sprintf("`%s` is not reported here, so there is nothing to ignore", name)).
		WithSourceFix("remove the comment", remove, "", true)
}

var ignoredError = &Code{
	ID: "WFC802", Slug: "ignored-error", Severity: Warning,
	Doc: `A comment wfc:ignore names an error. Errors cannot be ignored: there is no
program that could be built in spite of them. Warnings and notes can.`,
	Bad:  "# wfc:ignore[yaml-syntax] the rest is fine\nname: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: tidyWorkflow,
}

// IgnoredError reports a suppression that names an error.
func IgnoredError(at source.Span, name string) *Diagnostic {
	return ignoredError.new(at, fmt.Sprintf("`%s` is an error and cannot be ignored", name)).
		WithHelp("only warnings and notes can be ignored")
}

var unknownIgnore = &Code{
	ID: "WFC803", Slug: "unknown-ignore", Severity: Warning,
	Doc: `A comment wfc:ignore names a diagnostic that does not exist. Diagnostics are
named by their number (WFC801) or by their slug (unused-ignore); wfc explain
lists them.`,
	Bad:  "# wfc:ignore[unused-ignored]\nname: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: tidyWorkflow,
}

// UnknownIgnore reports a suppression that names no code.
func UnknownIgnore(at source.Span, name string) *Diagnostic {
	d := unknownIgnore.new(at, fmt.Sprintf("there is no diagnostic `%s` to ignore", name))
	return suggest(d, at, name, codeNames(name)).WithHelp("`wfc explain` lists all diagnostics")
}

var badDirective = &Code{
	ID: "WFC804", Slug: "bad-directive", Severity: Warning,
	Doc: `A comment starts with wfc: but is none of the comments that wfc understands,
so it has no effect. There are two:

# wfc:ignore[CODE, …] reason
# wfc: dialect=NAME`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi # wfc:ignore this is fine\n",
	Good: tidyWorkflow,
}

// BadDirective reports a comment for wfc that wfc does not understand.
func BadDirective(at source.Span, problem string) *Diagnostic {
	return badDirective.new(at, problem).
		WithHelp("write `# wfc:ignore[CODE] reason` or, on top of the file, `# wfc: dialect=NAME`")
}
