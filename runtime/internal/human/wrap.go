package human

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks the lines of a text at spaces, so that they are at most so many
// characters wide; words that are longer stay whole. Where a line goes on, it is
// indented as it began. A width below 1 leaves the text as it is.
func Wrap(text string, width int) string {
	if width < 1 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\n")
		if utf8.RuneCountInString(body) <= width {
			b.WriteString(line)
			continue
		}
		words := strings.TrimLeft(body, " \t")
		indent := body[:len(body)-len(words)]
		used := 0
		for word := range strings.SplitSeq(words, " ") {
			size := utf8.RuneCountInString(word)
			switch {
			case used == 0:
				b.WriteString(indent)
				used = utf8.RuneCountInString(indent)
			case used+1+size > width:
				b.WriteString("\n" + indent)
				used = utf8.RuneCountInString(indent)
			default:
				b.WriteByte(' ')
				used++
			}
			b.WriteString(word)
			used += size
		}
		b.WriteString(line[len(body):])
	}
	return b.String()
}
