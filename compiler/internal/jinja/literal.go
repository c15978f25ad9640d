package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
)

// lexNumber reads a whole or a floating-point number as Python writes them, except
// that a point behind a point, as in `a.0.1`, begins no fraction.
func (l *tagLexer) lexNumber() {
	start := l.at
	if end := l.floatEnd(start); end > start && (start == 0 || l.text[start-1] != '.') {
		l.at = end
		l.addToken(floatToken, start, strings.ReplaceAll(l.text[start:end], "_", ""))
		return
	}
	base, end := 10, start
	if start+1 < len(l.text) && l.text[start] == '0' {
		base = map[byte]int{'b': 2, 'o': 8, 'x': 16}[l.text[start+1]|0x20]
		if base != 0 {
			end = l.digitsEnd(start+2, base)
		}
		if base == 0 || end == start+2 {
			base, end = 10, l.zerosEnd(start)
		}
	} else {
		end = l.digitsEnd(start+1, 10)
	}
	l.at = end
	text := strings.ReplaceAll(l.text[start:end], "_", "")
	if base != 10 {
		text = text[2:]
	}
	if n, ok := new(big.Int).SetString(text, base); ok {
		text = n.String()
	}
	if len(text) > 4300 {
		l.faults.add(finding.TemplateSyntax(l.faults.placeSpan(place{start, end}), "an integer must not have more than 4300 digits"))
	}
	l.addToken(intToken, start, text)
}

// digitsEnd returns the end of the digits of a base from i on, which may be parted
// by underscores.
func (l *tagLexer) digitsEnd(i, base int) int {
	for {
		j := i
		if j < len(l.text) && l.text[j] == '_' {
			j++
		}
		if j >= len(l.text) || digitOf(l.text[j]) >= base {
			return i
		}
		i = j + 1
	}
}

// zerosEnd returns the end of zeros: other digits behind a zero make another number.
func (l *tagLexer) zerosEnd(i int) int {
	i++
	for {
		j := i
		if j < len(l.text) && l.text[j] == '_' {
			j++
		}
		if j >= len(l.text) || l.text[j] != '0' {
			return i
		}
		i = j + 1
	}
}

func digitOf(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// floatEnd returns the end of a floating-point number, or i if there is none:
// digits with a fraction, an exponent or both.
func (l *tagLexer) floatEnd(i int) int {
	whole := l.digitsEnd(i+1, 10)
	end := whole
	if fraction := l.fractionEnd(whole); fraction > whole {
		end = fraction
	}
	if end < len(l.text) && l.text[end]|0x20 == 'e' {
		j := end + 1
		if j < len(l.text) && (l.text[j] == '+' || l.text[j] == '-') {
			j++
		}
		if j < len(l.text) && isDigit(l.text[j]) {
			return l.digitsEnd(j+1, 10)
		}
	}
	if end == whole {
		return i
	}
	return end
}

func (l *tagLexer) fractionEnd(i int) int {
	if i+1 < len(l.text) && l.text[i] == '.' && isDigit(l.text[i+1]) {
		return l.digitsEnd(i+2, 10)
	}
	return i
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
