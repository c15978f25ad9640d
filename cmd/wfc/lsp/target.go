package lsp

import (
	"context"
	"maps"
	"slices"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A target is a place in a document, with the workflow that says what it means.
type target struct {
	// a is the analysis of the workflow: of the document, or of a workflow that uses the
	// command file or script which the document is.
	a *analysis
	// file is the document in the spans of the analysis.
	file   *source.File
	offset int
	// ref is the reference there, or nil.
	ref *symbols.Reference
	// tests is the analysis of the document if it is a test file and ref is in it.
	tests *analysis
}

// resolveTarget returns the place of a request, or nil if the document is not open or no
// workflow is known that it belongs to.
func (c *call) resolveTarget(ctx context.Context, params *protocol.TextDocumentPositionParams) (*target, error) {
	doc := c.view.open[c.view.pathOf(params.TextDocument.URI)]
	a, file, err := c.owningAnalysis(ctx, doc)
	if a == nil || err != nil {
		return nil, err
	}
	t := &target{a: a, file: file, offset: toOffset(doc.file, params.Position)}
	switch {
	case a.index != nil:
		t.ref = a.index.At(file, t.offset)
	case a.tests != nil && a.tests.referenceAt(t.offset) != nil:
		t.a, t.ref, t.tests = a.tests.of, a.tests.referenceAt(t.offset), a
	}
	return t, nil
}

// openAnalysis returns an open document with its analysis; the document is nil if it is not open.
func (c *call) openAnalysis(ctx context.Context, uri protocol.URI) (*document, *analysis, error) {
	doc := c.view.open[c.view.pathOf(uri)]
	if doc == nil {
		return nil, nil, nil
	}
	a, err := c.view.analyzeDocument(ctx, doc)
	return doc, a, err
}

// owningAnalysis returns the analysis that has the names of a document, and the document as a file
// of it. The analysis is nil if no workflow is known that the document belongs to, or if that is nil.
func (c *call) owningAnalysis(ctx context.Context, doc *document) (*analysis, *source.File, error) {
	if doc == nil {
		return nil, nil, nil
	}
	a, err := c.view.analyzeDocument(ctx, doc)
	if err != nil || a.doc != nil {
		return a, doc.file, err
	}
	users, err := c.analysesUsing(ctx, doc.path)
	if err != nil || len(users) == 0 {
		return nil, nil, err
	}
	return users[0], users[0].fileAt(doc.path), nil
}

// fileAt returns the file at a path that went into the program, or nil.
func (a *analysis) fileAt(path string) *source.File {
	if path == a.path {
		return a.file
	}
	if a.index == nil {
		return nil
	}
	for _, f := range a.result.Workflow.Resources {
		if a.pathOf(f) == path {
			return f
		}
	}
	for _, s := range a.index.Symbols {
		if s.File != nil && a.pathOf(s.File) == path {
			return s.File
		}
	}
	return nil
}

// analysesUsing returns the analyses of the workflows whose programs contain the file at a path:
// open ones, or else those of all folders.
func (c *call) analysesUsing(ctx context.Context, path string) ([]*analysis, error) {
	var list []*analysis
	for _, other := range slices.Sorted(maps.Keys(c.view.open)) {
		if !isYAML(other) || other == path {
			continue
		}
		a, err := c.view.analyzeDocument(ctx, c.view.open[other])
		if err != nil {
			return nil, err
		}
		if a.fileAt(path) != nil {
			list = append(list, a)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	return c.allUsers(ctx, path)
}

// allUsers is users with the workflows of all folders.
func (c *call) allUsers(ctx context.Context, path string) ([]*analysis, error) {
	var list []*analysis
	err := c.view.eachFile(ctx, func(a *analysis) {
		if a.path != path && a.fileAt(path) != nil {
			list = append(list, a)
		}
	})
	return list, err
}

// spanLocation returns the place of a span of an analysis; ok is false if its path is unknown.
func (c *call) spanLocation(a *analysis, at source.Span) (protocol.Location, bool) {
	path := a.pathOf(at.File)
	if path == "" {
		return protocol.Location{}, false
	}
	return protocol.Location{URI: c.view.fileURI(path), Range: rangeOf(at)}, true
}

// configLocation returns the place where the project's wfc.yaml defines an agent or a model.
func (c *call) configLocation(s *symbols.Symbol, a *analysis) (protocol.Location, bool) {
	section := map[symbols.Kind]string{symbols.Agent: "agents", symbols.Model: "models"}[s.Kind]
	path := a.project.configPath
	if section == "" || path == "" {
		return protocol.Location{}, false
	}
	config := c.view.configDocument(path)
	if config == nil || config.Root == nil {
		return protocol.Location{}, false
	}
	pair := config.Root.Get(section).Pair(s.Name)
	if pair == nil {
		return protocol.Location{}, false
	}
	return protocol.Location{URI: c.view.fileURI(path), Range: rangeOf(pair.Key.Span)}, true
}
