package archon

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
)

// An ordering knows which nodes wait for which. It starts with the declared
// dependencies and grows by the ordering edges that references need.
type ordering struct {
	index map[*ir.Node]int
	needs [][]int // declared dependencies
	added [][]int // ordering edges

	// marks of the last search: seen[i] == round says that node i was reached.
	seen  []int
	round int
	// ancestors is the node whose declared ancestors the marks show, or -1.
	ancestors int
}

func newOrdering(all []*ir.Node) *ordering {
	o := &ordering{
		index: make(map[*ir.Node]int, len(all)),
		needs: make([][]int, len(all)), added: make([][]int, len(all)),
		seen: make([]int, len(all)), ancestors: -1,
	}
	for i, n := range all {
		o.index[n] = i
	}
	for i, n := range all {
		for _, need := range n.Needs {
			if k, ok := o.index[need.Node]; ok {
				o.needs[i] = append(o.needs[i], k)
			}
		}
	}
	return o
}

// isAncestor reports whether node i waits for node k by declared dependencies.
func (o *ordering) isAncestor(k, i int) bool {
	for _, d := range o.needs[i] {
		if d == k {
			return true
		}
	}
	if o.ancestors != i {
		o.search(i, -1, false)
		o.ancestors = i
	}
	return o.seen[k] == o.round
}

// waits reports whether node i waits for node k; all says whether ordering
// edges count too.
func (o *ordering) waits(i, k int, all bool) bool {
	o.ancestors = -1
	return o.search(i, k, all)
}

// search marks what node from waits for, and stops early when it meets the
// node stop.
func (o *ordering) search(from, stop int, all bool) bool {
	o.round++
	todo := []int{from}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		edges := [][]int{o.needs[i]}
		if all {
			edges = append(edges, o.added[i])
		}
		for _, list := range edges {
			for _, k := range list {
				if k == stop {
					return true
				}
				if o.seen[k] != o.round {
					o.seen[k] = o.round
					todo = append(todo, k)
				}
			}
		}
	}
	return false
}

// relate makes sure that a producer is settled before a node that reads it
// starts; it reports whether that can be.
func (r *resolver) relate(reader, producer *ir.Node, at source.Span) bool {
	if reader == producer {
		r.bag.Add(diag.SelfReference(at, reader.ID))
		return false
	}
	i, known := r.order.index[reader]
	k, same := r.order.index[producer]
	if !known || !same || r.order.isAncestor(k, i) {
		return true
	}
	for _, need := range reader.Needs {
		if need.Order && need.Node == producer {
			return true
		}
	}
	switch {
	case r.order.waits(k, i, false):
		r.bag.Add(diag.DescendantReference(at, reader.ID, producer.ID, producer.IDSpan))
		return false
	case r.order.waits(k, i, true):
		r.bag.Add(diag.OrderCycle(at, reader.ID, producer.ID, r.orderSpan(producer)))
		return false
	}
	r.order.added[i] = append(r.order.added[i], k)
	reader.Needs = append(reader.Needs, &ir.Need{Node: producer, Span: at, Order: true})
	r.bag.Add(diag.UndeclaredDependency(at, reader.ID, producer.ID, addDependency(reader, producer.ID)))
	return true
}

// orderSpan is where a node got its first ordering edge, if it has one.
func (r *resolver) orderSpan(n *ir.Node) source.Span {
	for _, need := range n.Needs {
		if need.Order {
			return need.Span
		}
	}
	return source.Span{}
}
