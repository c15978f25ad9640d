package check

import (
	"iter"
	"maps"
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Which end must a node P have had when a node X runs?
//
// Everything that lets X run is evidence. Its trigger rule restricts the ends of
// its dependencies. A dependency that completed has itself run, so everything that
// let it run is evidence, too, and so are its reads: a node that reads a field of
// P, or compares one, fails if P was skipped or failed, so if it completed, P did.
// A condition that held proves still more: `$P.output == 'x'` cannot hold for a
// skipped P, whose text is empty.
//
// So facts flow from a node's dependencies, conditions and inputs to the node, and
// the question is a search upwards from X. `all_success` passes on the facts that
// any dependency proves; `one_success` only facts that all of them prove, since any
// one may have completed; `all_done` nothing.
//
// An answer of "no" means "not proven": the analysis never claims that a value is
// there when it may not be.

// A fact is knowledge about the end of a node.
type fact uint8

const (
	// notFailed: it completed or was skipped.
	notFailed fact = iota + 1
	// completed implies notFailed.
	completed
)

// facts maps nodes to the known facts about them.
type facts map[string]fact

func (f facts) withFact(id string, k fact) facts {
	if f[id] >= k {
		return f
	}
	g := make(facts, len(f)+1)
	maps.Copy(g, f)
	g[id] = k
	return g
}

// or returns the facts that hold if f or g holds.
func (f facts) or(g facts) facts {
	both := facts{}
	for id, k := range f {
		if k := min(k, g[id]); k > 0 {
			both[id] = k
		}
	}
	return both
}

// A walker evaluates expressions and templates abstractly, in the lazy order of the
// run. It calls seen for each value that is read, with the facts known at that
// moment and the results of the conditions that led there.
type walker struct {
	seen func(e expr.Expr, known facts, path *goals)
	in   *analysis
	path *goals
}

// assumeResult returns the walker of a place that is reached if a condition has a result.
func (w walker) assumeResult(cond expr.Expr, holds bool) walker {
	if w.seen != nil && cond != nil && w.in.propertyOf(cond).steady {
		w.path = w.path.and(w.in.resultGoal(cond, holds))
	}
	return w
}

// property says what evaluating an expression does.
type property struct {
	// acts says that it may change something.
	acts bool
	// steady says that it has the same result wherever a node evaluates it: variables of
	// templates can change.
	steady bool
}

// propertyOf looks at each part of an expression once, however many connectives it has.
func (a *analysis) propertyOf(e expr.Expr) property {
	known, ok := a.properties[e]
	if ok {
		return known
	}
	both := func(x, y expr.Expr) property {
		p, q := a.propertyOf(x), a.propertyOf(y)
		return property{p.acts || q.acts, p.steady && q.steady}
	}
	switch e := e.(type) {
	case *expr.Logic:
		known = both(e.X, e.Y)
	case *expr.Either:
		known = both(e.X, e.Y)
	default:
		known = property{hasSideEffects(e), true}
		expr.Walk(e, func(e expr.Expr) bool {
			switch e.(type) {
			case *expr.Local, *expr.Global:
				known.steady = false
			}
			return known.steady
		})
		known.steady = known.steady && !known.acts
	}
	a.properties[e] = known
	return known
}

// walkCondition returns the facts if an expression is true and if it is false.
func (w walker) walkCondition(e expr.Expr, known facts) (yes, no facts) {
	switch e := e.(type) {
	case nil:
		return known, known
	case *expr.Compare:
		return w.walkCompare(e, known)
	case *expr.Logic:
		return w.walkLogic(e.Op, e.X, e.Y, known)
	case *expr.Either:
		return w.walkLogic(e.Op, e.X, e.Y, known)
	case *expr.Not:
		yes, no = w.walkCondition(e.X, known)
		return no, yes
	case *expr.Negation:
		yes, no = w.walkCondition(e.X, known)
		return no, yes
	case *expr.Holds:
		if text, ok := e.X.(*expr.Str); ok {
			return w.walkCondition(text.X, known)
		}
		w.walkOperands(e, known)
	case *expr.Choose:
		yes, no = w.walkCondition(e.If, known)
		thenYes, thenNo := w.assumeResult(e.If, true).walkCondition(e.Then, yes)
		elseYes, elseNo := w.assumeResult(e.If, false).walkCondition(e.Else, no)
		return thenYes.or(elseYes), thenNo.or(elseNo)
	case *expr.Rendered:
		if t, ok := e.Text.(*template.Template); ok {
			w.walkParts(t.Parts, known)
		}
	case *expr.Output, *expr.Field, *expr.StepValue, *expr.Local:
		known = w.walkRead(e, known)
	case *expr.Test, *expr.Filter, *expr.Attr, *expr.Approved, *expr.Relation:
		return w.walkPresence(e, known)
	default:
		w.walkOperands(e, known)
	}
	return known, known
}

// walkLogic returns the facts after an operator whose right side is evaluated only if
// the left one does not decide.
func (w walker) walkLogic(op expr.LogicOp, x, y expr.Expr, known facts) (yes, no facts) {
	xYes, xNo := w.walkCondition(x, known)
	if op == expr.And {
		yYes, yNo := w.assumeResult(x, true).walkCondition(y, xYes)
		return yYes, xNo.or(yNo)
	}
	yYes, yNo := w.assumeResult(x, false).walkCondition(y, xNo)
	return xYes.or(yYes), yNo
}

// walkPresence evaluates expressions that may find out whether a whole output is
// there, without needing it.
func (w walker) walkPresence(e expr.Expr, known facts) (yes, no facts) {
	switch e := e.(type) {
	case *expr.Test:
		if id := outputOf(e.X); id != "" && (e.Name == "defined" || e.Name == "undefined") {
			if (e.Name == "defined") != e.Not {
				return known.withFact(id, completed), known
			}
			return known, known.withFact(id, completed)
		}
	case *expr.Filter:
		if outputOf(e.X) != "" && (e.Name == "default" || e.Name == "d") {
			for _, a := range e.Args {
				w.walkCondition(a.Value, known)
			}
			return known, known
		}
	case *expr.Attr:
		if id := outputOf(e.X); id != "" && e.Lenient {
			return known.withFact(id, completed), known
		}
	case *expr.Approved:
		return known.withFact(e.Node, completed), known
	case *expr.Relation:
		// A field of a skipped step equals nothing but such a field.
		w.walkOperands(e, known)
		if x, ok := e.X.(*expr.Attr); ok && x.Lenient && len(e.Links) == 1 && outputOf(x.X) != "" {
			_, constant := e.Links[0].Y.(*expr.Literal)
			switch op := e.Links[0].Op; {
			case constant && op == expr.Equal:
				return known.withFact(outputOf(x.X), completed), known
			case constant && op == expr.NotEqual:
				return known, known.withFact(outputOf(x.X), completed)
			}
		}
		return known, known
	}
	w.walkOperands(e, known)
	return known, known
}

// walkOperands evaluates the operands of an expression.
func (w walker) walkOperands(e expr.Expr, known facts) {
	expr.Walk(e, func(x expr.Expr) bool {
		if x == e {
			return true
		}
		w.walkCondition(x, known)
		return false
	})
}

// walkParts evaluates the parts of a template.
func (w walker) walkParts(parts []template.Part, known facts) {
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Hole:
			w.walkCondition(p.Expr, known)
		case *template.Bound:
			w.walkCondition(p.Expr, known)
		case *template.If:
			at, rest := w, known
			for _, b := range p.Branches {
				yes, no := at.walkCondition(b.Cond, rest)
				at.assumeResult(b.Cond, true).walkParts(b.Body, yes)
				at, rest = at.assumeResult(b.Cond, false), no
			}
			at.walkParts(p.Else, rest)
		case *template.For:
			w.walkCondition(p.Items, known)
			w.walkCondition(p.Where, known)
			w.walkParts(p.Body, known)
			w.walkParts(p.Else, known)
		case *template.Set:
			w.walkCondition(p.Value, known)
		case *template.Scope:
			w.walkParts(p.Body, known)
		case *template.Macro:
			for _, param := range p.Params {
				w.walkCondition(param.Default, known)
			}
			w.walkParts(p.Body, known)
		}
	}
}

// outputOf returns the key of the facts about a whole output that may be absent:
// the id of a step, or that of a loop's own output of the iteration before. It is
// "" for other expressions.
func outputOf(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.StepValue:
		return e.Node
	case *expr.Local:
		if e.Of.Maybe {
			return previousFact(e.Of)
		}
	}
	return ""
}

// previousFact is the key of the fact that a loop has an output of the iteration
// before. No id of a node has a space in front.
func previousFact(of *expr.Declared) string { return " previous " + of.Name }

// walkRead returns the facts after a value was read.
func (w walker) walkRead(e expr.Expr, known facts) facts {
	if w.seen != nil {
		w.seen(e, known, w.path)
	}
	if id, k := readFact(e); k > 0 {
		return known.withFact(id, k)
	}
	return known
}

// readFact is the fact about a node that a read of a value proves; 0 is none.
func readFact(e expr.Expr) (id string, k fact) {
	switch e := e.(type) {
	case *expr.Output:
		switch {
		case e.Previous:
			return "", 0
		case e.Needed:
			return e.Node, completed
		}
		return e.Node, notFailed
	case *expr.Field:
		if e.Previous {
			return "", 0
		}
		return e.Node, completed
	}
	return "", 0
}

func (w walker) walkCompare(c *expr.Compare, known facts) (yes, no facts) {
	known, _ = w.walkCondition(c.X, known)
	known, _ = w.walkCondition(c.Y, known)
	yes, no = known, known
	out, whole := c.X.(*expr.Output)
	lit, fixed := c.Y.(*expr.Literal)
	if !whole || out.Previous || !fixed || lit.Typ == types.Invalid {
		return yes, no
	}
	switch {
	case c.Op.IsNumeric():
		// An empty text is not a number, so the condition fails on a skipped node.
		yes, no = yes.withFact(out.Node, completed), no.withFact(out.Node, completed)
	case (c.Op == expr.TextEqual) == (lit.Text != ""):
		// It holds only for a text that is not empty.
		yes = yes.withFact(out.Node, completed)
	default:
		no = no.withFact(out.Node, completed)
	}
	return yes, no
}

// conditionFacts are the facts that a node's condition proves when it holds.
func (a *analysis) conditionFacts(n *ir.Node) facts {
	if n.When == nil {
		return nil
	}
	f, ok := a.conditions[n]
	if !ok {
		f, _ = walker{}.walkCondition(n.When, facts{})
		a.conditions[n] = f
	}
	return f
}

// inputFacts are the facts that a node's action proves once it has completed.
func (a *analysis) inputFacts(n *ir.Node) facts {
	f, ok := a.inputs[n]
	if !ok {
		for _, u := range usesOf(n) {
			if id, k := readFact(u.expr); u.surely && k > f[id] {
				if f == nil {
					f = facts{}
				}
				f[id] = k
			}
		}
		a.inputs[n] = f
	}
	return f
}

// A query asks whether a node must have ended in a way when another one starts.
type query struct {
	producer *ir.Node
	fact     fact
	at       *ir.Node
}

// whenRuns reports whether the query's fact holds whenever its node runs.
func (a *analysis) whenRuns(q query) bool {
	if q.fact == notFailed && a.isEnd(q.at) {
		return true // no iteration in which a node failed is tested
	}
	answer, known := a.holds[q]
	if known {
		return answer
	}
	a.holds[q] = false // an answer that depends on itself is not proven
	answer = a.byTrigger(q) || a.byBlock(q) || a.byFacts(q, a.conditionFacts(q.at))
	a.holds[q] = answer
	return answer
}

// whenCompleted reports whether the fact holds once a node has completed.
func (a *analysis) whenCompleted(q query) bool {
	if q.at == q.producer {
		return true
	}
	return a.whenRuns(q) || a.byFacts(q, a.inputFacts(q.at))
}

// byBlock reports whether the include whose block the query's node is in proves it.
func (a *analysis) byBlock(q query) bool {
	include := q.at.Include
	return include != nil && (include == q.producer || a.whenCompleted(query{q.producer, q.fact, include}))
}

// byTrigger reports whether the trigger rule of the query's node proves it.
func (a *analysis) byTrigger(q query) bool {
	if countDeclared(q.at) == 0 {
		return false
	}
	switch q.at.Rule {
	case ir.AllSuccess:
		if dependsOn(q.at, q.producer) {
			return true
		}
		for d := range triggerDependencies(q.at) {
			if a.whenCompleted(query{q.producer, q.fact, d}) {
				return true
			}
		}
		return false
	case ir.NoneFailedMinOneSuccess:
		if q.fact == notFailed && dependsOn(q.at, q.producer) {
			return true
		}
	case ir.AllDone:
		return false
	}
	for d := range triggerDependencies(q.at) {
		if !a.whenCompleted(query{q.producer, q.fact, d}) {
			return false
		}
	}
	return true
}

// byFacts reports whether facts about other nodes prove the query.
func (a *analysis) byFacts(q query, known facts) bool {
	if known[q.producer.ID] >= q.fact {
		return true
	}
	// In a fixed order: a result found during another search may be weaker, so the
	// order affects the facts.
	var few [8]string
	ids := slices.AppendSeq(few[:0], maps.Keys(known))
	slices.Sort(ids)
	for _, id := range ids {
		n := a.byID[id]
		if known[id] == completed && n != nil && n != q.producer && n != q.at && a.whenCompleted(query{q.producer, q.fact, n}) {
			return true
		}
	}
	return false
}

// triggerDependencies yields the dependencies that count for the trigger rule.
func triggerDependencies(n *ir.Node) iter.Seq[*ir.Node] {
	return func(yield func(*ir.Node) bool) {
		for _, need := range n.Needs {
			if !need.Order && !yield(need.Node) {
				return
			}
		}
	}
}

// dependsOn reports whether a dependency of n that counts for its trigger rule is on other.
func dependsOn(n, other *ir.Node) bool {
	return slices.ContainsFunc(n.Needs, func(need *ir.Need) bool { return !need.Order && need.Node == other })
}

// countDeclared counts the dependencies that count for the trigger rule.
func countDeclared(n *ir.Node) int {
	count := 0
	for range triggerDependencies(n) {
		count++
	}
	return count
}
