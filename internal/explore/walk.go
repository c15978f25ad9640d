package explore

import (
	"container/heap"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// end and nowhere are where a step leads that leads to no node: to an end of the
// graph, and to no edge that holds.
const (
	end     = -1
	nowhere = -2
)

// A config is a reachable configuration: the next node and the values of the slots.
type config struct {
	node   int
	values []value
	// cost is the least number of nodes that end before this one begins.
	cost int
	// from is the step by which it was first reached for that cost, or -1 for one
	// with which a run begins.
	from int
	// doubt says that it is one with which a run begins only for some values.
	doubt bool
	// steps are the possible successors, as a range of walk.steps.
	first, last int
	done        bool
}

// A step is one way for a configuration to continue.
type step struct {
	from int
	// label is the label of the node; "" for one that is skipped.
	label string
	// edge is the edge that is taken, nil when none is.
	edge *ir.Edge
	// to is a configuration, end or nowhere.
	to int
	// values are the values after the node has ended.
	values []value
	// certain says that nothing unknown had a part in it.
	certain bool
	// weight is the least number of nodes that the step ends.
	weight int
}

// A walk explores a model.
type walk struct {
	model  *model
	bound  int
	joined bool
	// configs are found by node and values, or when joined by node.
	configs []config
	known   map[string]int
	steps   []step
	queue   agenda
	// tried counts the cases.
	tried int
	// interned numbers values, so that configurations have short names.
	interned map[value]uint32
	// cases are the cases at each node's edges.
	cases []*Choice
	// fired are the interrupts whose condition can hold.
	fired map[*ir.Interrupt]bool
	// entered are the configurations with which a run may begin. empty says that a
	// run may come to its end without any node.
	entered []int
	empty   bool
	// begun are the values when a run begins.
	begun []value
}

func newWalk(m *model, bound int) *walk {
	w := &walk{model: m, bound: bound, known: map[string]int{}, interned: map[value]uint32{}, fired: map[*ir.Interrupt]bool{}}
	for _, n := range m.nodes {
		w.cases = append(w.cases, newChoice(n.Out))
	}
	return w
}

// exploreAll explores everything, and reports false when the bound was hit.
func (w *walk) exploreAll() bool {
	values := make([]value, len(w.model.slots))
	for i, s := range w.model.slots {
		values[i] = s.initial
	}
	w.begun = values
	w.addStartConfigs()
	for w.queue.Len() > 0 {
		at := heap.Pop(&w.queue).(entry)
		c := &w.configs[at.config]
		if c.done || c.cost != at.cost {
			continue
		}
		c.done = true
		c.first = len(w.steps)
		w.expandConfig(at.config)
		w.configs[at.config].last = len(w.steps)
		if !w.joined && (len(w.configs) > w.bound || w.tried > mostTried) {
			return false
		}
	}
	return true
}

// mostTried is the maximum number of cases that are tried one by one if many
// variables are unknown, and fewSamples that of the combinations of their samples
// once paths are joined.
const (
	mostTried  = 2_000_000
	fewSamples = 2_000
)

// addStartConfigs finds the first nodes.
func (w *walk) addStartConfigs() {
	s := &scene{model: w.model, values: w.begun}
	choice := newChoice(w.model.graph.Start)
	s.visitSamples(w.model.starts, func(at *scene, certain bool) {
		choice.decideCase(at, Case{Certain: certain}, func() (can, must bool) { return w.model.goalStatus(at) }, func(edge int, certain bool) {
			if edge == noEdge {
				return
			}
			if edge == goalMet || w.model.graph.Start[edge].To == nil {
				w.empty = true
				return
			}
			if node, known := w.model.index[w.model.graph.Start[edge].To]; known {
				id := w.reachConfig(node, w.begun, 0, -1)
				w.configs[id].doubt = !certain
				if !slices.Contains(w.entered, id) {
					w.entered = append(w.entered, id)
				}
			}
		})
	})
}

// nodeWeight is how many nodes end when a node runs.
func nodeWeight(n *ir.Node) int {
	if p, ok := n.Action.(*ir.Parallel); ok {
		return 1 + len(p.Branches)
	}
	return 1
}

// expandConfig tries everything that can follow a configuration.
func (w *walk) expandConfig(config int) {
	node := w.model.nodes[w.configs[config].node]
	values := w.configs[config].values
	w.noteInterrupts(config, false, values, "")
	for _, in := range w.model.before[w.configs[config].node] {
		if can, must := w.conditionStatus(in.When, values, node.ID, ""); can {
			w.addEdgeStep(config, in.Skip, step{values: values, certain: must})
		}
	}
	for _, o := range w.nodeOutcomes(node, values) {
		w.followNodeEdges(config, o)
	}
}

// A finished is a node that has ended.
type finished struct {
	label   string
	values  []value
	certain bool
	// weight is how many nodes end with it.
	weight int
}

// nodeOutcomes returns the possible ends of a node, with the values after its handlers.
func (w *walk) nodeOutcomes(n *ir.Node, values []value) []finished {
	switch a := n.Action.(type) {
	case *ir.Decision:
		return w.decisionOutcomes(n, a, values)
	case *ir.Parallel:
		return w.parallelOutcomes(n, a, values)
	}
	var list []finished
	for _, l := range n.Labels {
		list = append(list, finished{l.Name, w.applyHandlers(n, l.Name, values), true, 1})
	}
	return list
}

// decisionOutcomes returns the labels that a decision may end with.
func (w *walk) decisionOutcomes(n *ir.Node, d *ir.Decision, values []value) []finished {
	if len(n.Labels) != 2 {
		return nil
	}
	var can [2]finished
	s := &scene{model: w.model, values: values, current: n.ID}
	s.visitSamples(w.model.decisions[w.model.index[n]], func(at *scene, certain bool) {
		v := at.eval(d.Cond)
		certain = certain && v.kind == boolean
		if v.mayHold() && (can[0].label == "" || certain) {
			can[0] = finished{n.Labels[0].Name, nil, certain, 1}
		}
		if v.mayFail() && (can[1].label == "" || certain) {
			can[1] = finished{n.Labels[1].Name, nil, certain, 1}
		}
	})
	var list []finished
	for _, o := range can {
		if o.label != "" {
			o.values = w.applyHandlers(n, o.label, values)
			list = append(list, o)
		}
	}
	return list
}

// applyHandlers returns the values after a node has ended with a label and its handlers
// have run.
func (w *walk) applyHandlers(n *ir.Node, label string, values []value) []value {
	out := values
	set := func(slot int, v value) {
		if out[slot] == v {
			return
		}
		if &out[0] == &values[0] {
			out = append([]value(nil), values...)
		}
		out[slot] = v
	}
	if slot, read := w.model.labels[n.ID]; read {
		set(slot, value{kind: text, text: label})
	}
	for _, h := range n.Handlers {
		if h.Label != label {
			continue
		}
		for _, a := range h.Assigns {
			if a.Field == nil {
				continue
			}
			slot, read := w.model.variables[a.Field.Name]
			if !read {
				continue
			}
			v := assignedValue(a, out[slot])
			if _, isSaid := a.Value.(*expr.Said); isSaid && !a.Append && givesOnlyLabel(n) {
				v = valueFromText(a.Field, out[slot], label)
			}
			if w.model.slots[slot].presence && v.isKnown() && v.kind != null {
				v = value{kind: present}
			}
			set(slot, v)
		}
	}
	return out
}

// givesOnlyLabel reports whether a node gives no text but its label.
func givesOnlyLabel(n *ir.Node) bool {
	switch a := n.Action.(type) {
	case *ir.Decision, *ir.Parallel, *ir.Checkpoint:
		return true
	case *ir.Join:
		return a.Prompt == nil
	}
	return false
}

// assignedValue returns the value of a variable after an assignment.
func assignedValue(a *ir.Assign, old value) value {
	if a.Append {
		return value{kind: present}
	}
	switch v := a.Value.(type) {
	case *expr.Literal:
		return literalValue(v)
	case *expr.Said:
		// A text that cannot be converted leaves the variable as it was.
		if !types.IsText(types.WithoutNull(a.Field.Type)) && (old.kind == null || old.kind == unknown) {
			return value{kind: unknown}
		}
		return value{kind: present}
	}
	return value{kind: unknown}
}

// followNodeEdges follows the edges of a node that has ended.
func (w *walk) followNodeEdges(config int, o finished) {
	at := w.configs[config].node
	n := w.model.nodes[at]
	w.noteInterrupts(config, true, o.values, o.label)
	s := &scene{model: w.model, values: o.values, ended: n.ID, label: o.label, current: n.ID}
	if w.joined {
		s.most = fewSamples
	}
	taken := map[int]bool{}
	s.visitSamples(w.model.reads[at], func(sample *scene, certain bool) {
		w.tried++
		c := Case{Label: o.label, Certain: certain && o.certain && !w.joined, config: config, sampled: sample.values, values: o.values}
		w.cases[at].decideCase(sample, c, func() (can, must bool) { return w.model.goalStatus(sample) }, func(edge int, certain bool) {
			if taken[edge] {
				return
			}
			taken[edge] = true
			st := step{label: o.label, values: o.values, certain: certain, weight: o.weight}
			switch edge {
			case noEdge:
				w.addEdgeStep(config, nil, st)
			case goalMet:
				w.addEdgeStep(config, nil, st)
				w.steps[len(w.steps)-1].to = end
			default:
				w.addEdgeStep(config, n.Out[edge], st)
			}
		})
	})
}

// goalStatus reports whether a goal can be met in a scene, and whether one must be.
// Without goals, every run that reaches an end meets them.
func (m *model) goalStatus(s *scene) (can, must bool) {
	must = true
	s.visitSamples(m.goals, func(at *scene, _ bool) {
		met := booleanValue(false)
		for _, g := range m.graph.Goals {
			if v := at.eval(g.Cond); v.mayHold() && !v.mayFail() {
				met = v
				break
			} else if v.mayHold() {
				met = v
			}
		}
		can, must = can || met.mayHold(), must && !met.mayFail()
	})
	return can, can && must
}

// addEdgeStep adds a step along an edge, nil if there is none.
func (w *walk) addEdgeStep(config int, e *ir.Edge, st step) {
	st.from, st.edge, st.to = config, e, nowhere
	st.certain = st.certain && !w.joined
	id := len(w.steps)
	w.steps = append(w.steps, st)
	switch {
	case e == nil:
	case e.To == nil:
		w.steps[id].to = end
	default:
		if node, known := w.model.index[e.To]; known {
			to := w.reachConfig(node, st.values, w.configs[config].cost+st.weight, id)
			w.steps[id].to = to
		}
	}
}

// noteInterrupts notes which interrupts can be asked.
func (w *walk) noteInterrupts(config int, after bool, values []value, label string) {
	n := w.model.nodes[w.configs[config].node]
	for _, in := range w.model.graph.Interrupts {
		if in.Node == n && in.After == after && !w.fired[in] {
			w.fired[in], _ = w.conditionStatus(in.When, values, n.ID, label)
		}
	}
}

// conditionStatus reports whether a condition can be true, and whether it must be; nil always
// is.
func (w *walk) conditionStatus(cond expr.Expr, values []value, current, label string) (can, must bool) {
	if cond == nil {
		return true, true
	}
	s := &scene{model: w.model, values: values, current: current}
	if label != "" {
		s.ended, s.label = current, label
	}
	must = true
	s.visitSamples(w.model.slotsOf([]expr.Expr{cond}, ""), func(at *scene, _ bool) {
		v := at.eval(cond)
		can, must = can || v.mayHold(), must && !v.mayFail()
	})
	return can, must
}

// reachConfig returns the configuration of a node and values, which is new or was
// known, for a cost.
func (w *walk) reachConfig(node int, values []value, cost, from int) int {
	name := w.configName(node+1, values)
	if w.joined {
		name = w.configName(node+1, nil)
	}
	id, known := w.known[name]
	switch {
	case !known:
		id = len(w.configs)
		w.known[name] = id
		w.configs = append(w.configs, config{node: node, values: values, cost: cost, from: from})
	case w.joined && w.widenConfig(id, values):
		w.configs[id].done = false // with the new values
		if cost < w.configs[id].cost {
			w.configs[id].cost, w.configs[id].from = cost, from
		}
	case cost < w.configs[id].cost:
		// One that is done is so only if paths are joined: its successors cost less
		// now, too.
		w.configs[id].cost, w.configs[id].from, w.configs[id].done = cost, from, false
	default:
		return id
	}
	heap.Push(&w.queue, entry{w.configs[id].cost, id})
	return id
}

// widenConfig takes values into a configuration, and reports whether less is known of
// it than before.
func (w *walk) widenConfig(id int, values []value) bool {
	old := w.configs[id].values
	var wider []value
	for i, v := range values {
		if m := mergeValues(old[i], v); m != old[i] {
			if wider == nil {
				wider = append([]value(nil), old...)
			}
			wider[i] = m
		}
	}
	if wider != nil {
		w.configs[id].values = wider
	}
	return wider != nil
}

// configName is a short name of a node and values.
func (w *walk) configName(node int, values []value) string {
	buf := make([]byte, 0, 4*len(values)+4)
	buf = binary.AppendUvarint(buf, uint64(node))
	for _, v := range values {
		id, known := w.interned[v]
		if !known {
			id = uint32(len(w.interned))
			w.interned[v] = id
		}
		buf = binary.AppendUvarint(buf, uint64(id))
	}
	return string(buf)
}

// allSteps yields the index of every step and that of its configuration.
func (w *walk) allSteps() iter.Seq2[int, int] {
	return func(yield func(s, config int) bool) {
		for id := range w.configs {
			for s := w.configs[id].first; s < w.configs[id].last; s++ {
				if !yield(s, id) {
					return
				}
			}
		}
	}
}

// An agenda yields the cheapest configuration first, of equal ones the oldest.
type agenda []entry

type entry struct{ cost, config int }

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].cost < a[j].cost || a[i].cost == a[j].cost && a[i].config < a[j].config
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(entry)) }
func (a *agenda) Pop() any {
	old := *a
	last := old[len(old)-1]
	*a = old[:len(old)-1]
	return last
}
