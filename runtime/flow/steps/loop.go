package steps

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Loop repeats its body until an iteration completes it, at most Max times; then the
// node fails.
//
// Iteration 3 of node fix is step fix#3, its test fix#3/until and its gate fix#3/gate. A
// later process of the run takes completed iterations from the journal and continues
// with the first other one.
type Loop struct {
	// Max is the maximum number of iterations, at least 1. If the node failed because it
	// reached Max, each resume of the run allows Max further iterations.
	Max int
	// Condition describes the completion condition, for messages such as that of a node
	// that reached Max.
	Condition string
	// Body performs an iteration in the context of its step.
	Body func(c *flow.Context, i *Iteration) (flow.Result, error)
	// Done reports whether the text of an iteration completes the loop; nil means never.
	Done func(text string) bool
	// Clean returns the output for the text of an iteration, for example without the word
	// that ends the loop. If Clean is nil or returns "", the output is the text.
	Clean func(text string) string
	// Until decides, after an iteration that Done did not complete, whether the loop is
	// complete; nil means it is not.
	Until func(c *flow.Context, i *Iteration) (bool, error)
	// Gate is a question to a person, "" for none. Run asks it after the first iteration
	// and after each later one that does not complete the loop. The answer goes to the
	// next iteration; a rejection cancels the run.
	Gate string
	// AcceptFirst and SkipGate apply if the first iteration completes the loop. With
	// AcceptFirst, an approval without a comment ends the loop; otherwise another iteration
	// follows. With SkipGate, Run does not ask.
	AcceptFirst, SkipGate bool
	// Timeout limits each attempt at the whole loop; see flow.Context.WithTimeout.
	Timeout time.Duration
	// Retry says how a failed loop starts again from its first iteration.
	Retry flow.Retry
}

// An Iteration is the input of one iteration of a Loop.
type Iteration struct {
	// Number counts from 1.
	Number int
	// Previous is the output of the previous iteration, or ""; see Loop.Clean.
	Previous string
	// Answer is a person's answer at the gate before the iteration, or "".
	Answer string
	// Session is the session of the agent in the previous iteration, or "".
	Session string
}

// ScriptEnv sets Answer and Previous in the environment variables of the script that tests
// the iteration, and returns the variables; see flow.Context.ScriptEnv.
func (i *Iteration) ScriptEnv(env []flow.Variable) []flow.Variable {
	for n := range env {
		switch env[n].Name {
		case "LOOP_USER_INPUT":
			env[n].Value = i.Answer
		case "LOOP_PREV_OUTPUT":
			env[n].Value = i.Previous
		}
	}
	return env
}

// Run runs the loop and returns the output of its last iteration; see Clean.
func (l Loop) Run(c *flow.Context) (string, error) {
	if planned(c) {
		l.note(c)
	}
	return attempts(c, l.Retry, func(c *flow.Context) (string, error) {
		return c.WithTimeout(l.Timeout, func(c *flow.Context) (string, error) { return l.run(c) })
	})
}

// note describes the loop in a plan.
func (l *Loop) note(c *flow.Context) {
	c.Node().Note("at most %d iterations until %s", l.Max, l.Condition)
	if l.Timeout > 0 {
		c.Node().Note("timeout of all iterations together %s", l.Timeout)
	}
	if l.Retry.Max > 0 {
		again := "after a failure that passes by itself"
		if l.Retry.All {
			again = "after any failure"
		}
		c.Node().Note("begun again %s, up to %d times, first after %s", again, l.Retry.Max, l.Retry.Delay)
	}
}

func (l *Loop) run(c *flow.Context) (string, error) {
	limit := l.Max
	i := Iteration{}
	text, last := "", ""
	for {
		if i.Number == limit {
			// The end of the last iteration and the failure are one batch, so an
			// earlier process that journalled one journalled both.
			if !c.Node().PartCompleted(last) {
				return text, &flow.Failure{Reason: "max_iterations", ExitCode: -1, Message: fmt.Sprintf("node '%s' ran %s without reaching %s", c.Node().State().Key, count(i.Number, "iteration"), l.Condition)}
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
				repeats(c, i.Number, limit)
			}
			return next.text, nil
		}
		text, last = next.text, next.last
		i.Previous, i.Answer, i.Session = next.text, next.answer, next.session
	}
}

// An ending is the result of an iteration, for the next one.
type ending struct {
	text, answer, session string
	// last is the suffix of its last step.
	last string
	// open means that a plan cannot tell whether the loop continues.
	open bool
}

// iteration performs one iteration with its test and its gate.
func (l *Loop) iteration(c *flow.Context, i *Iteration) (e ending, done bool, err error) {
	e.last = fmt.Sprintf("#%d", i.Number)
	part, node := c.At(e.last), c.Node().State()
	c.Node().Begin(flow.Running)
	node.Unknown = nil // of the previous iteration
	r, err := l.Body(part, i)
	e.text, e.session = r.Text, r.Meta.Session
	if err != nil {
		return e, false, in(fmt.Sprintf("iteration %d", i.Number), err)
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
		node.Unknown = nil // only an unknown test leaves the loop open
		if done, err = l.Until(part.At("/until"), i); err != nil {
			return e, false, in(fmt.Sprintf("iteration %d", i.Number), err)
		}
		e.open = node.Unknown != nil
		if !e.open {
			node.Unknown = r.Unknown
		}
	}
	done = done || e.open
	if l.Gate == "" || done && (i.Number > 1 || l.SkipGate) {
		return e, done, nil
	}
	e.last = fmt.Sprintf("#%d/gate", i.Number)
	commented := false
	e.answer, commented, err = consent(part.At("/gate"), flow.Question{Message: l.Gate})
	return e, err == nil && done && l.AcceptFirst && !commented, err
}

// Test runs a bash script as a condition: it returns true if the script exits with 0 and
// false for other codes, except those that flow.Bash.Test calls failures. The error is a
// *flow.Failure or flow.ErrCancelled.
func Test(c *flow.Context, script flow.Bash) (bool, error) {
	script.Test = true
	r, err := c.Do(script)
	if err != nil {
		return false, err
	}
	return r.Text == "true", nil
}
