package compiler

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
)

var update = flag.Bool("update", false, "write docs/reference")

// TestReference compares the pages that list the keys of each dialect with the
// tables that the front ends decode by.
func TestReference(t *testing.T) {
	for _, f := range allFrontends() {
		path := filepath.Join("..", "docs", "reference", f.Name()+".md")
		page, err := keyFormat(f).Page("Keys of "+f.Name(), fmt.Sprintf("Every key of the format, from the tables that the compiler reads files by. "+
			"[The %s page](../dialects/%s.md) explains how they work together.", f.Name(), f.Name()))
		if err != nil {
			t.Error(err)
		}
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
			switch {
			case strings.HasPrefix(k.Doc, "Not supported"):
				support = "not yet: an error (WFC128)"
			case strings.HasPrefix(k.Doc, "Was removed"):
				support = "removed from the format: an error (WFC128)"
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
