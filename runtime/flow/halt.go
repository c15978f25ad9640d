package flow

import "strings"

// HaltOnFailure has nothing new start once a node of the flow has failed: nodes
// that run are waited for, and those that come later are skipped, also such as
// depend on no failed one. It is called before the first node is spawned.
func HaltOnFailure(c *Context) { c.group.halts = true }

// Reported is a task of any type, for Summary.
type Reported interface {
	Key() string
	State() Status
	FinalText() string
}

// Summary is a completed workflow's result in words: the outputs of its completed
// nodes, in the order in which they are given. Its form is that of the lango
// engine.
func Summary(c *Context, nodes ...Reported) string {
	var b strings.Builder
	b.WriteString("Workflow '" + c.engine.Run().Workflow + "' completed.\n\n")
	for _, n := range nodes {
		if n.State() == Completed {
			b.WriteString("--- " + n.Key() + " ---\n" + n.FinalText() + "\n\n")
		}
	}
	return b.String()
}
