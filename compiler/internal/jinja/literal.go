package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// The numbers of Python, as Jinja2 reads them: other digits behind a zero make another number.
var (
	floatPattern = lazyregexp.New(`^[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9](?:_?[0-9])*)?|[eE][+-]?[0-9](?:_?[0-9])*)`)
	intPattern   = lazyregexp.New(`^(?:0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|0(?:_?0)*|[1-9](?:_?[0-9])*)`)
)

// lexNumber reads a whole or a floating-point number as Python writes them, except
// that a point behind a point, as in `a.0.1`, begins no fraction.
func (l *tagLexer) lexNumber() {
	start := l.at
	if float := floatPattern().FindString(l.text[start:]); float != "" && (start == 0 || l.text[start-1] != '.') {
		l.at += len(float)
		l.addToken(floatToken, start, strings.ReplaceAll(float, "_", ""))
		return
	}
	written := intPattern().FindString(l.text[start:])
	l.at += len(written)
	n, _ := new(big.Int).SetString(strings.ReplaceAll(written, "_", ""), 0) // it has the notation of Go, too
	text := n.String()
	if len(text) > 4300 {
		l.faults.add(finding.TemplateSyntax(l.faults.placeSpan(place{start, l.at}), "an integer must not have more than 4300 digits"))
	}
	l.addToken(intToken, start, text)
}

// lexString reads a text in quotes.
func (l *tagLexer) lexString(quote byte) {
	start := l.at
	end := start + 1
	for end < len(l.text) && l.text[end] != quote {
		if l.text[end] == '\\' {
			end++
		}
		end++
		if l.strict && l.closer != "" && end < len(l.text) && strings.HasPrefix(l.text[end:], l.closer) {
			break
		}
	}
	if end >= len(l.text) || l.text[end] != quote {
		l.faults.add(finding.JinjaUnclosed(l.faults.placeSpan(place{start, start + 1}), string(quote), string(quote)))
		l.at, l.lost = len(l.text), true
		if l.strict && l.closer != "" {
			if i := strings.Index(l.text[start:], l.closer); i >= 0 {
				l.at = start + i
			}
		}
		l.addToken(textToken, start, "")
		return
	}
	l.at = end + 1
	l.addToken(textToken, start, l.unescapeText(start+1, end))
}

// simpleEscapes are the escapes of one character.
var simpleEscapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v",
	'\\': "\\", '\'': "'", '"': `"`, '\n': "",
}

// unescapeText returns the value of a text: escapes as Python has them, of which
// unknown ones stay as they are.
func (l *tagLexer) unescapeText(start, end int) string {
	raw := normalizeNewlines(l.text[start:end])
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			b.WriteByte(raw[i])
			i++
			continue
		}
		c := raw[i+1]
		simple, ok := simpleEscapes[c]
		switch {
		case ok:
			b.WriteString(simple)
			i += 2
		case '0' <= c && c <= '7':
			n := 2
			for n < 4 && i+n < len(raw) && '0' <= raw[i+n] && raw[i+n] <= '7' {
				n++
			}
			value, _ := strconv.ParseUint(raw[i+1:i+n], 8, 16)
			b.WriteRune(rune(value))
			i += n
		case c == 'x' || c == 'u' || c == 'U':
			i += l.hexEscape(&b, raw[i:], place{start, end})
		case c == 'N':
			l.faults.add(codes.TemplateUnsupported.New(l.faults.placeSpan(place{start, end}), "unsupported escape `\\N{…}`").
				WithHelp("write the character itself, or `\\u` and its code"))
			i += 2
		default:
			b.WriteString(raw[i : i+2])
			i += 2
		}
	}
	return b.String()
}

// hexEscape writes the character of \xhh, \uhhhh or \Uhhhhhhhh and returns the
// length of the escape.
func (l *tagLexer) hexEscape(b *strings.Builder, raw string, at place) int {
	n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[raw[1]]
	digits := ""
	if len(raw) >= 2+n {
		digits = raw[2 : 2+n]
	}
	value, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || value > utf8.MaxRune {
		l.faults.add(finding.TemplateSyntax(l.faults.placeSpan(at), "`\\"+raw[1:2]+"` must be followed by "+strconv.Itoa(n)+" hexadecimal digits"))
		return 2
	}
	b.WriteRune(rune(value))
	return 2 + n
}

// normalizeNewlines makes every line break a line feed, as the engine does.
func normalizeNewlines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
