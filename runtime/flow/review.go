package flow

import (
	"fmt"
	"slices"
	"strings"
)

// The answers to a review beside ChoiceReject.
const (
	ChoiceAccept   = "accept"
	ChoiceEdit     = "edit"
	ChoiceFeedback = "feedback"
	ChoiceRerun    = "rerun"
)

// A Review has a person look at a step's output before the run goes on: to accept
// it, to edit it, to reject it, which cancels the run, or to have it made again, by
// a prompt with the person's words, by a program as it is.
//
// What step plan makes first is step plan/make1, the first question about it
// plan/review#1, what is made again plan/make2.
type Review struct {
	// Step is the step's name.
	Step string
	// Prompt says that an agent makes the output: then a person may give feedback,
	// where otherwise the choice is to run it again.
	Prompt bool
	// Make makes the output.
	Make func(c *Context, again Again) (string, error)
	// Accept returns the output as the step's, given what was made or edited. When it
	// fails the person is told why and asked again.
	Accept func(text string) (string, error)
	// Edited reads what a person wrote in place of the output. When that is of no
	// use the person is told the error and asked again.
	Edited func(text string) (string, error)
}

// Again is what Make is told of the times before.
type Again struct {
	// Number counts from 1.
	Number int
	// Feedback is what the person said to what was made before, in order.
	Feedback []string
	// Previous is what was made before, or "".
	Previous string
}

// Choices are the answers that a review takes.
func (r *Review) choices() []string {
	if r.Prompt {
		return []string{ChoiceAccept, ChoiceEdit, ChoiceReject, ChoiceFeedback}
	}
	return []string{ChoiceAccept, ChoiceEdit, ChoiceReject, ChoiceRerun}
}

// IsReview reports whether a question asks for the review of an output.
func IsReview(q Question) bool {
	return slices.Contains(q.Choices, ChoiceAccept) && slices.Contains(q.Choices, ChoiceEdit)
}

// Reviewed performs a step and has it reviewed.
func Reviewed(c *Context, r Review) (string, error) {
	if c.engine.Run().Planned {
		c.note("a person accepts, edits or rejects the output; a rejection cancels the run")
	}
	asked, again := 0, Again{}
	for {
		again.Number++
		c.begin(Running)
		p := c.piece(c.engine, fmt.Sprintf("/make%d", again.Number), func(c *Context) (string, error) { return r.Make(c, again) })
		c.take(p)
		if p.err != nil {
			return p.text, p.err
		}
		text, done, said, err := r.ask(c, p, &asked)
		if done || err != nil {
			return text, err
		}
		again.Previous = p.text
		if said != "" {
			again.Feedback = append(slices.Clip(again.Feedback), said)
		}
	}
}

// ask has a person look at what was made until the answer is one that can be
// followed. It is done unless the output is to be made again, with what the person
// said.
func (r *Review) ask(c *Context, p piece, asked *int) (text string, done bool, said string, err error) {
	fault, draft := "", ""
	for {
		*asked++
		answer, err := r.question(c, *asked, fault, Question{Output: p.text, Draft: draft})
		if err != nil {
			return "", false, "", err
		}
		switch choice := answer.Meta.Choice; {
		case choice == ChoiceReject:
			return "", false, "", c.rejected(answer)
		case p.node.unknown != nil: // in a plan
			c.node.unknown = p.node.unknown
			return p.text, true, "", nil
		case choice == ChoiceAccept:
			if text, err = r.Accept(p.text); err == nil {
				return text, true, "", nil
			}
			fault = "it cannot be accepted as it is: " + err.Error()
		case choice == ChoiceEdit:
			if text, err = r.Edited(answer.Text); err == nil {
				text, err = r.Accept(text)
			}
			if err == nil {
				return text, true, "", nil
			}
			fault, draft = "what was written cannot be taken: "+err.Error(), answer.Text
		case choice == ChoiceFeedback && r.Prompt:
			if said = strings.TrimSpace(answer.Text); said != "" {
				return "", false, said, nil
			}
			fault = "feedback needs some words"
		case choice == ChoiceRerun && !r.Prompt:
			return "", false, "", nil
		default:
			// Nothing but a clear word accepts an output.
			return "", false, "", &Failure{Reason: "answer", Class: ClassFatal, ExitCode: -1,
				Message: fmt.Sprintf("the answer to the review of '%s' is `%s`, which is none of: %s", r.Step, choice, strings.Join(r.choices(), ", "))}
		}
	}
}

// question asks about an output for the n-th time.
func (r *Review) question(c *Context, n int, fault string, q Question) (Result, error) {
	c.begin(Waiting)
	q.Message, q.Choices = fmt.Sprintf("is the output of step '%s' right?", r.Step), r.choices()
	if fault != "" {
		q.Message = fault + "\n" + q.Message
	}
	return c.Ask(fmt.Sprintf("/review#%d", n), q)
}
