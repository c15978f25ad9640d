package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// The findings about keys that only the successor of the xprompt format has.

// PromptPart reports a step that is a part of the prompts of other workflows.
func PromptPart(at source.Span, step string) *diag.Diagnostic {
	return report("WFC287", at, fmt.Sprintf("step `%s` is a part of other workflows' prompts: wfc does not support `prompt_part`", step)).
		WithHelp("put it into a file such as `xprompts/NAME.md` and insert it with `#NAME`; move the other steps to the workflow that uses it")
}

// FinallyStep reports an invalid `finally`, in words.
func FinallyStep(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC288", at, problem)
}

// StepImport reports a `use` whose step cannot be imported, in words.
func StepImport(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC289", at, problem)
}

// UnknownStepFile reports a `use` of a missing file; known are the names of the files
// that exist.
func UnknownStepFile(at source.Span, name string, known []string) *diag.Diagnostic {
	d := report("WFC289", at, fmt.Sprintf("unknown step `%s`", name))
	if offer(d, at, name, known) {
		return d
	}
	return d.WithHelp("create the file `xprompts/steps/" + name + ".yml` with the keys of the step")
}

// ArtifactStep reports an `artifact` on a step that prints nothing; step describes it.
func ArtifactStep(at source.Span, step string) *diag.Diagnostic {
	return report("WFC297", at, "`artifact` cannot be on "+step).
		WithHelp("use it on a `bash` or `python` step: it keeps what the program prints")
}

// VariableName reports an invalid name of an environment variable.
func VariableName(at source.Span, name string) *diag.Diagnostic {
	return report("WFC298", at, fmt.Sprintf("invalid name `%s` for an environment variable", name)).
		WithHelp("use letters, digits and `_`, and do not start with a digit")
}
