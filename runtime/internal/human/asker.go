package human

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Config configures an Asker.
type Config struct {
	// Terminal is where the person is.
	Terminal Terminal
	// By and From are the person and the place that are recorded with the answers.
	By, From string
	// Choose returns the choice of a question that a line means; nil takes only the
	// choice itself and its letter.
	Choose func(q engine.Question, line string) (choice string, ok bool)
	// Edit has the person edit a file; nil means that nothing can be edited.
	Edit Editor
	// Folder returns the folder for files of a run; nil means that of temporary files.
	Folder func(run string) string
	// Token reports whether typed is the gate token of a run, which an answer then needs;
	// nil means that answers need none.
	Token func(run, typed string) bool
	// View says how a question is shown. It may be nil.
	View func(q engine.Question) View
	// Hold keeps others from writing to the terminal until the function that it
	// returns is called. It may be nil.
	Hold func() (release func())
}

// An Asker asks a person at a terminal, one question after the other, in the
// order in which they come up. It implements engine.Asker.
type Asker struct {
	cfg  Config
	stop context.CancelFunc
	ctx  context.Context
	work sync.WaitGroup

	mu      sync.Mutex
	queue   []*pending
	arrived chan struct{} // holds a token when the queue has grown
	left    bool
}

var _ engine.Asker = (*Asker)(nil)

// pending is a question that waits for its turn.
type pending struct {
	engine.Question
	ctx   context.Context
	reply engine.Replier
}

// NewAsker returns an asker, to be closed.
func NewAsker(cfg Config) *Asker {
	if cfg.View == nil {
		cfg.View = func(engine.Question) View { return View{} }
	}
	if cfg.Hold == nil {
		cfg.Hold = func() func() { return func() {} }
	}
	a := &Asker{cfg: cfg, arrived: make(chan struct{}, 1)}
	a.ctx, a.stop = context.WithCancel(context.Background())
	a.work.Go(a.askQueued)
	return a
}

// Close ends the question that is being asked and waits for that. The others
// are not asked any more.
func (a *Asker) Close() {
	a.stop()
	a.work.Wait()
}

// Ask implements engine.Asker.
func (a *Asker) Ask(ctx context.Context, q engine.Question, r engine.Replier) {
	a.mu.Lock()
	left := a.left
	if !left {
		a.queue = append(a.queue, &pending{q, ctx, r})
	}
	a.mu.Unlock()
	if left {
		r.Leave()
		return
	}
	select {
	case a.arrived <- struct{}{}:
	default: // the token is there already
	}
}

// askQueued asks the questions in the queue until the asker is closed.
func (a *Asker) askQueued() {
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.arrived:
		}
		for p := a.nextPending(); p != nil && a.ctx.Err() == nil; p = a.nextPending() {
			if errors.Is(a.askQuestion(p), io.EOF) {
				a.leaveAll(p)
				return
			}
		}
	}
}

func (a *Asker) nextPending() *pending {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 {
		return nil
	}
	p := a.queue[0]
	a.queue = a.queue[1:]
	return p
}

// leaveAll says of all questions, also those to come, that the person has left.
func (a *Asker) leaveAll(p *pending) {
	a.mu.Lock()
	rest := a.queue
	a.queue, a.left = nil, true
	a.mu.Unlock()
	for _, p := range append([]*pending{p}, rest...) {
		p.reply.Leave()
	}
}

// askQuestion asks one question. The error is io.EOF when the person has left.
func (a *Asker) askQuestion(p *pending) error {
	if p.ctx.Err() != nil {
		return nil // settled before its turn
	}
	defer a.cfg.Hold()()
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	defer context.AfterFunc(a.ctx, stop)()

	Show(a.cfg.Terminal, p.Question, a.cfg.View(p.Question))
	answer, err := a.readAnswer(ctx, p.Question)
	if err == nil && a.cfg.Token != nil {
		err = AskToken(ctx, a.cfg.Terminal, func(token string) bool { return a.cfg.Token(p.RunID, token) })
	}
	switch {
	case err == nil:
	case p.ctx.Err() != nil:
		a.printMessage("\n%s\n", settledReason(context.Cause(p.ctx)))
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, ErrUnconfirmed):
		a.printMessage("\nthe question stays open\n")
		return io.EOF
	case ctx.Err() != nil:
		a.printMessage("\n")
		return nil // the asker is closed
	default:
		a.printMessage("\nthe terminal cannot be read: %s\n", Line(err.Error()))
		return io.EOF
	}
	if err := p.reply.Answer(answer); err != nil {
		a.printMessage("%s\n", Line(err.Error()))
	}
	return nil
}

// settledReason says why a question needs no answer any more.
func settledReason(cause error) string {
	if errors.Is(cause, context.Canceled) {
		return "the question is not asked any more"
	}
	return Line(cause.Error())
}

func (a *Asker) printMessage(format string, args ...any) {
	_, _ = fmt.Fprintf(a.cfg.Terminal, format, args...) // a terminal that is gone ends the next read
}

// Show shows a question with the facts that a person needs for the answer.
func Show(t Terminal, q engine.Question, v View) {
	v.Width = cmp.Or(v.Width, 80) // a terminal that does not say its width
	_, _ = fmt.Fprintf(t, "\n? %s of run %s asks%s:\n\n%s\n", plain.Line(q.Key), plain.Line(q.RunID), Times(q, time.Now()), v.Text(q.Question, "  "))
}

// answerPrompt begins the line at which a person answers. It names the question again, because the
// heading may be out of sight.
func answerPrompt(q engine.Question) string {
	return "? " + plain.Line(q.Key) + " of run " + plain.Line(q.RunID) + ": "
}

// Times says since when a question waits, if for a minute or more, and until when: ",
// since …, until …", or less.
func Times(q engine.Question, now time.Time) string {
	var b strings.Builder
	if wait := now.Sub(q.Since).Round(time.Second); !q.Since.IsZero() && wait >= time.Minute {
		fmt.Fprintf(&b, ", since %s", q.Since.Local().Format(time.DateTime))
	}
	if !q.Deadline.IsZero() {
		fmt.Fprintf(&b, ", until %s", q.Deadline.Local().Format(time.DateTime))
	}
	return b.String()
}

// readAnswer has the person choose and say something.
func (a *Asker) readAnswer(ctx context.Context, q engine.Question) (store.Answer, error) {
	if q.Question.IsReview() {
		return a.reviewOutput(ctx, q)
	}
	choices := q.Choices
	answer := store.Answer{By: a.cfg.By, From: a.cfg.From}
	if len(choices) == 0 {
		err := a.promptUntilTaken(ctx, answerPrompt(q)+"your answer (Ctrl-D leaves the question open): ", func(line string) string {
			answer.Text = line
			return line
		}, "an answer needs words")
		return answer, err
	}
	menu, letters := choiceMenu(choices)
	err := a.promptUntilTaken(ctx, answerPrompt(q)+menu+" (Ctrl-D leaves the question open): ", func(line string) string {
		answer.Choice = parseChoice(line, choices, letters)
		if answer.Choice == "" && a.cfg.Choose != nil {
			answer.Choice, _ = a.cfg.Choose(q, line)
		}
		return answer.Choice
	}, "please answer with one of these words or letters alone; the next question asks for your words")
	if err != nil {
		return answer, err
	}
	return a.addRemark(ctx, answer)
}

// addRemark lets the person add some words to an answer.
func (a *Asker) addRemark(ctx context.Context, answer store.Answer) (store.Answer, error) {
	a.printMessage("anything to say? (Enter for nothing): ")
	line, err := a.cfg.Terminal.ReadLine(ctx)
	answer.Text = strings.TrimSpace(line)
	return answer, err
}

// promptUntilTaken asks until take accepts the typed line.
func (a *Asker) promptUntilTaken(ctx context.Context, text string, take func(line string) string, nonsense string) error {
	for {
		// Also discard text typed with the last line: it was not meant for this.
		a.cfg.Terminal.Discard()
		a.printMessage("%s", text)
		line, err := a.cfg.Terminal.ReadLine(ctx)
		if err != nil {
			return err
		}
		if take(strings.TrimSpace(line)) != "" {
			return nil
		}
		a.printMessage("%s\n", nonsense)
	}
}

// choiceMenu shows the choices with their letters: the shortest unique prefixes.
func choiceMenu(choices []string) (menu string, letters []string) {
	shown := make([]string, len(choices))
	letters = make([]string, len(choices))
	for i, c := range choices {
		letters[i] = c
		for n := range c {
			taken := func(o string) bool { return o != c && strings.HasPrefix(o, c[:n]) }
			if n > 0 && !slices.ContainsFunc(choices, taken) {
				letters[i] = c[:n]
				break
			}
		}
		shown[i] = plain.Line("[" + letters[i] + "]" + c[len(letters[i]):])
	}
	return strings.Join(shown, " or "), letters
}

// parseChoice is the choice that a line names, or "". Only its word or letter alone names it:
// "a few things are missing" is not an approval.
func parseChoice(line string, choices, letters []string) string {
	for i, c := range choices {
		if strings.EqualFold(line, c) || strings.EqualFold(line, letters[i]) {
			return c
		}
	}
	return ""
}
