package script

import (
	"slices"
	"strings"
)

// lex reads a program of Python 3, or of JavaScript or TypeScript without JSX, into tokens.
func (p *program) lex() {
	s := &scanner{p: p, src: p.src}
	if p.lang == JavaScript && strings.HasPrefix(s.textToHole(), "#!") {
		s.skipComment(s.lineEnd())
	}
	s.scanCode(func() bool { return false })
	s.lineBreak(len(s.src))
}

// scanCode reads up to the end or, within a string, to where its code ends.
func (s *scanner) scanCode(ends func() bool) {
	s.increaseDepth()
	base := len(s.open)
	for s.at < len(s.src) && !s.hasFault() && !(len(s.open) == base && ends()) {
		s.scanToken()
	}
	s.depth--
}

func (s *scanner) increaseDepth() {
	if s.depth++; s.depth > deepest {
		s.setFault(s.at, "strings with code are nested too deeply")
	}
}

func (s *scanner) scanToken() {
	if h := s.holeHere(); h != nil {
		s.takeHole(h)
		return
	}
	start, c, js := s.at, s.src[s.at], s.p.lang == JavaScript
	switch {
	case c == '\n' || c == '\r':
		s.lineBreak(s.at)
		s.broke = true
		s.at++
	case strings.IndexByte(" \t\v\f", c) >= 0:
		s.at++
	case c == '#' && !js, c == '/' && s.peek(1) == '/' && js:
		s.skipComment(s.lineEnd())
	case c == '/' && s.peek(1) == '*' && js:
		s.skipBlockComment()
	case c == '\\' && (s.peek(1) == '\n' || s.peek(1) == '\r') && !js:
		s.at += 2
		if s.src[s.at-1] == '\r' && s.peek(0) == '\n' {
			s.at++
		}
	case c == '\'' || c == '"' || c == '`' && js:
		s.scanString(start, "")
	case c == '/' && js && s.regexAllowed():
		s.scanRegex()
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		s.takeNumber()
		s.emitToken(number, start)
	case isWordByte(c, s.p.lang) || c == '\\' && s.peek(1) == 'u' && js:
		s.at++
		s.takeWord()
		prefix := strings.ToLower(s.src[start:s.at])
		if q := s.peek(0); (q == '\'' || q == '"') && !js && slices.Contains(pyPrefixes, prefix) {
			s.scanString(start, prefix)
			return
		}
		s.emitToken(word, start)
	case strings.IndexByte("()[]{}", c) >= 0:
		block := c == '{' && js && s.isBlock()
		if s.emitBracket(c) && block {
			s.p.toks[len(s.p.toks)-1].block = true
		}
	default:
		s.takeOperator(operators[s.p.lang])
	}
}

// scanString reads a string whose quotes, behind a prefix, are here.
func (s *scanner) scanString(start int, prefix string) {
	quote := s.src[s.at : s.at+1]
	if triple := strings.Repeat(quote, 3); s.p.lang == Python && strings.HasPrefix(s.textToHole(), triple) {
		quote = triple
	}
	l := &literal{start: start, prefix: prefix, quote: quote}
	l.raw, l.holds = l.hasPrefixLetter("r"), l.hasPrefixLetter("f") || l.hasPrefixLetter("t")
	if quote == "`" {
		last := len(s.p.toks) - 1
		l.holds, l.tagged = true, s.isTag(last)
		l.raw = l.tagged && last >= 2 && s.p.hasText(last, "raw") && s.p.hasText(last-1, ".") && s.p.hasText(last-2, "String")
	}
	s.at += len(quote)
	l.body[0] = s.at
	i := s.emitOpening(text, start)
	s.p.toks[i].lit = l
	if !s.scanStringBody(l, false) {
		s.markHolesUnread(l)
		s.setFault(start, "this string never ends")
		return
	}
	l.body[1] = s.at
	s.at += len(quote)
	l.end = s.at
	if len(s.p.toks) == i+1 && quote != "`" {
		s.open = s.open[:len(s.open)-1]
		s.p.toks[i].match, s.p.toks[i].end = i, s.at
		return
	}
	s.emitClosing(textEnd, l.body[1])
}

// scanStringBody reads a string up to its quote or, in the format specification of an f-string, up to
// the brace that ends it. It reports whether there is one.
func (s *scanner) scanStringBody(l *literal, spec bool) bool {
	for s.at < len(s.src) && !s.hasFault() {
		if h := s.holeHere(); h != nil {
			s.takeText(h, l)
			continue
		}
		c, js := s.peek(0), s.p.lang == JavaScript
		switch {
		case strings.HasPrefix(s.textToHole(), l.quote):
			return !spec
		case (c == '\n' || c == '\r') && len(l.quote) == 1 && l.quote != "`":
			return false
		case c == '\\' && l.raw:
			s.rawEscape()
		case c == '\\':
			s.takeEscape(l)
		case spec && c == '}':
			return true
		case l.holds && !js && !spec && (c == '{' || c == '}') && s.peek(1) == c:
			s.at += 2
		case l.holds && (c == '{' && !js || c == '$' && s.peek(1) == '{' && js):
			s.scanSubstitution(l)
		default:
			s.at++
		}
	}
	return false
}

// markHolesUnread marks the holes of a literal that has no end as unread.
func (s *scanner) markHolesUnread(l *literal) {
	for _, h := range l.spots {
		h.place = unread
	}
}

// rawEscape passes over a backslash and the character that it escapes.
func (s *scanner) rawEscape() {
	s.at++
	if s.holeHere() == nil && s.at < len(s.src) {
		s.at++
	}
}

// scanSubstitution reads `${…}` of a template literal, or a replacement field of an f-string.
func (s *scanner) scanSubstitution(l *literal) {
	start := s.at
	s.at += len("{")
	if s.p.lang == JavaScript {
		s.at++
	}
	s.emitOpening(op, start)
	s.scanCode(s.substitutionEnds)
	if s.peek(0) == '!' && !s.hasFault() {
		s.at++
		s.takeWord()
	}
	if s.peek(0) == ':' && !s.hasFault() {
		s.at++
		s.increaseDepth()
		s.scanStringBody(l, true)
		s.depth--
	}
	if s.peek(0) != '}' {
		s.setFault(start, "this `{` is never closed")
	}
	if !s.hasFault() {
		s.at++
		s.emitClosing(op, s.at-1)
	}
}

func (s *scanner) substitutionEnds() bool {
	c := s.peek(0)
	return c == '}' || s.p.lang == Python && (c == ':' || c == '!' && s.peek(1) != '=')
}

// operators are the marks of more than one character, longer ones before their beginnings.
var operators = map[Language][]string{Python: pyOperators, JavaScript: jsOperators}

// pyOperators are the marks of more than one character, longer ones before
// their beginnings.
var pyOperators = []string{
	"...", "**=", "//=", ">>=", "<<=", "->", ":=", "==", "!=", "<=", ">=", "**", "//", ">>", "<<",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
}

// pyPrefixes are the letters that may be before a string's quotes.
var pyPrefixes = []string{
	"r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt",
}

// lineBreak ends a logical line of Python unless a bracket is open or it is empty.
func (s *scanner) lineBreak(at int) {
	last := len(s.p.toks) - 1
	if s.p.lang == JavaScript || len(s.open) > 0 || last < 0 || s.p.toks[last].kind == newline || s.hasFault() {
		return
	}
	s.at = at
	s.emitToken(newline, at)
}
