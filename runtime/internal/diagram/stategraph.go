package diagram

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// addGraph adds the nodes of a state graph, START first and END last, with its edges.
func (f *figure) addGraph() {
	list := slices.Concat([]flow.NodeInfo{{Key: startKey, Kind: startKind}}, f.Nodes, []flow.NodeInfo{{Key: endKey, Kind: endKind}})
	index := make(map[string]int, len(list))
	for i, n := range list {
		index[n.Key] = i
		f.nodes = append(f.nodes, node{NodeInfo: n, path: n.Key, block: -1})
	}
	index[startKey], index[endKey] = 0, len(list)-1
	find := func(key, otherwise string) (int, bool) {
		key = cmp.Or(key, otherwise)
		i, ok := index[key]
		return i, ok
	}
	for i, n := range list {
		for _, key := range n.Branches {
			if b, ok := index[key]; ok {
				if f.nodes[b].block < 0 && !f.isNodeInside(i, b) {
					f.nodes[b].block = i
				}
				f.edges = append(f.edges, edge{from: i, to: b, branch: true})
			}
		}
		for _, key := range n.WaitsFor {
			if b, ok := index[key]; ok {
				f.edges = append(f.edges, edge{from: b, to: i, branch: true})
			}
		}
	}
	for _, e := range f.Graph.Edges {
		from, ok := find(e.From, startKey)
		to, known := find(e.To, endKey)
		if ok && known && !f.isImpliedEdge(from, to) {
			f.edges = append(f.edges, edge{from: from, to: to, condition: e.When})
		}
	}
	f.rankNodes()
}

// isImpliedEdge reports whether an edge from a parallel to its join only says what the
// branches show.
func (f *figure) isImpliedEdge(from, to int) bool {
	return len(f.nodes[from].Branches) > 0 && slices.Equal(sortedCopy(f.nodes[from].Branches), sortedCopy(f.nodes[to].WaitsFor))
}

func sortedCopy(list []string) []string { return slices.Sorted(slices.Values(list)) }

// impliedJoin returns the join of a parallel that no edge but an implied one leads to.
func (f *figure) impliedJoin(parallel int) (join int, ok bool) {
	for i, n := range f.nodes {
		if len(n.WaitsFor) > 0 && f.isImpliedEdge(parallel, i) {
			return i, true
		}
	}
	return 0, false
}

// rankNodes marks the edges that lead back, which are those that close a circle when
// the graph is searched in the order of its edges, and finds each node's layer:
// the longest way to it over the others.
func (f *figure) rankNodes() {
	out := make([][]int, len(f.nodes))
	for i, e := range f.edges {
		out[e.from] = append(out[e.from], i)
	}
	const fresh, open, done = 0, 1, 2
	state := make([]int, len(f.nodes))
	next := make([]int, len(f.nodes))
	var order []int
	search := func(root int) {
		for stack := []int{root}; len(stack) > 0; {
			n := stack[len(stack)-1]
			state[n] = open
			if next[n] == len(out[n]) {
				state[n], stack, order = done, stack[:len(stack)-1], append(order, n)
				continue
			}
			e := &f.edges[out[n][next[n]]]
			next[n]++
			switch state[e.to] {
			case open:
				e.back = true
			case fresh:
				stack = append(stack, e.to)
			}
		}
	}
	for n := range f.nodes {
		if state[n] == fresh {
			search(n)
		}
	}
	f.depth = make([]int, len(f.nodes))
	for _, n := range slices.Backward(order) {
		for _, i := range out[n] {
			if e := f.edges[i]; !e.back {
				f.depth[e.to] = max(f.depth[e.to], f.depth[n]+1)
			}
		}
	}
	end := len(f.nodes) - 1
	f.depth[end] = max(f.depth[end], slices.Max(f.depth[:end])+1)
}

// byDepth are the nodes of a state graph layer by layer, in definition order within.
func (f *figure) byDepth() []int {
	list := make([]int, len(f.nodes))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return f.depth[a] - f.depth[b] })
	return list
}

// describeStateNode describes a node of a state graph: its branches, or its outputs.
func (f *figure) describeStateNode(i int) string {
	n := f.nodes[i]
	switch {
	case n.isStartOrEnd():
	case n.block >= 0:
		return "branch of " + oneLine(f.nodes[n.block].Key)
	case len(n.Branches) > 0:
		return "runs " + strings.Join(n.Branches, ", ")
	case len(n.WaitsFor) > 0:
		return "waits for " + strings.Join(n.WaitsFor, ", ")
	case len(n.Labels) > 1:
		return strings.Join(n.Labels, " | ")
	}
	return ""
}
