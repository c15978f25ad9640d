package layout

import (
	"cmp"
	"maps"
	"slices"
)

// A level is the layout of the children of one node, or of the whole graph.
type level struct {
	group  int // -1 for the graph
	items  []*item
	layers [][]*item
	links  []*link
	pieces []piece
	// upper and lower are the places where edges cross the border, by edge.
	upper, lower  map[int]*item
	width, height float64
}

// An item has a place in a layer: a node, an edge that passes, an edge that crosses the
// border, or a title.
type item struct {
	node          int // -1 for others
	title, label  bool
	inner         *level // of a node that contains others
	width, height float64
	right         float64 // free room at the right, part of width
	rank          int
	order         int     // in its layer
	x, y          float64 // the middle and the top
	up, down      []*link
}

func (it *item) leftEdge() float64 { return it.x - it.width/2 }

// middleOffset is the middle of the node itself, from it.x.
func (it *item) middleOffset() float64 { return -it.right / 2 }

// A link is a part of an edge between two items; between layers that follow each other once
// the edges that pass have their places.
type link struct {
	edge     int
	from, to *item
	// out and in are the distances of its ends from the middles of the items.
	out, in float64
}

// weight says how straight a link should be: long edges more than short ones.
func (k *link) weight() float64 {
	switch {
	case k.from.isPassingEdge() && k.to.isPassingEdge():
		return 8
	case k.from.isPassingEdge() || k.to.isPassingEdge():
		return 1
	}
	return 2
}

func (it *item) isPassingEdge() bool { return it.node < 0 && !it.title }

// A piece is a piece of the path of an edge.
type piece struct {
	edge int
	Piece
}

// layOutLevel places the children of a group.
func (l *layouter) layOutLevel(group int) *level {
	v := &level{group: group, upper: map[int]*item{}, lower: map[int]*item{}}
	at := map[int]*item{}
	for _, i := range l.children[group+1] {
		n := l.Nodes[i]
		it := &item{node: i, width: n.Width + n.Right, height: n.Height, right: n.Right, label: n.Label}
		if len(l.children[i+1]) > 0 {
			it.inner = l.layOutLevel(i)
			l.groups[i] = it.inner
			it.width, it.height = it.inner.width+n.Right, it.inner.height
		}
		at[i] = it
		v.items = append(v.items, it)
	}
	l.connectItems(v, at)
	l.rankItems(v)
	v.fillLayers()
	v.orderLayers()
	v.attachLinks()
	v.positionItems()
	v.positionLayers()
	if group >= 0 {
		v.addFrame()
	}
	return v
}

// connectItems adds the links of a level, and the items at its border.
func (l *layouter) connectItems(v *level, at map[int]*item) {
	port := func(list map[int]*item, edge int) *item {
		it := &item{node: -1, width: 1}
		list[edge] = it
		v.items = append(v.items, it)
		return it
	}
	for i, e := range l.Edges {
		a, b, ok := l.edgeEnds(e)
		if !ok {
			continue
		}
		from, starts := l.childOf(a, v.group)
		to, ends := l.childOf(b, v.group)
		switch {
		case starts && ends && from != to:
			v.addLink(i, at[from], at[to])
		case starts && !ends:
			v.addLink(i, at[from], port(v.lower, i))
		case ends && !starts:
			v.addLink(i, port(v.upper, i), at[to])
		}
	}
	if v.group >= 0 {
		n := l.Nodes[v.group]
		v.items = append(v.items, &item{node: -1, title: true, width: n.TitleWidth, height: n.TitleHeight})
	}
}

func (v *level) addLink(edge int, from, to *item) {
	k := &link{edge: edge, from: from, to: to}
	from.down, to.up = append(from.down, k), append(to.up, k)
	v.links = append(v.links, k)
}

// fillLayers makes the layers of ranks, and gives the links that pass layers items in them.
func (v *level) fillLayers() {
	used := map[int]bool{}
	for _, it := range v.items {
		used[it.rank] = true
	}
	ranks := slices.Sorted(maps.Keys(used))
	v.layers = make([][]*item, len(ranks))
	for _, it := range v.items {
		it.rank, _ = slices.BinarySearch(ranks, it.rank)
		v.layers[it.rank] = append(v.layers[it.rank], it)
	}
	long := v.links
	v.links = nil
	for _, it := range v.items {
		it.up, it.down = nil, nil
	}
	for _, k := range long {
		from := k.from
		for r := k.from.rank + 1; r < k.to.rank; r++ {
			pass := &item{node: -1, rank: r}
			v.items = append(v.items, pass)
			v.layers[r] = append(v.layers[r], pass)
			v.addLink(k.edge, from, pass)
			from = pass
		}
		v.addLink(k.edge, from, k.to)
	}
}

// attachLinks spreads the ends of the links over the lower and upper sides of nodes.
func (v *level) attachLinks() {
	for _, it := range v.items {
		if it.node < 0 {
			continue
		}
		it.spreadLinks(it.down, func(k *link) (*item, *float64) { return k.to, &k.out })
		it.spreadLinks(it.up, func(k *link) (*item, *float64) { return k.from, &k.in })
		if it.inner == nil {
			continue
		}
		for _, k := range it.down {
			if port := it.inner.lower[k.edge]; port != nil {
				k.out = port.x - it.width/2
			}
		}
		for _, k := range it.up {
			if port := it.inner.upper[k.edge]; port != nil {
				k.in = port.x - it.width/2
			}
		}
	}
}

// spreadLinks gives the links at one side of a node their places, in the order of their other
// ends.
func (it *item) spreadLinks(links []*link, end func(*link) (*item, *float64)) {
	links = slices.Clone(links)
	slices.SortStableFunc(links, func(a, b *link) int {
		x, _ := end(a)
		y, _ := end(b)
		return cmp.Compare(x.order, y.order)
	})
	step := 0.0
	if n := len(links); n > 1 {
		step = min(portGap, max(0, it.width-it.right-2*portEdge)/float64(n-1))
	}
	for i, k := range links {
		_, at := end(k)
		*at = it.middleOffset() + (float64(i)-float64(len(links)-1)/2)*step
	}
}

// addFrame adds the space inside the border of a group, and leads the edges that cross it to it.
func (v *level) addFrame() {
	left, right := 0.0, v.width
	for _, it := range v.items {
		it.x += padding - left
		it.y += padding / 2
		if it.title {
			it.x = padding + it.width/2
		}
	}
	for i := range v.pieces {
		p := &v.pieces[i]
		p.X0, p.X1, p.Y0, p.Y1 = p.X0+padding, p.X1+padding, p.Y0+padding/2, p.Y1+padding/2
	}
	v.width, v.height = right+2*padding, v.height+padding/2+padding
	for _, k := range v.links {
		if v.upper[k.edge] == k.from {
			v.pieces = append(v.pieces, piece{k.edge, Piece{k.from.x, 0, k.from.x, k.from.y + k.from.height}})
		}
		if v.lower[k.edge] == k.to {
			v.pieces = append(v.pieces, piece{k.edge, Piece{k.to.x, k.to.y, k.to.x, v.height}})
		}
	}
}

// rankInRows gives nodes without edges ranks, so that they form rows of about the same length.
func (v *level) rankInRows() {
	const most = 6 // in a row, unless there are more rows
	nodes := slices.DeleteFunc(slices.Clone(v.items), func(it *item) bool { return it.node < 0 })
	if len(nodes) == 0 {
		return
	}
	each := most
	for each*each < len(nodes) {
		each++
	}
	n := (len(nodes) + each - 1) / each
	each = (len(nodes) + n - 1) / n
	for i, it := range nodes {
		it.rank = 2 * (i / each)
	}
}
