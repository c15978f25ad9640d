package gen

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// scriptText is the code of a program's text. Its lines are those of the text
// it was made from: only what stands in a line differs.
func (g *style) scriptText(s string, original *template.Template) textCode {
	pieces := literalPieces(s, source.PlainText(""), 0)
	if original == nil {
		return g.joinPieces(pieces, true)
	}
	from := literalPieces(original.Source.Value, original.Source, 0)
	for i := range pieces {
		if len(from) == len(pieces) {
			pieces[i].at = from[i].at
		}
	}
	return g.joinPieces(pieces, true)
}

// joinPieces makes one expression of pieces, broken where the workflow's lines end. program says
// that they are a program.
func (g *style) joinPieces(pieces []piece, program bool) textCode {
	if len(pieces) == 0 {
		return textCode{code: jen.Lit(""), constant: true, empty: true}
	}
	out := textCode{first: pieces[0].at, constant: true}
	if out.code, out.long = g.rawString(pieces, program); out.long {
		return out
	}
	for i := 0; i < len(pieces); {
		n := g.piecesTogether(pieces[i:], i == 0)
		code := pieces[i].code
		out.constant = out.constant && code == nil
		if code == nil {
			var literal strings.Builder
			for _, p := range pieces[i : i+n] {
				literal.WriteString(p.text)
			}
			code = g.quoteString(literal.String())
			out.long = out.long || n > 1
		}
		switch {
		case i == 0:
			out.code = jen.Add(code)
		case pieces[i-1].endsLine() && (pieces[i-1].text != "\n" || i > 1 || g.directives):
			g.addLine(out.code, pieces[i].at).Add(code)
			out.long = true
		default:
			out.code.Op("+").Add(code)
		}
		i += n
	}
	return out
}

// rawString is a text of several lines without holes as one raw string: if it has many lines or
// some that would need escapes, or is a program.
func (g *style) rawString(pieces []piece, program bool) (*jen.Statement, bool) {
	var text strings.Builder
	for _, p := range pieces {
		if p.code != nil || p.added {
			return nil, false
		}
		text.WriteString(p.text)
	}
	s := text.String()
	if g.directives || len(pieces) < rawLines && !program && !strings.ContainsAny(s, "\"\\") || !strings.Contains(strings.Trim(s, "\n"), "\n") {
		return nil, false
	}
	core := strings.TrimRight(s, "\n")
	switch {
	case !fitsRawString(s):
		return nil, false
	case len(s) > len(core)+1:
		return jen.Op("`" + core + "`").Op("+").Lit(s[len(core):]), true
	}
	return jen.Op("`" + s + "`"), true
}

// quoteString is a string's literal: raw where quotes and backslashes need no escapes then, without
// the line breaks around the text.
func (g *style) quoteString(s string) *jen.Statement {
	core := strings.Trim(s, "\n")
	switch {
	case g.directives || core == "":
	case strings.Contains(core, "\n") && fitsRawString(s):
		return jen.Op("`" + s + "`")
	case len(core) <= longString && strings.ContainsAny(core, "\"\\") && fitsRawString(core):
		lead, tail, _ := strings.Cut(s, core)
		code := jen.Op("`" + core + "`")
		if lead != "" {
			code = jen.Lit(lead).Op("+").Add(code)
		}
		if tail != "" {
			code.Op("+").Lit(tail)
		}
		return code
	case len(s) > longString:
		return brokenText(s, ' ')
	}
	return jen.Op(strconv.Quote(s))
}

// piecesTogether returns how many of the first pieces make one string: a line and the empty
// ones behind it, and before the first line of the text.
func (g *style) piecesTogether(pieces []piece, first bool) int {
	if g.directives {
		return 1
	}
	n := 1
	for first && n < len(pieces) && pieces[n-1].text == "\n" && pieces[n].code == nil {
		n++
	}
	for pieces[n-1].endsLine() && n < len(pieces) && pieces[n].text == "\n" {
		n++
	}
	return n
}

// whereText is the literal of a place in a template, on one line.
func (g *style) whereText(s string) *jen.Statement {
	if strings.ContainsAny(s, "\"\\") && !strings.Contains(s, "\n") {
		return g.quoteString(s)
	}
	return jen.Lit(s)
}

// brokenText is a long string as several, which end behind a character.
func brokenText(s string, end byte) *jen.Statement {
	code := &jen.Statement{}
	for len(s) > longString {
		at := strings.LastIndexByte(s[:longString], end) + 1
		if at == 0 {
			if at = strings.IndexByte(s, end) + 1; at == 0 {
				break
			}
		}
		code.Add(wordLiteral(s[:at])).Op("+").Line()
		s = s[at:]
	}
	return code.Add(wordLiteral(s))
}

// wordLiteral is the literal of a short string: raw if it would need an escape.
func wordLiteral(s string) *jen.Statement {
	if strings.ContainsAny(s, "\"\\") && fitsRawString(s) {
		return jen.Op("`" + s + "`")
	}
	return jen.Op(strconv.Quote(s))
}

// fitsRawString reports whether a raw string can hold a text so that it is seen as
// it is.
func fitsRawString(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == '`' || r == utf8.RuneError || r != '\n' && r != '\t' && !unicode.IsPrint(r)
	})
}

// literalPieces breaks literal text after its line breaks. start is its place
// in the text it comes from.
func literalPieces(s string, from source.Text, start int) []piece {
	var list []piece
	for line := range strings.Lines(s) {
		list = append(list, piece{text: line, at: from.Span(start, start+1)})
		start += len(line)
	}
	return list
}

// A piece is a part of a text: one line, or less, of literal text, or a hole.
type piece struct {
	text string         // literal text
	code *jen.Statement // else the code of a hole
	at   source.Span
	// added says that it is not in the workflow: it asks an agent for a label.
	added bool
}

// endsLine reports whether a line of the workflow ends with the piece.
func (p piece) endsLine() bool { return strings.HasSuffix(p.text, "\n") }

// rawLines is the number of lines from which on a text without holes is one raw
// string rather than a quoted string each.
const rawLines = 4

// longString is the length from which on a string is broken between words.
const longString = 92

// A textCode is the code of a text.
type textCode struct {
	code *jen.Statement
	// long says that it takes several lines.
	long bool
	// constant says that it has no hole, and empty that it has no characters.
	constant, empty bool
	// fails says that the code uses the evaluator.
	fails bool
	// held says that the code is the variable for the text.
	held bool
	// first is the place of its first line.
	first source.Span
}

// jsonText is a JSON text as a string that breaks before each member that is an object, so that
// a schema has a line for each property.
func (g *style) jsonText(text string) *jen.Statement {
	if g.directives || len(text) <= longString {
		return g.quoteString(text)
	}
	code, begun := &jen.Statement{}, 0
	for _, at := range jsonMember().FindAllStringIndex(text, -1) {
		member := text[at[0]:at[1]]
		if strings.HasSuffix(member, "{") && member != `"properties":{` && member != `"items":{` {
			code.Add(brokenText(text[begun:at[0]], ',')).Op("+").Line()
			begun = at[0]
		}
	}
	return code.Add(brokenText(text[begun:], ','))
}

// jsonMember matches a string, with what follows it if that is an object.
var jsonMember = lazyregexp.New(`"(?:[^"\\]|\\.)*"(?::\{)?`)

// textBetween is a part of a text, as far as there is one.
func textBetween(text string, start, end int) string {
	start, end = min(max(start, 0), len(text)), min(max(end, 0), len(text))
	return text[min(start, end):end]
}

// goLiteral is a constant as Go writes it.
func goLiteral(lit *expr.Literal) *jen.Statement {
	switch {
	case types.IsNumber(lit.Typ):
		return jen.Op(lit.Text)
	case lit.Typ == types.Bool:
		return jen.Id(lit.Text)
	}
	return jen.Lit(lit.Text)
}
