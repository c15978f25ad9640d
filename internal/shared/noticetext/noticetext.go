// Package noticetext reads the templates of notices: text with placeholders such as
// {{run}}. The compiler checks their names, and the process that queues a notice fills
// them in, once: a value is never read again as a template.
//
//	t, _ := noticetext.Parse("{{workflow}} waits: {{question}}")
//	text := t.Fill(map[string]string{"workflow": "ship", "question": "Deploy?"})
package noticetext

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Names returns the names of placeholders.
func Names() []string {
	return []string{"agent", "command", "cost", "error", "event", "folder", "node", "page", "question", "result", "run", "until", "workflow"}
}

// A Template is a parsed template.
type Template struct {
	// parts are texts and, at odd places, names.
	parts []string
}

// A Fault is a mistake in a template: Start and End are offsets in bytes, and Problem says
// what is wrong.
type Fault struct {
	Start, End int
	Problem    string
}

// Parse reads a template, and returns its faults in order.
func Parse(text string) (Template, []Fault) {
	var t Template
	var faults []Fault
	for at := 0; ; {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			t.parts = append(t.parts, text[at:])
			return t, faults
		}
		open += at
		size := strings.Index(text[open:], "}}")
		if size < 0 {
			return t, append(faults, Fault{open, open + 2, "`{{` without `}}`"})
		}
		end := open + size + 2
		name := strings.TrimSpace(text[open+2 : end-2])
		if !slices.Contains(Names(), name) {
			faults = append(faults, Fault{open, end, plain.UnknownName("placeholder", name, Names())})
		}
		t.parts = append(t.parts, text[at:open], name)
		at = end
	}
}

// Fill returns the text with the values of the placeholders; a missing value is "".
func (t Template) Fill(values map[string]string) string {
	var b strings.Builder
	for i, part := range t.parts {
		if i%2 == 1 {
			part = values[part]
		}
		b.WriteString(part)
	}
	return b.String()
}
