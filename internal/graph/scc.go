package graph

// Components returns the strongly connected components of the graph with nodes 0 to
// n-1 whose edges next gives: the largest groups whose members all reach each
// other. A node outside every cycle is a separate group. A group comes after the
// groups that it leads to.
//
// The algorithm is Tarjan's, with a separate stack instead of recursion, so that a
// long chain needs no deep stack.
func Components(n int, next func(node int) []int) [][]int {
	t := &tarjan{next: next, index: make([]int, n), low: make([]int, n), onStack: make([]bool, n)}
	for node := range n {
		if t.index[node] == 0 {
			t.visitFrom(node)
		}
	}
	return t.groups
}

type tarjan struct {
	next func(int) []int
	// index numbers the nodes from 1 in order of discovery; low is the
	// smallest number known to be reachable within the node's component.
	index, low []int
	onStack    []bool
	// stack holds the nodes that are in no group yet.
	stack  []int
	count  int
	groups [][]int
}

// A frame is a node under visit and the number of its edges followed so far.
type frame struct{ node, edge int }

func (t *tarjan) visitFrom(root int) {
	frames := []frame{{node: root}}
	t.discoverNode(root)
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if edges := t.next(f.node); f.edge < len(edges) {
			to := edges[f.edge]
			f.edge++
			switch {
			case t.index[to] == 0:
				t.discoverNode(to)
				frames = append(frames, frame{node: to})
			case t.onStack[to]:
				t.low[f.node] = min(t.low[f.node], t.index[to])
			}
			continue
		}
		node := f.node
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			parent := frames[len(frames)-1].node
			t.low[parent] = min(t.low[parent], t.low[node])
		}
		if t.low[node] == t.index[node] {
			t.popComponent(node)
		}
	}
}

func (t *tarjan) discoverNode(node int) {
	t.count++
	t.index[node], t.low[node] = t.count, t.count
	t.stack = append(t.stack, node)
	t.onStack[node] = true
}

// popComponent makes a group of the stack's nodes from node on.
func (t *tarjan) popComponent(node int) {
	at := len(t.stack) - 1
	for t.stack[at] != node {
		at--
	}
	group := append([]int(nil), t.stack[at:]...)
	t.stack = t.stack[:at]
	for _, member := range group {
		t.onStack[member] = false
	}
	t.groups = append(t.groups, group)
}
