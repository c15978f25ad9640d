package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
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

// pathToConfig returns the cheapest way to a configuration.
func (r *Result) pathToConfig(config int) Path {
	var steps []int
	for s := r.walk.configs[config].from; s >= 0; s = r.walk.configs[r.walk.steps[s].from].from {
		steps = append(steps, s)
	}
	slices.Reverse(steps)
	var p Path
	for _, s := range steps {
		p = append(p, r.stepHop(s))
	}
	return p
}

// pathThroughStep returns the cheapest way that ends with a step.
func (r *Result) pathThroughStep(s int) Path {
	return append(r.pathToConfig(r.walk.steps[s].from), r.stepHop(s))
}

func (r *Result) stepHop(s int) Hop {
	st := &r.walk.steps[s]
	n := r.walk.configs[st.from].node
	return Hop{Node: r.walk.model.nodes[n], Label: st.label, Edge: st.edge, Certain: st.certain && !r.walk.configs[st.from].doubt}
}

func (r *Result) slotBindings(slots []int, values, sampled []value) []Binding {
	var list []Binding
	for _, slot := range slots {
		v := values[slot]
		supposed := !v.isKnown()
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
	values := r.slotBindings(r.walk.model.reads[r.walk.model.index[n]], c.values, c.sampled)
	if c.config < 0 {
		return nil, values
	}
	return append(r.pathToConfig(c.config), Hop{Node: n, Label: c.Label, Certain: c.Certain && !r.walk.configs[c.config].doubt}), values
}

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
		at := fmt.Sprint(w.model.namedSlotValues(c.values))
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
			way := fmt.Sprintf("%s %q %v %s", at, st.label, w.model.namedSlotValues(st.values), to)
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

// namedSlotValues returns the values of slots with the names of the slots.
func (m *model) namedSlotValues(values []value) []string {
	var list []string
	for i, v := range values {
		list = append(list, fmt.Sprint(m.slots[i].name, "=", v.kind, v.number, v.text))
	}
	slices.Sort(list)
	return list
}

// An Ending is a node and label with which a run can end.
type Ending struct {
	Node  *ir.Node
	Label string
	// Meets and Misses are the cheapest paths on which a goal is, or may be, met
	// there, and on which none is, or may be; nil if there is none. Without goals,
	// every ending meets them.
	Meets, Misses Path
}

// Endings returns the endings in definition order of their nodes and labels. The
// cases in which no edge holds, and no goal either, are not among them: those
// runs fail.
func (r *Result) Endings() []Ending {
	type key struct {
		node  int
		label string
	}
	found := map[key]*Ending{}
	cost := map[*Path]int{}
	w := r.walk
	for s, id := range w.allSteps() {
		c := &w.configs[id]
		if w.steps[s].to != end {
			continue
		}
		k := key{c.node, w.steps[s].label}
		e := found[k]
		if e == nil {
			e = &Ending{Node: w.model.nodes[c.node], Label: k.label}
			found[k] = e
		}
		keep := func(p *Path, can bool) {
			if old, known := cost[p]; can && (!known || c.cost < old) {
				cost[p], *p = c.cost, r.pathThroughStep(s)
			}
		}
		meets, misses := r.meetsGoal(s)
		keep(&e.Meets, meets)
		keep(&e.Misses, misses)
	}
	var list []Ending
	for i, n := range w.model.nodes {
		if e := found[key{i, ""}]; e != nil {
			list = append(list, *e)
		}
		for _, l := range n.Labels {
			if e := found[key{i, l.Name}]; e != nil {
				list = append(list, *e)
			}
		}
	}
	return list
}

// meetsGoal reports whether a goal can be met at the end to which a step leads, and
// whether none can be.
func (r *Result) meetsGoal(s int) (meets, misses bool) {
	m := r.walk.model
	if len(m.graph.Goals) == 0 {
		return true, false
	}
	can, must := m.goalStatus(r.sceneAfterStep(s))
	if st := &r.walk.steps[s]; st.label != "" && st.edge == nil {
		return true, false // it is the goal that ends the run there
	}
	return can, !must
}

// sceneAfterStep is the scene in which a condition is evaluated at the end of a step.
func (r *Result) sceneAfterStep(s int) *scene {
	m, st := r.walk.model, &r.walk.steps[s]
	id := m.nodes[r.walk.configs[st.from].node].ID
	at := &scene{model: m, values: st.values, current: id}
	if st.label != "" {
		at.ended, at.label = id, st.label
	}
	return at
}

// GoalMet reports whether a goal can be met at some ending.
func (r *Result) GoalMet(g *ir.Goal) bool {
	w := r.walk
	can := func(at *scene) bool {
		met := false
		at.visitSamples(w.model.slotsOf([]expr.Expr{g.Cond}, ""), func(sample *scene, _ bool) { met = met || sample.eval(g.Cond).mayHold() })
		return met
	}
	if w.empty && can(&scene{model: w.model, values: w.begun}) {
		return true
	}
	for s := range w.allSteps() {
		if w.steps[s].to == end && can(r.sceneAfterStep(s)) {
			return true
		}
	}
	return false
}
