package codes_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
)

func TestLookup(t *testing.T) {
	for _, name := range []string{"WFC801", "wfc801", "unused-ignore"} {
		if c, ok := codes.Lookup(name); !ok || c != codes.UnusedIgnore {
			t.Errorf("Lookup(%q) = %v, %v", name, c, ok)
		}
	}
	for _, name := range []string{"", "WFC000", "WFC8010", "Unused-Ignore"} {
		if c, ok := codes.Lookup(name); ok {
			t.Errorf("Lookup(%q) = %v", name, c)
		}
	}
}

// maxCodes is how many codes there may be.
const maxCodes = 200

func TestDeclarations(t *testing.T) {
	list := codes.All()
	if len(list) > maxCodes {
		t.Errorf("%d codes, want at most %d", len(list), maxCodes)
	}
	names := map[string]bool{}
	for _, c := range list {
		if !regexp.MustCompile(`^WFC[1-9]\d\d$`).MatchString(c.ID) || !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`).MatchString(c.Slug) || names[c.ID] || names[c.Slug] {
			t.Errorf("%s %s: the ID or the slug is malformed or taken twice", c.ID, c.Slug)
		}
		names[c.ID], names[c.Slug] = true, true
	}
	if !slices.IsSortedFunc(list, func(a, b *diag.Code) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the codes are out of order")
	}
}

// TestDocuments checks that each code has a document, and each document a code.
func TestDocuments(t *testing.T) {
	files, err := os.ReadDir("documents")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(codes.All()) {
		t.Errorf("%d documents for %d codes", len(files), len(codes.All()))
	}
	titles := map[string]string{}
	for _, c := range codes.All() {
		doc := codes.DocumentOf(c)
		if doc.Text == "" || strings.TrimSpace(doc.Text) != doc.Text {
			t.Errorf("%s: its document %s.txtar is missing or empty, or has space around its text", c, c)
			continue
		}
		if n := len([]rune(doc.Title)); n < 10 || n > 120 {
			t.Errorf("%s: the title has %d characters, want 10 to 120: begin its document with a short sentence, or with one that has a colon early\n%s", c, n, doc.Title)
		}
		if strings.HasSuffix(doc.Title, ".") || strings.ContainsAny(doc.Title, "\n\t") || strings.Count(doc.Title, "`")%2 != 0 {
			t.Errorf("%s: the title %q", c, doc.Title)
		}
		if other := titles[doc.Title]; other != "" {
			t.Errorf("%s and %s have the same title: %s", other, c, doc.Title)
		}
		titles[doc.Title] = c.ID
		for _, e := range doc.Examples {
			if e.Bad == "" || e.Good == "" {
				t.Errorf("%s: an example has only one of bad and good", c)
			}
		}
	}
}

// TestOwners checks that one package reports each code.
func TestOwners(t *testing.T) {
	declared := map[string]bool{}
	content, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += declare\(`).FindAllSubmatch(content, -1) {
		declared[string(m[1])] = true
	}
	if len(declared) != len(codes.All()) {
		t.Errorf("%d variables for %d codes", len(declared), len(codes.All()))
	}
	owners := map[string][]string{}
	reports := regexp.MustCompile(`\bcodes\.(\w+)\.New\b`)
	for _, top := range []string{"cmd", "compiler", "gen", "internal"} {
		root := filepath.Join("..", "..")
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range reports.FindAllSubmatch(text, -1) {
				name, dir := string(m[1]), filepath.Dir(path)
				if !slices.Contains(owners[name], dir) {
					owners[name] = append(owners[name], dir)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range declared {
		if len(owners[name]) != 1 {
			t.Errorf("%s is reported by %q, want one package", name, owners[name])
		}
	}
}
