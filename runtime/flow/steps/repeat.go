package steps

import (
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Repeat performs a step in rounds until its condition ends them. Round 3 of step fix
// is step fix#3; a later process of the run continues with the first round that has not
// completed.
type Repeat struct {
	// Max is the maximum number of rounds, at least 1. If the condition has not ended them
	// by then, the step fails, and each resume of the run allows Max further rounds.
	Max int
	// Until means that the rounds end when the condition holds; otherwise they end when
	// it does not hold.
	Until bool
	// Goal is the condition as the workflow writes it, for messages.
	Goal string
	// Body performs a round and returns its output.
	Body func(c *flow.Context, previous Previous) (string, error)
	// Holds decides the condition after a round. If it fails, the round has failed, and
	// a resumed run performs it again.
	Holds func(output string) (bool, error)
}

// Previous is the output of the previous round. OK is false in the first round.
type Previous struct {
	Text string
	OK   bool
}

// Output returns Text and OK.
func (p Previous) Output() (text string, ok bool) { return p.Text, p.OK }

// Run performs the rounds and returns the output of the last one.
func (r Repeat) Run(c *flow.Context) (string, error) {
	if planned(c) {
		r.note(c)
	}
	c.Kernel().Begin(flow.Running)
	var before Previous
	limit := r.Max
	for n := 0; ; n++ {
		if n >= limit {
			// The end of the last round and the failure are one batch, so an earlier
			// process that journalled one journalled both.
			if n == 0 || !c.Kernel().Replayed(fmt.Sprintf("#%d", n)) {
				return before.Text, r.exceeded(c, n)
			}
			limit += r.Max
		}
		p, end, err := r.round(c, n+1, before)
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

// round performs one round and decides whether it is the last.
func (r *Repeat) round(c *flow.Context, n int, before Previous) (p part, end bool, err error) {
	decided := false
	decide := func(text string) error {
		holds, open, err := c.Kernel().Decide(func() (bool, error) { return r.Holds(text) })
		decided, end = true, holds == r.Until
		if open != nil {
			return open
		}
		return err
	}
	var open *flow.Undecided
	p = run(c, c.Engine(), fmt.Sprintf("#%d", n), func(c *flow.Context) (string, error) {
		text, err := r.Body(c, before)
		if err != nil || c.Kernel().Node().Unknown != nil {
			return text, err
		}
		if err = decide(text); errors.As(err, &open) {
			c.Kernel().Node().Unknown = open.Unknown
		}
		return text, err
	})
	if p.err == nil && !decided && p.node.Unknown == nil {
		p.err = decide(p.text) // the round is from the journal
	}
	c.Kernel().Node().Take(p.node)
	return p, end, p.err
}

func (r *Repeat) exceeded(c *flow.Context, n int) error {
	why := "and its condition still holds: " + r.Goal
	if r.Until {
		why = "without reaching its condition: " + r.Goal
	}
	return &flow.Failure{Reason: "max_iterations", ExitCode: -1,
		Message: fmt.Sprintf("step '%s' ran %s (its limit) %s", c.Kernel().Node().Key, count(n, "iteration"), why)}
}

// note describes the rounds in a plan.
func (r *Repeat) note(c *flow.Context) {
	word := "while"
	if r.Until {
		word = "until"
	}
	c.Kernel().Note("at most %s %s %s", count(r.Max, "iteration"), word, r.Goal)
}
