package target

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Templates of notices are text with placeholders such as {{run}}. The compiler checks their names,
// and the process that queues a notice fills them in, once: a value is never read again as a
// template.

// Placeholders returns the names of placeholders.
func Placeholders() []string {
	return []string{"agent", "command", "cost", "error", "event", "folder", "node", "page", "question", "result", "run", "until", "workflow"}
}

// A TemplateFault is a mistake in a template: Start and End are offsets in bytes, and Problem says
// what is wrong.
type TemplateFault struct {
	Start, End int
	Problem    string
}

// placeholder matches a placeholder, or two braces that begin none.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\{\{(?:(.*?)\}\})?`) })

// CheckTemplate returns the faults of a template in order.
func CheckTemplate(text string) (faults []TemplateFault) {
	for _, at := range placeholder().FindAllStringSubmatchIndex(text, -1) {
		if at[2] < 0 {
			return append(faults, TemplateFault{at[0], at[1], "`{{` without `}}`"})
		}
		if name := strings.TrimSpace(text[at[2]:at[3]]); !slices.Contains(Placeholders(), name) {
			faults = append(faults, TemplateFault{at[0], at[1], plain.UnknownName("placeholder", name, Placeholders())})
		}
	}
	return faults
}

// FillTemplate returns a template with the values of the placeholders; a missing value is "".
func FillTemplate(text string, values map[string]string) string {
	return placeholder().ReplaceAllStringFunc(text, func(found string) string {
		return values[strings.TrimSpace(strings.Trim(found, "{}"))]
	})
}
