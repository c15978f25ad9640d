package cli

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/plain"
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

	mu      sync.Mutex
	running []running
	drawn   int // lines of the last drawing
	closed  bool
	held    bool     // somebody else writes to the terminal
	later   []string // finished lines that wait for that
	done    chan struct{}
	wait    sync.WaitGroup
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

func (a *app) newProgress(f runFlags) *progress {
	p := &progress{out: a.streams.Err, quiet: f.quiet || f.jsonl, done: make(chan struct{})}
	if f.jsonl {
		p.events = &eventLines{out: plain.Raw(a.streams.Out), secrets: a.secrets()}
	}
	if file, ok := plain.File(a.streams.Err); ok && !p.quiet {
		p.live = term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
		p.colour = p.live && os.Getenv("NO_COLOR") == ""
	}
	if p.live {
		p.out = plain.Raw(p.out) // it moves the cursor; what it shows goes through plain before
		p.wait.Go(p.redrawing)
	}
	return p
}

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
	p.letGo()
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
		p.letGo()
		p.draw("")
	}
}

// letGo shows what has ended while the terminal was held. The caller holds p.mu.
func (p *progress) letGo() {
	p.held = false
	for _, line := range p.later {
		p.draw(line)
	}
	p.later = nil
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
	case *local.BeginNotice:
		p.draw(p.paint("2", "run "+plain.Line(n.RunID())))
		for _, line := range begunIn(n) {
			p.draw(p.paint("2", plain.Line(line)))
		}
	case *local.StepNotice:
		p.step(n.Step)
	case *local.OutputNotice:
		p.output(n)
	case *local.EventNotice:
		if n.Event.Message != "" {
			sign := "↻"
			if n.Event.Type == sched.EventWarning {
				sign = "!"
			}
			where := plain.Line(n.Event.Key)
			if where != "" {
				where += ": "
			}
			p.draw(p.paint("33", sign) + " " + where + clip(firstLine(n.Event.Message), 300))
		}
	}
}

func (p *progress) step(s flow.Record) {
	p.running = slices.DeleteFunc(p.running, func(r running) bool { return r.key == s.Key })
	switch {
	case machinery(s.Kind) && s.Status != flow.Failed:
	case s.Status == flow.Running:
		r := running{key: s.Key, attempt: s.Attempt, since: s.Started, due: s.Deadline}
		if s.Attempt > 1 {
			r.since = time.Now() // the record has the first attempt's begin
		}
		p.running = append(p.running, r)
		if p.live {
			p.draw("")
		}
	case s.Status == flow.Waiting && (p.attended || s.Question == nil):
		// It is asked, or it is a node whose part says what it waits for.
	case s.Status.Ended() || s.Status == flow.Waiting:
		p.draw(p.ended(s))
	}
}

// machinery reports whether steps of a kind are of no interest to people unless
// they fail: readings of the clock, and savings of the state.
func machinery(kind string) bool { return kind == "now" || kind == (graph.State{}).Kind() }

// ended is the line of a step that has ended or waits for a person.
func (p *progress) ended(s flow.Record) string {
	line := p.paint(colourOf(s.Status), mark(s.Status)) + " " + plain.Line(s.Key)
	if took := duration(s); took > 0 {
		line += " " + p.paint("2", "("+shortDuration(took)+after(", ", usageText(s.Meta))+")")
	}
	switch {
	case s.Status == flow.Completed && s.Question != nil:
		line += ": " + clip(firstLine(human.Printable(answerText(s))), 200)
	case s.Failure != nil:
		line += ": " + clip(firstLine(s.Failure.Message), 200)
	case s.Status == flow.Skipped:
		line += " " + p.paint("2", "skipped: "+plain.Line(skipText(s.Reason)))
	case s.Status == flow.Cancelled:
		line += " cancelled"
	case s.Question != nil && s.Status == flow.Waiting:
		line += ": " + clip(firstLine(human.Printable(s.Question.Message)), 200)
	}
	return line
}

// answerText says how a question was answered, and by whom.
func answerText(s flow.Record) string {
	text := cmp.Or(s.Meta.Choice, "answered")
	if s.Meta.By != "" {
		text += " by " + s.Meta.By + after(" from ", s.Meta.From)
	}
	return text + after(": ", s.Text)
}

// colourOf is the colour of a status, or "".
func colourOf(s flow.Status) string {
	switch s {
	case flow.Completed:
		return "32"
	case flow.Failed:
		return "31"
	case flow.Waiting:
		return "33"
	}
	return ""
}

func (p *progress) output(n *local.OutputNotice) {
	if !p.live {
		return
	}
	for i := range p.running {
		if p.running[i].key == n.Key {
			p.running[i].add(n.Stream, n.Piece)
		}
	}
}

func (p *progress) paint(code, text string) string {
	if !p.colour || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
