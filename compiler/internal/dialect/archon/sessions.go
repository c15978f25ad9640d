package archon

import "github.com/wfc-lang/wfc/internal/ir"

// The original engine runs a workflow in layers and remembers the conversation of
// the last prompt that had a layer to itself: the next one that has continues with
// it. Scripts, gates and whatever else is alone in its layer leave it alone; a
// layer of several nodes ends it, since none of them is the last. `context: fresh`
// begins a conversation that later nodes continue with. A loop begins its own, and
// later nodes continue with that of its last iteration.
//
// There are no layers here when a workflow runs, but whose conversation is meant is
// known from the dependencies alone: in an unbroken run of layers of one node, each
// node depends on the one before it. What is not known is which of them will be
// skipped, so a prompt gets a list of candidates, the nearest first, up to the
// first that must have completed for the prompt to run. An agent cannot continue
// with another agent's conversation: there the list ends.

// mostCandidates bounds the list where every node may have been skipped. A
// prompt all of whose nearest candidates were skipped begins anew.
const mostCandidates = 16

// continueConversations says of each prompt whose conversation it continues with.
// needs has the positions of the nodes that each depends on. It is called before
// references between nodes order them any further.
func continueConversations(decls []*nodeDecl, needs [][]int) {
	var run []*ir.Node
	for _, layer := range layers(needs) {
		if len(layer) > 1 {
			run = run[:0]
			continue
		}
		n := decls[layer[0]]
		if p, ok := n.node.Action.(*ir.Prompt); ok && !n.agent.fresh {
			p.Continues = candidates(p.Agent.Name, n.node, run)
		}
		run = append(run, n.node)
	}
}

// candidates returns the ids of the nodes in the run before n that have a
// conversation with the agent.
func candidates(agent string, n *ir.Node, run []*ir.Node) []string {
	var ids []string
	certain := true
	for i := len(run) - 1; i >= 0 && len(ids) < mostCandidates; i-- {
		certain = certain && needsCompleted(n, run[i])
		n = run[i]
		switch converses(n) {
		case "":
		case agent:
			ids = append(ids, n.ID)
			if certain {
				return ids
			}
		default:
			return ids
		}
	}
	return ids
}

// needsCompleted reports whether n runs only if before, on which it depends,
// has completed.
func needsCompleted(n, before *ir.Node) bool {
	switch n.Trigger {
	case ir.AllSuccess:
		return true
	case ir.OneSuccess, ir.NoneFailedMinOneSuccess:
		return len(n.Needs) == 1 && n.Needs[0].Node == before
	}
	return false
}

// converses returns the name of the agent with which a node has a conversation that
// others can continue with, or "".
func converses(n *ir.Node) string {
	switch action := n.Action.(type) {
	case *ir.Prompt:
		return action.Agent.Name
	case *ir.Loop:
		for _, inner := range action.Body.All() {
			if p, ok := inner.Action.(*ir.Prompt); ok {
				return p.Agent.Name
			}
		}
	}
	return ""
}

// layers returns the positions of nodes by the length of the longest chain of
// dependencies before them. Nodes that wait for each other in a circle, which is
// reported elsewhere, are left out with what waits for them.
func layers(needs [][]int) [][]int {
	waits := make([]int, len(needs))
	followers := make([][]int, len(needs))
	var ready []int
	for i, list := range needs {
		for _, before := range list {
			followers[before] = append(followers[before], i)
		}
		if waits[i] = len(list); len(list) == 0 {
			ready = append(ready, i)
		}
	}
	var all [][]int
	for len(ready) > 0 {
		all = append(all, ready)
		var next []int
		for _, i := range ready {
			for _, f := range followers[i] {
				if waits[f]--; waits[f] == 0 {
					next = append(next, f)
				}
			}
		}
		ready = next
	}
	return all
}
