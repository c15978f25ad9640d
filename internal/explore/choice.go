package explore

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/ir"
)

// A Choice is the knowledge about a list of edges, of which the first whose guard
// holds is taken.
type Choice struct {
	Edges []EdgeCases
	// Gaps are cases in which no edge is taken and no goal is met, one for each
	// label.
	Gaps []Case
	// Overlaps are pairs of edges with conditions that hold at once and lead to
	// different nodes, each pair once.
	Overlaps []Overlap
}

// EdgeCases are the cases in which an edge's guard holds: any, and the first in
// which it is also the one taken. Nil means never.
type EdgeCases struct {
	Edge        *ir.Edge
	Held, Taken *Case
}

// An Overlap is a pair of edges that hold at once; First comes first in the file
// and is taken.
type Overlap struct {
	First, Second *ir.Edge
	Case          Case
}

// A Case is a situation in which edges are chosen.
type Case struct {
	// Label is the label with which the node ended.
	Label string
	// Certain says that it can really come about: nothing unknown had a part in
	// it.
	Certain bool

	config          int // the configuration of the node, or -1
	values, sampled []value
}

// withCopiedValues returns the case with a copy of its values: the next attempt overwrites
// them.
func (c Case) withCopiedValues() Case {
	c.sampled = slices.Clone(c.sampled)
	return c
}

func newChoice(edges []*ir.Edge) *Choice {
	c := &Choice{}
	for _, e := range edges {
		c.Edges = append(c.Edges, EdgeCases{Edge: e})
	}
	return c
}

// The result if no edge holds: nothing, or the end by a goal.
const (
	noEdge  = -1
	goalMet = -2
)

// decideCase notes the results of a case, and calls take for every edge that may be the
// first that holds. If possibly none holds, goal says whether one of the graph's
// goals can be met there and whether one must be; take is called with goalMet and
// with noEdge accordingly.
func (c *Choice) decideCase(s *scene, at Case, goal func() (can, must bool), take func(edge int, certain bool)) {
	taken := -1
	for i := range c.Edges {
		e := &c.Edges[i]
		v := booleanValue(true)
		if e.Edge.Guard != nil {
			v = s.eval(e.Edge.Guard)
		}
		if !v.mayHold() {
			continue
		}
		here := at
		here.Certain = at.Certain && v.kind == boolean
		keepMoreCertain(&e.Held, here)
		if taken >= 0 {
			if v.kind == boolean {
				c.addOverlap(taken, i, here)
			}
			continue
		}
		keepMoreCertain(&e.Taken, here)
		take(i, here.Certain)
		if v.kind == boolean {
			taken = i
			continue
		}
		at.Certain = false // whether the edges below have a say is not known
	}
	if taken >= 0 {
		return
	}
	can, must := goal()
	at.Certain = at.Certain && can == must
	if can {
		take(goalMet, at.Certain)
	}
	if !must {
		take(noEdge, at.Certain)
		c.addGap(at)
	}
}

// keepMoreCertain keeps a case unless a more certain one is known.
func keepMoreCertain(kept **Case, c Case) {
	if *kept == nil || c.Certain && !(*kept).Certain {
		c = c.withCopiedValues()
		*kept = &c
	}
}

func (c *Choice) addGap(at Case) {
	for i := range c.Gaps {
		if c.Gaps[i].Label == at.Label {
			if at.Certain && !c.Gaps[i].Certain {
				c.Gaps[i] = at.withCopiedValues()
			}
			return
		}
	}
	c.Gaps = append(c.Gaps, at.withCopiedValues())
}

// addOverlap notes that two edges hold at once. An edge without a condition is the
// rest of those before it, and overlaps none.
func (c *Choice) addOverlap(first, second int, at Case) {
	a, b := c.Edges[first].Edge, c.Edges[second].Edge
	if a.Guard == nil || b.Guard == nil || a.To == b.To {
		return
	}
	for i := range c.Overlaps {
		if o := &c.Overlaps[i]; o.First == a && o.Second == b {
			if at.Certain && !o.Case.Certain {
				o.Case = at.withCopiedValues()
			}
			return
		}
	}
	c.Overlaps = append(c.Overlaps, Overlap{a, b, at.withCopiedValues()})
}
