package site

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/explain"
)

// marksAttribute is the attribute of a block of code with its marks.
const marksAttribute = "marks"

// A span is a part of a code, in bytes.
type span struct {
	start, end int
}

// markFaults marks the places that wfc reports in the bad examples of the diagnostics. It
// finds an example after the heading of its code.
func markFaults(d *document) {
	codes := map[string]*diag.Code{}
	for _, c := range diag.Codes() {
		codes[c.ID] = c
	}
	var code *diag.Code
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			id, _, _ := strings.Cut(d.text(n), " ")
			code = codes[id]
		case *ast.FencedCodeBlock:
			text := string(n.Lines().Value(d.source))
			if code == nil || text != strings.TrimRight(code.Document().Bad, "\n")+"\n" {
				continue
			}
			var marks []span
			for _, s := range explain.Reported(code) {
				if end := min(s.End, len(text)); s.Start < end {
					marks = append(marks, span{s.Start, end})
				}
			}
			n.SetAttributeString(marksAttribute, marks)
		}
	}
}
