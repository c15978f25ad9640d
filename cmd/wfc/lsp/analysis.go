package lsp

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// An analysis is all that is known about one version of a document.
type analysis struct {
	file *source.File
	path string
	// result is nil for a file that is not compiled: a configuration, a command file.
	result *compiler.Result
	// findings are those of the file, in its order. Their places may be in other files.
	findings []*diag.Diagnostic
	// doc is the YAML of the file; its Root is nil if the file is not YAML.
	doc *yamlsrc.Document
	// index has the names; nil if the compiler made no program.
	index   *symbols.Index
	project *project
	// format has the keys of a file that is not a workflow, or is nil.
	format *keytable.Format
	// tests is what is known about a test file, and nil for other files.
	tests *tests
	// paths are the paths of the files that the compiler read, by their names in spans.
	paths map[string]string
}

// A cell keeps the analysis of a document until one of the files changes that it was made
// from. The zero cell is empty.
type cell struct {
	mu     sync.Mutex
	result *analysis
	// disk and generation are those of the view that the analysis was made from, and read
	// has the paths of the files.
	disk       *disk
	generation uint64
	read       map[string]bool
}

// isFresh reports whether the files that an analysis was made from are those of the view.
func (c *cell) isFresh(v *view) bool {
	if c.result == nil || c.disk != v.disk {
		return false
	}
	for path := range c.read {
		if v.edits[path] > c.generation {
			return false
		}
	}
	return true
}

// analyzeDocument returns the analysis of a document. Concurrent requests for the same version
// share one compilation.
func (v *view) analyzeDocument(ctx context.Context, doc *document) (*analysis, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &doc.cell
	c.mu.Lock()
	defer c.mu.Unlock()
	// The request may have been cancelled while another one compiled.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !c.isFresh(v) {
		files := &overlay{view: v, read: map[string]bool{}}
		c.result = v.compileFile(doc.path, doc.file, files)
		c.disk, c.generation, c.read = v.disk, v.generation, files.read
		delete(c.read, doc.path)
	}
	return c.result, nil
}

// analyzePath is analyze for a file that need not be open; it returns nil if there is
// none.
func (v *view) analyzePath(ctx context.Context, path string) (*analysis, error) {
	if doc := v.open[path]; doc != nil {
		return v.analyzeDocument(ctx, doc)
	}
	content, err := v.disk.files.Read(path)
	if err != nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return v.compileFile(path, source.NewFile(v.displayPath(path), content), &overlay{view: v, read: map[string]bool{}}), nil
}

// compileFile makes the analysis of a file.
func (v *view) compileFile(path string, file *source.File, files *overlay) *analysis {
	return v.compileWith(path, file, files, files)
}

// compileWith is compile with other files; read has those that were read.
func (v *view) compileWith(path string, file *source.File, read *overlay, files compiler.Files) *analysis {
	a := &analysis{file: file, path: path, project: v.projectFor(path), paths: map[string]string{file.Name: path}}
	if p := a.project.configPath; p != "" {
		a.paths[v.displayPath(p)] = p
	}
	var unused diag.Bag // the compiler reports the same faults
	switch {
	case isConfig(path):
		a.doc, a.format = yamlsrc.Parse(file, &unused), configFormat()
		if a.project.configPath == path {
			a.findings = a.project.findings
		}
		return a
	case !isYAML(path):
		return a
	case search.IsTest(path):
		v.compileTests(a, read, files)
		return a
	}
	a.doc = yamlsrc.Parse(file, &unused)
	opt := a.project.config.Options(path)
	opt.Root, opt.Home, opt.Files, opt.Ask = a.project.root, v.home, files, v.ask
	a.result = compiler.Compile(file, opt)
	if !a.result.NotWorkflow {
		a.findings = a.result.Diagnostics
	}
	if a.result.Workflow != nil {
		a.index = symbols.New(a.result.Workflow, a.doc)
	}
	a.addPaths(read)
	return a
}

// addPaths adds the paths of the files that were read, by the names that they have in spans.
func (a *analysis) addPaths(read *overlay) {
	for read := range read.read {
		a.paths[workspace.Shown(a.project.root, read)] = read
		if rel, err := filepath.Rel(filepath.Dir(a.path), read); err == nil {
			a.paths[filepath.ToSlash(filepath.Join(filepath.Dir(a.file.Name), rel))] = read
		}
	}
}

// isYAML reports whether the file at a path is YAML by its name. A new document without
// a name is.
func isYAML(path string) bool {
	switch filepath.Ext(path) {
	case ".md", ".py", ".js", ".ts", ".sh", ".txt", ".json":
		return false
	}
	return true
}

// pathOf returns the path of a file of a span, or "" if it is unknown.
func (a *analysis) pathOf(f *source.File) string {
	if f == nil {
		return ""
	}
	return a.paths[f.Name]
}
