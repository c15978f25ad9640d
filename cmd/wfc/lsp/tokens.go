package lsp

import (
	"context"
	"math"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A token is the type of a byte, 0 for none, and its modifiers. Painting the bytes of a
// file, embedded programs first and references over them, needs no care about tokens in
// one another.
type token struct {
	kind, modifiers uint8
}

// The types of tokens; tokenTypes has their names, from 1 on.
const (
	tokenNode uint8 = iota + 1
	tokenField
	tokenLabel
	tokenVariable
	tokenInput
	tokenFunction
	tokenFile
	tokenAgent
	tokenKeyword
	tokenString
	tokenComment
	tokenNumber
	tokenOperator
)

var tokenTypes = []string{
	"class", "property", "enumMember", "variable", "parameter", "function", "namespace", "type",
	"keyword", "string", "comment", "number", "operator",
}

// The modifiers of tokens.
const (
	modifierDeclaration uint8 = 1 << iota
	modifierModification
	modifierReadonly
)

var tokenModifiers = []string{"declaration", "modification", "readonly"}

var tokenOf = map[symbols.Kind]uint8{
	symbols.Node: tokenNode, symbols.Field: tokenField, symbols.Label: tokenLabel, symbols.State: tokenVariable,
	symbols.Local: tokenVariable, symbols.Variable: tokenVariable, symbols.Input: tokenInput, symbols.Filter: tokenFunction,
	symbols.Test: tokenFunction, symbols.Command: tokenFile, symbols.Script: tokenFile, symbols.Workflow: tokenFile, symbols.Prompt: tokenFile,
	symbols.Argument: tokenInput, symbols.Agent: tokenAgent, symbols.Model: tokenAgent,
}

func semanticTokensFull(ctx context.Context, c *call, params *protocol.DocumentParams) (*protocol.SemanticTokens, error) {
	return c.semanticTokens(ctx, params.TextDocument.URI, 0, math.MaxInt)
}

func semanticTokensRange(ctx context.Context, c *call, params *protocol.RangeParams) (*protocol.SemanticTokens, error) {
	return c.semanticTokens(ctx, params.TextDocument.URI, params.Range.Start.Line, params.Range.End.Line)
}

// semanticTokens returns the tokens of lines. The file may be a workflow or a file that one uses.
func (c *call) semanticTokens(ctx context.Context, uri protocol.URI, first, last int) (*protocol.SemanticTokens, error) {
	a, file, err := c.owningAnalysis(ctx, c.view.open[c.view.pathOf(uri)])
	if err != nil || a == nil || a.index == nil || file == nil {
		return nil, err
	}
	p := &painter{file: file, bytes: make([]token, len(file.Content))}
	ir.Walk(a.result.Workflow.Workflow.Body, p.paintProgram)
	for _, r := range a.index.References {
		if r.Name.File == file {
			p.paintReference(r)
		}
	}
	return &protocol.SemanticTokens{Data: p.encodeTokens(first, last)}, nil
}

// A painter gives the bytes of a file their tokens.
type painter struct {
	file  *source.File
	bytes []token
}

func (p *painter) paint(start, end int, t token) {
	for i := max(start, 0); i < min(end, len(p.bytes)); i++ {
		p.bytes[i] = t
	}
}

func (p *painter) paintReference(r *symbols.Reference) {
	t := token{kind: tokenOf[r.Symbol.Kind]}
	switch {
	case r.Role == symbols.Declares:
		t.modifiers = modifierDeclaration
	case r.Role == symbols.Writes:
		t.modifiers = modifierModification
	case r.Symbol.Kind == symbols.Variable:
		t.modifiers = modifierReadonly
	}
	p.paint(r.Name.Start, r.Name.End, t)
}

// paintProgram paints the programs and templates of a node.
func (p *painter) paintProgram(n *ir.Node) {
	switch a := n.Action.(type) {
	case *ir.Bash:
		p.paintTemplate(a.Original, bashLanguage)
	case *ir.Script:
		language := pythonLanguage
		if a.Runtime == "bun" {
			language = javaScriptLanguage
		}
		p.paintTemplate(a.Original, language)
	case *ir.Prompt:
		p.paintTemplate(a.Text, nil)
	case *ir.Loop:
		if a.Until != nil {
			p.paintTemplate(a.Until.Original, bashLanguage)
		}
	}
}

func (p *painter) paintTemplate(t *template.Template, l *language) {
	if t == nil || t.Source.File() != p.file {
		return
	}
	at := t.Source.Whole()
	if l != nil {
		l.lex(p, at.Start, at.End)
	}
	if t.Statements() {
		jinjaTags(p, at.Start, at.End)
	}
}

// encodeTokens returns the tokens of lines in the form of the protocol: a token never crosses a
// line.
func (p *painter) encodeTokens(first, last int) []uint32 {
	data := []uint32{}
	line, column := 0, 0
	for n := max(first, 0); n <= last && n < p.file.LineCount(); n++ {
		text, start := p.file.Line(n + 1)
		for i := 0; i < len(text); {
			t := p.bytes[start+i]
			j := i + 1
			for j < len(text) && p.bytes[start+j] == t {
				j++
			}
			if t.kind != 0 {
				from, to := toPosition(p.file, start+i), toPosition(p.file, start+j)
				if from.Line != line {
					column = 0
				}
				if length := to.Character - from.Character; length > 0 {
					data = append(data, uint32(from.Line-line), uint32(from.Character-column), uint32(length), uint32(t.kind-1), uint32(t.modifiers))
					line, column = from.Line, from.Character
				}
			}
			i = j
		}
	}
	return data
}

// A language is as much of a programming language as colours need: comments, strings,
// numbers and keywords. The compiler's lexers decide about values; this one only paints.
type language struct {
	// comment starts a comment to the end of the line. If alone is set, it must follow a
	// space.
	comment string
	alone   bool
	// long are the quotes of strings of several lines.
	long []string
	// quotes start strings; those in raw have no escapes.
	quotes, raw string
	keywords    map[string]bool
}

func wordSet(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

var (
	bashLanguage = &language{
		comment: "#", alone: true, quotes: `"'`, raw: `'`,
		keywords: wordSet("if then elif else fi for in while until do done case esac function select return exit local export readonly declare set unset shift trap break continue"),
	}
	pythonLanguage = &language{
		comment: "#", long: []string{`"""`, `'''`}, quotes: `"'`,
		keywords: wordSet("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case"),
	}
	javaScriptLanguage = &language{
		comment: "//", long: []string{"`"}, quotes: `"'`,
		keywords: wordSet("async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield"),
	}
	jinjaKeywords = wordSet("if elif else endif for in endfor set endset macro endmacro call endcall filter endfilter raw endraw is not and or true false none True False None recursive")
)

// lex paints the bytes of a program.
func (l *language) lex(p *painter, start, end int) {
	src := string(p.file.Content[:min(end, len(p.file.Content))])
	for i := start; i < len(src); {
		switch c := src[i]; {
		case strings.HasPrefix(src[i:], l.comment) && (!l.alone || i == start || strings.IndexByte(" \t\n;", src[i-1]) >= 0):
			j := i + strings.IndexByte(src[i:]+"\n", '\n')
			p.paint(i, j, token{kind: tokenComment})
			i = j
		case l.longAt(src[i:]) != "":
			quote := l.longAt(src[i:])
			i = p.paintString(src, i, len(quote), quote, false)
		case strings.IndexByte(l.quotes, c) >= 0:
			i = p.paintString(src, i, 1, string(c), strings.IndexByte(l.raw, c) >= 0)
		case c == '\\':
			i += 2
		case isDigit(c):
			j := i + 1
			for j < len(src) && (isDigit(src[j]) || src[j] == '.' || src[j] == '_') {
				j++
			}
			p.paint(i, j, token{kind: tokenNumber})
			i = j
		case isLetter(c):
			j := i + 1
			for j < len(src) && (isLetter(src[j]) || isDigit(src[j])) {
				j++
			}
			if l.keywords[src[i:j]] {
				p.paint(i, j, token{kind: tokenKeyword})
			}
			i = j
		default:
			i++
		}
	}
}

func (l *language) longAt(src string) string {
	for _, quote := range l.long {
		if strings.HasPrefix(src, quote) {
			return quote
		}
	}
	return ""
}

// paintString paints a string that starts at i and returns its end. One that is not closed ends
// with the program.
func (p *painter) paintString(src string, i, skip int, quote string, raw bool) int {
	j := i + skip
	for j < len(src) && !strings.HasPrefix(src[j:], quote) {
		if src[j] == '\\' && !raw {
			j++
		}
		j++
	}
	j = min(j+len(quote), len(src))
	p.paint(i, j, token{kind: tokenString})
	return j
}

// jinjaTags paints the tags of a template with their keywords.
func jinjaTags(p *painter, start, end int) {
	src := string(p.file.Content[:min(end, len(p.file.Content))])
	for i := start; i+1 < len(src); i++ {
		closing := map[string]string{"{{": "}}", "{%": "%}", "{#": "#}"}[src[i:i+2]]
		if closing == "" {
			continue
		}
		n := strings.Index(src[i:], closing)
		if n < 0 {
			return
		}
		stop := i + n + 2
		if closing == "#}" {
			p.paint(i, stop, token{kind: tokenComment})
			i = stop - 1
			continue
		}
		p.paint(i, stop, token{})
		p.paint(i, i+2, token{kind: tokenOperator})
		p.paint(stop-2, stop, token{kind: tokenOperator})
		inside := &language{comment: "\x00", quotes: `"'`, keywords: jinjaKeywords}
		inside.lex(p, i+2, stop-2)
		i = stop - 1
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
