package cli

import (
	"context"
	"errors"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A ruledAsker asks the person at the terminal only what the rules of the run's gates let them
// answer, and counts the answers that several people have to give.
type ruledAsker struct {
	engine.Asker
	// session is set before the run begins.
	session *session
	print   func(line string)
}

// Ask implements engine.Asker. The engine must not wait for it.
func (a *ruledAsker) Ask(ctx context.Context, q engine.Question, r engine.Replier) {
	go func() {
		f, err := a.session.loadFamily(ctx, q.RunID)
		if err != nil {
			r.Leave() // the run has ended, or the question stays open
			return
		}
		g, k, p := f.gate(f.findRun(q.RunID), q), a.session.gatekeeper(), a.session.person()
		if err := k.MayAnswer(g, p); err != nil {
			a.print(plain.Line(err.Error()))
			r.Leave()
			return
		}
		a.Asker.Ask(ctx, q, &ruledReplier{r, func(given store.Answer) error {
			_, done, err := k.Answer(ctx, g, p, provenAtTerminal, given)
			if err == nil && !done.Answered() {
				err = &actions.RefusedError{Reason: done.String() + "; the question stays open"}
			}
			if _, refused := errors.AsType[*actions.RefusedError](err); refused {
				r.Leave() // nobody else is at this terminal
			}
			return err
		}})
	}()
}

// A ruledReplier takes what an asker learns of a question with a rule.
type ruledReplier struct {
	engine.Replier
	answer func(store.Answer) error
}

// Answer implements engine.Replier.
func (r *ruledReplier) Answer(a store.Answer) error { return r.answer(a) }

// provenAtTerminal is for answers that an asker has let pass.
var provenAtTerminal = actions.Proof{
	Confirm:  func(context.Context) error { return nil },
	AskToken: func(context.Context, func(string) bool) error { return nil },
}
