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
// the step's condition has tested that it exists; every other read is reported.

// stepPresence decides for every read of a step's output whether it may be
// absent, writes that into the expression, and reports unguarded reads.
func stepPresence(w *ir.Workflow, body *ir.Sequence, bag *diag.Bag) {
	p := &steps{bag: bag, analysis: newAnalysis(&ir.DAG{Nodes: body.Nodes})}
	p.setUnguardedPresence(w, body)
	for _, n := range body.Nodes {
		p.checkNode(n, place{end: n.Finally})
	}
}

// steps is the analysis of a sequence.
type steps struct {
	*analysis
	bag *diag.Bag
}

// setUnguardedPresence writes the presence that every read of a step's output has as far as its
// step decides, without the tests around the read. Only the fields of steps that may
// be skipped stay lenient.
func (p *steps) setUnguardedPresence(w *ir.Workflow, body *ir.Sequence) {
	end := map[*ir.Node]bool{}
	for _, n := range body.Nodes {
		if n.Finally {
			ir.Walk(&ir.Sequence{Nodes: []*ir.Node{n}}, func(inner *ir.Node) { end[inner] = true })
		}
	}
	w.EachExpr(func(in *ir.Node, e expr.Expr) {
		switch e := e.(type) {
		case *expr.StepValue:
			if producer := p.byID[e.Node]; producer != nil && isConditional(producer) || end[in] {
				e.Presence |= expr.MaybeSkipped
			}
		case *expr.Attr:
			e.Lenient = e.Lenient && ofSkipped(e.X)
		}
	})
}

// ofSkipped reports whether a value is, or is in, the output of a step that may be
// skipped.
func ofSkipped(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.StepValue:
		return e.Presence&expr.MaybeSkipped != 0
	case *expr.Attr:
		return e.Lenient
	case *expr.Item:
		return ofSkipped(e.X)
	}
	return false
}

// A place holds the known facts at the place of a node's templates.
type place struct {
	known facts
	// conditions are the conditions that let the node run, its own and those of the
	// nodes around it, as written.
	conditions []string
	// path are the results of these conditions.
	path *goals
	// loop is the loop whose body the node is, or nil.
	loop *ir.Repeat
	// end says that the node runs at the end of every run.
	end bool
}

func (p *steps) checkNode(n *ir.Node, at place) {
	if n.When != nil {
		w := p.guardedWalker(at)
		at.known, _ = w.walkCondition(n.When, at.known)
		at.path = w.assumeResult(n.When, true).path
		at.conditions = append(at.conditions[:len(at.conditions):len(at.conditions)], normalizeSpace(n.WhenText))
	}
	switch a := n.Action.(type) {
	case *ir.ForEach:
		w := p.guardedWalker(at)
		for _, v := range a.Vars {
			w.walkCondition(v.Items, at.known)
		}
		p.checkNode(a.Body, at)
	case *ir.Repeat:
		inside := at
		inside.loop = a
		p.checkNode(a.Body, inside)
		tested := at.known.withFact(previousFact(a.Previous), completed)
		p.guardedWalker(inside).walkCondition(a.Cond, tested)
	case *ir.Fork:
		at.loop = nil
		for _, child := range a.Nodes {
			p.checkNode(child, at)
		}
	}
	if t := ir.WrittenText(n.Action); t != nil {
		p.guardedWalker(at).walkParts(t.Parts, at.known)
	}
}

// guardedWalker returns a walker for one template or condition. It reports each output
// once.
func (p *steps) guardedWalker(at place) walker {
	reported := map[string]bool{}
	return walker{in: p.analysis, path: at.path, seen: func(e expr.Expr, known facts, path *goals) {
		switch e := e.(type) {
		case *expr.StepValue:
			p.checkStepRead(e, at, known, path, reported)
		case *expr.Local:
			p.reportPreviousRead(e, at, known, reported)
		}
	}}
}

// checkStepRead decides whether a step's output may be absent.
func (p *steps) checkStepRead(e *expr.StepValue, at place, known facts, path *goals, reported map[string]bool) {
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
	if producer.When == nil || at.runsWith(producer) || !path.and(p.skippedGoal(producer)).isPossible() {
		return
	}
	reported[e.Node] = true
	p.bag.Add(finding.MaybeSkippedStep(e.At, stepName(e), "the step may be skipped", "its condition", producer.When.Span()))
}

// runsWith reports whether a place has the very condition of another node. Both run
// then, for all that can be expected, but that is not a proof: names may mean
// something else by then.
func (at place) runsWith(n *ir.Node) bool {
	return slices.Contains(at.conditions, normalizeSpace(n.WhenText))
}

// normalizeSpace is a condition without differences in its white space.
func normalizeSpace(condition string) string { return strings.Join(strings.Fields(condition), " ") }

// stepName is the name by which an expression reads a step. Its node has another
// id if a step before it has the same name.
func stepName(e *expr.StepValue) string {
	if name := e.At.Text(); name != "" && strings.HasPrefix(e.Node, name) {
		return name
	}
	return e.Node
}

// reportPreviousRead reports a read of a loop's own output of the iteration before, which the
// first iteration does not have.
func (p *steps) reportPreviousRead(e *expr.Local, at place, known facts, reported map[string]bool) {
	key := previousFact(e.Of)
	if at.loop == nil || e.Of != at.loop.Previous || known[key] == completed || reported[key] {
		return
	}
	reported[key] = true
	p.bag.Add(finding.MaybeSkippedStep(e.At, e.Of.Name, "the first iteration has no previous output", "the loop", at.loop.Span))
}
