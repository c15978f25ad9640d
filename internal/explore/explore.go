// Package explore finds every behaviour of a state graph, by trying all of them.
//
// A configuration is the next node together with the values of the variables that
// some guard reads. The replies of agents, scripts and users are unknown, so the
// exploration tries every label that a node declares. Handlers hold only constants
// and the text that a node gave; these graphs have no arithmetic. So a variable is
// either one known constant or unknown, and the reachable configurations are few:
// the exploration enumerates them, cheapest first, each with the path to it.
//
// A guard that reads an unknown variable is evaluated for values of every kind that
// the graph's guards can distinguish: each constant that the variable is compared
// with, something between, below and above them, and null where possible. A guard
// that is still undecided counts as true and as false. The value that an unknown
// variable had at one node is forgotten at the next. So the exploration leaves out
// nothing that can happen, which makes "never" a proof. A reported possibility may
// still be impossible, unless it came about without unknown values (Case.Certain).
//
// Limits, failures, timeouts without a label and a person who stops a run are left out:
// every run may also end by them.
//
// If there are more configurations than Options.Configurations, the exploration
// starts again with one configuration per node, in which a variable has a value
// only if it is the same on all paths to the node. That always ends, and "never"
// stays a proof.
package explore

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// DefaultConfigurations is the bound on configurations when none is given.
const DefaultConfigurations = 50_000

// Options bound an exploration.
type Options struct {
	// Configurations is how many are distinguished at most; 0 means
	// DefaultConfigurations.
	Configurations int
	// Settings says that variables which no handler sets may begin with any value:
	// the result then holds for all values that the file's author may set.
	Settings bool
}

// Run explores a graph. Expressions that are expr.Bad count as unknown.
func Run(g *ir.Graph, o Options) *Result {
	if o.Configurations <= 0 {
		o.Configurations = DefaultConfigurations
	}
	m := newModel(g, o.Settings)
	w := newWalk(m, o.Configurations)
	if !w.exploreAll() {
		w = newWalk(m, o.Configurations)
		w.joined = true
		w.exploreAll()
	}
	return newResult(w, o)
}

// A slot is something that a guard reads: a variable of the state, the last
// label of a node, or a measure of the run.
type slot struct {
	name    string
	typ     types.Type
	initial value
	// samples are values that lead to different results of the graph's guards, for a slot
	// with an unknown value; empty if no value would make a difference.
	samples []value
	// orNull are the samples and null, if there are any.
	orNull []value
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
	// goals are the slots that completion conditions read.
	goals []int
	// before are the interrupts that may skip each node.
	before [][]*ir.Interrupt
	// branch says that a node is a branch of a parallel.
	branch []bool
}

func newModel(g *ir.Graph, settings bool) *model {
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
		m.reads[i] = m.slotsOf(ir.Guards(n.Out), n.ID)
		if d, ok := n.Action.(*ir.Decision); ok {
			m.decisions[i] = m.slotsOf([]expr.Expr{d.Cond}, "")
		}
	}
	m.starts = m.slotsOf(ir.Guards(g.Start), "")
	for _, in := range g.Interrupts {
		m.slotsOf([]expr.Expr{in.When}, "")
		if at, known := m.index[in.Node]; known && !in.After && !in.Required && in.Skip != nil {
			m.before[at] = append(m.before[at], in)
		}
	}
	for _, goal := range g.Goals {
		m.goals = append(m.goals, m.slotsOf([]expr.Expr{goal.Cond}, "")...)
	}
	slices.Sort(m.goals)
	m.goals = slices.Compact(m.goals)
	m.chooseSamples()
	m.addPresenceSlots()
	if settings {
		m.freeUnassignedVariables()
	}
	return m
}

// addPresenceSlots makes slots of the variables that may have no value and that no guard
// reads.
func (m *model) addPresenceSlots() {
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

// freeUnassignedVariables makes variables that begin with a constant and that no handler sets ones
// of which nothing is known but that they have a value.
func (m *model) freeUnassignedVariables() {
	set := map[string]bool{}
	for _, n := range m.nodes {
		for _, h := range n.Handlers {
			for _, a := range h.Assigns {
				if a.Field != nil {
					set[a.Field.Name] = true
				}
			}
		}
	}
	for name, slot := range m.variables {
		if s := &m.slots[slot]; !set[name] && s.initial.isKnown() && s.initial.kind != null {
			s.initial = value{kind: present}
		}
	}
}

// slotsOf returns the slots that expressions read, in order and each once, and
// makes those that are new. The label of the node that has just ended is not a
// slot: it is known where its edges are decided.
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
	if s := m.findSlot(e); s >= 0 {
		return s
	}
	at := len(m.slots)
	switch e := e.(type) {
	case *expr.State:
		s := slot{name: "state." + e.Name, typ: e.Typ, initial: value{kind: unknown}}
		if f := m.graph.State.Field(e.Name); f != nil {
			s.typ, s.initial = f.Type, initialValue(f)
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

// findSlot returns the slot that an expression reads, or -1.
func (m *model) findSlot(e expr.Expr) int {
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

// initialValue returns the value of a variable at the start.
func initialValue(f *ir.StateField) value {
	switch e := f.Initial.(type) {
	case nil:
		return value{kind: null}
	case *expr.Literal:
		return literalValue(e)
	}
	return value{kind: present}
}
