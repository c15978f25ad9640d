package site

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/explain"
	"github.com/wfc-lang/wfc/cmd/wfc/page"
	"github.com/wfc-lang/wfc/internal/codes"
)

const repository = "../.."

// A read is what the tests know of a page of the site.
type read struct {
	ids   map[string]bool
	links []string // of <a>
	loads []string // of all other elements
	text  string   // the HTML
}

// build builds the site, with a stand-in for the playground, which has tests of its own.
func build(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "site")
	buildIn(t, out)
	return out
}

func buildIn(t *testing.T, out string) {
	t.Helper()
	err := Write(repository, out, Options{Playground: func(file string) error {
		return os.WriteFile(file, []byte("<!doctype html>\n<title>playground</title>\n"), 0o644)
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSite builds the site of this repository.
func TestSite(t *testing.T) {
	out := build(t)
	t.Run("links", func(t *testing.T) { testLinks(t, out) })
	t.Run("pages", func(t *testing.T) { testPages(t, out) })
	t.Run("marks", func(t *testing.T) { testMarks(t, out) })
	t.Run("same", func(t *testing.T) { testSame(t, out) })
}

// testLinks follows every link. Pages load nothing from elsewhere, and the first page leads
// to all others.
func testLinks(t *testing.T, out string) {
	pages, files := map[string]*read{}, map[string]bool{}
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(out, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		files[relative] = true
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		switch path.Ext(relative) {
		case ".html":
			pages[relative] = parsePage(t, relative, string(content))
		case ".svg":
			if outside := regexp.MustCompile(`(?i)href="[^#]|url\([^#)]|@import|<script`).Find(content); outside != nil {
				t.Errorf("%s contains %s", relative, outside)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 100 {
		t.Fatalf("the site has %d pages", len(pages))
	}
	reached := map[string]bool{"index.html": true}
	for queue := []string{"index.html"}; len(queue) > 0; queue = queue[1:] {
		for _, to := range follow(t, pages, files, queue[0]) {
			if !reached[to] {
				reached[to] = true
				if pages[to] != nil {
					queue = append(queue, to)
				}
			}
		}
	}
	for name := range files {
		if !reached[name] && name != searchIndex {
			t.Errorf("no way leads from the first page to %s", name)
		}
	}
}

// follow checks the links of a page, and returns the files that it leads to.
func follow(t *testing.T, pages map[string]*read, files map[string]bool, name string) []string {
	t.Helper()
	var list []string
	p := pages[name]
	for _, link := range slices.Concat(p.links, p.loads) {
		u, err := url.Parse(link)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
			continue
		case u.Scheme == "https" && !slices.Contains(p.loads, link):
			continue
		case u.Scheme != "" || u.Host != "" || path.IsAbs(u.Path) || u.RawQuery != "":
			t.Errorf("%s refers to %s", name, link)
			continue
		}
		to := name
		if u.Path != "" {
			to = path.Join(path.Dir(name), u.Path)
		}
		if !files[to] {
			t.Errorf("%s: dead link %s", name, link)
			continue
		}
		if u.Fragment != "" && (pages[to] == nil || !pages[to].ids[u.Fragment]) {
			t.Errorf("%s: %s has no such place: %s", name, to, link)
		}
		list = append(list, to)
	}
	return list
}

// parsePage parses a page. It fails for an element that is not closed, for an id that is
// there twice, and for styles that load something.
func parsePage(t *testing.T, name, text string) *read {
	t.Helper()
	p := &read{ids: map[string]bool{}, text: text}
	for _, block := range regexp.MustCompile(`(?s)<style>.*?</style>`).FindAllString(text, -1) {
		if outside := regexp.MustCompile(`(?i)url\(|@import`).FindString(block); outside != "" {
			t.Errorf("%s: its style has %s", name, outside)
		}
	}
	content := regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(text, "")
	d := xml.NewDecoder(strings.NewReader(content))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range element.Attr {
			switch key := strings.ToLower(a.Name.Local); {
			case key == "id":
				if p.ids[a.Value] {
					t.Errorf("%s: the id %s is there twice", name, a.Value)
				}
				p.ids[a.Value] = true
			case key == "href" && element.Name.Local == "a":
				p.links = append(p.links, a.Value)
			case slices.Contains([]string{"href", "src", "srcset", "action", "data", "poster"}, key):
				p.loads = append(p.loads, a.Value)
			case strings.HasPrefix(key, "on") || key == "style":
				t.Errorf("%s: <%s %s>", name, element.Name.Local, key)
			}
		}
	}
}

// testPages checks parts of pages that readers need.
func testPages(t *testing.T, out string) {
	for name, parts := range map[string][]string{
		"index.html":                       {`<title>wfc</title>`, `<img src="docs/recording.svg"`, `<a href="docs/index.html">`, `<figcaption><code>fix.yaml</code></figcaption>`, `<span class="prompt">$ </span>`},
		"docs/guide/agents.html":           {`data-root="../../"`, `aria-current="page">Agents</a>`, `<a href="#check-agents">Check agents</a>`, `rel="prev"`, `rel="next"`},
		"docs/internals/kernel.html":       {`<li class="label">`},
		"docs/checks.html":                 {`<h3 id="wfc203-unknown-node">`, `<mark>`},
		"docs/playground/index.html":       {`<a class="button" href="playground.html">`},
		"examples/triage/index.html":       {`<a href="triage.yaml.html">`, `<img src="graph.svg"`},
		"examples/triage/triage.yaml.html": {`<h1><code>examples/triage/triage.yaml</code></h1>`, `<span class="key">nodes</span>`},
		"examples/extract/letters.html":    {`<ul>`},
	} {
		content, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range parts {
			if !bytes.Contains(content, []byte(part)) {
				t.Errorf("%s does not contain %s", name, part)
			}
		}
	}
}

// testMarks checks that each bad example of a diagnostic has marks where wfc reports faults.
func testMarks(t *testing.T, out string) {
	content, err := os.ReadFile(filepath.Join(out, "docs", "checks.html"))
	if err != nil {
		t.Fatal(err)
	}
	marked := 0
	for _, c := range codes.All() {
		_, section, found := strings.Cut(string(content), `<h3 id="`+page.Anchor(c.ID+" "+c.Slug)+`">`)
		section, _, _ = strings.Cut(section, "<h3")
		want := 0
		for _, e := range codes.DocumentOf(c).Examples {
			want += len(explain.Reported(c, e))
		}
		if !found || strings.Count(section, "<mark>") != want {
			t.Errorf("%s has %d marks, want %d", c.ID, strings.Count(section, "<mark>"), want)
		} else if want > 0 {
			marked++
		}
	}
	if marked == 0 {
		t.Error("no example has a mark")
	}
}

// testSame builds the site again, into the same folder: the files are the same, and what
// else is there goes.
func testSame(t *testing.T, out string) {
	first := contents(t, out)
	if err := os.WriteFile(filepath.Join(out, "stale.html"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	buildIn(t, out)
	second := contents(t, out)
	for name, text := range first {
		if second[name] != text {
			t.Errorf("%s differs", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("the first site has %d files, the second %d", len(first), len(second))
	}
}

// TestFolder checks that a folder with files other than a site stays as it is.
func TestFolder(t *testing.T) {
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(small(t, nil), other, Options{}); err == nil || !strings.Contains(err.Error(), "neither empty nor an earlier site") {
		t.Errorf("a site in a folder with other files: %v", err)
	}
	if list := contents(t, other); len(list) != 1 {
		t.Errorf("the folder has %d files", len(list))
	}
}

// TestAfterFailure builds a site where an earlier attempt has failed.
func TestAfterFailure(t *testing.T) {
	out := t.TempDir()
	if err := Write(small(t, map[string]string{"docs/guide.md": "# A\n\n[x](missing.md)\n"}), out, Options{}); err == nil {
		t.Fatal("a dead link is no error")
	}
	if err := Write(small(t, nil), out, Options{}); err != nil {
		t.Error(err)
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		list[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
