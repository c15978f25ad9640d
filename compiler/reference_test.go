package compiler

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
)

var update = flag.Bool("update", false, "write docs/reference")

// TestReference compares the pages that list the keys of each dialect with the
// tables that the front ends decode by.
func TestReference(t *testing.T) {
	for _, f := range frontends() {
		path := filepath.Join("..", "docs", "reference", f.Name()+".md")
		page := reference(t, f.Name(), f.Tables())
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != page {
			t.Errorf("%s is not what the tables say (%v); `make docs` writes it", path, err)
		}
	}
}

// keysHead is the head of the table of all keys in the page of archon.
const keysHead = "| key | where | since | wfc |\n|---|---|---|---|\n"

// TestReferenceOfVersions compares the table of all keys in the page of archon with the
// tables that the front end decodes by.
func TestReferenceOfVersions(t *testing.T) {
	path := filepath.Join("..", "docs", "dialects", "archon.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), keysHead)
	if !found {
		t.Fatal("the page has no table of all keys")
	}
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	var b strings.Builder
	for _, table := range (archon.Frontend{}).Tables() {
		for _, k := range table.Keys {
			support := "supported"
			if strings.HasPrefix(k.Doc, "Not supported") {
				support = "not yet"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, table.Level.Where, k.Since, support)
		}
	}
	want := before + keysHead + b.String() + rest
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("the table of all keys in %s is not what the front end says; `make docs` writes it", path)
	}
}

// reference returns the page of a dialect.
func reference(t *testing.T, name string, tables []decode.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Keys of %s\n\nEvery key of the format, from the tables that the compiler reads files by. "+
		"[The %s page](../dialects/%s.md) explains how they work together.\n", name, name, name)
	listed := map[string]bool{}
	for _, table := range tables {
		listed[table.Level.Where] = true
	}
	for _, table := range tables {
		fmt.Fprintf(&b, "\n## %s\n\n| key | value | |\n|---|---|---|\n", heading(table.Level))
		for _, k := range table.Keys {
			if k.Doc == "" {
				t.Errorf("%s: the key %s %s has no description", name, k.Name, table.Level.Where)
			}
			doc := k.Doc
			if k.Required {
				doc = "Required. " + doc
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, linked(t, k.Shape, listed), strings.ReplaceAll(doc, "|", "\\|"))
		}
	}
	return b.String()
}

// heading is the heading of a level: "On a node".
func heading(l decode.Level) string {
	where := strings.TrimSuffix(strings.TrimSuffix(l.Where, "`"), ":")
	if where != l.Where && strings.HasSuffix(l.Where, ":`") {
		where += "`"
	}
	return strings.ToUpper(where[:1]) + where[1:]
}

// linked describes a shape, with links to the tables of its objects.
func linked(t *testing.T, s decode.Shape, listed map[string]bool) string {
	text := s.String()
	for _, l := range levels(s) {
		if !listed[l.Where] {
			t.Errorf("no table lists the keys %s", l.Where)
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '`', r == '.', r == ':':
				return -1
			}
			return r
		}, strings.ToLower(heading(*l)))
		object := "object"
		if strings.Contains(text, "objects") {
			object = "objects"
		}
		text = strings.Replace(text, object, "["+object+"](#"+anchor+")", 1)
	}
	return text
}

// levels returns the levels of the objects in a shape.
func levels(s decode.Shape) []*decode.Level {
	var list []*decode.Level
	if s.Level != nil {
		list = append(list, s.Level)
	}
	if s.Of != nil {
		list = append(list, levels(*s.Of)...)
	}
	if s.Or != nil {
		list = append(list, levels(*s.Or)...)
	}
	return list
}
