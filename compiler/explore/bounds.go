package explore

import (
	"github.com/wfc-lang/wfc/compiler/graph"
	"github.com/wfc-lang/wfc/compiler/ir"
)

// Shortest returns the least number of nodes that end in a run that comes to an
// end of the graph; with success only runs count that may meet a goal. The way is
// one such run; it is nil when there is none.
func (r *Result) Shortest(success bool) (nodes int, way Path) {
	w := r.walk
	if w.empty {
		if can, _ := w.model.goal(&scene{model: w.model, values: w.begun}); can || !success || len(w.model.graph.Goals) == 0 {
			return 0, Path{}
		}
	}
	best := -1
	for id := range w.configs {
		c := &w.configs[id]
		for s := c.first; s < c.last; s++ {
			st := &w.steps[s]
			if st.to != end {
				continue
			}
			if success {
				if meets, _ := r.meets(s); !meets {
					continue
				}
			}
			total := c.cost + st.weight
			if best < 0 || total < nodes {
				best, nodes = s, total
			}
		}
	}
	if best < 0 {
		return 0, nil
	}
	return nodes, r.through(best)
}

// A Measurer says how much a node that runs counts.
type Measurer func(n *ir.Node) float64

// Longest returns the most that the nodes of a run can count together, whatever
// way it goes; it reports false when there is a circle that can be gone any
// number of times and that counts.
func (r *Result) Longest(count Measurer) (most float64, finite bool) {
	w := r.walk
	next := make([][]int, len(w.configs))
	for id := range w.configs {
		for s := w.configs[id].first; s < w.configs[id].last; s++ {
			if to := w.steps[s].to; to >= 0 {
				next[id] = append(next[id], to)
			}
		}
	}
	// A group comes after those that it leads to.
	longest := make([]float64, len(w.configs))
	for _, group := range graph.Components(len(next), func(c int) []int { return next[c] }) {
		inside := map[int]bool{}
		for _, id := range group {
			inside[id] = true
		}
		var after, sum float64
		circle := false
		for _, id := range group {
			for _, to := range next[id] {
				if inside[to] {
					circle = true
				} else {
					after = max(after, longest[to])
				}
			}
			sum += count(w.model.nodes[w.configs[id].node])
		}
		if circle && sum > 0 {
			return 0, false
		}
		for _, id := range group {
			longest[id] = after + sum
		}
	}
	for _, id := range w.entered {
		most = max(most, longest[id])
	}
	return most, true
}

// Weight is a Measurer of how many nodes end when a node runs: itself, and the
// branches of a parallel.
func Weight(n *ir.Node) float64 { return float64(weight(n)) }
