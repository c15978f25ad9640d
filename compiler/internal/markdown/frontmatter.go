package markdown

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// FrontMatterEnd returns the offset behind a text's front matter: the lines
// from a first line of three dashes up to the next such line, where they are YAML
// settings. Other lines between dashes are text between two rules and stay. A text
// without front matter has it empty; one whose front matter does not end has none.
// A byte order mark is never part of the text.
func FrontMatterEnd(text string) int {
	start := 0
	if strings.HasPrefix(text, "\ufeff") {
		start = len("\ufeff")
	}
	at, first, inner := start, true, start
	for at < len(text) {
		line, end := text[at:], len(text)
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line, end = line[:n], at+n+1
		}
		isFence := strings.TrimRight(line, " \t\r") == "---"
		switch {
		case first && !isFence:
			return start
		case first:
			inner = end
		case isFence && isSettings(text[inner:at]):
			return end
		case isFence:
			return start
		}
		at, first = end, false
	}
	return start
}

// isSettings reports whether a text is a YAML mapping, or nothing but comments.
func isSettings(text string) bool {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("", []byte(text)), &bag)
	return doc != nil && !bag.HasErrors() && !doc.More.IsValid() && (doc.Root.IsNull() || doc.Root.Kind == yamlsrc.Mapping)
}
