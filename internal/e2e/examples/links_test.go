//go:build unix

package examples

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	span    = regexp.MustCompile("`[^`\n]*`")
	heading = regexp.MustCompile(`^#+ (.*)$`)
)

// TestLinks fails when a link of a page leads to a file or a heading that does not
// exist.
func TestLinks(t *testing.T) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if filepath.Base(file) == "checks.md" {
				continue // it quotes code that looks like a link
			}
			for _, target := range links(t, file) {
				if !leadsTo(t, file, target) {
					t.Errorf("%s: nothing at %s", strings.TrimPrefix(file, root+"/"), target)
				}
			}
		}
	}
}

// links returns the targets of the links in a page, apart from those outside of the
// repository.
func links(t *testing.T, file string) []string {
	t.Helper()
	var targets []string
	for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(prose(t, file), "code"), -1) {
		if !strings.Contains(m[1], ":") {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// leadsTo reports whether the target of a link in a page exists.
func leadsTo(t *testing.T, page, target string) bool {
	t.Helper()
	name, anchor, _ := strings.Cut(target, "#")
	file := page
	if name != "" {
		file = filepath.Join(filepath.Dir(page), name)
	}
	if !exists(file) {
		return false
	}
	if anchor == "" || filepath.Ext(file) != ".md" {
		return true
	}
	for line := range strings.Lines(prose(t, file)) {
		if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil && slug(m[1]) == anchor {
			return true
		}
	}
	return false
}

// prose returns a page without its fenced blocks.
func prose(t *testing.T, file string) string {
	t.Helper()
	lines := strings.Split(read(t, file), "\n")
	for _, b := range blocks(lines) {
		clear(lines[b.first:b.last])
	}
	return strings.Join(lines, "\n")
}

// slug returns the anchor of a heading, as GitHub forms it.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
