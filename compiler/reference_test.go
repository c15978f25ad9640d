package compiler

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
		path := filepath.Join("..", "docs", "reference", f.Name()+".md")
		introduction := fmt.Sprintf("Every key of the format, from the tables that the compiler reads files by. "+
			"[The %s page](../dialects/%s.md) explains how they work together.", f.Name(), f.Name())
		if len(formats.Named(f.Name()).Keys) > 0 {
			introduction += " A key with a version came with that version of the original; the others are older."
		}
		page, err := keyFormat(f).Page("Keys of "+f.Name(), introduction)
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

// The heads of the tables in the pages of formats that the tests write.
const (
	versionsHead = "| version | name in the original | compared with | date | recorded |\n|---|---|---|---|---|\n"
	rulesHead    = "| topic | before | since | newer rule | from |\n|---|---|---|---|---|\n"
)

// TestReferenceOfVersions compares the tables of versions and rules in the pages of the
// formats with the tables of the compiler. A page shows those that its format has.
func TestReferenceOfVersions(t *testing.T) {
	for _, f := range formats.All {
		path := filepath.Join("..", "docs", "dialects", f.Name+".md")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page := string(content)
		for head, rows := range map[string]string{versionsHead: versionRows(f), rulesHead: ruleRows(f)} {
			before, rest, found := strings.Cut(page, head)
			if !found {
				if rows != "" && (head != versionsHead || len(f.Versions) > 1) {
					t.Errorf("%s has no table %s", path, head)
				}
				continue
			}
			for strings.HasPrefix(rest, "|") {
				_, rest, _ = strings.Cut(rest, "\n")
			}
			page = before + head + rows + rest
		}
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if string(content) != page {
			t.Errorf("the tables in %s are not those of the compiler; `make docs` writes them", path)
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

// ruleRows has the rules that versions of a format changed.
func ruleRows(f *formats.Format) string {
	var b strings.Builder
	for _, c := range f.Changes {
		since := c.Since
		if c.Named {
			since += ", if `wfc.yaml` names it"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.Topic, c.Before, since, c.After, f.SourceOf(c))
	}
	return b.String()
}
