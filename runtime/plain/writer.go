package plain

import (
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Writer passes text on as Text returns it. In a log of GitHub Actions, no line
// that it passes on is a workflow command. It is safe for concurrent use.
type Writer struct {
	to io.Writer
	// github says that lines are looked at by GitHub's runner.
	github bool
	// colours says that colours pass.
	colours bool

	mu sync.Mutex
	// half is the beginning of a character whose rest is to come.
	half []byte
	// inside says that the last line has not ended.
	inside bool
}

// NewWriter returns a writer to w. It takes from the environment whether GitHub's
// runner reads along.
func NewWriter(w io.Writer) *Writer {
	return &Writer{to: Raw(w), github: os.Getenv("GITHUB_ACTIONS") == "true"}
}

// Coloured returns a writer to where w writes to, through which colours pass. It is
// for text whose parts have been through Text or Line, and that has been coloured
// since.
func Coloured(w io.Writer) *Writer {
	p := NewWriter(w)
	p.colours = true
	return p
}

// Raw returns what a Writer writes to, and any other writer itself. It is for data
// and for what moves the cursor.
func Raw(w io.Writer) io.Writer {
	if p, ok := w.(*Writer); ok {
		return p.to
	}
	return w
}

// File returns the file that is written to in the end, if it is one.
func File(w io.Writer) (*os.File, bool) {
	f, ok := Raw(w).(*os.File)
	return f, ok
}

// Data returns the writer for a text that is the result of a command: w itself
// where a person or GitHub's runner reads it, else what it writes to, so that
// programs and files get every byte.
func Data(w io.Writer) io.Writer {
	p, ok := w.(*Writer)
	if !ok {
		return w
	}
	f, isFile := p.to.(*os.File)
	if !isFile {
		return p.to
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 && !isNull(info) || p.github && !info.Mode().IsRegular() {
		return w
	}
	return p.to
}

func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// Write implements io.Writer. The error is that of the writer below, to which less
// or more may have been written than the text has.
func (w *Writer) Write(piece []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := piece
	if len(w.half) > 0 {
		all = append(w.half, piece...)
		w.half = nil
	}
	if n := unfinished(all); n > 0 {
		w.half = append([]byte(nil), all[len(all)-n:]...)
		all = all[:len(all)-n]
	}
	if len(all) == 0 {
		return len(piece), nil
	}
	out := text(string(all), w.colours)
	if w.github {
		out = w.withoutCommands(out)
	}
	if _, err := io.WriteString(w.to, out); err != nil {
		return 0, err
	}
	return len(piece), nil
}

// unfinished returns how many bytes at the end begin a character and do not end it.
func unfinished(piece []byte) int {
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

// GitHub's runner takes a line for a command that begins with :: behind white
// space, or that holds ##[.
var (
	commandLine = regexp.MustCompile(`(?m)^(\s*):(:)`)
	oldCommand  = strings.NewReplacer("##[", "# #[")
)

// withoutCommands puts a space where a line would be a command.
func (w *Writer) withoutCommands(s string) string {
	begin := ""
	if w.inside {
		// A call that ends within a line has written what makes it no command.
		begin, s = cutLine(s)
	}
	out := oldCommand.Replace(begin) + oldCommand.Replace(commandLine.ReplaceAllString(s, "$1: $2"))
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
