package diag_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

func TestLookup(t *testing.T) {
	for _, name := range []string{"WFC801", "wfc801", "unused-ignore"} {
		if c, ok := diag.Lookup(name); !ok || c.ID != "WFC801" {
			t.Errorf("Lookup(%q) = %v, %v", name, c, ok)
		}
	}
	for _, name := range []string{"", "WFC000", "WFC8010", "Unused-Ignore"} {
		if c, ok := diag.Lookup(name); ok {
			t.Errorf("Lookup(%q) = %v", name, c)
		}
	}
}

func TestCodesAreInOrder(t *testing.T) {
	if !slices.IsSortedFunc(diag.Codes(), func(a, b *diag.Code) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	}) {
		t.Error("codes are out of order, or one ID stands twice")
	}
}

// Codes of former versions are not used for anything else.
func TestRetiredCodesStayUnused(t *testing.T) {
	for _, id := range []string{"WFC120", "WFC161", "WFC390", "WFC391", "WFC392", "WFC393", "WFC490", "WFC511", "WFC512", "WFC513", "WFC514", "WFC515", "WFC516", "WFC517", "WFC733"} {
		if c, ok := diag.Lookup(id); ok {
			t.Errorf("%s is retired and has the name %s again", id, c.Slug)
		}
	}
}

func TestBag(t *testing.T) {
	file := source.NewFile("f", []byte("abc"))
	at := func(i int) source.Span { return source.Span{File: file, Start: i, End: i + 1} }
	var b diag.Bag
	b.Add(finding.YAMLSyntax(at(2), "x"), nil, finding.BadDirective(at(1), "p", source.Span{}, ""), finding.YAMLSyntax(at(1), "x"), finding.YAMLSyntax(at(2), "x"), finding.YAMLSyntax(at(1), "w"))
	var got []string
	for _, d := range b.Sorted() {
		got = append(got, d.Code.ID+" "+d.Span.Text()+" "+d.Message[len(d.Message)-1:])
	}
	want := []string{"WFC101 b w", "WFC101 b x", "WFC804 b p", "WFC101 c x"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !b.HasErrors() || b.Len() != 5 {
		t.Errorf("HasErrors %v, Len %d", b.HasErrors(), b.Len())
	}
	if diag.HasErrors([]*diag.Diagnostic{finding.BadDirective(at(0), "p", source.Span{}, "")}) {
		t.Error("a warning counts as an error")
	}
}

// TestDocuments checks that each code has a document, and each document a code.
func TestDocuments(t *testing.T) {
	files, err := os.ReadDir("codes")
	if err != nil {
		t.Fatal(err)
	}
	codes := diag.Codes()
	if len(files) != len(codes) {
		t.Errorf("%d documents for %d codes", len(files), len(codes))
	}
	for _, c := range codes {
		if c.Document().Text == "" {
			t.Errorf("the document of %s has no text", c)
		}
	}
}

// TestTitles checks that each code has a title that fits into a table: at most 120
// characters of one sentence, without markup at its ends.
func TestTitles(t *testing.T) {
	seen := map[string]string{}
	for _, c := range diag.Codes() {
		title := c.Title()
		if n := len([]rune(title)); n < 10 || n > 120 {
			t.Errorf("%s: the title has %d characters, want 10 to 120: begin its document with a short sentence, or with one that has a colon early\n%s", c, n, title)
		}
		if strings.HasSuffix(title, ".") || strings.ContainsAny(title, "\n\t") || strings.Count(title, "`")%2 != 0 {
			t.Errorf("%s: the title %q", c, title)
		}
		if other := seen[title]; other != "" {
			t.Errorf("%s and %s have the same title: %s", other, c, title)
		}
		seen[title] = c.ID
	}
}
