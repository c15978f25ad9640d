package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// 56x: values that a script may run as code by a way that the analysis cannot
// follow to the end.

// ScriptProgramUnknown reports a text of unknown content that is run; runner says
// what runs it, as in "`eval`".
func ScriptProgramUnknown(at source.Span, text, runner string) *diag.Diagnostic {
	return report("WFC560", at, fmt.Sprintf("`%s` may hold a value and becomes a part of the program that %s runs", text, runner)).
		WithLabel("its content is not known")
}

// ScriptCallUnknown reports a function that may run a value as code; function is
// how the script names it.
func ScriptCallUnknown(at source.Span, function string) *diag.Diagnostic {
	return report("WFC561", at, fmt.Sprintf("`%s` may run a value as code: it is chosen at run time or handed to another function", function)).
		WithLabel("wfc cannot tell what this runs").
		WithHelp("call a function by its name, or look it up in a table of the script")
}

// ScriptEnvironment reports a value in a variable that names a program.
func ScriptEnvironment(at source.Span, variable string) *diag.Diagnostic {
	return report("WFC562", at, fmt.Sprintf("a value in the environment variable `%s` can choose the programs that run", variable)).
		WithLabel("the value could name a program").
		WithHelp("hand the value over in a variable with a fixed name that only carries data, or as an argument")
}

// ScriptRunsFile reports a file that holds a value and is run.
func ScriptRunsFile(at source.Span, file string) *diag.Diagnostic {
	return report("WFC563", at, fmt.Sprintf("the script writes a value to `%s` and runs that file", file)).
		WithLabel("the value is the program here").
		WithHelp("write data to the file, and have a fixed program read it")
}

// ScriptValueOption warns of a value that a program may take for an option.
func ScriptValueOption(at source.Span, label, program string) *diag.Diagnostic {
	return report("WFC564", at, fmt.Sprintf("`%s` may be an option of `%s` that runs a program", label, program)).
		WithLabel("the value could begin with a dash")
}

// ScriptTooLong reports a script through which a value cannot be followed.
func ScriptTooLong(at source.Span) *diag.Diagnostic {
	return report("WFC565", at, "the script is too long to follow the values in it").
		WithHelp("split the script over several steps, or move the part without values to a module")
}
