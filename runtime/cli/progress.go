package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

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
	// failed is the last step that failed.
	failed flow.Record
	done   chan struct{}
	wait   sync.WaitGroup
}

func (c *call) newProgress(f runFlags) *progress {
	p := &progress{out: c.streams.Err, quiet: f.quiet || f.jsonl, done: make(chan struct{})}
	if f.jsonl {
		p.events = &eventLines{out: plain.Raw(c.streams.Out), secrets: c.hiddenVariables()}
	}
	if file, ok := plain.File(c.streams.Err); ok && !p.quiet {
		p.live = term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
		p.colour = p.live && os.Getenv("NO_COLOR") == ""
	}
	if p.live {
		p.out = plain.Raw(p.out) // it moves the cursor; what it shows goes through plain before
		p.wait.Go(p.redrawUntilDone)
	}
	return p
}

// handleNotice takes what happened in the run.
func (p *progress) handleNotice(n local.Notice) {
	if p.events != nil {
		p.events.printNotice(n)
	}
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case n.Begin:
		if !p.enterChildRun(n) {
			return
		}
		p.drawLine(p.colorText("2", p.within[n.RunID]+"run "+plain.Line(n.RunID)))
		for _, line := range placeLines(n) {
			p.drawLine(p.colorText("2", plain.Line(line)))
		}
	case n.Step != nil:
		s := *n.Step
		s.Key = p.within[n.RunID] + s.Key
		p.showStep(s)
	case n.Piece != nil:
		p.addOutput(n)
	case n.Logged != nil && n.Logged.Type == confine.EventReport:
		p.drawLine(p.colorText("33", "!") + " " + p.within[n.RunID] + "sandbox report: " + plain.Indented(n.Logged.Message, "  "))
	case n.Logged != nil && n.Logged.Type == format.ToolCallEvent: // the agent's notes say more
	case n.Logged != nil && n.Logged.Message != "":
		sign := "↻"
		if n.Logged.Type == sched.EventWarning || n.Logged.Type == sched.EventBudget {
			sign = "!"
		}
		where := plain.Line(p.within[n.RunID] + n.Logged.Key)
		if where != "" {
			where += ": "
		}
		p.drawLine(p.colorText("33", sign) + " " + where + plain.Clip(format.FirstLine(n.Logged.Message), 300))
	}
}

// enterChildRun keeps, of a run that a step of another one began, that its steps are part of that
// step. It reports false if this process worked on the run before.
func (p *progress) enterChildRun(n local.Notice) bool {
	if n.Parent == "" {
		return true
	}
	if p.within[n.RunID] != "" {
		return false
	}
	plain.PutEntry(&p.within, n.RunID, p.within[n.Parent]+n.ParentStep+" › ")
	return true
}

func (p *progress) showStep(s flow.Record) {
	p.running = slices.DeleteFunc(p.running, func(r running) bool { return r.key == s.Key })
	switch {
	case isMachinery(s.Kind) && s.Status != flow.Failed:
	case s.Status == flow.Running:
		r := running{key: s.Key, attempt: s.Attempt, since: s.Started, due: s.Deadline}
		if s.Attempt > 1 {
			r.since = time.Now() // the record has the first attempt's begin
		}
		p.running = append(p.running, r)
		if p.live {
			p.drawLine("")
		}
	case s.Question != nil && s.Question.Wait != "" && s.Status == flow.Completed && s.Meta.By == "":
		// Its node says that the wait is over.
	case s.Status == flow.Waiting && s.Question != nil && s.Question.NeedsNobody():
		p.showWaiting(s)
	case s.Status == flow.Waiting && s.Question == nil && s.Failure == nil && sched.HeldFor(s.Reason) != "":
		p.showHeld(s)
	case s.Status == flow.Waiting && (p.attended || s.Question == nil):
		// It is asked, or it is a node whose part says what it waits for.
	case s.Status.Ended() || s.Status == flow.Waiting:
		p.drawLine(p.endedLine(s))
	}
}

// showWaiting shows a step that waits for something, which is no question at a terminal.
func (p *progress) showWaiting(s flow.Record) {
	line := p.colorText("33", "◌") + " " + plain.Line(waitingNode(s.Key)) + " " + plain.Line(waitText(*s.Question, s.Deadline))
	if p.live {
		p.running = append(p.running, running{key: s.Key, since: s.Started, due: s.Deadline})
	}
	p.drawLine(line)
}

// showHeld shows a step that waits before it does anything, such as for a place of its agent.
func (p *progress) showHeld(s flow.Record) {
	if p.live {
		p.running = append(p.running, running{key: s.Key, since: time.Now(), last: sched.HeldFor(s.Reason)})
	}
	p.drawLine(p.colorText("33", "◌") + " " + plain.Line(s.Key) + " " + plain.Clip(plain.Line(sched.HeldFor(s.Reason)), 200))
}

// waitPart is the end of the key of the part of a step that waits.
const waitPart = "/wait"

// endedLine is the line of a step that has ended or waits for a person.
func (p *progress) endedLine(s flow.Record) string {
	marked := markedStatus(s.Question, &s.Meta, s.Status)
	line := p.colorText(colours[marked], statusMark(marked)) + " " + plain.Line(s.Key)
	if took := document.Duration(s); took > 0 {
		line += " " + p.colorText("2", "("+plain.Duration(took)+prefixNonEmpty(", ", format.Usage(s.Meta))+")")
	}
	switch {
	case s.Status == flow.Completed && s.Question != nil:
		line += ": " + plain.Clip(format.FirstLine(human.Printable(answerText(s))), 200)
	case s.Failure != nil && p.failed.Failure != nil && s.Failure.Message == p.failed.Failure.Message && stepkey.PartOf(p.failed.Key, s.Key):
		line += ": its part " + plain.Line(p.failed.Key) + " failed"
	case s.Failure != nil:
		p.failed = s
		line += ": " + plain.Clip(format.FirstLine(s.Failure.Message), 200)
	case s.Status == flow.Skipped:
		line += " " + p.colorText("2", "skipped: "+plain.Line(skipText(s.Reason)))
	case s.Status == flow.Cancelled:
		line += " cancelled"
	case s.Question != nil && s.Status == flow.Waiting:
		line += ": " + plain.Clip(format.FirstLine(human.Printable(s.Question.Message)), 200)
	}
	return line
}

func (p *progress) addOutput(n local.Notice) {
	if !p.live {
		return
	}
	for i := range p.running {
		if p.running[i].key == p.within[n.RunID]+n.Key {
			p.running[i].addPiece(n.Stream, n.Piece)
		}
	}
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

// addPiece takes the next piece of what the step prints. Agents say a line in many
// pieces.
func (r *running) addPiece(stream string, piece []byte) {
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

func (p *progress) redrawUntilDone() {
	ticker := time.NewTicker(redrawEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.mu.Lock()
			p.drawLine("")
			p.mu.Unlock()
		case <-p.done:
			return
		}
	}
}

// stopDrawing ends the redrawing and leaves the finished lines. Closing twice does
// nothing.
func (p *progress) stopDrawing() {
	p.mu.Lock()
	again := p.closed
	p.closed, p.running = true, nil
	p.showHeldBack()
	if !again {
		p.drawLine("")
	}
	p.mu.Unlock()
	if !again {
		close(p.done)
	}
	p.wait.Wait()
}

// printAlways prints a line whatever the run does, also when it is to be quiet.
func (p *progress) printAlways(line string) {
	line = plain.Below(line, "  ")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		_, _ = io.WriteString(p.out, "\n"+line+"\n") // behind what a person is typing
		return
	}
	p.drawLine(line)
}

// holdTerminal leaves the terminal to somebody else until release is called: what is
// drawn goes away, and what ends meanwhile is shown then.
func (p *progress) holdTerminal() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseRunning()
	p.held = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.showHeldBack()
		p.drawLine("")
	}
}

// showHeldBack shows what has ended while the terminal was held. The caller holds p.mu.
func (p *progress) showHeldBack() {
	p.held = false
	for _, line := range p.later {
		p.drawLine(line)
	}
	p.later = nil
}

// mostRunning is how many running steps are drawn.
const mostRunning = 12

// drawLine prints a finished line, if there is one, and on a terminal the running
// steps anew. The caller holds p.mu.
func (p *progress) drawLine(line string) {
	if p.held {
		if line != "" {
			p.later = append(p.later, line)
		}
		return
	}
	var b strings.Builder
	b.WriteString(p.eraseSequence())
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

// eraseRunning takes the running steps off the terminal. The caller holds p.mu.
func (p *progress) eraseRunning() {
	if text := p.eraseSequence(); text != "" {
		_, _ = io.WriteString(p.out, text)
	}
}

// eraseSequence is what takes the drawn lines off the terminal: up to the first of them,
// and away with all below.
func (p *progress) eraseSequence() string {
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
	width := p.lineWidth()
	for _, r := range p.running[:min(len(p.running), mostRunning)] {
		text := "● " + plain.Line(r.key)
		if r.attempt > 1 {
			text += fmt.Sprintf(" (attempt %d)", r.attempt)
		}
		if wait := r.due.Sub(now); !r.due.IsZero() && wait > 0 {
			text = "◌" + strings.TrimPrefix(text, "●") + " in " + plain.Duration(wait.Round(redrawEvery))
		} else {
			text += " " + plain.Duration(now.Sub(r.since).Round(redrawEvery)) + "  " + r.last
		}
		lines = append(lines, p.colorText("36", truncateToWidth(text, width-1)))
	}
	if more := len(p.running) - mostRunning; more > 0 {
		lines = append(lines, p.colorText("36", fmt.Sprintf("  and %d more", more)))
	}
	return lines
}

func (p *progress) lineWidth() int {
	if w := terminalWidth(p.out); w > 20 {
		return w
	}
	return 80
}

func (p *progress) colorText(code, text string) string {
	if !p.colour || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// truncateToWidth cuts a text to a width in columns. East Asian characters and emoji take
// two columns; so may some others that do not, so that a line never is too long.
func truncateToWidth(text string, width int) string {
	used, cut := 0, 0
	for i, r := range text {
		if used <= width-1 {
			cut = i // so far there is room for an ellipsis
		}
		used += plain.Columns(string(r))
	}
	if used <= width {
		return text
	}
	return text[:cut] + "…"
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
	}, withoutEscapes(string(line)))
}

// withoutEscapes returns a text without the terminal's escape sequences.
func withoutEscapes(text string) string {
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

// waitingNode returns the node that a step's wait is for.
func waitingNode(key string) string {
	for _, part := range []string{stepkey.Quota, stepkey.Budget} {
		if at := strings.LastIndex(key, part); at >= 0 {
			return key[:at]
		}
	}
	return strings.TrimSuffix(key, waitPart)
}
