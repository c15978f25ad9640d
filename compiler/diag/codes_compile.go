package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 160 to 199: the compiler itself: which format a file has, and its own faults.
var compileCodes = []*Code{notWorkflow, unknownDialect, unknownConstant, constantValue, internalError}

var notWorkflow = &Code{
	ID: "WFC160", Slug: "not-a-workflow", Severity: Error,
	Doc: `The file was named on the command line, but it has the shape of no workflow
format that wfc knows. Files like it are passed over silently when a folder is
checked.

A file whose format cannot be seen from its shape can say it in a comment:
# wfc: dialect=archon

A file that tools name and that is not meant for wfc belongs under exclude in
wfc.yaml.`,
	Bad:  "services:\n  web:\n    image: nginx\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// NotWorkflow reports a file that is no workflow; why says what makes it something
// else, in words, or is "".
func NotWorkflow(at source.Span, why string) *Diagnostic {
	d := notWorkflow.new(at, "this is not a workflow of any known format")
	if why != "" {
		d.WithHelp(why)
	}
	return d.WithHelp("if it is one, `# wfc: dialect=archon` on top of the file says so; if not, `exclude` in wfc.yaml leaves it out")
}

var unknownDialect = &Code{
	ID: "WFC162", Slug: "unknown-dialect", Severity: Error,
	Doc: `A dialect was named, by a comment of the file, by the configuration or by a
flag, that wfc does not know.`,
	Bad:  "# wfc: dialect=archive\nname: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: "# wfc: dialect=archon\nname: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// UnknownDialect reports the name of a dialect that does not exist.
func UnknownDialect(at source.Span, name string, known []string) *Diagnostic {
	d := unknownDialect.new(at, fmt.Sprintf("there is no dialect `%s`", name))
	if best := Nearest(name, known); best != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", best))
	}
	return d.WithHelp("dialects: " + strings.Join(known, ", "))
}

var unknownConstant = &Code{
	ID: "WFC170", Slug: "unknown-constant", Severity: Error,
	Doc: `--const gives a value to an input that the workflow does not have. The
message names the inputs that it has.`,
}

// UnknownConstant reports a constant for an input that does not exist.
func UnknownConstant(at source.Span, name string, inputs []string) *Diagnostic {
	d := unknownConstant.new(at, fmt.Sprintf("the workflow has no input `%s` to make constant", name))
	if best := Nearest(name, inputs); best != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", best))
	}
	if len(inputs) == 0 {
		return d.WithHelp("it has no inputs")
	}
	return d.WithHelp("its inputs: " + strings.Join(inputs, ", "))
}

var constantValue = &Code{
	ID: "WFC171", Slug: "constant-value", Severity: Error,
	Doc: `--const gives an input a value that is not of the input's type.`,
}

// ConstantValue reports a constant of the wrong type; want is the input's type
// in words.
func ConstantValue(at source.Span, name, value, want string) *Diagnostic {
	return constantValue.new(at, fmt.Sprintf("the constant %q does not fit the input `%s`, which is %s", value, name, want))
}

var internalError = &Code{
	ID: "WFC199", Slug: "internal-error", Severity: Error,
	Doc: `wfc itself failed on this file. Other files are not affected.

This is always a fault of wfc and never of the workflow. Please report it with
the file, or the smallest part of it that still shows the fault; wfc check -v
prints where in wfc it happened.`,
}

// InternalError reports that the compiler itself failed on a file.
func InternalError(at source.Span, what string) *Diagnostic {
	return internalError.new(at, "internal error: "+what).
		WithHelp("this is a fault of wfc, not of the workflow; please report it with the file (`wfc check -v` shows where it happened)")
}
