package yamlsrc

import (
	"bytes"
	"fmt"
)

// brackets follows the flow collection that opens at i and returns its end.
func (s *finder) brackets(i int) int {
	if s.depth++; s.depth > maxDepth {
		s.blame(i, i+1, fmt.Sprintf("brackets nested more than %d deep", maxDepth))
		return i
	}
	defer func() { s.depth-- }()
	open, closer := i, byte(']')
	if s.src[i] == '{' {
		closer = '}'
	}
	// State of the current entry:
	complete, hasColon, explicit, entry := false, false, false, i
	for i++; s.fault == nil; {
		i = skipSpace(s.src, i)
		if i >= len(s.src) {
			s.unclosed(open, "bracket", -1)
			return i
		}
		switch c := s.src[i]; {
		case c == closer:
			return i + 1
		case c == ']' || c == '}':
			s.blame(i, i+1, fmt.Sprintf("expected %s, got %s", quote([]byte{closer}), quote(s.src[i:i+1]))).
				WithRelated(s.span(open, open+1), "opened here")
		case c == ',':
			if !complete && !hasColon {
				s.blame(i, i+1, "a `,` with nothing before it").WithRelated(s.span(open, open+1), "in the collection that opens here")
			}
			i, complete, hasColon, explicit = i+1, false, false, false
		case c == ':' && !complete && !hasColon && !explicit:
			s.blame(i, i+1, "a `:` without a key before it", "write the key before the colon, or put quotes around the string")
		case c == ':' && !hasColon && complete && s.line(entry) != s.line(i):
			s.splitEntry(open, entry, i, closer)
		case c == ':' && !hasColon:
			i, complete, hasColon = i+1, false, true
		case isMarker(s.src, i) && columnOf(s.src, i) == 0:
			s.unclosed(open, "bracket", i)
		case c == '?' && !complete && !hasColon:
			i, explicit = i+1, true
		case complete || c == ':' || c == '-' && isGap(s.src, i+1):
			s.missingComma(open, i, closer)
		default:
			p := s.part(i, -1, true)
			if p.end == i && s.fault == nil {
				s.missingComma(open, i, closer)
			}
			i, entry, complete = p.end, p.start, true
		}
	}
	return i
}

// splitEntry blames a key of a flow mapping, at offset entry, whose colon is on a
// later line: a comma is missing there, or the bracket was left open.
func (s *finder) splitEntry(open, entry, colon int, closer byte) {
	start := skipBlanks(s.src, lineStart(s.src, colon))
	if columnOf(s.src, start) <= columnOf(s.src, skipBlanks(s.src, lineStart(s.src, open))) {
		s.missingComma(open, start, closer)
		return
	}
	s.blame(entry, lineEnd(s.src, entry), "a key and its `:` must be on one line").
		WithRelated(s.span(colon, colon+1), "the colon").
		WithHelp(fmt.Sprintf("put a `,` between two entries; the bracket opens in line %d", s.line(open)))
}

// missingComma blames the token after an entry without a comma. On a line that is
// indented no deeper than the line of the bracket, the bracket was left open.
func (s *finder) missingComma(open, i int, closer byte) {
	line := skipBlanks(s.src, lineStart(s.src, i))
	opened := skipBlanks(s.src, lineStart(s.src, open))
	if s.line(i) > s.line(open) && columnOf(s.src, line) <= columnOf(s.src, opened) {
		s.blame(open, open+1, fmt.Sprintf("%s is never closed", quote(s.src[open:open+1]))).
			WithRelated(s.span(line, lineEnd(s.src, i)), "this line cannot be part of it").
			WithHelp(fmt.Sprintf("write the closing %s", quote([]byte{closer})))
		return
	}
	if s.src[i] == ':' {
		i = max(wordAt(s.src, i).Start, open+1) // the key of an entry that no comma separates
	}
	end := i + 1
	for !isGap(s.src, end) && bytes.IndexByte([]byte(",[]{}"), s.src[end]) < 0 {
		end++
	}
	s.blame(i, end, fmt.Sprintf("missing `,` or %s before %s", quote([]byte{closer}), quote(s.src[i:end]))).
		WithRelated(s.span(open, open+1), "opened here").
		WithHelp("put quotes around the whole value if the brackets are part of a string")
}
