package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NoMode reports a node without an action.
func NoMode(at source.Span, node string) *diag.Diagnostic {
	return report("WFC200", at, fmt.Sprintf("node %s has no action", node)).
		WithHelp("add one of `command`, `prompt`, `bash`, `script`, `loop`, `approval` and `cancel`")
}

// SeveralModes reports a node with several actions.
func SeveralModes(at source.Span, node string, modes []string) *diag.Diagnostic {
	return report("WFC201", at, fmt.Sprintf("node %s has %s", node, bothAnd(modes))).
		WithHelp("split it: a node does one thing")
}

// DuplicateID reports an id that an earlier node has.
func DuplicateID(at source.Span, id string, first source.Span) *diag.Diagnostic {
	return report("WFC202", at, fmt.Sprintf("duplicate node id `%s`", id)).
		WithRelated(first, "first used here")
}

// UnknownDependency reports a dependency on an unknown node; near is the id that is
// probably meant, or "".
func UnknownDependency(at source.Span, node, dependency, near string) *diag.Diagnostic {
	d := report("WFC203", at, fmt.Sprintf("unknown node `%s` in `depends_on` of %s", dependency, node))
	offerNear(d, at, near)
	return d
}

// SelfDependency reports a node that depends on itself.
func SelfDependency(at source.Span, id string) *diag.Diagnostic {
	return report("WFC204", at, fmt.Sprintf("node `%s` depends on itself: it can never start", id))
}

// DependencyCycle reports nodes that depend on each other; the path starts and ends
// with the same id, and each id depends on the next.
func DependencyCycle(at source.Span, path []string) *diag.Diagnostic {
	return report("WFC205", at, fmt.Sprintf("nodes depend on each other: `%s`", strings.Join(path, "` -> `"))).
		WithHelp("remove one of these dependencies")
}

// CommandName reports an invalid name of a command.
func CommandName(at source.Span, name string) *diag.Diagnostic {
	return report("WFC206", at, fmt.Sprintf("invalid command name `%s`: it must be a file name, not a path", name)).
		WithHelp("write the name without `.md`, `/`, `\\`, `..` or a leading `.`; wfc also searches subfolders")
}

// CommandNotFound reports a command without a file; near is the command that is
// probably meant, or "".
func CommandNotFound(at source.Span, name, file, near string) *diag.Diagnostic {
	d := report("WFC207", at, fmt.Sprintf("unknown command `%s`", name))
	offerNear(d, at, near)
	return d.WithHelp(fmt.Sprintf("create `%s`", file))
}

// BlankCommand reports a command whose file contains no prompt.
func BlankCommand(at source.Span, name, file string) *diag.Diagnostic {
	return report("WFC208", at, fmt.Sprintf("command `%s` has no prompt: `%s` is empty", name, file))
}

// ScriptNotFound reports a named script without a file; near is the script
// that is probably meant, or "".
func ScriptNotFound(at source.Span, name, file, near string) *diag.Diagnostic {
	d := report("WFC209", at, fmt.Sprintf("unknown script `%s`", name))
	offerNear(d, at, near)
	return d.WithHelp(fmt.Sprintf("create `%s`", file)).
		WithHelp("add a space or a `;` if the word is a program, not a file name")
}

// ScriptRuntime reports a named script that is for another runtime.
func ScriptRuntime(at source.Span, name, runtime, file, right string) *diag.Diagnostic {
	return report("WFC210", at, fmt.Sprintf("script `%s` is `%s`, which runs with `%s`, not with `%s`", name, file, right, runtime)).
		WithHelp(fmt.Sprintf("set `runtime: %s`", right))
}

// AmbiguousScript reports a script name that matches two files.
func AmbiguousScript(at source.Span, name string, files []string) *diag.Diagnostic {
	return report("WFC211", at, fmt.Sprintf("ambiguous script `%s`: it could be %s", name, joinOr(files))).
		WithHelp("add the file extension to the name")
}

// UnreadableFile reports a file that the workflow needs and wfc cannot read.
func UnreadableFile(at source.Span, file string, err error) *diag.Diagnostic {
	return report("WFC212", at, fmt.Sprintf("cannot read `%s`: %v", file, err))
}

// bothAnd is joinAnd with "both" before two names.
func bothAnd(names []string) string {
	if len(names) == 2 {
		return "both " + joinAnd(names)
	}
	return joinAnd(names)
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
