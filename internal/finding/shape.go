package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NotMapping reports a file whose top level is not a mapping; got says what
// it is instead.
func NotMapping(at source.Span, got string) *diag.Diagnostic {
	return report("WFC110", at, fmt.Sprintf("a workflow is a mapping of keys such as `name` and `nodes`, but this file is %s", got))
}

// SeveralDocuments reports where a second YAML document of a file starts.
func SeveralDocuments(at source.Span) *diag.Diagnostic {
	return report("WFC111", at, "a second document starts here, but a file holds one workflow").
		WithHelp("move what follows to a file of its own")
}

// MissingKey reports a required key that is not there; where says in what, as
// "the workflow" or "`loop`".
func MissingKey(at source.Span, key, where string) *diag.Diagnostic {
	return report("WFC112", at, fmt.Sprintf("%s has no `%s`, which is required", where, key))
}

// WrongKind reports a value of another kind than the wanted one.
func WrongKind(at source.Span, path, want, got string) *diag.Diagnostic {
	return report("WFC113", at, fmt.Sprintf("`%s` must be %s, not %s", path, want, got))
}

// UnknownValue reports a text that is none of the values that a key takes.
func UnknownValue(at source.Span, path, got string, valid []string) *diag.Diagnostic {
	d := report("WFC114", at, fmt.Sprintf("`%s` cannot be `%s`; it is one of %s", path, got, quoteAll(valid)))
	if near := Nearest(got, valid); near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near))
	}
	return d
}

// OutOfRange reports a number that its key does not allow; want says which
// ones it does, as "a whole number from 1 to 5".
func OutOfRange(at source.Span, path, got, want string) *diag.Diagnostic {
	return report("WFC115", at, fmt.Sprintf("`%s` is %s, but must be %s", path, got, want))
}

// EmptyValue reports an empty or blank value that must hold something.
func EmptyValue(at source.Span, path string) *diag.Diagnostic {
	return report("WFC116", at, fmt.Sprintf("`%s` is empty, but must not be", path))
}

// UnknownKey reports a key that no place knows; where says where it stands, as
// "on a node".
func UnknownKey(at source.Span, key, where string) *diag.Diagnostic {
	return report("WFC117", at, fmt.Sprintf("`%s` is no key %s; it is ignored", key, where))
}

// MisspeltKey reports a key that its place does not know and that is nearly near,
// which it does know; where says where it stands, as "on a node".
func MisspeltKey(at source.Span, key, where, near string) *diag.Diagnostic {
	return report("WFC125", at, fmt.Sprintf("unknown key `%s` %s", key, where)).
		WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
		WithFix(fmt.Sprintf("rename it to `%s`", near), at, near, false)
}

// MisplacedKey reports a key that is valid elsewhere; where says where it
// stands and homes where it is valid, as "under `loop:`".
func MisplacedKey(at source.Span, key, where string, homes []string) *diag.Diagnostic {
	return report("WFC118", at, fmt.Sprintf("`%s` is no key %s; it is ignored", key, where)).
		WithHelp(fmt.Sprintf("`%s` is valid %s", key, strings.Join(homes, " and ")))
}

// NewerKey reports a key of a newer version of the format; instead says what
// to use meanwhile, or is "".
func NewerKey(at source.Span, key, instead string) *diag.Diagnostic {
	d := report("WFC119", at, fmt.Sprintf("`%s` belongs to a newer version of the format and is ignored", key))
	if instead != "" {
		d.WithHelp(instead)
	}
	return d
}

// NewerNodeType reports a node of a type that is not supported yet.
func NewerNodeType(at source.Span, mode string) *diag.Diagnostic {
	return report("WFC120", at, fmt.Sprintf("`%s` nodes are not supported yet", mode)).
		WithHelp("supported are `command`, `prompt`, `bash`, `script`, `loop`, `approval` and `cancel`")
}

// DroppedValue reports a setting that is dropped because of its value; reason
// is a whole clause.
func DroppedValue(at source.Span, reason string) *diag.Diagnostic {
	return report("WFC121", at, reason+"; it is dropped")
}

// RemovedSteps reports a workflow that is written in steps.
func RemovedSteps(at source.Span) *diag.Diagnostic {
	return report("WFC122", at, "`steps` is no longer part of the format; a workflow consists of `nodes`").
		WithHelp("turn each step into a node with an `id`, and name the one before it in `depends_on`")
}

// BlankMode reports a blank mode key beside the one that counts.
func BlankMode(at source.Span, key, mode string) *diag.Diagnostic {
	return report("WFC123", at, fmt.Sprintf("`%s` is blank and ignored; this is a `%s` node", key, mode))
}

// NoEffect reports a key without effect; because is a whole clause.
func NoEffect(at source.Span, path, because string) *diag.Diagnostic {
	return report("WFC124", at, fmt.Sprintf("`%s` has no effect: %s", path, because))
}

// quoteAll lists names in backticks.
func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	return strings.Join(quoted, ", ")
}
