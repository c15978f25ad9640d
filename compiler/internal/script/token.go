package script

import (
	"slices"
	"strings"
)

// A kind is a kind of token.
type kind int

const (
	word    kind = iota // a name or a keyword
	number              // a numeric literal
	text                // a string literal, or its start when it holds code
	textEnd             // the end of a string literal that holds code
	regex               // a regular expression literal
	op                  // an operator, a bracket or another mark
	hole                // a hole in code
	newline             // the end of a logical line of Python
)

// A token is a piece of a program, other than white space and comments.
type token struct {
	kind       kind
	start, end int
	// text is the token as written, for words and marks.
	text string
	// lit is the literal of a text.
	lit *literal
	// spot is the hole of a hole token.
	spot *spot
	// parent is the index of the bracket, or of the text, that the token is in, or
	// -1.
	parent int
	// match is the index of a bracket's or a text's other end; a text without
	// code in it is its own, and an open bracket has -1.
	match int
	// breaks says that a line break is before the token.
	breaks bool
	// block says that a brace of JavaScript encloses statements or members
	// rather than an object's properties.
	block bool
}

// A literal is a string literal.
type literal struct {
	start, end int
	// prefix is the text before the quotes in Python, in lower case.
	prefix string
	quote  string
	// body is where the text between the quotes starts and ends.
	body [2]int
	// holds says that there may be code in the text: a template literal or an
	// f-string.
	holds bool
	// raw says that backslashes are text.
	raw bool
	// tagged says that a template literal has a tag, which gets the values
	// apart from the text.
	tagged bool
	// spots are the live holes in the text itself.
	spots []*spot
}

func (l *literal) hasPrefixLetter(letter string) bool { return strings.Contains(l.prefix, letter) }

// A fault is why and where a lexer gave up.
type fault struct {
	at      int
	problem string
}

// deepest is the number of levels that code in strings in code may have.
const deepest = 500

// scanner is shared by both lexers.
type scanner struct {
	p    *program
	src  string
	at   int
	next int   // index of the next spot
	open []int // tokens that are not closed yet
	// broke says that a line break was seen since the last token.
	broke bool
	depth int
}

// holeHere returns the hole that starts here, or nil.
func (s *scanner) holeHere() *spot {
	for s.next < len(s.p.spots) && s.p.spots[s.next].Start < s.at {
		s.next++
	}
	if s.next < len(s.p.spots) && s.p.spots[s.next].Start == s.at {
		return s.p.spots[s.next]
	}
	return nil
}

// fixedTextEnd returns where the text without holes ends.
func (s *scanner) fixedTextEnd() int {
	s.holeHere()
	if s.next < len(s.p.spots) {
		return s.p.spots[s.next].Start
	}
	return len(s.src)
}

// textToHole returns the text up to the next hole.
func (s *scanner) textToHole() string { return s.src[s.at:s.fixedTextEnd()] }

// peek returns the byte at an offset from here, or 0 at the end or at a hole.
func (s *scanner) peek(n int) byte {
	if i := s.at + n; i < s.fixedTextEnd() {
		return s.src[i]
	}
	return 0
}

func (s *scanner) setFault(at int, problem string) {
	if s.p.fault == nil {
		s.p.fault = &fault{at, problem}
	}
}

func (s *scanner) hasFault() bool { return s.p.fault != nil }

func (s *scanner) innermostOpen() int {
	if len(s.open) == 0 {
		return -1
	}
	return s.open[len(s.open)-1]
}

// emitToken adds a token that ends here and returns its index.
func (s *scanner) emitToken(k kind, start int) int {
	t := token{kind: k, start: start, end: s.at, parent: s.innermostOpen(), match: -1, breaks: s.broke}
	if k == word || k == op {
		t.text = s.src[start:s.at]
	}
	s.broke = false
	s.p.toks = append(s.p.toks, t)
	return len(s.p.toks) - 1
}

// emitOpening emits an opening mark.
func (s *scanner) emitOpening(k kind, start int) int {
	i := s.emitToken(k, start)
	s.open = append(s.open, i)
	return i
}

// emitClosing emits the closing mark of the innermost open one.
func (s *scanner) emitClosing(k kind, start int) {
	from := s.innermostOpen()
	s.open = s.open[:len(s.open)-1]
	i := s.emitToken(k, start)
	s.p.toks[i].match, s.p.toks[from].match = from, i
}

// emitBracket emits a bracket and reports whether it has its counterpart.
func (s *scanner) emitBracket(c byte) bool {
	start := s.at
	s.at++
	switch c {
	case '(', '[', '{':
		s.emitOpening(op, start)
		return true
	}
	from := s.innermostOpen()
	opener := map[byte]string{')': "(", ']': "[", '}': "{"}[c]
	if from < 0 || s.p.toks[from].text != opener {
		s.setFault(start, "this `"+string(c)+"` closes nothing")
		return false
	}
	s.emitClosing(op, start)
	return true
}

// takeHole emits a hole in code.
func (s *scanner) takeHole(h *spot) {
	h.place = inCode
	start := s.at
	s.at = h.End
	i := s.emitToken(hole, start)
	s.p.toks[i].spot = h
}

// takeText adds a hole to a literal.
func (s *scanner) takeText(h *spot, l *literal) {
	h.place, h.lit = inText, l
	l.spots = append(l.spots, h)
	s.at = h.End
}

// skipComment passes over a comment that ends before the offset.
func (s *scanner) skipComment(end int) {
	if s.p.form != nil {
		start := s.at
		defer func() { s.p.comments = append(s.p.comments, [2]int{start, s.at}) }()
	}
	for s.next < len(s.p.spots) && s.p.spots[s.next].Start < end {
		if h := s.p.spots[s.next]; h.Start >= s.at {
			h.place = inComment
			end = max(end, h.End)
		}
		s.next++
	}
	s.at = end
}

// lineEnd returns where the line ends.
func (s *scanner) lineEnd() int {
	if i := strings.IndexAny(s.src[s.at:], "\r\n"); i >= 0 {
		return s.at + i
	}
	return len(s.src)
}

// takeWord passes over the letters and digits at the current offset.
func (s *scanner) takeWord() {
	for limit := s.fixedTextEnd(); s.at < limit && isWordByte(s.src[s.at], s.p.lang); {
		s.at++
	}
}

// takeNumber passes over a number; which ones there are is not of interest.
func (s *scanner) takeNumber() {
	hex := strings.HasPrefix(strings.ToLower(s.textToHole()), "0x")
	for limit := s.fixedTextEnd(); s.at < limit; s.at++ {
		c := s.src[s.at]
		sign := (c == '+' || c == '-') && !hex && s.src[s.at-1]|0x20 == 'e'
		if !isWordByte(c, s.p.lang) && c != '.' && !sign {
			return
		}
	}
}

// takeOperator emits the longest of the operators that is here, or one character.
func (s *scanner) takeOperator(operators []string) {
	start, rest := s.at, s.textToHole()
	s.at++
	for _, o := range operators {
		if strings.HasPrefix(rest, o) {
			s.at = start + len(o)
			break
		}
	}
	s.emitToken(op, start)
}

// takeEscape passes over a backslash of a string and the escaped character. A hole
// in place of that character stays text; a hole within its digits is refused.
func (s *scanner) takeEscape(l *literal) {
	start := s.at
	s.at++
	if h := s.holeHere(); h != nil {
		h.place = escaped
		s.at = h.End
		return
	}
	if s.at >= len(s.src) {
		return
	}
	c := s.src[s.at]
	s.at++
	if c == '\r' && s.peek(0) == '\n' {
		s.at++
	}
	need := 0
	switch {
	case l.hasPrefixLetter("b"):
	case c == 'x':
		need = 2
	case c == 'u' && s.peek(0) == '{' && s.p.lang == JavaScript, c == 'N' && s.peek(0) == '{' && s.p.lang == Python:
		end := strings.IndexByte(s.src[s.at:], '}')
		if end < 0 {
			return
		}
		need = end + 1
	case c == 'u':
		need = 4
	case c == 'U' && s.p.lang == Python:
		need = 8
	default:
		return
	}
	if s.fixedTextEnd() < min(s.at+need, len(s.src)) {
		h := s.p.spots[s.next]
		s.p.refuseHole(h, escapeError(s.p, h, s.src[start:h.Start]))
		return
	}
	// Only a whole escape is passed over: a quote may end the string early.
	for range need {
		if c := s.peek(0); c == 0 || c == '\n' || c == '\r' || strings.HasPrefix(s.src[s.at:], l.quote) {
			return
		}
		s.at++
	}
}

func isWordByte(c byte, lang Language) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c == '$' && lang == JavaScript
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// prevSibling returns the index of the token before one at the same level, or -1 at
// the level's beginning.
func (p *program) prevSibling(i int) int {
	if i < 0 || i >= len(p.toks) {
		return -1
	}
	parent := p.toks[i].parent
	if i--; i < 0 || i == parent {
		return -1
	}
	if t := &p.toks[i]; (t.kind == textEnd || t.kind == op) && t.match >= 0 && t.match < i {
		return t.match
	}
	return i
}

// tokenBefore returns the index of the token in front of one, be it a closing
// bracket, or -1 at the level's beginning.
func (p *program) tokenBefore(i int) int {
	if i <= 0 || i >= len(p.toks) || i-1 == p.toks[i].parent {
		return -1
	}
	if t := &p.toks[i-1]; t.kind == textEnd {
		return t.match
	}
	return i - 1
}

// tokenAfter returns the index of the token behind one, or -1 at the level's end,
// which a closing bracket is.
func (p *program) tokenAfter(i int) int {
	if i < 0 || i >= len(p.toks) {
		return -1
	}
	t := &p.toks[i]
	if (t.kind == text || t.kind == op) && t.match > i {
		i = t.match
	}
	if i++; i >= len(p.toks) || p.toks[i].parent != t.parent {
		return -1
	}
	return i
}

// hasText reports whether a token is the mark or the word.
func (p *program) hasText(i int, texts ...string) bool {
	if i < 0 || i >= len(p.toks) || p.toks[i].kind != op && p.toks[i].kind != word {
		return false
	}
	return slices.Contains(texts, p.toks[i].text)
}

func (p *program) isKind(i int, k kind) bool { return i >= 0 && i < len(p.toks) && p.toks[i].kind == k }
