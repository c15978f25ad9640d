package diag

import "github.com/wfc-lang/wfc/compiler/source"

// 90x to 94x: where the original engine would behave differently.
var portabilityCodes = []*Code{conditionExtension, insertedTextScanned}

var conditionExtension = &Code{
	ID: "WFC900", Slug: "condition-extension", Severity: Warning, Portability: true,
	Doc: `A condition uses parentheses, "!" or double quotes. The original engine cannot
read such a condition and skips the node.`,
	Bad:  conditionExample("'!($check.output == \"ok\")'"),
	Good: conditionExample("$check.output != 'ok'"),
}

// ConditionExtension reports syntax that the original engine does not have.
func ConditionExtension(at source.Span) *Diagnostic {
	return conditionExtension.new(at, "the original engine cannot read this condition and skips the node").
		WithHelp("it has no parentheses, no `!` and no double quotes")
}

var insertedTextScanned = &Code{
	ID: "WFC901", Slug: "inserted-text-scanned", Severity: Warning, Portability: true,
	Doc: `A text holds both a value that somebody else chooses and references to outputs.
The original engine replaces references in the inserted value as well, and
gives "$$", "$&" and their like in it a meaning of their own. Here the value is
inserted as it is.`,
	Bad:  exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    prompt: Do $ARGUMENTS with $a.output\n    depends_on: [a]\n",
	Good: exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    prompt: Sum up $a.output\n    depends_on: [a]\n",
}

// InsertedTextScanned reports a value that the original engine scans again.
func InsertedTextScanned(at source.Span) *Diagnostic {
	return insertedTextScanned.new(at, "the original engine replaces references inside this value too")
}
