package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/keytable"
)

// completion proposes the text behind the cursor.
//
// The text that is being written rarely compiles. So the names are those of the last
// version that did, and the place is found by the text (cursor.go).
func completion(ctx context.Context, c *call, params *protocol.TextDocumentPositionParams) (*protocol.CompletionList, error) {
	doc := c.view.open[c.view.pathOf(params.TextDocument.URI)]
	if doc == nil {
		return nil, nil
	}
	at := toOffset(doc.file, params.Position)
	p := &proposals{call: c, doc: doc, list: []protocol.CompletionItem{}}
	if isYAML(doc.path) {
		p.cursor = newCursor(string(doc.file.Content), at)
	} else {
		// A command file or a script is one text.
		start := strings.LastIndexByte(string(doc.file.Content[:at]), '\n') + 1
		p.cursor = &cursor{text: string(doc.file.Content), offset: at, line: string(doc.file.Content[start:at]), scalar: true}
	}
	if err := p.loadAnalyses(ctx); err != nil {
		return nil, err
	}
	p.propose(ctx)
	return &protocol.CompletionList{Items: p.list}, nil
}

// proposals collects what can be written at a place.
type proposals struct {
	*call
	*cursor
	doc *document
	// now is the analysis of the document, good that of its last version with a program,
	// or nil.
	now, good *analysis
	dialect   string
	keyTable  *keytable.Format
	list      []protocol.CompletionItem
}

func (p *proposals) loadAnalyses(ctx context.Context) (err error) {
	if !isYAML(p.doc.path) {
		p.good, _, err = p.owningAnalysis(ctx, p.doc)
		if p.good != nil && p.good.result != nil {
			p.now, p.dialect = p.good, p.good.result.Dialect
		}
		return err
	}
	if p.now, err = p.view.analyzeDocument(ctx, p.doc); err != nil {
		return err
	}
	p.good = p.now
	if p.now.index == nil {
		p.good = p.doc.good
	}
	if p.now.format != nil {
		p.keyTable = p.now.format
		if p.good = nil; p.now.tests != nil {
			p.good = p.now.tests.of
		}
		return nil
	}
	for _, a := range []*analysis{p.now, p.good} {
		if p.dialect == "" && a != nil && a.result != nil && a.result.Dialect != "" {
			p.dialect, p.keyTable = a.result.Dialect, a.keyTableFormat()
		}
	}
	return nil
}

func (p *proposals) propose(ctx context.Context) {
	if p.proposeInComment() {
		return
	}
	isItem := p.inList && len(p.steps) > 0 && p.steps[len(p.steps)-1].Item
	if p.dialect != "" && (!p.onKey || isItem) && p.proposeEmbedded() {
		return
	}
	if p.scalar || p.keyTable == nil {
		return
	}
	level, shape := p.keyTable.At(p.steps)
	if p.onKey {
		p.proposeKeys(level)
		p.proposeTested(true)
		if len(p.steps) > 0 && p.steps[len(p.steps)-1].Key == "with" && p.dialect != "" {
			p.proposeArguments(ctx, true)
		}
		if !isItem {
			return
		}
	}
	p.proposeValues(ctx, shape)
}

// add proposes a text in place of the last n bytes before the cursor.
func (p *proposals) add(n int, item protocol.CompletionItem, text string) {
	item.TextEdit = &protocol.TextEdit{
		Range: rangeOf(source.Span{File: p.doc.file, Start: p.offset - n, End: p.offset}), NewText: text,
	}
	item.SortText = fmt.Sprintf("%04d", len(p.list))
	p.list = append(p.list, item)
}

// addSymbols proposes symbols, each with an ending.
func (p *proposals) addSymbols(n int, list []*symbols.Symbol, ending string) {
	for _, s := range list {
		p.add(n, p.itemOf(s), s.Name+ending)
	}
}

// addWords proposes words of a kind.
func (p *proposals) addWords(n int, kind protocol.CompletionItemKind, words ...string) {
	for _, word := range words {
		p.add(n, protocol.CompletionItem{Label: word, Kind: kind}, word)
	}
}

func markupContent(text string) *protocol.MarkupContent {
	if text == "" {
		return nil
	}
	return &protocol.MarkupContent{Kind: protocol.Markdown, Value: text}
}

// proposeInComment proposes codes and dialects in comments of wfc. It reports whether the place is
// in a comment.
func (p *proposals) proposeInComment() bool {
	i := strings.LastIndex(p.line, "#")
	if i < 0 || p.scalar || !strings.HasPrefix(strings.TrimSpace(p.line[i+1:]), "wfc:") {
		return false
	}
	text := p.line[i+1:]
	switch open := strings.LastIndexByte(text, '['); {
	case open >= 0 && !strings.Contains(text[open:], "]"):
		word := text[strings.LastIndexAny(text, "[, ")+1:]
		for _, code := range codes.All() {
			if code.Severity != diag.Error {
				item := protocol.CompletionItem{Label: code.Slug, Kind: protocol.CompleteConstant, Detail: code.ID, Documentation: markupContent(codes.DocumentOf(code).Text)}
				p.add(len(word), item, code.Slug)
			}
		}
	case strings.Contains(text, "dialect="):
		word := text[strings.LastIndexByte(text, '=')+1:]
		p.addWords(len(word), protocol.CompleteConstant, compiler.Dialects()...)
	default:
		word := text[strings.LastIndexByte(text, ':')+1:]
		for _, directive := range []string{"ignore[]", " dialect="} {
			p.add(len(word), protocol.CompletionItem{Label: strings.TrimSpace(directive), Kind: protocol.CompleteKeyword}, directive)
		}
	}
	return true
}

// proposeKeys proposes the keys of a level that the mapping does not have.
func (p *proposals) proposeKeys(level *keytable.Level) {
	if level == nil {
		return
	}
	rest := p.text[p.offset:]
	written := strings.HasPrefix(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"), ":")
	for i := range level.Keys {
		k := &level.Keys[i]
		if _, there := p.keys[k.Name]; there && k.Name != p.prefix || strings.HasPrefix(k.Doc, "Not supported") || strings.HasPrefix(k.Doc, "Was removed") {
			continue
		}
		text := k.Name
		switch {
		case written:
		case k.Shape != nil && (k.Shape.Level != nil || k.Shape.Of != nil):
			text += ":"
		default:
			text += ": "
		}
		p.add(len(p.prefix), protocol.CompletionItem{
			Label: k.Name, Kind: protocol.CompleteProperty, Detail: k.Value, Documentation: markupContent(describeKey(k)),
		}, text)
	}
}

// proposeValues proposes the values of a key, or of an item of a list.
func (p *proposals) proposeValues(ctx context.Context, shape *keytable.Shape) {
	n := len(p.prefix)
	p.addWords(n, protocol.CompleteEnum, shape.Values()...)
	p.proposeTested(false)
	if path := p.symbolPath(); p.now.format != nil && p.now.tests == nil && symbols.Matches("agents.*.use", path) {
		p.proposeAgents(n)
	}
	kind, ok := symbols.PlaceOf(p.dialect, p.symbolPath())
	if !ok {
		return
	}
	switch kind {
	case symbols.Node:
		if last := p.steps[len(p.steps)-1].Key; last == "from" || last == "to" {
			p.addWords(n, protocol.CompleteConstant, map[string]string{"from": "START", "to": "END"}[last])
		}
		p.addSymbols(n, p.knownNodes(), "")
	case symbols.Label:
		p.addSymbols(n, p.labelsHere(), "")
	case symbols.Field:
		p.fieldsHere(n)
	case symbols.Command, symbols.Script, symbols.Workflow:
		p.proposeOutsideNames(n, kind)
	case symbols.Argument:
		p.proposeArguments(ctx, false)
	case symbols.Agent:
		if p.dialect == "archon" {
			p.proposeOutsideNames(n, kind)
		} else {
			p.proposeAgents(n)
		}
	case symbols.Tool, symbols.Skill:
		p.proposeOutsideNames(n, kind)
	case symbols.Model:
		if p.dialect == "archon" {
			p.proposeOutsideNames(n, kind)
			return
		}
		for _, m := range p.now.project.config.Options(p.doc.path).Settings.Models {
			p.add(n, protocol.CompletionItem{Label: m.Name, Kind: protocol.CompleteReference, Detail: m.Model}, m.Name)
		}
	}
}
