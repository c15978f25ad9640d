package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// progress shows what happens in a run while it does: on a terminal a line for
// each running step that is redrawn, elsewhere a plain line for each end.
type progress struct {
	out    io.Writer
	live   bool
	colour bool
	events *eventLines // --jsonl
	quiet  bool

	mu      sync.Mutex
	running []running
	drawn   int // lines of the last drawing
	ticker  *time.Ticker
	done    chan struct{}
	wait    sync.WaitGroup
}

type running struct {
	key   string
	since time.Time
	last  string // the last line that the step printed
}

func (a *app) newProgress(f runFlags) *progress {
	p := &progress{out: a.streams.Err, quiet: f.quiet || f.jsonl, done: make(chan struct{})}
	if f.jsonl {
		p.events = &eventLines{out: a.streams.Out}
	}
	if file, ok := a.streams.Err.(*os.File); ok && !p.quiet {
		terminal := term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
		p.live = terminal
		p.colour = terminal && os.Getenv("NO_COLOR") == ""
	}
	if p.live {
		p.ticker = time.NewTicker(100 * time.Millisecond)
		p.wait.Go(p.redrawing)
	}
	return p
}

func (p *progress) redrawing() {
	for {
		select {
		case <-p.ticker.C:
			p.mu.Lock()
			p.redraw("")
			p.mu.Unlock()
		case <-p.done:
			return
		}
	}
}

// close ends the redrawing and leaves the finished lines.
func (p *progress) close() {
	if p.live {
		p.ticker.Stop()
		close(p.done)
		p.wait.Wait()
		p.mu.Lock()
		p.running = nil
		p.redraw("")
		p.mu.Unlock()
		p.live = false
	}
}

// notice takes what happened in the run.
func (p *progress) notice(n local.Notice) {
	if p.events != nil {
		p.events.print(n)
	}
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch n := n.(type) {
	case *local.StepNotice:
		p.step(n.Step)
	case *local.OutputNotice:
		p.output(n)
	case *local.EventNotice:
		if n.Event.Message != "" {
			p.redraw(fmt.Sprintf("  %s %s", n.Event.Key, n.Event.Message))
		}
	}
}

func (p *progress) step(s flow.Record) {
	p.running = slices.DeleteFunc(p.running, func(r running) bool { return r.key == s.Key })
	switch {
	case s.Status == flow.Running:
		p.running = append(p.running, running{key: s.Key, since: s.Started})
		if s.Attempt > 1 {
			p.redraw(fmt.Sprintf("%s %s attempt %d", p.paint("33", "↻"), s.Key, s.Attempt))
		} else if p.live {
			p.redraw("")
		}
	case s.Status.Ended() || s.Status == flow.Waiting:
		p.redraw(p.ended(s))
	}
}

// ended is the line of a step that has ended.
func (p *progress) ended(s flow.Record) string {
	line := mark(s.Status) + " " + s.Key
	switch s.Status {
	case flow.Completed:
		line = p.paint("32", mark(s.Status)) + " " + s.Key
	case flow.Failed:
		line = p.paint("31", mark(s.Status)) + " " + s.Key
	}
	if took := duration(s); took > 0 {
		line += " " + p.paint("2", "("+shortDuration(took)+")")
	}
	switch {
	case s.Failure != nil:
		line += ": " + clip(firstLine(s.Failure.Message), 200)
	case s.Status == flow.Skipped:
		line += " " + p.paint("2", "skipped: "+skipText(s.Reason))
	case s.Status == flow.Cancelled:
		line += " cancelled"
	case s.Question != nil && s.Status == flow.Waiting:
		line += ": " + s.Question.Message
	}
	return line
}

func (p *progress) output(n *local.OutputNotice) {
	if !p.live {
		return
	}
	line := lastLine(n.Piece)
	if line == "" {
		return
	}
	for i := range p.running {
		if p.running[i].key == n.Key {
			p.running[i].last = line
		}
	}
}

func lastLine(piece []byte) string {
	lines := bytes.Split(bytes.TrimRight(piece, "\r\n"), []byte("\n"))
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, string(lines[len(lines)-1]))
}

// redraw prints a finished line, if there is one, and the running steps anew.
func (p *progress) redraw(line string) {
	if !p.live {
		if line != "" {
			fmt.Fprintln(p.out, line)
		}
		return
	}
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", p.drawn)
	}
	if line != "" {
		b.WriteString(line + "\n")
	}
	const most = 12
	width := p.width()
	p.drawn = 0
	for i, r := range p.running {
		text := fmt.Sprintf("● %s %s  %s", r.key, shortDuration(time.Since(r.since).Round(100*time.Millisecond)), r.last)
		if i == most {
			text = fmt.Sprintf("  and %d more", len(p.running)-most)
		}
		b.WriteString(p.paint("36", clip(text, width-1)) + "\n")
		p.drawn++
		if i == most {
			break
		}
	}
	io.WriteString(p.out, b.String())
}

func (p *progress) width() int {
	if file, ok := p.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 20 {
			return w
		}
	}
	return 80
}

func (p *progress) paint(code, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
