package check

import (
	"iter"
	"maps"
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// What must have happened to a node P when a node X runs?
//
// Everything that lets X run is evidence. Its trigger rule says how its
// dependencies ended. A dependency that completed has itself run, so what let
// it run is evidence too, and so is what it read: a node that reads a field of
// P, or compares one, fails when P was skipped or failed, so if it completed,
// P did. A condition that held says still more: `$P.output == 'x'` cannot hold
// for a skipped P, whose text is empty.
//
// So facts flow from a node's dependencies, conditions and inputs to the node,
// and the question is a search upwards from X. `all_success` passes on what any
// dependency proves; `one_success` only what all of them prove, since it is not
// known which one completed; `all_done` nothing.
//
// An answer of "no" means "not proven": the analysis never claims that a value
// is there when it may not be.

// A fact is what is known of how a node ended.
type fact uint8

const (
	// notFailed: it completed or was skipped.
	notFailed fact = iota + 1
	// completed implies notFailed.
	completed
)

// facts maps nodes to what is known of them.
type facts map[string]fact

func (f facts) learn(id string, k fact) facts {
	if f[id] >= k {
		return f
	}
	g := make(facts, len(f)+1)
	for id, k := range f {
		g[id] = k
	}
	g[id] = k
	return g
}

// or returns what is known when f or g is.
func (f facts) or(g facts) facts {
	both := facts{}
	for id, k := range f {
		if k := min(k, g[id]); k > 0 {
			both[id] = k
		}
	}
	return both
}

// A condition walker evaluates a condition abstractly, in its lazy order.
// seen is called for each reference with what is known when it is read.
type conditionWalker struct {
	seen func(e expr.Expr, known facts)
}

// walk returns what is known when the condition holds and when it does not.
func (w conditionWalker) walk(e expr.Expr, known facts) (yes, no facts) {
	switch e := e.(type) {
	case *expr.Compare:
		return w.compare(e, known)
	case *expr.Logic:
		xYes, xNo := w.walk(e.X, known)
		if e.Op == expr.And {
			yYes, yNo := w.walk(e.Y, xYes)
			return yYes, xNo.or(yNo)
		}
		yYes, yNo := w.walk(e.Y, xNo)
		return xYes.or(yYes), yNo
	case *expr.Not:
		yes, no = w.walk(e.X, known)
		return no, yes
	}
	known = w.read(e, known)
	return known, known
}

// read returns what is known once a value was read.
func (w conditionWalker) read(e expr.Expr, known facts) facts {
	if w.seen != nil {
		w.seen(e, known)
	}
	if id, k := readFact(e); k > 0 {
		return known.learn(id, k)
	}
	return known
}

// readFact is what the reading of a value proves of a node; 0 is nothing.
func readFact(e expr.Expr) (id string, k fact) {
	switch e := e.(type) {
	case *expr.Output:
		return e.Node, notFailed
	case *expr.Field:
		return e.Node, completed
	}
	return "", 0
}

func (w conditionWalker) compare(c *expr.Compare, known facts) (yes, no facts) {
	known = w.read(c.Y, w.read(c.X, known))
	yes, no = known, known
	out, whole := c.X.(*expr.Output)
	lit, fixed := c.Y.(*expr.Literal)
	if !whole || !fixed || lit.Typ == types.Invalid {
		return yes, no
	}
	switch {
	case c.Op.IsNumeric():
		// An empty text is no number, so the condition fails on a skipped node.
		yes, no = yes.learn(out.Node, completed), no.learn(out.Node, completed)
	case (c.Op == expr.TextEqual) == (lit.Text != ""):
		// It holds only for a text that is not empty.
		yes = yes.learn(out.Node, completed)
	default:
		no = no.learn(out.Node, completed)
	}
	return yes, no
}

// conditionFacts is what a node's condition proves when it holds.
func (a *analysis) conditionFacts(n *ir.Node) facts {
	if n.When == nil {
		return nil
	}
	f, ok := a.conditions[n]
	if !ok {
		f, _ = conditionWalker{}.walk(n.When, facts{})
		a.conditions[n] = f
	}
	return f
}

// inputFacts is what a node's action proves once it has completed.
func (a *analysis) inputFacts(n *ir.Node) facts {
	f, ok := a.inputs[n]
	if !ok {
		for _, u := range uses(n.Action, true) {
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
	answer, known := a.holds[q]
	if known {
		return answer
	}
	a.holds[q] = false // an answer that depends on itself is not proven
	answer = a.byTrigger(q) || a.byFacts(q, a.conditionFacts(q.at))
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

// byTrigger reports whether the trigger rule of the query's node proves it.
func (a *analysis) byTrigger(q query) bool {
	if countDeclared(q.at) == 0 {
		return false
	}
	switch q.at.Trigger {
	case ir.AllSuccess:
		for d := range declared(q.at) {
			if d == q.producer {
				return true
			}
		}
		for d := range declared(q.at) {
			if a.whenCompleted(query{q.producer, q.fact, d}) {
				return true
			}
		}
		return false
	case ir.NoneFailedMinOneSuccess:
		if q.fact == notFailed {
			for d := range declared(q.at) {
				if d == q.producer {
					return true
				}
			}
		}
	case ir.AllDone:
		return false
	}
	for d := range declared(q.at) {
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
	// In a fixed order: an answer found while another is being looked for may
	// be weaker, so the order decides what is found.
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

// declared yields the dependencies that count for the trigger rule.
func declared(n *ir.Node) iter.Seq[*ir.Node] {
	return func(yield func(*ir.Node) bool) {
		for _, need := range n.Needs {
			if !need.Order && !yield(need.Node) {
				return
			}
		}
	}
}

// countDeclared counts the dependencies that count for the trigger rule.
func countDeclared(n *ir.Node) int {
	count := 0
	for range declared(n) {
		count++
	}
	return count
}
