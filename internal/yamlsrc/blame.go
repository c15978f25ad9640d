package yamlsrc

import (
	"bytes"
	"fmt"
)

// The faults of block structure, in words.

func (s *finder) strayColon(i int) {
	s.blame(i, i+1, "a `:` without a key before it", "write the key before the colon, or put quotes around the string")
}

// multilineKey blames a colon after text of several lines: most often the text
// is the value of the line above, and the line of the colon is indented too deep.
// Text that starts its own line (fresh) is more likely a key without its colon.
func (s *finder) multilineKey(p part, colon int, fresh bool) {
	start := skipBlanks(s.src, lineStart(s.src, colon))
	if p.style == SingleQuoted || p.style == DoubleQuoted {
		s.blame(p.start, p.start+1, "a quoted key must end on its first line").
			WithRelated(s.span(colon, colon+1), "it ends here").
			WithHelp("add the closing quote if it is missing")
		return
	}
	if p.flow {
		s.blame(p.start, p.start+1, "a key must end on its first line").WithRelated(s.span(colon, colon+1), "it ends here")
		return
	}
	first := s.span(p.start, lineEnd(s.src, p.start))
	if fresh {
		s.blame(p.start, first.End, fmt.Sprintf("%s is neither a key with a `:` nor a value", quote(s.src[p.start:first.End]))).
			WithRelated(s.span(start, colon), "this key follows").
			WithHelp("write `key: value`, or put quotes around a string that contains `: `")
		return
	}
	s.blame(start, colon, fmt.Sprintf("key %s is not allowed here: the line continues the string above", quote(s.src[start:colon]))).
		WithRelated(first, "the string starts here").
		WithHelp("indent it like the key above if it is a key").
		WithHelp("put quotes around the whole string, or write it as a block after `|`, if it is not a key")
}

func (s *finder) secondColon(p part, colon int) {
	s.blame(colon, colon+1, "a second `: ` in one line").
		WithRelated(s.span(p.start, p.end), "this is the value").
		WithHelp("put quotes around the value if the colon is part of it")
}

func (s *finder) missingColon(p part) {
	end := min(p.end, lineEnd(s.src, p.start))
	s.blame(p.start, end, fmt.Sprintf("%s is neither a key with a `:` nor part of the value", quote(s.src[p.start:end])),
		"write `key: value`, or indent the line if it continues the value above")
}

// misplaced blames something that starts where nothing is expected.
func (s *finder) misplaced(i, column int, popped bool) {
	end := lineEnd(s.src, i)
	switch {
	case s.last.end > 0 && s.line(s.last.end) == s.line(i):
		s.afterValue(i, end)
	case popped:
		t := s.top()
		d := s.blame(i, end, fmt.Sprintf("the indentation of %d columns matches no line above", column))
		if t != nil {
			d.WithRelated(s.span(t.at, lineEnd(s.src, t.at)), fmt.Sprintf("these lines are indented by %d", t.column))
		}
		d.WithHelp("indent it exactly like the line it belongs to")
	case s.last.style == Literal:
		s.blame(i, end, "the indentation is between that of the block and its key").
			WithRelated(s.span(s.last.start, lineEnd(s.src, s.last.start)), "the block starts here").
			WithHelp("indent the line like the block if it belongs to it")
	case len(s.levels) == 0:
		s.blame(i, end, "text after the end of the document", "check the indentation of this line")
	default:
		d := s.blame(i, end, "the line is indented deeper than the complete value above")
		if s.last.end > 0 {
			d.WithRelated(s.span(s.last.start, s.last.end), "the value")
		}
		d.WithHelp("indent it like the keys around it")
	}
}

// afterValue blames text on the line of a value that is complete.
func (s *finder) afterValue(i, end int) {
	if s.last.style == SingleQuoted || s.last.style == DoubleQuoted {
		q := string(s.src[s.last.start])
		d := s.blame(i, end, fmt.Sprintf("text after the closing %s of a quoted value", q)).
			WithRelated(s.span(s.last.start, s.last.start+1), "the quoted value starts here")
		if q == "'" {
			d.WithHelp("write '' for a quote inside single quotes")
		} else {
			d.WithHelp(`write \" for a quote inside double quotes`)
		}
		return
	}
	d := s.blame(i, end, "text after a complete value").WithRelated(s.span(s.last.start, s.last.end), "the value")
	if s.last.flow {
		d.WithHelp("put quotes around the whole value if the brackets are part of a string")
	}
}

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
