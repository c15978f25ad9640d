package steps

import (
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Repeat repeats a step until its condition ends the loop. Iteration 3 of step fix is step
// fix#3; a later process of the run continues with the first iteration that has not
// completed.
type Repeat struct {
	// Max is the maximum number of iterations, at least 1. If the condition has not ended the
	// loop by then, the step fails, and each resume of the run allows Max further iterations.
	Max int
	// Condition is the condition as the workflow writes it, for messages.
	Condition string
	// Body performs an iteration and returns its output.
	Body func(c *flow.Context, previous Previous) (string, error)
	// Until or While, exactly one of them, decides the condition after an iteration: Until
	// ends the loop when it returns true, While when it returns false. If it fails, the
	// iteration has failed, and a resumed run performs it again.
	Until, While func(output string) (bool, error)
}

// Previous is the output of the previous iteration. OK is false in the first one.
type Previous struct {
	Text string
	OK   bool
}

// Run runs the loop and returns the output of its last iteration.
func (r Repeat) Run(c *flow.Context) (string, error) {
	if planned(c) {
		r.note(c)
	}
	c.Node().Begin(flow.Running)
	var before Previous
	limit := r.Max
	for n := 0; ; n++ {
		if n >= limit {
			// The end of the last iteration and the failure are one batch, so an earlier
			// process that journalled one journalled both.
			if n == 0 || !c.Node().PartCompleted(fmt.Sprintf("#%d", n)) {
				return before.Text, r.exceeded(c, n)
			}
			limit += r.Max
		}
		p, end, err := r.iteration(c, n+1, before)
		if err != nil {
			return p.text, in(fmt.Sprintf("iteration %d", n+1), err)
		}
		if p.node.Unknown != nil {
			repeats(c, n+1, limit)
			return p.text, nil
		}
		if end {
			return p.text, nil
		}
		before = Previous{p.text, true}
	}
}

// condition decides whether the loop ends after an iteration with the given output.
func (r *Repeat) condition(output string) (end bool, err error) {
	if r.Until != nil {
		return r.Until(output)
	}
	holds, err := r.While(output)
	return !holds, err
}

// iteration performs one iteration and decides whether it is the last.
func (r *Repeat) iteration(c *flow.Context, n int, before Previous) (p part, end bool, err error) {
	decided := false
	decide := func(text string) error {
		ends, open, err := c.Node().Decide(func() (bool, error) { return r.condition(text) })
		decided, end = true, ends
		if open != nil {
			return open
		}
		return err
	}
	var open *flow.UndecidedError
	p = run(c, c.Engine(), fmt.Sprintf("#%d", n), func(c *flow.Context) (string, error) {
		text, err := r.Body(c, before)
		if err != nil || c.Node().State().Unknown != nil {
			return text, err
		}
		if err = decide(text); errors.As(err, &open) {
			c.Node().State().Unknown = open.Unknown
		}
		return text, err
	})
	if p.err == nil && !decided && p.node.Unknown == nil {
		p.err = decide(p.text) // the iteration is from the journal
	}
	c.Node().State().Take(p.node)
	return p, end, p.err
}

func (r *Repeat) exceeded(c *flow.Context, n int) error {
	why := "and its condition still holds: " + r.Condition
	if r.Until != nil {
		why = "without reaching its condition: " + r.Condition
	}
	return &flow.Failure{Reason: "max_iterations", ExitCode: -1,
		Message: fmt.Sprintf("step '%s' ran %s (its limit) %s", c.Node().State().Key, count(n, "iteration"), why)}
}

// note describes the loop in a plan.
func (r *Repeat) note(c *flow.Context) {
	word := "while"
	if r.Until != nil {
		word = "until"
	}
	c.Node().Note("at most %s %s %s", count(r.Max, "iteration"), word, r.Condition)
}
