package gen

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/template"
)

// rawLines is the number of whole lines without a hole from which on they are
// one raw string rather than a quoted string each.
const rawLines = 4

// A piece is a part of a text: one line, or less, of literal text, or a hole.
type piece struct {
	text string         // literal text
	code *jen.Statement // else the code of a hole
	at   source.Span
}

// ends reports whether a line of the workflow ends with the piece.
func (p piece) ends() bool { return strings.HasSuffix(p.text, "\n") }

// A textCode is the code of a text.
type textCode struct {
	code *jen.Statement
	// long says that it takes several lines.
	long bool
	// constant says that it has no hole, and empty that it is no text at all.
	constant, empty bool
	// fails says that the code uses the evaluator.
	fails bool
	// first and last are the places of its first and last line.
	first, last source.Span
}

// template emits what must run first and returns the code of a template's text.
// When the code uses the evaluator, its error is to be checked; hold does that.
func (f *function) template(t *template.Template) textCode {
	if t.Statements() {
		return f.written(t)
	}
	return f.holes(t)
}

// holes is template for one that has only text and holes.
func (f *function) holes(t *template.Template) textCode {
	var pieces []piece
	var fails bool
	for _, part := range t.Parts {
		switch p := part.(type) {
		case *template.Text:
			pieces = append(pieces, literalPieces(p.Value, t.Source, p.Start)...)
		case *template.Hole:
			if !isDynamic(p.Expr) {
				pieces = append(pieces, piece{code: text(f.operand(p.Expr)), at: t.Span(p)})
				continue
			}
			v := f.strict(stringOf(p.Expr))
			fails = fails || v.fails || v.form == anyForm
			code := f.textAt(v, f.g.placeOf(between(t.Source.Value, p.Start, p.End), t.Span(p)))
			pieces = append(pieces, piece{code: code, at: t.Span(p)})
		}
	}
	code := f.g.join(pieces)
	code.fails = fails
	return code
}

// scriptText is the code of a program's text. Its lines are those of the text
// it was made from: only what stands in a line differs.
func (g *generator) scriptText(s string, original *template.Template) textCode {
	pieces := literalPieces(s, source.PlainText(""), 0)
	if original == nil {
		return g.join(pieces)
	}
	from := literalPieces(original.Source.Value, original.Source, 0)
	for i := range pieces {
		if len(from) == len(pieces) {
			pieces[i].at = from[i].at
		}
	}
	return g.join(pieces)
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

// join makes one expression of pieces, broken where the workflow's lines end.
func (g *generator) join(pieces []piece) textCode {
	if len(pieces) == 0 {
		return textCode{code: jen.Lit(""), constant: true, empty: true}
	}
	out := textCode{first: pieces[0].at, last: pieces[0].at, constant: true}
	for i := 0; i < len(pieces); {
		n := g.rawRun(pieces[i:])
		code := pieces[i].code
		out.constant = out.constant && code == nil
		if code == nil {
			var literal strings.Builder
			for _, p := range pieces[i : i+n] {
				literal.WriteString(p.text)
			}
			code = g.quote(literal.String())
			out.long = out.long || n > 1
		}
		switch {
		case i == 0:
			out.code = jen.Add(code)
		case pieces[i-1].ends():
			g.plus(out.code, pieces[i].at).Add(code)
			out.long = true
		default:
			out.code.Op("+").Op(softMark).Add(code)
		}
		i += n
	}
	return out
}

// rawRun returns how many of the first pieces make one string: several when they
// are many whole lines that a raw string can hold, or a line and the empty ones
// behind it.
func (g *generator) rawRun(pieces []piece) int {
	if g.opt.LineDirectives {
		return 1
	}
	n := 0
	for n < len(pieces) && pieces[n].code == nil && rawable(pieces[n].text) {
		n++
	}
	if n >= rawLines && pieces[0].text != "\n" {
		return n
	}
	n = 1
	for pieces[0].ends() && n < len(pieces) && pieces[n].text == "\n" {
		n++
	}
	return n
}

// quote is a string's literal: raw when that is easier to read, or when it
// has several lines.
func (g *generator) quote(s string) *jen.Statement {
	body := strings.TrimRight(s, "\n")
	if !g.opt.LineDirectives && rawable(s) && (strings.ContainsAny(s, "\"\\") || strings.Contains(body, "\n")) {
		if body != s && !strings.Contains(body, "\n") {
			return jen.Op("`" + body + "`").Op("+").Lit(s[len(body):])
		}
		return jen.Op("`" + s + "`")
	}
	if !g.opt.LineDirectives && len(s) > longString {
		return g.words(s)
	}
	return jen.Op(strconv.Quote(s))
}

// whereText is the literal of a place in a template, on one line.
func (g *generator) whereText(s string) *jen.Statement {
	if strings.ContainsAny(s, "\"\\") && !strings.Contains(s, "\n") {
		return g.quote(s)
	}
	return jen.Lit(s)
}

// longString is the length from which on a string is broken between words.
const longString = 92

// words is a long string as several, each of some words.
func (g *generator) words(s string) *jen.Statement {
	code := &jen.Statement{}
	for len(s) > longString {
		at := strings.LastIndexByte(s[:longString], ' ') + 1
		if at == 0 {
			if at = strings.IndexByte(s, ' ') + 1; at == 0 {
				break
			}
		}
		code.Op(strconv.Quote(s[:at])).Op("+").Line()
		s = s[at:]
	}
	return code.Op(strconv.Quote(s))
}

// rawable reports whether a raw string can hold a text so that it is seen as
// it is.
func rawable(s string) bool {
	for _, r := range s {
		if r == '`' || r == utf8.RuneError || r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
