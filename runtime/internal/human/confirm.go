package human

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
)

// ErrUnconfirmed says that the person left without confirming.
var ErrUnconfirmed = errors.New("not confirmed: the question stays open")

// Confirm shows a question and has the person type a word, so that no command line
// alone answers it.
func Confirm(ctx context.Context, t Terminal, q engine.Question, word string) error {
	_, _ = fmt.Fprintf(t, "\n%s", heading(q, time.Now(), 0))
	return typed(ctx, t, fmt.Sprintf("type `%s` to confirm (Ctrl-D leaves the question open): ", word), func(line string) bool {
		return strings.EqualFold(line, word)
	})
}

// AskToken has the person type the token of a run, until is says that it is right.
func AskToken(ctx context.Context, t Terminal, is func(token string) bool) error {
	return typed(ctx, t, "the gate token of this run (Ctrl-D leaves the question open): ", func(line string) bool {
		if line == "" {
			return false
		}
		ok := is(line)
		if !ok {
			_, _ = io.WriteString(t, "that is not the token\n") // a terminal that is gone ends the next read
		}
		return ok
	})
}

// typed asks until what is typed is right.
func typed(ctx context.Context, t Terminal, prompt string, right func(line string) bool) error {
	for {
		t.Discard()
		_, _ = io.WriteString(t, prompt)
		line, err := t.ReadLine(ctx)
		switch {
		case errors.Is(err, io.EOF):
			_, _ = io.WriteString(t, "\n")
			return ErrUnconfirmed
		case err != nil:
			return err
		case right(strings.TrimSpace(line)):
			return nil
		}
	}
}
