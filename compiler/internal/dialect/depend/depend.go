// Package depend connects the nodes of formats that name their dependencies: it
// resolves ids to nodes and reports faulty ones.
package depend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/graph"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Node is a node with the ids of its dependencies as the file names them.
type Node struct {
	Node *ir.Node
	// Named is false for a node without an id, or with one that is wrong.
	Named bool
	// Label is how messages call the node.
	Label string
	Needs []decode.Entry
}

// Connect makes the nodes' dependencies of their ids and returns them as the
// positions of nodes. It reports ids that two nodes have, dependencies on nodes
// that are not there, and cycles.
func Connect(nodes []Node, bag *diag.Bag) [][]int {
	byID := map[string]int{}
	var ids []string
	for i, n := range nodes {
		if !n.Named {
			continue
		}
		if first, taken := byID[n.Node.ID]; taken {
			bag.Add(finding.DuplicateID(n.Node.IDSpan, n.Node.ID, nodes[first].Node.IDSpan))
			continue
		}
		byID[n.Node.ID] = i
		ids = append(ids, n.Node.ID)
	}
	edges := make([][]int, len(nodes))
	for i, n := range nodes {
		seen := map[string]bool{}
		for _, need := range n.Needs {
			if seen[need.Text] {
				continue
			}
			seen[need.Text] = true
			to, known := byID[need.Text]
			switch {
			case !known:
				bag.Add(finding.UnknownDependency(need.At, n.Label, need.Text, nearestID(need.Text, ids)))
			case to == i:
				bag.Add(codes.DependencyCycle.New(need.At, fmt.Sprintf("node `%s` depends on itself: it can never start", need.Text)))
			default:
				n.Node.Needs = append(n.Node.Needs, &ir.Need{Node: nodes[to].Node, Span: need.At})
				edges[i] = append(edges[i], to)
			}
		}
	}
	reportCycles(nodes, edges, bag)
	return edges
}

// nearestID returns the id that was perhaps meant; spaces around an id are the first
// thing to search for.
func nearestID(id string, ids []string) string {
	if trimmed := strings.TrimSpace(id); trimmed != id && slices.Contains(ids, trimmed) {
		return trimmed
	}
	return plain.Nearest(id, ids)
}

// reportCycles reports one cycle of each group of nodes that wait for each
// other, the shortest one through the group's first node.
func reportCycles(nodes []Node, edges [][]int, bag *diag.Bag) {
	for _, group := range graph.Components(len(nodes), func(i int) []int { return edges[i] }) {
		if len(group) < 2 {
			continue
		}
		cycle := shortestCycle(group, edges)
		path := make([]string, 0, len(cycle)+1)
		var places []source.Span
		for i, at := range cycle {
			path = append(path, nodes[at].Node.ID)
			places = append(places, needSpan(nodes[at].Node, nodes[cycle[(i+1)%len(cycle)]].Node))
		}
		path = append(path, path[0])
		x := codes.DependencyCycle.New(places[0], fmt.Sprintf("nodes depend on each other: `%s`", strings.Join(path, "` -> `"))).
			WithHelp("remove one of these dependencies")
		for i, place := range places[1:] {
			x.WithRelated(place, "`"+path[i+1]+"` waits for `"+path[i+2]+"`")
		}
		bag.Add(x)
	}
}

// needSpan returns where a node names a dependency.
func needSpan(n, on *ir.Node) source.Span {
	for _, need := range n.Needs {
		if need.Node == on {
			return need.Span
		}
	}
	return n.IDSpan
}

// shortestCycle returns a shortest cycle through the smallest member of a
// group of nodes each of which can reach all others.
func shortestCycle(group []int, edges [][]int) []int {
	start := group[0]
	in := map[int]bool{}
	for _, i := range group {
		in[i] = true
		start = min(start, i)
	}
	from := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, to := range edges[at] {
			if to == start {
				return searchTrail(from, start, at)
			}
			if _, seen := from[to]; in[to] && !seen {
				from[to] = at
				queue = append(queue, to)
			}
		}
	}
	panic("depend: a group of nodes without a cycle")
}

// searchTrail returns the nodes from start to end as a search came by them.
func searchTrail(from map[int]int, start, end int) []int {
	var back []int
	for at := end; at != start; at = from[at] {
		back = append(back, at)
	}
	back = append(back, start)
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}
