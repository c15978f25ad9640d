package archon

import "github.com/wfc-lang/wfc/compiler/internal/dialect/depend"

// connect makes the nodes' dependencies of their ids and returns them as the
// positions of nodes.
func (d *decoder) connect(nodes []*nodeDecl) [][]int {
	list := make([]depend.Node, len(nodes))
	for i, n := range nodes {
		list[i] = depend.Node{Node: n.node, Named: n.named, Label: n.label(), Needs: n.needs}
	}
	return depend.Connect(list, d.Bag)
}
