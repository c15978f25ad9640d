package mutate

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// impliedNeed returns the proof that a node behaves alike without a dependency, or "": another
// dependency ends only after this one, and the rule decides alike without it.
func impliedNeed(n *ir.Node, need *ir.Need) string {
	for _, other := range counted(n) {
		if other != need && slices.Contains(ancestors(other.Node), need.Node) && sameWithout(n, need) {
			return fmt.Sprintf("`%s` ends only after `%s`, and the trigger rule decides the same", other.Node.ID, need.Node.ID)
		}
	}
	return ""
}

// readNeed returns the proof that a node of a mutant behaves alike without a dependency, or
// "": it still waits for it, because it reads its output, and the rule decides alike without
// it.
func readNeed(mutant *ir.Program, n *ir.Node, need *ir.Need) string {
	waits := false
	ir.Walk(mutant.Workflow.Body, func(m *ir.Node) {
		for _, other := range m.Needs {
			waits = waits || m.ID == n.ID && other.Order && other.Node.ID == need.Node.ID
		}
	})
	if !waits || !sameWithout(n, need) {
		return ""
	}
	return "the node reads the output, so it still waits; the trigger rule decides the same"
}

// acceptedGuard returns the proof that the condition of a step always holds, or "": it asks
// whether a person accepted an output, and a rejection cancels the run.
func acceptedGuard(p *ir.Program, n *ir.Node) string {
	body, ok := p.Workflow.Body.(*ir.Sequence)
	if !ok || n.Finally {
		return ""
	}
	if reviewed := body.AlwaysAccepted(n.When); reviewed != nil {
		return fmt.Sprintf("only an accepted output of `%s` lets the run continue", reviewed.ID)
	}
	return ""
}

// unreachedLimit returns the proof that no run of a state graph ends so many nodes that its
// limit of iterations, or one less, could end the run, or "".
func unreachedLimit(g *ir.Graph) string {
	if g.Broken || g.Limits.Iterations == 0 {
		return ""
	}
	longest, finite := explore.Run(g, explore.Options{}).Longest(explore.Weight)
	if !finite || int(longest) >= g.Limits.Iterations {
		return ""
	}
	if longest == 1 {
		return "no run ends more than one node"
	}
	return fmt.Sprintf("no run ends more than %d nodes", int(longest))
}

// sameWays reports whether the exploration of two state graphs proves that the node with an id
// continues in the same ways in both. The graphs differ only in the node's edges, or in the
// condition of the decision that it is.
func sameWays(p, mutant *ir.Program, node string, condition bool) bool {
	before, ok := p.Workflow.Body.(*ir.Graph)
	after, ok2 := mutant.Workflow.Body.(*ir.Graph)
	if !ok || !ok2 || before.Broken || after.Broken {
		return false
	}
	ways, certain, decided := explore.Run(before, explore.Options{}).Ways(node)
	if !certain || condition && !decided {
		return false
	}
	mutated, certain, decided := explore.Run(after, explore.Options{}).Ways(node)
	return certain && (decided || !condition) && slices.Equal(ways, mutated)
}
