package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ShellSyntax reports a script that is not valid bash.
func ShellSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC500", at, "the script is not valid bash: "+problem)
}

// ShellUnreadable reports a reference in a script that only bash can parse.
func ShellUnreadable(at source.Span, label, problem string) *diag.Diagnostic {
	return report("WFC501", at, fmt.Sprintf("`%s` is in a script that wfc cannot parse: %s", label, problem)).
		WithLabel("wfc cannot insert the value safely").
		WithHelp("write the construct differently, or move it to a node without references")
}

// ShellTooComplex reports a script that is too complex to analyze, and why.
func ShellTooComplex(at source.Span, why string) *diag.Diagnostic {
	return report("WFC502", at, "the script is too complex: "+why).
		WithHelp("split the script over several nodes or functions")
}

// ShellHoleAsName reports a value used as a name of a kind; subject is the value in
// messages.
func ShellHoleAsName(at source.Span, subject, kind string) *diag.Diagnostic {
	return report("WFC503", at, fmt.Sprintf("%s is used as %s", subject, kind)).WithLabel("a name must be fixed")
}

// ShellHoleAsCommand reports a value as the name of a command.
func ShellHoleAsCommand(at source.Span, subject, label string) *diag.Diagnostic {
	return report("WFC504", at, fmt.Sprintf("%s is the command itself", subject)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose between fixed commands: `case " + label + " in test) make test ;; esac`").
		WithHelp("print the value instead: `printf '%s\\n' " + label + "`")
}

// ShellHoleAsDelimiter reports a value as the delimiter of a here-document.
func ShellHoleAsDelimiter(at source.Span, label string) *diag.Diagnostic {
	return report("WFC505", at, fmt.Sprintf("`%s` is the delimiter of a here-document", label)).
		WithLabel("a delimiter must be a fixed word").
		WithHelp("use a fixed delimiter and put the value into the document: `cat <<END`, `" + label + "`, `END`").
		WithHelp("pass the value as input: `cat <<< " + label + "`")
}

// ShellHoleInRange reports a value in a brace range.
func ShellHoleInRange(at source.Span, label string) *diag.Diagnostic {
	return report("WFC506", at, fmt.Sprintf("`%s` is part of a range `{…}`, which bash expands first", label)).
		WithLabel("ranges must be fixed").
		WithHelp("count in a loop: `for ((i = 1; i <= " + label + "; i++)); do …`")
}

// ShellHoleUndecided reports a value at a place that wfc cannot analyze.
func ShellHoleUndecided(at source.Span, label, where string) *diag.Diagnostic {
	return report("WFC507", at, fmt.Sprintf("wfc cannot insert `%s` %s", label, where)).
		WithHelp("assign the value to a variable first, `value=" + label + "`, and use `\"$value\"`")
}

// ShellStatementCuts reports a template statement that contains only one end of a
// construct of the script.
func ShellStatementCuts(at source.Span, construct string) *diag.Diagnostic {
	return report("WFC508", at, "this statement cuts "+construct+" in two").
		WithLabel("the code between its tags is incomplete").
		WithHelp("put whole commands between the tags, or only part of one quoted string or here-document").
		WithHelp("compute the string first, `{% set text %}…{% endset %}`, and insert it: `\"{{ text }}\"`")
}

// ShellProgramText reports a value inside a program. subject is the value in
// messages, program the command that runs the program.
func ShellProgramText(at source.Span, subject, program string) *diag.Diagnostic {
	return report("WFC510", at, fmt.Sprintf("%s becomes part of the program that %s runs", subject, program)).
		WithLabel("the value would run as code")
}

// ShellProgramInput reports a value in the input of an interpreter.
func ShellProgramInput(at source.Span, subject, program string) *diag.Diagnostic {
	return report("WFC511", at, fmt.Sprintf("%s reaches %s, which runs its input as code", subject, program)).
		WithLabel("the value would run as code")
}

// ShellProgramFile reports a value that chooses a script to run.
func ShellProgramFile(at source.Span, subject, program, label string) *diag.Diagnostic {
	return report("WFC512", at, fmt.Sprintf("%s chooses the file that %s runs", subject, program)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose between fixed files: `case " + label + " in bug) " + "source ./bug.sh ;; esac`")
}

// ShellArithmeticType reports a value in arithmetic that is never an integer.
func ShellArithmeticType(at source.Span, label, typ string) *diag.Diagnostic {
	return report("WFC520", at, fmt.Sprintf("`%s` has the type %s, but bash calculates only with integers", label, typ)).
		WithLabel("evaluated as arithmetic").
		WithHelp("compare it as a string: `[[ " + label + " == … ]]`")
}

// ShellArithmeticVariable reports a value in arithmetic that wfc cannot check first.
func ShellArithmeticVariable(at source.Span, subject, name string) *diag.Diagnostic {
	return report("WFC521", at, fmt.Sprintf("%s is evaluated as arithmetic, which can run commands", subject)).
		WithLabel("the value would run as code").
		WithHelp("assign the value to an ordinary variable and calculate with that: `value=…; " + name + "=$value`")
}

// ShellUnquotedVariable reports a variable that bash would split.
func ShellUnquotedVariable(at source.Span, name string) *diag.Diagnostic {
	return report("WFC530", at, fmt.Sprintf("`$%s` without quotes is split at whitespace and expanded to file names", name)).
		WithLabel("not quoted")
}

// ShellEscapedHole notes a reference that a backslash makes literal text.
func ShellEscapedHole(at source.Span, label string) *diag.Diagnostic {
	return report("WFC950", at, fmt.Sprintf("the backslash before `%s` makes it literal text", label))
}

// ShellQuotedHole notes a reference inside quotes.
func ShellQuotedHole(at source.Span, label, where string) *diag.Diagnostic {
	return report("WFC951", at, fmt.Sprintf("`%s` is in %s, where the original engine adds more quotes", label, where))
}

// ShellInnerProgram reports a fault of a program inside a script, with the message
// and the code of that fault.
func ShellInnerProgram(at source.Span, program, message string, code *diag.Code) *diag.Diagnostic {
	return report("WFC513", at, fmt.Sprintf("the program that %s runs evaluates a value (%s)", program, code.ID)).
		WithLabel(message).
		WithHelp("treat the value as a string in the inner program, or calculate in the script and pass the result")
}

// ShellKeyEvaluated reports a key of an associative array in arithmetic.
func ShellKeyEvaluated(at source.Span, subject, array, label string) *diag.Diagnostic {
	return report("WFC514", at, fmt.Sprintf("%s is a key of `%s` in arithmetic, which evaluates the key", subject, array)).
		WithLabel("the value would run as code").
		WithHelp("read the element as a string: `" + array + "[" + label + "]=$(( ${" + array + "[" + label + "]:-0} + 1 ))`")
}

// ShellValueAsOption reports a value that a program may treat as an option that runs
// a program. noDashes says that the program does not support `--`.
func ShellValueAsOption(at source.Span, subject, program, label string, noDashes bool) *diag.Diagnostic {
	d := report("WFC515", at, fmt.Sprintf("`%s` treats %s as an option if it starts with a dash", program, subject)).
		WithLabel("may be an option that runs a program")
	if noDashes {
		return d.WithHelp("start the word with fixed characters: `./" + label + "`")
	}
	return d.WithHelp("put `--` before the value: `" + program + " … -- " + label + "`")
}

// ShellMaybeOption reports a value that a program may treat as an option.
func ShellMaybeOption(at source.Span, subject, program, label string) *diag.Diagnostic {
	return report("WFC516", at, fmt.Sprintf("`%s` treats %s as an option if it starts with a dash", program, subject)).
		WithLabel("may be an option").
		WithHelp("put `--` before the value: `" + program + " … -- " + label + "`")
}

// ShellWrittenProgram reports a program into which the script writes a value.
func ShellWrittenProgram(at source.Span, file, subject, program string, from source.Span) *diag.Diagnostic {
	return report("WFC517", at, fmt.Sprintf("%s runs `%s`, to which the script writes %s", program, file, subject)).
		WithLabel("the value would run as code").
		WithRelated(from, "written here").
		WithHelp("write a fixed program, and pass the value to it as an argument")
}
