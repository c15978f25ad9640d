// Package graph draws workflows as text, Mermaid, DOT and SVG, from the descriptions of
// nodes that compiled workflows contain. (Package runtime/flow/graph, by contrast, runs
// state graphs.)
//
//	err := graph.Write(os.Stdout, "svg", def.Name, def.Nodes, def.Graph)
package graph

import (
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Layers returns the keys of the nodes in layers: each node comes one layer after the
// last of its dependencies, which are the nodes in After and Order. Within a layer, nodes
// are in the order in which their last dependencies come. Layers ignores dependencies
// that are not among the nodes, and leaves out nodes that are in a cycle or depend on
// one.
func Layers(nodes []flow.NodeInfo) [][]string {
	var layers [][]string
	for _, layer := range layersOf(newLinks(nodes)) {
		var keys []string
		for _, i := range layer {
			keys = append(keys, nodes[i].Key)
		}
		layers = append(layers, keys)
	}
	return layers
}

// A dag is a workflow with dependencies, with all that a picture shows.
type dag struct {
	chart
	links *links
}

func newDAG(nodes []flow.NodeInfo) *dag {
	d := &dag{links: newLinks(nodes), chart: chart{nodes: nodes, block: slices.Repeat([]int{-1}, len(nodes)), shapes: dagShapes, back: "style=dashed"}}
	index := make(map[string]int, len(nodes))
	for i, n := range nodes {
		index[n.Key] = i
	}
	for i, n := range nodes {
		if of, ok := index[n.Within]; ok && n.Within != "" {
			d.block[i] = of
		}
		label := edgeLabel(n)
		for _, k := range d.links.in[i] {
			d.arcs = append(d.arcs, arc{from: k.node, to: i, label: label, short: label, order: k.order})
		}
	}
	return d
}

// dagShapes are the shapes of Mermaid for kinds of nodes.
var dagShapes = map[string][2]string{
	"prompt": {"([", "])"}, "approval": {"{{", "}}"}, "cancel": {"((", "))"},
	"loop": {"[[", "]]"}, "for": {"[[", "]]"}, "while": {"[[", "]]"}, "repeat": {"[[", "]]"},
}

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
