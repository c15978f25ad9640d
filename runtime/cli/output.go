package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// dataWriter returns the writer for the result of a command: w itself where a
// person or GitHub's runner reads it, else what it writes to, so that programs and
// files get every byte.
func dataWriter(w io.Writer) io.Writer {
	f, ok := plain.File(w)
	if !ok {
		return plain.Raw(w)
	}
	info, err := f.Stat()
	github := os.Getenv("GITHUB_ACTIONS") == "true"
	if err != nil || info.Mode()&os.ModeCharDevice != 0 && !isNull(info) || github && !info.Mode().IsRegular() {
		return w
	}
	return plain.Raw(w)
}

func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// unread reports whether an error of writing says that nobody reads any more: the
// pipe is closed, or the terminal is gone.
func unread(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EIO)
}

// terminalWidth is the width of a terminal; 0 is no terminal.
func terminalWidth(out io.Writer) int {
	if file, ok := plain.File(out); ok {
		if w, _, err := term.GetSize(int(file.Fd())); err == nil {
			return w
		}
	}
	return 0
}

// fit cuts a text to a width in columns. East Asian characters and emoji take
// two columns; so may some others that do not, so that a line never is too long.
func fit(text string, width int) string {
	used, cut := 0, 0
	for i, r := range text {
		if used <= width-1 {
			cut = i // so far there is room for an ellipsis
		}
		used += columns(r)
	}
	if used <= width {
		return text
	}
	return text[:cut] + "…"
}

func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r > 0x2fff:
		return 2
	}
	return 1
}

// lastLine is the last line of a piece of output that has any text, without
// what would move the terminal's cursor.
func lastLine(piece []byte) string {
	line := bytes.TrimSpace(piece)
	if i := bytes.LastIndexAny(line, "\r\n"); i >= 0 {
		line = line[i+1:]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, human.WithoutEscapes(string(line)))
}
