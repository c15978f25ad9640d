package explore_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Every way that is said to be certain can be gone, whatever anybody says on it.
func TestCertainWaysCanBeGone(t *testing.T) {
	gone := 0
	rapid.Check(t, func(t *rapid.T) {
		g := drawer{t, &ir.Graph{}}.graph()
		for _, o := range []explore.Options{{}, {Configurations: 1}} {
			r := explore.Run(g, o)
			for _, n := range g.Nodes {
				for _, l := range append([]*ir.Label{{}}, n.Labels...) {
					if way, ok := r.WayOut(n, l.Name); ok && certain(way) {
						gone++
						replayGraph(t, g, way)
					}
				}
				for i := range r.Edges(n).Gaps {
					gap := &r.Edges(n).Gaps[i]
					if way, _ := r.CaseWay(n, gap); certain(way) {
						gone++
						replayGraph(t, g, way)
					}
				}
			}
			for _, success := range []bool{false, true} {
				if nodes, way := r.Shortest(success); certain(way) && len(way) > 0 {
					gone++
					if got := replayGraph(t, g, way); got != nodes {
						t.Fatalf("%s takes %d nodes, not %d", way, got, nodes)
					}
				}
			}
		}
	})
	if gone < 200 && !testing.Short() {
		t.Errorf("only %d ways were certain", gone)
	}
}

// certain reports whether nothing unknown has a part in any hop of a way.
func certain(way explore.Path) bool {
	return !slices.ContainsFunc(way, func(h explore.Hop) bool { return !h.Certain })
}

// replayGraph goes a way and returns how many nodes end on it, at least.
func replayGraph(t *rapid.T, g *ir.Graph, way explore.Path) int {
	worlds := starts(g)
	for _, hop := range way {
		var next []world
		for _, w := range worlds {
			if w.at != hop.Node {
				continue
			}
			w.next(g, func(to world) {
				if e := to.way[len(to.way)-1]; e.label == hop.Label && e.edge == hop.Edge && len(next) < 2000 {
					next = append(next, to)
				}
			})
		}
		if len(next) == 0 {
			t.Fatalf("%s cannot be gone at %s%s", way, hop.Node.ID, describe(g))
		}
		worlds = next
	}
	least := worlds[0].ended
	for _, w := range worlds {
		least = min(least, w.ended)
	}
	return least
}
