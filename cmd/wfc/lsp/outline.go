package lsp

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// documentSymbols lists the names that a workflow declares, or the keys of another YAML
// file.
func documentSymbols(ctx context.Context, c *call, params *protocol.DocumentParams) ([]protocol.DocumentSymbol, error) {
	doc, a, err := c.openAnalysis(ctx, params.TextDocument.URI)
	if doc == nil || err != nil {
		return nil, err
	}
	switch {
	case a.index != nil:
		return a.buildOutline(), nil
	case a.doc != nil && a.doc.Root != nil:
		return keyOutline(a.doc.Root, 0), nil
	}
	return nil, nil
}

// buildOutline returns inputs, state and nodes with what is inside them.
func (a *analysis) buildOutline() []protocol.DocumentSymbol {
	children := map[*symbols.Symbol][]protocol.DocumentSymbol{}
	inner := map[string][]*symbols.Symbol{}
	for _, s := range a.index.Symbols {
		if s.Def.File == a.file && s.Owner != nil && s.Kind != symbols.Local {
			children[s.Owner] = append(children[s.Owner], a.symbolOf(s))
		}
	}
	body := a.result.Workflow.Workflow.Body
	ir.Walk(body, func(n *ir.Node) {
		for _, in := range n.Inner() {
			if s := a.index.Node(in); s != nil && in.ID != n.ID {
				inner[n.ID] = append(inner[n.ID], s)
			}
		}
	})
	isInner := map[*symbols.Symbol]bool{}
	for _, list := range inner {
		for _, s := range list {
			isInner[s] = true
		}
	}
	var node func(s *symbols.Symbol) protocol.DocumentSymbol
	node = func(s *symbols.Symbol) protocol.DocumentSymbol {
		out := a.symbolOf(s)
		for _, child := range children[s] {
			out.Children = append(out.Children, clampToParent(out, child))
		}
		for _, child := range inner[s.Node.ID] {
			if child.Def.File == a.file {
				out.Children = append(out.Children, clampToParent(out, node(child)))
			}
		}
		return out
	}
	list := []protocol.DocumentSymbol{}
	for _, s := range a.index.Symbols {
		switch {
		case s.Def.File != a.file || isInner[s]:
		case s.Kind == symbols.Node:
			list = append(list, node(s))
		case s.Kind == symbols.Input || s.Kind == symbols.State:
			list = append(list, a.symbolOf(s))
		}
	}
	return list
}

// clampToParent returns a symbol whose range is inside that of another one, as the protocol
// wants it. A field of a schema that several nodes share is elsewhere.
func clampToParent(outer, inner protocol.DocumentSymbol) protocol.DocumentSymbol {
	if isBefore(inner.Range.Start, outer.Range.Start) || isBefore(outer.Range.End, inner.Range.End) {
		inner.Range, inner.SelectionRange = outer.SelectionRange, outer.SelectionRange
	}
	return inner
}

var symbolKinds = map[symbols.Kind]protocol.SymbolKind{
	symbols.Node: protocol.SymbolFunction, symbols.Field: protocol.SymbolField, symbols.Label: protocol.SymbolEnumValue,
	symbols.State: protocol.SymbolVariable, symbols.Input: protocol.SymbolConstant, symbols.Local: protocol.SymbolVariable,
}

func (a *analysis) symbolOf(s *symbols.Symbol) protocol.DocumentSymbol {
	whole := s.Whole
	if whole.File != a.file || whole.Start > s.Def.Start || whole.End < s.Def.End {
		whole = s.Def
	}
	if s.Kind == symbols.Node {
		// A block's last line break belongs to the next node in an editor.
		text := strings.TrimRight(whole.Text(), " \t\r\n")
		whole.End = max(whole.Start+len(text), s.Def.End)
	}
	out := protocol.DocumentSymbol{Name: s.Name, Kind: symbolKinds[s.Kind], Range: rangeOf(whole), SelectionRange: rangeOf(s.Def)}
	out.Name = cmp.Or(out.Name, "?")
	switch s.Kind {
	case symbols.Node:
		out.Detail = s.Node.Action.Kind()
	case symbols.Label:
	default:
		out.Detail = describeType(s.Type)
	}
	return out
}

// keyOutline lists the keys of a mapping.
func keyOutline(n *yamlsrc.Node, depth int) []protocol.DocumentSymbol {
	list := []protocol.DocumentSymbol{}
	if n.Alias.IsValid() || depth > 3 {
		return list
	}
	for _, p := range n.Pairs {
		if p.Merged || p.Key.Value == "" {
			continue
		}
		whole := p.Key.Span
		if !p.Value.Alias.IsValid() {
			whole = whole.To(p.Value.Span)
		}
		list = append(list, protocol.DocumentSymbol{
			Name: p.Key.Value, Kind: protocol.SymbolKey, Range: rangeOf(whole), SelectionRange: rangeOf(p.Key.Span),
			Children: keyOutline(p.Value, depth+1),
		})
	}
	return list
}

// maxSymbols is the number of results of a search: editors show no more.
const maxSymbols = 500

// workspaceSymbols finds workflows, nodes, inputs and state variables whose name contains
// the characters of a query in their order.
func workspaceSymbols(ctx context.Context, c *call, params *protocol.WorkspaceSymbolParams) ([]protocol.SymbolInformation, error) {
	list := []protocol.SymbolInformation{}
	add := func(a *analysis, name, container string, kind protocol.SymbolKind, at source.Span) {
		if len(list) < maxSymbols && fuzzyMatch(params.Query, name) && at.File == a.file {
			list = append(list, protocol.SymbolInformation{
				Name: name, Kind: kind, ContainerName: container,
				Location: protocol.Location{URI: c.view.fileURI(a.path), Range: rangeOf(at)},
			})
		}
	}
	err := c.view.eachFile(ctx, func(a *analysis) {
		if a.index == nil {
			return
		}
		w := a.result.Workflow.Workflow
		at := w.NameSpan
		if !at.IsValid() {
			at = source.Span{File: a.file}
		}
		add(a, w.Name, filepath.Base(a.path), protocol.SymbolModule, at)
		for _, s := range a.index.Symbols {
			switch s.Kind {
			case symbols.Node, symbols.Input, symbols.State:
				add(a, s.Name, w.Name, symbolKinds[s.Kind], s.Def)
			}
		}
	})
	return list, err
}

// fuzzyMatch reports whether a name contains the characters of a query in their order.
func fuzzyMatch(query, name string) bool {
	name = strings.ToLower(name)
	for _, r := range strings.ToLower(query) {
		i := strings.IndexRune(name, r)
		if i < 0 {
			return false
		}
		name = name[i+len(string(r)):]
	}
	return true
}

// foldingRanges folds every value of several lines, and groups of comments.
func foldingRanges(ctx context.Context, c *call, params *protocol.DocumentParams) ([]protocol.FoldingRange, error) {
	doc, a, err := c.openAnalysis(ctx, params.TextDocument.URI)
	if doc == nil || err != nil || a.doc == nil {
		return nil, err
	}
	list := []protocol.FoldingRange{}
	started := map[int]bool{}
	add := func(start, end int, kind string) {
		if end > start && !started[start] {
			started[start] = true
			list = append(list, protocol.FoldingRange{StartLine: start, EndLine: end, Kind: kind})
		}
	}
	if a.doc.Root != nil {
		addFolds(a.doc.Root, add)
	}
	for i := 0; i < len(a.doc.Comments); {
		j := i + 1
		for j < len(a.doc.Comments) && a.doc.Comments[i].Alone && a.doc.Comments[j].Alone && a.doc.Comments[j].Line == a.doc.Comments[j-1].Line+1 {
			j++
		}
		add(a.doc.Comments[i].Line-1, a.doc.Comments[j-1].Line-1, "comment")
		i = j
	}
	return list, nil
}

func addFolds(n *yamlsrc.Node, add func(start, end int, kind string)) {
	if n.Alias.IsValid() {
		return
	}
	for _, item := range n.Items {
		if !item.Alias.IsValid() {
			add(toPosition(item.Span.File, item.Span.Start).Line, lastLine(item.Span), "region")
			addFolds(item, add)
		}
	}
	for _, p := range n.Pairs {
		if !p.Merged && !p.Value.Alias.IsValid() {
			add(toPosition(p.Key.Span.File, p.Key.Span.Start).Line, lastLine(p.Value.Span), "region")
			addFolds(p.Value, add)
		}
	}
}

// lastLine is the last line of a span that is not blank.
func lastLine(s source.Span) int {
	end := s.End
	for end > s.Start && strings.IndexByte(" \t\r\n", s.File.Content[end-1]) >= 0 {
		end--
	}
	return toPosition(s.File, end).Line
}
