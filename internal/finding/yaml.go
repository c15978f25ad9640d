package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// YAMLSyntax reports text that is not YAML.
func YAMLSyntax(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC101", at, fmt.Sprintf("not valid YAML: %s", problem))
}

// YAMLEncoding reports bytes that are not the text of a YAML file.
func YAMLEncoding(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC102", at, fmt.Sprintf("not a YAML text file: %s", problem))
}

// DuplicateKey reports a key that stands again in its mapping.
func DuplicateKey(key string, first, second source.Span) *diag.Diagnostic {
	return report("WFC103", second, fmt.Sprintf("key `%s` stands twice in this mapping", key)).
		WithLabel("this value wins where the file is accepted at all").
		WithRelated(first, "first written here").
		WithHelp("remove one of the two")
}

// YAMLKey reports a key that is a list or mapping, as kind says.
func YAMLKey(at source.Span, kind string) *diag.Diagnostic {
	return report("WFC104", at, fmt.Sprintf("a %s cannot be a key; keys are text", kind)).
		WithHelp("if the braces or brackets are meant as text, put quotes around the whole value")
}

// MergeKey reports a value that cannot be merged.
func MergeKey(at source.Span) *diag.Diagnostic {
	return report("WFC105", at, "`<<` takes a mapping or a list of mappings").
		WithHelp("name an anchored mapping, as in `<<: *defaults`")
}

// AliasCycle reports an alias inside its own anchor's node.
func AliasCycle(at source.Span, name string, anchor source.Span) *diag.Diagnostic {
	return report("WFC106", at, fmt.Sprintf("`*%s` stands inside the value it refers to", name)).
		WithRelated(anchor, fmt.Sprintf("`&%s` starts here", name)).
		WithHelp("move the anchor to a value that does not hold the alias")
}

// YAMLTooLarge reports a file past a limit.
func YAMLTooLarge(at source.Span, limit string) *diag.Diagnostic {
	return report("WFC107", at, fmt.Sprintf("this file is too large to read: %s", limit))
}

// UnknownAnchor reports an alias of no anchor before it; nearest is the known
// anchor it may mean, or empty.
func UnknownAnchor(at source.Span, name, nearest string) *diag.Diagnostic {
	d := report("WFC108", at, fmt.Sprintf("no anchor `&%s` stands before this alias", name))
	if nearest != "" {
		d.WithSourceFix(fmt.Sprintf("replace with `*%s`", nearest), at, "*"+nearest, false)
	}
	return d.WithHelp("if the star is meant as text, put quotes around the value")
}
