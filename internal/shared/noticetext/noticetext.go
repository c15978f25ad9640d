// Package noticetext reads the templates of notices: text with placeholders such as
// {{run}}. The compiler checks their names, and the process that queues a notice fills
// them in, once: a value is never read again as a template.
//
//	text := noticetext.Fill("{{workflow}} waits: {{question}}", map[string]string{"workflow": "ship", "question": "Deploy?"})
package noticetext

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Names returns the names of placeholders.
func Names() []string {
	return []string{"agent", "command", "cost", "error", "event", "folder", "node", "page", "question", "result", "run", "until", "workflow"}
}

// A Fault is a mistake in a template: Start and End are offsets in bytes, and Problem says
// what is wrong.
type Fault struct {
	Start, End int
	Problem    string
}

// placeholder matches a placeholder, or two braces that begin none.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\{\{(?:(.*?)\}\})?`) })

// Check returns the faults of a template in order.
func Check(text string) (faults []Fault) {
	for _, at := range placeholder().FindAllStringSubmatchIndex(text, -1) {
		if at[2] < 0 {
			return append(faults, Fault{at[0], at[1], "`{{` without `}}`"})
		}
		if name := strings.TrimSpace(text[at[2]:at[3]]); !slices.Contains(Names(), name) {
			faults = append(faults, Fault{at[0], at[1], plain.UnknownName("placeholder", name, Names())})
		}
	}
	return faults
}

// Fill returns a template with the values of the placeholders; a missing value is "".
func Fill(text string, values map[string]string) string {
	return placeholder().ReplaceAllStringFunc(text, func(found string) string {
		return values[strings.TrimSpace(strings.Trim(found, "{}"))]
	})
}
