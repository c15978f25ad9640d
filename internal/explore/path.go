package explore

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
)

// A Path is a way through a graph from its start: nodes that end one after the
// other.
type Path []Hop

// A Hop is a node on a way and the label with which it ends.
type Hop struct {
	Node *ir.Node
	// Label is "" for a node that a person skips.
	Label string
	// Edge is the edge that is taken then; nil when none is.
	Edge *ir.Edge
	// Values are the values of unknown variables with which the path is taken, and
	// those of known ones.
	Values []Binding
	// Certain says that nothing unknown has a part in it.
	Certain bool
}

// A Binding is the value of something that a guard reads.
type Binding struct {
	// Name is its name in conditions, such as state.score.
	Name, Value string
	// Supposed says that the value is one of those that it may have.
	Supposed bool
}

// Certain reports whether the whole way can really be gone.
func (p Path) Certain() bool {
	return !slices.ContainsFunc(p, func(h Hop) bool { return !h.Certain })
}

// Nodes are the nodes of the way.
func (p Path) Nodes() []*ir.Node {
	var list []*ir.Node
	for _, h := range p {
		list = append(list, h.Node)
	}
	return list
}

// String writes the way for a message: START → review [P0] → fix [done].
func (p Path) String() string {
	var out strings.Builder
	out.WriteString("START")
	for _, h := range p {
		out.WriteString(" → " + h.Node.ID)
		if h.Label == "" {
			out.WriteString(" (skipped)")
		} else {
			out.WriteString(" [" + h.Label + "]")
		}
	}
	return out.String()
}

// path returns the cheapest way to a configuration.
func (r *Result) path(config int) Path {
	var steps []int
	for s := r.walk.configs[config].from; s >= 0; s = r.walk.configs[r.walk.steps[s].from].from {
		steps = append(steps, s)
	}
	slices.Reverse(steps)
	var p Path
	for _, s := range steps {
		p = append(p, r.hop(s))
	}
	return p
}

// through returns the cheapest way that ends with a step.
func (r *Result) through(s int) Path {
	return append(r.path(r.walk.steps[s].from), r.hop(s))
}

func (r *Result) hop(s int) Hop {
	st := &r.walk.steps[s]
	n := r.walk.configs[st.from].node
	return Hop{
		Node: r.walk.model.nodes[n], Label: st.label, Edge: st.edge, Certain: st.certain && !r.walk.configs[st.from].doubt,
		Values: r.bindings(r.walk.model.reads[n], st.values, st.sampled),
	}
}

func (r *Result) bindings(slots []int, values, sampled []value) []Binding {
	var list []Binding
	for _, slot := range slots {
		v := values[slot]
		supposed := !v.known()
		if supposed && sampled != nil {
			v = sampled[slot]
		}
		list = append(list, Binding{r.walk.model.slots[slot].name, v.String(), supposed})
	}
	return list
}

// CaseWay returns the cheapest way to a case, the node that ends with its label last,
// and the values there. The way is nil for a case of Anywhere.
func (r *Result) CaseWay(n *ir.Node, c *Case) (Path, []Binding) {
	values := r.bindings(r.walk.model.reads[r.walk.model.index[n]], c.values, c.sampled)
	if c.config < 0 {
		return nil, values
	}
	return append(r.path(c.config), Hop{Node: n, Label: c.Label, Values: values, Certain: c.Certain && !r.walk.configs[c.config].doubt}), values
}
