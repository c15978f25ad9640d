package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 2xx: structure: nodes, dependencies and the files they name.
var structureCodes = []*Code{
	noMode, severalModes, duplicateID, unknownDependency, selfDependency, dependencyCycle,
	commandName, commandNotFound, blankCommand, scriptNotFound, scriptRuntime, ambiguousScript, unreadableFile,
}

var noMode = &Code{
	ID: "WFC200", Slug: "no-mode", Severity: Error,
	Doc: `The node does not say what it does. A node has exactly one of command, prompt,
bash, script, loop, approval and cancel.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// NoMode reports a node that does nothing.
func NoMode(at source.Span, node string) *Diagnostic {
	return noMode.new(at, fmt.Sprintf("node %s does not say what it does", node)).
		WithHelp("give it one of `command`, `prompt`, `bash`, `script`, `loop`, `approval` and `cancel`")
}

var severalModes = &Code{
	ID: "WFC201", Slug: "several-modes", Severity: Error,
	Doc: `The node has more than one of command, prompt, bash, script, loop, approval
and cancel. A node does one thing; make two nodes of it.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    bash: echo hi\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n  - id: b\n    bash: echo hi\n",
}

// SeveralModes reports a node that does more than one thing.
func SeveralModes(at source.Span, node string, modes []string) *Diagnostic {
	return severalModes.new(at, fmt.Sprintf("node %s has %s, but a node does only one thing", node, joinAnd(modes))).
		WithHelp("make a node of each")
}

var duplicateID = &Code{
	ID: "WFC202", Slug: "duplicate-id", Severity: Error,
	Doc:  `Two nodes have the same id. An id names one node of the workflow.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n  - id: a\n    bash: echo ho\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo ho\n",
}

// DuplicateID reports an id that another node already has.
func DuplicateID(at source.Span, id string, first source.Span) *Diagnostic {
	return duplicateID.new(at, fmt.Sprintf("another node is already called `%s`", id)).
		WithRelated(first, "the first one")
}

var unknownDependency = &Code{
	ID: "WFC203", Slug: "unknown-dependency", Severity: Error,
	Doc: `A node depends on a node that does not exist. The entries of depends_on are
ids of the same file, written exactly alike, blanks included.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: build\n    bash: echo hi\n  - id: b\n    bash: echo ho\n    depends_on: [biuld]\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: build\n    bash: echo hi\n  - id: b\n    bash: echo ho\n    depends_on: [build]\n",
}

// UnknownDependency reports a dependency on a node that is not there; near is
// the id that was perhaps meant, or "".
func UnknownDependency(at source.Span, node, dependency, near string) *Diagnostic {
	d := unknownDependency.new(at, fmt.Sprintf("node %s depends on `%s`, but there is no such node", node, dependency))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d
}

var selfDependency = &Code{
	ID: "WFC204", Slug: "self-dependency", Severity: Error,
	Doc:  `A node depends on itself, so it could never start.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    depends_on: [a]\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// SelfDependency reports a node that depends on itself.
func SelfDependency(at source.Span, id string) *Diagnostic {
	return selfDependency.new(at, fmt.Sprintf("node `%s` depends on itself, so it can never start", id))
}

var dependencyCycle = &Code{
	ID: "WFC205", Slug: "dependency-cycle", Severity: Error,
	Doc: `Nodes wait for each other in a circle, so none of them could ever start. The
message shows the circle; remove one of its dependencies. To repeat work, use a
loop node.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    depends_on: [b]\n  - id: b\n    bash: echo ho\n    depends_on: [a]\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo ho\n    depends_on: [a]\n",
}

// DependencyCycle reports nodes that wait for each other; the path starts and
// ends with the same id, and each id waits for the next.
func DependencyCycle(at source.Span, path []string) *Diagnostic {
	return dependencyCycle.new(at, fmt.Sprintf("nodes wait for each other: `%s`", strings.Join(path, "` -> `"))).
		WithHelp("remove one of these dependencies")
}

var commandName = &Code{
	ID: "WFC206", Slug: "command-name", Severity: Error,
	Doc: `A command is the name of a command file without its .md, not a path: it may
hold neither / nor \ nor two dots in a row, and may not start with a dot.
Command files in a subfolder are found by their name alone.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    command: team/review\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: review\n",
}

// CommandName reports a text that cannot be the name of a command.
func CommandName(at source.Span, name string) *Diagnostic {
	return commandName.new(at, fmt.Sprintf("`%s` cannot be the name of a command: it is a file's name without `.md`, not a path", name)).
		WithHelp("a name has no `/`, `\\` or `..` and does not start with `.`; subfolders are searched too")
}

var commandNotFound = &Code{
	ID: "WFC207", Slug: "command-not-found", Severity: Warning,
	Doc: `There is no command file of that name. Command files end in .md and are looked
for in commands, .archon/commands, its folder defaults, the folders that
wfc.yaml names and .archon/commands in the home folder, and in the folders
directly inside them.

Command files become part of the compiled workflow. Without this one the node
fails when its turn comes.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    command: no-such-command\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// CommandNotFound reports a command without a file; near is the command that
// was perhaps meant, or "".
func CommandNotFound(at source.Span, name, near string) *Diagnostic {
	d := commandNotFound.new(at, fmt.Sprintf("there is no command `%s`", name))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d.WithHelp(fmt.Sprintf("it would be the file `.archon/commands/%s.md`", name))
}

var blankCommand = &Code{
	ID: "WFC208", Slug: "blank-command", Severity: Warning,
	Doc: `The command file holds no text apart from its front matter, so there is nothing
to ask the agent. The original engine fails the node when it gets there.`,
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// BlankCommand reports a command whose file holds nothing to ask.
func BlankCommand(at source.Span, name, file string) *Diagnostic {
	return blankCommand.new(at, fmt.Sprintf("the command `%s` is blank: `%s` holds nothing to ask", name, file))
}

var scriptNotFound = &Code{
	ID: "WFC209", Slug: "script-not-found", Severity: Warning,
	Doc: `A script that is a single word names a file: it is looked for in scripts,
.archon/scripts, the folders that wfc.yaml names and .archon/scripts in the home
folder, and in the folders directly inside them. There is none, so the node
fails when its turn comes.

A script is taken as a program, and not as a name, when it holds a line break, a
blank, a quote or one of ; ( ) { } & | < > $.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    script: no-such-script\n    runtime: bun\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    script: console.log(1)\n    runtime: bun\n",
}

// ScriptNotFound reports a named script without a file; near is the script
// that was perhaps meant, or "".
func ScriptNotFound(at source.Span, name, file, near string) *Diagnostic {
	d := scriptNotFound.new(at, fmt.Sprintf("there is no script `%s`", name))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d.WithHelp(fmt.Sprintf("it would be the file `%s`", file)).
		WithHelp("a program of one word needs a blank or a `;` to be told from a name")
}

var scriptRuntime = &Code{
	ID: "WFC210", Slug: "script-runtime", Severity: Error,
	Doc: `The named script exists, but it is a program for the other runtime: .ts and .js
files run with bun, .py files with uv.`,
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// ScriptRuntime reports a named script that is for another runtime.
func ScriptRuntime(at source.Span, name, runtime, file, right string) *Diagnostic {
	return scriptRuntime.new(at, fmt.Sprintf("the script `%s` is `%s`, which runs with `%s`, not with `%s`", name, file, right, runtime)).
		WithHelp(fmt.Sprintf("set `runtime: %s`", right))
}

var ambiguousScript = &Code{
	ID: "WFC211", Slug: "ambiguous-script", Severity: Error,
	Doc: `Two files of one folder could be the named script. Rename one of them, or name
the script with its extension.`,
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// AmbiguousScript reports a named script for which two files stand.
func AmbiguousScript(at source.Span, name string, files []string) *Diagnostic {
	return ambiguousScript.new(at, fmt.Sprintf("the script `%s` could be %s", name, joinOr(files))).
		WithHelp("name it with its extension")
}

var unreadableFile = &Code{
	ID: "WFC212", Slug: "unreadable-file", Severity: Error,
	Doc: `A file that the workflow names is there but cannot be read. The message gives
the system's reason.`,
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// UnreadableFile reports a file that the workflow needs and that cannot be
// read.
func UnreadableFile(at source.Span, file string, err error) *Diagnostic {
	return unreadableFile.new(at, fmt.Sprintf("cannot read `%s`: %v", file, err))
}

func joinAnd(names []string) string { return joinWord(names, " and ") }
func joinOr(names []string) string  { return joinWord(names, " or ") }

// joinWord lists names in backticks, the last two joined by a word.
func joinWord(names []string, word string) string {
	if len(names) == 0 {
		return ""
	}
	last := "`" + names[len(names)-1] + "`"
	if len(names) == 1 {
		return last
	}
	return quoteAll(names[:len(names)-1]) + word + last
}
