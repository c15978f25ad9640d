package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// YAMLSyntax reports a file that is not valid YAML.
func YAMLSyntax(at source.Span, problem string) *diag.Diagnostic {
	return codes.YAMLSyntax.New(at, fmt.Sprintf("invalid YAML: %s", problem))
}

// YAMLEncoding reports bytes that a YAML file must not contain.
func YAMLEncoding(at source.Span, problem string) *diag.Diagnostic {
	return codes.YAMLSyntax.New(at, fmt.Sprintf("invalid encoding: %s", problem))
}

// DuplicateKey reports a key that its mapping already contains.
func DuplicateKey(key string, first, second source.Span) *diag.Diagnostic {
	return codes.DuplicateKey.New(second, fmt.Sprintf("duplicate key `%s`", key)).
		WithLabel("this value wins in engines that accept the file").
		WithRelated(first, "first used here").
		WithHelp("remove one of the two")
}

// MergeKey reports an invalid value of a merge key.
func MergeKey(at source.Span) *diag.Diagnostic {
	return codes.MergeKey.New(at, "`<<` must be a mapping or a list of mappings").
		WithHelp("use an alias of a mapping, as in `<<: *defaults`")
}

// AliasCycle reports an alias inside the value of its own anchor.
func AliasCycle(at source.Span, name string, anchor source.Span) *diag.Diagnostic {
	return codes.YAMLAlias.New(at, fmt.Sprintf("`*%s` is inside the value that it refers to", name)).
		WithRelated(anchor, fmt.Sprintf("`&%s` starts here", name)).
		WithHelp("move the anchor to a value that does not contain the alias")
}

// YAMLTooLarge reports a file that exceeds a limit.
func YAMLTooLarge(at source.Span, limit string) *diag.Diagnostic {
	return codes.YAMLTooLarge.New(at, fmt.Sprintf("the file is too large: %s", limit))
}

// UnknownAnchor reports an alias without an anchor before it; nearest is the anchor
// that is probably meant, or empty.
func UnknownAnchor(at source.Span, name, nearest string) *diag.Diagnostic {
	d := codes.YAMLAlias.New(at, fmt.Sprintf("unknown anchor `&%s`: it must come before its alias", name))
	if name == "" {
		d = codes.YAMLAlias.New(at, "`*` starts an alias, and its name is missing")
	}
	if nearest != "" {
		d.WithSourceFix(fmt.Sprintf("replace with `*%s`", nearest), at, "*"+nearest)
	}
	return d.WithHelp("put quotes around the value if the star is part of a string")
}

// NotMapping reports a file whose top level is not a mapping; got is its kind.
func NotMapping(at source.Span, got string) *diag.Diagnostic {
	return codes.NotAMapping.New(at, fmt.Sprintf("the top level must be a mapping of keys, got %s", got))
}

// EmptyFile reports a file without content.
func EmptyFile(at source.Span) *diag.Diagnostic {
	return codes.NotAMapping.New(at, "the file is empty").
		WithHelp("write a workflow, or let `wfc init TEMPLATE` write one; `wfc init --list` lists the templates")
}

// MissingKey reports a missing required key; where is its place, as in "the workflow"
// or "`loop`".
func MissingKey(at source.Span, key, where string) *diag.Diagnostic {
	return codes.MissingKey.New(at, fmt.Sprintf("missing key `%s` in %s", key, where))
}

// MissingSetting reports a setting of a configuration that needs it.
func MissingSetting(at source.Span, setting string) *diag.Diagnostic {
	return codes.MissingKey.New(at, fmt.Sprintf("`%s` is missing", setting))
}

// WrongKind reports a value of the wrong type.
func WrongKind(at source.Span, path, want, got string) *diag.Diagnostic {
	return codes.WrongValue.New(at, fmt.Sprintf("`%s` must be %s, got %s", path, want, got))
}

// UnknownValue reports a string that is not one of the values of a key.
func UnknownValue(at source.Span, path, got string, valid []string) *diag.Diagnostic {
	return OtherValue(at, path, got, valid, plain.Nearest(got, valid))
}

// OtherValue is UnknownValue for a value that probably means another one, or "".
func OtherValue(at source.Span, path, got string, valid []string, meant string) *diag.Diagnostic {
	return suggestNear(codes.UnknownValue.New(at, fmt.Sprintf("`%s` must be %s, got `%s`", path, joinOr(valid), got)), at, meant)
}

// UnknownSettingNode reports a setting about a node that its workflows do not have; where is the
// setting, as in "`tags` of workflow w".
func UnknownSettingNode(at source.Span, node, where string, nodes []string) *diag.Diagnostic {
	return suggestNearestName(codes.UnknownValue.New(at, fmt.Sprintf("unknown node `%s` in %s", node, where)), at, node, nodes)
}

// OutOfRange reports a number outside the range of its key; want is that range, as in
// "an integer from 1 to 5".
func OutOfRange(at source.Span, path, got, want string) *diag.Diagnostic {
	return codes.OutOfRange.New(at, fmt.Sprintf("`%s` must be %s, got %s", path, want, got))
}

// ShortTimeout warns of a time limit in milliseconds that looks like one in seconds.
func ShortTimeout(at source.Span, path, got string) *diag.Diagnostic {
	d := codes.OutOfRange.New(at, fmt.Sprintf("`%s` is in milliseconds: the node fails after %s ms", path, got))
	d.Severity = diag.Warning
	return d.WithHelp(fmt.Sprintf("write `%s000` for %s seconds", got, got)).WithFix("replace with `"+got+"000`", at, got+"000")
}

// EmptyValue reports an empty value of a key that needs one.
func EmptyValue(at source.Span, path string) *diag.Diagnostic {
	return codes.EmptyValue.New(at, fmt.Sprintf("`%s` must not be empty", path))
}

// UnknownKey reports an unknown key; where is its place, as in "on a node".
func UnknownKey(at source.Span, key, where string) *diag.Diagnostic {
	return codes.UnknownKey.New(at, fmt.Sprintf("unknown key `%s` %s: it is ignored", key, where))
}

// ForeignKey reports a key of another format; where is its place, and loss what a run would
// lack without it, as in "condition".
func ForeignKey(at source.Span, key, where, loss string) *diag.Diagnostic {
	return codes.WrongKey.New(at, fmt.Sprintf("unknown key `%s` %s: its %s would be ignored", key, where, loss))
}

// KeyWithoutSpace reports a key that swallowed its value, because no space is behind the
// colon.
func KeyWithoutSpace(at source.Span, key, where, name, value string) *diag.Diagnostic {
	return keyWithoutSpace(codes.WrongKey.New(at, fmt.Sprintf("unknown key `%s` %s: no space follows the colon", key, where)), at, name, value)
}

func keyWithoutSpace(d *diag.Diagnostic, at source.Span, name, value string) *diag.Diagnostic {
	return d.WithHelp("write a space after the colon").
		WithSourceFix("write a space after the colon", at, name+": "+value)
}

// MisspeltKey reports an unknown key that is close to the known key near; where is
// its place, as in "on a node".
func MisspeltKey(at source.Span, key, where, near string) *diag.Diagnostic {
	return suggestNear(codes.WrongKey.New(at, fmt.Sprintf("unknown key `%s` %s", key, where)), at, near)
}

// NewerKey reports a key of a newer version of the format; instead names a
// replacement, or is "".
func NewerKey(at source.Span, key, instead string) *diag.Diagnostic {
	d := codes.UnknownKey.New(at, fmt.Sprintf("`%s` belongs to a newer version of the format: it is ignored", key))
	if instead != "" {
		d.WithHelp(instead)
	}
	return d
}

// UnsupportedKey reports a key of a newer version of the format that changes what runs
// and that wfc does not support; instead names a replacement, or is "".
func UnsupportedKey(at source.Span, path, since, instead string) *diag.Diagnostic {
	d := codes.UnsupportedKey.New(at, fmt.Sprintf("`%s` needs Archon %s: wfc does not support it yet", path, since))
	if instead != "" {
		return d.WithHelp(instead)
	}
	return d.WithHelp("remove it, if the workflow is right without it")
}

// LaterVariable reports a variable that a newer version of the format introduced than the one
// whose rules the file follows.
func LaterVariable(at source.Span, name, since, instead string) *diag.Diagnostic {
	d := codes.UnsupportedKey.New(at, fmt.Sprintf("`$%s` needs Archon %s: by this file's older rules it has no value", name, since)).WithHelp(instead)
	d.Severity = diag.Warning
	return d
}

// DeprecatedKey reports a key that newer versions of the format refuse or discourage.
func DeprecatedKey(at source.Span, path, since, instead string) *diag.Diagnostic {
	return codes.DeprecatedKey.New(at, fmt.Sprintf("`%s` is deprecated since Archon %s", path, since)).WithHelp(instead)
}

// RemovedKey reports a key that a newer version of the format refuses.
func RemovedKey(at source.Span, path, since, instead string) *diag.Diagnostic {
	d := codes.DeprecatedKey.New(at, fmt.Sprintf("`%s` is removed since Archon %s", path, since)).WithHelp(instead)
	d.Severity = diag.Error
	return d
}

// DroppedValue reports a setting that is ignored because of its value; reason is a
// whole clause.
func DroppedValue(at source.Span, reason string) *diag.Diagnostic {
	return codes.NoEffect.New(at, reason+": it is ignored")
}

// RemovedSteps reports a workflow that uses the removed key steps.
func RemovedSteps(at source.Span) *diag.Diagnostic {
	return codes.UnsupportedKey.New(at, "`steps` was removed from the format: use `nodes`").
		WithHelp("turn each step into a node with an `id`, and name the one before it in `depends_on`")
}

// BlankMode reports an empty key of a node type beside the one that counts.
func BlankMode(at source.Span, key, mode string) *diag.Diagnostic {
	return codes.NoEffect.New(at, fmt.Sprintf("`%s` is empty and ignored: this is %s `%s` node", key, indefiniteArticle(mode), mode))
}

// NoEffect reports a key without effect; because is a whole clause.
func NoEffect(at source.Span, path, because string) *diag.Diagnostic {
	return codes.NoEffect.New(at, fmt.Sprintf("`%s` has no effect: %s", path, because))
}
