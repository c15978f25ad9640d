package suite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A proof says why something never happens in any run; "" means that there is no proof.
// Anything that it does not understand counts as possible.
type proof string

// proofs are the proofs about the nodes of the program.
type proofs struct {
	model *model
	known map[string]proof
}

func (s *search) newProofs() *proofs { return &proofs{model: s.model, known: map[string]proof{}} }

// proveOnce computes a proof once; a proof about a node that depends on itself fails.
func (ps *proofs) proveOnce(what string, pl *place, prove func() proof) proof {
	if pl == nil {
		return ""
	}
	key := what + " " + pl.key
	if p, ok := ps.known[key]; ok {
		return p
	}
	ps.known[key] = ""
	p := prove()
	ps.known[key] = p
	return p
}

// neverRuns proves that a node never runs.
func (ps *proofs) neverRuns(pl *place) proof {
	return ps.proveOnce("run", pl, func() proof {
		if p := ps.neverDecides(pl); p != "" {
			return p
		}
		if value, ok := expr.Constant(expr.Fold(expr.Copy(pl.node.When))); pl.node.When != nil && ok && !value {
			return proof(fmt.Sprintf("the condition of `%s` is always false", pl.node.ID))
		}
		return ""
	})
}

// neverDecides proves that the trigger rule of a node never lets it come to its condition.
func (ps *proofs) neverDecides(pl *place) proof {
	return ps.proveOnce("decide", pl, func() proof {
		n := pl.node
		if p := ps.neverRuns(pl.outer); p != "" {
			return p
		}
		if n.Include != nil {
			if p := ps.neverCompletes(pl.scope.places[n.Include.ID]); p != "" {
				return p
			}
		}
		if body, sequence := pl.scope.program.Workflow.Body.(*ir.Sequence); sequence && !n.Finally {
			// Only the steps themselves are one after the other: not the branches of a parallel.
			for _, before := range body.Nodes[:max(slices.Index(body.Nodes, n), 0)] {
				if p := ps.proveBlocked(pl.scope.places[before.ID]); p != "" {
					return p
				}
			}
		}
		var never []proof
		needs := 0
		for _, need := range n.Needs {
			if need.Order {
				continue
			}
			needs++
			if p := ps.neverCompletes(pl.scope.places[need.Node.ID]); p != "" {
				never = append(never, p)
			}
		}
		switch n.Rule {
		case ir.AllSuccess:
			if len(never) > 0 {
				return never[0]
			}
		case ir.OneSuccess, ir.NoneFailedMinOneSuccess:
			if needs > 0 && len(never) == needs {
				return never[0]
			}
		}
		return ""
	})
}

// neverCompletes proves that a node never completes.
func (ps *proofs) neverCompletes(pl *place) proof {
	return ps.proveOnce("complete", pl, func() proof {
		if p := ps.neverRuns(pl); p != "" {
			return p
		}
		switch a := pl.node.Action.(type) {
		case *ir.Fail:
			return alwaysFails(pl, a)
		case *ir.Cancel:
			return proof(fmt.Sprintf("`%s` cancels the run", pl.node.ID))
		case *ir.Loop, *ir.Repeat:
			for _, inner := range pl.inner {
				if fail, ok := inner.node.Action.(*ir.Fail); ok && len(pl.inner) == 1 && inner.node.When == nil {
					return alwaysFails(pl, fail)
				}
			}
		}
		return ""
	})
}

// alwaysFails is the proof about a node that fails as the compiler said.
func alwaysFails(pl *place, a *ir.Fail) proof {
	message := strings.TrimSuffix(a.Message, ir.WhenCompiled) // the user compiles it now
	return proof(fmt.Sprintf("`%s` always fails: %s", pl.node.ID, strings.TrimSuffix(message, ".")))
}

// neverSkips proves that a node is never skipped.
func (ps *proofs) neverSkips(pl *place) proof {
	return ps.proveOnce("skip", pl, func() proof {
		n := pl.node
		if n.When != nil || n.Given != nil || n.SkipOnTimeout || n.Include != nil || pl.outer != nil || pl.scope.program.Workflow.Concurrency > 0 {
			return ""
		}
		switch body := pl.scope.program.Workflow.Body.(type) {
		case *ir.Sequence:
			// A failure skips the step, but then also those behind it.
			return proof(fmt.Sprintf("`%s` has no condition", n.ID))
		case *ir.DAG:
			if body.Halts || ps.canCancel() {
				return ""
			}
		default:
			return ""
		}
		for _, need := range n.Needs {
			dep := pl.scope.places[need.Node.ID]
			if n.Rule != ir.AllDone && (ps.neverSkips(dep) == "" || ps.neverFails(dep) == "") {
				return ""
			}
		}
		return proof(fmt.Sprintf("`%s` is never skipped: it has no condition, and neither has a node before it", n.ID))
	})
}

// canCancel reports whether a node or a person can cancel a run, which skips all nodes that
// have not started.
func (ps *proofs) canCancel() bool {
	for _, pl := range ps.model.places {
		switch pl.node.Action.(type) {
		case *ir.Cancel, *ir.Approval:
			return true
		case *ir.Call: // a run whose nodes the model does not have
			if len(pl.inner) == 0 {
				return true
			}
		}
		if a, ok := pl.node.Action.(*ir.Loop); ok && a.Gate != nil {
			return true
		}
	}
	return false
}

// neverFails proves that a node never fails.
func (ps *proofs) neverFails(pl *place) proof {
	return ps.proveOnce("fail", pl, func() proof {
		if p := ps.neverRuns(pl); p != "" {
			return p
		}
		if pl.node.When != nil {
			return "" // a condition can fail
		}
		switch a := pl.node.Action.(type) {
		case *ir.Include:
			return proof(fmt.Sprintf("`%s` only includes other nodes", pl.node.ID))
		case *ir.Call:
			if pl.node.Timeout == 0 && a.NeverFails() {
				return proof(fmt.Sprintf("`%s` completes however its runs end", pl.node.ID))
			}
		case *ir.Cancel:
			if hasNoValues(a.Reason) {
				return proof(fmt.Sprintf("`%s` cancels the run", pl.node.ID))
			}
		case *ir.Approval:
			if pl.node.Timeout == 0 && a.Rework == nil && len(a.Decisions) == 0 && hasNoValues(a.Gate.Message) {
				return proof(fmt.Sprintf("`%s` waits for a person, who approves or cancels the run", pl.node.ID))
			}
		}
		return ""
	})
}

// hasNoValues reports whether a template has no values, whose evaluation could fail.
func hasNoValues(t *template.Template) bool { return t != nil && len(t.Holes()) == 0 }

// whyUnreachable returns the reason why no candidate covers an item, and whether that is
// proven for every run.
func (s *search) whyUnreachable(it cover.Item) (reason string, proven bool) {
	words := strings.SplitN(it.Name, " ", 4)
	if p := s.graphProof(it, words); p != "" {
		return string(p), true
	}
	ps := s.newProofs()
	var p proof
	pl := s.model.placeNamed(words[1])
	last := words[len(words)-1]
	switch words[0] {
	case "edge":
		if p = ps.neverRuns(pl); p == "" && len(words) > 2 {
			p = ps.neverRuns(s.model.placeNamed(words[2]))
		}
	case "past":
		if p = ps.neverRuns(s.model.placeNamed(words[2])); p == "" && pl != nil {
			p = ps.neverSkips(pl)
		}
	case "when":
		if p = ps.neverDecides(pl); p == "" && pl != nil {
			p = ps.proveNever(pl, pl.node.When, last == "true")
		}
	case "term":
		p = s.termProof(ps, words[1], words[2] == "true")
	case "rule":
		p = s.ruleProof(ps, pl, last)
	case "loop":
		if p = ps.neverRuns(pl); p == "" && last == "done" {
			p = ps.neverCompletes(pl)
		}
		if p == "" && last == "limit" {
			p = ps.neverCompletes(pl) // it fails in its first iteration
		}
		if p == "" && last == "error" && pl != nil {
			if loop, ok := pl.node.Action.(*ir.ForEach); ok {
				p = itemProof(loop, last)
			}
		}
	case "alt":
		p = ps.neverCompletes(pl)
	case "way":
		p = ps.wayProof(pl, last)
	default:
		p = ps.neverRuns(pl)
	}
	if p != "" {
		return string(p), true
	}
	return "the search found no test for it", false
}

// graphProof is the proof of the exploration of a state graph about an edge.
func (s *search) graphProof(it cover.Item, words []string) proof {
	g, ok := s.model.program.Workflow.Body.(*ir.Graph)
	if !ok || words[0] != "edge" && words[0] != "node" || s.found == nil {
		return ""
	}
	for _, n := range g.Nodes {
		if n.ID != words[1] {
			continue
		}
		if !s.found.Reached(n) {
			return proof("the exploration of the graph shows that no run reaches `" + n.ID + "`")
		}
		for _, c := range s.found.Edges(n).Edges {
			if c.Taken == nil && c.Edge.Span == it.At {
				return "the exploration of the graph shows that no run takes the edge"
			}
		}
	}
	return ""
}

// proveNever proves that a condition of a node, or of the workflow if the node is nil, never has
// a result.
func (ps *proofs) proveNever(pl *place, e expr.Expr, result bool) proof {
	if e == nil {
		return ""
	}
	// After a rejection, a step of finally still runs.
	if body, ok := ps.model.program.Workflow.Body.(*ir.Sequence); ok && !result && pl != nil && pl.scope == ps.model.top && !pl.node.Finally {
		if n := body.AlwaysAccepted(e); n != nil {
			return proof(fmt.Sprintf("only an accepted output of `%s` lets the run continue", n.ID))
		}
	}
	if value, ok := expr.Constant(expr.Fold(expr.Copy(e))); ok && value != result {
		return proof(fmt.Sprintf("the condition is always %t", value))
	}
	return ""
}

// proveSteady proves that a term has the same result in every run: it reads only constants and
// variables of a state graph that nothing sets.
func (ps *proofs) proveSteady(e expr.Expr) proof {
	g, ok := ps.model.program.Workflow.Body.(*ir.Graph)
	if !ok {
		return ""
	}
	set := map[string]bool{}
	for _, n := range g.Nodes {
		for _, h := range n.Handlers {
			for _, a := range h.Assigns {
				if a.Field != nil {
					set[a.Field.Name] = true
				}
			}
		}
	}
	variable, steady := "", true
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Compare, *expr.Literal:
		case *expr.State:
			variable = e.Name
			f := g.State.Field(e.Name)
			if f == nil || set[e.Name] {
				steady = false
				break
			}
			if _, constant := f.Initial.(*expr.Literal); !constant && f.Initial != nil {
				steady = false
			}
		default:
			steady = false
		}
		return steady
	})
	if !steady || variable == "" {
		return ""
	}
	return proof(fmt.Sprintf("nothing sets `state.%s`", variable))
}

// ruleProof proves that no input of a trigger rule ever ends in a way.
func (s *search) ruleProof(ps *proofs, pl *place, how string) proof {
	if pl == nil {
		return ""
	}
	if p := ps.neverRuns(pl.outer); p != "" {
		return p
	}
	var first proof
	for _, need := range pl.node.Needs {
		dep := pl.scope.places[need.Node.ID]
		p := ps.neverSkips(dep)
		if how == "failed" {
			p = ps.neverFails(dep)
		}
		if p == "" {
			return ""
		}
		first = cmp.Or(first, p)
	}
	return first
}

// termProof proves that the term at a place of the file never has a result.
func (s *search) termProof(ps *proofs, at string, result bool) proof {
	var found proof
	for _, c := range s.model.listConditions() {
		if c.scope != s.model.top {
			continue
		}
		for _, leaf := range conditionTerms(c.expr) {
			if fmt.Sprintf("%d-%d", leaf.Span().Start, leaf.Span().End) != at {
				continue
			}
			p := cmp.Or(ps.proveNever(c.place, leaf, result), s.exploredTerm(leaf, result), ps.kindProof(c, leaf, result))
			if p == "" && s.known[fmt.Sprintf("term %s %t", at, !result)] {
				p = ps.proveSteady(leaf)
			}
			if p == "" && c.place != nil && c.place.node.When == c.expr {
				p = ps.neverDecides(c.place)
			} else if p == "" {
				p = ps.neverRuns(c.place)
			}
			if p == "" {
				return ""
			}
			found = p
		}
	}
	return found
}

// exploredTerm is the proof of the exploration of a state graph that a term of an edge or of a
// goal never has a result.
func (s *search) exploredTerm(term expr.Expr, result bool) proof {
	found, ok := s.results[term]
	switch {
	case !ok || result && found.True || !result && found.False:
		return ""
	case !found.True && !found.False:
		return "the exploration of the graph shows that no run evaluates it"
	}
	return proof(fmt.Sprintf("the exploration of the graph shows that it is always %t", !result))
}
