package testrun

import (
	"fmt"
	"path"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// A test names a node by its key, a step by its key such as fix#2, and a step of a child
// run by the path to it, such as call/fix. This is its address.

// maxCalls bounds the depth of workflows that run workflows.
const maxCalls = 16

// nodesByAddress returns the nodes of a workflow, and those of the workflows that it runs, by
// address.
func nodesByAddress(def *flow.Definition) []flow.NodeInfo {
	var all []flow.NodeInfo
	var visit func(d *flow.Definition, nodes []flow.NodeInfo, prefix string, depth int)
	visit = func(d *flow.Definition, nodes []flow.NodeInfo, prefix string, depth int) {
		for _, n := range nodes {
			key := n.Key
			n.Key = path.Join(prefix, key)
			all = append(all, n)
			inside := slices.Clone(n.Inside)
			for i := range inside {
				inside[i].Key = insideKey(n.Kind, key, inside[i].Key)
			}
			visit(d, inside, prefix, depth)
			for _, child := range d.Children {
				if child.Name == n.Workflow && depth < maxCalls {
					visit(child, child.Nodes, n.Key, depth+1)
				}
			}
		}
	}
	visit(def, def.Nodes, "", 0)
	return all
}

// insideKey is the key of a node inside the one with the key outer: the body of a loop has
// that of the loop, a branch is behind a slash, and a node of a group behind a dot.
func insideKey(kind, outer, key string) string {
	switch {
	case stepkey.PartOf(key, outer):
		return key
	case kind == "parallel":
		return outer + "/" + key
	}
	return outer + "." + key
}

// staticKey removes the numbers of iterations around a node and behind it from a key.
func staticKey(key string) string { return stepkey.Unnumbered(stepkey.Static(key)) }

// A naming knows the names that a test may use.
type naming struct {
	nodes  []flow.NodeInfo
	index  stepkey.Nodes
	keys   []string
	inputs []string
	faults []testfile.Fault
}

func newNaming(def *flow.Definition) *naming {
	n := &naming{nodes: nodesByAddress(def)}
	n.index = stepkey.NewNodes(n.nodes)
	seen := map[string]bool{}
	for _, node := range n.nodes {
		if !seen[node.Key] {
			seen[node.Key] = true
			n.keys = append(n.keys, node.Key)
		}
	}
	for _, in := range def.Inputs {
		n.inputs = append(n.inputs, in.Name)
	}
	return n
}

// nodeOf returns the node of a step.
func (n *naming) nodeOf(address string) (flow.NodeInfo, bool) {
	return longestMatch(n.index, address, staticKey(address), stepkey.Unnumbered(address))
}

// longestMatch returns the node with the longest key that has one of the steps.
func longestMatch(nodes stepkey.Nodes, steps ...string) (node flow.NodeInfo, ok bool) {
	for _, step := range steps {
		if found, has := nodes.Of(step); has && (!ok || len(found.Key) > len(node.Key)) {
			node, ok = found, true
		}
	}
	return node, ok
}

func (n *naming) checkNode(at testfile.Place, name string) {
	if _, ok := n.nodeOf(name); !ok {
		n.addFault(at, "node", name, n.keys)
	}
}

func (n *naming) addFault(at testfile.Place, what, name string, known []string) {
	message := plain.UnknownName(what, name, known)
	if len(known) == 0 {
		message += fmt.Sprintf(": the workflow has no %s", what)
	}
	n.faults = append(n.faults, testfile.Fault{Place: at, Message: message})
}

func (n *naming) checkNodes(lists ...[]testfile.Name) {
	for _, name := range slices.Concat(lists...) {
		n.checkNode(name.Place, name.Name)
	}
}

func entriesOf[T any](n *naming, es testfile.Entries[T]) {
	for _, e := range es {
		n.checkNode(e.Place, e.Key)
	}
}

// checkNames compares the names in a test with the workflow.
func checkNames(t *testfile.Test, def *flow.Definition) []testfile.Fault {
	n := newNaming(def)
	for _, e := range t.Inputs {
		if !slices.Contains(n.inputs, e.Key) {
			n.addFault(e.Place, "input", e.Key, n.inputs)
		}
	}
	for _, e := range t.Agents {
		if e.Key != "*" {
			n.checkNode(e.Place, e.Key)
		}
	}
	entriesOf(n, t.Bash)
	entriesOf(n, t.Scripts)
	entriesOf(n, t.Answers)
	e := &t.Expect
	n.checkNodes(t.Interrupt, t.Cancel)
	entriesOf(n, e.Nodes)
	entriesOf(n, e.Prompts)
	entriesOf(n, e.Values)
	entriesOf(n, e.Programs)
	entriesOf(n, e.Loops)
	entriesOf(n, e.Asked)
	entriesOf(n, e.Waits)
	for _, list := range []*testfile.Names{e.Ran, e.Skipped, e.Failed} {
		if list != nil {
			n.checkNodes(list.List)
		}
	}
	n.checkNodes(e.Order)
	for _, pair := range e.Before {
		n.checkNodes(pair[:])
	}
	if len(e.State) > 0 {
		var variables []string
		if def.Graph != nil {
			for _, v := range def.Graph.State {
				variables = append(variables, v.Name)
			}
		}
		for _, s := range e.State {
			if !slices.Contains(variables, s.Key) {
				n.addFault(s.Place, "state variable", s.Key, variables)
			}
		}
	}
	for _, c := range e.Commands {
		if _, ok := t.Commands.Get(c.Key); !ok {
			n.addFault(c.Place, "stand-in", c.Key, keysOf(t.Commands))
		}
	}
	return n.faults
}

func keysOf[T any](es testfile.Entries[T]) (keys []string) {
	for _, e := range es {
		keys = append(keys, e.Key)
	}
	return keys
}
