package stream

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// An Output hands pieces of an agent's reply on, with secrets masked.
type Output struct {
	request *agent.Request
	masked  *process.MaskedOutput
	// newline says that what was said last ended with one, or that nothing was.
	newline bool
	said    bool
}

// NewOutput returns the output of a request.
func NewOutput(r *agent.Request) *Output {
	o := &Output{request: r, newline: true}
	o.masked = process.NewMaskedOutput(r.Environ, func(piece []byte) {
		if r.Output != nil {
			r.Output(piece)
		}
	})
	return o
}

// Text says a piece of the reply.
func (o *Output) Text(piece string) {
	if piece == "" {
		return
	}
	o.masked.Write([]byte(piece))
	o.newline, o.said = strings.HasSuffix(piece, "\n"), true
}

// Break ends a paragraph of the reply, so that another one can follow.
func (o *Output) Break() {
	if !o.newline {
		o.Text("\n")
	}
	o.masked.Flush()
}

// Alive notes a sign of life.
func (o *Output) Alive() {
	if o.request.Output != nil {
		o.request.Output(nil)
	}
}

// longestNote is the number of characters of a note.
const longestNote = 600

// Note says something about the turn to people, in one line.
func (o *Output) Note(format string, args ...any) {
	if o.request.Notes == nil {
		return
	}
	o.masked.Flush()
	o.request.Notes([]byte(Line(o.request.Environ, fmt.Sprintf(format, args...), longestNote) + "\n"))
}

// Warn tells people of something that they should know, and that stops nothing.
func (o *Output) Warn(format string, args ...any) {
	if o.request.Warn == nil {
		o.Note(format, args...)
		return
	}
	o.request.Warn(Line(o.request.Environ, fmt.Sprintf(format, args...), longestNote))
}

// Said reports whether anything of the reply was said.
func (o *Output) Said() bool { return o.said }

// Line returns a text in one line of at most so many characters, with secrets
// masked and without control characters.
func Line(environ []string, text string, most int) string {
	const room = 4 // for texts that become shorter by masking and trimming
	text = strings.ToValidUTF8(text, "\uFFFD")
	cut := len(text) > room*utf8.UTFMax*most
	if cut {
		text = text[:room*utf8.UTFMax*most]
		text = strings.ToValidUTF8(text, "")
	}
	text = process.Mask(environ, text)
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
	if runes := []rune(text); len(runes) > most {
		text, cut = string(runes[:most]), true
	}
	if cut {
		text += "…"
	}
	return text
}

// Flush says what is held back of the reply.
func (o *Output) Flush() { o.masked.Flush() }

// Quote returns what a program said for a message: in one line of at most so
// many characters, with secrets masked.
func (o *Output) Quote(text string, most int) string { return Line(o.request.Environ, text, most) }
