package explore

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/ir"
)

// A Test is a run that can be replayed: all events from outside, and the expected
// results. It is for one target.
type Test struct {
	Target Target
	// Inputs are the values of the run's inputs, by name: float64, bool, string, or
	// []any and map[string]any without members.
	Inputs map[string]any
	Visits []Visit
	// Limit is the number of nodes after which the run is to be stopped, for one
	// that could continue for ever; otherwise 0.
	Limit int
	// Finish says how the run ends.
	Finish Finish
}

// A Target is a way to leave a node: the label that it ends with and the edge that
// is taken then. The label is "" for a node that a person skips; the edge is nil if
// none holds. For a branch of a parallel, only the label counts, "" if it fails.
type Target struct {
	Node  *ir.Node
	Label string
	Edge  *ir.Edge
}

// A Visit is a node that is visited in a test.
type Visit struct {
	// Number is the visit's: the first is 1, and branches have those after their
	// parallel's.
	Number int
	Node   *ir.Node
	// Label is the label of the node; "" if it is skipped, or for a branch that
	// fails.
	Label string
	Edge  *ir.Edge
	Give  Give
	// Before and After are the answers to the interrupts that are asked: "yes" or
	// "skip".
	Before, After []string
	Branches      []Visit
}

// A Give is the reply from outside with which a node ends with its label. Nodes
// that do nothing themselves need none.
type Give struct {
	// Text is the agent's reply, the script's output or a person's answer.
	Text string
	// Again is the agent's reply to the second question, if the text names no
	// label; else "".
	Again string
	// Exit is the script's exit code.
	Exit int
	// Late says that the node takes too long. Fails says that it fails for good.
	Late, Fails bool
}

// A Finish is how the run of a test ends.
type Finish int

const (
	// Success: the run has come to its end, and a goal is met if there is one.
	Success Finish = iota
	// Unsuccessful: it has come to its end, and no goal is met.
	Unsuccessful
	// NoEdge: it fails where no edge holds.
	NoEdge
	// Limited: a limit of iterations ends it.
	Limited
)

// Tests returns a test for every target that the exploration found, as far as
// there is one: in definition order, with the targets for which none was found
// within the bounds. Those may be impossible, because the exploration does not
// know all values, or need a text that does not come to mind.
func (r *Result) Tests() (tests []Test, missing []Target) {
	found := replay(r.walk.model.graph, r.walk.bound)
	for _, t := range r.targets() {
		if test, ok := found.test(t); ok {
			tests = append(tests, test)
		} else {
			missing = append(missing, t)
		}
	}
	return tests, missing
}

// targets are all targets that the exploration reached.
func (r *Result) targets() []Target {
	seen := map[Target]bool{}
	w := r.walk
	for id := range w.configs {
		for s := w.configs[id].first; s < w.configs[id].last; s++ {
			st := &w.steps[s]
			seen[Target{w.model.nodes[w.configs[id].node], st.label, st.edge}] = true
		}
	}
	var list []Target
	for i, n := range w.model.nodes {
		labels := append([]string{""}, names(n)...)
		if w.model.branch[i] {
			for _, l := range labels {
				if r.Reached(n) && (l != "" || failLabel(w.model.parallelOf(n)) != "") {
					list = append(list, Target{Node: n, Label: l})
				}
			}
			continue
		}
		for _, l := range labels {
			for _, e := range append(slices.Clone(n.Out), nil) {
				if t := (Target{n, l, e}); seen[t] {
					list = append(list, t)
				}
			}
		}
	}
	return list
}

// names are the names of a node's labels.
func names(n *ir.Node) []string {
	var list []string
	for _, l := range n.Labels {
		list = append(list, l.Name)
	}
	return list
}
