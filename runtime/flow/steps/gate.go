package steps

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// approvedText is the answer of a person who approves without a comment.
const approvedText = "Approved"

// An Approval is a gate: the node completes when a person approves.
//
// The first question of node gate is step gate#1, the rework after its rejection
// gate/rework#1, the next question gate#2.
type Approval struct {
	// Message is the question.
	Message string
	// Timeout limits the wait for each answer, also while no process works on the run;
	// zero is no limit.
	Timeout time.Duration
	// Capture makes the person's comment the node's output, which is empty otherwise.
	Capture bool
	// Rework runs after a rejection, with the person's comment, before the gate asks
	// again; nil lets a rejection cancel the run.
	Rework func(c *flow.Context, reason string) (flow.Result, error)
	// MaxRejections is the number of rejections that cancels the run; less than 1 is 1.
	// Without Rework it is always 1.
	MaxRejections int
}

// Run asks until a person approves, and returns the node's output. After the last
// permitted rejection it cancels the run. The error is a *flow.Failure or
// flow.ErrCancelled.
func (a Approval) Run(c *flow.Context) (string, error) {
	a.noteRejection(c)
	q := flow.Question{Message: a.Message, Timeout: a.Timeout}
	for n := 1; ; n++ {
		said, err := askToApprove(c.At(fmt.Sprintf("#%d", n)), q)
		switch {
		case err != nil:
			return "", err
		case said.Meta.Choice == kernel.ChoiceApprove && a.Capture:
			return cmp.Or(said.Text, approvedText), nil
		case said.Meta.Choice == kernel.ChoiceApprove:
			return "", nil
		case a.Rework == nil || n >= a.MaxRejections:
			return "", cancelRejected(c, said)
		}
		c.Node().Begin(flow.Running)
		again, err := a.Rework(c.At(fmt.Sprintf("/rework#%d", n)), said.Text)
		if err != nil {
			return "", err
		}
		q.Output, q.Speakers = again.Text, []flow.Speaker{{Node: fmt.Sprintf("%s/rework#%d", c.Key(), n), Length: len(again.Text)}}
		c.Node().State().Session = "" // the rework's answer is not the node's
	}
}

// noteRejection describes the gate.
func (a *Approval) noteRejection(c *flow.Context) {
	if a.Rework == nil {
		c.Node().Note("a rejection cancels the run")
	} else {
		c.Node().Note("a rejection leads to rework and the same question again; rejection number %d cancels the run", max(1, a.MaxRejections))
	}
}

// askConsent asks a person to approve and returns the comment, or approvedText if there is
// none. A rejection cancels the run.
func askConsent(c *flow.Context, q flow.Question) (text string, commented bool, err error) {
	said, err := askToApprove(c, q)
	if err == nil && said.Meta.Choice == kernel.ChoiceReject {
		err = cancelRejected(c, said)
	}
	commented = strings.TrimSpace(said.Text) != ""
	if !commented {
		said.Text = approvedText
	}
	return said.Text, commented, err
}

// askToApprove asks a person to approve or reject, and returns the answer, whose choice is one
// of the two.
func askToApprove(c *flow.Context, q flow.Question) (said flow.Result, err error) {
	c.Node().Begin(flow.Waiting)
	q.Choices = []string{kernel.ChoiceApprove, kernel.ChoiceReject}
	r, err := c.Ask("", q)
	if err != nil {
		return flow.Result{}, err
	}
	switch r.Meta.Choice {
	case kernel.ChoiceApprove, kernel.ChoiceReject:
	default:
		// Nothing but a clear consent passes a gate.
		return flow.Result{}, &flow.Failure{Reason: "answer", Class: flow.ClassFatal, ExitCode: -1,
			Message: fmt.Sprintf("the answer to `%s` is `%s`, which neither approves nor rejects", c.Key(), r.Meta.Choice)}
	}
	return r, nil
}

// cancelRejected cancels the run because a person rejected the node's question.
func cancelRejected(c *flow.Context, r flow.Result) error {
	message := fmt.Sprintf("node `%s` was rejected", c.Node().State().Key)
	if r.Meta.By != "" {
		message += " by " + r.Meta.By
	}
	if r.Text != "" {
		message += ": " + r.Text
	}
	c.CancelRun(message)
	return flow.ErrCancelled
}

// A Decision is a gate at which a person chooses one of several decisions. (Conditions,
// which code evaluates, are not Decisions.) The question of node gate is step gate#1.
type Decision[T ~string] struct {
	// Message is the question.
	Message string
	// Timeout limits the wait, also while no process works on the run; zero is no limit.
	Timeout time.Duration
	// Choices are the decisions. If "reject" is not one of them, a person may still
	// reject, which cancels the run.
	Choices []T
}

// Run asks, and returns the output: a JSON object with the fields decision and text, the
// person's words. The error is a *flow.Failure or flow.ErrCancelled.
func (d Decision[T]) Run(c *flow.Context) (string, error) {
	q := flow.Question{Message: d.Message, Timeout: d.Timeout}
	for _, choice := range d.Choices {
		q.Choices = append(q.Choices, string(choice))
	}
	cancels := !slices.Contains(q.Choices, kernel.ChoiceReject)
	if cancels {
		q.Choices = append(q.Choices, kernel.ChoiceReject)
	}
	if cancels {
		c.Node().Note("a rejection cancels the run")
	}
	c.Node().Begin(flow.Waiting)
	r, err := c.Ask("#1", q)
	switch {
	case err != nil:
		return "", err
	case cancels && r.Meta.Choice == kernel.ChoiceReject:
		return "", cancelRejected(c, r)
	case !slices.Contains(d.Choices, T(r.Meta.Choice)):
		// Nothing but one of the decisions passes a gate.
		return "", &flow.Failure{Reason: "answer", Class: flow.ClassFatal, ExitCode: -1,
			Message: fmt.Sprintf("the answer to `%s` is `%s`, which is not one of its decisions", c.Key(), r.Meta.Choice)}
	}
	text, err := kernel.Encode(struct {
		Decision string `json:"decision"`
		Text     string `json:"text"`
	}{r.Meta.Choice, r.Text})
	return string(text), err
}
