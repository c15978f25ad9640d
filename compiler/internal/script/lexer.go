package script

import (
	"slices"
	"strings"
)

// lex reads a program of Python 3, or of JavaScript or TypeScript without JSX, into tokens.
func (p *program) lex() {
	s := &scanner{p: p, src: p.src}
	if p.lang == JavaScript && strings.HasPrefix(s.rest(), "#!") {
		s.comment(s.lineEnd())
	}
	s.code(func() bool { return false })
	s.lineBreak(len(s.src))
}

// code reads up to the end or, within a string, to where its code ends.
func (s *scanner) code(ends func() bool) {
	s.deepen()
	base := len(s.open)
	for s.at < len(s.src) && !s.failed() && !(len(s.open) == base && ends()) {
		s.token()
	}
	s.depth--
}

func (s *scanner) deepen() {
	if s.depth++; s.depth > deepest {
		s.fail(s.at, "strings with code are nested too deeply")
	}
}

func (s *scanner) token() {
	if h := s.spot(); h != nil {
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
		s.comment(s.lineEnd())
	case c == '/' && s.peek(1) == '*' && js:
		s.block()
	case c == '\\' && (s.peek(1) == '\n' || s.peek(1) == '\r') && !js:
		s.at += 2
		if s.src[s.at-1] == '\r' && s.peek(0) == '\n' {
			s.at++
		}
	case c == '\'' || c == '"' || c == '`' && js:
		s.str(start, "")
	case c == '/' && js && s.regexAllowed():
		s.regex()
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		s.takeNumber()
		s.emit(number, start)
	case isWordByte(c, s.p.lang) || c == '\\' && s.peek(1) == 'u' && js:
		s.at++
		s.takeWord()
		prefix := strings.ToLower(s.src[start:s.at])
		if q := s.peek(0); (q == '\'' || q == '"') && !js && slices.Contains(pyPrefixes, prefix) {
			s.str(start, prefix)
			return
		}
		s.emit(word, start)
	case strings.IndexByte("()[]{}", c) >= 0:
		block := c == '{' && js && s.isBlock()
		if s.bracket(c) && block {
			s.p.toks[len(s.p.toks)-1].block = true
		}
	default:
		s.takeOperator(operators[s.p.lang])
	}
}

// str reads a string whose quotes, behind a prefix, are here.
func (s *scanner) str(start int, prefix string) {
	quote := s.src[s.at : s.at+1]
	if triple := strings.Repeat(quote, 3); s.p.lang == Python && strings.HasPrefix(s.rest(), triple) {
		quote = triple
	}
	l := &literal{start: start, prefix: prefix, quote: quote}
	l.raw, l.holds = l.has("r"), l.has("f") || l.has("t")
	if quote == "`" {
		last := len(s.p.toks) - 1
		l.holds, l.tagged = true, s.isTag(last)
		l.raw = l.tagged && last >= 2 && s.p.is(last, "raw") && s.p.is(last-1, ".") && s.p.is(last-2, "String")
	}
	s.at += len(quote)
	l.body[0] = s.at
	i := s.push(text, start)
	s.p.toks[i].lit = l
	if !s.body(l, false) {
		s.forget(l)
		s.fail(start, "this string never ends")
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
	s.pop(textEnd, l.body[1])
}

// body reads a string up to its quote or, in the format specification of an f-string, up to
// the brace that ends it. It reports whether there is one.
func (s *scanner) body(l *literal, spec bool) bool {
	for s.at < len(s.src) && !s.failed() {
		if h := s.spot(); h != nil {
			s.takeText(h, l)
			continue
		}
		c, js := s.peek(0), s.p.lang == JavaScript
		switch {
		case strings.HasPrefix(s.rest(), l.quote):
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
			s.substitution(l)
		default:
			s.at++
		}
	}
	return false
}

// forget takes the holes of a literal that has no end for unread.
func (s *scanner) forget(l *literal) {
	for _, h := range l.spots {
		h.place = unread
	}
}

// rawEscape passes over a backslash and the character that it escapes.
func (s *scanner) rawEscape() {
	s.at++
	if s.spot() == nil && s.at < len(s.src) {
		s.at++
	}
}

// substitution reads `${…}` of a template literal, or a replacement field of an f-string.
func (s *scanner) substitution(l *literal) {
	start := s.at
	s.at += len("{")
	if s.p.lang == JavaScript {
		s.at++
	}
	s.push(op, start)
	s.code(s.substitutionEnds)
	if s.peek(0) == '!' && !s.failed() {
		s.at++
		s.takeWord()
	}
	if s.peek(0) == ':' && !s.failed() {
		s.at++
		s.deepen()
		s.body(l, true)
		s.depth--
	}
	if s.peek(0) != '}' {
		s.fail(start, "this `{` is never closed")
	}
	if !s.failed() {
		s.at++
		s.pop(op, s.at-1)
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
	if s.p.lang == JavaScript || len(s.open) > 0 || last < 0 || s.p.toks[last].kind == newline || s.failed() {
		return
	}
	s.at = at
	s.emit(newline, at)
}
