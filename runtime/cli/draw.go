package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// mostRunning is how many running steps are drawn.
const mostRunning = 12

// draw prints a finished line, if there is one, and on a terminal the running
// steps anew. The caller holds p.mu.
func (p *progress) draw(line string) {
	if p.held {
		if line != "" {
			p.later = append(p.later, line)
		}
		return
	}
	var b strings.Builder
	b.WriteString(p.away())
	if line != "" {
		b.WriteString(line + "\n")
	}
	if p.live {
		for _, text := range p.runningLines(time.Now()) {
			b.WriteString(text + "\n")
			p.drawn++
		}
	}
	if b.Len() > 0 {
		_, _ = io.WriteString(p.out, b.String()) // progress is worth no error
	}
}

// erase takes the running steps off the terminal. The caller holds p.mu.
func (p *progress) erase() {
	if text := p.away(); text != "" {
		_, _ = io.WriteString(p.out, text)
	}
}

// away is what takes the drawn lines off the terminal: up to the first of them,
// and away with all below.
func (p *progress) away() string {
	n := p.drawn
	p.drawn = 0
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", n)
}

// runningLines are the running steps, each a line that is no wider than the
// terminal: a line that wraps could not be drawn over.
func (p *progress) runningLines(now time.Time) []string {
	if len(p.running) == 0 {
		return nil
	}
	var lines []string
	width := p.width()
	for _, r := range p.running[:min(len(p.running), mostRunning)] {
		text := "● " + plain.Line(r.key)
		if r.attempt > 1 {
			text += fmt.Sprintf(" (attempt %d)", r.attempt)
		}
		if wait := r.due.Sub(now); !r.due.IsZero() && wait > 0 {
			text = "◌" + strings.TrimPrefix(text, "●") + " in " + shortDuration(wait.Round(redrawEvery))
		} else {
			text += " " + shortDuration(now.Sub(r.since).Round(redrawEvery)) + "  " + r.last
		}
		lines = append(lines, p.paint("36", fit(text, width-1)))
	}
	if more := len(p.running) - mostRunning; more > 0 {
		lines = append(lines, p.paint("36", fmt.Sprintf("  and %d more", more)))
	}
	return lines
}

func (p *progress) width() int {
	if w := terminalWidth(p.out); w > 20 {
		return w
	}
	return 80
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
