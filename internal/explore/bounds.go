package explore

import (
	"github.com/wfc-lang/wfc/internal/graph"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Shortest returns the least number of nodes that end in a run to an end of the
// graph; with success, only runs count that may meet a goal. The path is one such
// run; it is nil if there is none.
func (r *Result) Shortest(success bool) (nodes int, way Path) {
	w := r.walk
	if w.empty {
		if can, _ := w.model.goalStatus(&scene{model: w.model, values: w.begun}); can || !success || len(w.model.graph.Goals) == 0 {
			return 0, Path{}
		}
	}
	best := -1
	for s, id := range w.allSteps() {
		st := &w.steps[s]
		if st.to != end {
			continue
		}
		if success {
			if meets, _ := r.meetsGoal(s); !meets {
				continue
			}
		}
		total := w.configs[id].cost + st.weight
		if best < 0 || total < nodes {
			best, nodes = s, total
		}
	}
	if best < 0 {
		return 0, nil
	}
	return nodes, r.pathThroughStep(best)
}

// A Measurer says how much a node that runs counts.
type Measurer func(n *ir.Node) float64

// Longest returns the largest sum over the nodes of any path of a run; it reports false
// if an unbounded cycle adds to the sum.
func (r *Result) Longest(count Measurer) (most float64, finite bool) {
	w := r.walk
	next := make([][]int, len(w.configs))
	for s, id := range w.allSteps() {
		if to := w.steps[s].to; to >= 0 {
			next[id] = append(next[id], to)
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
		cycle := false
		for _, id := range group {
			for _, to := range next[id] {
				if inside[to] {
					cycle = true
				} else {
					after = max(after, longest[to])
				}
			}
			sum += count(w.model.nodes[w.configs[id].node])
		}
		if cycle && sum > 0 {
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

// mostLayers bounds the work that Within does to be exact.
const mostLayers = 10_000_000

// Within returns the most that the nodes of a run can count together when no node
// begins after a number of them, at least 1, have ended.
func (r *Result) Within(limit int, count Measurer) (most float64) {
	w := r.walk
	counts := make([]float64, len(w.model.nodes))
	var each, last float64
	for i, n := range w.model.nodes {
		if r.first[i] >= 0 {
			counts[i] = count(n)
			each, last = max(each, counts[i]/float64(leastNodeWeight(n))), max(last, counts[i])
		}
	}
	if limit > mostLayers/(1+len(w.steps)) {
		return float64(limit-1)*each + last
	}
	// best is the largest sum up to a configuration by the number of ended nodes, -1 if
	// it is not reached with that number.
	best := make([][]float64, limit)
	for k := range best {
		best[k] = make([]float64, len(w.configs))
		for id := range best[k] {
			best[k][id] = -1
		}
	}
	var open []int
	for _, id := range w.entered {
		best[0][id] = 0
	}
	for k := range best {
		open = open[:0]
		for id := range w.configs {
			if best[k][id] >= 0 {
				open = append(open, id)
			}
		}
		for len(open) > 0 {
			c := &w.configs[open[len(open)-1]]
			sum := best[k][open[len(open)-1]]
			open = open[:len(open)-1]
			for s := c.first; s < c.last; s++ {
				st := &w.steps[s]
				total := sum
				if st.weight > 0 {
					total += counts[c.node]
				}
				most = max(most, total)
				if next := k + st.weight; st.to >= 0 && next < limit && total > best[next][st.to] {
					best[next][st.to] = total
					if st.weight == 0 {
						open = append(open, st.to)
					}
				}
			}
		}
	}
	return most
}

// leastNodeWeight is the least number of nodes that end when a node runs.
func leastNodeWeight(n *ir.Node) int {
	if n.FailureLabel() != "" {
		return 1
	}
	return nodeWeight(n)
}

// Weight is a Measurer of how many nodes end when a node runs: itself, and the
// branches of a parallel.
func Weight(n *ir.Node) float64 { return float64(nodeWeight(n)) }
