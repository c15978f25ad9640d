package flow

import (
	"fmt"
	"slices"
	"strings"
)

// Plans.
//
// An engine that performs nothing, to show what a run would do, ends actions
// with results that have an Unknown. What follows from them is unknown too, and
// the kernel keeps account of it: a node whose action's result is unknown has an
// unknown output, and other nodes read what stands for it. A condition that
// reads one cannot be decided: its node runs, so that the plan shows it, but it
// may as well be skipped; and whether a trigger rule holds may depend on nodes of
// that kind. What cannot be decided is told by events of the types below. Runs
// that perform their actions know none of this.

// The types of the events that tell what cannot be decided in a plan.
const (
	// EventMaybe: whether a node runs cannot be decided; the message says what
	// that depends on.
	EventMaybe = "step_undecided"
	// EventRepeats: how often a loop repeats cannot be decided; the message is
	// the range.
	EventRepeats = "loop_undecided"
	// EventMayCancel: a node that may not run would cancel the run; the message
	// is the reason.
	EventMayCancel = "run_undecided"
	// EventOpenEnd: which output a node of a state graph ends with is not known, so
	// the plan goes no further; the message says which there are.
	EventOpenEnd = "graph_undecided"
	// EventSequence: the workflow is a sequence, which completes also when none of its
	// steps runs.
	EventSequence = "sequence_planned"
	// EventNote: what a plan can show of a node beside its actions; the message
	// says it.
	EventNote = "step_planned"
)

// An Unknown stands for outputs that nobody knows.
type Unknown interface {
	// Text is what stands for the output of a node, or for the part of it that a
	// path leads to.
	Text(node string, path ...string) string
	// Fill makes the typed output of a node. v points to its zero value.
	Fill(node string, v any)
}

// doubt is what is uncertain of a node.
type doubt struct {
	key   string
	group *group
	// stand is set when the output is not known.
	stand Unknown
	// maybe says that the node may not run.
	maybe bool
}

// undecided is what reading a value panics with, and what a condition fails
// with, when the condition depends on what is not known.
type undecided struct {
	ref string
	// stand stands for what was read, when that is not known.
	stand Unknown
}

func (u *undecided) Error() string { return "it depends on `" + u.ref + "`" }

// read is called before an output is read as ref. presence says that it matters
// whether the node runs at all.
func (d *doubt) read(ref string, presence bool) {
	if d.group.deciding && (d.stand != nil || presence && d.maybe) {
		panic(&undecided{ref, d.stand})
	}
	if d.stand != nil {
		d.group.seen = d
	}
}

// doubt notes that the node may not run.
func (c *Context) doubt(why string) {
	c.node.maybe, c.group.doubtful = true, true
	c.engine.Log(Event{Type: EventMaybe, Key: c.node.key, Message: why})
}

// doubtful returns what is uncertain of the node at its end, or nil.
func (c *Context) doubtful() *doubt {
	if c.node.unknown == nil && !c.node.maybe {
		return nil
	}
	c.group.doubtful = true
	return &doubt{key: c.node.key, group: c.group, stand: c.node.unknown, maybe: c.node.maybe}
}

// weigh doubts that the node runs when its trigger rule depends on whether
// dependencies run that may not. Rules that look only at which ends there are
// show that when all those run, none, or one.
func (c *Context) weigh(after []Dependency, rule Rule, ends []Status) {
	var open []int
	var keys []string
	none := slices.Clone(ends)
	for i, d := range after {
		if d := d.doubts(); d != nil && d.maybe {
			open, keys = append(open, i), append(keys, "`"+d.key+"`")
			none[i] = Skipped
		}
	}
	all := rule(ends)
	depends := rule(none) != all
	for _, i := range open {
		none[i] = ends[i]
		depends = depends || rule(none) != all
		none[i] = Skipped
	}
	switch {
	case !depends:
	case len(keys) == 1:
		c.doubt("it depends on whether " + keys[0] + " runs")
	default:
		c.doubt("it depends on which of " + strings.Join(keys, ", ") + " run")
	}
}

// guess decides a condition of a run in which there are doubts: a node whose
// condition cannot be decided runs.
func (c *Context) guess(when func() (bool, error)) (bool, error) {
	c.group.deciding = true
	holds, err := guardPanic(when)
	c.group.deciding = false
	if u, ok := err.(*undecided); ok {
		c.doubt(u.Error())
		return true, nil
	}
	return holds, err
}

// repeats tells how often the loop of a node runs whose end cannot be decided.
func (c *Context) repeats(least, most int) {
	times := fmt.Sprintf("%d to %d times", least, most)
	switch {
	case most == 1:
		times = "once"
	case least == most:
		times = fmt.Sprintf("%d times", most)
	}
	c.engine.Log(Event{Type: EventRepeats, Key: c.node.key, Message: times})
}

// note tells what a plan shows of the node.
func (c *Context) note(format string, args ...any) {
	c.engine.Log(Event{Type: EventNote, Key: c.node.key, Message: fmt.Sprintf(format, args...)})
}

// notes tells what a plan shows of a loop.
func (l *Loop) notes(c *Context) {
	c.note("at most %d iterations until %s", l.Max, l.Goal)
	if l.Timeout > 0 {
		c.note("timeout of all iterations together %s", l.Timeout)
	}
	if l.Retry.Max > 0 {
		again := "after a failure that passes by itself"
		if l.Retry.All {
			again = "after any failure"
		}
		c.note("begun again %s, up to %d times, first after %s", again, l.Retry.Max, l.Retry.Delay)
	}
}

// notes tells what a plan shows of a gate.
func (a *Approval) notes(c *Context) {
	if a.Rework == nil {
		c.note("a rejection cancels the run")
	} else {
		c.note("a rejection is followed by rework and the question again; rejection number %d cancels the run", max(1, a.MaxRejections))
	}
}

// StandIn returns what stands for the output, or for the part of it that a path
// leads to, when nobody knows it; see Unknown.
func (t *Task[T]) StandIn(path ...string) (text string, ok bool) {
	if t.doubt == nil || t.doubt.stand == nil {
		return "", false
	}
	return t.doubt.stand.Text(t.key, path...), true
}

func (t *Task[T]) doubts() *doubt { return t.doubt }
