package stepkey

import (
	"iter"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Nodes finds the node of a step in time that depends on the length of the step's key
// alone, so that a command can ask for each of a hundred thousand steps.
type Nodes struct{ byKey map[string]*flow.NodeInfo }

// NewNodes returns the index of nodes, which must not change afterwards. Of several nodes
// with one key, the first counts.
func NewNodes(nodes []flow.NodeInfo) Nodes {
	byKey := make(map[string]*flow.NodeInfo, len(nodes))
	for i := range nodes {
		if byKey[nodes[i].Key] == nil {
			byKey[nodes[i].Key] = &nodes[i]
		}
	}
	return Nodes{byKey}
}

// Of returns the node that has a step. An id may contain the characters that
// separate parts, so the node with the longest matching id wins.
func (n Nodes) Of(step string) (node flow.NodeInfo, ok bool) {
	for key := range wholes(step) {
		if found := n.byKey[key]; found != nil {
			node, ok = *found, true
		}
	}
	return node, ok
}

// NodeOf is Nodes.Of for one step.
func NodeOf(nodes []flow.NodeInfo, step string) (node flow.NodeInfo, ok bool) {
	for i := range nodes {
		if PartOf(step, nodes[i].Key) && (!ok || len(nodes[i].Key) > len(node.Key)) {
			node, ok = nodes[i], true
		}
	}
	return node, ok
}

// Keys are the keys of a run's steps.
type Keys map[string]bool

// KeysOf returns the keys of steps.
func KeysOf(steps []flow.Record) Keys {
	keys := make(Keys, len(steps))
	for i := range steps {
		keys[steps[i].Key] = true
	}
	return keys
}

// Outermost returns the shortest key of which a step is a part, or the step's own key. It
// needs no definition: a run may be of a workflow that this program does not know.
func (k Keys) Outermost(step string) string {
	for key := range wholes(step) {
		if k[key] {
			return key
		}
	}
	return step
}

// Costs are the sums of the costs of the parts of steps, by the key of each step that has
// parts with costs.
type Costs map[string]flow.Meta

// CostsOf returns the costs of the parts of steps.
func CostsOf(steps []flow.Record) Costs {
	keys, costs := KeysOf(steps), Costs{}
	for i := range steps {
		for key := range wholes(steps[i].Key) {
			if key != steps[i].Key && keys[key] {
				costs[key] = costs[key].Plus(steps[i].Meta)
			}
		}
	}
	return costs
}

// Names counts the steps that each name means, see Matches.
type Names struct {
	steps Keys
	meant map[string]int
}

// NamesOf returns the names that mean steps with the given keys, each of which comes once.
func NamesOf(keys iter.Seq[string]) Names {
	n := Names{Keys{}, map[string]int{}}
	for key := range keys {
		n.steps[key] = true
		seen := map[string]bool{}
		for _, form := range [2]string{key, Static(key)} {
			for name := range wholes(form) {
				if !seen[name] {
					seen[name] = true
					n.meant[name]++
				}
			}
		}
	}
	return n
}

// Means returns the number of steps that a name means: one if it is the key of a step.
func (n Names) Means(name string) int {
	if n.steps[name] {
		return 1
	}
	return n.meant[name]
}

// wholes are the keys of which a step can be a part, see PartOf: the beginnings of its key
// that a separator follows, shortest first, and the key itself.
func wholes(step string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := range len(step) {
			if strings.IndexByte(separators, step[at]) >= 0 && !yield(step[:at]) {
				return
			}
		}
		yield(step)
	}
}
