package flow

import (
	"errors"
	"fmt"
	"time"
)

// A Loop says how a node repeats its body. An iteration that does not end the
// loop is followed by the next until Max have run; then the node fails.
//
// Iteration 3 of node fix is step fix#3, its test fix#3/until and its gate
// fix#3/gate. A later process of the run takes the completed ones from the
// journal and goes on with the first that is not.
type Loop struct {
	// Max is how many iterations there may be. A run that failed because they
	// were used up may have as many again each time that it is resumed.
	Max int
	// Goal is what the loop waits for, for the message of that failure.
	Goal string
	// Body performs an iteration in the context of its step.
	Body func(c *Context, i *Iteration) (Result, error)
	// Done reports whether an iteration's text says that the loop is complete;
	// nil means never.
	Done func(text string) bool
	// Clean returns an iteration's text as it is read from then on; nil means
	// as it is. When it returns "", the text stays as it is.
	Clean func(text string) string
	// Until decides, after an iteration that Done did not end, whether the loop
	// is complete; nil means that it is not.
	Until func(c *Context, i *Iteration) (bool, error)
	// Gate is what a person is asked after each iteration that does not end the
	// loop, and after the first one whatever it says; "" asks nobody. What the
	// person says is the next iteration's Answer; a rejection cancels the run.
	Gate string
	// Timeout limits the time of each attempt at the whole loop; see Within.
	Timeout time.Duration
	// Retry says how a failed loop is begun again from its first iteration.
	Retry Retry
}

// An Iteration is what one iteration of a loop is given.
type Iteration struct {
	// Number counts from 1.
	Number int
	// Previous is the text of the iteration before, or "".
	Previous string
	// Answer is what a person said at the gate before the iteration, or "".
	Answer string
	// Session is the session of the agent in the iteration before, or "".
	Session string
}

// Repeat runs a loop and returns the text of its last iteration.
func Repeat(c *Context, l Loop) (string, error) {
	if c.engine.Run().Planned {
		l.notes(c)
	}
	return c.attempts(l.Retry, func(c *Context) (string, error) {
		return c.Within(l.Timeout, func(c *Context) (string, error) { return l.run(c) })
	})
}

func (l *Loop) run(c *Context) (string, error) {
	limit := l.Max
	i := Iteration{}
	text, last := "", ""
	for {
		if i.Number == limit {
			// The end of the last iteration and the failure are one batch, so an
			// earlier process that left the one behind left the other, too.
			if !c.replayed(last) {
				return text, &Failure{Reason: "max_iterations", ExitCode: -1, Message: fmt.Sprintf("node '%s' ran %s without reaching %s", c.node.key, iterations(i.Number), l.Goal)}
			}
			limit += l.Max
		}
		i.Number++
		next, done, err := l.iteration(c, &i)
		if err != nil {
			return next.text, err
		}
		if done {
			if next.open {
				c.repeats(i.Number, limit)
			}
			return next.text, nil
		}
		text, last = next.text, next.last
		i.Previous, i.Answer, i.Session = next.text, next.answer, next.session
	}
}

func iterations(n int) string {
	if n == 1 {
		return "1 iteration"
	}
	return fmt.Sprintf("%d iterations", n)
}

// ending is what an iteration leaves for the next.
type ending struct {
	text, answer, session string
	// last is the suffix of its last step.
	last string
	// open says that nobody knows whether the loop goes on; see Unknown.
	open bool
}

// iteration performs one iteration with all that follows it.
func (l *Loop) iteration(c *Context, i *Iteration) (e ending, done bool, err error) {
	e.last = fmt.Sprintf("#%d", i.Number)
	part := c.At(e.last)
	c.begin(Running)
	c.node.unknown = nil // of an iteration before
	r, err := l.Body(part, i)
	e.text, e.session = r.Text, r.Meta.Session
	if err != nil {
		return e, false, inIteration(i.Number, err)
	}
	e.open = r.Unknown != nil
	done = !e.open && l.Done != nil && l.Done(r.Text)
	if l.Clean != nil && !e.open {
		if clean := l.Clean(r.Text); clean != "" {
			e.text = clean
		}
	}
	if !done && l.Until != nil {
		e.last += "/until"
		c.node.unknown = nil // what is known of the test decides
		if done, err = l.Until(part.At("/until"), i); err != nil {
			return e, false, inIteration(i.Number, err)
		}
		e.open = c.node.unknown != nil
		if !e.open {
			c.node.unknown = r.Unknown
		}
	}
	done = done || e.open
	if l.Gate == "" || done && i.Number > 1 {
		return e, done, nil
	}
	e.last = fmt.Sprintf("#%d/gate", i.Number)
	said, err := part.At("/gate").consent(Question{Message: l.Gate})
	e.answer = said
	return e, false, err
}

// inIteration says in which iteration a loop failed.
func inIteration(n int, err error) error {
	if errors.Is(err, ErrCancelled) {
		return err
	}
	f := *asFailure(err)
	f.Message = fmt.Sprintf("iteration %d: %s", n, f.Message)
	return &f
}

// Test decides by a bash script: it is true when that exits with 0, and false
// when it exits with another code of its own.
func Test(c *Context, script Bash) (bool, error) {
	script.Test = true
	r, err := c.Do(script)
	if err != nil {
		return false, err
	}
	return r.Text == "true", nil
}
