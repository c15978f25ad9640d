package site

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A group is a part of the navigation, with entries that may have labels between them.
type group struct {
	title   string
	entries []entry
}

// An entry leads to a document, or is a label if it names none.
type entry struct {
	label, path string
}

// A chapter is a document that lists those of a folder. It becomes a separate group after
// the group that links it.
type chapter struct {
	folder string
	// labels keeps the titles of its sections.
	labels bool
}

var chapters = map[string]chapter{
	"examples/README.md":       {"examples/", false},
	"docs/internals/README.md": {"docs/internals/", true},
}

// navigation makes the groups from the links of the index and of chapters. Documents of
// the root that these leave out are the last group.
func (b *builder) navigation() []group {
	groups := []group{{"wfc", []entry{{"Overview", home}, {"All pages", index}}}}
	listed := map[string]bool{home: true}
	for _, g := range b.lists(index) {
		var following []group
		g.entries = slices.DeleteFunc(b.clean(g.entries), func(e entry) bool {
			listed[e.path] = true
			c, ok := chapters[e.path]
			if ok {
				following = append(following, b.chapter(e.path, c))
			}
			return ok
		})
		groups = append(append(groups, g), following...)
	}
	var rest []entry
	for _, name := range b.order {
		if !listed[name] && !strings.Contains(name, "/") {
			rest = append(rest, entry{b.documents[name].title, name})
		}
	}
	return append(groups, group{"Project", rest})
}

// chapter makes one group of a document's lists.
func (b *builder) chapter(name string, c chapter) group {
	g := group{b.documents[name].title, []entry{{"Overview", name}}}
	for _, list := range b.lists(name) {
		list.entries = slices.DeleteFunc(b.clean(list.entries), func(e entry) bool {
			listed := slices.ContainsFunc(g.entries, func(other entry) bool { return other.path == e.path })
			return listed || !strings.HasPrefix(e.path, c.folder)
		})
		if c.labels && len(list.entries) > 0 {
			g.entries = append(g.entries, entry{label: list.title})
		}
		g.entries = append(g.entries, list.entries...)
	}
	return g
}

// lists returns the documents that each section of a document links.
func (b *builder) lists(name string) []group {
	d := b.documents[name]
	var groups []group
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			groups = append(groups, group{title: d.text(h)})
			continue
		}
		g := &groups[len(groups)-1]
		ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			link, ok := n.(*ast.Link)
			if !ok || !entering {
				return ast.WalkContinue, nil
			}
			to, fragment, _ := strings.Cut(string(link.Destination), "#")
			to = path.Join(path.Dir(name), to)
			if b.documents[to] != nil && fragment == "" {
				g.entries = append(g.entries, entry{d.text(link), to})
			}
			return ast.WalkContinue, nil
		})
	}
	return groups
}

// clean keeps the first entry of each document. It replaces labels that are not titles,
// such as the names of files and formats, by the titles of their documents.
func (b *builder) clean(entries []entry) []entry {
	var kept []entry
	for _, e := range entries {
		if slices.ContainsFunc(kept, func(other entry) bool { return other.path == e.path }) {
			continue
		}
		if first := e.label[0]; first >= 'a' && first <= 'z' || strings.HasSuffix(e.label, ".md") {
			e.label = b.documents[e.path].title
		}
		kept = append(kept, e)
	}
	return kept
}

// writeNavigation writes the navigation of a page. d is its document, or nil.
func (b *builder) writeNavigation(w *strings.Builder, from string, d *document) {
	outlined := false
	w.WriteString("<nav id=\"site.pages\" aria-label=\"Pages\">\n")
	for i, g := range b.groups {
		if len(g.entries) == 0 {
			continue
		}
		open := ""
		if slices.ContainsFunc(g.entries, func(e entry) bool { return e.path == from }) || i < 2 && (d == nil || from == home) {
			open = " open"
		}
		fmt.Fprintf(w, "<details%s><summary>%s</summary>\n<ul>\n", open, html.EscapeString(g.title))
		for _, e := range g.entries {
			if e.path == "" {
				fmt.Fprintf(w, "<li class=\"label\">%s</li>\n", html.EscapeString(e.label))
				continue
			}
			current := ""
			if e.path == from {
				current = " aria-current=\"page\""
			}
			fmt.Fprintf(w, "<li><a href=\"%s\"%s>%s</a>", relative(from, target(e.path)), current, html.EscapeString(e.label))
			if e.path == from && !outlined {
				outlined = true
				writeOutline(w, d)
			}
			w.WriteString("</li>\n")
		}
		w.WriteString("</ul>\n</details>\n")
	}
	w.WriteString("</nav>\n")
}

// writeOutline writes the links to the sections of a document.
func writeOutline(w *strings.Builder, d *document) {
	var items strings.Builder
	for _, h := range d.headings {
		if h.level == 2 {
			fmt.Fprintf(&items, "<li><a href=\"#%s\">%s</a></li>\n", html.EscapeString(h.anchor), html.EscapeString(h.text))
		}
	}
	if items.Len() > 0 {
		fmt.Fprintf(w, "\n<ul>\n%s</ul>\n", items.String())
	}
}

// neighbours returns the documents before and after one in the navigation, or empty entries.
func (b *builder) neighbours(name string) (before, after entry) {
	var list []entry
	for _, g := range b.groups {
		for _, e := range g.entries {
			if e.path != "" {
				if e.label == "Overview" {
					e.label = b.documents[e.path].title
				}
				list = append(list, e)
			}
		}
	}
	i := slices.IndexFunc(list, func(e entry) bool { return e.path == name })
	if i > 0 {
		before = list[i-1]
	}
	if i >= 0 && i+1 < len(list) {
		after = list[i+1]
	}
	return before, after
}
