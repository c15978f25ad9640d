package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NoMode reports a node that does nothing.
func NoMode(at source.Span, node string) *diag.Diagnostic {
	return report("WFC200", at, fmt.Sprintf("node %s does not say what it does", node)).
		WithHelp("give it one of `command`, `prompt`, `bash`, `script`, `loop`, `approval` and `cancel`")
}

// SeveralModes reports a node that does more than one thing.
func SeveralModes(at source.Span, node string, modes []string) *diag.Diagnostic {
	return report("WFC201", at, fmt.Sprintf("node %s has %s, but a node does only one thing", node, joinAnd(modes))).
		WithHelp("make a node of each")
}

// DuplicateID reports an id that another node already has.
func DuplicateID(at source.Span, id string, first source.Span) *diag.Diagnostic {
	return report("WFC202", at, fmt.Sprintf("another node is already called `%s`", id)).
		WithRelated(first, "the first one")
}

// UnknownDependency reports a dependency on a node that is not there; near is
// the id that was perhaps meant, or "".
func UnknownDependency(at source.Span, node, dependency, near string) *diag.Diagnostic {
	d := report("WFC203", at, fmt.Sprintf("node %s depends on `%s`, but there is no such node", node, dependency))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d
}

// SelfDependency reports a node that depends on itself.
func SelfDependency(at source.Span, id string) *diag.Diagnostic {
	return report("WFC204", at, fmt.Sprintf("node `%s` depends on itself, so it can never start", id))
}

// DependencyCycle reports nodes that wait for each other; the path starts and
// ends with the same id, and each id waits for the next.
func DependencyCycle(at source.Span, path []string) *diag.Diagnostic {
	return report("WFC205", at, fmt.Sprintf("nodes wait for each other: `%s`", strings.Join(path, "` -> `"))).
		WithHelp("remove one of these dependencies")
}

// CommandName reports a text that cannot be the name of a command.
func CommandName(at source.Span, name string) *diag.Diagnostic {
	return report("WFC206", at, fmt.Sprintf("`%s` cannot be the name of a command: it is a file's name without `.md`, not a path", name)).
		WithHelp("a name has no `/`, `\\` or `..` and does not start with `.`; subfolders are searched too")
}

// CommandNotFound reports a command without a file; near is the command that
// was perhaps meant, or "".
func CommandNotFound(at source.Span, name, near string) *diag.Diagnostic {
	d := report("WFC207", at, fmt.Sprintf("there is no command `%s`", name))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d.WithHelp(fmt.Sprintf("it would be the file `.archon/commands/%s.md`", name))
}

// BlankCommand reports a command whose file holds nothing to ask.
func BlankCommand(at source.Span, name, file string) *diag.Diagnostic {
	return report("WFC208", at, fmt.Sprintf("the command `%s` is blank: `%s` holds nothing to ask", name, file))
}

// ScriptNotFound reports a named script without a file; near is the script
// that was perhaps meant, or "".
func ScriptNotFound(at source.Span, name, file, near string) *diag.Diagnostic {
	d := report("WFC209", at, fmt.Sprintf("there is no script `%s`", name))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d.WithHelp(fmt.Sprintf("it would be the file `%s`", file)).
		WithHelp("a program of one word needs a blank or a `;` to be told from a name")
}

// ScriptRuntime reports a named script that is for another runtime.
func ScriptRuntime(at source.Span, name, runtime, file, right string) *diag.Diagnostic {
	return report("WFC210", at, fmt.Sprintf("the script `%s` is `%s`, which runs with `%s`, not with `%s`", name, file, right, runtime)).
		WithHelp(fmt.Sprintf("set `runtime: %s`", right))
}

// AmbiguousScript reports a named script for which two files stand.
func AmbiguousScript(at source.Span, name string, files []string) *diag.Diagnostic {
	return report("WFC211", at, fmt.Sprintf("the script `%s` could be %s", name, joinOr(files))).
		WithHelp("name it with its extension")
}

// UnreadableFile reports a file that the workflow needs and that cannot be
// read.
func UnreadableFile(at source.Span, file string, err error) *diag.Diagnostic {
	return report("WFC212", at, fmt.Sprintf("cannot read `%s`: %v", file, err))
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
