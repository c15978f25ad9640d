package layout

import (
	"cmp"
	"math"
	"slices"
)

// rounds is the number of times that position moves the items of every layer.
const rounds = 60

// positionItems gives the items their places from left to right: as straight links as the
// distances between neighbours permit. It moves the items of one layer at a time to the places
// with the least sum of squares of the sideways lengths of their links, by weight, which
// converges since the layers are independent of each other but for the links.
func (v *level) positionItems() {
	for _, layer := range v.layers {
		x := 0.0
		for i, it := range layer {
			if i > 0 {
				x += minDistance(layer[i-1], it)
			}
			it.x = x
		}
		for _, it := range layer {
			it.x -= x / 2
		}
	}
	for n := range rounds {
		if n%2 == 0 {
			for _, layer := range v.layers {
				settleLayer(layer, n < 8, false)
			}
		} else {
			for _, layer := range slices.Backward(v.layers) {
				settleLayer(layer, false, n < 8)
			}
		}
	}
	v.straightenEdges()
	left := math.Inf(1)
	for _, it := range v.items {
		left = min(left, it.leftEdge())
	}
	for _, layer := range v.layers {
		if len(layer) > 0 && layer[0].title {
			layer[0].x = left + layer[0].width/2
		}
	}
	for _, it := range v.items {
		it.x = math.Round(it.x - left)
		if it.width/2 > it.x { // rounding must not cross the border
			it.x++
		}
		v.width = max(v.width, it.x+it.width/2)
	}
}

// minDistance is the least distance of the middles of two neighbours. It is a whole number more
// than rounding takes.
func minDistance(a, b *item) float64 {
	gap := nodeGap
	switch {
	case a.isPassingEdge() && b.isPassingEdge():
		gap = passGap
	case a.isPassingEdge() || b.isPassingEdge():
		gap = (nodeGap + passGap) / 2
	}
	return math.Ceil((a.width+b.width)/2 + gap)
}

// settleLayer moves the items of a layer: by the links to the layer above, below, or both.
func settleLayer(layer []*item, above, below bool) {
	type block struct {
		weight, sum float64 // sum is that of the wanted places by weight
		first, n    int
	}
	var blocks []block
	offset := 0.0 // of the item from the first of its layer, at the least distances
	offsets := make([]float64, len(layer))
	mean := func(b block) float64 { return b.sum / b.weight }
	for i, it := range layer {
		if i > 0 {
			offset += minDistance(layer[i-1], it)
		}
		offsets[i] = offset
		weight, sum := 0.001, 0.001*it.x
		if !below {
			for _, k := range it.up {
				w := k.weight()
				weight, sum = weight+w, sum+w*(k.from.x+k.out-k.in)
			}
		}
		if !above {
			for _, k := range it.down {
				w := k.weight()
				weight, sum = weight+w, sum+w*(k.to.x+k.in-k.out)
			}
		}
		b := block{weight, sum - weight*offset, i, 1}
		for len(blocks) > 0 && mean(blocks[len(blocks)-1]) >= mean(b) {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b = block{last.weight + b.weight, last.sum + b.sum, last.first, last.n + b.n}
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		for i := b.first; i < b.first+b.n; i++ {
			layer[i].x = mean(b) + offsets[i]
		}
	}
}

// positionLayers gives the layers their places from top to bottom, and the links their paths.
func (v *level) positionLayers() {
	y := 0.0
	for n, layer := range v.layers {
		height := 0.0
		for _, it := range layer {
			it.y = y
			height = max(height, it.height)
		}
		sideways := 0.0
		for _, it := range layer {
			if it.isPassingEdge() {
				it.height = height
			}
			for _, k := range it.down {
				sideways = max(sideways, math.Abs(k.from.x+k.out-k.to.x-k.in))
			}
		}
		v.height = y + height
		least := layerGap
		if v.hasLabels(n) || n+1 < len(v.layers) && v.hasLabels(n+1) {
			least = labelGap
		}
		gap := math.Round(min(maxGap, least+gapFactor*sideways))
		if n == 0 && len(layer) == 1 && layer[0].title {
			gap = padding / 2
		}
		y += height + gap
	}
	for _, k := range v.links {
		v.tracePath(k)
	}
}

// hasLabels reports whether a layer has labels.
func (v *level) hasLabels(layer int) bool {
	return slices.ContainsFunc(v.layers[layer], func(it *item) bool { return it.label })
}

// tracePath adds the path of a link, from the lower side of one item to the upper side of another.
func (v *level) tracePath(k *link) {
	from, to := k.from, k.to
	x, y := from.x+k.out, from.y+from.height
	if from.isPassingEdge() && len(from.up) > 0 && from.height > 0 {
		v.pieces = append(v.pieces, piece{k.edge, Piece{x, from.y, x, y}})
	}
	// A low node of a high layer: down to the end of the layer first.
	if bottom := v.layerBottom(from.rank); bottom > y {
		v.pieces = append(v.pieces, piece{k.edge, Piece{x, y, x, bottom}})
		y = bottom
	}
	v.pieces = append(v.pieces, piece{k.edge, Piece{x, y, to.x + k.in, to.y}})
}

// layerBottom is the lower end of a layer.
func (v *level) layerBottom(rank int) float64 {
	y := 0.0
	for _, it := range v.layers[rank] {
		y = max(y, it.y+it.height)
	}
	return y
}

// sortPieces puts the pieces of a path in order from top to bottom.
func sortPieces(path []Piece) {
	slices.SortStableFunc(path, func(a, b Piece) int { return cmp.Or(cmp.Compare(a.Y0, b.Y0), cmp.Compare(a.Y1, b.Y1)) })
}

// reversePath turns a path around.
func reversePath(path []Piece) {
	slices.Reverse(path)
	for i, p := range path {
		path[i] = Piece{p.X1, p.Y1, p.X0, p.Y0}
	}
}

// straightenEdges makes the middle parts of long edges vertical where their neighbours leave room:
// items with one link above and one below, layer after layer.
func (v *level) straightenEdges() {
	bends := func(it *item) bool {
		return it.inner == nil && !it.title && len(it.up) == 1 && len(it.down) == 1
	}
	done := map[*item]bool{}
	for _, layer := range v.layers {
		for _, it := range layer {
			if done[it] || !bends(it) {
				continue
			}
			var chain []*item
			for at := it; bends(at); at = at.down[0].to {
				done[at] = true
				chain = append(chain, at)
			}
			v.alignChain(chain)
		}
	}
}

// alignChain gives the items of a chain one place from left to right, or the longest parts of it
// that can have one.
func (v *level) alignChain(chain []*item) {
	for len(chain) > 0 {
		low, high, n, sum := math.Inf(-1), math.Inf(1), 0, 0.0
		shift := make([]float64, len(chain)) // from the first item, as the ends of links demand
		for i, it := range chain {
			if i > 0 {
				k := it.up[0]
				shift[i] = shift[i-1] + k.out - k.in
			}
			l, h := v.freeRange(it)
			if max(low, l-shift[i]) > min(high, h-shift[i]) {
				break
			}
			low, high = max(low, l-shift[i]), min(high, h-shift[i])
			sum += it.x - shift[i]
			n++
		}
		if n == 0 {
			chain = chain[1:]
			continue
		}
		first, last := chain[0].up[0], chain[n-1].down[0]
		above := first.from.x + first.out - first.in
		below := last.to.x + last.in - last.out - shift[n-1]
		x := min(max(sum/float64(n), low), high)
		switch { // straight into a node, if the chain need not move far
		case below >= low && below <= high && math.Abs(below-x) <= math.Abs(above-x):
			x = below
		case above >= low && above <= high:
			x = above
		}
		for i, it := range chain[:n] {
			it.x = x + shift[i]
		}
		chain = chain[n:]
	}
}

// freeRange returns the places that an item can have between its neighbours.
func (v *level) freeRange(it *item) (low, high float64) {
	layer := v.layers[it.rank]
	low, high = math.Inf(-1), math.Inf(1)
	if it.order > 0 {
		low = layer[it.order-1].x + minDistance(layer[it.order-1], it)
	}
	if it.order+1 < len(layer) {
		high = layer[it.order+1].x - minDistance(it, layer[it.order+1])
	}
	return low, max(low, high)
}
