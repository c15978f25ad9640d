package graph

import (
	"fmt"
	"io"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// WriteGraph draws a state graph: its nodes with the edges between them, each
// with its condition, from START to END. Edges that lead back are drawn apart,
// and the branches of a parallel in a block with the join at which they meet.
func WriteGraph(w io.Writer, format Format, name string, nodes []flow.NodeInfo, g *flow.GraphInfo) error {
	m := newChart(nodes, g)
	var out string
	switch format {
	case Text:
		out = m.text()
	case Mermaid:
		out = m.mermaid()
	case DOT:
		out = m.dot(name)
	case SVG:
		out = m.svg(name)
	default:
		return fmt.Errorf("unknown graph format %q", format)
	}
	_, err := io.WriteString(w, out)
	return err
}

// Places that are no nodes.
const (
	startKey, endKey   = "START", "END"
	startKind, endKind = "start", "end"
)

// A chart is a state graph with all that a picture shows: START first, then the
// nodes, END last.
type chart struct {
	nodes []flow.NodeInfo
	arcs  []arc
	// block is the parallel of each branch, -1 for other nodes.
	block []int
	depth []int // the layer of each node
}

// An arc is an edge between two nodes of a chart.
type arc struct {
	from, to int
	label    string
	// branch says that it leads into or out of a branch of a parallel, so that no
	// edge of the file stands for it; back that it leads to where the walk has been.
	branch, back bool
}

func newChart(nodes []flow.NodeInfo, g *flow.GraphInfo) *chart {
	m := &chart{nodes: make([]flow.NodeInfo, 0, len(nodes)+2)}
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
			m.arcs = append(m.arcs, arc{from: from, to: to, label: e.Guard})
		}
	}
	m.rank()
	return m
}

// implied reports whether an edge from a parallel to its join only says what the
// branches show.
func (m *chart) implied(from, to int) bool {
	return len(m.nodes[from].Branches) > 0 && slices.Equal(sorted(m.nodes[from].Branches), sorted(m.nodes[to].Waits))
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// rank marks the arcs that lead back, which are those that close a circle when
// the graph is searched in the order of its edges, and finds each node's layer:
// the longest way to it over the others.
func (m *chart) rank() {
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

// order are the nodes by layers, in definition order within.
func (m *chart) order() []int {
	list := make([]int, len(m.nodes))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return m.depth[a] - m.depth[b] })
	return list
}
