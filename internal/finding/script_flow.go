package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// 56x: values that a script may run as code on a path that the analysis cannot follow
// to its end.

// ScriptProgramUnknown reports a string of unknown content that is run; runner runs
// it, as in "`eval`".
func ScriptProgramUnknown(at source.Span, text, runner string) *diag.Diagnostic {
	return report("WFC560", at, fmt.Sprintf("`%s` may contain a value, and %s runs it as code", text, runner)).
		WithLabel("wfc cannot determine its content")
}

// ScriptCallUnknown reports a function that may run a value as code; function is its
// name in the script.
func ScriptCallUnknown(at source.Span, function string) *diag.Diagnostic {
	return report("WFC561", at, fmt.Sprintf("`%s` may run a value as code", function)).
		WithLabel("chosen at run time, or passed to another function").
		WithHelp("call the function by its name, or look it up in a table of the script")
}

// ScriptEnvironment reports a value in a variable that names a program.
func ScriptEnvironment(at source.Span, variable string) *diag.Diagnostic {
	return report("WFC562", at, fmt.Sprintf("a value in the environment variable `%s` can choose programs", variable)).
		WithLabel("the value could name a program").
		WithHelp("pass the value in a variable with a fixed name that only carries data, or as an argument")
}

// ScriptRunsFile reports a file that contains a value and is run.
func ScriptRunsFile(at source.Span, file string) *diag.Diagnostic {
	return report("WFC563", at, fmt.Sprintf("the script writes a value to `%s` and runs that file", file)).
		WithLabel("the value runs as code").
		WithHelp("write data to the file, and let a fixed program read it")
}

// ScriptValueOption warns of a value that a program may treat as an option.
func ScriptValueOption(at source.Span, label, program string) *diag.Diagnostic {
	return report("WFC564", at, fmt.Sprintf("`%s` may be an option of `%s` that runs a program", label, program)).
		WithLabel("the value could start with a dash")
}

// ScriptTooLong reports a script that is too long to follow values through it.
func ScriptTooLong(at source.Span) *diag.Diagnostic {
	return report("WFC565", at, "the script is too long to follow the values in it").
		WithHelp("split the script over several steps, or move the part without values to a module")
}
