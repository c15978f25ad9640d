package site

import (
	"encoding/json"
	"strings"

	"github.com/yuin/goldmark/ast"
)

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
