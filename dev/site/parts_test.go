package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small writes a repository of a few documents: those that every site needs, and the given
// ones.
func small(t *testing.T, documents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"README.md": "# wfc\n\n[all](docs/README.md)\n", "CHANGELOG.md": "# Changelog\n", "CODE_OF_CONDUCT.md": "# Conduct\n",
		"CONTRIBUTING.md": "# Contributing\n", "SECURITY.md": "# Security\n", "examples/README.md": "# Examples\n",
		"docs/README.md": "# Documentation\n\n## Use\n\n- [Guide](page.md)\n", "docs/page.md": "# Guide\n",
	}
	for name, text := range documents {
		all[name] = text
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFaults names each fault of a document.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"# A\n\n[x](missing.md)\n":         "docs/page.md: the link missing.md: docs/missing.md does not exist",
		"# A\n\n![x](missing.svg)\n":       "docs/page.md: the link missing.svg: docs/missing.svg does not exist",
		"# A\n\n[x](#b)\n":                 "docs/page.md: the page of the link #b has no such heading",
		"# A\n\n[x](README.md#b)\n":        "docs/page.md: the page of the link README.md#b has no such heading",
		"# A\n\n[x](../LICENSE#b)\n":       "does not exist",
		"# A\n\n[x](../../outside.md)\n":   "it leaves the repository",
		"# A\n\n[x](/docs/README.md)\n":    "neither relative nor of the scheme https",
		"# A\n\n[x](http://a.example)\n":   "neither relative nor of the scheme https",
		"# A\n\n[x](//a.example/b)\n":      "neither relative nor of the scheme https",
		"# A\n\n![x](https://a.b/c.svg)\n": "docs/page.md: the picture https://a.b/c.svg is on another site",
		"# A\n\n<script>x</script>\n":      "docs/page.md: HTML: <script>x</script>",
		"# A\n\nx <img src=y> z\n":         "docs/page.md: HTML in the text: <img src=y>",
		"text\n":                           "does not start with a heading of level 1",
	} {
		err := Write(small(t, map[string]string{"docs/page.md": text}), filepath.Join(t.TempDir(), "out"), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %s", text, err, want)
		}
	}
}

// TestAnchors compares the anchors of headings with those of GitHub.
func TestAnchors(t *testing.T) {
	d, err := parse("x.md", []byte("# A `b_c`\n\n## The task's folder\n\n## Twice\n\n## Twice\n\n## *One* [link](x.md) – \\*x\\* &lt;\n\n```\n# no heading\n```\n\nSet\n---\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range d.headings {
		got = append(got, h.anchor)
	}
	if want := []string{"a-b_c", "the-tasks-folder", "twice", "twice-1", "one-link--x-", "set"}; !slices.Equal(got, want) {
		t.Errorf("the anchors are %q, want %q", got, want)
	}
}

// TestNavigation checks the groups of a small site.
func TestNavigation(t *testing.T) {
	dir := small(t, map[string]string{
		"docs/README.md":           "# Documentation\n\n## Start\n\n| page | |\n|---|---|\n| [Install](install.md) | x |\n\n## Use\n\n- [Running](guide/run.md), [running again](guide/run.md), [outside](https://a.example)\n\n## Contribute\n\n- [Internals](internals/README.md)\n- [CONTRIBUTING.md](../CONTRIBUTING.md)\n",
		"docs/install.md":          "# Installing\n",
		"docs/guide/run.md":        "# Run\n",
		"docs/internals/README.md": "# Internals\n\n## Check\n\n- [Rules](rules.md): see [there](../install.md).\n\n## Nothing\n\n- [Install](../install.md)\n\n## Run\n\n- [`kernel`](kernel.md)\n",
		"docs/internals/rules.md":  "# Rules\n",
		"docs/internals/kernel.md": "# Kernel\n",
	})
	b := &builder{repository: dir, documents: map[string]*document{}}
	if err := b.read(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, g := range b.navigation() {
		line := g.title + ":"
		for _, e := range g.entries {
			line += " " + e.label + "=" + e.path
		}
		lines = append(lines, line)
	}
	want := []string{
		"wfc: Overview=README.md All pages=docs/README.md",
		"Start: Install=docs/install.md",
		"Use: Running=docs/guide/run.md",
		"Contribute: Contributing=CONTRIBUTING.md",
		"Internals: Overview=docs/internals/README.md Check= Rules=docs/internals/rules.md Run= Kernel=docs/internals/kernel.md",
		"Project: Changelog=CHANGELOG.md Conduct=CODE_OF_CONDUCT.md Security=SECURITY.md",
	}
	got := slices.DeleteFunc(lines, func(line string) bool { return line == "Documentation:" })
	if !slices.Equal(got, want) {
		t.Errorf("the navigation is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSections checks what the search finds.
func TestSections(t *testing.T) {
	d, err := parse("x.md", []byte("# A\n\nOne `two`\nthree.\n\n| a | b |\n|---|---|\n| c | d&lt; |\n\n## B\n\n```yaml\nkey: 1\n```\n\n#### C\n\n- e\\*\n- f\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []section{{"A", "a", "One two three. a b c d<"}, {"B", "b", "key: 1 C e* f"}}
	if !slices.Equal(d.sections, want) {
		t.Errorf("the sections are %q, want %q", d.sections, want)
	}
}

// TestMarks checks that marks surround coloured parts.
func TestMarks(t *testing.T) {
	for _, test := range []struct {
		marks []span
		want  string
	}{
		{nil, `<span class="key">a</span>: &lt;b`},
		{[]span{{0, 1}}, `<mark><span class="key">a</span></mark>: &lt;b`},
		{[]span{{0, 5}}, `<mark><span class="key">a</span>: &lt;b</mark>`},
		{[]span{{1, 2}, {2, 3}}, `<span class="key">a</span><mark>:</mark><mark> </mark>&lt;b`},
		{[]span{{4, 5}}, `<span class="key">a</span>: &lt;<mark>b</mark>`},
	} {
		want := "<pre tabindex=\"0\"><code>" + test.want + "</code></pre>\n"
		if got := codeBlock("", "yaml", "a: <b", test.marks); got != want {
			t.Errorf("%v\n%s\nwant\n%s", test.marks, got, want)
		}
	}
}
