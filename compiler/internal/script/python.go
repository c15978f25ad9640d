package script

import (
	"slices"
	"strings"
)

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

// pyScanner reads Python 3.
type pyScanner struct{ scanner }

func lexPython(p *program) {
	s := &pyScanner{scanner{p: p, src: p.src}}
	s.code(false)
	s.lineBreak(len(s.src))
}

// code reads to the end or, within an f-string, to the end of a replacement
// field's expression.
func (s *pyScanner) code(inField bool) {
	if s.depth++; s.depth > deepest {
		s.fail(s.at, "f-strings are nested too deeply")
	}
	base := len(s.open)
	for s.at < len(s.src) && !s.failed() {
		if inField && len(s.open) == base && s.fieldEnds() {
			break
		}
		s.token()
	}
	s.depth--
}

func (s *pyScanner) fieldEnds() bool {
	switch s.peek(0) {
	case '}', ':':
		return true
	case '!':
		return s.peek(1) != '='
	}
	return false
}

func (s *pyScanner) token() {
	if h := s.spot(); h != nil {
		s.takeHole(h)
		return
	}
	start, c := s.at, s.src[s.at]
	switch {
	case c == '\n' || c == '\r':
		s.lineBreak(s.at)
		s.broke = true
		s.at++
	case c == ' ' || c == '\t' || c == '\f':
		s.at++
	case c == '#':
		s.comment(s.lineEnd())
	case c == '\\' && (s.peek(1) == '\n' || s.peek(1) == '\r'):
		s.at += 2
		if s.src[s.at-1] == '\r' && s.peek(0) == '\n' {
			s.at++
		}
	case c == '\'' || c == '"':
		s.str(start, "")
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		s.takeNumber()
		s.emit(number, start)
	case isWordByte(c, Python):
		s.takeWord()
		prefix := strings.ToLower(s.src[start:s.at])
		if q := s.peek(0); (q == '\'' || q == '"') && slices.Contains(pyPrefixes, prefix) {
			s.str(start, prefix)
			return
		}
		s.emit(word, start)
	case strings.IndexByte("()[]{}", c) >= 0:
		s.bracket(c)
	default:
		s.takeOperator(pyOperators)
	}
}

// lineBreak ends a logical line unless a bracket is open or it is empty.
func (s *pyScanner) lineBreak(at int) {
	last := len(s.p.toks) - 1
	if len(s.open) > 0 || last < 0 || s.p.toks[last].kind == newline || s.failed() {
		return
	}
	s.at = at
	s.emit(newline, at)
}

func (s *pyScanner) str(start int, prefix string) {
	quote := s.src[s.at : s.at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s.rest(), triple) {
		quote = triple
	}
	l := &literal{start: start, prefix: prefix, quote: quote}
	l.raw, l.holds = l.has("r"), l.has("f") || l.has("t")
	s.at += len(quote)
	l.body[0] = s.at
	i := s.push(text, start)
	s.p.toks[i].lit = l
	if !s.textOf(l, false) {
		if !s.failed() {
			s.forget(l)
			s.fail(start, "this string never ends")
		}
		return
	}
	l.body[1] = s.at
	s.at += len(quote)
	l.end = s.at
	if len(s.p.toks) == i+1 {
		s.open = s.open[:len(s.open)-1]
		s.p.toks[i].match, s.p.toks[i].end = i, s.at
		return
	}
	s.pop(textEnd, l.body[1])
}

// textOf reads a string up to its quote or, in a format specification, up to
// the brace that ends it. It reports whether there is one.
func (s *pyScanner) textOf(l *literal, spec bool) bool {
	for s.at < len(s.src) && !s.failed() {
		if h := s.spot(); h != nil {
			s.takeText(h, l)
			continue
		}
		c := s.peek(0)
		switch {
		case strings.HasPrefix(s.rest(), l.quote):
			return !spec
		case (c == '\n' || c == '\r') && len(l.quote) == 1:
			return false
		case c == '\\' && l.raw:
			s.rawEscape()
		case c == '\\':
			s.takeEscape(l)
		case !l.holds:
			s.at++
		case spec && c == '}':
			return true
		case !spec && (c == '{' || c == '}') && s.peek(1) == c:
			s.at += 2
		case c == '{':
			s.field(l)
		default:
			s.at++
		}
	}
	return false
}

// field reads a replacement field of an f-string.
func (s *pyScanner) field(l *literal) {
	start := s.at
	s.at++
	s.push(op, start)
	s.code(true)
	if s.peek(0) == '!' && !s.failed() {
		s.at++
		s.takeWord()
	}
	if s.peek(0) == ':' && !s.failed() {
		s.at++
		if s.depth++; s.depth > deepest {
			s.fail(s.at, "f-strings are nested too deeply")
		}
		s.textOf(l, true)
		s.depth--
	}
	if s.failed() {
		return
	}
	if s.peek(0) != '}' {
		s.forget(l)
		s.fail(start, "this replacement field is never closed")
		return
	}
	s.at++
	s.pop(op, s.at-1)
}
