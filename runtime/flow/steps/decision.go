package steps

import (
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Decision is a gate at which a person takes one of several decisions. The question of
// node gate is step gate#1.
type Decision struct {
	// Message is the question.
	Message string
	// Timeout limits the wait, also while no process works on the run; zero is no limit.
	Timeout time.Duration
	// Choices are the decisions. If "reject" is not one of them, a person may reject all
	// the same, which cancels the run.
	Choices []string
}

// Run asks, and returns the output: a JSON object with the fields decision and text, the
// person's words. The error is a *flow.Failure or flow.ErrCancelled.
func (d Decision) Run(c *flow.Context) (string, error) {
	q := flow.Question{Message: d.Message, Timeout: d.Timeout, Choices: d.Choices}
	cancels := !slices.Contains(d.Choices, kernel.ChoiceReject)
	if cancels {
		q.Choices = append(slices.Clone(d.Choices), kernel.ChoiceReject)
	}
	if planned(c) && cancels {
		c.Node().Note("a rejection cancels the run")
	}
	c.Node().Begin(flow.Waiting)
	r, err := c.Ask("#1", q)
	switch {
	case err != nil:
		return "", err
	case r.Unknown != nil:
		c.Node().State().Unknown = r.Unknown
		return "", nil
	case cancels && r.Meta.Choice == kernel.ChoiceReject:
		return "", rejected(c, r)
	case !slices.Contains(d.Choices, r.Meta.Choice):
		// Nothing but one of the decisions passes a gate.
		return "", &flow.Failure{Reason: "answer", Class: flow.ClassFatal, ExitCode: -1,
			Message: fmt.Sprintf("the answer to '%s' is `%s`, which is none of its decisions", c.Key(), r.Meta.Choice)}
	}
	text, err := kernel.Encode(struct {
		Decision string `json:"decision"`
		Text     string `json:"text"`
	}{r.Meta.Choice, r.Text})
	return string(text), err
}
