package explore

import (
	"cmp"
	"slices"

	"github.com/wfc-lang/wfc/compiler/expr"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/types"
)

// A slot is something that a guard reads: a variable of the state, the last
// label of a node, or a measure of the run.
type slot struct {
	name    string
	typ     types.Type
	initial value
	// samples are values that tell the graph's guards apart, for when the slot's
	// value is not known; empty when nothing would be learned from any.
	samples []value
	// presence says that no guard reads it, so that all that matters is whether
	// there is a value.
	presence bool
}

// A model is a graph as the exploration sees it.
type model struct {
	graph *ir.Graph
	nodes []*ir.Node
	index map[*ir.Node]int
	byID  map[string]int
	slots []slot
	// The slots of variables, of nodes' labels and of measures.
	variables map[string]int
	labels    map[string]int
	measures  map[expr.Measure]int
	// reads are the slots that the guards of each node's outgoing edges read, and
	// its condition; starts those of the edges from START.
	reads     [][]int
	decisions [][]int
	starts    []int
	// before are the interrupts that may skip each node.
	before [][]*ir.Interrupt
	// branch says that a node is a branch of a parallel.
	branch []bool
}

func newModel(g *ir.Graph) *model {
	m := &model{
		graph: g, nodes: g.Nodes, index: map[*ir.Node]int{}, byID: map[string]int{},
		variables: map[string]int{}, labels: map[string]int{}, measures: map[expr.Measure]int{},
		reads: make([][]int, len(g.Nodes)), decisions: make([][]int, len(g.Nodes)),
		before: make([][]*ir.Interrupt, len(g.Nodes)), branch: make([]bool, len(g.Nodes)),
	}
	for i, n := range g.Nodes {
		m.index[n], m.byID[n.ID] = i, i
	}
	for i, n := range g.Nodes {
		if p, ok := n.Action.(*ir.Parallel); ok {
			for _, b := range p.Branches {
				if at, known := m.index[b]; known {
					m.branch[at] = true
				}
			}
		}
		m.reads[i] = m.slotsOf(guards(n.Out), n.ID)
		if d, ok := n.Action.(*ir.Decision); ok {
			m.decisions[i] = m.slotsOf([]expr.Expr{d.Cond}, "")
		}
	}
	m.starts = m.slotsOf(guards(g.Start), "")
	for _, in := range g.Interrupts {
		m.slotsOf([]expr.Expr{in.When}, "")
		if at, known := m.index[in.Node]; known && !in.After && !in.Required && in.Skip != nil {
			m.before[at] = append(m.before[at], in)
		}
	}
	for _, goal := range g.Goals {
		m.slotsOf([]expr.Expr{goal.Cond}, "")
	}
	m.sample()
	m.presences()
	return m
}

// presences makes slots of the variables that may have no value and that no guard
// reads.
func (m *model) presences() {
	if m.graph.State == nil {
		return
	}
	for _, f := range m.graph.State.Fields {
		if _, read := m.variables[f.Name]; read || f.Initial != nil {
			continue
		}
		m.variables[f.Name] = len(m.slots)
		m.slots = append(m.slots, slot{name: "state." + f.Name, typ: f.Type, initial: value{kind: null}, presence: true})
	}
}

func guards(edges []*ir.Edge) []expr.Expr {
	var list []expr.Expr
	for _, e := range edges {
		list = append(list, e.Guard)
	}
	return list
}

// slotsOf returns the slots that expressions read, in order and each once, and
// makes those that are new. The label of the node that has just ended is no slot:
// it is known where its edges are decided.
func (m *model) slotsOf(list []expr.Expr, ended string) []int {
	var slots []int
	for _, e := range list {
		expr.Walk(e, func(e expr.Expr) bool {
			if s := m.slotOf(e, ended); s >= 0 && !slices.Contains(slots, s) {
				slots = append(slots, s)
			}
			return true
		})
	}
	slices.Sort(slots)
	return slots
}

// slotOf returns the slot that an expression reads, which it makes when it is
// new, or -1.
func (m *model) slotOf(e expr.Expr, ended string) int {
	if label, ok := e.(*expr.LastLabel); ok && label.Node == ended {
		return -1
	}
	if s := m.find(e); s >= 0 {
		return s
	}
	at := len(m.slots)
	switch e := e.(type) {
	case *expr.State:
		s := slot{name: "state." + e.Name, typ: e.Typ, initial: value{kind: unknown}}
		if f := m.graph.State.Field(e.Name); f != nil {
			s.typ, s.initial = f.Type, initial(f)
		}
		m.variables[e.Name] = at
		m.slots = append(m.slots, s)
	case *expr.LastLabel:
		m.labels[e.Node] = at
		m.slots = append(m.slots, slot{name: "outputs." + e.Node, typ: e.Typ, initial: value{kind: null}})
	case *expr.Progress:
		if e.Measure == expr.CurrentNode {
			return -1
		}
		m.measures[e.Measure] = at
		m.slots = append(m.slots, slot{name: "state." + e.Measure.String(), typ: e.Type(), initial: value{kind: present}})
	default:
		return -1
	}
	return at
}

// find returns the slot that an expression reads, or -1.
func (m *model) find(e expr.Expr) int {
	slot, known := 0, false
	switch e := e.(type) {
	case *expr.State:
		slot, known = m.variables[e.Name]
	case *expr.LastLabel:
		slot, known = m.labels[e.Node]
	case *expr.Progress:
		slot, known = m.measures[e.Measure]
	}
	if !known {
		return -1
	}
	return slot
}

// initial returns what is known of a variable at the start.
func initial(f *ir.StateField) value {
	switch e := f.Initial.(type) {
	case nil:
		return value{kind: null}
	case *expr.Literal:
		return literal(e)
	}
	return value{kind: present}
}

// sample chooses the values that stand for unknown ones. Variables that are
// compared with each other have the same ones.
func (m *model) sample() {
	constants := make([][]value, len(m.slots))
	group := make([]int, len(m.slots))
	for i := range group {
		group[i] = i
	}
	m.expressions(func(e expr.Expr) {
		c, ok := e.(*expr.Compare)
		if !ok {
			return
		}
		x, y := m.find(c.X), m.find(c.Y)
		lx, xIsLiteral := c.X.(*expr.Literal)
		ly, yIsLiteral := c.Y.(*expr.Literal)
		switch {
		case x >= 0 && y >= 0:
			from, to := group[x], group[y]
			for i := range group {
				if group[i] == from {
					group[i] = to
				}
			}
		case x >= 0 && yIsLiteral:
			constants[x] = append(constants[x], literal(ly))
		case y >= 0 && xIsLiteral:
			constants[y] = append(constants[y], literal(lx))
		}
	})
	shared := map[int][]value{}
	for i, list := range constants {
		shared[group[i]] = append(shared[group[i]], list...)
	}
	size := map[int]int{}
	for _, g := range group {
		size[g]++
	}
	for i := range m.slots {
		m.slots[i].samples = samples(m.slots[i].typ, shared[group[i]], size[group[i]] > 1)
	}
}

// expressions calls visit for every expression in the graph's guards.
func (m *model) expressions(visit func(expr.Expr)) {
	walk := func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool { visit(e); return true })
	}
	for _, e := range m.graph.Start {
		walk(e.Guard)
	}
	for _, n := range m.nodes {
		for _, e := range n.Out {
			walk(e.Guard)
		}
		if d, ok := n.Action.(*ir.Decision); ok {
			walk(d.Cond)
		}
	}
	for _, in := range m.graph.Interrupts {
		walk(in.When)
	}
	for _, goal := range m.graph.Goals {
		walk(goal.Cond)
	}
}

// samples returns values of a type that tell apart what it is compared with.
func samples(t types.Type, constants []value, related bool) []value {
	t = elem(t)
	if e, ok := t.(*types.Enum); ok {
		var list []value
		for _, v := range e.Values {
			list = append(list, value{kind: text, text: v})
		}
		return list
	}
	switch {
	case t == types.Bool:
		return []value{truth(true), truth(false)}
	case types.IsNumber(t):
		return numbers(constants, related)
	case types.IsText(t):
		return texts(constants, related)
	}
	return nil
}

func numbers(constants []value, related bool) []value {
	var list []float64
	for _, c := range constants {
		if c.kind == number {
			list = append(list, c.number)
		}
	}
	if len(list) == 0 && related {
		list = []float64{0}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	var out []value
	add := func(f float64) { out = append(out, value{kind: number, number: f}) }
	for i, f := range list {
		switch {
		case i == 0:
			add(f - 1)
		case f-list[i-1] > 1 && f == float64(int64(f)):
			add(f - 1)
		default:
			add((f + list[i-1]) / 2)
		}
		add(f)
	}
	if len(list) > 0 {
		add(list[len(list)-1] + 1)
	}
	return out
}

func texts(constants []value, related bool) []value {
	var out []value
	for _, c := range constants {
		if c.kind == text {
			out = append(out, c)
		}
	}
	if len(out) == 0 && !related {
		return nil
	}
	slices.SortFunc(out, func(a, b value) int { return cmp.Compare(a.text, b.text) })
	out = slices.Compact(out)
	last := ""
	if len(out) > 0 {
		last = out[len(out)-1].text
	}
	if len(out) == 0 || out[0].text != "" {
		out = slices.Insert(out, 0, value{kind: text})
	}
	return append(out, value{kind: text, text: last + "…"})
}

// elem is a type without its being optional.
func elem(t types.Type) types.Type {
	if o, ok := t.(*types.Optional); ok {
		return o.Elem
	}
	return t
}
