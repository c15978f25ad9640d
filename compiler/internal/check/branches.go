package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// reportBranches reports conditions with one possible result, and nodes whose
// trigger rule needs branches that exclude each other. constant are the nodes
// whose conditions were reported already.
func (a *analysis) reportBranches(constant map[*ir.Node]bool, bag *diag.Bag) map[*ir.Node]texts {
	b := &branchPass{analysis: a, given: map[*ir.Node]texts{}, dead: map[*ir.Node]bool{}, constant: constant, causes: map[*ir.Node]*ir.Node{}, bag: bag}
	for _, n := range a.nodes {
		b.visitNode(n)
	}
	return b.given
}

type branchPass struct {
	*analysis
	// given are the required texts of outputs when a node runs.
	given map[*ir.Node]texts
	// dead are the nodes that never run; nodes that wait for them are not reported.
	dead     map[*ir.Node]bool
	constant map[*ir.Node]bool
	// causes are the results of findSkipCause.
	causes map[*ir.Node]*ir.Node
	bag    *diag.Bag
}

// visitNode computes the texts that are given when a node runs.
func (b *branchPass) visitNode(n *ir.Node) texts {
	if t, done := b.given[n]; done {
		return t
	}
	b.given[n] = nil // a node that waits for itself has been reported
	given := b.neededTexts(n)
	if n.Include != nil && !b.dead[n] {
		around := b.visitNode(n.Include)
		b.dead[n] = b.dead[n.Include]
		if both, clash := given.and(around); clash == nil {
			given = both
		}
	}
	own, never := b.conditionDemands(n)
	b.dead[n] = b.dead[n] || never
	if !b.dead[n] {
		var clash *conflict
		if given == nil {
			given = b.analysis.given // when the node around it runs
		}
		if given, clash = given.and(own); clash != nil {
			b.reportClash(n, clash)
		}
	}
	b.given[n] = given
	if !b.dead[n] {
		b.reportJoin(n)
	}
	return given
}

// reportJoin reports a node that waits for two branches of which either may be skipped without
// the other. The node clearly wants both if its own condition says so, or if it
// reads a field of each; a branch that runs only if the other one does makes a chain.
func (b *branchPass) reportJoin(n *ir.Node) {
	if n.Rule != ir.AllSuccess || countDeclared(n) < 2 {
		return
	}
	var own *goals
	if n.When != nil {
		own = own.and(b.resultGoal(n.When, true))
	}
	if misspellsRule(n) {
		return
	}
	own = b.addProvenFacts(b.inputFacts(n), own)
	var branches []*ir.Node
	for d := range triggerDependencies(n) {
		if b.findSkipCause(d) != nil && own.and(b.skippedGoal(d)).isFound() {
			branches = append(branches, d)
		}
	}
	alone := func(d, other *ir.Node) bool { return own.and(b.ranGoal(d), b.skippedGoal(other)).isFound() }
	for _, x := range branches {
		i := slices.IndexFunc(branches, func(y *ir.Node) bool { return y != x && alone(x, y) && alone(y, x) })
		if i >= 0 {
			y := branches[i]
			b.bag.Add(finding.JoinSkipped(n.IDSpan, n.Span, n.ID, [2]string{x.ID, y.ID}, [2]source.Span{b.findSkipCause(x).When.Span(), b.findSkipCause(y).When.Span()}))
			return
		}
	}
}

// misspellsRule reports whether a node has a key that nearly is `trigger_rule`, which is
// reported already.
func misspellsRule(n *ir.Node) bool {
	const rule = "trigger_rule"
	for line := range strings.Lines(n.Span.Text()) {
		key, _, found := strings.Cut(strings.TrimLeft(line, " -"), ":")
		if found && key != rule && plain.Nearest(key, []string{rule}) != "" {
			return true
		}
	}
	return false
}

// findSkipCause returns a node whose condition may skip a node, or nil.
func (b *branchPass) findSkipCause(n *ir.Node) *ir.Node {
	if found, done := b.causes[n]; done {
		return found
	}
	b.causes[n] = nil // a node that waits for itself has been reported
	found := n
	if !isConditional(n) {
		if found = nil; n.Include != nil {
			found = b.findSkipCause(n.Include)
		}
		for d := range triggerDependencies(n) {
			if n.Rule != ir.AllDone {
				found = cmp.Or(found, b.findSkipCause(d))
			}
		}
	}
	b.causes[n] = found
	return found
}

// neededTexts returns the texts that are given because of the required ends of
// dependencies.
func (b *branchPass) neededTexts(n *ir.Node) texts {
	var given texts
	for d := range triggerDependencies(n) {
		b.visitNode(d)
	}
	if n.Rule != ir.AllSuccess && countDeclared(n) != 1 || n.Rule == ir.AllDone {
		return nil
	}
	for d := range triggerDependencies(n) {
		if b.dead[d] {
			b.dead[n] = true
			return nil
		}
		var clash *conflict
		if given, clash = given.and(b.given[d]); clash != nil {
			b.reportClash(n, clash)
			return nil
		}
	}
	return given
}

func (b *branchPass) reportClash(n *ir.Node, c *conflict) {
	b.dead[n] = true
	value, _, _ := strings.Cut(c.key, " ") // a number has the constant behind it
	b.bag.Add(finding.NeverTogether(n.IDSpan, n.ID, value, c.first, c.second))
}

// conditionDemands returns the demands of a node's condition, and whether it never holds.
func (b *branchPass) conditionDemands(n *ir.Node) (texts, bool) {
	if n.When == nil {
		return nil, false
	}
	v := demandVerdict(n.When)
	if result, constant := v.onlyResult(); constant && !b.constant[n] {
		b.bag.Add(finding.ConstantCondition(n.When.Span(), n.ID, "when", intendedConnective(n.When, result), result))
	}
	if v.yes == nil {
		return nil, true
	}
	return *v.yes, false
}

// reportCancels reports nodes whose trigger rule needs a node that ends the run. After a
// cancel node that completes, no node starts, and a skipped one doesn't satisfy rules that
// ask for success.
func (a *analysis) reportCancels(bag *diag.Bag) {
	for _, n := range a.nodes {
		for _, need := range n.Needs {
			_, ends := need.Node.Action.(*ir.Cancel)
			if ends && !need.Order && demandsAll(n) {
				bag.Add(finding.AfterCancel(need.Span, n.ID, need.Node.ID, n.Rule.String()))
			}
		}
	}
}

// demandsAll reports whether a node runs only if all its dependencies complete.
func demandsAll(n *ir.Node) bool {
	switch n.Rule {
	case ir.AllSuccess:
		return true
	case ir.OneSuccess, ir.NoneFailedMinOneSuccess:
		return countDeclared(n) == 1
	}
	return false
}
