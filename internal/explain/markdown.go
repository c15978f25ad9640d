package explain

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// Page returns the page about all codes, docs/checks.md.
func Page() string {
	var b strings.Builder
	b.WriteString("# What wfc reports\n\n<!-- Generated from compiler/diag: `make docs` writes it. -->\n\n" +
		"`wfc explain CODE` prints the same, `wfc explain --search WORD` searches it, and `wfc explain --format html > checks.html` writes\n" +
		"it as a page with a search that needs no network. A comment, `# wfc:ignore[CODE] reason`, hides\n" +
		"a warning or a note, and `severities` in `wfc.yaml` can change its severity. Neither works for errors.\n\n" +
		"The table shows the usual severity of each code. The section of a code says when another one applies, for example by the\n" +
		"[rules of Archon 0.9 and later](dialects/archon.md#newer-versions).\n\n")
	table(&b, diag.Codes())
	family := ""
	for _, c := range diag.Codes() {
		if title := Family(c); title != family {
			family = title
			fmt.Fprintf(&b, "\n## %s\n", family)
		}
		b.WriteString("\n" + linkRules.Replace(section(c)))
	}
	return b.String()
}

// Markdown returns the sections about codes.
func Markdown(codes []*diag.Code) string {
	var list []string
	for _, c := range codes {
		list = append(list, section(c))
	}
	return strings.Join(list, "\n")
}

// Table returns a table of codes with their titles, in Markdown.
func Table(codes []*diag.Code) string {
	var b strings.Builder
	table(&b, codes)
	return b.String()
}

func table(b *strings.Builder, codes []*diag.Code) {
	b.WriteString("| code | severity | name | |\n|---|---|---|---|\n")
	for _, c := range codes {
		fmt.Fprintf(b, "| [%s](#%s-%s) | %s | %s | %s |\n", c.ID, strings.ToLower(c.ID), c.Slug, c.Severity, c.Slug, strings.ReplaceAll(quoteMarkup(c.Title()), "|", `\|`))
	}
}

// section is the section about a code.
func section(c *diag.Code) string {
	var b strings.Builder
	doc := c.Document()
	severity := c.Severity.String()
	fmt.Fprintf(&b, "### %s %s\n\n%s, %s\n\n%s\n", c.ID, c.Slug, strings.ToUpper(severity[:1])+severity[1:], where(c), quoteMarkup(doc.Text))
	example(&b, "With this `wfc.yaml`:", doc.Config)
	example(&b, "With this workflow beside it:", doc.Beside)
	example(&b, "With the fault:", doc.Bad)
	example(&b, "Without it:", doc.Good)
	return b.String()
}

func where(c *diag.Code) string {
	switch {
	case c.Portability:
		return "shown with `--portability`."
	case c.Document().File != "":
		return "in `" + c.Document().File + "`."
	}
	return "in workflows."
}

// linkRules links the numbers that a format gives to its rules to their list.
var linkRules = strings.NewReplacer("Graphloop rules", "[Graphloop rules](dialects/graphloop.md#rule-numbers)",
	"Graphloop rule", "[Graphloop rule](dialects/graphloop.md#rule-numbers)")

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

func example(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s\n\n%syaml\n%s%s\n", title, fence, strings.TrimRight(text, "\n")+"\n", fence)
}
