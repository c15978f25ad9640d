package explain

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
)

func TestSearch(t *testing.T) {
	for _, test := range []struct{ words, first, instead string }{
		{"unused-ignore", "WFC801", ""},
		{"quotes", "WFC346", ""},
		{"DUPLICATE key", "WFC103", ""},
		{"wfc301", "WFC301", ""},
		{"duplicat key", "WFC103", ""},
		{"dupliacte key", "WFC103", "duplicate key"},
		{"unqoted", "WFC347", "unquoted"},
		{"gibberishly", "", ""},
		{"", "", ""},
	} {
		found, instead := Search(strings.Fields(test.words))
		first := ""
		if len(found) > 0 {
			first = found[0].ID
		}
		if first != test.first || instead != test.instead {
			t.Errorf("%q: %s first of %v, searched %q", test.words, first, found, instead)
		}
	}
}

// TestEveryCode explains every code in each format: with colours, the bad example shows
// the finding and nothing of the examples is lost.
func TestEveryCode(t *testing.T) {
	for _, c := range codes.All() {
		if Family(c) == "" {
			t.Errorf("%s has no family", c)
		}
		if c.ID == "WFC500" {
			continue // python3 must find the fault
		}
		var plain, colored bytes.Buffer
		if err := WriteText(&plain, []*diag.Code{c}, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := WriteText(&colored, []*diag.Code{c}, report.Options{Color: true, Width: 400}); err != nil {
			t.Fatal(err)
		}
		text := uncolored(colored.String())
		if text == colored.String() {
			t.Errorf("%s: no colours", c)
		}
		examples, shown := codes.DocumentOf(c).Examples, ""
		for _, e := range examples {
			shown += e.Bad + e.Good
		}
		for line := range strings.Lines(shown) {
			line = strings.TrimRight(strings.ReplaceAll(line, "\t", ""), " \n")
			if len(line) < 300 && !strings.Contains(text, strings.TrimLeft(line, " ")) && strings.ToValidUTF8(line, "") == line && !strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("%s: the line %q is missing:\n%s", c, line, text)
			}
		}
		for i, part := range strings.Split(text, "With the fault:")[1:] {
			bad, _, _ := strings.Cut(part, "Without it:")
			if !strings.Contains(bad, "| ") || !strings.Contains(bad, "^") && !needsPython(examples[i]) {
				t.Errorf("%s: the bad example shows no finding, or has no line numbers:\n%s", c, bad)
			}
		}
	}
}

// needsPython reports whether python3 must find the fault of an example.
func needsPython(e codes.Example) bool { return strings.Contains(e.Bad, "python: ") }

// uncolored removes the escape sequences of colours.
func uncolored(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(after, "m")
	}
}

// The text about values in programs lists the programs of the compiler's table, in each format.
func TestPrograms(t *testing.T) {
	c, _ := codes.Lookup("WFC510")
	var text, page, document strings.Builder
	for _, err := range []error{WriteText(&text, []*diag.Code{c}, report.Options{}), WriteHTML(&page, []*diag.Code{c}), WriteJSON(&document, []*diag.Code{c})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, got := range map[string]string{"text": text.String(), "html": page.String(), "json": document.String(), "markdown": Markdown([]*diag.Code{c})} {
		for _, want := range append(compiler.Programs(), "Any other program gets its arguments unchecked.") {
			if !strings.Contains(strings.NewReplacer("\n", " ", `\n`, " ").Replace(got), want) {
				t.Errorf("%s does not contain %q", name, want)
			}
		}
	}
	if known := compiler.Programs(); !slices.Contains(known, "make") || !slices.Contains(known, "xargs") || !slices.Contains(known, "eval") {
		t.Errorf("known: %q", known)
	}
}

func TestTable(t *testing.T) {
	var all, some bytes.Buffer
	if err := WriteTable(&all, codes.All(), report.Options{Width: 60, Color: true}); err != nil {
		t.Fatal(err)
	}
	text := uncolored(all.String())
	for _, family := range families {
		if strings.Contains(text, "\n"+family+"\n") != (family != families['1'] && family != families['6']) {
			t.Errorf("the heading %q", family)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(line)); n > 61 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	c, _ := codes.Lookup("WFC801")
	if err := WriteTable(&some, []*diag.Code{c}, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "WFC801  warning  unused-ignore  " + codes.DocumentOf(c).Title + "\n"; some.String() != want {
		t.Errorf("%q, want %q", some.String(), want)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, codes.All()); err != nil {
		t.Fatal(err)
	}
	var doc jsonDocument
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || len(doc.Diagnostics) != len(codes.All()) {
		t.Fatalf("%d diagnostics, %v", len(doc.Diagnostics), err)
	}
	i := slices.IndexFunc(doc.Diagnostics, func(c jsonCode) bool { return c.Code == "WFC153" })
	if c := doc.Diagnostics[i]; c.Family != families['1'] || c.Title == "" || len(c.Examples) != 1 || !c.Examples[0].IsConfig || c.Examples[0].Bad == "" || c.Examples[0].Good == "" {
		t.Errorf("%+v", c)
	}
}

// TestHTML: the page has a section for each code with its title and examples, and marks a
// place in every bad example in which the text format shows one.
func TestHTML(t *testing.T) {
	var b bytes.Buffer
	if err := WriteHTML(&b, codes.All()); err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(b.String(), "<section ")[1:]
	if len(sections) != len(codes.All()) {
		t.Fatalf("%d sections for %d codes", len(sections), len(codes.All()))
	}
	for i, c := range codes.All() {
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(sections[i], ""))
		parts, marks := []string{c.ID + " " + c.Slug, c.Severity.String()}, 0
		for _, e := range codes.DocumentOf(c).Examples {
			parts = append(parts, e.Bad, e.Good, e.Config, e.Beside)
			marks += len(Reported(c, e))
		}
		for _, part := range parts {
			if !strings.Contains(text, strings.TrimRight(part, "\n")) {
				t.Errorf("%s: %q is missing in\n%s", c, part, sections[i])
			}
		}
		if !strings.HasPrefix(sections[i], `id="`+strings.ToLower(c.ID)+"-"+c.Slug+`">`) {
			t.Errorf("%s: %.60s", c, sections[i])
		}
		if strings.Count(sections[i], "<mark>") != marks {
			t.Errorf("%s: %d marks, want %d", c, strings.Count(sections[i], "<mark>"), marks)
		}
	}
	if n := strings.Count(b.String(), "<mark>"); n < len(codes.All())*9/10 {
		t.Errorf("%d marks", n)
	}
}
