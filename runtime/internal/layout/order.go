package layout

import (
	"cmp"
	"slices"
)

// sweeps is the number of times that all layers are ordered, down and up in turn.
const sweeps = 24

// orderLayers orders the items of each layer so that few links cross: each layer by the means
// of the neighbours in the layer before it, then neighbours change places where that helps.
// The best order that it meets stays.
func (v *level) orderLayers() {
	v.numberItems()
	best, crossings := v.copyLayers(), v.countCrossings()
	for n := 0; n < sweeps && crossings > 0; n++ {
		if n%2 == 0 {
			for _, layer := range v.layers[min(1, len(v.layers)):] {
				sortBy(layer, func(it *item) []*link { return it.up }, func(k *link) *item { return k.from })
			}
		} else {
			for _, layer := range slices.Backward(v.layers[:max(0, len(v.layers)-1)]) {
				sortBy(layer, func(it *item) []*link { return it.down }, func(k *link) *item { return k.to })
			}
		}
		v.transposeNeighbours()
		if c := v.countCrossings(); c < crossings {
			best, crossings = v.copyLayers(), c
		}
	}
	v.layers = best
	v.numberItems()
}

func (v *level) copyLayers() [][]*item {
	list := make([][]*item, len(v.layers))
	for i, layer := range v.layers {
		list[i] = slices.Clone(layer)
	}
	return list
}

// numberItems writes the order of the items into them; titles come first.
func (v *level) numberItems() {
	for _, layer := range v.layers {
		slices.SortStableFunc(layer, func(a, b *item) int {
			switch {
			case a.title == b.title:
				return 0
			case a.title:
				return -1
			}
			return 1
		})
		for i, it := range layer {
			it.order = i
		}
	}
}

// sortBy sorts a layer by the mean order of the neighbours; items without any stay where
// they are.
func sortBy(layer []*item, links func(*item) []*link, end func(*link) *item) {
	type mean struct {
		*item
		at float64
	}
	var moved []mean
	var slots []int
	for i, it := range layer {
		list := links(it)
		if len(list) == 0 {
			continue
		}
		sum := 0.0
		for _, k := range list {
			sum += float64(end(k).order)
		}
		moved, slots = append(moved, mean{it, sum / float64(len(list))}), append(slots, i)
	}
	slices.SortStableFunc(moved, func(a, b mean) int { return cmp.Compare(a.at, b.at) })
	for i, m := range moved {
		layer[slots[i]] = m.item
	}
	for i, it := range layer {
		it.order = i
	}
}

// transposeNeighbours exchanges neighbours while fewer links cross then.
func (v *level) transposeNeighbours() {
	for improved, rounds := true, 0; improved && rounds < 8; rounds++ {
		improved = false
		for _, layer := range v.layers {
			for i := 0; i+1 < len(layer); i++ {
				a, b := layer[i], layer[i+1]
				if a.title || b.title {
					continue
				}
				if crossingsBetween(a, b) > crossingsBetween(b, a) {
					layer[i], layer[i+1] = b, a
					a.order, b.order = b.order, a.order
					improved = true
				}
			}
		}
	}
}

// crossingsBetween counts the crossings of the links of two neighbours, a left of b.
func crossingsBetween(a, b *item) int {
	n := 0
	for _, k := range a.up {
		for _, o := range b.up {
			if o.from.order < k.from.order {
				n++
			}
		}
	}
	for _, k := range a.down {
		for _, o := range b.down {
			if o.to.order < k.to.order {
				n++
			}
		}
	}
	return n
}

// countCrossings counts the crossings of all links.
func (v *level) countCrossings() int {
	n := 0
	for _, layer := range v.layers {
		var ends []int // of the links of the layer, from left to right
		for _, it := range layer {
			first := len(ends)
			for _, k := range it.down {
				ends = append(ends, k.to.order)
			}
			slices.Sort(ends[first:])
		}
		for i, x := range ends {
			for _, y := range ends[i+1:] {
				if y < x {
					n++
				}
			}
		}
	}
	return n
}
