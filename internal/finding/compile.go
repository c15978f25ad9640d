package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NotWorkflow reports a file that is no workflow; why says what makes it something
// else, in words, or is "".
func NotWorkflow(at source.Span, why string) *diag.Diagnostic {
	d := report("WFC160", at, "this is not a workflow of any known format")
	if why != "" {
		d.WithHelp(why)
	}
	return d.WithHelp("if it is one, `# wfc: dialect=archon` on top of the file says so; if not, `exclude` in wfc.yaml leaves it out")
}

// UnknownDialect reports the name of a dialect that does not exist.
func UnknownDialect(at source.Span, name string, known []string) *diag.Diagnostic {
	d := report("WFC162", at, fmt.Sprintf("there is no dialect `%s`", name))
	if best := Nearest(name, known); best != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", best))
	}
	return d.WithHelp("dialects: " + strings.Join(known, ", "))
}

// UnknownConstant reports a constant for an input that does not exist.
func UnknownConstant(at source.Span, name string, inputs []string) *diag.Diagnostic {
	d := report("WFC170", at, fmt.Sprintf("the workflow has no input `%s` to make constant", name))
	if best := Nearest(name, inputs); best != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", best))
	}
	if len(inputs) == 0 {
		return d.WithHelp("it has no inputs")
	}
	return d.WithHelp("its inputs: " + strings.Join(inputs, ", "))
}

// ConstantValue reports a constant of the wrong type; want is the input's type
// in words.
func ConstantValue(at source.Span, name, value, want string) *diag.Diagnostic {
	return report("WFC171", at, fmt.Sprintf("the constant %q does not fit the input `%s`, which is %s", value, name, want))
}

// InternalError reports that the compiler itself failed on a file.
func InternalError(at source.Span, what string) *diag.Diagnostic {
	return report("WFC199", at, "internal error: "+what).
		WithHelp("this is a fault of wfc, not of the workflow; please report it with the file (`wfc check -v` shows where it happened)")
}
