package explain

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/page"
)

// codeStyle are the colours of severities.
const codeStyle = `.error{color:var(--error)}.warning{color:var(--warning)}.note{color:var(--note)}
h3{margin-bottom:.2rem}h3 a{color:inherit;text-decoration:none}h3 small{font-weight:normal;color:var(--soft)}
.about{margin-top:0;color:var(--soft)}figure{margin:.5rem 0}figcaption{color:var(--soft)}figure pre{margin:.2rem 0}
`

// WriteHTML writes a page about codes with a search. It needs no other file and no network.
// In each bad example, it marks the places that wfc reports.
func WriteHTML(w io.Writer, codes []*diag.Code) error {
	var b strings.Builder
	family := ""
	for _, c := range codes {
		if title := Family(c); title != family {
			family = title
			fmt.Fprintf(&b, "<h2>%s</h2>\n", html.EscapeString(family))
		}
		writeSection(&b, c)
	}
	return page.Write(w, page.Page{Title: "What wfc reports", Style: codeStyle, Body: b.String(), Search: true})
}

// writeSection writes the section about a code. Its id is that of the heading in docs/checks.md.
func writeSection(b *strings.Builder, c *diag.Code) {
	doc := c.Document()
	anchor := page.Anchor(c.ID + " " + c.Slug)
	fmt.Fprintf(b, "<section id=\"%s\">\n<h3 class=\"%s\"><a href=\"#%s\">%s</a> %s <small>%s</small></h3>\n", anchor, c.Severity, anchor, c.ID, c.Slug, page.Inline(c.Title()))
	fmt.Fprintf(b, "<p class=\"about\">%s, %s</p>\n%s", c.Severity, page.Inline(where(c)), page.Prose(doc.Text))
	figure(b, "With this <code>wfc.yaml</code>:", doc.Config, nil)
	figure(b, "With this workflow beside it:", doc.Beside, nil)
	if doc.Bad != "" {
		figure(b, "With the fault:", doc.Bad, Reported(c))
	}
	figure(b, "Without it:", doc.Good, nil)
	b.WriteString("</section>\n")
}

// Reported returns the places in the bad example of a code that wfc reports, in their order
// and apart from each other.
func Reported(c *diag.Code) []source.Span {
	file := File(c, c.Document().Bad)
	var spans []source.Span
	for _, d := range Findings(c, file, noFiles{}) {
		if d.Code == c && d.Span.File != nil && d.Span.File.Name == file.Name && d.Span.Start < d.Span.End {
			spans = append(spans, d.Span)
		}
	}
	slices.SortFunc(spans, func(a, b source.Span) int { return a.Start - b.Start })
	end := 0
	return slices.DeleteFunc(spans, func(s source.Span) bool {
		overlaps := s.Start < end
		end = max(end, s.End)
		return overlaps
	})
}

// figure writes an example with marked places.
func figure(b *strings.Builder, title, text string, marks []source.Span) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "<figure><figcaption>%s</figcaption><pre><code>", title)
	at := 0
	for _, s := range marks {
		if s.End > len(text) {
			break
		}
		fmt.Fprintf(b, "%s<mark>%s</mark>", html.EscapeString(text[at:s.Start]), html.EscapeString(text[s.Start:s.End]))
		at = s.End
	}
	fmt.Fprintf(b, "%s</code></pre></figure>\n", html.EscapeString(strings.TrimRight(text[at:], "\n")))
}
