package acp

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// longestLine is how long a message may be, in bytes.
const longestLine = 64 << 20

// lines cuts what comes in pieces into lines.
type lines struct {
	// take takes a line without its end; it may keep nothing of it.
	take func(line []byte) error
	rest []byte
}

// write takes the next piece. The error is that of take, or says that a line is
// too long.
func (l *lines) write(piece []byte) error {
	for {
		line, after, found := bytes.Cut(piece, []byte{'\n'})
		if !found {
			break
		}
		piece = after
		if len(l.rest) > 0 {
			l.rest = append(l.rest, line...)
			line = l.rest
		}
		if len(line) > longestLine {
			return tooLong()
		}
		err := l.take(line)
		l.rest = l.rest[:0]
		if err != nil {
			return err
		}
	}
	if len(l.rest)+len(piece) > longestLine {
		return tooLong()
	}
	l.rest = append(l.rest, piece...)
	return nil
}

// unfinished returns a line that has no end.
func (l *lines) unfinished() string { return string(bytes.TrimSpace(l.rest)) }

func tooLong() error {
	return garbled("printed a line of more than %d MiB", longestLine>>20)
}

// longestExcerpt is the number of characters of what a program said that are
// quoted in messages.
const longestExcerpt = 200

// excerpt returns the beginning of a text on one line, in backquotes.
func excerpt[T ~string | ~[]byte](text T) string {
	return "`" + shorten(string(text), longestExcerpt) + "`"
}

// shorten returns the beginning of a text on one line, without characters that
// a terminal would obey.
func shorten(text string, most int) string {
	var out strings.Builder
	n := 0
	for _, r := range strings.TrimSpace(text) {
		if n == most {
			out.WriteString("…")
			break
		}
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			r = ' '
		case r == utf8.RuneError:
			r = '\uFFFD'
		case r < ' ' || r == 0x7F:
			fmt.Fprintf(&out, `\x%02x`, r)
			n++
			continue
		}
		out.WriteRune(r)
		n++
	}
	return out.String()
}
