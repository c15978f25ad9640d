package diagram

import "github.com/wfc-lang/wfc/runtime/flow"

// Layers returns the indices of the nodes in layers; see package runtime/graph.
func Layers(nodes []flow.NodeInfo) [][]int { return layersOf(newLinks(nodes)) }

// links are the dependencies among nodes by index.
type links struct {
	nodes []flow.NodeInfo
	// in are the dependencies of each node, out the nodes that depend on it,
	// each once, in order.
	in, out [][]link
}

// A link is a dependency seen from one end.
type link struct {
	node  int
	order bool // it only orders
}

func newLinks(nodes []flow.NodeInfo) *links {
	l := &links{nodes: nodes, in: make([][]link, len(nodes)), out: make([][]link, len(nodes))}
	index := make(map[string]int, len(nodes))
	for i, n := range nodes {
		index[n.Key] = i
	}
	for i, n := range nodes {
		seen := map[int]bool{}
		add := func(keys []string, order bool) {
			for _, key := range keys {
				if j, ok := index[key]; ok && !seen[j] {
					seen[j] = true
					l.in[i] = append(l.in[i], link{j, order})
					l.out[j] = append(l.out[j], link{i, order})
				}
			}
		}
		add(n.After, false)
		add(n.Order, true)
	}
	return l
}

func layersOf(l *links) [][]int {
	waiting := make([]int, len(l.nodes))
	var layer []int
	for i := range l.nodes {
		waiting[i] = len(l.in[i])
		if waiting[i] == 0 {
			layer = append(layer, i)
		}
	}
	var layers [][]int
	for len(layer) > 0 {
		layers = append(layers, layer)
		var next []int
		for _, i := range layer {
			for _, k := range l.out[i] {
				waiting[k.node]--
				if waiting[k.node] == 0 {
					next = append(next, k.node)
				}
			}
		}
		layer = next
	}
	return layers
}
