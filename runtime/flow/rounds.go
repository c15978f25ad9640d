package flow

import (
	"errors"
	"fmt"
)

// Rounds say how a step is performed again and again. Round 3 of step fix is step
// fix#3; a later process of the run goes on with the first round that has not
// completed.
type Rounds struct {
	// Max is the number of rounds after which the step fails. A run that failed so
	// may have as many again each time that it is resumed.
	Max int
	// Until says whether the condition ends the rounds when it holds, or when it
	// does not.
	Until bool
	// Goal is the condition as it is written, for messages.
	Goal string
	// Body performs a round and returns its output.
	Body func(c *Context, previous Previous) (string, error)
	// Holds decides the condition after a round. When it fails the round has
	// failed, and a resumed run performs it again.
	Holds func(output string) (bool, error)
}

// Previous is the output of the round before. OK is false in the first one.
type Previous struct {
	Text string
	OK   bool
}

// DoRounds performs rounds and returns the output of the last one.
func DoRounds(c *Context, r Rounds) (string, error) {
	if c.engine.Run().Planned {
		r.notes(c)
	}
	c.begin(Running)
	var before Previous
	limit := r.Max
	for n := 0; ; n++ {
		if n >= limit {
			// The end of the last round and the failure are one batch, so an earlier
			// process that left the one behind left the other, too.
			if n == 0 || !c.replayed(fmt.Sprintf("#%d", n)) {
				return before.Text, r.exceeded(c, n)
			}
			limit += r.Max
		}
		p, end, err := r.round(c, n+1, before)
		if err != nil {
			return p.text, within(fmt.Sprintf("round %d", n+1), err)
		}
		if p.node.unknown != nil {
			c.repeats(n+1, limit)
			return p.text, nil
		}
		if end {
			return p.text, nil
		}
		before = Previous{p.text, true}
	}
}

// round performs one round and decides whether it is the last.
func (r *Rounds) round(c *Context, n int, before Previous) (p piece, end bool, err error) {
	decided := false
	decide := func(text string) error {
		holds, open, err := c.settled(func() (bool, error) { return r.Holds(text) })
		decided, end = true, holds == r.Until
		if open != nil {
			return open
		}
		return err
	}
	var open *undecided
	p = c.piece(c.engine, fmt.Sprintf("#%d", n), func(part *Context) (string, error) {
		text, err := r.Body(part, before)
		if err != nil || part.node.unknown != nil {
			return text, err
		}
		if err = decide(text); errors.As(err, &open) {
			part.node.unknown = open.stand
		}
		return text, err
	})
	if p.err == nil && !decided && p.node.unknown == nil {
		p.err = decide(p.text) // it was taken from the journal
	}
	c.take(p)
	return p, end, p.err
}

func (r *Rounds) exceeded(c *Context, n int) error {
	why := "and its condition still holds: " + r.Goal
	if r.Until {
		why = "without reaching its condition: " + r.Goal
	}
	return &Failure{Reason: "max_iterations", ExitCode: -1,
		Message: fmt.Sprintf("step '%s' ran %s (its limit) %s", c.node.key, count(n, "round"), why)}
}

// notes tells what a plan shows of rounds.
func (r *Rounds) notes(c *Context) {
	word := "while"
	if r.Until {
		word = "until"
	}
	c.note("at most %s %s %s", count(r.Max, "round"), word, r.Goal)
}
