// Package human asks people: the person at the terminal that a run was started from. It
// also identifies persons, and reports whether the run that asks has itself started the
// process that answers in a person's name.
package human

import (
	"context"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Terminal is where a person reads and types. It is used by one goroutine at a
// time.
type Terminal interface {
	// Write shows text.
	io.Writer
	// Discard drops text that was typed before, also the beginning of a line: it was not
	// meant for a question that was not shown yet.
	Discard()
	// ReadLine returns the next line that is typed, without its end. The error is
	// io.EOF when the person has left, and that of ctx when it ends first; then
	// nothing that is typed later is lost.
	ReadLine(ctx context.Context) (string, error)
}

// Controlling reports whether a terminal is the controlling one of this process,
// and in its foreground. The system lets no process of another session push input into
// such a terminal, except an administrator's. It is false if that is unknown.
func Controlling(t Terminal) bool {
	c, ok := t.(interface{ controlling() bool })
	return ok && c.controlling()
}

// Printable returns a text without control sequences for terminals: an agent may have
// written the question, which must not hide or replace a part of itself.
func Printable(text string) string {
	return plain.Text(WithoutEscapes(text))
}

// Line is Printable for a string inside a line.
func Line(text string) string { return plain.Line(WithoutEscapes(text)) }

// WithoutEscapes returns a text without the terminal's escape sequences.
func WithoutEscapes(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "\x1b")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = after
		if rest, ok := strings.CutPrefix(after, "["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 { // it was cut off
				end = len(rest) - len(strings.TrimLeft(rest, "0123456789;?")) - 1
			}
			text = rest[end+1:]
		}
	}
}
