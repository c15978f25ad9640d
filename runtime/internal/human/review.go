package human

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Review shows the output that a question is about, indented, with an empty line
// behind it, or nothing when it is about none.
func Review(q flow.Question) string {
	if !q.IsReview() {
		return ""
	}
	text := strings.TrimRight(Printable(Readable(q.Output)), "\n")
	if text == "" {
		text = "(empty)"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  │ " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String() + "\n"
}

// review has the person decide about an output.
func (a *Asker) review(ctx context.Context, q engine.Question) (store.Answer, error) {
	menu, letters := choiceMenu(q.Choices)
	for {
		answer := store.Answer{By: a.cfg.By, From: a.cfg.From}
		err := a.again(ctx, menu+" (Ctrl-D leaves the question open): ", func(line string) string {
			answer.Choice = chosen(line, q.Choices, letters)
			return answer.Choice
		}, "please answer by one of these words or letters alone")
		if err != nil {
			return answer, err
		}
		switch answer.Choice {
		case kernel.ChoiceEdit:
			done, err := a.edit(ctx, q, &answer)
			if done || err != nil {
				return answer, err
			}
		case kernel.ChoiceFeedback:
			err := a.again(ctx, "what should be different? (Ctrl-D leaves the question open): ", func(line string) string {
				answer.Text = line
				return line
			}, "feedback needs some words")
			return answer, err
		case kernel.ChoiceReject:
			a.say("anything to say? (Enter for nothing): ")
			line, err := a.cfg.Terminal.ReadLine(ctx)
			answer.Text = strings.TrimSpace(line)
			return answer, err
		default:
			return answer, nil
		}
	}
}

// edit has the person edit an output. It is done unless the person is to choose
// again.
func (a *Asker) edit(ctx context.Context, q engine.Question, answer *store.Answer) (done bool, err error) {
	if a.cfg.Edit == nil {
		a.say("nothing can be edited here: answer from another terminal\n")
		return false, nil
	}
	text, changed, err := Edit(ctx, q.Question, a.cfg.Edit)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, ErrNoEdit):
		a.say("%v\n", err)
	case err != nil:
		a.say("%s\n", Printable(fmt.Sprint(err)))
	case !changed && q.Draft != "":
		a.say("nothing is changed in it\n")
	case !changed:
		a.say("nothing is changed: the output is accepted\n")
		answer.Choice = kernel.ChoiceAccept
		return true, nil
	default:
		answer.Text = text
		return true, nil
	}
	return false, nil
}
