package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ScriptHole reports a value in a part of a script that must be fixed; where is that
// part, as in "in a bytes literal".
func ScriptHole(at source.Span, label, where string) *diag.Diagnostic {
	return report("WFC550", at, fmt.Sprintf("`%s` is not allowed %s", label, where)).WithLabel("this part must be fixed")
}

// ScriptUnreadable reports a value in a part of a script that cannot be parsed.
func ScriptUnreadable(at source.Span, label, problem string) *diag.Diagnostic {
	return report("WFC551", at, fmt.Sprintf("`%s` is in a script that wfc cannot parse: %s", label, problem)).
		WithLabel("wfc cannot insert the value safely").
		WithHelp("correct the script at the place that is shown")
}

// ScriptHoleAsName reports a value used as a name of a kind.
func ScriptHoleAsName(at source.Span, label, kind string) *diag.Diagnostic {
	return report("WFC552", at, fmt.Sprintf("`%s` is used as %s", label, kind)).WithLabel("a name must be fixed")
}

// ScriptHoleAlone reports a value that is a whole statement.
func ScriptHoleAlone(at source.Span, label string) *diag.Diagnostic {
	return report("WFC553", at, fmt.Sprintf("`%s` is a whole statement", label)).
		WithLabel("the value does not run as code, so this has no effect")
}

// ScriptProgramText reports a value in a program that the script runs; runner runs
// it, as in "`eval`".
func ScriptProgramText(at source.Span, label, runner string) *diag.Diagnostic {
	return report("WFC554", at, fmt.Sprintf("`%s` becomes part of the program that %s runs", label, runner)).
		WithLabel("the value could be code")
}

// ScriptProgramVariable reports a variable that contains a value and is run.
func ScriptProgramVariable(at source.Span, variable, label, runner string) *diag.Diagnostic {
	return report("WFC555", at, fmt.Sprintf("`%s` contains `%s`, and %s runs it as code", variable, label, runner)).
		WithLabel("the value could be code")
}

// ScriptHoleInFormat reports a value in a format string; operator formats it.
func ScriptHoleInFormat(at source.Span, label, operator string) *diag.Diagnostic {
	if operator == "." {
		operator = ".format"
	}
	return report("WFC556", at, fmt.Sprintf("`%s` is in a string that `%s` formats", label, operator)).
		WithLabel("characters in the value would become placeholders")
}

// ScriptStatementCuts reports a template statement that contains only one end of a
// construct of the script.
func ScriptStatementCuts(at source.Span, construct string) *diag.Diagnostic {
	return report("WFC557", at, "this statement cuts "+construct+" in two").
		WithLabel("the code between its tags is incomplete").
		WithHelp("put whole lines between the tags, or only part of one string").
		WithHelp("compute the string first, `{% set text %}…{% endset %}`, and insert it: `'{{ text }}'`")
}

// ScriptTooComplex reports a script that is too complex to analyze.
func ScriptTooComplex(at source.Span) *diag.Diagnostic {
	return report("WFC558", at, "the script is too complex: its template statements have too many branches").
		WithHelp("split the script over several steps, or decide in the script: `if '{{ mode }}' == 'fast': …`")
}

// ScriptSyntax reports a script with a syntax error; problem is the message of the
// language.
func ScriptSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC559", at, "the script is not valid Python: "+problem)
}

// ScriptEscapedHole notes a reference that a backslash makes literal text.
func ScriptEscapedHole(at source.Span, label string) *diag.Diagnostic {
	return report("WFC955", at, fmt.Sprintf("the backslash before `%s` makes it literal text", label))
}
