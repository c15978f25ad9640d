package lsp

import (
	"context"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// definition leads to the declaration of the name under the cursor.
func definition(ctx context.Context, c *call, params *protocol.TextDocumentPositionParams) (any, error) {
	t, err := c.resolveTarget(ctx, params)
	if err != nil || t == nil || t.ref == nil {
		return nil, err
	}
	s := t.ref.Symbol
	whole, name := s.Whole, s.Def
	if s.File != nil {
		whole, name = source.Span{File: s.File, End: len(s.File.Content)}, source.Span{File: s.File}
	}
	at, ok := c.spanLocation(t.a, name)
	if !ok {
		if at, ok = c.configLocation(s, t.a); !ok {
			return nil, nil
		}
		return []protocol.Location{at}, nil
	}
	if !c.caps.TextDocument.Definition.LinkSupport {
		return []protocol.Location{at}, nil
	}
	origin := rangeOf(t.ref.Name)
	link := protocol.LocationLink{TargetURI: at.URI, TargetRange: at.Range, TargetSelectionRange: at.Range, OriginSelectionRange: &origin}
	if whole.File == name.File && whole.Start <= name.Start && name.End <= whole.End {
		link.TargetRange = rangeOf(whole)
	}
	return []protocol.LocationLink{link}, nil
}

// A use is a reference in a workflow.
type use struct {
	a *analysis
	*symbols.Reference
}

// uses returns the references to a symbol in one workflow.
func (a *analysis) uses(s *symbols.Symbol) (list []use) {
	for _, r := range a.index.Of(s) {
		list = append(list, use{a, r})
	}
	return list
}

// findUses returns all references to a symbol: those in its workflow, and for a name that
// workflows share those in the others.
func (c *call) findUses(ctx context.Context, t *target) ([]use, error) {
	s := t.ref.Symbol
	list := t.a.uses(s)
	switch s.Kind {
	case symbols.Node, symbols.Input, symbols.State, symbols.Field, symbols.Argument:
		return c.sharedUses(ctx, t)
	case symbols.Command, symbols.Script, symbols.Agent, symbols.Model:
	case symbols.Prompt:
		if s.File == nil {
			return list, nil
		}
	default:
		return list, nil
	}
	path := t.a.pathOf(s.File)
	err := c.view.eachFile(ctx, func(a *analysis) {
		if a.path == t.a.path || a.index == nil || a.project.root != t.a.project.root {
			return
		}
		for _, other := range a.index.Symbols {
			if other.Kind == s.Kind && other.Name == s.Name && a.pathOf(other.File) == path {
				list = append(list, a.uses(other)...)
			}
		}
	})
	return list, err
}

// sharedUses returns the references to a name that a workflow declares: in its file, in its
// tests, and in the workflows that run it.
func (c *call) sharedUses(ctx context.Context, t *target) ([]use, error) {
	home, s, err := c.declaringAnalysis(ctx, t)
	if err != nil {
		return nil, err
	}
	list, err := c.testUses(ctx, home, s, home.uses(s))
	if err != nil {
		return nil, err
	}
	if home.result.Dialect != "archon" || s.Kind != symbols.Input && s.Kind != symbols.Field {
		return list, nil
	}
	err = c.view.eachUser(ctx, func(a *analysis) {
		if a.path == home.path || a.index == nil {
			return
		}
		for _, other := range a.index.Symbols {
			if other.Name == s.Name && other.Def.Start == s.Def.Start && a.pathOf(other.Def.File) == home.path {
				list = append(list, a.uses(other)...)
			}
		}
	})
	return list, err
}

// declaringAnalysis returns the analysis of the workflow that declares a name, and the name in it.
func (c *call) declaringAnalysis(ctx context.Context, t *target) (*analysis, *symbols.Symbol, error) {
	s := t.ref.Symbol
	path := t.a.pathOf(s.Def.File)
	if path == "" || path == t.a.path {
		return t.a, s, nil
	}
	a, err := c.view.analyzePath(ctx, path)
	if err != nil || a == nil || a.index == nil {
		return t.a, s, err
	}
	for _, other := range a.index.Symbols {
		if other.Name == s.Name && other.Def.File == a.file && other.Def.Start == s.Def.Start {
			return a, other, nil
		}
	}
	return t.a, s, nil
}

func references(ctx context.Context, c *call, params *protocol.ReferenceParams) ([]protocol.Location, error) {
	t, err := c.resolveTarget(ctx, &params.TextDocumentPositionParams)
	if err != nil || t == nil || t.ref == nil {
		return nil, err
	}
	uses, err := c.findUses(ctx, t)
	if err != nil {
		return nil, err
	}
	list := []protocol.Location{}
	add := func(at protocol.Location, ok bool) {
		if ok {
			list = plain.AddNew(list, at)
		}
	}
	for _, u := range uses {
		if u.Role != symbols.Declares || params.Context.IncludeDeclaration {
			add(c.spanLocation(u.a, referenceSpan(u.Reference)))
		}
	}
	if params.Context.IncludeDeclaration {
		add(c.configLocation(t.ref.Symbol, t.a))
	}
	return list, nil
}

// referenceSpan is the name of a reference, or all of it if that is not located.
func referenceSpan(r *symbols.Reference) source.Span {
	if r.Name.IsValid() {
		return r.Name
	}
	return r.At
}

func documentHighlight(ctx context.Context, c *call, params *protocol.TextDocumentPositionParams) ([]protocol.DocumentHighlight, error) {
	t, err := c.resolveTarget(ctx, params)
	if err != nil || t == nil || t.ref == nil {
		return nil, err
	}
	kinds := map[symbols.Role]protocol.DocumentHighlightKind{
		symbols.Declares: protocol.HighlightWrite, symbols.Writes: protocol.HighlightWrite,
		symbols.Reads: protocol.HighlightRead, symbols.Names: protocol.HighlightText,
	}
	list := []protocol.DocumentHighlight{}
	references := t.a.index.References
	if t.tests != nil {
		references = t.tests.tests.refs
	}
	for _, r := range references {
		if at := referenceSpan(r); r.Symbol == t.ref.Symbol && at.File == t.file {
			list = append(list, protocol.DocumentHighlight{Range: rangeOf(at), Kind: kinds[r.Role]})
		}
	}
	return list, nil
}
