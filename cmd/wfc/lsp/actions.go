package lsp

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// codeActions offers the fixes of the findings in a range, comments that ignore them, and
// all sure fixes at once.
func codeActions(ctx context.Context, c *call, params *protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	doc, a, err := c.openAnalysis(ctx, params.TextDocument.URI)
	if doc == nil || err != nil {
		return nil, err
	}
	actions := []protocol.CodeAction{}
	if wantsKind(params.Context.Only, protocol.QuickFix) {
		for _, d := range a.findings {
			if d.Span.File == a.file && rangesTouch(visibleRange(rangeOf(d.Span)), params.Range) {
				actions = append(actions, c.quickFixes(a, d)...)
			}
		}
		if a.tests != nil {
			for _, f := range a.tests.faults {
				if action, ok := c.renameAction(a, f); ok && rangesTouch(visibleRange(rangeOf(f.at)), params.Range) {
					actions = append(actions, action)
				}
			}
		}
	}
	if wantsKind(params.Context.Only, protocol.SourceFixAll) {
		if all := c.fixAll(a, doc); all != nil {
			actions = append(actions, *all)
		}
	}
	return actions, nil
}

// wantsKind reports whether a client that asks for kinds gets one of a kind. A kind includes
// those below it: source includes source.fixAll.
func wantsKind(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == kind || strings.HasPrefix(string(kind), string(k)+".")
	})
}

// rangesTouch reports whether two ranges have a place in common, ends included.
func rangesTouch(a, b protocol.Range) bool {
	return !isBefore(a.End, b.Start) && !isBefore(b.End, a.Start)
}

func isBefore(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

func (c *call) quickFixes(a *analysis, d *diag.Diagnostic) []protocol.CodeAction {
	var list []protocol.CodeAction
	about := []protocol.Diagnostic{c.view.protocolDiagnostic(a, d)}
	for _, fix := range d.Fixes {
		if edit, ok := c.workspaceEdit(a, fix.Edits); ok {
			list = append(list, protocol.CodeAction{
				Title: capitalizeTitle(fix.Title), Kind: protocol.QuickFix, Diagnostics: about, Edit: edit, IsPreferred: fix.Safe,
			})
		}
	}
	if d.Severity == diag.Error || d.Code.Severity == diag.Error || a.result == nil {
		return list
	}
	if edit, ok := a.ignoreCommentEdit(d); ok {
		change, _ := c.workspaceEdit(a, []diag.Edit{edit})
		list = append(list, protocol.CodeAction{
			Title: fmt.Sprintf("Ignore `%s` here, because…", d.Code.Slug), Kind: protocol.QuickFix, Diagnostics: about, Edit: change,
		})
	}
	return list
}

// renameAction is the action that writes the name for which the fault of a test file asks.
func (c *call) renameAction(a *analysis, f fault) (action protocol.CodeAction, ok bool) {
	_, asked, _ := strings.Cut(f.message, "; did you mean `")
	near, asks := strings.CutSuffix(asked, "`?")
	if !asks || a.doc == nil {
		return action, false
	}
	d := (&diag.Diagnostic{}).WithFix("Replace with `"+near+"`", f.at, near)
	if a.doc.EncodeFixes([]*diag.Diagnostic{d}); len(d.Fixes) == 0 {
		return action, false
	}
	edit, ok := c.workspaceEdit(a, d.Fixes[0].Edits)
	return protocol.CodeAction{Title: d.Fixes[0].Title, Kind: protocol.QuickFix, Diagnostics: []protocol.Diagnostic{f.toDiagnostic()}, Edit: edit}, ok
}

func capitalizeTitle(title string) string {
	if title == "" {
		return title
	}
	return strings.ToUpper(title[:1]) + title[1:]
}

// ignoreCommentEdit returns the edit that adds a comment which ignores a finding. ok is false if no
// comment can be there.
//
// The comment goes on a line above that of the finding. If the finding is in a scalar of
// several lines, it goes above the key of that, since a comment cannot be inside. Above the
// first key, a comment would count for the whole file: there it goes to the end of the
// line.
func (a *analysis) ignoreCommentEdit(d *diag.Diagnostic) (edit diag.Edit, ok bool) {
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
		if a.onlyAddsComment(edit) {
			return edit, true
		}
	}
	end := start + len(bytes.TrimRight(content, " \t"))
	edit = diag.Edit{Span: source.Span{File: f, Start: end, End: end}, New: " " + comment}
	return edit, a.onlyAddsComment(edit)
}

// onlyAddsComment reports whether an edit only adds a comment.
func (a *analysis) onlyAddsComment(edit diag.Edit) bool {
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

// fixAll is the action that applies every sure fix, as `wfc check --fix` does; nil if
// there is none.
func (c *call) fixAll(a *analysis, doc *document) *protocol.CodeAction {
	if a.result == nil || !slices.ContainsFunc(a.findings, func(d *diag.Diagnostic) bool {
		return d.BestFix(false) != nil
	}) {
		return nil
	}
	fixing := compiler.Fix(a.result, func(content []byte) *compiler.Result {
		file := source.NewFile(a.file.Name, content)
		return c.view.compileFile(doc.path, file, &overlay{view: &c.view, read: map[string]bool{}}).result
	})
	if fixing.Applied == 0 {
		return nil
	}
	edit, _ := c.workspaceEdit(a, []diag.Edit{minimalEdit(a.file, fixing.Result.File.Content)})
	return &protocol.CodeAction{Title: "Apply all sure fixes of wfc", Kind: protocol.SourceFixAll, Edit: edit}
}

// minimalEdit is the smallest edit that makes a file another text: without the characters
// that both begin and end with.
func minimalEdit(f *source.File, content []byte) diag.Edit {
	old := f.Content
	start := 0
	for start < len(old) && start < len(content) && old[start] == content[start] {
		start++
	}
	end, newEnd := len(old), len(content)
	for end > start && newEnd > start && old[end-1] == content[newEnd-1] {
		end, newEnd = end-1, newEnd-1
	}
	// Whole lines, so that no character and no line break is cut.
	for start > 0 && old[start-1] != '\n' {
		start--
	}
	for newEnd < len(content) && end < len(old) && content[newEnd-1] != '\n' {
		end, newEnd = end+1, newEnd+1
	}
	return diag.Edit{Span: source.Span{File: f, Start: start, End: end}, New: string(content[start:max(start, newEnd)])}
}

// workspaceEdit returns edits in the form that the client supports. ok is false if there
// is none, or if one is in a file whose path is unknown.
func (c *call) workspaceEdit(a *analysis, edits []diag.Edit) (edit *protocol.WorkspaceEdit, ok bool) {
	changes := map[string][]diag.Edit{}
	for _, e := range edits {
		path := a.pathOf(e.Span.File)
		if path == "" {
			return nil, false
		}
		changes[path] = append(changes[path], e)
	}
	return c.editOf(changes), len(edits) > 0
}

// editOf returns changes of files by path in the form that the client supports.
func (c *call) editOf(changes map[string][]diag.Edit) *protocol.WorkspaceEdit {
	edit := &protocol.WorkspaceEdit{}
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		uri := c.view.fileURI(path)
		var edits []protocol.TextEdit
		for _, e := range changes[path] {
			edits = append(edits, protocol.TextEdit{Range: rangeOf(e.Span), NewText: e.New})
		}
		if c.caps.Workspace.WorkspaceEdit.DocumentChanges {
			id := protocol.OptionalVersion{URI: uri}
			if doc := c.view.open[path]; doc != nil {
				id.Version = &doc.version
			}
			edit.DocumentChanges = append(edit.DocumentChanges, protocol.TextDocumentEdit{TextDocument: id, Edits: edits})
			continue
		}
		plain.PutEntry(&edit.Changes, uri, edits)
	}
	return edit
}
