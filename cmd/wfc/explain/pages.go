package explain

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/page"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Page returns the page about all codes in full.
func Page() string {
	var b strings.Builder
	b.WriteString("# What wfc reports\n\n" +
		"`wfc explain CODE` prints one section, and `wfc explain --search WORD` searches them all. A comment,\n" +
		"`# wfc:ignore[CODE] reason`, hides a warning or a note, and `severities` in `wfc.yaml` can change its severity. Neither\n" +
		"works for errors.\n\nThe table shows the usual severity of each code; its section says when another one applies.\n\n")
	writeCodeTable(&b, codes.All(), func(c *diag.Code) string { return fmt.Sprintf("[%s](#%s)", c.ID, anchorOf(c)) })
	family := ""
	for _, c := range codes.All() {
		if title := Family(c); title != family {
			family = title
			fmt.Fprintf(&b, "\n## %s\n", family)
		}
		b.WriteString("\n" + linkRules.Replace(codeSection(c)))
	}
	return b.String()
}

// Index returns docs/checks.md: the table of codes, with the anchors of the sections of Page.
func Index() string {
	var b strings.Builder
	b.WriteString("# What wfc reports\n\n<!-- Generated from internal/codes: `make docs` writes it. -->\n\n" +
		"`wfc explain CODE` describes a code, usually with an example that contains the fault and one that doesn't.\n" +
		"`wfc explain --search WORD` searches all codes, and `wfc explain --format html > checks.html` writes a page that needs no\n" +
		"network. The site of the documentation contains the same page in place of this table.\n\n")
	writeCodeTable(&b, codes.All(), func(c *diag.Code) string { return fmt.Sprintf("<a id=\"%s\"></a>%s", anchorOf(c), c.ID) })
	return b.String()
}

// anchorOf is the id of the section about a code, and of its row in docs/checks.md.
func anchorOf(c *diag.Code) string { return page.Anchor(c.ID + " " + c.Slug) }

// Markdown returns the sections about codes.
func Markdown(list []*diag.Code) string {
	return strings.Join(plain.Texts(list, codeSection), "\n")
}

// Table returns a table of codes with their titles, in Markdown.
func Table(list []*diag.Code) string {
	var b strings.Builder
	writeCodeTable(&b, list, func(c *diag.Code) string { return fmt.Sprintf("[%s](#%s)", c.ID, anchorOf(c)) })
	return b.String()
}

// writeCodeTable writes a table of codes; cell is the first cell of a code.
func writeCodeTable(b *strings.Builder, list []*diag.Code, cell func(*diag.Code) string) {
	b.WriteString("| code | severity | name | |\n|---|---|---|---|\n")
	for _, c := range list {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(c), c.Severity, c.Slug, strings.ReplaceAll(quoteMarkup(codes.DocumentOf(c).Title), "|", `\|`))
	}
}

// codeSection is the section about a code.
func codeSection(c *diag.Code) string {
	var b strings.Builder
	doc := documentOf(c)
	severity := c.Severity.String()
	fmt.Fprintf(&b, "### %s %s\n\n%s, %s\n\n%s\n", c.ID, c.Slug, strings.ToUpper(severity[:1])+severity[1:], appliesTo(c), quoteMarkup(doc.Text))
	for _, e := range doc.Examples {
		for _, part := range partsOf(e) {
			example(&b, part.title, part.text)
		}
	}
	return b.String()
}

func appliesTo(c *diag.Code) string {
	if c.Portability {
		return "shown with `--portability`."
	}
	isConfig := func(e codes.Example) bool { return e.IsConfig }
	switch examples := codes.DocumentOf(c).Examples; {
	case !slices.ContainsFunc(examples, isConfig):
		return "in workflows."
	case slices.ContainsFunc(examples, func(e codes.Example) bool { return !isConfig(e) }):
		return "in workflows and `wfc.yaml`."
	}
	return "in `wfc.yaml`."
}

// linkRules links the numbers that a format gives to its rules to what the page says of them.
var linkRules = strings.NewReplacer("Graphloop rules", "[Graphloop rules](dialects/graphloop.md#differences-from-the-original)",
	"Graphloop rule", "[Graphloop rule](dialects/graphloop.md#differences-from-the-original)")

// quoteMarkup keeps Markdown from reading angle brackets, asterisks, links and leading
// number signs of plain text. Code in backticks stays as it is.
func quoteMarkup(doc string) string {
	markup := strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "](", `]\(`)
	parts := strings.Split(doc, "`")
	for i, part := range parts {
		if code := i%2 == 1 && i < len(parts)-1; !code {
			parts[i] = markup.Replace(part)
		}
	}
	return strings.ReplaceAll("\n"+strings.Join(parts, "`"), "\n#", "\n\\#")[1:]
}

// A part is a file of an example.
type part struct {
	title, text string
	// bad says that it has the fault.
	bad bool
}

// partsOf returns the files of an example.
func partsOf(e codes.Example) []part {
	all := []part{
		{title: "With this `wfc.yaml`:", text: e.Config}, {title: "With this workflow beside it:", text: e.Beside},
		{"With the fault:", e.Bad, true}, {title: "Without it:", text: e.Good},
	}
	return slices.DeleteFunc(all, func(p part) bool { return p.text == "" })
}

func example(b *strings.Builder, title, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s\n\n%syaml\n%s%s\n", title, fence, strings.TrimRight(text, "\n")+"\n", fence)
}

// codeStyle are the colours of severities.
const codeStyle = `.error{color:var(--error)}.warning{color:var(--warning)}.note{color:var(--note)}
h3{margin-bottom:.2rem}h3 a{color:inherit;text-decoration:none}h3 small{font-weight:normal;color:var(--soft)}
.about{margin-top:0;color:var(--soft)}figure{margin:.5rem 0}figcaption{color:var(--soft)}figure pre{margin:.2rem 0}
`

// WriteHTML writes a page about codes with a search. It needs no other file and no network.
// In each bad example, it marks the places that wfc reports.
func WriteHTML(w io.Writer, list []*diag.Code) error {
	var b strings.Builder
	family := ""
	for _, c := range list {
		if title := Family(c); title != family {
			family = title
			fmt.Fprintf(&b, "<h2>%s</h2>\n", html.EscapeString(family))
		}
		writeSection(&b, c)
	}
	return page.Write(w, page.Page{Title: "Diagnostics of wfc", Style: codeStyle, Body: b.String(), Search: true})
}

// writeSection writes the section about a code. Its id is that of its row in docs/checks.md.
func writeSection(b *strings.Builder, c *diag.Code) {
	doc := documentOf(c)
	anchor := anchorOf(c)
	fmt.Fprintf(b, "<section id=\"%s\">\n<h3 class=\"%s\"><a href=\"#%s\">%s</a> %s <small>%s</small></h3>\n", anchor, c.Severity, anchor, c.ID, c.Slug, page.Inline(doc.Title))
	fmt.Fprintf(b, "<p class=\"about\">%s, %s</p>\n%s", c.Severity, page.Inline(appliesTo(c)), page.Prose(doc.Text))
	for _, e := range doc.Examples {
		for _, part := range partsOf(e) {
			var marks []source.Span
			if part.bad {
				marks = Reported(c, e)
			}
			writeFigure(b, page.Inline(part.title), part.text, marks)
		}
	}
	b.WriteString("</section>\n")
}

// Reported returns the places in the bad file of a code's example that wfc reports, in their
// order and apart from each other.
func Reported(c *diag.Code, e codes.Example) []source.Span {
	var spans []source.Span
	file, findings := Findings(c, e, e.Bad, noFiles{})
	for _, d := range findings {
		if d.Code == c && d.Span.File == file && d.Span.Start < d.Span.End {
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

// writeFigure writes an example with marked places.
func writeFigure(b *strings.Builder, title, text string, marks []source.Span) {
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
