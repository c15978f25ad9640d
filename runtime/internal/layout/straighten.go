package layout

import "math"

// straighten makes the middle parts of long edges vertical where their neighbours leave room:
// items with one link above and one below, layer after layer.
func (v *level) straighten() {
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
			v.align(chain)
		}
	}
}

// align gives the items of a chain one place from left to right, or the longest parts of it
// that can have one.
func (v *level) align(chain []*item) {
	for len(chain) > 0 {
		low, high, n, sum := math.Inf(-1), math.Inf(1), 0, 0.0
		shift := make([]float64, len(chain)) // from the first item, as the ends of links demand
		for i, it := range chain {
			if i > 0 {
				k := it.up[0]
				shift[i] = shift[i-1] + k.out - k.in
			}
			l, h := v.room(it)
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

// room returns the places that an item can have between its neighbours.
func (v *level) room(it *item) (low, high float64) {
	layer := v.layers[it.rank]
	low, high = math.Inf(-1), math.Inf(1)
	if it.order > 0 {
		low = layer[it.order-1].x + distance(layer[it.order-1], it)
	}
	if it.order+1 < len(layer) {
		high = layer[it.order+1].x - distance(it, layer[it.order+1])
	}
	return low, max(low, high)
}
