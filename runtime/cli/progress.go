package cli

import (
	"os"
	"slices"
	"strings"
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
		if !p.enter(n) {
			return
		}
		p.draw(p.paint("2", p.within[n.Run]+"run "+plain.Line(n.Run)))
		for _, line := range worktreeLines(n) {
			p.draw(p.paint("2", plain.Line(line)))
		}
	case n.Step != nil:
		s := *n.Step
		s.Key = p.within[n.Run] + s.Key
		p.step(s)
	case n.Piece != nil:
		p.output(n)
	case n.Event != nil && n.Event.Message != "":
		sign := "↻"
		if n.Event.Type == sched.EventWarning {
			sign = "!"
		}
		where := plain.Line(p.within[n.Run] + n.Event.Key)
		if where != "" {
			where += ": "
		}
		p.draw(p.paint("33", sign) + " " + where + excerpt.Clip(format.FirstLine(n.Event.Message), 300))
	}
}

// enter keeps, of a run that a step of another one began, that its steps are part of that
// step. It reports false if this process worked on the run before.
func (p *progress) enter(n local.Notice) bool {
	if n.Parent == "" {
		return true
	}
	if p.within[n.Run] != "" {
		return false
	}
	if p.within == nil {
		p.within = map[string]string{}
	}
	p.within[n.Run] = p.within[n.Parent] + n.ParentStep + " › "
	return true
}

// waiting shows a step that waits for something, which is no question at a terminal.
func (p *progress) waiting(s flow.Record) {
	line := p.paint("33", "◌") + " " + plain.Line(strings.TrimSuffix(s.Key, waitPart)) + " " + plain.Line(waitText(*s.Question, s.Deadline))
	if p.live {
		p.running = append(p.running, running{key: s.Key, since: s.Started, due: s.Deadline})
	}
	p.draw(line)
}

// waitPart is the end of the key of the part of a step that waits.
const waitPart = "/wait"

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
	case s.Question != nil && s.Question.Wait != "" && s.Status == flow.Completed && s.Meta.By == "":
		// Its node says that the wait is over.
	case s.Status == flow.Waiting && s.Question != nil && (s.Question.Wait == flow.WaitTime || s.Question.Wait == flow.WaitEvent):
		p.waiting(s)
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
		if p.running[i].key == p.within[n.Run]+n.Key {
			p.running[i].add(n.Stream, n.Piece)
		}
	}
}
