package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/ir"
)

// The original engine runs a workflow in layers and keeps the conversation of the
// last prompt that was alone in its layer: the next such prompt continues it.
// Scripts, gates and other single nodes change nothing. A layer of several nodes
// ends the conversation, since none of them is the last. `context: fresh` starts a
// conversation that later nodes continue. A loop starts its own, and later nodes
// continue that of its last iteration.
//
// A compiled workflow has no layers at run time, but the dependencies alone
// determine the conversation: in an unbroken run of layers of one node, each node
// depends on the one before it. Only the run decides which of them are skipped. So
// a prompt gets a list of candidates, the nearest first, up to the first that must
// have completed for the prompt to run. The list also ends at a prompt to another
// agent, because an agent cannot continue another agent's conversation.

// mostCandidates bounds the list where every node may have been skipped. A
// prompt all of whose nearest candidates were skipped begins anew.
const mostCandidates = 16

// continueConversations sets the conversation that each prompt continues. It is called
// before references add more dependencies.
func continueConversations(decls []*nodeDecl) {
	decls = slices.DeleteFunc(slices.Clone(decls), func(n *nodeDecl) bool { return n.block != nil })
	var run []*ir.Node
	for _, layer := range layers(dependencies(decls)) {
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
	if n.Within != nil && len(n.Needs) == 1 && n.Needs[0].Node == n.Within {
		return needsCompleted(n.Within, before)
	}
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

// dependencies returns the positions of the nodes that each node depends on. The first nodes
// of a block depend on those before the block.
func dependencies(decls []*nodeDecl) [][]int {
	index := map[*ir.Node]int{}
	for i, n := range decls {
		index[n.node] = i
	}
	needs := make([][]int, len(decls))
	for i, n := range decls {
		todo, seen := slices.Clone(n.node.Needs), map[*ir.Node]bool{}
		for len(todo) > 0 {
			before := todo[0].Node
			todo = todo[1:]
			if seen[before] {
				continue
			}
			seen[before] = true
			if k, ok := index[before]; ok {
				needs[i] = append(needs[i], k)
			} else {
				todo = append(todo, before.Needs...)
			}
		}
	}
	return needs
}

// layers returns the positions of nodes by the length of the longest chain of
// dependencies before them. It leaves out nodes in a cycle, which is reported
// elsewhere, and all nodes that wait for them.
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
