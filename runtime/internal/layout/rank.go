package layout

import (
	"math"
	"slices"
)

// rankItems gives the items of a level their ranks: nodes even ones, labels odd ones between
// them, so that labels are never beside nodes. Edges lead from lower to higher ranks.
func (l *layouter) rankItems(v *level) {
	if len(v.links) == 0 {
		v.rankInRows()
		v.rankBorder()
		return
	}
	v.breakCycles()
	odd := func(it *item) bool { return it.node >= 0 && l.Nodes[it.node].Label }
	order := v.topologicalOrder()
	full := map[int]float64{} // the width of each layer so far
	for _, it := range order {
		it.rank = 0
		if odd(it) {
			it.rank = 1
		}
		for _, k := range it.up {
			if !k.from.isPassingEdge() {
				it.rank = max(it.rank, nextRank(k.from.rank, odd(it)))
			}
		}
		if it.node < 0 || odd(it) {
			continue
		}
		// A layer that is wide enough leaves further nodes to the next one.
		w := l.widthInLayer(it)
		for full[it.rank] > 0 && full[it.rank]+w > layerWidth {
			it.rank += 2
		}
		full[it.rank] += w
	}
	// Nodes that nothing precedes, and labels that belong to the node below them, move down to
	// the nodes that follow.
	for _, it := range slices.Backward(order) {
		late := odd(it) && l.Nodes[it.node].Late
		first := it.node >= 0 && !slices.ContainsFunc(it.up, func(k *link) bool { return !k.from.isPassingEdge() })
		if it.node < 0 || len(it.up) > 0 && !late || !late && !first {
			continue
		}
		next := math.MaxInt
		for _, k := range it.down {
			if !k.to.isPassingEdge() {
				next = min(next, k.to.rank)
			}
		}
		if next < math.MaxInt {
			it.rank = max(it.rank, previousRank(next, odd(it)))
		}
	}
	v.rankBorder()
}

// rankBorder gives the items at the border of a level their ranks: the title and the edges that
// enter before all others, the edges that leave after them.
func (v *level) rankBorder() {
	first, last := 0, 0
	for _, it := range v.items {
		last = max(last, it.rank)
	}
	for _, it := range v.upper {
		it.rank = first - 1
	}
	for _, it := range v.lower {
		it.rank = last + 1
	}
	for _, it := range v.items {
		if it.title {
			it.rank = first - 1
		}
	}
}

// widthInLayer is the width that a node takes in its layer: its own, or that of its label.
func (l *layouter) widthInLayer(it *item) float64 {
	w := it.width
	for _, k := range it.up {
		if k.from.node >= 0 && l.Nodes[k.from.node].Label && l.Nodes[k.from.node].Late {
			w = max(w, k.from.width)
		}
	}
	return w + nodeGap
}

// nextRank is the first rank after another, odd or even.
func nextRank(rank int, odd bool) int {
	if (rank&1 == 1) == odd {
		return rank + 2
	}
	return rank + 1
}

// previousRank is the last rank before another, odd or even.
func previousRank(rank int, odd bool) int {
	if (rank&1 == 1) == odd {
		return rank - 2
	}
	return rank - 1
}

// breakCycles turns the links around that close a circle when the level is searched in the order
// of its links.
func (v *level) breakCycles() {
	const open, done = 1, 2
	state := map[*item]int{}
	var visit func(it *item)
	var turned []*link
	visit = func(it *item) {
		state[it] = open
		for _, k := range it.down {
			switch state[k.to] {
			case open:
				turned = append(turned, k)
			case 0:
				visit(k.to)
			}
		}
		state[it] = done
	}
	for _, it := range v.items {
		if state[it] == 0 {
			visit(it)
		}
	}
	for _, k := range turned {
		k.from.down = slices.DeleteFunc(k.from.down, func(o *link) bool { return o == k })
		k.to.up = slices.DeleteFunc(k.to.up, func(o *link) bool { return o == k })
		k.from, k.to = k.to, k.from
		k.from.down, k.to.up = append(k.from.down, k), append(k.to.up, k)
	}
}

// topologicalOrder returns the items, each after those that lead to it.
func (v *level) topologicalOrder() []*item {
	waits := map[*item]int{}
	var ready, list []*item
	for _, it := range v.items {
		if waits[it] = len(it.up); len(it.up) == 0 {
			ready = append(ready, it)
		}
	}
	for len(ready) > 0 {
		it := ready[0]
		ready, list = ready[1:], append(list, it)
		for _, k := range it.down {
			if waits[k.to]--; waits[k.to] == 0 {
				ready = append(ready, k.to)
			}
		}
	}
	return list
}
