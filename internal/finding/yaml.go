package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// YAMLSyntax reports a file that is not valid YAML.
func YAMLSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC101", at, fmt.Sprintf("invalid YAML: %s", problem))
}

// YAMLEncoding reports bytes that a YAML file must not contain.
func YAMLEncoding(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC102", at, fmt.Sprintf("invalid encoding: %s", problem))
}

// DuplicateKey reports a key that its mapping already contains.
func DuplicateKey(key string, first, second source.Span) *diag.Diagnostic {
	return report("WFC103", second, fmt.Sprintf("duplicate key `%s`", key)).
		WithLabel("this value wins in engines that accept the file").
		WithRelated(first, "first used here").
		WithHelp("remove one of the two")
}

// YAMLKey reports a key that is a list or mapping, as kind says.
func YAMLKey(at source.Span, kind string) *diag.Diagnostic {
	return report("WFC104", at, fmt.Sprintf("a %s cannot be a key: keys are strings", kind)).
		WithHelp("put quotes around the whole value if the braces or brackets are part of a string")
}

// MergeKey reports an invalid value of a merge key.
func MergeKey(at source.Span) *diag.Diagnostic {
	return report("WFC105", at, "`<<` must be a mapping or a list of mappings").
		WithHelp("use an alias of a mapping, as in `<<: *defaults`")
}

// AliasCycle reports an alias inside the value of its own anchor.
func AliasCycle(at source.Span, name string, anchor source.Span) *diag.Diagnostic {
	return report("WFC106", at, fmt.Sprintf("`*%s` is inside the value that it refers to", name)).
		WithRelated(anchor, fmt.Sprintf("`&%s` starts here", name)).
		WithHelp("move the anchor to a value that does not contain the alias")
}

// YAMLTooLarge reports a file that exceeds a limit.
func YAMLTooLarge(at source.Span, limit string) *diag.Diagnostic {
	return report("WFC107", at, fmt.Sprintf("the file is too large: %s", limit))
}

// UnknownAnchor reports an alias without an anchor before it; nearest is the anchor
// that is probably meant, or empty.
func UnknownAnchor(at source.Span, name, nearest string) *diag.Diagnostic {
	d := report("WFC108", at, fmt.Sprintf("unknown anchor `&%s`: it must come before its alias", name))
	if nearest != "" {
		d.WithSourceFix(fmt.Sprintf("replace with `*%s`", nearest), at, "*"+nearest, false)
	}
	return d.WithHelp("put quotes around the value if the star is part of a string")
}
