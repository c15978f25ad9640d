package flow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// AskPerson has a person choose the label. Words that are none of the labels are
// followed by the question again. When nobody answers within the time limit, the
// label is otherwise, when that is not "", or the one of a node that takes too
// long; when there is none, the run stops.
func AskPerson(c *Context, message string, timeout time.Duration, otherwise string, l Labels) (Ending, error) {
	q := Question{Message: message, Choices: l.Names, Timeout: timeout}
	if otherwise == "" {
		otherwise = l.Timeout
	}
	for n := 1; ; n++ {
		c.begin(Waiting)
		suffix := fmt.Sprintf("#%d", n)
		r, err := c.Ask(suffix, q)
		switch f := (*Failure)(nil); {
		case errors.As(err, &f) && f.Reason == "timeout" && otherwise != "":
			r.Meta.From = f.Reason
			c.labelled(suffix, r, otherwise)
			return Ending{Label: otherwise, Text: otherwise}, nil
		case errors.As(err, &f) && f.Reason == "timeout":
			return Ending{}, &StopError{Reason: f.Reason, Message: fmt.Sprintf("node '%s' waits for a person: %s", c.node.key, f.Message)}
		case err != nil:
			return Ending{}, err
		case r.Unknown != nil:
			return l.unknown(r), nil
		case r.Failure != nil:
			return Ending{}, r.Failure // see overlook
		}
		text := said(r)
		for _, answer := range []string{r.Meta.Choice, r.Text} {
			if label, ok := MatchChoice(answer, l.Names); ok {
				return Ending{Label: label, Text: text}, nil
			}
		}
		q.Message = notUnderstood(text, l.Names) + "\n\n" + message
	}
}

// notUnderstood begins a question that is asked again.
func notUnderstood(answer string, choices []string) string {
	return fmt.Sprintf("`%s` is not one of: %s.", answer, strings.Join(choices, ", "))
}

// MatchChoice returns the choice that an answer means: the choice itself, in any
// case; `y` and `n` for `yes` and `no`; or what only one choice begins with.
func MatchChoice(answer string, choices []string) (string, bool) {
	if exact := strings.TrimSpace(answer); slices.Contains(choices, exact) {
		return exact, true
	}
	word := strings.ToLower(strings.TrimFunc(answer, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".!'\"`", r) }))
	if word == "" {
		return "", false
	}
	if long := map[string]string{"y": "yes", "n": "no"}[word]; long != "" && slices.Contains(choices, long) {
		return long, true
	}
	var begins []string
	for _, c := range choices {
		switch lower := strings.ToLower(c); {
		case lower == word:
			return c, true
		case strings.HasPrefix(lower, word):
			begins = append(begins, c)
		}
	}
	if len(begins) != 1 {
		return "", false
	}
	return begins[0], true
}
