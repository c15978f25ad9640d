package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Renaming checks itself: it compiles every workflow with the edits and compares the
// findings and the names. A reference that the index does not know would be broken by the
// edits and so become a finding, and then nothing is renamed.

func prepareRename(ctx context.Context, c *call, params *protocol.TextDocumentPositionParams) (*protocol.PrepareRenameResult, error) {
	t, err := c.resolveTarget(ctx, params)
	if err != nil || t == nil || t.ref == nil {
		return nil, err
	}
	if err := checkRenamable(t.ref.Symbol); err != nil {
		return nil, err
	}
	if !t.ref.Name.IsValid() {
		return nil, refusalError("this reference to `%s` has an escape or is split into lines; write the name out first", t.ref.Symbol.Name)
	}
	return &protocol.PrepareRenameResult{Range: rangeOf(t.ref.Name), Placeholder: t.ref.Symbol.Name}, nil
}

// checkRenamable returns an error for a symbol whose name is not the user's choice.
func checkRenamable(s *symbols.Symbol) error {
	switch s.Kind {
	case symbols.Filter, symbols.Test, symbols.Variable:
		return refusalError("`%s` is a %s of the format and cannot be renamed", s.Name, s.Kind)
	case symbols.Agent, symbols.Model:
		return refusalError("the name of a %s belongs to wfc.yaml or to a program; rename it there", s.Kind)
	case symbols.Workflow:
		return refusalError("the name of a workflow is in its file, and other programs may call it; change it there")
	case symbols.Script:
		return refusalError("rename the file of the script; its ending decides about the program that runs it")
	case symbols.Prompt:
		return nil
	case symbols.Command:
		if s.File == nil {
			return refusalError("the command file `%s` does not exist", s.Name)
		}
		return nil
	}
	if !s.Def.IsValid() {
		return refusalError("`%s` is not declared in this file", s.Name)
	}
	return nil
}

// A renaming collects the edits of a rename, by path.
type renaming struct {
	*call
	target  *target
	newName string
	uses    []use
	edits   map[string][]diag.Edit
	files   []protocol.RenameFile
	// moved are the new paths of renamed files.
	moved map[string]string
}

func rename(ctx context.Context, c *call, params *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	t, err := c.resolveTarget(ctx, &params.TextDocumentPositionParams)
	if err != nil {
		return nil, err
	}
	if t == nil || t.ref == nil {
		return nil, refusalError("no name here can be renamed")
	}
	s := t.ref.Symbol
	if err := checkRenamable(s); err != nil {
		return nil, err
	}
	r := &renaming{call: c, target: t, newName: params.NewName, edits: map[string][]diag.Edit{}, moved: map[string]string{}}
	switch {
	case r.newName == s.Name:
		return &protocol.WorkspaceEdit{}, nil
	case r.newName == "" || strings.ContainsAny(r.newName, " \t\r\n\"'`"):
		return nil, refusalError("`%s` cannot be a name", r.newName)
	}
	if r.uses, err = c.findUses(ctx, t); err != nil {
		return nil, err
	}
	if err := r.collectEdits(s); err != nil {
		return nil, err
	}
	if err := r.verifyEdits(ctx); err != nil {
		return nil, err
	}
	return r.buildEdit(), nil
}

// collectEdits makes the edits.
func (r *renaming) collectEdits(s *symbols.Symbol) error {
	for _, u := range r.uses {
		path := u.a.pathOf(u.At.File)
		switch {
		case path == "" || u.At.File.Private:
			return refusalError("`%s` is also in a file outside the project", s.Name)
		case u.Form == symbols.Computed:
			line := u.At.Position().Line
			return refusalError("%s:%d may read input `%s` by a name that the script computes; write `%s` there first", u.At.File.Name, line, s.Name, u.Spelled(s.Name))
		case !u.Name.IsValid():
			line := u.At.Position().Line
			return refusalError("%s:%d mentions `%s` with an escape or across lines; write the name out first", u.At.File.Name, line, s.Name)
		}
		e := diag.Edit{Span: u.Name, New: u.Spelled(r.newName)}
		if !slices.ContainsFunc(r.edits[path], func(o diag.Edit) bool { return o.Span.Start == e.Span.Start }) {
			r.edits[path] = append(r.edits[path], e)
		}
	}
	for _, list := range r.edits {
		slices.SortFunc(list, func(a, b diag.Edit) int { return a.Span.Start - b.Span.Start })
	}
	if s.Kind != symbols.Command && (s.Kind != symbols.Prompt || s.Def.IsValid()) {
		return nil
	}
	if !slices.Contains(r.caps.Workspace.WorkspaceEdit.ResourceOperations, "rename") {
		return refusalError("this editor cannot rename the file of `%s` together with its references", s.Name)
	}
	old := r.target.a.pathOf(s.File)
	if old == "" || strings.TrimSuffix(filepath.Base(old), filepath.Ext(old)) != filepath.Base(filepath.FromSlash(s.Name)) {
		return refusalError("the file of `%s` is unknown", s.Name)
	}
	if rel, err := filepath.Rel(r.target.a.project.root, old); err != nil || !filepath.IsLocal(rel) {
		return refusalError("the file of `%s` is outside the project", s.Name)
	}
	moved := filepath.Join(filepath.Dir(old), filepath.Base(filepath.FromSlash(r.newName))+filepath.Ext(old))
	if filepath.Dir(filepath.FromSlash(s.Name)) != filepath.Dir(filepath.FromSlash(r.newName)) {
		return refusalError("a rename keeps the folder of the file")
	}
	if _, err := r.view.disk.files.Read(moved); err == nil || r.view.open[moved] != nil {
		return refusalError("the file %s exists already", filepath.Base(moved))
	}
	r.moved[old] = moved
	r.files = append(r.files, protocol.RenameFile{Kind: "rename", OldURI: r.view.fileURI(old), NewURI: uriOfPath(moved)})
	return nil
}

// verifyEdits compiles the workflows with the edits.
func (r *renaming) verifyEdits(ctx context.Context) error {
	checked := map[string]bool{}
	for _, u := range r.uses {
		if err := ctx.Err(); err != nil {
			return err
		}
		if checked[u.a.path] {
			continue
		}
		checked[u.a.path] = true
		if err := r.checkWorkflow(u.a); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.edits)) {
		if checked[path] {
			continue
		}
		// Other workflows may use a command file with the name.
		users, err := r.allUsers(ctx, path)
		if err != nil {
			return err
		}
		for _, a := range users {
			if checked[a.path] {
				continue
			}
			checked[a.path] = true
			if err := r.checkWorkflow(a); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *renaming) checkWorkflow(before *analysis) error {
	files := &renamed{overlay: overlay{view: &r.view, read: map[string]bool{}}, renaming: r}
	content := r.applyEdits(before.path, before.file.Content)
	after := r.view.compileWith(before.path, source.NewFile(before.file.Name, content), &files.overlay, files)
	s := r.target.ref.Symbol
	if before.tests != nil {
		if len(after.tests.faults) != len(before.tests.faults) || len(after.tests.refs) != len(before.tests.refs) {
			return refusalError("renaming `%s` to `%s` would change what other names in %s mean", s.Name, r.newName, before.file.Name)
		}
		return nil
	}
	switch {
	case after.index == nil:
		return refusalError("`%s` cannot be the name of a %s", r.newName, s.Kind)
	case len(after.findings) != len(before.findings):
		for _, d := range after.findings {
			if !slices.ContainsFunc(before.findings, func(o *diag.Diagnostic) bool { return o.Code == d.Code }) {
				return refusalError("renaming `%s` to `%s` would cause: %s", s.Name, r.newName, d.Message)
			}
		}
		return refusalError("renaming `%s` to `%s` would change the findings of %s", s.Name, r.newName, before.file.Name)
	case s.Kind == symbols.Label && !sameFailures(before, after):
		return refusalError("`%s` cannot become `%s`: some names of outputs mark a failure, such as `fail` and `no`", s.Name, r.newName)
	case !sameReferences(before, after, s.Name, r.newName):
		return refusalError("renaming `%s` to `%s` would change what other names in %s mean", s.Name, r.newName, before.file.Name)
	}
	return nil
}

// sameReferences reports whether two versions of a workflow have the same references, but
// for one name.
func sameReferences(before, after *analysis, old, name string) bool {
	a, b := before.index.References, after.index.References
	if len(a) != len(b) {
		return false
	}
	// Equal references keep equal symbols.
	pairs := map[*symbols.Symbol]*symbols.Symbol{}
	back := map[*symbols.Symbol]*symbols.Symbol{}
	for i := range a {
		x, y := a[i].Symbol, b[i].Symbol
		same := x.Name == y.Name || x.Name == old && y.Name == name
		if !same || x.Kind != y.Kind || a[i].Role != b[i].Role || pairs[x] != nil && pairs[x] != y || back[y] != nil && back[y] != x {
			return false
		}
		pairs[x], back[y] = y, x
	}
	return true
}

// sameFailures reports whether the outputs of nodes mark failures in both versions or in
// neither.
func sameFailures(before, after *analysis) bool {
	failures := func(a *analysis) (list []bool) {
		ir.Walk(a.result.Workflow.Workflow.Body, func(n *ir.Node) {
			for _, l := range n.Labels {
				list = append(list, l.Failure)
			}
		})
		return list
	}
	return slices.Equal(failures(before), failures(after))
}

// applyEdits returns the content of a file with its edits.
func (r *renaming) applyEdits(path string, content []byte) []byte {
	var out []byte
	at := 0
	for _, e := range r.edits[path] {
		out = append(append(out, content[at:e.Span.Start]...), e.New...)
		at = e.Span.End
	}
	return append(out, content[at:]...)
}

func (r *renaming) buildEdit() *protocol.WorkspaceEdit {
	edit := r.editOf(r.edits)
	for _, f := range r.files {
		edit.DocumentChanges = append(edit.DocumentChanges, f)
	}
	return edit
}

// renamed are the files of a view with the edits of a rename.
type renamed struct {
	overlay
	renaming *renaming
}

// Read implements compiler.Files.
func (f *renamed) Read(path string) ([]byte, error) {
	for old, moved := range f.renaming.moved {
		if path == moved {
			path = old
			break
		}
		if path == old {
			path += " (renamed)" // no file has this name
		}
	}
	content, err := f.overlay.Read(path)
	if err != nil {
		return nil, err
	}
	return f.renaming.applyEdits(path, content), nil
}

// List implements compiler.Files.
func (f *renamed) List(dir string) []string {
	names := f.overlay.List(dir)
	for old, moved := range f.renaming.moved {
		if filepath.Dir(old) == dir {
			names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == filepath.Base(old) })
			names = append(names, filepath.Base(moved))
			slices.Sort(names)
		}
	}
	return names
}
