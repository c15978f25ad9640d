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

// A reporter passes on a program's output, from any goroutine, one piece at a time, with
// secrets masked.
type reporter struct {
	request *agent.Request

	mu     sync.Mutex
	closed bool
	// write masks secrets in the reply, and flush writes what it holds back.
	write func(piece []byte)
	flush func()
	// muse and pause are write and flush for thoughts. thought is an unfinished line.
	muse    func(piece []byte)
	pause   func()
	thought strings.Builder
}

func newReporter(r *agent.Request) *reporter {
	t := &reporter{request: r}
	t.write, t.flush = process.MaskStream(r.Environ, func(piece []byte) {
		if r.Output != nil && len(piece) > 0 {
			r.Output(piece)
		}
	})
	t.muse, t.pause = process.MaskStream(r.Environ, func(piece []byte) { t.thoughtLines(string(piece)) })
	return t
}

// callUnlessOver calls f, unless the turn is over.
func (t *reporter) callUnlessOver(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		f()
	}
}

// passReply passes on a piece of the reply.
func (t *reporter) passReply(text string) {
	t.callUnlessOver(func() {
		t.endThought()
		t.write([]byte(text))
		t.emitAlive()
	})
}

// passAlive passes on a sign of life.
func (t *reporter) passAlive() { t.callUnlessOver(t.emitAlive) }

func (t *reporter) emitAlive() {
	if t.request.Output != nil {
		t.request.Output(nil)
	}
}

// passNote passes on a line about the program's actions.
func (t *reporter) passNote(format string, args ...any) {
	t.callUnlessOver(func() {
		t.endThought()
		t.writeLine(fmt.Sprintf(format, args...))
	})
}

// passWarning reports a problem that does not stop the turn.
func (t *reporter) passWarning(format string, args ...any) {
	t.callUnlessOver(func() {
		t.endThought()
		if t.request.Warn == nil {
			t.writeLine(fmt.Sprintf(format, args...))
			return
		}
		t.request.Warn(shortenLine(process.Mask(t.request.Environ, fmt.Sprintf(format, args...)), longestWarning))
	})
}

func (t *reporter) writeLine(text string) {
	if t.request.Notes != nil {
		t.request.Notes([]byte(shortenLine(process.Mask(t.request.Environ, text), longestNote) + "\n"))
	}
}

// passThought passes on a piece of thought, line by line.
func (t *reporter) passThought(text string) {
	t.callUnlessOver(func() {
		t.muse([]byte(text))
		t.emitAlive()
	})
}

// thoughtLines passes on the lines of a piece of masked thought.
func (t *reporter) thoughtLines(text string) {
	for {
		line, rest, found := strings.Cut(text, "\n")
		if t.thought.Len() < 4*longestNote {
			t.thought.WriteString(line)
		}
		if !found {
			return
		}
		t.endLine()
		text = rest
	}
}

// endThought passes on the rest of a thought.
func (t *reporter) endThought() {
	t.pause()
	t.endLine()
}

func (t *reporter) endLine() {
	if text := strings.TrimSpace(t.thought.String()); text != "" {
		t.writeLine("thinks: " + text)
	}
	t.thought.Reset()
}

// passStderr passes on what the program printed on standard error, which is masked.
func (t *reporter) passStderr(piece []byte) {
	t.callUnlessOver(func() {
		if t.request.Notes != nil {
			t.request.Notes(piece)
		}
	})
}

// passCost passes on the cost of the turn so far.
func (t *reporter) passCost(m flow.Meta) {
	t.callUnlessOver(func() {
		if t.request.ReportCost != nil {
			t.request.ReportCost(m)
		}
	})
}

// flushAndClose passes on the held-back output, and nothing afterwards.
func (t *reporter) flushAndClose() {
	t.callUnlessOver(func() {
		t.endThought()
		t.flush()
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
