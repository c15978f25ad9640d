package conformance

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Classes of dry runs of today's Archon, which are compared with fixtures.

// dryOutputs are the recorded outputs of a node in a dry run.
func (c *nowCase) dryOutputs(id string) (outputs []string) {
	for _, t := range c.dry.Trace {
		if t.Node == id && t.Output != nil {
			outputs = append(outputs, *t.Output)
		}
	}
	return outputs
}

// withoutOption: all that differs is an option of the dry run, which fixtures do not have,
// and perhaps references to the previous iteration.
func withoutOption(name string) func(*nowCase, []difference) bool {
	return func(c *nowCase, diffs []difference) bool {
		i := slices.Index(diffs, optionMissing(name))
		return i >= 0 && (len(diffs) == 1 || previousResolved(c, slices.Delete(slices.Clone(diffs), i, i+1)))
	}
}

// pausesAtGates: the dry run pauses at a gate because of its option, and the fixture, which
// has no such option, approves the gate.
func pausesAtGates(c *nowCase, diffs []difference) bool {
	return c.dry != nil && c.in.PauseAtGates && c.dry.Outcome == string(flow.Paused) && len(diffs) > 0 &&
		diffs[0].what == "outcome" && diffs[0].got != string(flow.Paused)
}

// approvedGates: all that differs is about gates, whose output in a fixture is that of a
// real approval, and about nodes that depend on them.
func approvedGates(c *nowCase, diffs []difference) bool {
	return c.dry != nil && !c.in.PauseAtGates && c.only(diffs, func(n *ir.Node) bool {
		_, gate := n.Action.(*ir.Approval)
		return gate
	})
}

// stubsOfSchemas: all that differs is about nodes with a schema, whose stub a dry run does
// not check, and does not read if it is text.
func stubsOfSchemas(c *nowCase, diffs []difference) bool {
	if c.dry == nil {
		return false
	}
	stubs := c.stubs()
	return c.only(diffs, func(n *ir.Node) bool {
		stub := string(stubs[n.ID])
		failed := slices.ContainsFunc(diffs, func(d difference) bool { return d.what == "node "+n.ID && d.got == failedStatus })
		return n.Schema != "" && stub != "" && (failed || stub[0] == '"')
	})
}

// previousResolved: all that differs are texts in which a dry run leaves references to the
// previous iteration.
func previousResolved(c *nowCase, diffs []difference) bool {
	return c.dry != nil && !slices.ContainsFunc(diffs, func(d difference) bool {
		return !strings.HasPrefix(d.what, "text of ") || !strings.Contains(d.want, "$LOOP_PREV.")
	})
}

// inputsOfBlocks: programs in a block have its inputs in their environment, as in a run.
func inputsOfBlocks(c *nowCase, diffs []difference) bool {
	return c.dry != nil && c.in.ExecCode && c.only(diffs, func(n *ir.Node) bool {
		return n.Include != nil && strings.Contains(n.Span.Text(), "INPUTS_")
	})
}

// inputsKnown: an input is given that the workflow neither declares nor reads.
func inputsKnown(c *nowCase, diffs []difference) bool {
	return c.dry != nil && slices.ContainsFunc(diffs, func(d difference) bool {
		return d.what == "fixture" && strings.HasPrefix(d.got, "not run: unknown input ")
	})
}

// stubsThatAreLists: later versions accept a stub that is a list.
func stubsThatAreLists(c *nowCase, diffs []difference) bool {
	if c.dry == nil || c.dry.Refused != "stubs" {
		return false
	}
	stubs := c.stubs()
	return !slices.ContainsFunc(c.dry.Keys, func(id string) bool { return len(stubs[id]) == 0 || stubs[id][0] != '[' }) &&
		slices.ContainsFunc(diffs, func(d difference) bool { return d.what == "fixture" && d.got == "accepted" })
}
