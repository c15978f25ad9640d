package graph

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// interrupts asks the interrupts before or after the node of the current visit. skipped
// means that the node does not run and the walk continues at skipTo.
func (w *Walk[N, S, L]) interrupts(when string, list []Interrupt[N], next N) (skipTo N, skipped bool, err error) {
	n := 0
	for _, i := range list {
		ask := true
		if err := w.guard(func() error {
			ask = i.When == nil || i.When()
			return nil
		}); err != nil {
			return "", false, err
		}
		if !ask {
			continue
		}
		if w.planned() {
			w.context(w.at).Node().Note("a person is asked %s it", when)
			continue
		}
		choice, err := w.interrupt(when, i, &n, next)
		if err != nil {
			return "", false, err
		}
		if choice == kernel.Skip && when == "before" {
			return i.SkipTo, true, nil
		}
	}
	return "", false, nil
}

// interrupt asks until the answer is valid, and returns it.
func (w *Walk[N, S, L]) interrupt(when string, i Interrupt[N], n *int, next N) (string, error) {
	c, message := w.context(w.at), i.Message
	if err := w.guard(func() error {
		if i.Compose != nil {
			message = i.Compose()
		}
		return nil
	}); err != nil {
		return "", err
	}
	q := flow.Question{Message: message, Choices: []string{kernel.Continue, kernel.Stop}}
	skip := !i.Required && (i.Skips || when == "after")
	if skip {
		q.Choices = append(q.Choices, kernel.Skip)
	}
	if !i.Required {
		q.Unattended = kernel.Continue
	}
	for {
		*n++
		suffix := fmt.Sprintf("/%s#%d", when, *n)
		r, err := c.Ask(suffix, q)
		if err != nil {
			return "", err
		}
		answer := kernel.MatchInterrupt(r.Meta.Choice, skip)
		if answer == "" {
			answer = kernel.MatchInterrupt(r.Text, skip)
		}
		switch answer {
		case kernel.Continue, kernel.Skip:
			return answer, nil
		case kernel.Stop:
			if err := w.stop(c.Key()+suffix, next, r); err != nil {
				return "", err
			}
		default:
			q.Message = notUnderstood(said(r), q.Choices) + "\n\n" + message
		}
	}
}

// stop stops the run because a person said so, unless an earlier process did and the run
// was resumed: then the question is asked again.
func (w *Walk[N, S, L]) stop(question string, next N, r flow.Result) error {
	p := w.point(question)
	if p.halted {
		return w.pass(p, next)
	}
	by := r.Meta.By
	if by == "" {
		by = "somebody"
	}
	stop := &kernel.StopError{Reason: kernel.ReasonStopped, Message: fmt.Sprintf("%s answered `%s` to '%s'; the question is asked again when the run is resumed", by, said(r), question)}
	if err := w.halt(p, next, kernel.StateStopped, stop.Reason, stop); err != nil {
		return err
	}
	return stop
}
