package cli

import (
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/excerpt"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/plain"
)

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
	switch {
	case n.Begin:
		p.draw(p.paint("2", "run "+plain.Line(n.Run)))
		for _, line := range worktreeLines(n) {
			p.draw(p.paint("2", plain.Line(line)))
		}
	case n.Step != nil:
		p.step(*n.Step)
	case n.Piece != nil:
		p.output(n)
	case n.Event != nil && n.Event.Message != "":
		sign := "↻"
		if n.Event.Type == sched.EventWarning {
			sign = "!"
		}
		where := plain.Line(n.Event.Key)
		if where != "" {
			where += ": "
		}
		p.draw(p.paint("33", sign) + " " + where + excerpt.Clip(format.FirstLine(n.Event.Message), 300))
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

// ended is the line of a step that has ended or waits for a person.
func (p *progress) ended(s flow.Record) string {
	line := p.paint(colourOf(s.Status), mark(s.Status)) + " " + plain.Line(s.Key)
	if took := duration(s); took > 0 {
		line += " " + p.paint("2", "("+format.Duration(took)+after(", ", format.Usage(s.Meta))+")")
	}
	switch {
	case s.Status == flow.Completed && s.Question != nil:
		line += ": " + excerpt.Clip(format.FirstLine(human.Printable(answerText(s))), 200)
	case s.Failure != nil:
		line += ": " + excerpt.Clip(format.FirstLine(s.Failure.Message), 200)
	case s.Status == flow.Skipped:
		line += " " + p.paint("2", "skipped: "+plain.Line(skipText(s.Reason)))
	case s.Status == flow.Cancelled:
		line += " cancelled"
	case s.Question != nil && s.Status == flow.Waiting:
		line += ": " + excerpt.Clip(format.FirstLine(human.Printable(s.Question.Message)), 200)
	}
	return line
}

func (p *progress) output(n local.Notice) {
	if !p.live {
		return
	}
	for i := range p.running {
		if p.running[i].key == n.Key {
			p.running[i].add(n.Stream, n.Piece)
		}
	}
}
