package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 55x and 56x: scripts in Python and JavaScript; 955: where the original engine treats
// them otherwise.
var scriptCodes = []*Code{
	scriptHole, scriptUnreadable, scriptHoleAsName, scriptHoleAlone,
	scriptProgramText, scriptProgramVariable, scriptHoleInFormat,
	scriptStatementCuts, scriptTooComplex, scriptSyntax, scriptEscapedHole,
	scriptProgramUnknown, scriptCallUnknown, scriptEnvironment, scriptRunsFile, scriptValueOption, scriptTooLong,
}

// scriptExample is a workflow with one script that reads the output of the node
// before it.
func scriptExample(runtime, script string) string {
	return exampleHead + "  - id: a\n    bash: cat note.txt\n  - id: b\n    depends_on: [a]\n    runtime: " + runtime + "\n    script: |\n" + indent(script)
}

var scriptHole = &Code{
	ID: "WFC550", Slug: "value-in-script", Severity: Error,
	Doc: `A value stands in a part of a script that has to be fixed: a bytes literal, a
documentation string, the pattern of a case, the name of an imported module, a
regular expression literal, the digits of an escape sequence.

The value is not known when the language reads that part. The message names
what to use instead.`,
	Bad:  scriptExample("uv", "print(len(b'$a.output'))\n"),
	Good: scriptExample("uv", "print(len('$a.output'.encode()))\n"),
}

// ScriptHole reports a value in a part of a script that is fixed; where says
// in which, as in "in a bytes literal".
func ScriptHole(at source.Span, label, where string) *Diagnostic {
	return scriptHole.new(at, fmt.Sprintf("`%s` cannot stand %s", label, where)).WithLabel("this part must be fixed")
}

var scriptUnreadable = &Code{
	ID: "WFC551", Slug: "script-unreadable", Severity: Error,
	Doc: `A script holds a value behind a place that cannot be read, such as a string
without an end. Whether the value stands in a string or in code cannot be known
there, so it cannot be handed over safely.`,
	Bad:  scriptExample("bun", "const note = 'it never ends;\nconsole.log(note, '$a.output')\n"),
	Good: scriptExample("bun", "const note = 'it ends';\nconsole.log(note, '$a.output')\n"),
}

// ScriptUnreadable reports a value that the reader of a script did not come to.
func ScriptUnreadable(at source.Span, label, problem string) *Diagnostic {
	return scriptUnreadable.new(at, fmt.Sprintf("`%s` stands in a script that cannot be read: %s", label, problem)).
		WithLabel("no value can be placed safely").
		WithHelp("mend the script at the place that is shown")
}

var scriptHoleAsName = &Code{
	ID: "WFC552", Slug: "script-value-as-name", Severity: Error,
	Doc: `A value stands where a script needs a name: of a variable, a function, a
property, an argument. Names are fixed when the script is written; a value can
be kept under a name, or be the text by which something is looked up.

In "$a.output.trim()" the word "trim" is taken for a field of the output. Give
the output a name first and call the method on that.`,
	Bad:  scriptExample("bun", "console.log($a.output.trim())\n"),
	Good: scriptExample("bun", "const note = '$a.output'\nconsole.log(note.trim())\n"),
}

// ScriptHoleAsName reports a value used as a name; what is the kind of name.
func ScriptHoleAsName(at source.Span, label, what string) *Diagnostic {
	return scriptHoleAsName.new(at, fmt.Sprintf("`%s` is used as %s", label, what)).WithLabel("a name must be fixed")
}

var scriptHoleAlone = &Code{
	ID: "WFC553", Slug: "script-value-alone", Severity: Error,
	Doc: `A value is a whole statement of a script. The original engine pastes the text
and so runs it as a part of the program, whoever wrote it; here it would be an
expression whose result nobody uses.

Print the value or give it a name. To run a program that an agent has written,
let it write a file, and run that file in a node of its own.`,
	Bad:  scriptExample("uv", "import json\n$a.output\n"),
	Good: scriptExample("uv", "import json\nprint(json.dumps('$a.output'))\n"),
}

// ScriptHoleAlone reports a value that is a whole statement.
func ScriptHoleAlone(at source.Span, label string) *Diagnostic {
	return scriptHoleAlone.new(at, fmt.Sprintf("`%s` is a whole statement", label)).
		WithLabel("the value is not run as code, so this would do nothing")
}

var scriptProgramText = &Code{
	ID: "WFC554", Slug: "script-program-text", Severity: Error,
	Doc: `A value becomes a part of a text that something runs as a program: eval and its
kin, a command line for a shell, the program after an interpreter's -c, an SQL
statement, the module that an import loads. A quote in the value is enough to
turn the rest of it into commands.

Hand the value over apart from the program: as an argument in a list, as an SQL
parameter, as plain data.`,
	Bad:  scriptExample("uv", "import os\nos.system('grep -r $a.output src')\n"),
	Good: scriptExample("uv", "import subprocess\nsubprocess.run(['grep', '-r', '--', '$a.output', 'src'])\n"),
}

// ScriptProgramText reports a value in a text that is run; runner says what
// runs it, as in "`eval`".
func ScriptProgramText(at source.Span, label, runner string) *Diagnostic {
	return scriptProgramText.new(at, fmt.Sprintf("`%s` becomes a part of the program that %s runs", label, runner)).
		WithLabel("the value could be code")
}

var scriptProgramVariable = &Code{
	ID: "WFC555", Slug: "script-program-variable", Severity: Error,
	Doc: `A variable of a script holds a text with a value in it, and something runs that
variable as a program: eval, a shell, an interpreter, a database. See
script-program-text for why and for what to do instead.`,
	Bad:  scriptExample("bun", "import { execSync } from 'node:child_process'\nconst command = 'git log $a.output'\nexecSync(command)\n"),
	Good: scriptExample("bun", "import { execFileSync } from 'node:child_process'\nconst branch = '$a.output'\nexecFileSync('git', ['log', branch])\n"),
}

// ScriptProgramVariable reports a variable with a value in a text that is run.
func ScriptProgramVariable(at source.Span, variable, label, runner string) *Diagnostic {
	return scriptProgramVariable.new(at, fmt.Sprintf("`%s` holds `%s` and becomes a part of the program that %s runs", variable, label, runner)).
		WithLabel("the value could be code")
}

var scriptHoleInFormat = &Code{
	ID: "WFC556", Slug: "script-value-in-format", Severity: Error,
	Doc: `A value stands in a string that is filled in afterwards by % or by format.
Percent signs or braces in the value would be taken for places to fill: the
script fails, or shows what it should not.

Fill the value in too, or use an f-string for everything.`,
	Bad:  scriptExample("uv", "count = 3\nprint('%d lines: $a.output' % count)\n"),
	Good: scriptExample("uv", "count = 3\nprint(f'{count} lines: $a.output')\n"),
}

// ScriptHoleInFormat reports a value in a template of the script; operator is
// what fills it.
func ScriptHoleInFormat(at source.Span, label, operator string) *Diagnostic {
	if operator == "." {
		operator = ".format"
	}
	return scriptHoleInFormat.new(at, fmt.Sprintf("`%s` stands in a string that `%s` fills in", label, operator)).
		WithLabel("signs in the value would be places to fill")
}

var scriptStatementCuts = &Code{
	ID: "WFC557", Slug: "script-statement-cuts", Severity: Error,
	Doc: `A template statement has one end of a string, of a pair of brackets or of a
comment between its tags, and the other end elsewhere. What surrounds a value
then depends on which branches there are, so it cannot be told how to hand the
value over.

Put whole lines between the tags, or a part of the text of one string. A text
that is put together can be computed first, by set, and be inserted as one value;
and Python itself can choose: "x if flag else y".`,
	Bad: "name: greet\ninput: {name: line, loud: {type: bool, default: false}}\nsteps:\n" +
		"  - name: say\n    python: |\n      print({% if loud %}'HEY {{ name }}'){% else %}'hey'){% endif %}\n",
	Good: "name: greet\ninput: {name: line, loud: {type: bool, default: false}}\nsteps:\n" +
		"  - name: say\n    python: |\n      print({% if loud %}'HEY {{ name }}'{% else %}'hey'{% endif %})\n",
}

// ScriptStatementCuts reports a template statement that changes what surrounds
// the rest of a script; what names what it has only a part of.
func ScriptStatementCuts(at source.Span, what string) *Diagnostic {
	return scriptStatementCuts.new(at, "this statement cuts in two "+what).
		WithLabel("what is between its tags is not whole").
		WithHelp("put whole lines between the tags, or only text of one string; or compute the text first, `{% set text %}…{% endset %}`, and insert it: `'{{ text }}'`")
}

var scriptTooComplex = &Code{
	ID: "WFC558", Slug: "script-too-complex", Severity: Error,
	Doc: `The template statements of a script have so many branches that it cannot be
looked at with each of them. Its text is too long for an example.`,
	Good: scriptExample("uv", "print('done')\n"),
}

// ScriptTooComplex reports a script that is beyond analysis.
func ScriptTooComplex(at source.Span) *Diagnostic {
	return scriptTooComplex.new(at, "the script is too complex to be analysed: its template statements have too many branches").
		WithHelp("split the script over several steps, or decide in the script: `if '{{ mode }}' == 'fast': …`")
}

var scriptSyntax = &Code{
	ID: "WFC559", Slug: "script-syntax", Severity: Error,
	Doc: `The script is no Python: python3, which is asked where there is one, cannot
read it. The script would fail at this place when it runs, after the steps before
it have done their work. Nothing of it is run to find that out.`,
	Bad:  "name: sum\nsteps:\n  - name: add\n    python: |\n      total = 2\n      print('total=)\n",
	Good: "name: sum\nsteps:\n  - name: add\n    python: |\n      total = 2\n      print('total=' + str(total))\n",
}

// ScriptSyntax reports a script that its language cannot read; problem is what
// the language says of it.
func ScriptSyntax(at source.Span, problem string) *Diagnostic {
	return scriptSyntax.new(at, "the script is not Python: "+problem)
}

var scriptEscapedHole = &Code{
	ID: "WFC955", Slug: "script-escaped-reference", Severity: Note, Portability: true,
	Doc: `A backslash stands before a reference in a string of a script. It stays text
here, as a backslash before a dollar sign does in a shell; the original engine
inserts the value, the first character of which the backslash then escapes.`,
	Bad:  scriptExample("bun", "console.log('\\$a.output')\n"),
	Good: scriptExample("bun", "console.log('$a.output')\n"),
}

// ScriptEscapedHole notes a reference that a backslash keeps as text.
func ScriptEscapedHole(at source.Span, label string) *Diagnostic {
	return scriptEscapedHole.new(at, fmt.Sprintf("`%s` stays text because of the backslash before it", label))
}
