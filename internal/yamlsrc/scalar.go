package yamlsrc

// Scalar maps.
//
// yaml.v3 returns a scalar's decoded text and its start, and nothing in between. To
// point at the fourth byte of a folded block scalar, or at a character after three
// escapes, one must know the file byte of each decoded byte. So the scalar is
// decoded here a second time, from the file, keeping a run for every stretch that
// is in the file byte for byte.
//
// The invariant is that a map is used only if this second decoding gave exactly the
// text that yaml.v3 gave. A map can then be wrong only where both decoders misread
// the file in the same way, and a rule of YAML missed here costs precision (the
// scalar's whole span is used), never correctness. That is also why the decoders
// below check nothing: malformed scalars were rejected before.
//
// The obvious alternatives fail. Counting lines and cutting the indentation off
// breaks at folding, escapes, chomping and tabs. Searching the file for the text
// finds the wrong one of two equal words.
//
// The same decoders find the end of a scalar, which yaml.v3 does not return either.
// Most scalars are short and are in the file exactly as they decode; those are
// recognised by comparison, and no map is built before Text needs it.

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/source"
)

// A decoder decodes one scalar and records the places of its bytes.
type decoder struct {
	src  []byte
	out  []byte
	runs []source.Segment
}

// appendText appends decoded text that is at offset at of the file.
func (d *decoder) appendText(s string, at int) {
	if s == "" {
		return
	}
	d.markOffset(at)
	d.out = append(d.out, s...)
}

// copyBytes appends the bytes of the file from start to end.
func (d *decoder) copyBytes(start, end int) {
	if start == end {
		return
	}
	d.markOffset(start)
	d.out = append(d.out, d.src[start:end]...)
}

// markOffset notes that the next text is at an offset of the file.
func (d *decoder) markOffset(at int) {
	if k := len(d.runs) - 1; k < 0 || d.runs[k].Source-d.runs[k].Decoded != at-len(d.out) {
		d.runs = append(d.runs, source.Segment{Decoded: len(d.out), Source: at})
	}
}

// Text returns the decoded text of a scalar with the place of each of its
// bytes; of a collection it is the empty text. The result is kept, so a node
// must not be asked from several goroutines at once.
func (n *Node) Text() source.Text {
	if n.text == nil {
		t := n.makeText()
		n.text = &t
	}
	return *n.text
}

func (n *Node) makeText() source.Text {
	f := n.Span.File
	if f == nil || n.Kind != Scalar {
		return source.PlainText(n.Value)
	}
	if start, ok := verbatimStart(f.Content, n.Span.Start, n.Style, n.Value); ok {
		return source.VerbatimText(n.Value, f, start)
	}
	d := decoder{src: f.Content, out: make([]byte, 0, len(n.Value)), runs: make([]source.Segment, 0, strings.Count(n.Value, "\n")+1)}
	end := d.decodeScalar(n.Span.Start, n.Style, int(n.indent), n.Value)
	if string(d.out) != n.Value {
		return source.CoarseText(n.Value, n.Span)
	}
	return source.NewText(n.Value, f, d.runs, max(end, d.lastOffset()))
}

// lastOffset is the place of the last decoded byte: the line breaks kept at the end
// of a block scalar are past its span.
func (d *decoder) lastOffset() int {
	if len(d.runs) == 0 {
		return 0
	}
	last := d.runs[len(d.runs)-1]
	return last.Source + len(d.out) - 1 - last.Decoded
}

// verbatimStart reports whether a flow scalar at start is in the file exactly as it
// decodes, and where its text starts.
func verbatimStart(src []byte, start int, style Style, value string) (int, bool) {
	var quote byte
	switch style {
	case Plain:
		return start, hasAt(src, start, value)
	case SingleQuoted:
		quote = '\''
	case DoubleQuoted:
		quote = '"'
		if strings.IndexByte(value, '\\') >= 0 {
			return 0, false
		}
	default:
		return 0, false
	}
	end := start + 1 + len(value)
	ok := strings.IndexByte(value, quote) < 0 && hasAt(src, start+1, value) && end < len(src) && src[end] == quote
	return start + 1, ok
}

// hasAt reports whether text without a line break is at offset at.
func hasAt(src []byte, at int, text string) bool {
	if at+len(text) > len(src) || string(src[at:at+len(text)]) != text {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c == '\n' || c == '\r' || c == 0xC2 || c == 0xE2 {
			return !hasBreak(text[i:])
		}
	}
	return true
}

// hasBreak reports whether a text holds a line break.
func hasBreak(text string) bool {
	return strings.ContainsAny(text, "\n\r\u0085\u2028\u2029")
}

// decodeScalar decodes the scalar at start and returns the offset after it. value is
// the text that is expected; only a plain scalar needs it, to know where to
// stop.
func (d *decoder) decodeScalar(start int, style Style, indent int, value string) int {
	switch style {
	case Literal, Folded:
		return d.decodeBlock(start, indent, style == Folded)
	case SingleQuoted:
		return d.singleQuoted(start)
	case DoubleQuoted:
		return d.doubleQuoted(start)
	}
	return d.decodePlain(start, value)
}

// decodePlain walks the file and the expected text together: where a plain scalar
// ends depends on all of its context, which yaml.v3 has already judged.
func (d *decoder) decodePlain(i int, value string) int {
	for len(d.out) < len(value) && i < len(d.src) {
		if isGap(d.src, i) {
			i = d.foldBreaks(i, false)
			continue
		}
		i = d.copyRune(i)
	}
	return i
}

func (d *decoder) singleQuoted(i int) int {
	for i++; i < len(d.src); {
		switch {
		case d.src[i] == '\'' && i+1 < len(d.src) && d.src[i+1] == '\'':
			d.appendText("'", i)
			i += 2
		case d.src[i] == '\'':
			return i + 1
		case isGap(d.src, i):
			i = d.foldBreaks(i, false)
		default:
			i = d.copyRune(i)
		}
	}
	return i
}

func (d *decoder) doubleQuoted(i int) int {
	for i++; i < len(d.src); {
		switch {
		case d.src[i] == '\\':
			i = d.decodeEscape(i)
		case d.src[i] == '"':
			return i + 1
		case isGap(d.src, i):
			i = d.foldBreaks(i, false)
		default:
			i = d.copyRune(i)
		}
	}
	return i
}

func (d *decoder) copyRune(i int) int {
	_, n := utf8.DecodeRune(d.src[i:])
	d.copyBytes(i, i+n)
	return i + n
}

// escapes are the escape sequences of one character.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': "\"", '/': "/", '\\': "\\", '\'': "'", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escapeDigits is how many hexadecimal digits follow an escape's letter.
func escapeDigits(letter byte) int {
	switch letter {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

// decodeEscape decodes the escape sequence at i.
func (d *decoder) decodeEscape(i int) int {
	if i+1 >= len(d.src) {
		return i + 1
	}
	if n := breakLen(d.src, i+1); n > 0 {
		// The break is removed; the next text is folded as if the break had stayed.
		return d.foldBreaks(i+1+n, true)
	}
	letter := d.src[i+1]
	width := escapeDigits(letter)
	if width == 0 {
		text := escapes[letter]
		// Three bytes from a sequence of two: the last shares the second's place.
		head := min(len(text), 2)
		d.appendText(text[:head], i)
		d.appendText(text[head:], i+1)
		return i + 2
	}
	end := min(i+2+width, len(d.src))
	d.appendText(string(hexRune(d.src[i+2:end])), i)
	return end
}

func hexRune(digits []byte) rune {
	var r rune
	for _, c := range digits {
		r = r<<4 | rune(strings.IndexByte("0123456789abcdef", c|0x20))
	}
	return r
}

// foldBreaks decodes the spaces and line breaks at i of a flow scalar: spaces within a
// line stay, one break is a space, each further one a line feed. joined says that
// an escaped break came before, so the first break counts as a further one.
func (d *decoder) foldBreaks(i int, joined bool) int {
	start := i
	i = skipBlanks(d.src, i)
	if breakLen(d.src, i) == 0 {
		if !joined {
			d.copyBytes(start, i)
		}
		return i
	}
	first, count := i, 0
	special := false // the first break is one that does not fold
	for {
		n := breakLen(d.src, i)
		if n == 0 {
			break
		}
		switch text := breakText(d.src, i, n); {
		case count == 0 && !joined && text != "\n":
			special = true
			d.appendText(text, i)
		case count > 0 || joined:
			d.appendText(text, i)
		}
		count++
		i = skipBlanks(d.src, i+n)
	}
	if count == 1 && !joined && !special {
		d.appendText(" ", first)
	}
	return i
}

// scalarEnd returns the offset after the scalar at start. It is cheaper than
// decoding: only a plain scalar of several lines is decoded for it.
func scalarEnd(src []byte, start int, style Style, indent int, value string) int {
	if text, ok := verbatimStart(src, start, style, value); ok {
		if style == Plain {
			return text + len(value)
		}
		return text + len(value) + 1
	}
	switch style {
	case SingleQuoted, DoubleQuoted:
		end, _ := quotedEnd(src, start)
		return end
	case Literal, Folded:
		return blockEnd(src, start, indent)
	}
	d := decoder{src: src}
	end := d.decodePlain(start, value)
	if string(d.out) != value {
		return lineEnd(src, start)
	}
	return end
}

// quotedEnd returns the offset after the closing quote of the scalar at i, or
// the end of the file and false if it is never closed.
func quotedEnd(src []byte, i int) (end int, closed bool) {
	if i >= len(src) {
		return len(src), false
	}
	quote := src[i]
	for i++; ; i++ {
		k := bytes.IndexByte(src[min(i, len(src)):], quote)
		if k < 0 {
			return len(src), false
		}
		escapes := 0
		if quote == '"' {
			for escapes < k && src[i+k-1-escapes] == '\\' {
				escapes++
			}
		}
		i += k
		switch {
		case escapes%2 == 1:
		case quote == '\'' && i+1 < len(src) && src[i+1] == quote:
			i++
		default:
			return i + 1, true
		}
	}
}
