package testkit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// families are the titles of the codes' hundreds.
var families = map[byte]string{
	'1': "YAML, shape, configuration",
	'2': "Structure and references",
	'3': "Types and conditions",
	'4': "Flow",
	'5': "Shell and scripts",
	'6': "Security",
	'7': "Agents and limits",
	'8': "Style",
	'9': "Portability",
}

// TestDocs keeps docs/checks.md in step with the codes.
func TestDocs(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "checks.md")
	got := checksPage()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/checks.md is stale; go test ./internal/testkit -run TestDocs -update rewrites it")
	}
}

func checksPage() []byte {
	var b bytes.Buffer
	b.WriteString("# What wfc reports\n\n<!-- Generated from compiler/diag by go test ./internal/testkit -run TestDocs -update. -->\n\n" +
		"`wfc explain CODE` prints the same. A comment, `# wfc:ignore[CODE] reason`, hides a warning or a note, and `severities` in\n" +
		"`wfc.yaml` can change its severity. Neither works for errors.\n")
	b.WriteString("\n| code | severity | name |\n|---|---|---|\n")
	for _, c := range diag.Codes() {
		fmt.Fprintf(&b, "| [%s](#%s-%s) | %s | %s |\n", c.ID, strings.ToLower(c.ID), c.Slug, c.Severity, c.Slug)
	}
	family := byte(0)
	for _, c := range diag.Codes() {
		if c.ID[3] != family {
			family = c.ID[3]
			fmt.Fprintf(&b, "\n## %s\n", families[family])
		}
		fmt.Fprintf(&b, "\n### %s %s\n\n%s, %s\n", c.ID, c.Slug, capital(c.Severity.String()), where(c))
		fmt.Fprintf(&b, "\n%s\n", linkRules.Replace(quoteMarkup(c.Document().Text)))
		example(&b, "With this `wfc.yaml`:", c.Document().Config)
		example(&b, "With this workflow beside it:", c.Document().Beside)
		example(&b, "With the fault:", c.Document().Bad)
		example(&b, "Without it:", c.Document().Good)
	}
	return b.Bytes()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

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
// number signs of plain text.
func quoteMarkup(doc string) string {
	doc = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "](", `]\(`).Replace(doc)
	return strings.ReplaceAll("\n"+doc, "\n#", "\n\\#")[1:]
}

func example(b *bytes.Buffer, title, text string) {
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s\n\n%syaml\n%s%s\n", title, fence, strings.TrimRight(text, "\n")+"\n", fence)
}
