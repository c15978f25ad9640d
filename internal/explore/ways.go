package explore

import (
	"fmt"
	"slices"
	"strconv"
)

// Ways returns all ways in which the node with an id continues: each reachable configuration
// of the node, with a label and the next node. The list is sorted and has each way once.
// certain says that each configuration and label have one way, and decided that each
// configuration has one label. Two graphs that differ only in the edges of this node walk
// alike if their certain ways are equal; if they differ only in its condition, the ways must
// also be decided.
func (r *Result) Ways(id string) (ways []string, certain, decided bool) {
	w := r.walk
	certain, decided = r.Complete, r.Complete
	for i := range w.configs {
		c := &w.configs[i]
		if w.model.nodes[c.node].ID != id {
			continue
		}
		at := fmt.Sprint(w.model.named(c.values))
		ways = append(ways, at)
		targets := map[string]string{}
		for s := c.first; s < c.last; s++ {
			st := &w.steps[s]
			to := "end"
			switch {
			case st.to == nowhere:
				to = "nowhere"
			case st.to >= 0:
				to = strconv.Quote(w.model.nodes[w.configs[st.to].node].ID)
			}
			way := fmt.Sprintf("%s %q %v %s", at, st.label, w.model.named(st.values), to)
			if old, known := targets[st.label]; known && old != way {
				certain = false
			}
			targets[st.label] = way
			ways = append(ways, way)
		}
		decided = decided && len(targets) == 1
	}
	slices.Sort(ways)
	return slices.Compact(ways), certain, decided
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
