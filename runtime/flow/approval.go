package flow

import (
	"fmt"
	"time"
)

// The answers to a gate.
const (
	ChoiceApprove = "approve"
	ChoiceReject  = "reject"
)

// approvedText is what a person says who approves without a word.
const approvedText = "Approved"

// An Approval is a gate: the node completes when a person approves.
//
// The first question of node gate is step gate#1, the rework after its
// rejection gate/rework#1, the next question gate#2.
type Approval struct {
	// Message is what the person is asked.
	Message string
	// Timeout limits the wait for each answer; zero means none. It counts while
	// no process works on the run, too.
	Timeout time.Duration
	// Capture makes what the person says the node's output, which is empty
	// otherwise.
	Capture bool
	// Rework runs after a rejection, with what the person said, before the gate
	// asks again; nil means that a rejection cancels the run.
	Rework func(c *Context, reason string) (Result, error)
	// MaxRejections is the number of rejections that cancels the run.
	MaxRejections int
}

// Approve runs a gate.
func Approve(c *Context, a Approval) (string, error) {
	if c.engine.Run().Planned {
		a.notes(c)
	}
	for n := 1; ; n++ {
		said, err := c.At(fmt.Sprintf("#%d", n)).choose(Question{Message: a.Message, Timeout: a.Timeout})
		switch {
		case err != nil:
			return "", err
		case said.Meta.Choice == ChoiceApprove && a.Capture:
			c.node.unknown = said.Unknown
			return said.Text, nil
		case said.Meta.Choice == ChoiceApprove:
			return "", nil
		case a.Rework == nil || n >= a.MaxRejections:
			return "", c.rejected(said)
		}
		c.begin(Running)
		if _, err := a.Rework(c.At(fmt.Sprintf("/rework#%d", n)), said.Text); err != nil {
			return "", err
		}
		c.node.session, c.node.unknown = "", nil // the rework's answer is not the node's
	}
}

// consent asks a person to approve and returns what that said. A rejection
// cancels the run.
func (c *Context) consent(q Question) (string, error) {
	said, err := c.choose(q)
	if err == nil && said.Meta.Choice == ChoiceReject {
		err = c.rejected(said)
	}
	return said.Text, err
}

// choose puts a question to a person who approves or rejects, and returns the
// answer, whose choice is one of the two.
func (c *Context) choose(q Question) (said Result, err error) {
	c.begin(Waiting)
	q.Choices = []string{ChoiceApprove, ChoiceReject}
	r, err := c.Ask("", q)
	if err != nil {
		return Result{}, err
	}
	switch r.Meta.Choice {
	case ChoiceApprove:
		if r.Text == "" {
			r.Text = approvedText
		}
	case ChoiceReject:
	default:
		// Nothing but a clear consent passes a gate.
		return Result{}, &Failure{Reason: "answer", Class: ClassFatal, ExitCode: -1,
			Message: fmt.Sprintf("the answer to '%s' is `%s`, which neither approves nor rejects", c.key, r.Meta.Choice)}
	}
	return r, nil
}

// rejected cancels the run because a person rejected what the node asked.
func (c *Context) rejected(r Result) error {
	message := fmt.Sprintf("node '%s' was rejected", c.node.key)
	if r.Meta.By != "" {
		message += " by " + r.Meta.By
	}
	if r.Text != "" {
		message += ": " + r.Text
	}
	c.CancelRun(message)
	return ErrCancelled
}

// Session returns the session of the agent of the first of the nodes that
// completed and has one, or "": the conversation that a prompt goes on with.
func Session(nodes ...Dependency) string {
	for _, n := range nodes {
		if s := n.session(); s != "" && n.State() == Completed {
			return s
		}
	}
	return ""
}
