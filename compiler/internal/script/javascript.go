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

func (s *scanner) skipBlockComment() {
	body := s.src[s.at+2:]
	end := strings.Index(body, "*/")
	if end < 0 {
		s.setFault(s.at, "this comment never ends")
		return
	}
	s.broke = s.broke || strings.ContainsAny(body[:end], "\r\n")
	s.skipComment(s.at + 2 + end + 2)
}

// isTag reports whether the last token makes a template behind it a tagged one.
func (s *scanner) isTag(last int) bool {
	if last < 0 || last == s.innermostOpen() {
		return false
	}
	switch t := &s.p.toks[last]; t.kind {
	case word:
		return last > 0 && s.p.hasText(last-1, ".", "?.") || !slices.Contains(jsPrefixes, t.text)
	case textEnd, hole:
		return true
	case op:
		return t.text == ")" || t.text == "]"
	}
	return false
}

func (s *scanner) scanRegex() {
	start, class := s.at, false
	l := &literal{start: start, quote: "/"}
	for s.at++; ; {
		if h := s.holeHere(); h != nil {
			s.takeText(h, l)
			continue
		}
		c := s.peek(0)
		if s.at >= len(s.src) || c == '\n' || c == '\r' {
			s.markHolesUnread(l)
			s.setFault(start, "this regular expression never ends")
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
			s.emitToken(regex, start)
			for _, h := range l.spots {
				s.p.refuseHole(h, regexError(s.p, h))
			}
			return
		}
	}
}

// regexAllowed reports whether a slash begins a regular expression here;
// otherwise it divides.
func (s *scanner) regexAllowed() bool {
	last := len(s.p.toks) - 1
	if last < 0 || last == s.innermostOpen() {
		return true
	}
	t := &s.p.toks[last]
	switch t.kind {
	case number, text, textEnd, regex, hole:
		return false
	case word:
		return slices.Contains(jsPrefixes, t.text) && (last == 0 || !s.p.hasText(last-1, ".", "?."))
	}
	switch t.text {
	case "]", "++", "--":
		return false
	case ")":
		return s.p.hasText(t.match-1, "if", "while", "for", "with")
	case "}":
		return t.match < 0 || s.p.toks[t.match].block
	}
	return true
}

// isBlock reports whether a brace begins a block or a class here; otherwise it
// begins an object.
func (s *scanner) isBlock() bool {
	last := len(s.p.toks) - 1
	if last < 0 {
		return true
	}
	t := &s.p.toks[last]
	if last == s.innermostOpen() {
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
