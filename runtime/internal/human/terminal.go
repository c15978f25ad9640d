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

// Printable returns the text of a question as it is safe for a terminal. What would make colours
// appears as a picture, too: a person decides about every character.
func Printable(text string) string { return plain.Text(visibleEscapes(text)) }

// Line is Printable for a string inside a line.
func Line(text string) string { return plain.Line(visibleEscapes(text)) }

func visibleEscapes(text string) string { return strings.ReplaceAll(text, "\x1b", "␛") }
