package flow

import (
	"fmt"
	"slices"
	"strings"
)

// An Interrupt asks a person before or after a node whether to go on.
type Interrupt[N ~string] struct {
	// When decides whether it is asked; nil means always.
	When func() bool
	// Message is what is asked.
	Message func() string
	// Required says that the node cannot be skipped, and that a run that nobody
	// attends waits for the answer; otherwise it goes on.
	Required bool
	// Skips says that there is a way past the node, and SkipTo where it leads.
	Skips  bool
	SkipTo N
}

// The words that people answer interrupts with: the first of each row is what is
// offered.
var (
	goOnWords = []string{"yes", "proceed", "continue"}
	stopWords = []string{"no", "stop", "cancel"}
	skipWords = []string{"skip"}
)

// interrupts asks the interrupts before or after the node of the present visit.
// skipped says that the node is not to run, and where the walk goes on instead.
func (w *Walk[N]) interrupts(when string, list []Interrupt[N], next N) (skipTo N, skipped bool, err error) {
	n := 0
	for _, i := range list {
		ask, err := guardPanic(func() (bool, error) { return i.When == nil || i.When(), nil })
		if err != nil {
			return "", false, err
		}
		if !ask {
			continue
		}
		if w.c.engine.Run().Planned {
			w.visitContext(w.at, 0, Retry{}).note("a person is asked %s it", when)
			continue
		}
		choice, err := w.interrupt(when, i, &n, next)
		if err != nil {
			return "", false, err
		}
		if choice == skipWords[0] && when == "before" {
			return i.SkipTo, true, nil
		}
	}
	return "", false, nil
}

// interrupt asks until there is an answer that says what to do.
func (w *Walk[N]) interrupt(when string, i Interrupt[N], n *int, next N) (string, error) {
	c := w.visitContext(w.at, 0, Retry{})
	message, err := guardPanic(func() (string, error) { return i.Message(), nil })
	if err != nil {
		return "", err
	}
	q := Question{Message: message, Choices: []string{goOnWords[0], stopWords[0]}}
	skip := !i.Required && (i.Skips || when == "after")
	if skip {
		q.Choices = append(q.Choices, skipWords[0])
	}
	if !i.Required {
		q.Unattended = goOnWords[0]
	}
	for {
		*n++
		suffix := fmt.Sprintf("/%s#%d", when, *n)
		r, err := c.Ask(suffix, q)
		if err != nil {
			return "", err
		}
		switch answer := meaning(r, skip); answer {
		case goOnWords[0], skipWords[0]:
			return answer, nil
		case stopWords[0]:
			if err := w.stopAt(c.key+suffix, next, r); err != nil {
				return "", err
			}
		default:
			q.Message = notUnderstood(said(r), q.Choices) + "\n\n" + message
		}
	}
}

// stopAt stops the run because a person said so, unless an earlier process did
// and this one has been told to go on: then the question is asked again.
func (w *Walk[N]) stopAt(question string, next N, r Result) error {
	p := w.point(question)
	if p.halted {
		return w.pass(p, next)
	}
	by := r.Meta.By
	if by == "" {
		by = "somebody"
	}
	stop := &StopError{Reason: ReasonStopped, Message: fmt.Sprintf("%s answered `%s` to '%s'; the question is asked again when the run is resumed", by, said(r), question)}
	if err := w.halt(p, next, StateStopped, stop.Reason, stop); err != nil {
		return err
	}
	return stop
}

// Choose returns the choice of a question of a state graph that a person's words
// mean. The words that answer interrupts are known for those.
func Choose(key, words string, choices []string) (choice string, ok bool) {
	if !strings.Contains(key, "/before#") && !strings.Contains(key, "/after#") {
		return MatchChoice(words, choices)
	}
	choice = meaning(Result{Text: words}, slices.Contains(choices, skipWords[0]))
	return choice, choice != ""
}

// said is a person's answer.
func said(r Result) string {
	if r.Text != "" {
		return r.Text
	}
	return r.Meta.Choice
}

// meaning is the offered word that an answer stands for, or "".
func meaning(r Result, skip bool) string {
	rows := [][]string{goOnWords, stopWords}
	if skip {
		rows = append(rows, skipWords)
	}
	for _, answer := range []string{r.Meta.Choice, r.Text} {
		word, ok := MatchChoice(answer, slices.Concat(rows...))
		for _, row := range rows {
			if ok && slices.Contains(row, word) {
				return row[0]
			}
		}
	}
	return ""
}
