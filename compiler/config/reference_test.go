package config_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/formats"
)

var update = flag.Bool("update", false, "write docs/reference")

// TestReference compares the pages that list the keys of each dialect with the
// tables that the front ends decode by.
func TestReference(t *testing.T) {
	for _, f := range allFrontends() {
		path := filepath.Join("..", "..", "docs", "reference", f.Name()+".md")
		introduction := fmt.Sprintf("[%s](../dialects/%s.md) explains how these keys work together.", f.Name(), f.Name())
		if len(formats.Named(f.Name()).Keys) > 0 {
			introduction += " *Since* names the version of newer keys."
		}
		if len(formats.Named(f.Name()).Changes) > 0 {
			introduction += fmt.Sprintf(" `wfc version %s` prints what each version changed.", f.Name())
		}
		page, err := pageOf(keyFormat(f), "Keys of "+f.Name(), introduction)
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

// versionsHead is the head of the table in the page of a format that the test writes.
const versionsHead = "| version | name in the original | compared with | date | recorded |\n|---|---|---|---|---|\n"

// TestReferenceOfVersions compares the table of versions in the page of each format with more
// than one of them with the table of the compiler. The keys are in the reference; `wfc version`
// prints the rules.
func TestReferenceOfVersions(t *testing.T) {
	for _, f := range formats.All {
		path := filepath.Join("..", "..", "docs", "dialects", f.Name+".md")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, found := strings.Cut(string(content), versionsHead)
		if !found {
			if len(f.Versions) > 1 {
				t.Errorf("%s has no table of versions", path)
			}
			continue
		}
		for strings.HasPrefix(rest, "|") {
			_, rest, _ = strings.Cut(rest, "\n")
		}
		page := before + versionsHead + versionRows(f) + rest
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if string(content) != page {
			t.Errorf("the table in %s is not that of the compiler; `make docs` writes it", path)
		}
	}
}

func versionRows(f *formats.Format) string {
	var b strings.Builder
	for _, v := range f.Versions {
		recorded := ""
		if v.Recorded {
			recorded = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s, %s | %s | %s |\n", v.Name, v.Title, v.Repository, v.Origin(), v.Date, recorded)
	}
	return b.String()
}
