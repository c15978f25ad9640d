package steps

import "github.com/wfc-lang/wfc/runtime/flow"

// RunNodes runs nodes inside a part of a node: inside an iteration of a Loop, or an item of
// a list. spawn spawns them and returns the last ones, in order; the Result has the first
// non-blank output of those. Node test in the second iteration of node fix is step
// fix#2.test.
//
// After a node that failed, the others run or are skipped by their rules, and then RunNodes
// returns the failure. A node that cancels the run cancels the part, too.
func RunNodes(c *flow.Context, spawn func(c *flow.Context) []flow.Dependency) (flow.Result, error) {
	c.Node().Begin(flow.Running)
	return c.Node().RunNodes(spawn)
}
