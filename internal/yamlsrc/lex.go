package yamlsrc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// checkBytes returns the fault of a file before any YAML is read: its size, its
// encoding, or characters that YAML does not allow.
func checkBytes(f *source.File) *diag.Diagnostic {
	if len(f.Content) > MaxSize {
		return finding.YAMLTooLarge(source.Span{File: f}, fmt.Sprintf("larger than %d MiB", MaxSize>>20))
	}
	if isUTF16(f.Content) {
		return finding.YAMLEncoding(source.Span{File: f, End: min(2, len(f.Content))}, "the file is UTF-16").
			WithHelp("save it as UTF-8")
	}
	for i := bomLen(f.Content); i < len(f.Content); {
		c := f.Content[i]
		if c >= ' ' && c < 0x7F || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		n, problem, help := badRune(f.Content[i:])
		if problem != "" {
			return finding.YAMLEncoding(source.Span{File: f, Start: i, End: i + n}, problem).WithHelp(help)
		}
		i += n
	}
	return nil
}

// badRune judges the character at the start of text, n bytes long. The problem
// is empty if YAML allows it.
func badRune(text []byte) (n int, problem, help string) {
	r, n := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && n <= 1:
		return 1, fmt.Sprintf("byte 0x%02X is not UTF-8", text[0]), "save the file as UTF-8"
	case r == 0:
		return n, "a NUL byte", "remove it; a workflow is a text file"
	case r == '\ufeff':
		return n, "a byte order mark in the middle of the file", "remove this invisible character; it is allowed only at the start of a file"
	case r < ' ' || r == 0x7F || r > 0x7F && r < 0xA0 && r != 0x85:
		return n, fmt.Sprintf("control character U+%04X", r), fmt.Sprintf("remove it, or write it as \"\\x%02X\" in a double-quoted string", r)
	case r == 0xFFFE || r == 0xFFFF:
		return n, fmt.Sprintf("U+%04X is not a character", r), "remove it"
	}
	return n, "", ""
}

// isUTF16 recognises UTF-16 by its byte order mark, or by the NUL bytes that
// every ASCII character has in it.
func isUTF16(text []byte) bool {
	if bytes.HasPrefix(text, []byte{0xFF, 0xFE}) || bytes.HasPrefix(text, []byte{0xFE, 0xFF}) {
		return true
	}
	return len(text) >= 4 && (text[0] == 0 && text[2] == 0 && text[1] != 0 && text[3] != 0 ||
		text[1] == 0 && text[3] == 0 && text[0] != 0 && text[2] != 0)
}

// The small facts about YAML's characters that the reader, the scalar maps and
// the fault finder share. yaml.v3 follows YAML 1.1 in one thing that 1.2 gave
// up: it also breaks lines at U+0085, U+2028 and U+2029, so these helpers do.

// breakLen returns the length of the line break that starts at i, or 0.
func breakLen(src []byte, i int) int {
	if i >= len(src) {
		return 0
	}
	switch src[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(src) && src[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if i+1 < len(src) && src[i+1] == 0x85 {
			return 2
		}
	case 0xE2:
		if i+2 < len(src) && src[i+1] == 0x80 && (src[i+2] == 0xA8 || src[i+2] == 0xA9) {
			return 3
		}
	}
	return 0
}

// breakText is the decoded text of the break at i, n bytes long.
func breakText(src []byte, i, n int) string {
	if n == 3 {
		return string(src[i : i+3])
	}
	return "\n"
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isGap reports whether a space, a line break or the end is at i.
func isGap(src []byte, i int) bool {
	return i >= len(src) || isBlank(src[i]) || breakLen(src, i) > 0
}

// lineEnd returns where the line that holds i ends, before its break.
func lineEnd(src []byte, i int) int {
	for ; i < len(src); i++ {
		// Only four bytes can start a line break.
		if c := src[i]; (c == '\n' || c == '\r' || c == 0xC2 || c == 0xE2) && breakLen(src, i) > 0 {
			break
		}
	}
	return i
}

// skipBlanks returns the offset of the first byte from i on that is not a space or
// tab.
func skipBlanks(src []byte, i int) int {
	for i < len(src) && isBlank(src[i]) {
		i++
	}
	return i
}

// skipSpace steps over spaces, line breaks and comments. Between tokens every #
// starts a comment, even right behind a quote or bracket.
func skipSpace(src []byte, i int) int {
	for i < len(src) {
		switch n := breakLen(src, i); {
		case n > 0:
			i += n
		case isBlank(src[i]):
			i++
		case src[i] == '#':
			i = lineEnd(src, i)
		default:
			return i
		}
	}
	return i
}

// endsBreak reports whether a line break ends just before i.
func endsBreak(src []byte, i int) bool {
	for n := 1; n <= 3 && n <= i; n++ {
		if breakLen(src, i-n) == n {
			return true
		}
	}
	return false
}

func bomLen(src []byte) int {
	if bytes.HasPrefix(src, []byte(bom)) {
		return len(bom)
	}
	return 0
}

const bom = "\ufeff"

// isName reports whether c may be part of an anchor's name.
func isName(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '-'
}

// isMarker reports whether a document marker (--- or ...) is at i, which must be
// the start of a line.
func isMarker(src []byte, i int) bool {
	if i+3 > len(src) {
		return false
	}
	m := string(src[i : i+3])
	return (m == "---" || m == "...") && isGap(src, i+3)
}

// A lineTable finds byte offsets of the lines and code point columns that
// yaml.v3 gives. Nodes come mostly in file order, so it remembers the last
// place: a line with many nodes is not walked from its start for each.
type lineTable struct {
	file   *source.File
	src    []byte
	starts []int
	// line, column and offset are the last place asked for.
	line, column, offset int
}

func newLineTable(f *source.File) *lineTable {
	src := f.Content
	at := bomLen(src)
	t := &lineTable{file: f, src: src, starts: append(make([]int, 0, len(src)/32+1), at)}
	for i := lineEnd(src, at); i < len(src); i = lineEnd(src, i) {
		i += breakLen(src, i)
		t.starts = append(t.starts, i)
	}
	return t
}

// columnAt counts the code points before offset i on its line. It takes the same time at
// every place of a line, since a whole file can be one line.
func (t *lineTable) columnAt(i int) int {
	line, found := slices.BinarySearch(t.starts, i)
	if !found {
		line = max(0, line-1)
	}
	return t.file.Position(i).Column - t.file.Position(t.starts[line]).Column
}

// offsetOf returns the offset of a line and a code point column, both from 1.
func (t *lineTable) offsetOf(line, column int) int {
	if line < 1 || line > len(t.starts) {
		return len(t.src)
	}
	if line != t.line || column < t.column {
		t.line, t.column, t.offset = line, 1, t.starts[line-1]
	}
	for t.column < column && t.offset < len(t.src) {
		n := 1
		if t.src[t.offset] >= utf8.RuneSelf {
			_, n = utf8.DecodeRune(t.src[t.offset:])
		}
		t.offset += n
		t.column++
	}
	return t.offset
}

// lineStart returns where the line that holds offset i starts.
func lineStart(src []byte, i int) int {
	for i > bomLen(src) && !endsBreak(src, i) {
		i--
	}
	return i
}

// findComments returns the comments of a file up to end. All text outside scalars
// is structure, spaces or comments, and structure contains no #. So it needs only
// the spans of the scalars, in file order.
func findComments(f *source.File, scalars []span, end int) []Comment {
	var list []Comment
	at := bomLen(f.Content)
	for _, s := range scalars {
		list = commentsIn(list, f, at, min(s.start, end))
		at = max(at, s.start, s.end)
	}
	return commentsIn(list, f, at, end)
}

func commentsIn(list []Comment, f *source.File, from, to int) []Comment {
	for from < to {
		k := bytes.IndexByte(f.Content[from:to], '#')
		if k < 0 {
			break
		}
		from += k
		end := lineEnd(f.Content, from)
		list = append(list, newComment(f, from, end))
		from = end
	}
	return list
}

func newComment(f *source.File, start, end int) Comment {
	line := lineStart(f.Content, start)
	return Comment{
		Span:  source.Span{File: f, Start: start, End: end},
		Text:  strings.TrimSpace(string(f.Content[start+1 : end])),
		Line:  f.Position(start).Line,
		Alone: skipBlanks(f.Content, line) == start,
	}
}
