package mutate

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// impliedNeed returns the proof that a node behaves alike without a dependency, or "": another
// dependency ends only after this one, and the rule decides alike without it.
func impliedNeed(n *ir.Node, need *ir.Need) string {
	for _, other := range dataNeeds(n) {
		if other != need && slices.Contains(ancestors(other.Node), need.Node) && sameWithout(n, need) {
			return fmt.Sprintf("`%s` ends only after `%s`, and the trigger rule decides the same", other.Node.ID, need.Node.ID)
		}
	}
	return ""
}

// readNeed returns the proof that a node of a mutant behaves alike without a dependency, or
// "": it still waits for it, because it reads its output, and the rule decides alike without
// it.
func readNeed(mutant *ir.Program, n *ir.Node, need *ir.Need) string {
	waits := false
	ir.Walk(mutant.Workflow.Body, func(m *ir.Node) {
		for _, other := range m.Needs {
			waits = waits || m.ID == n.ID && other.Order && other.Node.ID == need.Node.ID
		}
	})
	if !waits || !sameWithout(n, need) {
		return ""
	}
	return "the node reads the output, so it still waits; the trigger rule decides the same"
}

// acceptedGuard returns the proof that the condition of a step always holds, or "": it asks
// whether a person accepted an output, and a rejection cancels the run.
func acceptedGuard(p *ir.Program, n *ir.Node) string {
	body, ok := p.Workflow.Body.(*ir.Sequence)
	if !ok || n.Finally {
		return ""
	}
	if reviewed := body.AlwaysAccepted(n.When); reviewed != nil {
		return fmt.Sprintf("only an accepted output of `%s` lets the run continue", reviewed.ID)
	}
	return ""
}

// unreachedLimit returns the proof that no run of a state graph ends so many nodes that its
// limit of iterations, or one less, could end the run, or "".
func unreachedLimit(g *ir.Graph) string {
	if g.Broken || g.Limits.Iterations == 0 {
		return ""
	}
	longest, finite := explore.Run(g, explore.Options{}).Longest(explore.Weight)
	if !finite || int(longest) >= g.Limits.Iterations {
		return ""
	}
	if longest == 1 {
		return "no run ends more than one node"
	}
	return fmt.Sprintf("no run ends more than %d nodes", int(longest))
}

// sameWays reports whether the exploration of two state graphs proves that the node with an id
// continues in the same ways in both. The graphs differ only in the node's edges, or in the
// condition of the decision that it is.
func sameWays(p, mutant *ir.Program, node string, condition bool) bool {
	before, ok := p.Workflow.Body.(*ir.Graph)
	after, ok2 := mutant.Workflow.Body.(*ir.Graph)
	if !ok || !ok2 || before.Broken || after.Broken {
		return false
	}
	ways, certain, decided := explore.Run(before, explore.Options{}).Ways(node)
	if !certain || condition && !decided {
		return false
	}
	mutated, certain, decided := explore.Run(after, explore.Options{}).Ways(node)
	return certain && (decided || !condition) && slices.Equal(ways, mutated)
}

// sameRule returns the proof that two trigger rules always agree for a node, or "".
func sameRule(n *ir.Node, a, b ir.TriggerRule) string {
	same := holdsForAllEnds(n, func(ends endingMap) bool {
		before := ends.allowsRun(n, a, n.SkipCountsAsFailure)
		return before == ends.allowsRun(n, b, false) && before == ends.allowsRun(n, b, true)
	})
	if !same {
		return ""
	}
	if len(dataNeeds(n)) == 1 {
		return "both trigger rules decide the same for one dependency"
	}
	return "both trigger rules decide the same however the nodes before end"
}

// sameWithout reports whether the rule of a node decides alike without a dependency. The node
// is then also blocked in the same cases, which matters to the nodes behind it.
func sameWithout(n *ir.Node, need *ir.Need) bool {
	without := *n
	without.Needs = slices.DeleteFunc(slices.Clone(n.Needs), func(other *ir.Need) bool { return other == need })
	return holdsForAllEnds(n, func(ends endingMap) bool {
		runs := ends.allowsRun(n, n.Rule, n.SkipCountsAsFailure)
		return runs == ends.allowsRun(&without, n.Rule, n.SkipCountsAsFailure) && (runs || ends.hasFailureBefore(n) == ends.hasFailureBefore(&without))
	})
}

// holdsForAllEnds reports whether something holds for all ends of the nodes before a node: each
// completes or fails if it runs, and its condition holds or does not hold.
func holdsForAllEnds(n *ir.Node, holds func(endingMap) bool) bool {
	before := ancestors(n)
	ways := 1
	for _, m := range before {
		if ways *= len(possibleOutcomes(m)); ways > mostWays {
			return false
		}
	}
	chosen := make([]outcome, len(before))
	for way := range ways {
		for i, m := range before {
			list := possibleOutcomes(m)
			chosen[i] = list[way%len(list)]
			way /= len(list)
		}
		if !holds(nodeEndings(before, chosen)) {
			return false
		}
	}
	return true
}

// mostWays bounds the ends that are tried.
const mostWays = 20_000

// ancestors returns the nodes before a node, each after those before it.
func ancestors(n *ir.Node) []*ir.Node {
	var list []*ir.Node
	var add func(m *ir.Node)
	add = func(m *ir.Node) {
		for _, need := range m.Needs {
			if !slices.Contains(list, need.Node) {
				add(need.Node)
				list = append(list, need.Node)
			}
		}
		if m.Include != nil && !slices.Contains(list, m.Include) {
			add(m.Include)
			list = append(list, m.Include)
		}
	}
	add(n)
	return list
}

func dataNeeds(n *ir.Node) []*ir.Need {
	return slices.DeleteFunc(slices.Clone(n.Needs), func(need *ir.Need) bool { return need.Order })
}

// An outcome is the end of a node whose rule holds.
type outcome int

const (
	completes outcome = iota
	fails
	skips // its condition does not hold
)

// neverFails reports whether an action always completes, if the run continues.
func neverFails(a ir.Action) bool {
	switch a := a.(type) {
	case *ir.Include:
		return true
	case *ir.Call:
		return a.NeverFails()
	}
	return false
}

func possibleOutcomes(n *ir.Node) []outcome {
	list := []outcome{completes}
	if n.When != nil || n.Timeout > 0 || !neverFails(n.Action) {
		list = append(list, fails)
	}
	if n.When != nil || n.SkipOnTimeout || n.Given != nil {
		list = append(list, skips)
	}
	return list
}

// An ending is the end of a node; blocked says that it was skipped because of a failure
// before it.
type ending struct {
	end     outcome
	blocked bool
}

type endingMap map[*ir.Node]ending

// nodeEndings returns the ends of nodes, in which each is after those before it.
func nodeEndings(nodes []*ir.Node, chosen []outcome) endingMap {
	ends := endingMap{}
	for i, n := range nodes {
		switch {
		case n.Include != nil && ends[n.Include].end != completes:
			ends[n] = ending{end: skips}
		case !ends.allowsRun(n, n.Rule, n.SkipCountsAsFailure):
			ends[n] = ending{end: skips, blocked: ends.hasFailureBefore(n)}
		default:
			ends[n] = ending{end: chosen[i]}
		}
	}
	return ends
}

// hasFailureBefore reports whether a node before n did not complete because of a failure.
func (ends endingMap) hasFailureBefore(n *ir.Node) bool {
	return slices.ContainsFunc(dataNeeds(n), func(need *ir.Need) bool { return ends[need.Node].blocked || ends[need.Node].end == fails })
}

// allowsRun reports whether a rule lets a node run. With upstream, the rule sees a blocked
// dependency as a failed one; see ir.Node.SkipCountsAsFailure.
func (ends endingMap) allowsRun(n *ir.Node, rule ir.TriggerRule, upstream bool) bool {
	needs := dataNeeds(n)
	if len(needs) == 0 || rule == ir.AllDone {
		return true
	}
	all, some, none := true, false, true
	for _, need := range needs {
		e := ends[need.Node]
		all, some = all && e.end == completes, some || e.end == completes
		none = none && e.end != fails && !(e.blocked && upstream)
	}
	switch rule {
	case ir.AllSuccess:
		return all
	case ir.OneSuccess:
		return some
	}
	return none && some
}
