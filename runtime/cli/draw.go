package cli

import (
	"bytes"
	"fmt"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// eventLines prints what happens as JSON, one object a line.
type eventLines struct {
	mu  sync.Mutex
	out io.Writer
	// secrets are masked: such lines end up in logs.
	secrets []string
}

// eventDocument is one line of --jsonl. Type is "begin", "step", "output", "end"
// or what the flow calls an event of its own, such as "step_retrying".
type eventDocument struct {
	SchemaVersion int                `json:"schema_version"`
	Time          time.Time          `json:"time"`
	Type          string             `json:"type"`
	Run           string             `json:"run_id"`
	Resumed       bool               `json:"resumed,omitempty"`
	Parent        *document.Parent   `json:"parent,omitempty"`
	Worktree      *document.Worktree `json:"worktree,omitempty"`
	Node          string             `json:"node,omitempty"`
	Stream        string             `json:"stream,omitempty"`
	Text          string             `json:"text,omitempty"`
	Step          *document.Step     `json:"step,omitempty"`
	End           *flow.RunEnd       `json:"end,omitempty"`
}

func (l *eventLines) print(n local.Notice) {
	d := eventDocument{SchemaVersion: schemaVersion, Time: time.Now(), Run: n.Run}
	switch {
	case n.Begin:
		d.Type, d.Resumed, d.Worktree = "begin", n.Resumed, newWorktreeDocument(n.Worktree)
		if n.Parent != "" {
			d.Parent = &document.Parent{Run: n.Parent, Step: n.ParentStep}
		}
	case n.Step != nil:
		step := newStepDocument(*n.Step)
		d.Type, d.Node, d.Step = "step", n.Step.Key, &step
	case n.Piece != nil:
		d.Type, d.Node, d.Stream, d.Text = "output", n.Key, n.Stream, string(n.Piece)
	case n.Event != nil:
		d.Type, d.Node, d.Text, d.Time = n.Event.Type, n.Event.Key, n.Event.Message, n.Event.Time
	case n.End != nil:
		d.Type, d.End = "end", n.End
	}
	text, err := kernel.Encode(d)
	if err != nil {
		return // every field encodes
	}
	text = process.MaskJSON(l.secrets, text)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = plain.JSONWriter(l.out).Write(append(text, '\n'))
}

// progress shows what happens in a run while it does: on a terminal a line for
// each running step that is redrawn, elsewhere a plain line for each end.
type progress struct {
	out    io.Writer
	live   bool
	colour bool
	events *eventLines // --jsonl
	quiet  bool
	// attended says that questions are asked at the terminal.
	attended bool
	// editing says that the terminal belongs to an editor.
	editing atomic.Bool
	edited  func() // ends that, when the interrupts that came meanwhile are handled

	mu      sync.Mutex
	running []running
	// within is, by run, what names the step of the parent before the names of steps, for
	// runs that steps of other runs began.
	within map[string]string
	drawn  int // lines of the last drawing
	closed bool
	held   bool     // somebody else writes to the terminal
	later  []string // finished lines that wait for that
	done   chan struct{}
	wait   sync.WaitGroup
}

// running is a step that runs.
type running struct {
	key     string
	attempt int
	since   time.Time
	due     time.Time // when its next attempt or its end is due, if it waits
	last    string    // the last line that the step printed, whole or not
	// tail is what has come of the line that is not at its end, of a stream.
	tail   []byte
	stream string
}

// longestTail is how many bytes of a line that has not come to its end are kept:
// more than a terminal shows of it.
const longestTail = 2 << 10

// add takes the next piece of what the step prints. Agents say a line in many
// pieces.
func (r *running) add(stream string, piece []byte) {
	if stream != r.stream {
		r.stream, r.tail = stream, r.tail[:0]
	}
	if len(r.tail) < longestTail || bytes.ContainsAny(piece, "\r\n") {
		r.tail = append(r.tail, piece...)
	}
	if line := lastLine(r.tail); line != "" {
		r.last = line
	}
	if i := bytes.LastIndexAny(r.tail, "\r\n"); i >= 0 {
		r.tail = append(r.tail[:0], r.tail[i+1:]...)
	}
	r.tail = r.tail[:min(len(r.tail), longestTail)]
}

// redrawEvery is how often running steps are drawn anew on a terminal.
const redrawEvery = 100 * time.Millisecond

func (p *progress) redrawing() {
	ticker := time.NewTicker(redrawEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.mu.Lock()
			p.draw("")
			p.mu.Unlock()
		case <-p.done:
			return
		}
	}
}

// close ends the redrawing and leaves the finished lines. Closing twice does
// nothing.
func (p *progress) close() {
	p.mu.Lock()
	again := p.closed
	p.closed, p.running = true, nil
	p.showHeldBack()
	if !again {
		p.draw("")
	}
	p.mu.Unlock()
	if !again {
		close(p.done)
	}
	p.wait.Wait()
}

// say prints a line whatever the run does, also when it is to be quiet.
func (p *progress) say(line string) {
	line = plain.Below(line, "  ")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		_, _ = io.WriteString(p.out, "\n"+line+"\n") // behind what a person is typing
		return
	}
	p.draw(line)
}

// hold leaves the terminal to somebody else until release is called: what is
// drawn goes away, and what ends meanwhile is shown then.
func (p *progress) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.held = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.showHeldBack()
		p.draw("")
	}
}

// showHeldBack shows what has ended while the terminal was held. The caller holds p.mu.
func (p *progress) showHeldBack() {
	p.held = false
	for _, line := range p.later {
		p.draw(line)
	}
	p.later = nil
}

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
			text = "◌" + strings.TrimPrefix(text, "●") + " in " + format.Duration(wait.Round(redrawEvery))
		} else {
			text += " " + format.Duration(now.Sub(r.since).Round(redrawEvery)) + "  " + r.last
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

func (p *progress) paint(code, text string) string {
	if !p.colour || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
