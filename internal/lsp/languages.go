package lsp

import (
	"strings"
)

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

func words(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

var (
	bashLanguage = &language{
		comment: "#", alone: true, quotes: `"'`, raw: `'`,
		keywords: words("if then elif else fi for in while until do done case esac function select return exit local export readonly declare set unset shift trap break continue"),
	}
	pythonLanguage = &language{
		comment: "#", long: []string{`"""`, `'''`}, quotes: `"'`,
		keywords: words("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case"),
	}
	javaScriptLanguage = &language{
		comment: "//", long: []string{"`"}, quotes: `"'`,
		keywords: words("async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield"),
	}
	jinjaKeywords = words("if elif else endif for in endfor set endset macro endmacro call endcall filter endfilter raw endraw is not and or true false none True False None recursive")
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
			i = p.text(src, i, len(quote), quote, false)
		case strings.IndexByte(l.quotes, c) >= 0:
			i = p.text(src, i, 1, string(c), strings.IndexByte(l.raw, c) >= 0)
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

// text paints a string that starts at i and returns its end. One that is not closed ends
// with the program.
func (p *painter) text(src string, i, skip int, quote string, raw bool) int {
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
