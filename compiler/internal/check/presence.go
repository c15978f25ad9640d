package check

import (
	"cmp"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// decidePresence decides for every reference why its value may be absent, writes the
// reasons into the expression, and reports fields that may be absent.
func (a *analysis) decidePresence(bag *diag.Bag) {
	for _, n := range append(slices.Clone(a.nodes), a.iterationEnd()...) {
		p := &presencePass{analysis: a, reader: n, bag: bag, reported: &[]string{}}
		var start *goals
		w := walker{in: a, path: start.and(a.startsGoal(n)), seen: func(e expr.Expr, known facts, path *goals) {
			p.path = path
			p.setPresence(e, known, true)
		}}
		known := facts{}
		if n.When != nil {
			known, _ = w.walkCondition(n.When, known)
		}
		p.path = w.assumeResult(n.When, true).path
		for _, u := range usesOf(n) {
			expr.Walk(u.expr, func(e expr.Expr) bool {
				if f, ok := e.(*expr.Fallback); ok {
					p.setPresence(f.X, known, false) // there is a value for the skipped producer
					return false
				}
				p.setPresence(e, known, u.live)
				return true
			})
		}
	}
}

// A presencePass checks the references of one node.
type presencePass struct {
	*analysis
	reader *ir.Node
	bag    *diag.Bag
	// reported are the producers already reported for this reader.
	reported *[]string
	// path holds the reader, which starts, and the results of the conditions that lead to
	// the reference.
	path *goals
	// runs are the answers of runsInside for one reference.
	runs map[*ir.Node]bool
}

// setPresence writes the presence of one reference; live says that it is evaluated.
func (p *presencePass) setPresence(e expr.Expr, known facts, live bool) {
	switch e := e.(type) {
	case *expr.Output:
		p, producer, known := p.passWithProducer(e.Node, known)
		if producer == nil || e.Previous {
			return
		}
		e.Presence = p.producerPresence(producer, known)
		if e.Needed && live {
			p.reportAbsence(e.At, producer, e.Presence, known, finding.MaybeSkippedBinding)
		}
	case *expr.Field:
		p, producer, known := p.passWithProducer(e.Node, known)
		if producer == nil || e.Previous {
			return
		}
		found := p.producerPresence(producer, known)
		e.Presence = e.Presence&expr.MaybeAbsent | found
		if live {
			p.reportAbsence(e.At, producer, found, known, finding.MaybeSkipped)
		}
	}
}

// producerPresence returns the possible ends of a producer when the reader reads it.
func (p *presencePass) producerPresence(producer *ir.Node, known facts) expr.Presence {
	if producer == p.reader || p.provesFact(producer, completed, known) {
		return 0
	}
	found := expr.Presence(0)
	p.runs = nil
	if p.maySkip(producer, known) {
		found |= expr.MaybeSkipped
	}
	if !p.provesFact(producer, notFailed, known) {
		found |= expr.MaybeFailed
	}
	return found
}

// provesFact reports whether a fact about a node is certain for the reader; known
// includes the evaluated part of the reader's own condition.
func (p *presencePass) provesFact(n *ir.Node, k fact, known facts) bool {
	q := query{n, k, p.reader}
	if k == notFailed && p.isEnd(p.reader) {
		return true // as in whenRuns
	}
	return p.byTrigger(q) || p.byBlock(q) || p.byFacts(q, known)
}

// isConditional reports whether the condition of a node, or of a step, may skip it.
func isConditional(n *ir.Node) bool {
	always, constant := expr.Constant(n.When)
	return n.When != nil && !(constant && always)
}

// maySkip reports whether a producer may have been skipped.
func (p *presencePass) maySkip(producer *ir.Node, known facts) bool {
	if isConditional(producer) || producer.SkipOnTimeout {
		return true
	}
	if producer.Include != nil && !p.provesFact(producer.Include, completed, known) {
		return true
	}
	if countDeclared(producer) == 0 {
		return false
	}
	all, some, failures := true, false, false
	for d := range triggerDependencies(producer) {
		if p.provesFact(d, completed, known) || p.runsInside(d, known) {
			some = true
			continue
		}
		all = false
		failures = failures || producer.SkipCountsAsFailure || !p.provesFact(d, notFailed, known)
	}
	switch producer.Rule {
	case ir.AllSuccess:
		return !all
	case ir.OneSuccess:
		return !some
	case ir.NoneFailedMinOneSuccess:
		return failures || !some
	}
	return false
}

// reportAbsence reports a value that may be absent, once for each producer, if that is a mistake. Two cases are
// not. A skip only after a failure: the run has failed anyway, and a reader of the
// value cannot continue without it. A failure, unless the reader runs in spite of
// failures. A producer that the reader does not depend on was reported at the
// reference.
func (p *presencePass) reportAbsence(at source.Span, producer *ir.Node, found expr.Presence, known facts, skipped func(at source.Span, reader, producer, why string, cause source.Span) *diag.Diagnostic) {
	if found.Always() || slices.Contains(*p.reported, producer.ID) {
		return
	}
	direct := false
	for _, need := range p.reader.Needs {
		if need.Node == producer && need.Order {
			return
		}
		direct = direct || need.Node == producer
	}
	if cause := p.skipCause(producer, known, map[*ir.Node]bool{}); cause != nil && found&expr.MaybeSkipped != 0 {
		if !p.path.and(p.skippedGoal(producer)).isPossible() {
			return
		}
		*p.reported = append(*p.reported, producer.ID)
		why := "`" + cause.ID + "` is skipped if this is false"
		if cause != producer {
			why += ", and `" + producer.ID + "` with it"
		}
		p.bag.Add(skipped(at, p.reader.ID, producer.ID, why, cause.When.Span()))
		return
	}
	if direct && found&expr.MaybeFailed != 0 {
		*p.reported = append(*p.reported, producer.ID)
		p.bag.Add(finding.MaybeFailed(at, p.reader.ID, producer.ID, p.reader.Rule.String()))
	}
}

// skipCause returns a node whose condition may skip a producer in a run without
// failures; nil means that there is none.
func (p *presencePass) skipCause(n *ir.Node, known facts, seen map[*ir.Node]bool) *ir.Node {
	if seen[n] {
		return nil
	}
	seen[n] = true
	if isConditional(n) {
		return n
	}
	if n.Include != nil && !p.provesFact(n.Include, completed, known) {
		if cause := p.skipCause(n.Include, known, seen); cause != nil {
			return cause
		}
	}
	if n.Rule == ir.AllDone {
		return nil
	}
	var cause *ir.Node
	for d := range triggerDependencies(n) {
		var skipped *ir.Node
		if !p.provesFact(d, completed, known) {
			skipped = p.skipCause(d, known, seen)
		}
		if skipped == nil && n.Rule != ir.AllSuccess {
			return nil
		}
		cause = cmp.Or(cause, skipped)
	}
	return cause
}

// iterationEnd returns a node that represents the end of an iteration, if the loop around the
// DAG has a test that reads its nodes.
func (a *analysis) iterationEnd() []*ir.Node {
	if a.owner == nil {
		return nil
	}
	loop, ok := a.owner.Action.(*ir.Loop)
	if !ok || loop.Until == nil {
		return nil
	}
	end := &ir.Node{ID: a.owner.ID, Rule: ir.AllDone, Action: loop.Until}
	for _, n := range a.nodes {
		end.Needs = append(end.Needs, &ir.Need{Node: n})
	}
	return []*ir.Node{end}
}

// isEnd reports whether a node represents the end of an iteration.
func (a *analysis) isEnd(n *ir.Node) bool {
	if a.owner == nil {
		return false
	}
	loop, ok := a.owner.Action.(*ir.Loop)
	return ok && loop.Until != nil && n.Action == ir.Action(loop.Until)
}

// passWithProducer returns the pass whose analysis has a producer, with the producer and the
// facts known there: nodes around a body are read when the node with the body runs.
func (p *presencePass) passWithProducer(id string, known facts) (*presencePass, *ir.Node, facts) {
	for p != nil {
		if producer := p.byID[id]; producer != nil {
			return p, producer, known
		}
		if p.outer == nil {
			return p, nil, known
		}
		for id, k := range p.outer.conditionFacts(p.owner) {
			known = known.withFact(id, k)
		}
		p = &presencePass{analysis: p.outer, reader: p.owner, bag: p.bag, reported: p.reported, path: p.path}
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
