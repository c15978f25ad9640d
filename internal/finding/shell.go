package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ShellSyntax reports a script that is not bash.
func ShellSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC500", at, "the script is not bash: "+problem)
}

// ShellUnreadable reports a reference in a script that only bash can read.
func ShellUnreadable(at source.Span, label, problem string) *diag.Diagnostic {
	return report("WFC501", at, fmt.Sprintf("`%s` stands in a script that cannot be analysed: %s", label, problem)).
		WithLabel("no value can be placed safely").
		WithHelp("write that construct in another way, or move it to a node without references")
}

// ShellTooComplex reports a script that is beyond analysis, and why.
func ShellTooComplex(at source.Span, why string) *diag.Diagnostic {
	return report("WFC502", at, "the script is too complex to be analysed: "+why).
		WithHelp("split the script over several nodes or functions")
}

// ShellHoleAsName reports a value used as a name. subject is the value in
// messages, what the kind of name.
func ShellHoleAsName(at source.Span, subject, what string) *diag.Diagnostic {
	return report("WFC503", at, fmt.Sprintf("%s is used as %s", subject, what)).WithLabel("a name must be fixed")
}

// ShellHoleAsCommand reports a value in place of a command's name.
func ShellHoleAsCommand(at source.Span, subject, label string) *diag.Diagnostic {
	return report("WFC504", at, fmt.Sprintf("%s is the command itself", subject)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose among fixed commands: `case " + label + " in test) make test ;; esac`").
		WithHelp("to print the value: `printf '%s\\n' " + label + "`")
}

// ShellHoleAsDelimiter reports a value as the delimiter of a here-document.
func ShellHoleAsDelimiter(at source.Span, label string) *diag.Diagnostic {
	return report("WFC505", at, fmt.Sprintf("`%s` is the delimiter of a here-document", label)).
		WithLabel("a delimiter must be a fixed word").
		WithHelp("use a fixed delimiter and put the value into the text: `cat <<END`, `" + label + "`, `END`").
		WithHelp("to pass the value as input: `cat <<< " + label + "`")
}

// ShellHoleInRange reports a value in a brace range.
func ShellHoleInRange(at source.Span, label string) *diag.Diagnostic {
	return report("WFC506", at, fmt.Sprintf("`%s` is part of a range `{…}`, which bash expands before any value is known", label)).
		WithLabel("ranges must be fixed").
		WithHelp("count in a loop: `for ((i = 1; i <= " + label + "; i++)); do …`")
}

// ShellHoleUndecided reports a value at an undecidable place.
func ShellHoleUndecided(at source.Span, label, where string) *diag.Diagnostic {
	return report("WFC507", at, fmt.Sprintf("`%s` stands %s", label, where)).
		WithHelp("put the value into a variable first, `value=" + label + "`, and use `\"$value\"`")
}

// ShellStatementCuts reports a template statement that changes what surrounds
// the rest of a script; what names what it has only a part of.
func ShellStatementCuts(at source.Span, what string) *diag.Diagnostic {
	return report("WFC508", at, "this statement cuts in two "+what).
		WithLabel("what is between its tags is not whole").
		WithHelp("put whole commands between the tags, or only text of one quote or here-document; or compute the text first, `{% set text %}…{% endset %}`, and insert it: `\"{{ text }}\"`")
}

// ShellProgramText reports a value inside a program's text. subject is the
// value in messages, program the command that runs it.
func ShellProgramText(at source.Span, subject, program string) *diag.Diagnostic {
	return report("WFC510", at, fmt.Sprintf("%s becomes part of the program that %s runs", subject, program)).
		WithLabel("the value would be run as code")
}

// ShellProgramInput reports a value in the input of an interpreter.
func ShellProgramInput(at source.Span, subject, program string) *diag.Diagnostic {
	return report("WFC511", at, fmt.Sprintf("%s is fed to %s, which runs its input as a program", subject, program)).
		WithLabel("the value would be run as code")
}

// ShellProgramFile reports a value that chooses a script to run.
func ShellProgramFile(at source.Span, subject, program, label string) *diag.Diagnostic {
	return report("WFC512", at, fmt.Sprintf("%s chooses the file that %s runs", subject, program)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose among fixed files: `case " + label + " in bug) " + "source ./bug.sh ;; esac`")
}

// ShellArithmeticType reports a value in arithmetic that is never a number.
func ShellArithmeticType(at source.Span, label, typ string) *diag.Diagnostic {
	return report("WFC520", at, fmt.Sprintf("`%s` has the type %s, and bash calculates with whole numbers only", label, typ)).
		WithLabel("evaluated as arithmetic").
		WithHelp("compare it as text: `[[ " + label + " == … ]]`")
}

// ShellArithmeticVariable reports a value in arithmetic that cannot be guarded.
func ShellArithmeticVariable(at source.Span, subject, name string) *diag.Diagnostic {
	return report("WFC521", at, fmt.Sprintf("%s is evaluated as arithmetic, which runs commands that its text may hold", subject)).
		WithLabel("the value would be run as code").
		WithHelp("assign the value to a plain variable and calculate with that: `value=…; " + name + "=$value`")
}

// ShellUnquotedVariable reports a variable that bash would split.
func ShellUnquotedVariable(at source.Span, name string) *diag.Diagnostic {
	return report("WFC530", at, fmt.Sprintf("`$%s` without quotes is split at blanks, and `*` and `?` in it become file names", name)).
		WithLabel("not quoted")
}

// ShellEscapedHole notes a reference that a backslash makes text.
func ShellEscapedHole(at source.Span, label string) *diag.Diagnostic {
	return report("WFC950", at, fmt.Sprintf("`%s` after a backslash stays text; the original engine inserts the value", label))
}

// ShellQuotedHole notes a reference inside quotes.
func ShellQuotedHole(at source.Span, label, where string) *diag.Diagnostic {
	return report("WFC951", at, fmt.Sprintf("`%s` stands in %s, where the original engine adds quotes of its own to the value", label, where))
}

// ShellInnerProgram reports a fault of a program inside a script: its message and
// its code.
func ShellInnerProgram(at source.Span, program, message string, code *diag.Code) *diag.Diagnostic {
	return report("WFC513", at, fmt.Sprintf("the program that %s runs evaluates a value: %s (%s)", program, message, code.ID)).
		WithLabel("this program runs the value").
		WithHelp("treat the value as text in the inner program, or calculate in the script and pass the result")
}

// ShellKeyEvaluated reports a hostile key of an array in arithmetic.
func ShellKeyEvaluated(at source.Span, subject, array, label string) *diag.Diagnostic {
	return report("WFC514", at, fmt.Sprintf("%s is a key of `%s` in arithmetic, which evaluates the text of the key", subject, array)).
		WithLabel("the value would be run as code").
		WithHelp("read the element as text: `" + array + "[" + label + "]=$(( ${" + array + "[" + label + "]:-0} + 1 ))`")
}

// ShellValueAsOption reports a value that a program may take for an option which
// runs a program. noDashes says that `--` does not help.
func ShellValueAsOption(at source.Span, subject, program, label string, noDashes bool) *diag.Diagnostic {
	d := report("WFC515", at, fmt.Sprintf("`%s` takes %s for an option if it begins with a dash, and has options that run programs", program, subject)).
		WithLabel("may be an option")
	if noDashes {
		return d.WithHelp("begin the word with fixed text: `./" + label + "`")
	}
	return d.WithHelp("put `--` before the value: `" + program + " … -- " + label + "`")
}

// ShellMaybeOption reports a value that a program may take for an option.
func ShellMaybeOption(at source.Span, subject, program, label string) *diag.Diagnostic {
	return report("WFC516", at, fmt.Sprintf("`%s` takes %s for an option if it begins with a dash", program, subject)).
		WithLabel("may be an option").
		WithHelp("put `--` before the value: `" + program + " … -- " + label + "`")
}

// ShellWrittenProgram reports a program that the script has written a value into.
func ShellWrittenProgram(at source.Span, file, subject, program string, from source.Span) *diag.Diagnostic {
	return report("WFC517", at, fmt.Sprintf("%s runs `%s`, into which the script has written %s", program, file, subject)).
		WithLabel("the value would be run as code").
		WithRelated(from, "written here").
		WithHelp("write a fixed program and pass the value to it as an argument")
}
