package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NotWorkflow reports a file that is not a workflow; why is the reason in words, or
// "".
func NotWorkflow(at source.Span, why string) *diag.Diagnostic {
	problem := "not a workflow of any known format"
	if why != "" {
		problem = "not a workflow: " + why
	}
	return report("WFC160", at, problem).
		WithHelp("add a comment such as `# wfc: dialect=archon` at the top if it is a workflow").
		WithHelp("add the file to `exclude` in `wfc.yaml` if it is not")
}

// UnknownDialect reports the name of a dialect that does not exist.
func UnknownDialect(at source.Span, name string, known []string) *diag.Diagnostic {
	d := report("WFC162", at, fmt.Sprintf("unknown dialect `%s`", name))
	if best := Nearest(name, known); best != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", best))
	}
	return d.WithHelp("use one of " + quoteAll(known))
}

// UnknownConstant reports a constant for an input that does not exist.
func UnknownConstant(at source.Span, name string, inputs []string) *diag.Diagnostic {
	d := report("WFC170", at, fmt.Sprintf("unknown input `%s` in `--const`", name))
	if best := Nearest(name, inputs); best != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", best))
	}
	if len(inputs) == 0 {
		return d.WithHelp("remove `--const`: the workflow has no inputs")
	}
	return d.WithHelp("use one of " + quoteAll(inputs))
}

// ConstantValue reports a constant of the wrong type; want is the input's type
// in words.
func ConstantValue(at source.Span, name, value, want string) *diag.Diagnostic {
	return report("WFC171", at, fmt.Sprintf("the constant `%s` must be %s, got %q", name, want, value))
}

// InternalError reports that the compiler itself failed on a file.
func InternalError(at source.Span, fault string) *diag.Diagnostic {
	return report("WFC199", at, "internal error: "+fault).
		WithHelp("report this bug of wfc with the file; `wfc check -v` shows where it happened")
}
