package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Places that are no nodes.
const (
	startKey, endKey   = "START", "END"
	startKind, endKind = "start", "end"
)

// A walk is a state graph with all that a picture shows: START first, then the
// nodes, END last.
type walk struct {
	chart
	depth []int // the layer of each node
}

// An arc is an edge between two nodes of a chart.
type arc struct {
	from, to int
	// label is the condition, and short its beginning.
	label, short string
	// order says that it only orders.
	order bool
	// branch says that it leads into or out of a branch of a parallel, so that no
	// edge of the file stands for it; back that it leads to where the walk has been.
	branch, back bool
}

func newWalk(nodes []flow.NodeInfo, g *flow.GraphInfo) *walk {
	m := &walk{chart: chart{shapes: walkShapes, forms: walkForms, back: "style=dashed, constraint=false"}}
	m.nodes = append(append(append(m.nodes, flow.NodeInfo{Key: startKey, Kind: startKind}), nodes...), flow.NodeInfo{Key: endKey, Kind: endKind})
	index := make(map[string]int, len(nodes))
	m.block = make([]int, len(m.nodes))
	for i, n := range m.nodes {
		index[n.Key] = i
		m.block[i] = -1
	}
	find := func(key, otherwise string) (int, bool) {
		if key == "" {
			key = otherwise
		}
		i, ok := index[key]
		return i, ok
	}
	for i, n := range m.nodes {
		for _, key := range n.Branches {
			if b, ok := index[key]; ok {
				m.block[b] = i
				m.arcs = append(m.arcs, arc{from: i, to: b, branch: true})
			}
		}
		for _, key := range n.Waits {
			if b, ok := index[key]; ok {
				m.arcs = append(m.arcs, arc{from: b, to: i, branch: true})
			}
		}
	}
	for _, e := range g.Edges {
		from, ok := find(e.From, startKey)
		to, known := find(e.To, endKey)
		if ok && known && !m.implied(from, to) {
			m.arcs = append(m.arcs, arc{from: from, to: to, label: e.Guard, short: shorten(e.Guard, 60)})
		}
	}
	m.rank()
	return m
}

// implied reports whether an edge from a parallel to its join only says what the
// branches show.
func (m *walk) implied(from, to int) bool {
	return len(m.nodes[from].Branches) > 0 && slices.Equal(sorted(m.nodes[from].Branches), sorted(m.nodes[to].Waits))
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// rank marks the arcs that lead back, which are those that close a circle when
// the graph is searched in the order of its edges, and finds each node's layer:
// the longest way to it over the others.
func (m *walk) rank() {
	out := make([][]int, len(m.nodes))
	for i, a := range m.arcs {
		out[a.from] = append(out[a.from], i)
	}
	const fresh, open, done = 0, 1, 2
	state := make([]int, len(m.nodes))
	next := make([]int, len(m.nodes))
	var order []int
	search := func(root int) {
		for stack := []int{root}; len(stack) > 0; {
			n := stack[len(stack)-1]
			state[n] = open
			if next[n] == len(out[n]) {
				state[n], stack, order = done, stack[:len(stack)-1], append(order, n)
				continue
			}
			a := &m.arcs[out[n][next[n]]]
			next[n]++
			switch state[a.to] {
			case open:
				a.back = true
			case fresh:
				stack = append(stack, a.to)
			}
		}
	}
	for n := range m.nodes {
		if state[n] == fresh {
			search(n)
		}
	}
	m.depth = make([]int, len(m.nodes))
	for _, n := range slices.Backward(order) {
		for _, i := range out[n] {
			if a := m.arcs[i]; !a.back {
				m.depth[a.to] = max(m.depth[a.to], m.depth[n]+1)
			}
		}
	}
	end := len(m.nodes) - 1
	m.depth[end] = max(m.depth[end], slices.Max(m.depth[:end])+1)
}

// layers are the nodes by layers, in definition order within.
func (m *walk) layers() [][]int {
	list := make([][]int, slices.Max(m.depth)+1)
	for i, d := range m.depth {
		list[d] = append(list[d], i)
	}
	return list
}

// text draws the graph as a list: each node, and below it where it leads, on
// which condition.
func (m *walk) text() string {
	var rows [][]string
	for _, i := range slices.Concat(m.layers()...) {
		n := m.nodes[i]
		if n.Kind == endKind {
			continue
		}
		about := ""
		switch {
		case n.Kind == startKind:
		case m.block[i] >= 0:
			about = "branch of " + oneLine(m.nodes[m.block[i]].Key)
		case len(n.Branches) > 0:
			about = "runs " + strings.Join(n.Branches, ", ")
		case len(n.Waits) > 0:
			about = "waits for " + strings.Join(n.Waits, ", ")
		case len(n.Labels) > 1:
			about = strings.Join(n.Labels, " | ")
		}
		kind := what(n)
		if n.Kind == startKind {
			kind = ""
		}
		rows = append(rows, []string{oneLine(n.Key), kind, about})
		for _, a := range m.arcs {
			if a.from != i || a.branch {
				continue
			}
			arrow, cond := "→", ""
			if a.back {
				arrow = "↩"
			}
			if a.label != "" {
				cond = "when " + oneLine(a.label)
			}
			rows = append(rows, []string{fmt.Sprintf("  %s %s", arrow, oneLine(m.nodes[a.to].Key)), "", cond})
		}
		if to, ok := m.meets(i); ok {
			rows = append(rows, []string{"  → " + oneLine(m.nodes[to].Key), "", "when all branches have ended"})
		}
	}
	return columns(rows)
}

// meets returns the join of a parallel that no edge but an implied one leads to.
func (m *walk) meets(parallel int) (join int, ok bool) {
	for i, n := range m.nodes {
		if len(n.Waits) > 0 && len(m.nodes[parallel].Branches) > 0 && m.implied(parallel, i) {
			return i, true
		}
	}
	return 0, false
}

// walkShapes are the shapes of Mermaid for kinds of nodes, and walkForms those of
// Graphviz.
var walkShapes = map[string][2]string{
	"prompt": {"([", "])"}, "decision": {"{", "}"}, "human": {"{{", "}}"}, "checkpoint": {"[(", ")]"},
	"parallel": {"[/", `\]`}, "join": {`[\`, "/]"}, startKind: {"((", "))"}, endKind: {"(((", ")))"},
}

var walkForms = map[string]string{
	"decision": "diamond", "human": "hexagon", "checkpoint": "cylinder", "parallel": "trapezium", "join": "invtrapezium",
	startKind: "circle", endKind: "doublecircle",
}
