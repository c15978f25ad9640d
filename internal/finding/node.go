package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// NoMode reports a node without an action.
func NoMode(at source.Span, node string) *diag.Diagnostic {
	return codes.NodeAction.New(at, fmt.Sprintf("node %s has no action", node)).
		WithHelp("add one of `command`, `prompt`, `bash`, `script`, `loop`, `approval` and `cancel`")
}

// SeveralModes reports a node with several actions.
func SeveralModes(at source.Span, node string, modes []string) *diag.Diagnostic {
	return codes.NodeAction.New(at, fmt.Sprintf("node %s has %s", node, bothAnd(modes))).
		WithHelp("split it: a node does one thing")
}

// DuplicateID reports an id that an earlier node has.
func DuplicateID(at source.Span, id string, first source.Span) *diag.Diagnostic {
	return codes.DuplicateName.New(at, fmt.Sprintf("duplicate node id `%s`", id)).
		WithRelated(first, "first used here")
}

// ReservedID reports a node id that has another meaning in references.
func ReservedID(at source.Span, id string) *diag.Diagnostic {
	return codes.ReservedName.New(at, fmt.Sprintf("node id `%s` is reserved: `$%s.name` reads an input", id, id)).
		WithHelp("rename the node")
}

// StepID reports a node id that is, or could be, the key of a step of wfc: of another node's iterations and
// gates, or with the other id "" of the run.
func StepID(at source.Span, id, other string) *diag.Diagnostic {
	whose := "the run"
	if other != "" {
		whose = "node `" + other + "`"
	}
	return codes.ReservedName.New(at, fmt.Sprintf("node id `%s` is reserved for steps of %s", id, whose)).
		WithHelp("rename the node")
}

// UnknownDependency reports a dependency on an unknown node; near is the id that is
// probably meant, or "".
func UnknownDependency(at source.Span, node, dependency, near string) *diag.Diagnostic {
	return suggestNear(codes.UnknownNode.New(at, fmt.Sprintf("unknown node `%s` in `depends_on` of %s", dependency, node)), at, near)
}

// CommandName reports an invalid name of a command.
func CommandName(at source.Span, name string) *diag.Diagnostic {
	return codes.InvalidName.New(at, fmt.Sprintf("invalid command name `%s`: it must be a file name, not a path", name)).
		WithHelp("write the name without `.md`, `/`, `\\`, `..` or a leading `.`; wfc also searches subfolders")
}

// CommandNotFound reports a command without a file; near is the command that is
// probably meant, or "".
func CommandNotFound(at source.Span, name, file, near string) *diag.Diagnostic {
	return suggestNear(codes.MissingFile.New(at, fmt.Sprintf("unknown command `%s`", name)), at, near).WithHelp(fmt.Sprintf("create `%s`", file))
}

// BundledCommand reports a command without a file that Archon has, under this name or the name
// near, which would be file in the project. It offers no fix: that name has no file either.
func BundledCommand(at source.Span, name, near, file string) *diag.Diagnostic {
	d := codes.MissingFile.New(at, fmt.Sprintf("unknown command `%s`", name))
	if near != "" {
		return d.WithHelp(fmt.Sprintf("copy Archon's `.archon/commands/defaults/%s.md` to `%s` if `%s` means that command: wfc does not include it", near, file, name))
	}
	d.Shared = true
	return d.WithHelp("copy Archon's own commands, `.archon/commands/defaults` in its repository, to that folder of the project: wfc does not include them")
}

// BlankCommand reports a command whose file contains no prompt.
func BlankCommand(at source.Span, name, file string) *diag.Diagnostic {
	return codes.MissingFile.New(at, fmt.Sprintf("command `%s` has no prompt: `%s` is empty", name, file))
}

// ScriptNotFound reports a named script without a file; near is the script
// that is probably meant, or "".
func ScriptNotFound(at source.Span, name, file, near string) *diag.Diagnostic {
	return suggestNear(codes.MissingFile.New(at, fmt.Sprintf("unknown script `%s`", name)), at, near).WithHelp(fmt.Sprintf("create `%s`", file)).
		WithHelp("add a space or a `;` if the word is a program, not a file name")
}

// AmbiguousScript reports a script name that matches two files.
func AmbiguousScript(at source.Span, name string, files []string) *diag.Diagnostic {
	return codes.AmbiguousName.New(at, fmt.Sprintf("ambiguous script `%s`: it could be %s", name, joinOr(files))).
		WithHelp("add the file extension to the name")
}

// UnreadableFile reports a file that the workflow needs and wfc cannot read.
func UnreadableFile(at source.Span, file string, err error) *diag.Diagnostic {
	return codes.UnreadableFile.New(at, fmt.Sprintf("cannot read `%s`: %v", file, err))
}

// WaitFor reports a wait for nothing, or for several things.
func WaitFor(at source.Span, kinds []string) *diag.Diagnostic {
	message := "`wait` does not say for what to wait"
	if len(kinds) > 0 {
		message = fmt.Sprintf("`wait` has several keys of which it may have one: %s", quoteAll(kinds))
	}
	return codes.InvalidWait.New(at, message).WithHelp("give it one of `duration_ms`, `until`, `event` with `deadline_ms`, and `attention`")
}

// InvalidTime reports a time to wait for that is not one in UTC.
func InvalidTime(at source.Span, text string) *diag.Diagnostic {
	return codes.InvalidWait.New(at, fmt.Sprintf("`%s` is not a time in UTC", text)).WithHelp("write the time as in `2027-01-31T09:00:00Z`")
}

// NotOnWait reports a key that a wait cannot have.
func NotOnWait(at source.Span, key string) *diag.Diagnostic {
	return codes.InvalidWait.New(at, fmt.Sprintf("`wait` nodes cannot have `%s`", key)).WithHelp("remove it")
}

// InvalidDecision reports a fault in the decisions of a gate; why is a whole clause.
func InvalidDecision(at source.Span, why string) *diag.Diagnostic {
	return codes.InvalidDecisions.New(at, "invalid `decisions`: "+why).WithHelp("write them as in `decisions: [{id: approve}, {id: ask-again}]`")
}

// NotOnGroup reports a key that a loop_group cannot have.
func NotOnGroup(at source.Span, key string) *diag.Diagnostic {
	return codes.MisplacedNode.New(at, fmt.Sprintf("`loop_group` nodes cannot have `%s`", key)).
		WithHelp(fmt.Sprintf("write `%s` on the nodes inside", key))
}

// NotInGroup reports a node type that the body of a loop_group cannot have.
func NotInGroup(at source.Span, mode, group string) *diag.Diagnostic {
	return codes.MisplacedNode.New(at, fmt.Sprintf("`%s` nodes cannot be inside the loop_group `%s`", mode, group)).
		WithHelp("put the node before or after the `loop_group`")
}

// WaitInGroup reports a wait at a place of a body where it cannot be; why is a whole
// clause.
func WaitInGroup(at source.Span, group, why string) *diag.Diagnostic {
	return codes.MisplacedNode.New(at, fmt.Sprintf("this `wait` cannot be inside the loop_group `%s`: %s", group, why)).
		WithHelp("let all other nodes of the group come before the `wait`, in a group that is in no other one")
}

// PreviousOutsideGroup reports a reference to an output of the previous iteration in a
// string that belongs to no loop_group.
func PreviousOutsideGroup(at source.Span, ref string) *diag.Diagnostic {
	return codes.MisplacedNode.New(at, fmt.Sprintf("`%s` has a value only in the nodes of a loop_group", ref)).
		WithHelp("read the output of the `loop_group` node itself")
}

// UnknownResult reports a `returns` that names no node. If the workflow cannot do
// without it, that is an error.
func UnknownResult(at source.Span, id string, known []string, isError bool) *diag.Diagnostic {
	d := codes.UnknownNodeReference.New(at, fmt.Sprintf("unknown node `%s` in `returns`", id))
	if isError {
		d.Severity = diag.Error
	}
	offerNearestName(d, at, id, known)
	return d
}

// OutcomeField reports an `outcome_field` that is not a required bool of the result;
// why is a whole clause, and schema the place to change, if any.
func OutcomeField(at source.Span, why, help string, schema source.Span) *diag.Diagnostic {
	d := codes.BoolField.New(at, "invalid `outcome_field`: "+why).WithHelp(help)
	if schema.IsValid() {
		d.WithRelated(schema, "the schema of the result is here")
	}
	return d
}

// UndeclaredOutcome reports an `outcome_field` that the output of a node does not declare.
func UndeclaredOutcome(at source.Span, node, name string, declared []string, schema source.Span) *diag.Diagnostic {
	d := codes.BoolField.New(at, fmt.Sprintf("invalid `outcome_field`: `%s` declares no field `%s`", node, name)).
		WithRelated(schema, "the schema of the result is here")
	return offerOr(d, at, name, declared, "declare `"+name+": {type: boolean}` in its `properties`")
}

// UntilField reports an `until_field` that cannot end its loop; why is a whole clause, and
// schema the place to change, if any.
func UntilField(at source.Span, field, why string, schema source.Span) *diag.Diagnostic {
	d := codes.BoolField.New(at, "invalid `until_field`: "+why).
		WithHelp("declare `" + field + "` with `type: boolean` in the `output_format`, and add it to `required`")
	if schema.IsValid() {
		d.WithRelated(schema, "the schema is here")
	}
	return d
}

// ForkKey reports a key that only forks of Archon have.
func ForkKey(at source.Span, key string) *diag.Diagnostic {
	return codes.UnsupportedKey.New(at, "`"+key+"` is a key of forks: Archon does not have it")
}
