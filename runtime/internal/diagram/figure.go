package diagram

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Places that are not nodes of the file.
const (
	startKey, endKey   = "START", "END"
	startKind, endKind = "start", "end"
)

// A figure is a workflow as every format draws it: all nodes, also those inside others, and
// all edges.
type figure struct {
	*Workflow
	nodes []node
	edges []edge
	// depth is the layer of each node of a state graph.
	depth []int
}

// A node of a figure.
type node struct {
	flow.NodeInfo
	// path is the key of the node's steps without numbers: `fix.test` for a node inside another.
	path string
	// block is the node around it: a loop, a parallel or an include; -1 for others.
	block int
	// group means that other nodes are drawn inside it.
	group bool
	state *State
}

// isStartOrEnd reports whether a node is START or END.
func (n *node) isStartOrEnd() bool { return n.Kind == startKind || n.Kind == endKind }

// An edge of a figure.
type edge struct {
	from, to int
	// condition is the condition of a state graph's edge, or that of the node to which it
	// leads; rule is the trigger rule of that node, unless it is the default.
	condition, rule string
	// order means that it only orders.
	order bool
	// branch means that it leads into or out of a block: no edge of the file is the same.
	branch bool
	// back means that it leads to a node that comes before.
	back bool
	// taken counts how often a run followed it.
	taken int
}

// newFigure returns the figure of a workflow.
func newFigure(w *Workflow) *figure {
	f := &figure{Workflow: w}
	if w.Graph != nil {
		f.addGraph()
	} else {
		f.addNodes(w.Nodes, -1, "")
	}
	for i := range f.nodes {
		if b := f.nodes[i].block; b >= 0 {
			f.nodes[b].group = true
		}
	}
	f.addRun()
	return f
}

// addNodes adds a list of nodes with those inside them, and the edges between them.
func (f *figure) addNodes(list []flow.NodeInfo, block int, prefix string) {
	index := map[string]int{}
	for _, n := range list {
		i := len(f.nodes)
		index[n.Key] = i
		f.nodes = append(f.nodes, node{NodeInfo: n, path: prefix + n.Key, block: block})
		if inner := innerOf(n); len(inner) > 0 {
			f.addNodes(inner, i, prefix+n.Key+keySeparator(n))
			for j := i + 1; j < len(f.nodes); j++ {
				if f.nodes[j].block == i && !f.hasIncomingEdge(j) {
					f.edges = append(f.edges, edge{from: i, to: j, branch: true})
				}
			}
		}
	}
	for _, n := range list { // the nodes of an include are in its list, too
		i := index[n.Key]
		if of, ok := index[n.Include]; ok && n.Include != "" && !f.isNodeInside(of, i) {
			f.nodes[i].block = of
		}
	}
	links := newLinks(list)
	for n, in := range links.in {
		to := index[list[n].Key]
		for _, k := range in {
			f.edges = append(f.edges, edge{from: index[list[k.node].Key], to: to, condition: list[n].When, rule: list[n].Rule, order: k.order})
		}
	}
}

// keySeparator is between the key of a node and those of the steps inside it: `fix.test` in a loop,
// `checks/lint` in a parallel.
func keySeparator(n flow.NodeInfo) string {
	if len(n.Inside) == 1 && n.Inside[0].Key == n.Key {
		return keySeparator(n.Inside[0])
	}
	if n.Kind == "parallel" {
		return "/"
	}
	return "."
}

// hasIncomingEdge reports whether an edge leads to a node.
func (f *figure) hasIncomingEdge(i int) bool {
	return slices.ContainsFunc(f.edges, func(e edge) bool { return e.to == i })
}

// innerOf returns the nodes that are drawn inside a node. A loop over one step is drawn as
// one node, and one over a group as the group.
func innerOf(n flow.NodeInfo) []flow.NodeInfo {
	if len(n.Inside) == 1 && n.Inside[0].Key == n.Key {
		return innerOf(n.Inside[0])
	}
	return n.Inside
}

// isNodeInside reports whether a node is another one or inside it.
func (f *figure) isNodeInside(i, other int) bool {
	for steps := 0; i >= 0 && steps <= len(f.nodes); i, steps = f.nodes[i].block, steps+1 {
		if i == other {
			return true
		}
	}
	return false
}

// incomingCondition returns the condition and the rule of a node that no edge shows because none
// leads to it.
func (f *figure) incomingCondition(i int) (condition, rule string) {
	n := f.nodes[i]
	if f.Graph != nil || slices.ContainsFunc(f.edges, func(e edge) bool { return e.to == i && !e.branch }) {
		return "", ""
	}
	return n.When, n.Rule
}

// Layers returns the indices of the nodes in layers; see package runtime/draw.
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

// describeWithChildren describes a node in a few words: its kind, the items of a loop, its agent or
// workflow, the nodes inside it, and whether a person reviews its output or its iterations.
func describeWithChildren(n flow.NodeInfo) string { return describeNode(n, true) }

// describeWithoutChildren describes a node inside which others are drawn.
func describeWithoutChildren(n flow.NodeInfo) string { return describeNode(n, false) }

func describeNode(n flow.NodeInfo, children bool) string {
	words := n.Kind
	if n.Loop != "" {
		words += " " + shortenLine(n.Loop, 30) + ":"
	}
	switch {
	case len(n.Inside) == 1 && n.Inside[0].Key == n.Key: // a loop's body
		body := n.Inside[0]
		body.Key = ""
		words += " " + describeNode(body, children)
	case len(n.Inside) > 0 && children:
		inside := make([]string, len(n.Inside))
		for i, child := range n.Inside {
			inside[i] = child.Key + " (" + describeWithChildren(child) + ")"
		}
		words += " " + strings.Join(inside, ", ")
	case len(n.Inside) > 0:
		words = strings.TrimSuffix(words, ":")
		if n.Workflow != "" {
			words += " " + n.Workflow
		}
	case n.Workflow != "":
		words += " " + n.Workflow
	case n.Agent != "":
		words += " " + n.Agent
	}
	switch {
	case n.Reviewed && n.Kind == "loop":
		words += ", interactive"
	case n.Reviewed:
		words += ", reviewed"
	}
	if n.Finally {
		words += ", at the end"
	}
	return words
}

// descriptionBesideChildren describes a node in formats with blocks: the children that are drawn inside it
// are not in the words too.
func (n *node) descriptionBesideChildren() string {
	if n.group {
		return describeWithoutChildren(n.NodeInfo)
	}
	return describeWithChildren(n.NodeInfo)
}

// shortenLine cuts a string to n characters and puts it on one line.
func shortenLine(s string, n int) string {
	return plain.Clip(oneLine(s), n)
}

// oneLine puts a string on one line.
func oneLine(s string) string { return plain.Line(strings.Join(strings.Fields(s), " ")) }

// edgeLabel is the text of an edge: the rule and the condition.
func edgeLabel(condition, rule string) string {
	var parts []string
	if rule != "" {
		parts = append(parts, oneLine(rule))
	}
	if condition != "" {
		parts = append(parts, shortenLine(condition, 60))
	}
	return strings.Join(parts, ": ")
}
