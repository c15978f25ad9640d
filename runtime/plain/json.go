package plain

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a JSON document in which every character that Text would change is
// escaped. Its values stay the same. The document may be shared with the argument.
func JSON(document []byte) []byte {
	at := unsafeJSON(document, 0)
	if at < 0 {
		return document
	}
	out := make([]byte, 0, len(document)+32)
	from := 0
	for ; at >= 0; at = unsafeJSON(document, from) {
		out = append(out, document[from:at]...)
		r, n := utf8.DecodeRune(document[at:])
		from = at + n
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, `\ufffd`...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return append(out, document[from:]...)
}

// unsafeJSON returns the first place from which on a character is to be escaped,
// or -1. Control characters of ASCII cannot be in a string of JSON; those between
// its tokens stay, except for what is no JSON at all.
func unsafeJSON(document []byte, from int) int {
	for i := from; i < len(document); {
		c := document[i]
		if c < utf8.RuneSelf {
			if c == 0x7F || command(document, i) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(document[i:])
		if r == utf8.RuneError && n == 1 || r < 0xA0 || hidden(r) && !joiner(r) {
			return i
		}
		i += n
	}
	return -1
}

// command reports whether the bracket of `##[` is at i, which begins a command
// anywhere in a line of a log of GitHub.
func command(document []byte, i int) bool {
	return document[i] == '[' && i >= 2 && document[i-1] == '#' && document[i-2] == '#'
}

// JSONWriter returns a writer of JSON documents, each in one call, that passes
// them on as JSON returns them.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{Raw(w)} }

type jsonWriter struct{ to io.Writer }

// Write implements io.Writer.
func (w jsonWriter) Write(document []byte) (int, error) {
	if _, err := w.to.Write(JSON(document)); err != nil {
		return 0, err
	}
	return len(document), nil
}
