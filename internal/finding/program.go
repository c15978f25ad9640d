package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// ScriptSyntax reports a script that is not valid in its language.
func ScriptSyntax(at source.Span, language, problem string) *diag.Diagnostic {
	return codes.ScriptSyntax.New(at, "the script is not valid "+language+": "+problem)
}

// ShellUnreadable reports a reference in a script that only bash can parse.
func ShellUnreadable(at source.Span, label, problem string) *diag.Diagnostic {
	return codes.ScriptUnreadable.New(at, fmt.Sprintf("`%s` is in a script that wfc cannot parse: %s", label, problem)).
		WithLabel("wfc cannot insert the value safely").
		WithHelp("write the construct differently, or move it to a node without references")
}

// ShellTooComplex reports a script that is too complex to analyze, and why.
func ShellTooComplex(at source.Span, why string) *diag.Diagnostic {
	return codes.ScriptTooComplex.New(at, "the script is too complex: "+why).
		WithHelp("split the script over several nodes or functions")
}

// ValueAsName reports a value used as a name of a kind; subject is the value in
// messages.
func ValueAsName(at source.Span, subject, kind string) *diag.Diagnostic {
	return codes.ValueAsName.New(at, fmt.Sprintf("%s is used as %s", subject, kind)).WithLabel("a name must be fixed")
}

// ShellHoleAsCommand reports a value as the name of a command.
func ShellHoleAsCommand(at source.Span, subject, label string) *diag.Diagnostic {
	return codes.ValueAsCommand.New(at, fmt.Sprintf("%s is the command itself", subject)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose between fixed commands: `case " + label + " in test) make test ;; esac`").
		WithHelp("print the value instead: `printf '%s\\n' " + label + "`")
}

// ShellHoleAsDelimiter reports a value as the delimiter of a here-document.
func ShellHoleAsDelimiter(at source.Span, label string) *diag.Diagnostic {
	return codes.ValueMisplaced.New(at, fmt.Sprintf("`%s` is the delimiter of a here-document", label)).
		WithLabel("a delimiter must be a fixed word").
		WithHelp("use a fixed delimiter and put the value into the document: `cat <<END`, `" + label + "`, `END`").
		WithHelp("pass the value as input: `cat <<< " + label + "`")
}

// ShellHoleInRange reports a value in a brace range.
func ShellHoleInRange(at source.Span, label string) *diag.Diagnostic {
	return codes.ValueMisplaced.New(at, fmt.Sprintf("`%s` is part of a range `{…}`, which bash expands first", label)).
		WithLabel("ranges must be fixed").
		WithHelp("count in a loop: `for ((i = 1; i <= " + label + "; i++)); do …`")
}

// ShellHoleUndecided reports a value at a place that wfc cannot analyze.
func ShellHoleUndecided(at source.Span, label, where string) *diag.Diagnostic {
	return codes.ValueMisplaced.New(at, fmt.Sprintf("wfc cannot insert `%s` %s", label, where)).
		WithHelp("assign the value to a variable first, `value=" + label + "`, and use `\"$value\"`")
}

// ShellStatementCuts reports a template statement that contains only one end of a
// construct of the script.
func ShellStatementCuts(at source.Span, construct string) *diag.Diagnostic {
	return codes.StatementCuts.New(at, "this statement cuts "+construct+" in two").
		WithLabel("the code between its tags is incomplete").
		WithHelp("put whole commands between the tags, or only part of one quoted string or here-document").
		WithHelp("compute the string first, `{% set text %}…{% endset %}`, and insert it: `\"{{ text }}\"`")
}

// ShellProgramText reports a value inside a program. subject is the value in
// messages, program the command that runs the program.
func ShellProgramText(at source.Span, subject, program string) *diag.Diagnostic {
	return codes.ValueAsCode.New(at, fmt.Sprintf("%s becomes part of the program that %s runs", subject, program)).
		WithLabel("the value would run as code")
}

// ShellProgramFile reports a value that chooses a script to run.
func ShellProgramFile(at source.Span, subject, program, label string) *diag.Diagnostic {
	return codes.ValueAsCode.New(at, fmt.Sprintf("%s chooses the file that %s runs", subject, program)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose between fixed files: `case " + label + " in bug) " + "source ./bug.sh ;; esac`")
}

// ShellArithmeticType reports a value in arithmetic that is never an integer.
func ShellArithmeticType(at source.Span, label, typ string) *diag.Diagnostic {
	return codes.ShellArithmeticType.New(at, fmt.Sprintf("`%s` has the type %s, but bash calculates only with integers", label, typ)).
		WithLabel("evaluated as arithmetic").
		WithHelp("compare it as a string: `[[ " + label + " == … ]]`")
}

// ShellArithmeticVariable reports a value in arithmetic that wfc cannot check first.
func ShellArithmeticVariable(at source.Span, subject, name string) *diag.Diagnostic {
	return codes.ShellArithmeticVariable.New(at, fmt.Sprintf("%s is evaluated as arithmetic, which can run commands", subject)).
		WithLabel("the value would run as code").
		WithHelp("assign the value to an ordinary variable and calculate with that: `value=…; " + name + "=$value`")
}

// ShellCurlyQuote warns of a curly quote that bash treats as part of a word, in words.
func ShellCurlyQuote(at source.Span, problem string) *diag.Diagnostic {
	return codes.ShellCurlyQuote.New(at, problem)
}

// EscapedReference notes a reference that a backslash makes literal text.
func EscapedReference(at source.Span, label string) *diag.Diagnostic {
	return codes.EscapedReference.New(at, fmt.Sprintf("the backslash before `%s` makes it literal text", label))
}

// ShellQuotedHole notes a reference inside quotes.
func ShellQuotedHole(at source.Span, label, where string) *diag.Diagnostic {
	return codes.ShellQuotedReference.New(at, fmt.Sprintf("`%s` is in %s, where the original engine adds more quotes", label, where))
}

// ScriptHole reports a value in a part of a script that must be fixed; where is that
// part, as in "in a bytes literal".
func ScriptHole(at source.Span, label, where string) *diag.Diagnostic {
	return codes.ValueMisplaced.New(at, fmt.Sprintf("`%s` is not allowed %s", label, where)).WithLabel("this part must be fixed")
}

// ScriptUnreadable reports a value in a part of a script that cannot be parsed.
func ScriptUnreadable(at source.Span, label, problem string) *diag.Diagnostic {
	return codes.ScriptUnreadable.New(at, fmt.Sprintf("`%s` is in a script that wfc cannot parse: %s", label, problem)).
		WithLabel("wfc cannot insert the value safely").
		WithHelp("correct the script at the place that is shown")
}

// ScriptHoleAlone reports a value that is a whole statement.
func ScriptHoleAlone(at source.Span, label string) *diag.Diagnostic {
	return codes.ValueAsCommand.New(at, fmt.Sprintf("`%s` is a whole statement", label)).
		WithLabel("the value does not run as code, so this has no effect")
}

// ScriptProgramText reports a value in a program that the script runs, or an expression
// that contains it; runner runs it, as in "`eval`".
func ScriptProgramText(at source.Span, label, expression, runner string) *diag.Diagnostic {
	message := fmt.Sprintf("`%s` becomes part of the program that %s runs", label, runner)
	if expression != "" {
		message = fmt.Sprintf("`%s` contains `%s`, and %s runs it as code", expression, label, runner)
	}
	return codes.ValueAsCode.New(at, message).WithLabel("the value could be code")
}

// ScriptHoleInFormat reports a value in a format string; operator formats it.
func ScriptHoleInFormat(at source.Span, label, operator string) *diag.Diagnostic {
	if operator == "." {
		operator = ".format"
	}
	return codes.ScriptValueInFormat.New(at, fmt.Sprintf("`%s` is in a string that `%s` formats", label, operator)).
		WithLabel("characters in the value would become placeholders")
}

// ScriptStatementCuts reports a template statement that contains only one end of a
// construct of the script.
func ScriptStatementCuts(at source.Span, construct string) *diag.Diagnostic {
	return codes.StatementCuts.New(at, "this statement cuts "+construct+" in two").
		WithLabel("the code between its tags is incomplete").
		WithHelp("put whole lines between the tags, or only part of one string").
		WithHelp("compute the string first, `{% set text %}…{% endset %}`, and insert it: `'{{ text }}'`")
}

// ScriptTooComplex reports a script that is too complex to analyze.
func ScriptTooComplex(at source.Span) *diag.Diagnostic {
	return codes.ScriptTooComplex.New(at, "the script is too complex: its template statements have too many branches").
		WithHelp("split the script over several steps, or decide in the script: `if '{{ mode }}' == 'fast': …`")
}

// ScriptTooLong reports a script that is too long to follow values through it.
func ScriptTooLong(at source.Span) *diag.Diagnostic {
	return codes.ScriptTooComplex.New(at, "the script is too long to follow the values in it").
		WithHelp("split the script over several steps, or move the part without values to a module")
}
