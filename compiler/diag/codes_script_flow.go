package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 56x: values that a script may run as code by a way that the analysis cannot
// follow to the end.

var scriptProgramUnknown = &Code{
	ID: "WFC560", Slug: "script-program-unknown", Severity: Error,
	Doc: `A script with a value in it runs a text as a program, and wfc cannot tell what
that text holds: it comes from a file, from another program, from the network or
from a parameter. The value may have been put there before, so the text counts as
hostile.

Run a fixed program, and hand data over as an argument in a list, as an SQL
parameter or on standard input.`,
	Bad:  scriptExample("uv", "import os\nopen('note.txt', 'w').write('$a.output')\nos.system(open('note.txt').read())\n"),
	Good: scriptExample("uv", "import subprocess\nopen('note.txt', 'w').write('$a.output')\nsubprocess.run(['sort', 'note.txt'])\n"),
}

// ScriptProgramUnknown reports a text of unknown content that is run; runner says
// what runs it, as in "`eval`".
func ScriptProgramUnknown(at source.Span, text, runner string) *Diagnostic {
	return scriptProgramUnknown.new(at, fmt.Sprintf("`%s` may hold a value and becomes a part of the program that %s runs", text, runner)).
		WithLabel("its content is not known")
}

var scriptCallUnknown = &Code{
	ID: "WFC561", Slug: "script-call-unknown", Severity: Error,
	Doc: `A script with a value in it chooses a function at run time, or hands a function
that runs code to another function. The value could reach eval, a shell or an
import that way: "getattr(module, name)(value)", "globalThis[name](value)",
"map(eval, values)".

Call the function by its name. To choose among functions of the script, look the
name up in a table of the script, or compare it in an "if".`,
	Bad:  scriptExample("bun", "const name = '$a.output'\nglobalThis[name]('1')\n"),
	Good: scriptExample("bun", "const jobs = { bug: () => 'fix', feature: () => 'plan' }\nconst kind = '$a.output'\nif (Object.hasOwn(jobs, kind)) console.log(jobs[kind]())\n"),
}

// ScriptCallUnknown reports a function that may run a value as code; function is
// how the script names it.
func ScriptCallUnknown(at source.Span, function string) *Diagnostic {
	return scriptCallUnknown.new(at, fmt.Sprintf("`%s` may run a value as code: it is chosen at run time or handed to another function", function)).
		WithLabel("wfc cannot tell what this runs").
		WithHelp("call a function by its name, or look it up in a table of the script")
}

var scriptEnvironment = &Code{
	ID: "WFC562", Slug: "script-environment", Severity: Error,
	Doc: `A script puts a value into an environment variable that names a program or a
file of code to other programs, such as PATH, PAGER, LD_PRELOAD or NODE_OPTIONS,
or lets a value choose the variable. A program that the script starts then runs
what the value names.

Set variables by fixed names that only carry data.`,
	Bad:  scriptExample("uv", "import os, subprocess\nos.environ['PAGER'] = '$a.output'\nsubprocess.run(['git', 'log'])\n"),
	Good: scriptExample("uv", "import os, subprocess\nos.environ['TITLE'] = '$a.output'\nsubprocess.run(['printenv', 'TITLE'])\n"),
}

// ScriptEnvironment reports a value in a variable that names a program.
func ScriptEnvironment(at source.Span, variable string) *Diagnostic {
	return scriptEnvironment.new(at, fmt.Sprintf("a value in the environment variable `%s` can choose the programs that run", variable)).
		WithLabel("the value could name a program").
		WithHelp("hand the value over in a variable with a fixed name that only carries data, or as an argument")
}

var scriptRunsFile = &Code{
	ID: "WFC563", Slug: "script-runs-file", Severity: Error,
	Doc: `A script writes a value to a file, and then runs or imports that file. The value
is the program then.

Write data to the file, and have a fixed program read it.`,
	Bad:  scriptExample("uv", "import subprocess\nopen('job.sh', 'w').write('$a.output')\nsubprocess.run(['sh', 'job.sh'])\n"),
	Good: scriptExample("uv", "import subprocess\nopen('job.txt', 'w').write('$a.output')\nsubprocess.run(['wc', '-l', 'job.txt'])\n"),
}

// ScriptRunsFile reports a file that holds a value and is run.
func ScriptRunsFile(at source.Span, file string) *Diagnostic {
	return scriptRunsFile.new(at, fmt.Sprintf("the script writes a value to `%s` and runs that file", file)).
		WithLabel("the value is the program here").
		WithHelp("write data to the file, and have a fixed program read it")
}

var scriptValueOption = &Code{
	ID: "WFC564", Slug: "script-value-option", Severity: Warning,
	Doc: `A script hands a value to a program that takes options anywhere among its
arguments, and some of its options run programs, such as --upload-pack of git. A
value that begins with a dash would be such an option.

End the options with "--" before the value, or begin the argument with fixed text.`,
	Bad:  scriptExample("uv", "import subprocess\nsubprocess.run(['git', 'fetch', '$a.output'])\n"),
	Good: scriptExample("uv", "import subprocess\nsubprocess.run(['git', 'fetch', '--', '$a.output'])\n"),
}

// ScriptValueOption warns of a value that a program may take for an option.
func ScriptValueOption(at source.Span, label, program string) *Diagnostic {
	return scriptValueOption.new(at, fmt.Sprintf("`%s` may be an option of `%s` that runs a program", label, program)).
		WithLabel("the value could begin with a dash")
}

var scriptTooLong = &Code{
	ID: "WFC565", Slug: "script-too-long", Severity: Error,
	Doc: `A script with a value in it is too long, or its parts depend on each other in too
many ways, for wfc to follow the value through it. Its text is too long for an
example.

Split the script over several steps, or move the part without values to a module.`,
	Good: scriptExample("uv", "print('done')\n"),
}

// ScriptTooLong reports a script through which a value cannot be followed.
func ScriptTooLong(at source.Span) *Diagnostic {
	return scriptTooLong.new(at, "the script is too long to follow the values in it").
		WithHelp("split the script over several steps, or move the part without values to a module")
}
