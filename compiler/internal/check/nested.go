package check

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// The DAG in the body of a node is analysed like that of the workflow, with two more
// sources of evidence. What holds when the node around the body runs, holds inside it. And
// an iteration in which a node failed is not tested, so no node that the test reads has
// failed.

// inside returns the analysis of the DAG in the body of a node, or nil.
func (a *analysis) inside(n *ir.Node) *analysis {
	var dag *ir.DAG
	switch action := n.Action.(type) {
	case *ir.Loop:
		dag, _ = action.Body.(*ir.DAG)
	case *ir.Block:
		dag = action.Body
	}
	if dag == nil {
		return nil
	}
	inner := newAnalysis(dag)
	inner.owner, inner.outer = n, a
	return inner
}

// end returns a node that stands for the end of an iteration, if the loop around the DAG
// has a test that reads its nodes.
func (a *analysis) end() []*ir.Node {
	if a.owner == nil {
		return nil
	}
	loop, ok := a.owner.Action.(*ir.Loop)
	if !ok || loop.Until == nil {
		return nil
	}
	end := &ir.Node{ID: a.owner.ID, Trigger: ir.AllDone, Action: loop.Until}
	for _, n := range a.nodes {
		end.Needs = append(end.Needs, &ir.Need{Node: n})
	}
	return []*ir.Node{end}
}

// isEnd reports whether a node stands for the end of an iteration.
func (a *analysis) isEnd(n *ir.Node) bool {
	if a.owner == nil {
		return false
	}
	loop, ok := a.owner.Action.(*ir.Loop)
	return ok && loop.Until != nil && n.Action == ir.Action(loop.Until)
}

// reads returns the pass over the references of a node.
func (a *analysis) reads(n *ir.Node, bag *diag.Bag) *presencePass {
	return &presencePass{analysis: a, reader: n, bag: bag, told: &[]string{}}
}

// at returns the pass in the analysis that has a producer, with the producer and what is
// known there: nodes around a body are read when the node with the body runs.
func (p *presencePass) at(id string, known facts) (*presencePass, *ir.Node, facts) {
	for p != nil {
		if producer := p.byID[id]; producer != nil {
			return p, producer, known
		}
		if p.outer == nil {
			return p, nil, known
		}
		for id, k := range p.outer.conditionFacts(p.owner) {
			known = known.learn(id, k)
		}
		p = &presencePass{analysis: p.outer, reader: p.owner, bag: p.bag, told: p.told}
	}
	return p, nil, known
}

// runsInside reports whether a node of a body completes in every iteration that is tested:
// it cannot have failed then, so it has if it is never skipped.
func (p *presencePass) runsInside(n *ir.Node, known facts) bool {
	if !p.isEnd(p.reader) {
		return false
	}
	if p.runs == nil {
		p.runs = map[*ir.Node]bool{}
	}
	runs, found := p.runs[n]
	if !found {
		p.runs[n] = false // a node that waits for itself has been reported
		runs = !p.maySkip(n, known)
		p.runs[n] = runs
	}
	return runs
}

// silent reports whether no agent that gives the output of a group learns the word that
// ends it. Scripts and people may know it.
func silent(loop *ir.Loop) bool {
	for _, n := range loop.Last {
		if n.Output == types.Invalid {
			return false // another finding says why
		}
		switch a := n.Action.(type) {
		case *ir.Prompt:
			if tells(words(a.Text), loop.Signal) {
				return false
			}
		case *ir.Loop:
			inner, nested := a.Body.(*ir.DAG)
			switch {
			case nested && len(inner.Nodes) > 0:
				all := *a
				all.Signal = loop.Signal
				if !silent(&all) {
					return false
				}
			case strings.TrimSpace(a.Signal) == strings.TrimSpace(loop.Signal):
				return false // reported for that loop
			default:
				for _, body := range a.Body.All() {
					if p, ok := body.Action.(*ir.Prompt); !ok || tells(words(p.Text), loop.Signal) {
						return false
					}
				}
			}
		default:
			return false
		}
	}
	return len(loop.Last) > 0
}
