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

// doubt is what is uncertain about a node.
type doubt struct {
	key  string
	flow *flowState
	// unknown is set if the output is not known.
	unknown kernel.Unknown
	// maybe means that the node may be skipped.
	maybe bool
}

// read is called before an output is read as ref. presence says that it matters
// whether the node runs at all.
func (d *doubt) read(ref string, presence bool) {
	if d.flow.deciding && (d.unknown != nil || presence && d.maybe) {
		panic(&kernel.Undecided{Ref: ref, Unknown: d.unknown})
	}
	if d.unknown != nil {
		d.flow.seen = d
	}
}

// doubt notes that the node may not run.
func (c *Context) doubt(why string) {
	c.node.maybe, c.flow.doubtful = true, true
	c.engine.Log(Event{Type: kernel.EventMaybe, Key: c.node.Key, Message: why})
}

// doubtful returns what is uncertain of the node at its end, or nil.
func (c *Context) doubtful() *doubt {
	if c.node.Unknown == nil && !c.node.maybe {
		return nil
	}
	c.flow.doubtful = true
	return &doubt{key: c.node.Key, flow: c.flow, unknown: c.node.Unknown, maybe: c.node.maybe}
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
	c.flow.deciding = true
	holds, err := guard(when)
	c.flow.deciding = false
	if u, ok := err.(*kernel.Undecided); ok {
		c.doubt(u.Error())
		return true, nil
	}
	return holds, err
}

// planned wraps the code of a step for plans. Code that computes with unknown outputs
// may fail, since a placeholder has no field `count` to add one to. Then the effect of
// the step is unknown too, and the step has not failed.
func planned(run func(c *Context) (string, error)) func(c *Context) (string, error) {
	return func(c *Context) (string, error) {
		if !c.engine.Run().Planned {
			return run(c)
		}
		c.flow.seen = nil
		text, err := guard(func() (string, error) { return run(c) })
		seen := c.flow.seen
		switch {
		case err == nil || err == ErrCancelled:
			return text, err
		case c.node.Unknown != nil:
			// The placeholder of its action's output does not have the declared form.
			return text, nil
		case seen != nil:
			c.node.Unknown = seen.unknown
			c.Kernel().Note("what it does depends on the output of `%s`", seen.key)
			return "", nil
		}
		return text, err
	}
}
