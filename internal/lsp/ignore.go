package lsp

import (
	"bytes"
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// ignoring returns the edit that adds a comment which ignores a finding. ok is false if no
// comment can be there.
//
// The comment goes on a line above that of the finding. If the finding is in a scalar of
// several lines, it goes above the key of that, since a comment cannot be inside. Above the
// first key, a comment would count for the whole file: there it goes to the end of the
// line.
func (a *analysis) ignoring(d *diag.Diagnostic) (edit diag.Edit, ok bool) {
	if a.doc == nil || a.doc.Root == nil {
		return edit, false
	}
	line := d.Span.Position().Line
	if start, in := scalarStart(a.doc.Root, d.Span.Start); in {
		line = start.Position().Line
	}
	f := a.file
	content, start := f.Line(line)
	comment := fmt.Sprintf("# wfc:ignore[%s] because …", d.Code.Slug)
	if line > a.doc.Root.Span.Position().Line {
		indent := content[:len(content)-len(bytes.TrimLeft(content, " "))]
		edit = diag.Edit{Span: source.Span{File: f, Start: start, End: start}, New: string(indent) + comment + "\n"}
		if a.takes(edit) {
			return edit, true
		}
	}
	end := start + len(bytes.TrimRight(content, " \t"))
	edit = diag.Edit{Span: source.Span{File: f, Start: end, End: end}, New: " " + comment}
	return edit, a.takes(edit)
}

// takes reports whether an edit adds a comment and changes nothing else.
func (a *analysis) takes(edit diag.Edit) bool {
	f := a.file
	content := string(f.Content[:edit.Span.Start]) + edit.New + string(f.Content[edit.Span.End:])
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile(f.Name, []byte(content)), &bag)
	return !bag.HasErrors() && doc.Root != nil && len(doc.Comments) == len(a.doc.Comments)+1 &&
		!a.doc.Damage([]diag.Edit{edit}, doc).IsValid()
}

// scalarStart returns where the scalar at an offset starts: with its key, or its list
// item.
func scalarStart(n *yamlsrc.Node, offset int) (start source.Span, ok bool) {
	inside := func(v *yamlsrc.Node) bool {
		return !v.Alias.IsValid() && v.Span.Start <= offset && offset < max(v.Span.End, v.Span.Start+1)
	}
	look := func(start source.Span, v *yamlsrc.Node) (source.Span, bool) {
		if v.Kind == yamlsrc.Scalar {
			return start, true
		}
		return scalarStart(v, offset)
	}
	for _, item := range n.Items {
		if inside(item) {
			if at, ok := look(item.Span, item); ok {
				return at, true
			}
		}
	}
	for _, p := range n.Pairs {
		if !p.Merged && inside(p.Value) {
			if at, ok := look(p.Key.Span, p.Value); ok {
				return at, true
			}
		}
	}
	return source.Span{}, false
}
