package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 10x: what is not YAML, or YAML that no workflow can be read from.
var yamlCodes = []*Code{yamlSyntax, yamlEncoding, duplicateKey, yamlKey, mergeKey, aliasCycle, yamlTooLarge, unknownAnchor}

// goodYAML is the file that most examples of this family are mended to.
const goodYAML = "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n"

var yamlSyntax = &Code{
	ID: "WFC101", Slug: "yaml-syntax", Severity: Error,
	Doc: `The file is not YAML. Nothing else can be said about it until it is.

The message is about the first place where reading stopped; tabs used for
indentation, a missing closing quote or bracket and a stray colon are the
usual causes.`,
	Bad:  "name: [\n",
	Good: goodYAML,
}

// YAMLSyntax reports text that is not YAML.
func YAMLSyntax(at source.Span, problem string) *Diagnostic {
	return yamlSyntax.new(at, fmt.Sprintf("not valid YAML: %s", problem))
}

var yamlEncoding = &Code{
	ID: "WFC102", Slug: "yaml-encoding", Severity: Error,
	Doc: `The file holds bytes that no YAML file may hold: it is not UTF-8, or it has
NUL bytes, control characters or a byte order mark in its middle.

Editors on Windows may save UTF-16; save the file as UTF-8 instead. A control
character that is meant can be written as an escape in a double-quoted text,
such as "\x1b".`,
	Bad:  "name: w\ndescription: \"d\x07\"\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: goodYAML,
}

// YAMLEncoding reports bytes that are not the text of a YAML file.
func YAMLEncoding(at source.Span, problem string) *Diagnostic {
	return yamlEncoding.new(at, fmt.Sprintf("not a YAML text file: %s", problem))
}

var duplicateKey = &Code{
	ID: "WFC103", Slug: "duplicate-key", Severity: Error,
	Doc: `A key stands twice in the same mapping. YAML forbids that; engines that let it
pass take the last value and drop the others without a word, which is rarely
what the author of the first one wanted.

Remove one of the two. If both belong to different nodes, a "-" before the
second one may be missing.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    bash: echo ho\n",
	Good: goodYAML,
}

// DuplicateKey reports a key that stands again in its mapping.
func DuplicateKey(key string, first, second source.Span) *Diagnostic {
	return duplicateKey.new(second, fmt.Sprintf("key `%s` stands twice in this mapping", key)).
		WithLabel("this value wins where the file is accepted at all").
		WithRelated(first, "first written here").
		WithHelp("remove one of the two")
}

var yamlKey = &Code{
	ID: "WFC104", Slug: "yaml-key", Severity: Error,
	Doc: `A key of a mapping is itself a list or a mapping. YAML allows that, workflow
files have no use for it.

It usually comes from braces that were meant as text, such as a template at the
start of a value: {{x}} is a mapping whose key is a mapping. Put quotes around
the whole value.`,
	Bad:  "name: w\ndescription: {{name}}\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: "name: w\ndescription: \"{{name}}\"\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// YAMLKey reports a key that is a list or mapping, as kind says.
func YAMLKey(at source.Span, kind string) *Diagnostic {
	return yamlKey.new(at, fmt.Sprintf("a %s cannot be a key; keys are text", kind)).
		WithHelp("if the braces or brackets are meant as text, put quotes around the whole value")
}

var mergeKey = &Code{
	ID: "WFC105", Slug: "merge-key", Severity: Error,
	Doc: `The value of a merge key (<<) is neither a mapping nor a list of mappings, so
there is nothing to merge.

Give it an alias of a mapping, as in "<<: *defaults", or a list of such aliases.
To use << as an ordinary key, put it in quotes.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    <<: defaults\n",
	Good: "name: w\ndescription: d\nnodes:\n  - &first\n    id: a\n    bash: echo hi\n  - <<: *first\n    id: b\n",
}

// MergeKey reports a value that cannot be merged.
func MergeKey(at source.Span) *Diagnostic {
	return mergeKey.new(at, "`<<` takes a mapping or a list of mappings").
		WithHelp("name an anchored mapping, as in `<<: *defaults`")
}

var aliasCycle = &Code{
	ID: "WFC106", Slug: "alias-cycle", Severity: Error,
	Doc: `An alias stands inside the very node it refers to, so the value would contain
itself without end.

Move the anchor to a node that does not hold the alias.`,
	Bad:  "name: w\ndescription: d\nnodes: &all\n  - id: a\n    bash: echo hi\n  - *all\n",
	Good: goodYAML,
}

// AliasCycle reports an alias inside its own anchor's node.
func AliasCycle(at source.Span, name string, anchor source.Span) *Diagnostic {
	return aliasCycle.new(at, fmt.Sprintf("`*%s` stands inside the value it refers to", name)).
		WithRelated(anchor, fmt.Sprintf("`&%s` starts here", name)).
		WithHelp("move the anchor to a value that does not hold the alias")
}

var yamlTooLarge = &Code{
	ID: "WFC107", Slug: "yaml-too-large", Severity: Error,
	Doc: `The file passes a limit that no workflow comes near: 2 MiB of text, 1000 levels
of nesting, or a million values that come in by aliases. The last is the mark of
a file made to exhaust memory, in which each anchor holds several aliases of the
one before.`,
	Bad: `name: w
description: d
nodes:
  - id: a
    bash: echo hi
    x0: &x0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    x1: &x1 [*x0, *x0, *x0, *x0, *x0, *x0, *x0, *x0, *x0, *x0]
    x2: &x2 [*x1, *x1, *x1, *x1, *x1, *x1, *x1, *x1, *x1, *x1]
    x3: &x3 [*x2, *x2, *x2, *x2, *x2, *x2, *x2, *x2, *x2, *x2]
    x4: &x4 [*x3, *x3, *x3, *x3, *x3, *x3, *x3, *x3, *x3, *x3]
    x5: &x5 [*x4, *x4, *x4, *x4, *x4, *x4, *x4, *x4, *x4, *x4]
    x6: &x6 [*x5, *x5, *x5, *x5, *x5, *x5, *x5, *x5, *x5, *x5]
`,
	Good: goodYAML,
}

// YAMLTooLarge reports a file past a limit.
func YAMLTooLarge(at source.Span, limit string) *Diagnostic {
	return yamlTooLarge.new(at, fmt.Sprintf("this file is too large to read: %s", limit))
}

var unknownAnchor = &Code{
	ID: "WFC108", Slug: "unknown-anchor", Severity: Error,
	Doc: `An alias (*name) refers to an anchor (&name) that does not stand before it in
the file.

If the star is meant as text, as in a file pattern, put quotes around the value.`,
	Bad:  "name: w\ndescription: *.go\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: "name: w\ndescription: \"*.go\"\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// UnknownAnchor reports an alias of no anchor before it; nearest is the known
// anchor it may mean, or empty.
func UnknownAnchor(at source.Span, name, nearest string) *Diagnostic {
	d := unknownAnchor.new(at, fmt.Sprintf("no anchor `&%s` stands before this alias", name))
	if nearest != "" {
		d.WithSourceFix(fmt.Sprintf("replace with `*%s`", nearest), at, "*"+nearest, false)
	}
	return d.WithHelp("if the star is meant as text, put quotes around the value")
}
