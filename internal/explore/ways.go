package explore

import (
	"fmt"
	"slices"
)

// Ways returns all ways in which the node with an id continues: each reachable configuration
// of the node, with a label and the next node. The list is sorted and has each way once.
// certain says that nothing unknown has a part in any of them. Two graphs that differ only
// in the conditions and the edges of this node walk alike if their certain ways are equal.
func (r *Result) Ways(id string) (ways []string, certain bool) {
	w := r.walk
	certain = r.Complete
	for i := range w.configs {
		c := &w.configs[i]
		if w.model.nodes[c.node].ID != id {
			continue
		}
		ways = append(ways, fmt.Sprint(w.model.named(c.values)))
		for s := c.first; s < c.last; s++ {
			st := &w.steps[s]
			to := ""
			switch {
			case st.to == end:
				to = "end"
			case st.to == nowhere:
				to = "nowhere"
			default:
				to = w.model.nodes[w.configs[st.to].node].ID
			}
			certain = certain && st.certain
			ways = append(ways, fmt.Sprintf("%v %q %v %q", w.model.named(c.values), st.label, w.model.named(st.values), to))
		}
	}
	slices.Sort(ways)
	return slices.Compact(ways), certain
}

// named returns the values of slots with the names of the slots.
func (m *model) named(values []value) []string {
	var list []string
	for i, v := range values {
		list = append(list, fmt.Sprint(m.slots[i].name, "=", v.kind, v.number, v.text))
	}
	slices.Sort(list)
	return list
}
