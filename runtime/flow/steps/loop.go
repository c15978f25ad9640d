package steps

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Loop is the loop of archon workflows (Repeat is that of xprompt): it repeats its
// body, usually the prompt of an agent, until the text of an iteration or a test says
// that the work is complete. After Max iterations without that, the node fails.
//
// The iterations count from 1: the third iteration of node fix is step fix#3, its test
// fix#3/until and its gate fix#3/gate. A later process of the run takes completed
// iterations from the journal and continues with the first other one.
type Loop struct {
	// Max is the maximum number of iterations, at least 1. If the node failed because it
	// reached Max, each resume of the run allows Max further iterations.
	Max int
	// Goal describes the completion condition, for messages such as that of a node
	// that reached Max; it decides nothing.
	Goal string
	// Body performs an iteration in the context of its step.
	Body func(c *flow.Context, i *Iteration) (flow.Result, error)
	// Done reports whether the text of an iteration completes the loop; nil means never.
	Done func(text string) bool
	// Clean returns the output for the text of an iteration, for example without the word
	// that ends the loop. If Clean is nil or returns "", the output is the text.
	Clean func(text string) string
	// Until decides, after an iteration that Done did not complete, whether the loop is
	// complete: it is the test, such as a script (see the function Test). nil means it is
	// not.
	Until func(c *flow.Context, i *Iteration) (bool, error)
	// Gate is a question to a person, "" for none. Run asks it after the first iteration
	// and after each later one that does not complete the loop. The answer goes to the
	// next iteration; a rejection cancels the run.
	Gate string
	// AcceptFirst and SkipGate apply if the first iteration completes the loop. Without them
	// Run asks at the Gate all the same, and another iteration follows. With AcceptFirst, an
	// approval without a comment ends the loop. With SkipGate, the loop ends without a
	// question.
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

// ScriptEnv prepares the environment variables of the script that tests the iteration: it
// sets LOOP_USER_INPUT to Answer and LOOP_PREV_OUTPUT to Previous. It changes these
// variables in env itself, adds none, and returns env. env is usually the result of
// flow.Context.ScriptEnv.
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

// AnswerEnv is ScriptEnv for the script of a node inside the iteration: it only sets
// LOOP_USER_INPUT.
func (i *Iteration) AnswerEnv(env []flow.Variable) []flow.Variable {
	for n := range env {
		if env[n].Name == "LOOP_USER_INPUT" {
			env[n].Value = i.Answer
		}
	}
	return env
}

// Run runs the loop and returns the output of its last iteration; see Clean.
func (l Loop) Run(c *flow.Context) (string, error) {
	requireField(l.Max > 0, "Loop.Max", "to the maximum number of iterations, at least 1")
	requireField(l.Goal != "", "Loop.Goal", "to words for the condition that ends the loop")
	requireField(l.Body != nil, "Loop.Body", "to the function that performs an iteration")
	l.noteLimits(c)
	return runAttempts(c, l.Retry, func(c *flow.Context) (string, error) {
		return c.WithTimeout(l.Timeout, func(c *flow.Context) (string, error) { return l.runIterations(c) })
	})
}

// requireField panics if a field of a loop is not set as it must be.
func requireField(isSet bool, field, to string) {
	if !isSet {
		panic(kernel.NewMisuse("the loop is incomplete: set `%s` %s", field, to))
	}
}

// noteLimits describes the loop.
func (l *Loop) noteLimits(c *flow.Context) {
	c.Node().Note("at most %d iterations until %s", l.Max, l.Goal)
	if l.Timeout > 0 {
		c.Node().Note("timeout of all iterations together %s", l.Timeout)
	}
	if l.Retry.Retries > 0 {
		again := "after a transient failure"
		if l.Retry.All {
			again = "after any failure"
		}
		c.Node().Note("begun again %s, up to %d times, first after %s", again, l.Retry.Retries, l.Retry.Delay)
	}
}

func (l *Loop) runIterations(c *flow.Context) (string, error) {
	limit := l.Max
	i := Iteration{}
	text, last := "", ""
	for {
		if i.Number == limit {
			// The end of the last iteration and the failure are one batch, so an
			// earlier process that journalled one journalled both.
			if !c.Node().PartCompleted(last) {
				return text, &flow.Failure{Reason: "max_iterations", ExitCode: -1, Message: fmt.Sprintf("node `%s` ran %s without reaching %s", c.Node().State().Key, plain.Count(i.Number, "iteration"), l.Goal)}
			}
			limit += l.Max
		}
		i.Number++
		next, done, err := l.runIteration(c, &i)
		if err != nil {
			return next.text, err
		}
		if done {
			if next.open {
				c.Node().Repeats(i.Number, limit)
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
	// open means that a symbolic engine has chosen whether the loop continues.
	open bool
}

// runIteration performs one iteration with its test and its gate.
func (l *Loop) runIteration(c *flow.Context, i *Iteration) (e ending, done bool, err error) {
	e.last = fmt.Sprintf("#%d", i.Number)
	part := c.At(e.last)
	c.Node().Begin(flow.Running)
	r, err := l.Body(part, i)
	e.text, e.session = r.Text, r.Meta.Session
	if err != nil {
		return e, false, failedIn(fmt.Sprintf("iteration %d", i.Number), err)
	}
	done = l.Done != nil && l.Done(r.Text)
	if l.Clean != nil {
		if clean := l.Clean(r.Text); clean != "" {
			e.text = clean
		}
	}
	if !done && l.Until != nil {
		e.last += "/until"
		if done, err = l.Until(part.At("/until"), i); err != nil {
			return e, false, failedIn(fmt.Sprintf("iteration %d", i.Number), err)
		}
	}
	if done, e.open, err = c.Node().Decide(part.Key(), func() (bool, error) { return done, nil }); err != nil {
		return e, false, err
	}
	if l.Gate == "" || done && (i.Number > 1 || l.SkipGate) {
		return e, done, nil
	}
	e.last = fmt.Sprintf("#%d/gate", i.Number)
	commented := false
	e.answer, commented, err = askConsent(part.At("/gate"), flow.Question{Message: l.Gate, Output: e.text})
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

// A Repeat is the loop of xprompt workflows (Loop is that of archon): it repeats a node
// until its condition, on the output of the iteration, ends the loop. The iterations
// count from 1: the third iteration of node fix is step fix#3. A later process of the run
// continues with the first iteration that has not completed.
type Repeat struct {
	// Max is the maximum number of iterations, at least 1. If the condition has not ended the
	// loop by then, the node fails, and each resume of the run allows Max further iterations.
	Max int
	// Condition is the condition as the workflow writes it, for messages; it decides
	// nothing.
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
	requireField(r.Max > 0, "Repeat.Max", "to the maximum number of iterations, at least 1")
	requireField(r.Body != nil, "Repeat.Body", "to the function that performs an iteration")
	requireField((r.Until == nil) != (r.While == nil), "Repeat.Until` or `Repeat.While", "to the condition, and only one of them")
	r.noteLimits(c)
	c.Node().Begin(flow.Running)
	var before Previous
	limit := r.Max
	for n := 0; ; n++ {
		if n >= limit {
			// The end of the last iteration and the failure are one batch, so an earlier
			// process that journalled one journalled both.
			if n == 0 || !c.Node().PartCompleted(fmt.Sprintf("#%d", n)) {
				return before.Text, r.limitFailure(c, n)
			}
			limit += r.Max
		}
		p, end, open, err := r.runIteration(c, n+1, before)
		if err != nil {
			return p.text, failedIn(fmt.Sprintf("iteration %d", n+1), err)
		}
		if open {
			c.Node().Repeats(n+1, limit)
		}
		if end {
			return p.text, nil
		}
		before = Previous{p.text, true}
	}
}

// isLast decides whether the loop ends after an iteration with the given output.
func (r *Repeat) isLast(output string) (end bool, err error) {
	if r.Until != nil {
		return r.Until(output)
	}
	holds, err := r.While(output)
	return !holds, err
}

// runIteration performs one iteration and decides whether it is the last. open means that a
// symbolic engine has chosen that.
func (r *Repeat) runIteration(c *flow.Context, n int, before Previous) (p part, end, open bool, err error) {
	suffix, decided := fmt.Sprintf("#%d", n), false
	decide := func(text string) (err error) {
		decided = true
		end, open, err = c.Node().Decide(c.Key()+suffix, func() (bool, error) { return r.isLast(text) })
		return err
	}
	p = runPart(c, c.Scheduler(), suffix, func(c *flow.Context) (string, error) {
		text, err := r.Body(c, before)
		if err == nil {
			err = decide(text)
		}
		return text, err
	})
	if p.err == nil && !decided {
		p.err = decide(p.text) // the iteration is from the journal
	}
	c.Node().State().Add(p.node)
	return p, end, open, p.err
}

func (r *Repeat) limitFailure(c *flow.Context, n int) error {
	why := "and its condition still holds: " + r.Condition
	if r.Until != nil {
		why = "without reaching its condition: " + r.Condition
	}
	return &flow.Failure{Reason: "max_iterations", ExitCode: -1,
		Message: fmt.Sprintf("step `%s` ran %s (its limit) %s", c.Node().State().Key, plain.Count(n, "iteration"), why)}
}

// noteLimits describes the loop.
func (r *Repeat) noteLimits(c *flow.Context) {
	word := "while"
	if r.Until != nil {
		word = "until"
	}
	c.Node().Note("at most %s %s %s", plain.Count(r.Max, "iteration"), word, r.Condition)
}
