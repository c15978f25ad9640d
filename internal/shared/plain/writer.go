package plain

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// A writer is what NewWriter and Coloured return.
type writer struct {
	to io.Writer
	// github says that GitHub's runner interprets lines.
	github bool
	// colours says that colours pass.
	colours bool

	mu sync.Mutex
	// half is the beginning of a character whose rest is to come.
	half []byte
	// inside says that the last line has not ended.
	inside bool
}

// NewWriter returns a writer to w that passes text on as Text returns it. If
// GITHUB_ACTIONS is true in the environment, it also changes lines that GitHub Actions
// would execute as workflow commands. The writer is safe for concurrent use.
func NewWriter(w io.Writer) io.Writer { return newWriter(w) }

func newWriter(w io.Writer) *writer {
	return &writer{to: Raw(w), github: os.Getenv("GITHUB_ACTIONS") == "true"}
}

// Coloured returns a writer like that of NewWriter, to the destination of w, but colours
// pass: it only replaces other control characters and invisible ones. Because foreign
// text could then have colours, pass it through Text or Line first.
func Coloured(w io.Writer) io.Writer {
	p := newWriter(w)
	p.colours = true
	return p
}

// Raw returns the underlying writer of a writer of this package, and any other writer
// unchanged. It protects from nothing: use it only for data, and for sequences of your
// own that move the cursor.
func Raw(w io.Writer) io.Writer {
	if p, ok := w.(*writer); ok {
		return p.to
	}
	return w
}

// File returns the file to which w finally writes, and whether it is an *os.File.
func File(w io.Writer) (*os.File, bool) {
	f, ok := Raw(w).(*os.File)
	return f, ok
}

// Write implements io.Writer. The error is that of the writer below, to which less
// or more may have been written than the text has.
func (w *writer) Write(piece []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := piece
	if len(w.half) > 0 {
		all = append(w.half, piece...)
		w.half = nil
	}
	if n := unfinishedBytes(all); n > 0 {
		w.half = append([]byte(nil), all[len(all)-n:]...)
		all = all[:len(all)-n]
	}
	if len(all) == 0 {
		return len(piece), nil
	}
	out := plainText(string(all), w.colours)
	if w.github {
		out = w.withoutCommands(out)
	}
	if _, err := io.WriteString(w.to, out); err != nil {
		return 0, err
	}
	return len(piece), nil
}

// unfinishedBytes returns how many bytes at the end begin a character and do not end it.
func unfinishedBytes(piece []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(piece); n++ {
		if c := piece[len(piece)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(piece[len(piece)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// GitHub's runner reads a line as a command if it begins with :: after white space, or
// contains ##[.
var (
	commandLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(\s*):(:)`) })
	oldCommand  = strings.NewReplacer("##[", "# #[")
)

// withoutCommands puts a space where a line would be a command.
func (w *writer) withoutCommands(s string) string {
	begin := ""
	if w.inside {
		// A call that ends within a line has written what makes it no command.
		begin, s = cutLine(s)
	}
	out := oldCommand.Replace(begin) + oldCommand.Replace(commandLine().ReplaceAllString(s, "$1: $2"))
	last := out[strings.LastIndexByte(out, '\n')+1:]
	w.inside = strings.TrimSpace(last) != "" || w.inside && s == "" && last == out
	return out
}

// cutLine parts a text behind its first line.
func cutLine(s string) (line, rest string) {
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return s, ""
	}
	return s[:i+1], s[i+1:]
}

// escapeJSON returns a JSON document in which every character that Text would change is
// escaped. Its values stay the same. The document may be shared with the argument.
func escapeJSON(document []byte) []byte {
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
// or -1. Control characters of ASCII cannot be in a string of JSON; those between its
// tokens stay, except in documents that are not JSON.
func unsafeJSON(document []byte, from int) int {
	for i := from; i < len(document); {
		c := document[i]
		if c < utf8.RuneSelf {
			if c == 0x7F || startsCommand(document, i) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(document[i:])
		if r == utf8.RuneError && n == 1 || r < 0xA0 || isZeroWidth(r) && !isJoiner(r) {
			return i
		}
		i += n
	}
	return -1
}

// startsCommand reports whether the bracket of `##[` is at i, which begins a command
// anywhere in a line of a log of GitHub.
func startsCommand(document []byte, i int) bool {
	return document[i] == '[' && i >= 2 && document[i-1] == '#' && document[i-2] == '#'
}

// JSONWriter returns a writer of JSON documents; each call of Write must have a whole
// document. It escapes every character that Text would change, so that values stay the
// same.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{Raw(w)} }

type jsonWriter struct{ to io.Writer }

// Write implements io.Writer.
func (w jsonWriter) Write(document []byte) (int, error) {
	if _, err := w.to.Write(escapeJSON(document)); err != nil {
		return 0, err
	}
	return len(document), nil
}
