package mutate

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// impliedNeed returns the proof that a node behaves alike without a dependency, or "": all
// its dependencies must complete, and another one completes only after this one did.
func impliedNeed(p *ir.Program, n *ir.Node, need *ir.Need) string {
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

// An end is a set of ends that dependencies may have together.
type ends uint8

const (
	completed ends = 1 << iota
	failed
	skipped
)

// sameRule returns the proof that two trigger rules decide alike for a node, or "".
func sameRule(n *ir.Node, needs []*ir.Need, a, b ir.TriggerRule) string {
	sets := []ends{0}
	for _, need := range needs {
		kinds := []ends{completed, failed}
		if canSkip(need.Node) {
			kinds = append(kinds, skipped)
		}
		var next []ends
		for _, s := range sets {
			for _, k := range kinds {
				if !slices.Contains(next, s|k) {
					next = append(next, s|k)
				}
			}
		}
		sets = next
	}
	for _, s := range sets {
		if holds(a, s) != holds(b, s) {
			return ""
		}
		// A rule may see a skipped dependency as a failed one.
		if s&skipped != 0 && (holds(a, s&^skipped|failed) != holds(b, s) || holds(a, s) != holds(b, s&^skipped|failed)) {
			return ""
		}
	}
	if len(needs) == 1 {
		return "the rules decide alike for one dependency"
	}
	return "the rules decide alike for all ends of the dependencies"
}

func holds(r ir.TriggerRule, s ends) bool {
	switch r {
	case ir.AllSuccess:
		return s&(failed|skipped) == 0
	case ir.OneSuccess:
		return s&completed != 0
	case ir.NoneFailedMinOneSuccess:
		return s&failed == 0 && s&completed != 0
	}
	return true
}

// canSkip reports whether a node may be skipped.
func canSkip(n *ir.Node) bool {
	return n.When != nil || n.Within != nil || n.SkipTimeout || n.Given != nil || n.Trigger != ir.AllDone && len(n.Needs) > 0
}

// sameWays reports whether the exploration of two state graphs proves that the node with an id
// continues in the same ways in both. The graphs differ only in the node's condition or edges.
func sameWays(p, mutant *ir.Program, node string) bool {
	before, ok := p.Workflow.Body.(*ir.Graph)
	after, ok2 := mutant.Workflow.Body.(*ir.Graph)
	if !ok || !ok2 || before.Broken || after.Broken {
		return false
	}
	ways, certain := explore.Run(before, explore.Options{}).Ways(node)
	if !certain {
		return false
	}
	mutated, certain := explore.Run(after, explore.Options{}).Ways(node)
	return certain && slices.Equal(ways, mutated)
}
