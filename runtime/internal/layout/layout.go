// Package layout places the nodes and edges of a directed graph in layers from top to
// bottom, with nodes inside nodes, for pictures of workflows.
//
// The method is that of Sugiyama, Tagawa and Toda: nodes get layers, edges that pass a layer
// get a place in it, the places of each layer are ordered so that few edges cross, and then
// get coordinates. A node that contains others is laid out first, and is one box in the layout
// around it; an edge that crosses its border does so at a place that both layouts know. So these
// hold for every graph, by construction:
//
//   - no node overlaps another one, unless it contains it;
//   - no edge runs through a node that it neither starts from, ends at, nor leaves or enters;
//   - everything is inside the picture, and nodes inside nodes.
//
// The label of an edge is a node with Label set, between its ends, so the same holds for it.
package layout

import "slices"

// A Graph is a graph to place. Layout reads it only.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is a box.
type Node struct {
	// Width and Height are the size of a node. A node that contains others is as large as
	// they need.
	Width, Height float64
	// Right is room that stays free at the right of a node, for an edge to itself.
	Right float64
	// Parent is the index of the node that contains this one, or -1.
	Parent int
	// TitleWidth and TitleHeight are the size of the title of a node that contains others.
	TitleWidth, TitleHeight float64
	// Label means that the node is the label of edges: it is placed between two layers.
	// With Late it is close to the lower node, else to the upper one.
	Label, Late bool
}

// An Edge leads from one node to another. An edge between a node and one that contains it, or
// from a node to itself, has no path.
type Edge struct {
	From, To int
	// Back means that To is above From.
	Back bool
}

// A Rect is a rectangle by its left upper corner and its size.
type Rect struct{ X, Y, W, H float64 }

// A Piece is a part of the path of an edge, from one point to another: a vertical line if the
// points have the same X, else a cubic curve that leaves and arrives vertically.
type Piece struct{ X0, Y0, X1, Y1 float64 }

// A Layout has the places of all nodes and edges, by their indices.
type Layout struct {
	Width, Height float64
	Boxes         []Rect
	// Titles are the places of the titles of nodes that contain others.
	Titles []Rect
	// Paths lead from From to To.
	Paths [][]Piece
}

// Sizes in units of the picture.
const (
	margin    = 16.0 // around the picture
	padding   = 14.0 // inside a node that contains others
	nodeGap   = 26.0 // between neighbours of a layer
	passGap   = 14.0 // between edges that pass a layer
	layerGap  = 26.0 // between layers, at least
	labelGap  = 16.0 // between a layer and labels, at least
	gapFactor = 0.07 // further gap for each unit that an edge runs sideways
	maxGap    = 96.0
	// layerWidth is the width from which a layer gets no more nodes. It has room for about ten.
	layerWidth = 1500.0
	portGap    = 14.0 // between the ends of edges at one node, at most
	portEdge   = 22.0 // between the ends of edges and the corners of a node
)

// Place computes the layout of a graph. The same graph has the same layout.
func Place(g *Graph) *Layout {
	l := &layouter{Graph: g, parent: acyclicParents(g), groups: make([]*level, len(g.Nodes))}
	l.flattenGroups()
	l.children = make([][]int, len(g.Nodes)+1)
	for i := range g.Nodes {
		l.children[l.parent[i]+1] = append(l.children[l.parent[i]+1], i)
	}
	root := l.layOutLevel(-1)
	out := &Layout{
		Width: root.width + 2*margin, Height: root.height + 2*margin,
		Boxes: make([]Rect, len(g.Nodes)), Titles: make([]Rect, len(g.Nodes)), Paths: make([][]Piece, len(g.Edges)),
	}
	l.collectPositions(out, root, margin, margin)
	for i, e := range g.Edges {
		sortPieces(out.Paths[i])
		if e.Back {
			reversePath(out.Paths[i])
		}
	}
	return out
}

// A layouter places one graph.
type layouter struct {
	*Graph
	// parent is Node.Parent, or -1 where that makes no tree.
	parent   []int
	children [][]int // by parent, -1 first
	groups   []*level
}

// acyclicParents returns the parents of the nodes, without circles.
func acyclicParents(g *Graph) []int {
	list := make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		list[i] = n.Parent
		for p, steps := n.Parent, 0; p >= 0; p, steps = g.Nodes[p].Parent, steps+1 {
			if p == i || steps > len(g.Nodes) {
				list[i] = -1
				break
			}
		}
	}
	return list
}

// childOf returns the child of a group that a node is or is inside of; ok is false outside it.
func (l *layouter) childOf(node, group int) (child int, ok bool) {
	for n := node; n >= 0; n = l.parent[n] {
		if l.parent[n] == group {
			return n, true
		}
	}
	return -1, false
}

// edgeEnds returns the upper and the lower node of an edge, and whether it has a path.
func (l *layouter) edgeEnds(e Edge) (upper, lower int, ok bool) {
	upper, lower = e.From, e.To
	if e.Back {
		upper, lower = lower, upper
	}
	if upper == lower {
		return upper, lower, false
	}
	_, in := l.childOf(lower, upper)
	_, out := l.childOf(upper, lower)
	return upper, lower, !in && !out
}

// flattenGroups moves the nodes out of groups that they and others around them follow in a
// circle: such a group cannot be one box between the layers.
func (l *layouter) flattenGroups() {
	for changed := true; changed; {
		changed = false
		for _, group := range l.compoundNodes() {
			if l.isCircular(group) {
				for i, p := range l.parent {
					if p == group {
						l.parent[i] = l.parent[group]
					}
				}
				changed = true
				break
			}
		}
	}
}

// compoundNodes are the nodes that contain others, in order.
func (l *layouter) compoundNodes() []int {
	groups := slices.DeleteFunc(slices.Clone(l.parent), func(p int) bool { return p < 0 })
	slices.Sort(groups)
	return slices.Compact(groups)
}

// isCircular reports whether a way leads from a group over its siblings back to it.
func (l *layouter) isCircular(group int) bool {
	around := l.parent[group]
	next := map[int][]int{}
	for _, e := range l.Edges {
		upper, lower, ok := l.edgeEnds(e)
		if !ok {
			continue
		}
		from, in := l.childOf(upper, around)
		to, also := l.childOf(lower, around)
		if in && also && from != to {
			next[from] = append(next[from], to)
		}
	}
	seen := map[int]bool{}
	for list := []int{group}; len(list) > 0; {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		for _, to := range next[n] {
			if to == group {
				return true
			}
			if !seen[to] {
				seen[to] = true
				list = append(list, to)
			}
		}
	}
	return false
}

// collectPositions writes the places of a level and of those inside it, whose corner is at x and y.
func (l *layouter) collectPositions(out *Layout, v *level, x, y float64) {
	for _, it := range v.items {
		if it.title {
			out.Titles[v.group] = Rect{x + it.leftEdge(), y + it.y, it.width, it.height}
		}
		if it.node < 0 {
			continue
		}
		out.Boxes[it.node] = Rect{x + it.leftEdge(), y + it.y, it.width - it.right, it.height}
		if inner := l.groups[it.node]; inner != nil {
			l.collectPositions(out, inner, x+it.leftEdge(), y+it.y)
		}
	}
	for _, p := range v.pieces {
		out.Paths[p.edge] = append(out.Paths[p.edge], Piece{x + p.X0, y + p.Y0, x + p.X1, y + p.Y1})
	}
}
