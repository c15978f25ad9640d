package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 1xx: shape of a workflow file: keys and kinds of values.
var shapeCodes = []*Code{
	notMapping, severalDocuments, missingKey, wrongKind, unknownValue, outOfRange, emptyValue,
	unknownKey, misplacedKey, newerKey, newerNodeType, droppedValue, removedSteps, blankMode, noEffect, misspeltKey,
}

var notMapping = &Code{
	ID: "WFC110", Slug: "not-a-mapping", Severity: Error,
	Doc: `The file holds nothing, a list or a single value. A workflow is a mapping: its
top level consists of keys such as name, description and nodes.`,
	Bad:  "# wfc: dialect=archon\n- id: a\n  bash: echo hi\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// NotMapping reports a file whose top level is not a mapping; got says what
// it is instead.
func NotMapping(at source.Span, got string) *Diagnostic {
	return notMapping.new(at, fmt.Sprintf("a workflow is a mapping of keys such as `name` and `nodes`, but this file is %s", got))
}

var severalDocuments = &Code{
	ID: "WFC111", Slug: "several-documents", Severity: Error,
	Doc: `The file holds more than one YAML document: a line of three dashes starts
another one. One file is one workflow, so only one document may stand in it.
Remove the line, or move what follows to a file of its own.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n---\nname: x\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// SeveralDocuments reports where a second YAML document of a file starts.
func SeveralDocuments(at source.Span) *Diagnostic {
	return severalDocuments.new(at, "a second document starts here, but a file holds one workflow").
		WithHelp("move what follows to a file of its own")
}

var missingKey = &Code{
	ID: "WFC112", Slug: "missing-key", Severity: Error,
	Doc: `A key that must be there is not. Every workflow has a name, a description and
nodes; every node an id; a loop its prompt, until and max_iterations; an
approval its message; a retry its max_attempts.`,
	Bad:  "name: w\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// MissingKey reports a required key that is not there; where says in what, as
// "the workflow" or "`loop`".
func MissingKey(at source.Span, key, where string) *Diagnostic {
	return missingKey.new(at, fmt.Sprintf("%s has no `%s`, which is required", where, key))
}

var wrongKind = &Code{
	ID: "WFC113", Slug: "wrong-kind", Severity: Error,
	Doc: `A value is of the wrong kind: a number where a text is expected, a text where
a list is expected, and so on.

YAML decides the kind by how a value is written: 5 is a number and "5" a text;
true and false are the only booleans, and yes, no, on and off are texts; a key
with nothing behind it holds null.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo ho\n    depends_on: a\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo ho\n    depends_on: [a]\n",
}

// WrongKind reports a value of another kind than the wanted one.
func WrongKind(at source.Span, path, want, got string) *Diagnostic {
	return wrongKind.new(at, fmt.Sprintf("`%s` must be %s, not %s", path, want, got))
}

var unknownValue = &Code{
	ID: "WFC114", Slug: "unknown-value", Severity: Error,
	Doc: `A key takes one of a few values, and this is none of them. Upper and lower
case matter.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    trigger_rule: any\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    trigger_rule: all_done\n",
}

// UnknownValue reports a text that is none of the values that a key takes.
func UnknownValue(at source.Span, path, got string, valid []string) *Diagnostic {
	d := unknownValue.new(at, fmt.Sprintf("`%s` cannot be `%s`; it is one of %s", path, got, quoteAll(valid)))
	if near := Nearest(got, valid); near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near))
	}
	return d
}

var outOfRange = &Code{
	ID: "WFC115", Slug: "out-of-range", Severity: Error,
	Doc: `A number is outside the range that its key allows. Times are in milliseconds
unless the key says otherwise.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    retry: {max_attempts: 9}\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    retry: {max_attempts: 3}\n",
}

// OutOfRange reports a number that its key does not allow; want says which
// ones it does, as "a whole number from 1 to 5".
func OutOfRange(at source.Span, path, got, want string) *Diagnostic {
	return outOfRange.new(at, fmt.Sprintf("`%s` is %s, but must be %s", path, got, want))
}

var emptyValue = &Code{
	ID: "WFC116", Slug: "empty-value", Severity: Error,
	Doc:  `A text or list that must hold something is empty or blank.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: ''\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// EmptyValue reports an empty or blank value that must hold something.
func EmptyValue(at source.Span, path string) *Diagnostic {
	return emptyValue.new(at, fmt.Sprintf("`%s` is empty, but must not be", path))
}

var unknownKey = &Code{
	ID: "WFC117", Slug: "unknown-key", Severity: Warning,
	Doc: `A key means nothing where it stands. The original engine drops such keys
without a word, so a setting that another tool has silently has no effect.

Remove the key, or put x- before it if it is a note of your own.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    colour: red\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    x-colour: red\n",
}

// UnknownKey reports a key that no place knows; where says where it stands, as
// "on a node".
func UnknownKey(at source.Span, key, where string) *Diagnostic {
	return unknownKey.new(at, fmt.Sprintf("`%s` is no key %s; it is ignored", key, where))
}

var misspeltKey = &Code{
	ID: "WFC125", Slug: "misspelt-key", Severity: Error,
	Doc: `A key means nothing where it stands, and is nearly one that does. The original
engine drops such keys without a word: with depend_on for depends_on a node waits
for nothing, and with aproval for approval nobody is asked.

Correct the name. If the key is a note of your own, put x- before it.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo ho\n    depend_on: [a]\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n  - id: b\n    bash: echo ho\n    depends_on: [a]\n",
}

// MisspeltKey reports a key that its place does not know and that is nearly near,
// which it does know; where says where it stands, as "on a node".
func MisspeltKey(at source.Span, key, where, near string) *Diagnostic {
	return misspeltKey.new(at, fmt.Sprintf("unknown key `%s` %s", key, where)).
		WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
		WithFix(fmt.Sprintf("rename it to `%s`", near), at, near, false)
}

var misplacedKey = &Code{
	ID: "WFC118", Slug: "misplaced-key", Severity: Warning,
	Doc: `A key stands where it means nothing, though it is valid elsewhere. The
original engine drops it without a word: a gate_message written one level too
high, for example, is never shown to anybody.

Move it to where it is valid.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    gate_message: good enough?\n    loop:\n      prompt: work, and say DONE at the end\n      until: DONE\n      max_iterations: 3\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    loop:\n      prompt: work, and say DONE at the end\n      until: DONE\n      max_iterations: 3\n      interactive: true\n      gate_message: good enough?\n",
}

// MisplacedKey reports a key that is valid elsewhere; where says where it
// stands and homes where it is valid, as "under `loop:`".
func MisplacedKey(at source.Span, key, where string, homes []string) *Diagnostic {
	return misplacedKey.new(at, fmt.Sprintf("`%s` is no key %s; it is ignored", key, where)).
		WithHelp(fmt.Sprintf("`%s` is valid %s", key, strings.Join(homes, " and ")))
}

var newerKey = &Code{
	ID: "WFC119", Slug: "newer-key", Severity: Warning,
	Doc: `A key belongs to a newer version of the format than the one that wfc
implements. It has no effect.`,
	Bad:  "name: w\ndescription: d\noutcome_field: ok\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// NewerKey reports a key of a newer version of the format; instead says what
// to use meanwhile, or is "".
func NewerKey(at source.Span, key, instead string) *Diagnostic {
	d := newerKey.new(at, fmt.Sprintf("`%s` belongs to a newer version of the format and is ignored", key))
	if instead != "" {
		d.WithHelp(instead)
	}
	return d
}

var newerNodeType = &Code{
	ID: "WFC120", Slug: "newer-node-type", Severity: Error,
	Doc: `The node is of a type that newer versions of the format have: a group of nodes
in a loop, an included file or a child workflow. wfc does not support these yet.
The types it knows are command, prompt, bash, script, loop, approval and cancel.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    include: other\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// NewerNodeType reports a node of a type that is not supported yet.
func NewerNodeType(at source.Span, mode string) *Diagnostic {
	return newerNodeType.new(at, fmt.Sprintf("`%s` nodes are not supported yet", mode)).
		WithHelp("supported are `command`, `prompt`, `bash`, `script`, `loop`, `approval` and `cancel`")
}

var droppedValue = &Code{
	ID: "WFC121", Slug: "dropped-value", Severity: Warning,
	Doc: `A setting has a value that it cannot have, and is one of those that the original
engine then drops without stopping; so does wfc. The workflow runs with the
default, which is hardly what was meant.`,
	Bad:  "name: w\ndescription: d\nmutates_checkout: 'no'\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: "name: w\ndescription: d\nmutates_checkout: false\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// DroppedValue reports a setting that is dropped because of its value; reason
// is a whole clause.
func DroppedValue(at source.Span, reason string) *Diagnostic {
	return droppedValue.new(at, reason+"; it is dropped")
}

var removedSteps = &Code{
	ID: "WFC122", Slug: "removed-steps", Severity: Error,
	Doc: `The workflow has steps, as an early version of the format had them. Today a
workflow consists of nodes: turn each step into a node with an id, and name the
node before it in depends_on.`,
	Bad:  "name: w\ndescription: d\nsteps:\n  - command: x\nnodes:\n  - id: a\n    bash: echo hi\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// RemovedSteps reports a workflow that is written in steps.
func RemovedSteps(at source.Span) *Diagnostic {
	return removedSteps.new(at, "`steps` is no longer part of the format; a workflow consists of `nodes`").
		WithHelp("turn each step into a node with an `id`, and name the one before it in `depends_on`")
}

var blankMode = &Code{
	ID: "WFC123", Slug: "blank-mode", Severity: Warning,
	Doc: `The node says what it does, and also has a second, blank key of that sort,
which is ignored. Remove it.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    bash: ''\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// BlankMode reports a blank mode key beside the one that counts.
func BlankMode(at source.Span, key, mode string) *Diagnostic {
	return blankMode.new(at, fmt.Sprintf("`%s` is blank and ignored; this is a `%s` node", key, mode))
}

var noEffect = &Code{
	ID: "WFC124", Slug: "no-effect", Severity: Warning,
	Doc: `A key is valid where it stands, but something else keeps it from having an
effect: a runtime on a node that is no script, a gate_message in a loop that is
not interactive, a retry on an approval.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    runtime: bun\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// NoEffect reports a key without effect; because is a whole clause.
func NoEffect(at source.Span, path, because string) *Diagnostic {
	return noEffect.new(at, fmt.Sprintf("`%s` has no effect: %s", path, because))
}

// quoteAll lists names in backticks.
func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	return strings.Join(quoted, ", ")
}
