package mutate

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// impliedNeed returns the proof that a node behaves alike without a dependency, or "": all
// its dependencies must complete, and another one completes only after this one did.
func impliedNeed(n *ir.Node, need *ir.Need) string {
	if n.Trigger != ir.AllSuccess {
		return ""
	}
	for _, other := range n.Needs {
		if other != need && !other.Order && requires(other.Node, need.Node, map[*ir.Node]bool{}) {
			return sprintf("`%s` completes only after `%s`", other.Node.ID, need.Node.ID)
		}
	}
	return ""
}

// stillOrdered reports whether a node of a mutant still waits for a dependency that it lacks,
// because it reads its output, and whether its rule ignores how the dependency ends.
func stillOrdered(mutant *ir.Program, n *ir.Node, need *ir.Need) bool {
	if n.Trigger != ir.AllDone {
		return false
	}
	found := false
	ir.Walk(mutant.Workflow.Body, func(m *ir.Node) {
		for _, other := range m.Needs {
			found = found || m.ID == n.ID && other.Order && other.Node.ID == need.Node.ID
		}
	})
	return found
}

// requires reports whether a node completes only if another one did before.
func requires(n, before *ir.Node, seen map[*ir.Node]bool) bool {
	if seen[n] || n.Trigger != ir.AllSuccess || n.Given != nil {
		return false
	}
	seen[n] = true
	for _, need := range n.Needs {
		if !need.Order && (need.Node == before || requires(need.Node, before, seen)) {
			return true
		}
	}
	return false
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
