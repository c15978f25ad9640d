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
	"github.com/wfc-lang/wfc/compiler/diag"
)

func TestSearch(t *testing.T) {
	for _, test := range []struct{ words, first, instead string }{
		{"unused-ignore", "WFC801", ""},
		{"quotes", "WFC346", ""},
		{"DUPLICATE key", "WFC103", ""},
		{"wfc301", "WFC301", ""},
		{"duplicat id", "WFC202", ""},
		{"dupliacte id", "WFC202", "duplicate id"},
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
	for _, c := range diag.Codes() {
		if Family(c) == "" {
			t.Errorf("%s has no family", c)
		}
		if c.ID == "WFC559" {
			continue // python3 must find the fault
		}
		var plain, colored bytes.Buffer
		codes := []*diag.Code{c}
		if err := WriteText(&plain, codes, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := WriteText(&colored, codes, report.Options{Color: true, Width: 400}); err != nil {
			t.Fatal(err)
		}
		text := uncolored(colored.String())
		if text == colored.String() {
			t.Errorf("%s: no colours", c)
		}
		doc := c.Document()
		for line := range strings.Lines(doc.Bad + doc.Good) {
			line = strings.TrimRight(strings.ReplaceAll(line, "\t", ""), " \n")
			if len(line) < 300 && !strings.Contains(text, strings.TrimLeft(line, " ")) && strings.ToValidUTF8(line, "") == line && !strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("%s: the line %q is missing:\n%s", c, line, text)
			}
		}
		_, example, hasBad := strings.Cut(text, "With the fault:")
		if hasBad && !strings.Contains(example, "| ") {
			t.Errorf("%s: the bad example has no line numbers", c)
		}
		if hasBad && !strings.Contains(example, "^") {
			t.Errorf("%s: the bad example shows no finding:\n%s", c, text)
		}
	}
}

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

func TestTable(t *testing.T) {
	var all, some bytes.Buffer
	if err := WriteTable(&all, diag.Codes(), report.Options{Width: 60, Color: true}); err != nil {
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
	c, _ := diag.Lookup("WFC801")
	if err := WriteTable(&some, []*diag.Code{c}, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "WFC801  warning  unused-ignore  " + c.Title() + "\n"; some.String() != want {
		t.Errorf("%q, want %q", some.String(), want)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, diag.Codes()); err != nil {
		t.Fatal(err)
	}
	var doc jsonDocument
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || len(doc.Diagnostics) != len(diag.Codes()) {
		t.Fatalf("%d diagnostics, %v", len(doc.Diagnostics), err)
	}
	i := slices.IndexFunc(doc.Diagnostics, func(c jsonCode) bool { return c.Slug == "config-key" })
	if c := doc.Diagnostics[i]; c.File != "wfc.yaml" || c.Family != families['1'] || c.Title == "" || c.Bad == "" || c.Good == "" {
		t.Errorf("%+v", c)
	}
}

// TestHTML: the page has a section for each code with its title and examples, and marks a
// place in every bad example in which the text format shows one.
func TestHTML(t *testing.T) {
	var b bytes.Buffer
	if err := WriteHTML(&b, diag.Codes()); err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(b.String(), "<section ")[1:]
	if len(sections) != len(diag.Codes()) {
		t.Fatalf("%d sections for %d codes", len(sections), len(diag.Codes()))
	}
	for i, c := range diag.Codes() {
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(sections[i], ""))
		for _, part := range []string{c.ID + " " + c.Slug, c.Severity.String(), c.Document().Bad, c.Document().Good, c.Document().Config, c.Document().Beside} {
			if !strings.Contains(text, strings.TrimRight(part, "\n")) {
				t.Errorf("%s: %q is missing in\n%s", c, part, sections[i])
			}
		}
		if !strings.HasPrefix(sections[i], `id="`+strings.ToLower(c.ID)+"-"+c.Slug+`">`) {
			t.Errorf("%s: %.60s", c, sections[i])
		}
		if len(Reported(c)) > 0 != strings.Contains(sections[i], "<mark>") {
			t.Errorf("%s: no mark", c)
		}
	}
	if n := strings.Count(b.String(), "<mark>"); n < len(diag.Codes())*9/10 {
		t.Errorf("%d marks", n)
	}
}
