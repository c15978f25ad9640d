package yamlsrc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// scanPart reads the content at i: its properties and a scalar, an alias or a flow
// collection. Lines of a text must be deeper than the column parent.
func (s *finder) scanPart(i, parent int, flow bool) part {
	p := part{start: i, end: i}
	for i < len(s.src) && (s.src[i] == '&' || s.src[i] == '!') {
		if i = s.scanProperty(i); s.fault != nil {
			return p
		}
		p.end = i
		if i = skipBlanks(s.src, i); isGap(s.src, i) || s.src[i] == '#' {
			return s.scanBelow(p, i, parent, flow)
		}
	}
	if i >= len(s.src) {
		return p
	}
	switch c := s.src[i]; {
	case c == '"' || c == '\'':
		p.style = SingleQuoted
		if c == '"' {
			p.style = DoubleQuoted
		}
		p.end = s.scanQuoted(i)
	case c == '[' || c == '{':
		p.flow = true
		p.end = s.scanBrackets(i)
	case c == '*':
		p.end = s.aliasName(i)
	case (c == '|' || c == '>') && !flow:
		p.style = Literal
		p.end = s.blockText(i, parent)
	case s.cannotStart(i, flow):
		word := wordAt(s.src, i)
		s.blameRange(i, i+1, fmt.Sprintf("%s cannot start a value", quoteSnippet(s.src[i:i+1])), fmt.Sprintf("put quotes around the string that starts with %s", quoteSnippet(s.src[i:word.End])))
	default:
		p.end = s.scanPlain(i, parent, flow)
	}
	return p
}

// scanBelow handles properties that end their line: their value follows.
func (s *finder) scanBelow(p part, i, parent int, flow bool) part {
	if flow {
		return p
	}
	next := skipSpace(s.src, i)
	if next >= len(s.src) || s.lines.columnAt(next) <= parent {
		return p
	}
	// The block structure reads the node below as if it had no properties.
	s.pending = true
	return p
}

// scanProperty reads the anchor or tag at i.
func (s *finder) scanProperty(i int) int {
	if s.src[i] == '!' {
		return tagEnd(s.src, i)
	}
	end := nameEnd(s.src, i+1)
	if end == i+1 {
		s.blameRange(i, end, "missing name of the anchor after `&`", "put quotes around a string that starts with `&`")
	}
	s.anchors = append(s.anchors, string(s.src[i+1:end]))
	return end
}

func nameEnd(src []byte, i int) int {
	for i < len(src) && isName(src[i]) {
		i++
	}
	return i
}

// aliasName reads the alias at i, whose anchor must be before it.
func (s *finder) aliasName(i int) int {
	end := nameEnd(s.src, i+1)
	name := string(s.src[i+1 : end])
	if end > i+1 && (isGap(s.src, end) || strings.IndexByte("?:,]}%@`", s.src[end]) >= 0) {
		if slices.Contains(s.anchors, name) {
			return end
		}
	} else {
		for !isGap(s.src, end) {
			end++
		}
		name = string(s.src[i+1 : end])
	}
	if s.fault == nil {
		s.fault = finding.UnknownAnchor(s.sourceSpan(i, end), name, plain.Nearest(name, s.anchors))
	}
	return end
}

// cannotStart reports whether no plain scalar can start with the byte at i.
func (s *finder) cannotStart(i int, flow bool) bool {
	switch c := s.src[i]; c {
	case '-':
		return isGap(s.src, i+1) && flow
	case '?', ':':
		return flow || isGap(s.src, i+1)
	default:
		return bytes.IndexByte([]byte(",[]{}#&*!|>'\"%@`"), c) >= 0
	}
}

// scanPlain returns the end of the plain scalar at i.
func (s *finder) scanPlain(i, parent int, flow bool) int {
	end := i
	for i < len(s.src) {
		i = s.plainRun(i, flow)
		end = i
		next := skipBlanks(s.src, i)
		if breakLen(s.src, next) == 0 {
			if next == i || next >= len(s.src) || s.src[next] == '#' || s.endsPlain(next, flow) {
				return end
			}
			i = next
			continue
		}
		for n := breakLen(s.src, next); n > 0; n = breakLen(s.src, next) {
			line := next + n
			next = skipBlanks(s.src, line)
			if tab := bytes.IndexByte(s.src[line:next], '\t'); tab >= 0 && tab <= parent {
				s.blameRange(line+tab, line+tab+1, "a tab is not allowed here", "indent with spaces")
				return end
			}
		}
		if next >= len(s.src) || s.src[next] == '#' || s.endsPlain(next, flow) ||
			!flow && s.lines.columnAt(next) <= parent || isMarker(s.src, next) && s.lines.columnAt(next) == 0 {
			return end
		}
		i = next
	}
	return end
}

// plainRun returns where the run of non-spaces at i of a plain scalar ends.
func (s *finder) plainRun(i int, flow bool) int {
	for i < len(s.src) && !isGap(s.src, i) && !s.endsPlain(i, flow) {
		i++
	}
	return i
}

// endsPlain reports whether the byte at i ends a plain scalar.
func (s *finder) endsPlain(i int, flow bool) bool {
	c := s.src[i]
	return c == ':' && isGap(s.src, i+1) || flow && bytes.IndexByte([]byte(",?[]{}"), c) >= 0
}

// scanQuoted returns the end of the quoted scalar at i.
func (s *finder) scanQuoted(i int) int {
	end, closed := quotedEnd(s.src, i)
	if m := s.markerWithin(i, end); !closed || m >= 0 {
		s.blameUnclosed(i, "quote", m)
		return end
	}
	if s.src[i] == '"' {
		s.checkEscapes(i, end)
	}
	return end
}

// markerWithin returns where a document marker is in a range, or -1.
func (s *finder) markerWithin(from, to int) int {
	within := s.src[:to] // a line may be as long as the file
	for at := lineEnd(within, from); at < to; at = lineEnd(within, at) {
		at += breakLen(within, at)
		if at < to && isMarker(s.src, at) {
			return at
		}
	}
	return -1
}

// blameUnclosed blames the opener at i if the file or the document ends inside it: there
// is no better place, because the other end may be anywhere. stop is the end of the
// document, -1 if that is the end of the file.
func (s *finder) blameUnclosed(i int, kind string, stop int) {
	why := "the document ends here"
	if stop < 0 {
		stop, why = len(bytes.TrimRight(s.src, "\r\n")), "the file ends here"
	}
	at := s.sourceSpan(stop, stop)
	if line := s.outdentedLine(i, stop); kind == "bracket" && line >= 0 {
		at, why = s.sourceSpan(line, lineEnd(s.src, line)), "this line seems to be outside"
	}
	s.blameRange(i, i+1, fmt.Sprintf("%s is never closed", quoteSnippet(s.src[i:i+1]))).
		WithRelated(at, why).
		WithHelp(fmt.Sprintf("write the closing %s", kind))
}

// outdentedLine returns the start of the first text after the line of offset i that is
// indented no deeper than that line, or -1 if there is none before stop.
func (s *finder) outdentedLine(i, stop int) int {
	column := s.lines.columnAt(skipBlanks(s.src, lineStart(s.src, i)))
	for at := lineEnd(s.src, i); at < stop; at = lineEnd(s.src, at) {
		at += breakLen(s.src, at)
		text := skipBlanks(s.src, at)
		if text < stop && breakLen(s.src, text) == 0 && s.lines.columnAt(text) <= column {
			return text
		}
	}
	return -1
}

// checkEscapes blames the first invalid escape of the double-quoted scalar.
func (s *finder) checkEscapes(i, end int) {
	for i++; i+1 < end; i++ {
		if s.src[i] != '\\' {
			continue
		}
		letter := s.src[i+1]
		width := escapeDigits(letter)
		switch {
		case width > 0:
			digits := s.src[i+2 : min(i+2+width, end-1)]
			if len(digits) < width || strings.Trim(string(digits), "0123456789abcdefABCDEF") != "" || !validRune(digits) {
				s.blameRange(i, i+2+len(digits), fmt.Sprintf("%s must be followed by %d hexadecimal digits", quoteSnippet(s.src[i:i+2]), width))
				return
			}
		case breakLen(s.src, i+1) == 0 && escapes[letter] == "":
			s.blameRange(i, i+2, fmt.Sprintf("unknown escape %s in a double-quoted string", quoteSnippet(s.src[i:i+2])),
				`write \\ for a backslash`, "use single quotes, where a backslash is literal")
			return
		}
		i++
	}
}

func validRune(digits []byte) bool {
	r := hexRune(digits)
	return r >= 0 && r <= 0x10FFFF && (r < 0xD800 || r > 0xDFFF)
}

// blockText returns the end of the block scalar at i.
func (s *finder) blockText(i, parent int) int {
	h := blockHeader(s.src, i)
	end := skipBlanks(s.src, h.end)
	if h.increment == 0 && bytes.IndexByte(s.src[i:h.end], '0') >= 0 {
		s.blameRange(i, h.end, "the indentation of a block must be a digit from 1 to 9")
		return end
	}
	if end < len(s.src) && s.src[end] != '#' && breakLen(s.src, end) == 0 {
		s.blameRange(end, lineEnd(s.src, end), fmt.Sprintf("text after the %s of a block", quoteSnippet(s.src[i:h.end])),
			"start the block on the next line, indented", "put quotes around the value if it is not a block")
		return end
	}
	indent := blockIndent(s.src, h, parent)
	for at := h.next; at < len(s.src); {
		text, n := blockLine(s.src, at, indent)
		if n == 0 && text-at < indent && text < len(s.src) {
			if s.src[text] == '\t' {
				s.blameRange(text, text+1, "a tab in the indentation of a block", "indent with spaces")
			}
			break
		}
		at = lineEnd(s.src, text)
		at += max(breakLen(s.src, at), 1)
	}
	return blockEnd(s.src, i, indent)
}

// scanBrackets follows the flow collection that opens at i and returns its end.
func (s *finder) scanBrackets(i int) int {
	if s.depth++; s.depth > maxDepth {
		s.blameRange(i, i+1, fmt.Sprintf("brackets nested more than %d deep", maxDepth))
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
			s.blameUnclosed(open, "bracket", -1)
			return i
		}
		switch c := s.src[i]; {
		case c == closer:
			return i + 1
		case c == ']' || c == '}':
			s.blameRange(i, i+1, fmt.Sprintf("expected %s, got %s", quoteSnippet([]byte{closer}), quoteSnippet(s.src[i:i+1]))).
				WithRelated(s.sourceSpan(open, open+1), "opened here")
		case c == ',':
			if !complete && !hasColon {
				s.blameRange(i, i+1, "a `,` with nothing before it").WithRelated(s.sourceSpan(open, open+1), "in the collection that opens here")
			}
			i, complete, hasColon, explicit = i+1, false, false, false
		case c == ':' && !complete && !hasColon && !explicit:
			s.blameRange(i, i+1, "a `:` without a key before it", "write the key before the colon, or put quotes around the string")
		case c == ':' && !hasColon && complete && s.lineNumber(entry) != s.lineNumber(i):
			s.splitEntry(open, entry, i, closer)
		case c == ':' && !hasColon:
			i, complete, hasColon = i+1, false, true
		case isMarker(s.src, i) && s.lines.columnAt(i) == 0:
			s.blameUnclosed(open, "bracket", i)
		case c == '?' && !complete && !hasColon:
			i, explicit = i+1, true
		case complete || c == ':' || c == '-' && isGap(s.src, i+1):
			s.missingComma(open, i, closer)
		default:
			p := s.scanPart(i, -1, true)
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
	if s.lines.columnAt(start) <= s.lines.columnAt(skipBlanks(s.src, lineStart(s.src, open))) {
		s.missingComma(open, start, closer)
		return
	}
	s.blameRange(entry, lineEnd(s.src, entry), "a key and its `:` must be on one line").
		WithRelated(s.sourceSpan(colon, colon+1), "the colon").
		WithHelp(fmt.Sprintf("put a `,` between two entries; the bracket opens in line %d", s.lineNumber(open)))
}

// missingComma blames the token after an entry without a comma. On a line that is
// indented no deeper than the line of the bracket, the bracket was left open.
func (s *finder) missingComma(open, i int, closer byte) {
	line := skipBlanks(s.src, lineStart(s.src, i))
	opened := skipBlanks(s.src, lineStart(s.src, open))
	if s.lineNumber(i) > s.lineNumber(open) && s.lines.columnAt(line) <= s.lines.columnAt(opened) {
		s.blameRange(open, open+1, fmt.Sprintf("%s is never closed", quoteSnippet(s.src[open:open+1]))).
			WithRelated(s.sourceSpan(line, lineEnd(s.src, i)), "this line cannot be part of it").
			WithHelp(fmt.Sprintf("write the closing %s", quoteSnippet([]byte{closer})))
		return
	}
	if s.src[i] == ':' {
		i = max(wordAt(s.src, i).Start, open+1) // the key of an entry that no comma separates
	}
	end := i + 1
	for !isGap(s.src, end) && bytes.IndexByte([]byte(",[]{}"), s.src[end]) < 0 {
		end++
	}
	s.blameRange(i, end, fmt.Sprintf("missing `,` or %s before %s", quoteSnippet([]byte{closer}), quoteSnippet(s.src[i:end]))).
		WithRelated(s.sourceSpan(open, open+1), "opened here").
		WithHelp("put quotes around the whole value if the brackets are part of a string")
}
