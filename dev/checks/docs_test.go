package checks

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/explain"
	"github.com/wfc-lang/wfc/cmd/wfc/page"
)

// TestDocs keeps docs/checks.md in step with the codes.
func TestDocs(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "checks.md")
	got := []byte(explain.Index())
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
		t.Error("docs/checks.md is stale; `make docs` writes it")
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	pageLink  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *#*$`)
	htmlID    = regexp.MustCompile(`<a id="([a-z0-9-]+)">`)
	linkText  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// TestLinks follows every relative link of the repository's pages: its file must
// exist, and the file must have the heading of its anchor.
func TestLinks(t *testing.T) {
	root, headings := filepath.Join("..", ".."), map[string]map[string]bool{}
	for _, page := range pages(t, root) {
		text := codeSpan.ReplaceAllString(prose(t, page), "")
		for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
			link := m[1]
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			path, anchor, _ := strings.Cut(link, "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the file of the link %s does not exist", page, link)
				continue
			}
			if anchor == "" {
				continue
			}
			if headings[target] == nil {
				headings[target] = anchors(t, target)
			}
			if !headings[target][anchor] {
				t.Errorf("%s: the page of the link %s has no such heading", page, link)
			}
		}
	}
}

// TestIndex wants the index to lead to each page for users.
func TestIndex(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	index := prose(t, filepath.Join(docs, "README.md"))
	for _, folder := range []string{"guide", "tutorial", "dialects", "reference"} {
		list, err := os.ReadDir(filepath.Join(docs, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if link := "](" + folder + "/" + f.Name() + ")"; !strings.Contains(index, link) {
				t.Errorf("docs/README.md has no link %q", link)
			}
		}
	}
}

// TestAnchors compares anchors with those of GitHub.
func TestAnchors(t *testing.T) {
	for title, want := range map[string]string{
		"Runs in PostgreSQL":          "runs-in-postgresql",
		"`gates: token`":              "gates-token",
		"The task's folder":           "the-tasks-folder",
		"WFC203 unknown-node":         "wfc203-unknown-node",
		"What wfc checks, and *why*":  "what-wfc-checks-and-why",
		"The command [`run`](run.md)": "the-command-run",
		"a_b – c":                     "a_b--c",
	} {
		if got := anchor(title); got != want {
			t.Errorf("anchor(%q) = %q, want %q", title, got, want)
		}
	}
}

// pages returns the Markdown files of the repository outside of test data.
func pages(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && filepath.Ext(name) == ".md" && !strings.Contains(path, "xprompts") {
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("the repository has no pages")
	}
	return list
}

// prose returns a page without its code blocks.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return codeBlock.ReplaceAllString(string(text), "")
}

// anchors returns the anchors of a page's headings.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	set := map[string]bool{}
	for _, m := range htmlID.FindAllStringSubmatch(prose(t, page), -1) {
		set[m[1]] = true
	}
	for _, m := range heading.FindAllStringSubmatch(prose(t, page), -1) {
		set[anchor(m[1])] = true
	}
	return set
}

// anchor returns the anchor of a heading, by the rules of GitHub.
func anchor(title string) string {
	return page.Anchor(linkText.ReplaceAllString(title, "$1"))
}
