package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 50x to 54x: bash scripts; 95x: where the original engine treats them otherwise.
var shellCodes = []*Code{
	shellSyntax, shellUnreadable, shellTooComplex,
	shellHoleAsName, shellHoleAsCommand, shellHoleAsDelimiter, shellHoleInRange, shellHoleUndecided, shellStatementCuts,
	shellProgramText, shellProgramInput, shellProgramFile, shellInnerProgram, shellKeyEvaluated, shellValueAsOption, shellMaybeOption, shellWrittenProgram,
	shellArithmeticType, shellArithmeticVariable,
	shellUnquotedVariable,
	shellEscapedHole, shellQuotedHole,
}

// shellExample is a workflow with one script that reads a field of an agent's
// answer, around which the examples of this family are built.
func shellExample(script string) string {
	const head = "name: example\ndescription: an example\nnodes:\n" +
		"  - id: classify\n    prompt: Classify the issue.\n" +
		"    output_format:\n      type: object\n      properties:\n        kind: {type: string}\n        count: {type: integer}\n        urgent: {type: boolean}\n      required: [kind, count, urgent]\n" +
		"  - id: act\n    depends_on: [classify]\n    bash: |\n"
	return head + indent(script)
}

func indent(script string) string {
	var out []byte
	start := true
	for i := range len(script) {
		if start && script[i] != '\n' {
			out = append(out, "      "...)
		}
		out = append(out, script[i])
		start = script[i] == '\n'
	}
	if !start {
		out = append(out, '\n')
	}
	return string(out)
}

var shellSyntax = &Code{
	ID: "WFC500", Slug: "shell-syntax", Severity: Error,
	Doc: `The script is not bash: neither the parser here nor bash itself can read it.

The script would fail at this place when it runs, after the nodes before it
have done their work.`,
	Bad:  shellExample("if [ -f go.mod ]; then\n  go test ./...\n"),
	Good: shellExample("if [ -f go.mod ]; then\n  go test ./...\nfi\n"),
}

// ShellSyntax reports a script that is not bash.
func ShellSyntax(at source.Span, problem string) *Diagnostic {
	return shellSyntax.new(at, "the script is not bash: "+problem)
}

var shellUnreadable = &Code{
	ID: "WFC501", Slug: "shell-unreadable", Severity: Error,
	Doc: `Bash accepts the script, but the parser here does not, and the script holds a
reference. Where a value may stand safely depends on what bash makes of the
text around it, so a script that cannot be read cannot be given values.

Write the construct in another way, or move it to a node without references.`,
	Bad:  shellExample("declare -A names=([bug report]=bug)\necho \"${names[$classify.output.kind]}\"\n"),
	Good: shellExample("declare -A names=([\"bug report\"]=bug)\necho \"${names[$classify.output.kind]}\"\n"),
}

// ShellUnreadable reports a reference in a script that only bash can read.
func ShellUnreadable(at source.Span, label, problem string) *Diagnostic {
	return shellUnreadable.new(at, fmt.Sprintf("`%s` stands in a script that cannot be analysed: %s", label, problem)).
		WithLabel("no value can be placed safely").
		WithHelp("write that construct in another way, or move it to a node without references")
}

var shellTooComplex = &Code{
	ID: "WFC502", Slug: "shell-too-complex", Severity: Error,
	Doc: `The script cannot be analysed: it nests commands, substitutions or expressions
thousands of levels deep, or hundreds of different values meet in one variable.
Its text is too long for an example.`,
	Good: shellExample("echo done\n"),
}

// ShellTooComplex reports a script that is beyond analysis, and why.
func ShellTooComplex(at source.Span, why string) *Diagnostic {
	return shellTooComplex.new(at, "the script is too complex to be analysed: "+why).
		WithHelp("split the script over several nodes or functions")
}

var shellHoleAsName = &Code{
	ID: "WFC503", Slug: "shell-value-as-name", Severity: Error,
	Doc: `A value stands where bash reads a name: of a variable, a function, a loop's
variable, a file descriptor.

Bash evaluates such names: a text such as "x[$(command)]" taken for the name of
a variable runs the command. Names have to be fixed; a value can be the value of
a variable, the key of an array with text keys, or an argument.`,
	Bad:  shellExample("read -r $classify.output.kind < list.txt\n"),
	Good: shellExample("read -r first < list.txt\necho $classify.output.kind \"$first\"\n"),
}

// ShellHoleAsName reports a value used as a name. subject is the value in
// messages, what the kind of name.
func ShellHoleAsName(at source.Span, subject, what string) *Diagnostic {
	return shellHoleAsName.new(at, fmt.Sprintf("%s is used as %s", subject, what)).WithLabel("a name must be fixed")
}

var shellHoleAsCommand = &Code{
	ID: "WFC504", Slug: "shell-value-as-command", Severity: Error,
	Doc: `A command consists of a value alone, so that the value chooses which program
runs. Name the program in the script and pass the value to it, or choose among
fixed commands with a case statement.`,
	Bad:  shellExample("$classify.output.kind\n"),
	Good: shellExample("case $classify.output.kind in\n  test) make test ;;\n  lint) make lint ;;\nesac\n"),
}

// ShellHoleAsCommand reports a value in place of a command's name.
func ShellHoleAsCommand(at source.Span, subject, label string) *Diagnostic {
	return shellHoleAsCommand.new(at, fmt.Sprintf("%s is the command itself", subject)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose among fixed commands: `case " + label + " in test) make test ;; esac`").
		WithHelp("to print the value: `printf '%s\\n' " + label + "`")
}

var shellHoleAsDelimiter = &Code{
	ID: "WFC505", Slug: "shell-value-as-delimiter", Severity: Error,
	Doc: `The delimiter of a here-document is a value. Bash expands nothing in a
delimiter, so it would never match; and a value that did would end the document
wherever it liked.`,
	Bad:  shellExample("cat <<$classify.output.kind\ntext\nEND\n"),
	Good: shellExample("cat <<END\n$classify.output.kind\nEND\n"),
}

// ShellHoleAsDelimiter reports a value as the delimiter of a here-document.
func ShellHoleAsDelimiter(at source.Span, label string) *Diagnostic {
	return shellHoleAsDelimiter.new(at, fmt.Sprintf("`%s` is the delimiter of a here-document", label)).
		WithLabel("a delimiter must be a fixed word").
		WithHelp("use a fixed delimiter and put the value into the text: `cat <<END`, `" + label + "`, `END`").
		WithHelp("to pass the value as input: `cat <<< " + label + "`")
}

var shellHoleInRange = &Code{
	ID: "WFC506", Slug: "shell-value-in-range", Severity: Error,
	Doc: `A value stands in a range such as {1..5}. Bash expands ranges before
variables, so that a range with a variable in it stays text.`,
	Bad:  shellExample("for i in {1..$classify.output.count}; do echo \"$i\"; done\n"),
	Good: shellExample("for ((i = 1; i <= $classify.output.count; i++)); do echo \"$i\"; done\n"),
}

// ShellHoleInRange reports a value in a brace range.
func ShellHoleInRange(at source.Span, label string) *Diagnostic {
	return shellHoleInRange.new(at, fmt.Sprintf("`%s` is part of a range `{…}`, which bash expands before any value is known", label)).
		WithLabel("ranges must be fixed").
		WithHelp("count in a loop: `for ((i = 1; i <= " + label + "; i++)); do …`")
}

var shellHoleUndecided = &Code{
	ID: "WFC507", Slug: "shell-value-undecided", Severity: Error,
	Doc: `A value stands where it cannot be told what bash will do with it. Put the
value into a variable first and use the variable: value=$node.output.`,
	Bad:  shellExample("shopt -s extglob\nx=$(date)\n[[ $x == @(\"${x}\"|$classify.output.kind) ]]\n"),
	Good: shellExample("x=$(date)\n[[ $x == $classify.output.kind ]]\n"),
}

// ShellHoleUndecided reports a value at an undecidable place.
func ShellHoleUndecided(at source.Span, label, where string) *Diagnostic {
	return shellHoleUndecided.new(at, fmt.Sprintf("`%s` stands %s", label, where)).
		WithHelp("put the value into a variable first, `value=" + label + "`, and use `\"$value\"`")
}

var shellStatementCuts = &Code{
	ID: "WFC508", Slug: "shell-statement-cuts", Severity: Error,
	Doc: `A template statement has one end of a quoted text, of a here-document, of an if
or of another construct of the script between its tags, and the other end
elsewhere. What surrounds a value then depends on which branches there are, so it
cannot be told how to hand the value over.

Put whole commands between the tags, or a part of the text of one quote or
here-document. A text that is put together can be computed first, by set, and be
inserted as one value.`,
	Bad: "name: greet\ninput: {name: line, loud: {type: bool, default: false}}\nsteps:\n" +
		"  - name: say\n    bash: |\n      echo {% if loud %}\"HEY {% endif %}{{ name }}{% if loud %}!\"{% endif %}\n",
	Good: "name: greet\ninput: {name: line, loud: {type: bool, default: false}}\nsteps:\n" +
		"  - name: say\n    bash: |\n      echo \"{% if loud %}HEY {% endif %}{{ name }}{% if loud %}!{% endif %}\"\n",
}

// ShellStatementCuts reports a template statement that changes what surrounds
// the rest of a script; what names what it has only a part of.
func ShellStatementCuts(at source.Span, what string) *Diagnostic {
	return shellStatementCuts.new(at, "this statement cuts in two "+what).
		WithLabel("what is between its tags is not whole").
		WithHelp("put whole commands between the tags, or only text of one quote or here-document; or compute the text first, `{% set text %}…{% endset %}`, and insert it: `\"{{ text }}\"`")
}

var shellProgramText = &Code{
	ID: "WFC510", Slug: "shell-value-as-code", Severity: Error,
	Doc: `A value becomes part of a program's text: the argument of eval, of "bash -c",
of "python -c", the script of awk or sed, the filter of jq, an SQL statement.

The interpreter would run whatever the value says, and no quoting in bash
changes that: an agent's answer, an issue's title or a file's content would be
executed. Give the program a fixed text and pass the value as data: an argument,
a variable of the interpreter, or its input.

The same holds for a variable that was assigned such a value before.`,
	Bad:  shellExample("bash -c \"deploy $classify.output.kind\"\n"),
	Good: shellExample("bash -c 'deploy \"$1\"' _ $classify.output.kind\n"),
}

// ShellProgramText reports a value inside a program's text. subject is the
// value in messages, program the command that runs it.
func ShellProgramText(at source.Span, subject, program string) *Diagnostic {
	return shellProgramText.new(at, fmt.Sprintf("%s becomes part of the program that %s runs", subject, program)).
		WithLabel("the value would be run as code")
}

var shellProgramInput = &Code{
	ID: "WFC511", Slug: "shell-value-into-interpreter", Severity: Error,
	Doc: `A value reaches the input of an interpreter that reads its program there:
through a pipe, a here-document, a here-string or a process substitution. It
would be run as code; see shell-value-as-code.`,
	Bad:  shellExample("echo \"deploy $classify.output.kind\" | bash\n"),
	Good: shellExample("deploy $classify.output.kind\n"),
}

// ShellProgramInput reports a value in the input of an interpreter.
func ShellProgramInput(at source.Span, subject, program string) *Diagnostic {
	return shellProgramInput.new(at, fmt.Sprintf("%s is fed to %s, which runs its input as a program", subject, program)).
		WithLabel("the value would be run as code")
}

var shellProgramFile = &Code{
	ID: "WFC512", Slug: "shell-value-as-script", Severity: Error,
	Doc: `A value chooses the file that is run as a program: "source $file",
"bash $file", "python $file". Choose among fixed files with a case statement.`,
	Bad:  shellExample("source $classify.output.kind\n"),
	Good: shellExample("case $classify.output.kind in\n  bug) source ./bug.sh ;;\n  *) source ./other.sh ;;\nesac\n"),
}

// ShellProgramFile reports a value that chooses a script to run.
func ShellProgramFile(at source.Span, subject, program, label string) *Diagnostic {
	return shellProgramFile.new(at, fmt.Sprintf("%s chooses the file that %s runs", subject, program)).
		WithLabel("the value would choose the program that runs").
		WithHelp("choose among fixed files: `case " + label + " in bug) " + "source ./bug.sh ;; esac`")
}

var shellArithmeticType = &Code{
	ID: "WFC520", Slug: "shell-arithmetic-type", Severity: Error,
	Doc: `Bash evaluates a value as arithmetic, but the value's type says that it is
never a whole number, the only kind that bash can calculate with.`,
	Bad:  shellExample("(( $classify.output.urgent > 0 )) && echo urgent\n"),
	Good: shellExample("[[ $classify.output.urgent == true ]] && echo urgent\n(( $classify.output.count > 0 )) && echo some\n"),
}

// ShellArithmeticType reports a value in arithmetic that is never a number.
func ShellArithmeticType(at source.Span, label, typ string) *Diagnostic {
	return shellArithmeticType.new(at, fmt.Sprintf("`%s` has the type %s, and bash calculates with whole numbers only", label, typ)).
		WithLabel("evaluated as arithmetic").
		WithHelp("compare it as text: `[[ " + label + " == … ]]`")
}

var shellArithmeticVariable = &Code{
	ID: "WFC521", Slug: "shell-arithmetic-variable", Severity: Error,
	Doc: `Bash evaluates a value as arithmetic where no guard can stand before it: a
command assigns it to an integer variable (declare -i, RANDOM), or a program inside
the script calculates with it. Arithmetic runs code: the text "x[$(command)]"
executes the command, with or without quotes.

Everywhere else wfc lets scripts calculate with any variable. It checks the
variable's text when the script runs, and fails the node unless the text is an
integer. So assign the value to a plain variable first.`,
	Bad:  shellExample("declare -i count\nread -r count <<< \"$ARGUMENTS\"\n"),
	Good: shellExample("read -r count <<< \"$ARGUMENTS\"\n(( count > 3 )) && echo many\n"),
}

// ShellArithmeticVariable reports a value in arithmetic that cannot be guarded.
func ShellArithmeticVariable(at source.Span, subject, name string) *Diagnostic {
	return shellArithmeticVariable.new(at, fmt.Sprintf("%s is evaluated as arithmetic, which runs commands that its text may hold", subject)).
		WithLabel("the value would be run as code").
		WithHelp("assign the value to a plain variable and calculate with that: `value=…; " + name + "=$value`")
}

var shellUnquotedVariable = &Code{
	ID: "WFC530", Slug: "shell-unquoted-variable", Severity: Warning,
	Doc: `A variable with a text from outside stands without quotes, so that bash splits
it at blanks and expands * and ? in it to file names: "fix *.go" becomes many
arguments, each a file of the folder.`,
	Bad:  shellExample("echo $ARGUMENTS\n"),
	Good: shellExample("echo \"$ARGUMENTS\"\n"),
}

// ShellUnquotedVariable reports a variable that bash would split.
func ShellUnquotedVariable(at source.Span, name string) *Diagnostic {
	return shellUnquotedVariable.new(at, fmt.Sprintf("`$%s` without quotes is split at blanks, and `*` and `?` in it become file names", name)).
		WithLabel("not quoted")
}

var shellEscapedHole = &Code{
	ID: "WFC950", Slug: "shell-escaped-reference", Severity: Note, Portability: true,
	Doc: `A reference after a backslash is text: bash takes the dollar sign literally.
The original engine does not look at the backslash and inserts the value.`,
	Bad:  shellExample("echo \"write \\$classify.output.kind\"\n"),
	Good: shellExample("echo $classify.output.kind\n"),
}

// ShellEscapedHole notes a reference that a backslash makes text.
func ShellEscapedHole(at source.Span, label string) *Diagnostic {
	return shellEscapedHole.new(at, fmt.Sprintf("`%s` after a backslash stays text; the original engine inserts the value", label))
}

var shellQuotedHole = &Code{
	ID: "WFC951", Slug: "shell-quoted-reference", Severity: Note, Portability: true,
	Doc: `A reference stands inside quotes or a here-document. Its value arrives there
unchanged. The original engine puts single quotes of its own around the value,
which become part of the text.`,
	Bad:  shellExample("echo \"kind: $classify.output.kind\"\n"),
	Good: shellExample("echo kind: $classify.output.kind\n"),
}

// ShellQuotedHole notes a reference inside quotes.
func ShellQuotedHole(at source.Span, label, where string) *Diagnostic {
	return shellQuotedHole.new(at, fmt.Sprintf("`%s` stands in %s, where the original engine adds quotes of its own to the value", label, where))
}

var shellInnerProgram = &Code{
	ID: "WFC513", Slug: "shell-inner-program", Severity: Error,
	Doc: `A fixed program inside the script runs a value: the text of "bash -c", of eval
or trap, a here-document that a shell reads. The program gets the value as an
argument or a variable and evaluates it: as a command, as a name, in arithmetic.

Arithmetic counts because bash runs commands that the text of a variable holds.
In the script itself a guard stands before it, but not in programs inside it.
Calculate in the script and pass the result, or treat the value as text.`,
	Bad:  shellExample("bash -c '(( $1 > 3 )) && echo many' _ \"$classify.output.kind\"\n"),
	Good: shellExample("n=$classify.output.kind\nif (( n > 3 )); then bash -c 'echo many'; fi\n"),
}

// ShellInnerProgram reports a fault of a program inside a script: its message and
// its code.
func ShellInnerProgram(at source.Span, program, message string, code *Code) *Diagnostic {
	return shellInnerProgram.new(at, fmt.Sprintf("the program that %s runs evaluates a value: %s (%s)", program, message, code.ID)).
		WithLabel("this program runs the value").
		WithHelp("treat the value as text in the inner program, or calculate in the script and pass the result")
}

var shellKeyEvaluated = &Code{
	ID: "WFC514", Slug: "shell-key-evaluated", Severity: Error,
	Doc: `Arithmetic reads the key of an array with text keys twice: bash puts the text of
the key into the expression and evaluates the whole. A key such as
"a]+x[$(command)" runs the command. Read the element by ${…}, which takes the key
as text, and assign outside of arithmetic.`,
	Bad:  shellExample("declare -A seen\nk=$classify.output.kind\n(( seen[$k]++ ))\n"),
	Good: shellExample("declare -A seen\nk=$classify.output.kind\nseen[$k]=$(( ${seen[$k]:-0} + 1 ))\n"),
}

// ShellKeyEvaluated reports a hostile key of an array in arithmetic.
func ShellKeyEvaluated(at source.Span, subject, array, label string) *Diagnostic {
	return shellKeyEvaluated.new(at, fmt.Sprintf("%s is a key of `%s` in arithmetic, which evaluates the text of the key", subject, array)).
		WithLabel("the value would be run as code").
		WithHelp("read the element as text: `" + array + "[" + label + "]=$(( ${" + array + "[" + label + "]:-0} + 1 ))`")
}

var shellValueAsOption = &Code{
	ID: "WFC515", Slug: "shell-value-as-option", Severity: Error,
	Doc: `A program may take a value for an option, and has options that run programs:
"ssh $host" with the value "-oProxyCommand=…", "tar xf a.tar $file" with
"--to-command=…", "git clone $url" with "--upload-pack=…".

Put "--" before the value: no program reads options behind it. Where a program
does not know "--", begin the word with something fixed, as in "./$path".`,
	Bad:  shellExample("git clone $classify.output.kind work\n"),
	Good: shellExample("git clone -- $classify.output.kind work\n"),
}

// ShellValueAsOption reports a value that a program may take for an option which
// runs a program. noDashes says that `--` does not help.
func ShellValueAsOption(at source.Span, subject, program, label string, noDashes bool) *Diagnostic {
	d := shellValueAsOption.new(at, fmt.Sprintf("`%s` takes %s for an option if it begins with a dash, and has options that run programs", program, subject)).
		WithLabel("may be an option")
	if noDashes {
		return d.WithHelp("begin the word with fixed text: `./" + label + "`")
	}
	return d.WithHelp("put `--` before the value: `" + program + " … -- " + label + "`")
}

var shellMaybeOption = &Code{
	ID: "WFC516", Slug: "shell-value-may-be-option", Severity: Warning,
	Doc: `A program may take a value for an option if it begins with a dash, and some
options of this program run others. Put "--" before the value.

The key "programs" in wfc.yaml says which options of a project's own programs run
text; see the guide on configuration.`,
	Bad:  shellExample("sort $classify.output.kind\n"),
	Good: shellExample("sort -- $classify.output.kind\n"),
}

// ShellMaybeOption reports a value that a program may take for an option.
func ShellMaybeOption(at source.Span, subject, program, label string) *Diagnostic {
	return shellMaybeOption.new(at, fmt.Sprintf("`%s` takes %s for an option if it begins with a dash", program, subject)).
		WithLabel("may be an option").
		WithHelp("put `--` before the value: `" + program + " … -- " + label + "`")
}

var shellWrittenProgram = &Code{
	ID: "WFC517", Slug: "shell-written-program", Severity: Error,
	Doc: `The script writes a value into a file and runs the file: as a script, with
source, as a Makefile, or by making it executable. Whatever the value says is run.

Write a fixed program and give it the value as an argument, or keep the value in a
file of its own that the program reads as data.`,
	Bad:  shellExample("echo \"deploy $classify.output.kind\" > run.sh\nbash run.sh\n"),
	Good: shellExample("printf '%s\\n' \"$classify.output.kind\" > kind.txt\nbash deploy.sh kind.txt\n"),
}

// ShellWrittenProgram reports a program that the script has written a value into.
func ShellWrittenProgram(at source.Span, file, subject, program string, from source.Span) *Diagnostic {
	return shellWrittenProgram.new(at, fmt.Sprintf("%s runs `%s`, into which the script has written %s", program, file, subject)).
		WithLabel("the value would be run as code").
		WithRelated(from, "written here").
		WithHelp("write a fixed program and pass the value to it as an argument")
}
