package diagram

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/testkit/pictures"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// anyNodes draws a list of nodes, with groups inside them up to a depth.
func anyNodes(t *rapid.T, depth int) []flow.NodeInfo {
	var nodes []flow.NodeInfo
	for i := range rapid.IntRange(0, 9).Draw(t, "nodes") {
		n := flow.NodeInfo{Key: fmt.Sprintf("n%d", i), Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		for j := range i {
			switch rapid.IntRange(0, 7).Draw(t, "need") {
			case 0, 1:
				n.After = append(n.After, nodes[j].Key)
			case 2:
				n.Order = append(n.Order, nodes[j].Key)
			}
		}
		if rapid.Bool().Draw(t, "condition") {
			n.When = rapid.StringMatching(`[$a-z.]{1,20}( == '[a-z ]{0,40}')?`).Draw(t, "when")
		}
		if rapid.IntRange(0, 3).Draw(t, "rule") == 0 {
			n.Rule = "none_failed_min_one_success"
		}
		if depth > 0 && rapid.IntRange(0, 3).Draw(t, "group") == 0 {
			n.Inside = anyNodes(t, depth-1)
		} else if len(n.After) > 0 && rapid.IntRange(0, 4).Draw(t, "within") == 0 {
			n.Include = n.After[0]
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// anyStates draws a state graph, with edges and branches of any kind.
func anyStates(t *rapid.T) ([]flow.NodeInfo, *flow.GraphInfo) {
	n := rapid.IntRange(0, 10).Draw(t, "nodes")
	key := func(i int) string { return fmt.Sprintf("n%d", i) }
	some := func(name string) (list []string) {
		for i := range n {
			if rapid.IntRange(0, 4).Draw(t, name) == 0 {
				list = append(list, key(i))
			}
		}
		return list
	}
	var nodes []flow.NodeInfo
	for i := range n {
		node := flow.NodeInfo{Key: key(i), Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch node.Kind {
		case "parallel":
			node.Branches = some("branches")
		case "join":
			node.WaitsFor = some("waits")
		}
		nodes = append(nodes, node)
	}
	g := &flow.GraphInfo{}
	for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
		end := func() string {
			if i := rapid.IntRange(-1, n-1).Draw(t, "end"); i >= 0 {
				return key(i)
			}
			return ""
		}
		g.Edges = append(g.Edges, flow.EdgeInfo{From: end(), To: end(), When: rapid.StringMatching(`[a-z0-9 =&]{0,60}`).Draw(t, "guard")})
	}
	return nodes, g
}

// Every workflow has a picture without faults, and one in every other format.
func TestGeometryOfAnyWorkflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &Workflow{Name: "any"}
		if rapid.Bool().Draw(t, "states") {
			w.Nodes, w.Graph = anyStates(t)
		} else {
			w.Nodes = anyNodes(t, 2)
		}
		for _, f := range formats {
			if f.name != "svg" {
				f.render(newFigure(w))
			}
		}
		for _, fault := range pictures.Faults(newFigure(w).renderSVG()) {
			t.Error(fault)
		}
	})
}
