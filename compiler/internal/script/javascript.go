package script

import (
	"slices"
	"strings"
)

// jsOperators are the marks of more than one character, longer ones before
// their beginnings.
var jsOperators = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
}

// jsPrefixes are the words behind which an expression begins.
var jsPrefixes = []string{
	"return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw",
	"case", "do", "else", "yield", "await", "extends", "default",
}

// jsScanner reads JavaScript and TypeScript, without JSX.
type jsScanner struct{ scanner }

func lexJavaScript(p *program) {
	s := &jsScanner{scanner{p: p, src: p.src}}
	if strings.HasPrefix(s.rest(), "#!") {
		s.comment(s.lineEnd())
	}
	s.code(false)
}

// code reads to the end or, within a template, to the brace that ends the
// substitution.
func (s *jsScanner) code(inTemplate bool) {
	if s.depth++; s.depth > deepest {
		s.fail(s.at, "templates are nested too deeply")
	}
	base := len(s.open)
	for s.at < len(s.src) && !s.failed() {
		if inTemplate && len(s.open) == base && s.peek(0) == '}' {
			break
		}
		s.token()
	}
	s.depth--
}

func (s *jsScanner) token() {
	if h := s.spot(); h != nil {
		s.takeHole(h)
		return
	}
	start, c := s.at, s.src[s.at]
	switch {
	case c == '\n' || c == '\r':
		s.broke = true
		s.at++
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		s.at++
	case c == '/' && s.peek(1) == '/':
		s.comment(s.lineEnd())
	case c == '/' && s.peek(1) == '*':
		s.block()
	case c == '\'' || c == '"':
		s.str(c)
	case c == '`':
		s.template()
	case c == '/' && s.regexAllowed():
		s.regex()
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		s.takeNumber()
		s.emit(number, start)
	case isWordByte(c, JavaScript) || c == '\\' && s.peek(1) == 'u':
		s.at++
		s.takeWord()
		s.emit(word, start)
	case strings.IndexByte("()[]{}", c) >= 0:
		block := c == '{' && s.isBlock()
		if s.bracket(c) && block {
			s.p.toks[len(s.p.toks)-1].block = true
		}
	default:
		s.takeOperator(jsOperators)
	}
}

func (s *jsScanner) block() {
	body := s.src[s.at+2:]
	end := strings.Index(body, "*/")
	if end < 0 {
		s.fail(s.at, "this comment never ends")
		return
	}
	s.broke = s.broke || strings.ContainsAny(body[:end], "\r\n")
	s.comment(s.at + 2 + end + 2)
}

func (s *jsScanner) str(quote byte) {
	start := s.at
	s.at++
	l := &literal{start: start, quote: string(quote)}
	l.body[0] = s.at
	for {
		if h := s.spot(); h != nil {
			s.takeText(h, l)
			continue
		}
		switch c := s.peek(0); {
		case c == quote:
			l.body[1] = s.at
			s.at++
			l.end = s.at
			i := s.emit(text, start)
			s.p.toks[i].lit, s.p.toks[i].match = l, i
			return
		case s.at >= len(s.src), c == '\n', c == '\r':
			s.forget(l)
			s.fail(start, "this string never ends")
			return
		case c == '\\':
			s.takeEscape(l)
		default:
			s.at++
		}
	}
}

// forget takes the holes of a literal that has no end for unread.
func (s *scanner) forget(l *literal) {
	for _, h := range l.spots {
		h.place = unread
	}
}

func (s *jsScanner) template() {
	start := s.at
	before := len(s.p.toks) - 1
	s.at++
	l := &literal{start: start, quote: "`", holds: true}
	l.tagged = s.isTag(before)
	l.raw = l.tagged && before >= 2 && s.p.is(before, "raw") && s.p.is(before-1, ".") && s.p.is(before-2, "String")
	l.body[0] = s.at
	opener := s.push(text, start)
	s.p.toks[opener].lit = l
	for !s.failed() {
		if h := s.spot(); h != nil {
			s.takeText(h, l)
			continue
		}
		switch c := s.peek(0); {
		case c == '`':
			l.body[1] = s.at
			s.at++
			l.end = s.at
			s.pop(textEnd, s.at-1)
			return
		case s.at >= len(s.src):
			s.forget(l)
			s.fail(start, "this template literal never ends")
		case c == '\\' && l.raw:
			s.rawEscape()
		case c == '\\':
			s.takeEscape(l)
		case c == '$' && s.peek(1) == '{':
			if s.substitution(); s.failed() {
				s.forget(l)
			}
		default:
			s.at++
		}
	}
}

// rawEscape passes over a backslash and the character that it escapes.
func (s *scanner) rawEscape() {
	s.at++
	if s.spot() == nil && s.at < len(s.src) {
		s.at++
	}
}

func (s *jsScanner) substitution() {
	start := s.at
	s.at += 2
	s.push(op, start)
	s.code(true)
	if s.failed() {
		return
	}
	if s.peek(0) != '}' {
		s.fail(start, "this `${` is never closed")
		return
	}
	s.at++
	s.pop(op, s.at-1)
}

// isTag reports whether the last token makes a template behind it a tagged one.
func (s *jsScanner) isTag(last int) bool {
	if last < 0 || last == s.parent() {
		return false
	}
	switch t := &s.p.toks[last]; t.kind {
	case word:
		return last > 0 && s.p.is(last-1, ".", "?.") || !slices.Contains(jsPrefixes, t.text)
	case textEnd, hole:
		return true
	case op:
		return t.text == ")" || t.text == "]"
	}
	return false
}

func (s *jsScanner) regex() {
	start, class := s.at, false
	var inside []*spot
	l := &literal{start: start, quote: "/"}
	for s.at++; ; {
		if h := s.spot(); h != nil {
			inside = append(inside, h)
			h.place = inText
			s.at = h.End
			continue
		}
		c := s.peek(0)
		if s.at >= len(s.src) || c == '\n' || c == '\r' {
			for _, h := range inside {
				h.place = unread
			}
			s.fail(start, "this regular expression never ends")
			return
		}
		if c == '\\' {
			s.rawEscape()
			continue
		}
		s.at++
		switch {
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.takeWord()
			l.end = s.at
			s.emit(regex, start)
			for _, h := range inside {
				h.lit = l
				s.p.refuse(h, regexError(s.p, h))
			}
			return
		}
	}
}

// regexAllowed reports whether a slash begins a regular expression here;
// otherwise it divides.
func (s *jsScanner) regexAllowed() bool {
	last := len(s.p.toks) - 1
	if last < 0 || last == s.parent() {
		return true
	}
	t := &s.p.toks[last]
	switch t.kind {
	case number, text, textEnd, regex, hole:
		return false
	case word:
		return slices.Contains(jsPrefixes, t.text) && (last == 0 || !s.p.is(last-1, ".", "?."))
	}
	switch t.text {
	case "]", "++", "--":
		return false
	case ")":
		return s.p.is(t.match-1, "if", "while", "for", "with")
	case "}":
		return t.match < 0 || s.p.toks[t.match].block
	}
	return true
}

// isBlock reports whether a brace begins a block or a class here; otherwise it
// begins an object.
func (s *jsScanner) isBlock() bool {
	last := len(s.p.toks) - 1
	if last < 0 {
		return true
	}
	t := &s.p.toks[last]
	if last == s.parent() {
		return t.text == "{" && t.block
	}
	switch t.kind {
	case word:
		return !slices.Contains(jsPrefixes, t.text) || t.text == "do" || t.text == "else"
	case op:
		return t.text == ")" || t.text == ";" || t.text == "}" || t.text == "=>"
	}
	return s.broke
}
