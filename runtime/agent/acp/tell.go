package acp

import (
	"fmt"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// longestNote is the number of characters of a note, longestWarning that of a
// warning.
const (
	longestNote    = 200
	longestWarning = 600
)

// A teller passes on what a program says, from any goroutine, one piece at a
// time, with secrets masked.
type teller struct {
	request *agent.Request

	mu     sync.Mutex
	reply  *process.MaskedOutput
	closed bool
	// thought is a line of thought that has not come to its end.
	thought strings.Builder
}

func newTeller(r *agent.Request) *teller {
	t := &teller{request: r}
	t.reply = process.NewMaskedOutput(r.Environ, func(piece []byte) {
		if r.Output != nil && len(piece) > 0 {
			r.Output(piece)
		}
	})
	return t
}

// do calls f, unless the turn is over.
func (t *teller) do(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		f()
	}
}

// said passes on a piece of the reply.
func (t *teller) said(text string) {
	t.do(func() {
		t.endThought()
		t.reply.Write([]byte(text))
		t.life()
	})
}

// alive passes on a sign of life.
func (t *teller) alive() { t.do(t.life) }

func (t *teller) life() {
	if t.request.Output != nil {
		t.request.Output(nil)
	}
}

// note passes on a line about what the program does.
func (t *teller) note(format string, args ...any) {
	t.do(func() {
		t.endThought()
		t.line(fmt.Sprintf(format, args...))
	})
}

// warn tells people of something that they should know, and that stops nothing.
func (t *teller) warn(format string, args ...any) {
	t.do(func() {
		t.endThought()
		if t.request.Warn == nil {
			t.line(fmt.Sprintf(format, args...))
			return
		}
		t.request.Warn(process.Mask(t.request.Environ, shorten(fmt.Sprintf(format, args...), longestWarning)))
	})
}

func (t *teller) line(text string) {
	if t.request.Notes != nil {
		t.request.Notes([]byte(process.Mask(t.request.Environ, shorten(text, longestNote)) + "\n"))
	}
}

// think passes on a piece of thought, line by line.
func (t *teller) think(text string) {
	t.do(func() {
		for {
			line, rest, found := strings.Cut(text, "\n")
			if t.thought.Len() < 4*longestNote {
				t.thought.WriteString(line)
			}
			if !found {
				break
			}
			t.endThought()
			text = rest
		}
		t.life()
	})
}

func (t *teller) endThought() {
	if text := strings.TrimSpace(t.thought.String()); text != "" {
		t.line("thinks: " + text)
	}
	t.thought.Reset()
}

// printed passes on what the program printed on standard error, which is masked.
func (t *teller) printed(piece []byte) {
	t.do(func() {
		if t.request.Notes != nil {
			t.request.Notes(piece)
		}
	})
}

// spent passes on what the turn has cost so far.
func (t *teller) spent(m flow.Meta) {
	t.do(func() {
		if t.request.Spent != nil {
			t.request.Spent(m)
		}
	})
}

// close passes on what is held back. Nothing is passed on afterwards.
func (t *teller) close() {
	t.do(func() {
		t.endThought()
		t.reply.Flush()
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
