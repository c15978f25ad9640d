package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ScriptHole reports a value in a part of a script that is fixed; where says
// in which, as in "in a bytes literal".
func ScriptHole(at source.Span, label, where string) *diag.Diagnostic {
	return report("WFC550", at, fmt.Sprintf("`%s` cannot stand %s", label, where)).WithLabel("this part must be fixed")
}

// ScriptUnreadable reports a value that the reader of a script did not come to.
func ScriptUnreadable(at source.Span, label, problem string) *diag.Diagnostic {
	return report("WFC551", at, fmt.Sprintf("`%s` stands in a script that cannot be read: %s", label, problem)).
		WithLabel("no value can be placed safely").
		WithHelp("mend the script at the place that is shown")
}

// ScriptHoleAsName reports a value used as a name; what is the kind of name.
func ScriptHoleAsName(at source.Span, label, what string) *diag.Diagnostic {
	return report("WFC552", at, fmt.Sprintf("`%s` is used as %s", label, what)).WithLabel("a name must be fixed")
}

// ScriptHoleAlone reports a value that is a whole statement.
func ScriptHoleAlone(at source.Span, label string) *diag.Diagnostic {
	return report("WFC553", at, fmt.Sprintf("`%s` is a whole statement", label)).
		WithLabel("the value is not run as code, so this would do nothing")
}

// ScriptProgramText reports a value in a text that is run; runner says what
// runs it, as in "`eval`".
func ScriptProgramText(at source.Span, label, runner string) *diag.Diagnostic {
	return report("WFC554", at, fmt.Sprintf("`%s` becomes a part of the program that %s runs", label, runner)).
		WithLabel("the value could be code")
}

// ScriptProgramVariable reports a variable with a value in a text that is run.
func ScriptProgramVariable(at source.Span, variable, label, runner string) *diag.Diagnostic {
	return report("WFC555", at, fmt.Sprintf("`%s` holds `%s` and becomes a part of the program that %s runs", variable, label, runner)).
		WithLabel("the value could be code")
}

// ScriptHoleInFormat reports a value in a template of the script; operator is
// what fills it.
func ScriptHoleInFormat(at source.Span, label, operator string) *diag.Diagnostic {
	if operator == "." {
		operator = ".format"
	}
	return report("WFC556", at, fmt.Sprintf("`%s` stands in a string that `%s` fills in", label, operator)).
		WithLabel("signs in the value would be places to fill")
}

// ScriptStatementCuts reports a template statement that changes what surrounds
// the rest of a script; what names what it has only a part of.
func ScriptStatementCuts(at source.Span, what string) *diag.Diagnostic {
	return report("WFC557", at, "this statement cuts in two "+what).
		WithLabel("what is between its tags is not whole").
		WithHelp("put whole lines between the tags, or only text of one string; or compute the text first, `{% set text %}…{% endset %}`, and insert it: `'{{ text }}'`")
}

// ScriptTooComplex reports a script that is beyond analysis.
func ScriptTooComplex(at source.Span) *diag.Diagnostic {
	return report("WFC558", at, "the script is too complex to be analysed: its template statements have too many branches").
		WithHelp("split the script over several steps, or decide in the script: `if '{{ mode }}' == 'fast': …`")
}

// ScriptSyntax reports a script that its language cannot read; problem is what
// the language says of it.
func ScriptSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC559", at, "the script is not Python: "+problem)
}

// ScriptEscapedHole notes a reference that a backslash keeps as text.
func ScriptEscapedHole(at source.Span, label string) *diag.Diagnostic {
	return report("WFC955", at, fmt.Sprintf("`%s` stays text because of the backslash before it", label))
}
