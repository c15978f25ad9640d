package page

import (
	"html"
	"strings"
)

// Prose returns the HTML of a text in paragraphs: with `code`, lists whose items start with
// a dash, tables whose rows start with a bar, and paragraphs with indented lines, which keep
// their layout.
func Prose(text string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		switch {
		case paragraph == "":
		case strings.HasPrefix(paragraph, "| "):
			table(&b, paragraph)
		case strings.HasPrefix(paragraph, "- "):
			b.WriteString("<ul>\n")
			for item := range strings.SplitSeq(paragraph[2:], "\n- ") {
				b.WriteString("<li>" + Inline(item) + "</li>\n")
			}
			b.WriteString("</ul>\n")
		case strings.HasPrefix(paragraph, "  ") || strings.Contains(paragraph, "\n  "):
			b.WriteString("<pre>" + html.EscapeString(paragraph) + "</pre>\n")
		default:
			b.WriteString("<p>" + Inline(paragraph) + "</p>\n")
		}
	}
	return b.String()
}

// table writes the rows of a table. The second row, of dashes, ends its head.
func table(b *strings.Builder, rows string) {
	b.WriteString("<table>\n")
	cell := "th"
	for row := range strings.SplitSeq(rows, "\n") {
		row = strings.Trim(row, " |")
		if strings.Trim(row, "-| ") == "" {
			cell = "td"
			continue
		}
		b.WriteString("<tr>")
		for text := range strings.SplitSeq(row, " | ") {
			b.WriteString("<" + cell + ">" + Inline(text) + "</" + cell + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
}

// Inline returns the HTML of a line with `code`. A backtick without a partner stays.
func Inline(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !found || !closed {
			b.WriteString(html.EscapeString(text))
			return b.String()
		}
		b.WriteString(html.EscapeString(before) + "<code>" + html.EscapeString(code) + "</code>")
		text = after
	}
}
