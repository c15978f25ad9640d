package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Review lets a person decide about a node's output before the run continues. The person
// accepts it, edits it, has it made again (by an agent with the person's feedback, by a
// program without), or rejects it, which cancels the run.
//
// The first output of node plan is step plan/make1, the first question about it
// plan/review#1, the next output plan/make2.
type Review struct {
	// Step is the node's name in the question to the person.
	Step string
	// ByAgent says that an agent makes the output. Then a person who wants another output
	// gives feedback; a program just runs again.
	ByAgent bool
	// Make makes the output.
	Make func(c *flow.Context, a Draft) (string, error)
	// Accept converts the accepted output to the output of the node. If it fails, the
	// person sees the error and answers again.
	Accept func(text string) (string, error)
	// ReadEdit reads a person's edit of the output. If it fails, the person sees the error
	// and answers again.
	ReadEdit func(text string) (string, error)
}

// A Draft is the input of Review.Make: it says which draft of the output to make, and
// what a person said about the earlier ones.
type Draft struct {
	// Number counts from 1.
	Number int
	// Feedback is the person's feedback on the earlier drafts, in order.
	Feedback []string
	// Previous is the output of the previous draft, or "".
	Previous string
}

// Prompt returns text as the prompt for the draft. From the second draft on, it adds the
// agent's last answer and all feedback so far.
func (a Draft) Prompt(text string) string {
	if len(a.Feedback) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\n\n---\n\nYou have answered this before. Your last answer was:\n\n")
	b.WriteString(a.Previous)
	b.WriteString("\n\nA person has reviewed it and wants it changed:\n")
	for _, said := range a.Feedback {
		b.WriteString("\n- ")
		b.WriteString(strings.ReplaceAll(said, "\n", "\n  "))
	}
	b.WriteString("\n\nAnswer again, in the same form as before, with these changes made.")
	return b.String()
}

// answersFor are the answers to the review.
func (r *Review) answersFor() []string {
	if r.ByAgent {
		return []string{kernel.ChoiceAccept, kernel.ChoiceEdit, kernel.ChoiceReject, kernel.ChoiceFeedback}
	}
	return []string{kernel.ChoiceAccept, kernel.ChoiceEdit, kernel.ChoiceReject, kernel.ChoiceRerun}
}

// Run makes the output until a person accepts it, and returns it.
func (r Review) Run(c *flow.Context) (string, error) {
	c.Node().Note("a person accepts, edits or rejects the output; a rejection cancels the run")
	asked, attempt := 0, Draft{}
	for {
		attempt.Number++
		c.Node().Begin(flow.Running)
		p := runPart(c, c.Scheduler(), fmt.Sprintf("/make%d", attempt.Number), func(c *flow.Context) (string, error) { return r.Make(c, attempt) })
		c.Node().State().Add(p.node)
		if p.err != nil {
			return p.text, p.err
		}
		text, done, said, err := r.askUntilValid(c, p, &asked)
		if done || err != nil {
			return text, err
		}
		attempt.Previous = p.text
		if said != "" {
			attempt.Feedback = append(slices.Clip(attempt.Feedback), said)
		}
	}
}

// askUntilValid asks about an output until the answer is valid. Then the review is done, or the
// output is to be made again with the person's feedback.
func (r *Review) askUntilValid(c *flow.Context, p part, asked *int) (text string, done bool, said string, err error) {
	fault, draft := "", ""
	for {
		*asked++
		answer, err := r.askAbout(c, *asked, fault, flow.Question{Output: p.text, LastEdit: draft})
		if err != nil {
			return "", false, "", err
		}
		switch choice := answer.Meta.Choice; {
		case choice == kernel.ChoiceReject:
			return "", false, "", cancelRejected(c, answer)
		case choice == kernel.ChoiceAccept:
			if text, err = r.Accept(p.text); err == nil {
				return text, true, "", nil
			}
			fault = "it cannot be accepted as it is: " + err.Error()
		case choice == kernel.ChoiceEdit:
			if text, err = r.ReadEdit(answer.Text); err == nil {
				text, err = r.Accept(text)
			}
			if err == nil {
				return text, true, "", nil
			}
			fault, draft = "the edit cannot be used: "+err.Error(), answer.Text
		case choice == kernel.ChoiceFeedback && r.ByAgent:
			if said = strings.TrimSpace(answer.Text); said != "" {
				return "", false, said, nil
			}
			fault = "feedback needs words"
		case choice == kernel.ChoiceRerun && !r.ByAgent:
			return "", false, "", nil
		default:
			// Only an unambiguous answer accepts an output.
			return "", false, "", &flow.Failure{Reason: "answer", Class: flow.ClassFatal, ExitCode: -1,
				Message: fmt.Sprintf("the answer to the review of `%s` is `%s`, which is not one of: %s", r.Step, choice, strings.Join(r.answersFor(), ", "))}
		}
	}
}

// askAbout asks about an output for the n-th time; fault is the error of the last answer.
func (r *Review) askAbout(c *flow.Context, n int, fault string, q flow.Question) (flow.Result, error) {
	c.Node().Begin(flow.Waiting)
	q.Message, q.Choices = fmt.Sprintf("is the output of step `%s` right?", r.Step), r.answersFor()
	if fault != "" {
		q.Message = fault + "\n" + q.Message
	}
	return c.Ask(fmt.Sprintf("/review#%d", n), q)
}
