package flow

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Plans.
//
// An engine that only plans a run ends actions with results that have an Unknown. The
// kernel tracks the consequences: a node whose action's result is unknown has an
// unknown output, and other nodes read its placeholder. A condition that reads one
// cannot be decided: its node runs, so that the plan shows it, but it may be skipped
// in a real run; whether a trigger rule holds may depend on such nodes. The kernel logs
// each undecided question as an event (kernel.EventMaybe and others). Runs that perform
// their actions have no unknowns.

// An Unknown has the placeholders of outputs that an engine cannot know because it only
// plans a run. Only such an engine implements it.
type Unknown interface {
	// Placeholder returns the placeholder of a node's output, or of its field at path.
	Placeholder(node string, path ...string) string
	// Fill makes a node's typed output from placeholders. v points to its zero value.
	Fill(node string, v any)
}

// UndecidedError is the error of a condition that depends on an unknown output; see
// NodeContext.Decide.
type UndecidedError struct {
	// Ref is the reference to the output, as the workflow writes it.
	Ref string
	// Unknown has the placeholder of the output. It is nil if the output is known, but not
	// whether its node runs.
	Unknown Unknown
}

func (u *UndecidedError) Error() string { return "it depends on `" + u.Ref + "`" }

// A planState is what the tasks of a run share in a plan.
type planState struct {
	// doubtful means that something about a task is uncertain, and deciding that a
	// condition is being decided.
	doubtful, deciding bool
	// seen is the last unknown output that was read; see planned.
	seen *doubt
}

// doubt is the uncertainty about a node.
type doubt struct {
	key  string
	plan *planState
	// unknown is set if the output is not known.
	unknown Unknown
	// maybe means that the node may be skipped.
	maybe bool
}

// read is called before an output is read as ref. presence means that the reader depends
// on whether the node runs.
func (d *doubt) read(ref string, presence bool) {
	if d.plan.deciding && (d.unknown != nil || presence && d.maybe) {
		panic(&UndecidedError{Ref: ref, Unknown: d.unknown})
	}
	if d.unknown != nil {
		d.plan.seen = d
	}
}

// doubt marks the node as one that may be skipped.
func (c *Context) doubt(why string) {
	c.node.maybe, c.flow.plan.doubtful = true, true
	c.engine.Log(Event{Type: kernel.EventMaybe, Key: c.node.Key, Message: why})
}

// doubtful returns the uncertainty about the node at its end, or nil.
func (c *Context) doubtful() *doubt {
	if c.node.Unknown == nil && !c.node.maybe {
		return nil
	}
	c.flow.plan.doubtful = true
	return &doubt{key: c.node.Key, plan: c.flow.plan, unknown: c.node.Unknown, maybe: c.node.maybe}
}

// guess decides a condition in a plan with unknowns: a node whose condition cannot be
// decided runs.
func (c *Context) guess(when func() (bool, error)) (bool, error) {
	c.flow.plan.deciding = true
	holds, err := guard(when)
	c.flow.plan.deciding = false
	if u, ok := err.(*UndecidedError); ok {
		c.doubt(u.Error())
		return true, nil
	}
	return holds, err
}

// weigh marks the node as uncertain if its trigger rule depends on uncertain dependencies.
// Rules consider only which ends there are, so it is enough to try all of them, none, and
// each one.
func (c *Context) weigh(after []AnyTask, rule Rule, ends []Status) {
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

// planned wraps the code of a step for plans. Code that computes with unknown outputs
// may fail, since a placeholder has no field `count` to add one to. Then the effect of
// the step is unknown too, and the step has not failed. computed reports whether an error
// can be one of these.
func planned(run func(c *Context) (string, error), computed func(error) bool) func(c *Context) (string, error) {
	return func(c *Context) (string, error) {
		if !c.engine.Run().Planned {
			return run(c)
		}
		c.flow.plan.seen = nil
		text, err := guard(func() (string, error) { return run(c) })
		seen := c.flow.plan.seen
		switch {
		case err == nil || err == ErrCancelled:
			return text, err
		case c.node.Unknown != nil:
			// The placeholder of its action's output does not have the declared form.
			return text, nil
		case seen != nil && computed(err):
			c.node.Unknown = seen.unknown
			c.Node().Note("its action depends on the output of `%s`", seen.key)
			return "", nil
		}
		return text, err
	}
}
