package site

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/wfc-lang/wfc/cmd/wfc/page"
)

var (
	//go:embed style.css
	style string
	//go:embed search.js
	script string
)

// writePage writes the page of a document.
func (b *builder) writePage(d *document, body string) error {
	if d.path == playground && b.options.Playground != nil {
		body = strings.Replace(body, "</h1>\n", "</h1>\n<p><a class=\"button\" href=\""+relative(d.path, playgroundPage)+"\">Open the playground</a></p>\n", 1)
	}
	title := d.title
	if d.path != home {
		title += " · wfc"
	}
	before, after := b.neighbours(d.path)
	var foot strings.Builder
	if before.path != "" {
		fmt.Fprintf(&foot, "<a rel=\"prev\" href=\"%s\">← %s</a>\n", relative(d.path, target(before.path)), html.EscapeString(before.label))
	}
	if after.path != "" {
		fmt.Fprintf(&foot, "<a rel=\"next\" href=\"%s\">%s →</a>\n", relative(d.path, target(after.path)), html.EscapeString(after.label))
	}
	return b.frame(d.path, d, title, body+"<footer>\n"+foot.String()+"</footer>\n")
}

// writeFile writes a file that a document links: a picture as it is, another file as a page
// with its text, and a folder as a list.
func (b *builder) writeFile(name string) error {
	info, err := os.Stat(b.source(name))
	if err != nil {
		return err
	}
	if info.IsDir() {
		return b.writeFolder(name)
	}
	content, err := os.ReadFile(b.source(name))
	if err != nil {
		return err
	}
	if picture(name) {
		return b.write(name, content)
	}
	if !utf8.Valid(content) {
		b.errs = append(b.errs, fmt.Errorf("a page links %s, which is neither a picture nor text", name))
		return nil
	}
	return b.frame(name, nil, name, title(name)+codeBlock("", languageOf(name), string(content), nil))
}

// writeFolder writes the list of the files in a folder.
func (b *builder) writeFolder(name string) error {
	entries, err := os.ReadDir(b.source(name))
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range entries {
		file, err := b.find(path.Join(name, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "<li><a href=\"%s\">%s</a></li>\n", relative(name, target(file)), html.EscapeString(e.Name()))
	}
	return b.frame(name, nil, name, title(name)+"<ul>\n"+list.String()+"</ul>\n")
}

// title is the heading of a file.
func title(name string) string {
	return "<h1><code>" + html.EscapeString(name) + "</code></h1>\n"
}

// frame writes a page with navigation and search. from is its path in the repository, d its
// document, or nil. Ids of the frame have a dot, which anchors of headings never have.
func (b *builder) frame(from string, d *document, title, main string) error {
	root := strings.Repeat("../", strings.Count(target(from), "/"))
	var body strings.Builder
	fmt.Fprintf(&body, "<article>\n%s</article>\n", main)
	b.writeNavigation(&body, from, d)
	// For a page that is opened as a file, 'self' may not include other files.
	sources := []string{"img-src 'self' file:", "script-src 'self' file:"}
	var out bytes.Buffer
	err := page.Write(&out, page.Page{
		Title: title, Style: style, Script: script, Body: body.String(),
		Header: fmt.Sprintf("<a class=\"home\" href=\"%sindex.html\">wfc</a>\n<a class=\"menu\" href=\"#site.pages\">Pages</a>\n"+
			"<form role=\"search\" data-root=\"%s\" hidden><input type=\"search\" name=\"q\" autocomplete=\"off\" placeholder=\"Search\" aria-label=\"Search all pages\" aria-controls=\"site.results\"><div id=\"site.results\" class=\"results\" aria-live=\"polite\"></div></form>\n", root, root),
		Sources: sources,
	})
	if err != nil {
		return err
	}
	return b.write(target(from), out.Bytes())
}

// A section is a part of a document that the search finds: from a heading of levels 1 to 3
// to the next one.
type section struct {
	heading, anchor, text string
}

// divide divides a document into sections.
func (d *document) divide() []section {
	var sections []section
	var text strings.Builder
	end := func() {
		if len(sections) > 0 {
			sections[len(sections)-1].text = strings.Join(strings.Fields(text.String()), " ")
		}
		text.Reset()
	}
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level <= 3 {
			end()
			id, _ := h.AttributeString("id")
			sections = append(sections, section{heading: d.text(h), anchor: string(id.([]byte))})
			continue
		}
		text.WriteString(d.text(n) + " ")
	}
	end()
	return sections
}

// writeIndex writes the index of the search: a script that calls wfcIndex with a list of
// pages, each an address, a title and sections of a heading, an anchor and a text. It is a
// script because pages of files can load no other data.
func (b *builder) writeIndex() error {
	var pages []any
	for _, name := range b.order {
		d := b.documents[name]
		sections := []any{}
		for _, s := range d.sections {
			sections = append(sections, []string{s.heading, s.anchor, s.text})
		}
		pages = append(pages, []any{target(name), d.title, sections})
	}
	content, err := json.Marshal(pages)
	if err != nil {
		return err
	}
	return b.write(searchIndex, []byte("wfcIndex("+string(content)+")\n"))
}
