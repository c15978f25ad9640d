package check

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A step with a condition may have no output. Neither has a loop's step its own
// output in the first iteration. A step that runs at the end of every run may find
// that no other step has one. Reading such an output is valid if the template or
// the step's condition has tested that it is there; every other read is reported.

// stepPresence decides for every read of a step's output whether it may be
// absent, writes that into the expression, and reports reads that nothing guards.
func stepPresence(body *ir.Sequence, bag *diag.Bag) {
	p := &steps{bag: bag, byID: map[string]*ir.Node{}}
	for _, n := range body.Nodes {
		p.byID[n.ID] = n
	}
	for _, n := range body.Nodes {
		p.node(n, place{end: n.Finally})
	}
}

// steps is the analysis of a sequence.
type steps struct {
	bag  *diag.Bag
	byID map[string]*ir.Node
}

// A place holds the known facts at the place of a node's templates.
type place struct {
	known facts
	// conditions are the conditions that let the node run, its own and those of the
	// nodes around it, as written.
	conditions []string
	// loop is the loop whose body the node is, or nil.
	loop *ir.Repeat
	// end says that the node runs at the end of every run.
	end bool
}

func (p *steps) node(n *ir.Node, at place) {
	if n.When != nil {
		at.known, _ = p.guarded(at).walk(n.When, at.known)
		at.conditions = append(at.conditions[:len(at.conditions):len(at.conditions)], spaced(n.WhenText))
	}
	switch a := n.Action.(type) {
	case *ir.ForEach:
		w := p.guarded(at)
		for _, v := range a.Vars {
			w.walk(v.Items, at.known)
		}
		p.node(a.Body, at)
	case *ir.Repeat:
		inside := at
		inside.loop = a
		p.node(a.Body, inside)
		tested := at.known.learn(previousFact(a.Previous), completed)
		p.guarded(inside).walk(a.Cond, tested)
	case *ir.Fork:
		at.loop = nil
		for _, child := range a.Nodes {
			p.node(child, at)
		}
	case *ir.Bash:
		if a.Original != nil {
			p.guarded(at).parts(a.Original.Parts, at.known)
		}
	case *ir.Script:
		if a.Original != nil {
			p.guarded(at).parts(a.Original.Parts, at.known)
		}
	case *ir.Prompt:
		p.guarded(at).parts(a.Text.Parts, at.known)
	}
}

// guarded returns a walker for one template or condition. It reports each output
// once.
func (p *steps) guarded(at place) walker {
	reported := map[string]bool{}
	return walker{seen: func(e expr.Expr, known facts) {
		switch e := e.(type) {
		case *expr.StepValue:
			p.step(e, at, known, reported)
		case *expr.Local:
			p.previous(e, at, known, reported)
		}
	}}
}

// step decides whether a step's output may be absent.
func (p *steps) step(e *expr.StepValue, at place, known facts, reported map[string]bool) {
	if known[e.Node] == completed {
		e.Presence &^= expr.MaybeSkipped
	}
	producer := p.byID[e.Node]
	if e.Presence&expr.MaybeSkipped == 0 || reported[e.Node] || producer == nil {
		return
	}
	if at.end {
		reported[e.Node] = true
		p.bag.Add(finding.MaybeSkippedStep(e.At, stepName(e), "a `finally` step also runs after a failure", "the step may fail, or not run", producer.IDSpan))
		return
	}
	if producer.When == nil || at.runsWith(producer) {
		return
	}
	reported[e.Node] = true
	p.bag.Add(finding.MaybeSkippedStep(e.At, stepName(e), "the step may be skipped", "its condition", producer.When.Span()))
}

// runsWith reports whether a place has the very condition of another node. Both run
// then, for all that can be expected, but that is not a proof: names may mean
// something else by then.
func (at place) runsWith(n *ir.Node) bool {
	return slices.Contains(at.conditions, spaced(n.WhenText))
}

// spaced is a condition without differences in its white space.
func spaced(condition string) string { return strings.Join(strings.Fields(condition), " ") }

// stepName is the name by which an expression reads a step. Its node has another
// id if a step before it has the same name.
func stepName(e *expr.StepValue) string {
	if name := e.At.Text(); name != "" && strings.HasPrefix(e.Node, name) {
		return name
	}
	return e.Node
}

// previous reports a read of a loop's own output of the iteration before, which the
// first iteration does not have.
func (p *steps) previous(e *expr.Local, at place, known facts, reported map[string]bool) {
	key := previousFact(e.Of)
	if at.loop == nil || e.Of != at.loop.Previous || known[key] == completed || reported[key] {
		return
	}
	reported[key] = true
	p.bag.Add(finding.MaybeSkippedStep(e.At, e.Of.Name, "the first iteration has no previous output", "the loop", at.loop.Span))
}

// checkSequence reports loops of steps whose condition does not depend on the
// results of their iterations: nothing else that an expression can read changes
// while a step runs.
func checkSequence(body *ir.Sequence, bag *diag.Bag) {
	for _, n := range body.Nodes {
		again, ok := n.Action.(*ir.Repeat)
		if !ok {
			continue
		}
		if _, constant := expr.Constant(again.Cond); constant {
			continue // the front end knows how it was written
		}
		if !changes(again.Cond, again.Previous) {
			bag.Add(finding.UnchangingLoop(again.Cond.Span(), n.ID, again.Until))
		}
	}
}

// changes reports whether an expression reads a result of the iteration. A faulty
// expression may.
func changes(e expr.Expr, previous *expr.Declared) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Local:
			found = found || x.Of == previous
		case *expr.Bad:
			found = true
		}
		return !found
	})
	return found
}
