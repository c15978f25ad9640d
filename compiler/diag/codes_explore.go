package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 41x to 44x: what state graphs can do, and cannot.
var exploreCodes = []*Code{
	noStart, noEnd, unreachableNode, deadEnd, trap,
	branchesWithoutJoin, joinMissesBranch, waitsForNoBranch, joinWithoutParallel, moreBranches, unlimitedLoop,
	uncoveredOutput, shadowedEdge, overlappingEdges, impossibleCondition, deadEdge, deadOutput, idleInterrupt,
	unmetGoal, unreachableSuccess, limitTooLow, nodeBeyondLimit, stuckGuard,
	unsetVariable, unusedVariable, branchesWriteAlike, branchReadsOld, inexpressibleOutput, undeclaredMarker, untoldOutput,
}

// graphMeet is a join and the parallel that it belongs to.
const graphMeet = graphFan + graphJoin

var noStart = &Code{
	ID: "WFC410", Slug: "no-start", Severity: Error,
	Doc: `No edge leads from START, so the graph has no first node.

This is GL201 of the format's rules.`,
	Bad:  graphExample(graphTask, "  - {from: a, to: END}\n", ""),
	Good: graphGood,
}

// NoStart reports a graph without a first node.
func NoStart(at source.Span) *Diagnostic {
	return noStart.new(at, "no edge leads from START, so no node is first").
		WithHelp("add an edge such as `{from: START, to: NODE}`")
}

var noEnd = &Code{
	ID: "WFC411", Slug: "no-end", Severity: Error,
	Doc: `No way through the graph leads to END, so a run can only fail or come to a limit.

This is GL202 of the format's rules.`,
	Bad: graphExample(graphTask+graphFix, "  - {from: START, to: a}\n  - {from: a, to: fix}\n  - {from: fix, to: a}\n",
		"limits: {max_iterations: 9}\n"),
	Good: graphExample(graphTask+graphFix, "  - {from: START, to: a}\n  - {from: a, to: fix}\n  - {from: fix, to: END}\n", ""),
}

// NoEnd reports a graph that leads nowhere.
func NoEnd(at source.Span) *Diagnostic {
	return noEnd.new(at, "no way from START leads to END").WithHelp("add an edge such as `{from: NODE, to: END}`")
}

var unreachableNode = &Code{
	ID: "WFC412", Slug: "unreachable-node", Severity: Error,
	Doc: `No way from START leads to the node, whatever the conditions on it are.

This is GL203 of the format's rules.`,
	Bad:  graphExample(graphTask+graphFix, graphEdges+"  - {from: fix, to: END}\n", ""),
	Good: graphExample(graphTask+graphFix, "  - {from: START, to: a}\n  - {from: a, to: fix}\n  - {from: fix, to: END}\n", ""),
}

// UnreachableNode reports a node to which no edges lead.
func UnreachableNode(at source.Span, id string) *Diagnostic {
	return unreachableNode.new(at, fmt.Sprintf("no way from START leads to `%s`", id)).
		WithHelp("add an edge to it, or remove it")
}

var deadEnd = &Code{
	ID: "WFC413", Slug: "dead-end", Severity: Warning,
	Doc: `A run that comes to the node cannot get to END any more, whatever the conditions
are: it can only fail or come to a limit.

This is GL204 of the format's rules.`,
	Bad: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n"+
		"  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: fix, to: fix}\n", "limits: {max_iterations: 9}\n"),
	Good: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n"+
		"  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: fix, to: a}\n", "limits: {max_iterations: 9}\n"),
}

// DeadEnd reports a node from which no edges lead to the end.
func DeadEnd(at source.Span, id string) *Diagnostic {
	return deadEnd.new(at, fmt.Sprintf("no way leads from `%s` to END", id))
}

var trap = &Code{
	ID: "WFC414", Slug: "trap", Severity: Warning,
	Doc: `Edges lead from the node to END, but their conditions do not let a run through
that comes there in a certain way: it can only fail or come to a limit. The
message shows such a way.`,
	Bad: graphExample("  a: {type: task, agent: self, prompt: \"Try. Is it good or bad?\", outputs: [good, bad], on_output: {bad: {set: {spoilt: true}}}}\n"+
		"  b: {type: task, agent: self, prompt: Go on, outputs: [done]}\n",
		"  - {from: START, to: a}\n  - {from: a, to: b}\n  - {from: b, to: END, condition: \"!state.spoilt\"}\n  - {from: b, to: b, condition: \"state.spoilt\"}\n",
		"state: {variables: {spoilt: false}}\nlimits: {max_iterations: 9}\n"),
	Good: graphExample("  a: {type: task, agent: self, prompt: \"Try. Is it good or bad?\", outputs: [good, bad], on_output: {bad: {set: {spoilt: true}}}}\n"+
		"  b: {type: task, agent: self, prompt: \"Go on. Is it mended or not_yet?\", outputs: [mended, not_yet], on_output: {mended: {set: {spoilt: false}}}}\n",
		"  - {from: START, to: a}\n  - {from: a, to: b}\n  - {from: b, to: END, condition: \"!state.spoilt\"}\n  - {from: b, to: b, condition: \"state.spoilt\"}\n",
		"state: {variables: {spoilt: false}}\nlimits: {max_iterations: 9}\n"),
}

// Trap reports a node from which no way leads on to the end, when a run comes
// there in a certain way; always says that no other way to it is known.
func Trap(at source.Span, id, way string, always bool) *Diagnostic {
	when := "can never end when a run comes there like this: "
	if always {
		when = "can never end, however a run comes there, for example: "
	}
	return trap.new(at, fmt.Sprintf("a run that is at `%s` %s%s", id, when, way))
}

var branchesWithoutJoin = &Code{
	ID: "WFC415", Slug: "branches-without-join", Severity: Error,
	Doc: `The branches of a parallel node have to meet: a join has to wait for them, and
every way that leads on from the parallel node has to come to that join before it
comes to END or back to the parallel node.

This is GL205 of the format's rules.`,
	Bad:  graphExample(graphFan, "  - {from: START, to: fan}\n  - {from: fan, to: END}\n", ""),
	Good: graphExample(graphMeet, graphFanEdges, ""),
}

// BranchesWithoutJoin reports a parallel node whose branches do not meet. join is
// the node at which they should, or "" when there is none; to is where a way
// around it leads.
func BranchesWithoutJoin(at source.Span, id, join, to string) *Diagnostic {
	if join == "" {
		return branchesWithoutJoin.new(at, fmt.Sprintf("no join waits for the branches of `%s`", id)).
			WithHelp("add a join with `wait_for` and an edge to it")
	}
	return branchesWithoutJoin.new(at, fmt.Sprintf("a way leads from `%s` to %s without the join `%s` of its branches", id, to, join))
}

var joinMissesBranch = &Code{
	ID: "WFC416", Slug: "join-misses-branch", Severity: Error,
	Doc: `The join at which the branches of a parallel node meet does not wait for all of
them.

This is GL206 of the format's rules.`,
	Bad:  graphExample(graphFan+"  meet: {type: join, wait_for: [x], outputs: [met]}\n", graphFanEdges, ""),
	Good: graphExample(graphMeet, graphFanEdges, ""),
}

// JoinMissesBranch reports branches that a join does not wait for.
func JoinMissesBranch(at source.Span, join, parallel string, missing []string) *Diagnostic {
	return joinMissesBranch.new(at, fmt.Sprintf("`%s` does not wait for %s of `%s`", join, quoteAll(missing), parallel)).
		WithHelp("a join waits for all branches of its parallel node")
}

var waitsForNoBranch = &Code{
	ID: "WFC417", Slug: "waits-for-no-branch", Severity: Error,
	Doc: `A join waits for a node that is a branch of no parallel node.

This is GL207 of the format's rules.`,
	Bad:  graphExample(graphFan+graphTask+"  meet: {type: join, wait_for: [x, y, a], outputs: [met]}\n", "  - {from: START, to: a}\n  - {from: a, to: fan}\n  - {from: fan, to: meet}\n  - {from: meet, to: END}\n", ""),
	Good: graphExample(graphMeet, graphFanEdges, ""),
}

// WaitsForNoBranch reports a node that a join cannot wait for.
func WaitsForNoBranch(at source.Span, id string) *Diagnostic {
	return waitsForNoBranch.new(at, fmt.Sprintf("`%s` is a branch of no parallel node, so no join waits for it", id))
}

var joinWithoutParallel = &Code{
	ID: "WFC418", Slug: "join-without-parallel", Severity: Error,
	Doc: `A way from START leads to a join without its parallel node, so there may be no
branches to wait for.

This is GL213 of the format's rules.`,
	Bad: graphExample(graphReview+graphMeet, "  - {from: START, to: a}\n  - {from: a, to: fan, condition: \"dirty\"}\n"+
		"  - {from: a, to: meet, condition: \"clean\"}\n  - {from: fan, to: meet}\n  - {from: meet, to: END}\n", ""),
	Good: graphExample(graphReview+graphMeet, "  - {from: START, to: a}\n  - {from: a, to: fan, condition: \"dirty\"}\n"+
		"  - {from: a, to: END, condition: \"clean\"}\n  - {from: fan, to: meet}\n  - {from: meet, to: END}\n", ""),
}

// JoinWithoutParallel reports a join that is reached around its parallel node.
func JoinWithoutParallel(at source.Span, join, parallel string) *Diagnostic {
	return joinWithoutParallel.new(at, fmt.Sprintf("a way leads from START to `%s` without `%s`, whose branches it waits for", join, parallel))
}

var moreBranches = &Code{
	ID: "WFC419", Slug: "more-branches-than-run", Severity: Warning,
	Doc: `A parallel node has more branches than limits.max_parallel_branches lets run at
once. The others wait until one has ended.

This is GL211 of the format's rules.`,
	Bad:  graphExample(graphMeet, graphFanEdges, "limits: {max_parallel_branches: 1}\n"),
	Good: graphExample(graphMeet, graphFanEdges, "limits: {max_parallel_branches: 2}\n"),
}

// MoreBranches reports a parallel node whose branches do not all run at once.
func MoreBranches(at source.Span, id string, branches, most int, limit source.Span) *Diagnostic {
	return moreBranches.new(at, fmt.Sprintf("`%s` has %d branches, of which %d run at once", id, branches, most)).
		WithRelated(limit, "the limit")
}

var unlimitedLoop = &Code{
	ID: "WFC420", Slug: "unlimited-loop", Severity: Warning,
	Doc: `Nodes follow each other in a circle, and nothing bounds how often:
limits.max_iterations is not set. A limit of time alone does not bound what a loop
costs.

This is GL209 of the format's rules.`,
	Bad: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n"+
		"  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: fix, to: a}\n", ""),
	Good: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n"+
		"  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: fix, to: a}\n", "limits: {max_iterations: 9}\n"),
}

// UnlimitedLoop reports nodes in a circle without a limit.
func UnlimitedLoop(at source.Span, nodes []string) *Diagnostic {
	what := "`" + nodes[0] + "` can follow itself"
	if len(nodes) > 1 {
		what = quoteAll(nodes) + " can follow each other in a circle"
	}
	return unlimitedLoop.new(at, what+", and nothing limits how often").WithHelp("set `limits.max_iterations`")
}

// graphCounter is a node that sets a number.
const graphCounter = "  a: {type: task, agent: self, prompt: Try, outputs: [P0, P1, clean], on_output: {P0: {set: {n: 9}}, P1: {set: {n: 5}}}}\n"

var uncoveredOutput = &Code{
	ID: "WFC421", Slug: "uncovered-output", Severity: Warning,
	Doc: `When the node ends with this output, it may be that no edge leads on: then the
run fails. The message shows a way there, with values of the state. An output that
a completion condition names needs no edge.

This is GL106 of the format's rules.`,
	Bad:  graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n", ""),
	Good: graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: END}\n", ""),
}

// UncoveredOutput reports an output after which no edge may hold; values is the
// state in which that is so, or "".
func UncoveredOutput(at source.Span, node, label, values, way string) *Diagnostic {
	message := fmt.Sprintf("no edge leads on from `%s` after `%s`", node, label)
	if values != "" {
		message += " when " + values
	}
	d := uncoveredOutput.new(at, message)
	if way != "" {
		d.WithHelp("for example: " + way)
	}
	return d.WithHelp("add an edge for it; one without a condition, as the last, is taken when no other is")
}

var shadowedEdge = &Code{
	ID: "WFC422", Slug: "shadowed-edge", Severity: Warning,
	Doc: `Whenever the edge's condition holds, that of an earlier edge of the same node
does too. The first in the file is taken, so this one never is.

This is GL110 of the format's rules.`,
	Bad:  graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: a, condition: \"any(clean, dirty)\"}\n  - {from: a, to: END, condition: \"clean\"}\n", "limits: {max_iterations: 9}\n"),
	Good: graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n  - {from: a, to: a, condition: \"dirty\"}\n", "limits: {max_iterations: 9}\n"),
}

// ShadowedEdge reports an edge that earlier ones leave nothing to.
func ShadowedEdge(at source.Span, to string) *Diagnostic {
	return shadowedEdge.new(at, fmt.Sprintf("the edge to `%s` is never taken: whenever its condition holds, an earlier edge is", to)).
		WithHelp("put it before those edges")
}

var overlappingEdges = &Code{
	ID: "WFC423", Slug: "overlapping-edges", Severity: Warning,
	Doc: `The conditions of two edges that lead to different nodes can hold at once. The
first in the file is taken; whoever reads them one by one may not see that.

This is GL111 of the format's rules.`,
	Bad: graphExample(graphCounter, "  - {from: START, to: a}\n  - {from: a, to: a, condition: \"state.n < 6\"}\n  - {from: a, to: END, condition: \"state.n > 3\"}\n",
		"state: {variables: {n: 0}}\nlimits: {max_iterations: 9}\n"),
	Good: graphExample(graphCounter, "  - {from: START, to: a}\n  - {from: a, to: a, condition: \"state.n < 6\"}\n  - {from: a, to: END, condition: \"state.n >= 6\"}\n",
		"state: {variables: {n: 0}}\nlimits: {max_iterations: 9}\n"),
}

// OverlappingEdges reports the later one of two edges that hold at once.
func OverlappingEdges(at source.Span, label, values string, first source.Span) *Diagnostic {
	when := "after `" + label + "`"
	if values != "" {
		when += " when " + values
	}
	return overlappingEdges.new(at, fmt.Sprintf("this condition and an earlier one both hold %s; the earlier edge is taken", when)).
		WithRelated(first, "the earlier one")
}

var impossibleCondition = &Code{
	ID: "WFC424", Slug: "impossible-condition", Severity: Error,
	Doc: `The edge's condition holds for no output of the node and no state. A node has one
output when it ends, so all() of two of its outputs never holds.

This is GL112 of the format's rules.`,
	Bad:  graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: a, condition: \"all(clean, dirty)\"}\n  - {from: a, to: END}\n", "limits: {max_iterations: 9}\n"),
	Good: graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: a, condition: \"dirty\"}\n  - {from: a, to: END}\n", "limits: {max_iterations: 9}\n"),
}

// ImpossibleCondition reports a condition that never holds.
func ImpossibleCondition(at source.Span, node string) *Diagnostic {
	return impossibleCondition.new(at, fmt.Sprintf("this condition never holds: no output of `%s` and no state satisfies it", node)).
		WithHelp("did you mean `any(…)` or `||`?")
}

// graphScore is a review that sets a score, and a decision about it.
const graphScore = "  a:\n    {type: task, agent: self, prompt: Review, outputs: [P1, clean], on_output: {P1: {set: {score: 5}}, clean: {set: {score: 10}}}}\n" + graphFix

const graphScoreState = "state: {variables: {score: 0}}\nlimits: {max_iterations: 9}\n"

var deadEdge = &Code{
	ID: "WFC425", Slug: "dead-edge", Severity: Warning,
	Doc: `The edge's condition could hold, but never does in the states that a run can come
to: every possible run was tried.`,
	Bad: graphExample(graphScore, "  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"state.score == 7\"}\n  - {from: a, to: END}\n  - {from: fix, to: a}\n", graphScoreState),
	Good: graphExample(graphScore, "  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"state.score == 5\"}\n  - {from: a, to: END}\n  - {from: fix, to: a}\n",
		graphScoreState),
}

// DeadEdge reports an edge that no run takes.
func DeadEdge(at source.Span, from, to string) *Diagnostic {
	return deadEdge.new(at, fmt.Sprintf("no run takes the edge from `%s` to `%s`: its condition holds in no state that a run can come to", from, to))
}

var deadOutput = &Code{
	ID: "WFC426", Slug: "dead-output", Severity: Warning,
	Doc: `The decision never ends with this output: in every state in which a run can come
to it, its condition has the other result. Every possible run was tried.`,
	Bad: graphExample(graphScore+"  ok: {type: decision, condition: \"state.score >= 5\", outputs: [pass, fail]}\n",
		"  - {from: START, to: a}\n  - {from: a, to: ok}\n  - {from: ok, to: END, condition: \"pass\"}\n  - {from: ok, to: fix, condition: \"fail\"}\n  - {from: fix, to: a}\n",
		graphScoreState),
	Good: graphExample(graphScore+"  ok: {type: decision, condition: \"state.score >= 8\", outputs: [pass, fail]}\n",
		"  - {from: START, to: a}\n  - {from: a, to: ok}\n  - {from: ok, to: END, condition: \"pass\"}\n  - {from: ok, to: fix, condition: \"fail\"}\n  - {from: fix, to: a}\n",
		graphScoreState),
}

// DeadOutput reports an output of a decision that never comes; other is the one
// that always does, and way a way to the decision.
func DeadOutput(at source.Span, node, label, other, way string) *Diagnostic {
	return deadOutput.new(at, fmt.Sprintf("`%s` never ends with `%s`: whenever a run comes to it, it ends with `%s`", node, label, other)).
		WithHelp("for example: " + way)
}

var idleInterrupt = &Code{
	ID: "WFC427", Slug: "idle-interrupt", Severity: Warning,
	Doc: `The interrupt's condition holds in no state in which a run can come to its node,
so nobody is ever asked. Every possible run was tried.`,
	Bad:  graphExample(graphScore, graphScoreEdges, graphScoreState+"interrupts:\n  - {before: fix, condition: \"state.score > 5\", prompt: Mend it?}\n"),
	Good: graphExample(graphScore, graphScoreEdges, graphScoreState+"interrupts:\n  - {before: fix, condition: \"state.score <= 5\", prompt: Mend it?}\n"),
}

const graphScoreEdges = "  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"P1\"}\n  - {from: a, to: END, condition: \"clean\"}\n  - {from: fix, to: a}\n"

// IdleInterrupt reports an interrupt that asks nobody.
func IdleInterrupt(at source.Span, node string) *Diagnostic {
	return idleInterrupt.new(at, fmt.Sprintf("nobody is ever asked here: the condition holds in no state in which a run comes to `%s`", node))
}

var unmetGoal = &Code{
	ID: "WFC428", Slug: "unmet-goal", Severity: Warning,
	Doc: `The completion condition holds at no place where a run can end, while another one
does. Every possible run was tried.`,
	Bad:  graphExample(graphScore, graphScoreEdges, graphScoreState+"completion:\n  - a.clean\n  - \"state.score == 7\"\n"),
	Good: graphExample(graphScore, graphScoreEdges, graphScoreState+"completion:\n  - a.clean\n  - \"state.score == 10\"\n"),
}

// UnmetGoal reports a completion condition that never holds where runs end.
func UnmetGoal(at source.Span, text string) *Diagnostic {
	return unmetGoal.new(at, fmt.Sprintf("`%s` holds at no place where a run can end", text))
}

var unreachableSuccess = &Code{
	ID: "WFC429", Slug: "unreachable-success", Severity: Warning,
	Doc: `None of the completion conditions holds at any place where a run can end, so no
run is ever a success. Every possible run was tried.`,
	Bad:  graphExample(graphScore, graphScoreEdges, graphScoreState+"completion:\n  - \"state.score == 7\"\n"),
	Good: graphExample(graphScore, graphScoreEdges, graphScoreState+"completion:\n  - \"state.score == 10\"\n"),
}

// UnreachableSuccess reports a graph whose runs never are a success; way is one
// that ends.
func UnreachableSuccess(at source.Span, way string) *Diagnostic {
	d := unreachableSuccess.new(at, "no run can be a success: no completion condition holds at any place where a run can end")
	if way != "" {
		d.WithHelp("for example: " + way + " → END")
	}
	return d
}

var limitTooLow = &Code{
	ID: "WFC430", Slug: "limit-too-low", Severity: Error,
	Doc: `limits.max_iterations is below the number of nodes that have to end on the
shortest way to END, so every run comes to the limit. A parallel node counts for
itself and each of its branches.`,
	Bad:  graphExample(graphMeet, graphFanEdges, "limits: {max_iterations: 3}\n"),
	Good: graphExample(graphMeet, graphFanEdges, "limits: {max_iterations: 4}\n"),
}

// LimitTooLow reports a limit that no run keeps; success says that only runs
// count that are a success.
func LimitTooLow(at source.Span, limit, shortest int, way string, success bool) *Diagnostic {
	what := "the shortest way to END"
	if success {
		what = "the shortest way to a success"
	}
	return limitTooLow.new(at, fmt.Sprintf("no run can keep this limit: on %s %d nodes end, and at most %d may", what, shortest, limit)).
		WithHelp("that way is: " + way + " → END").WithHelp(fmt.Sprintf("set it to %d at least", shortest))
}

var nodeBeyondLimit = &Code{
	ID: "WFC431", Slug: "node-beyond-limit", Severity: Warning,
	Doc: `So many nodes have to end before this one begins that limits.max_iterations is
reached before: it never runs.`,
	Bad: graphExample(graphReview+graphFix+"  last: {type: task, agent: self, prompt: Ship it, outputs: [done]}\n",
		"  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: fix, to: last}\n  - {from: last, to: END}\n",
		"limits: {max_iterations: 2}\n"),
	Good: graphExample(graphReview+graphFix+"  last: {type: task, agent: self, prompt: Ship it, outputs: [done]}\n",
		"  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: fix, to: last}\n  - {from: last, to: END}\n",
		"limits: {max_iterations: 3}\n"),
}

// NodeBeyondLimit reports a node that comes after the limit; before is how many
// nodes end before it.
func NodeBeyondLimit(at source.Span, id string, before, limit int, way string, set source.Span) *Diagnostic {
	return nodeBeyondLimit.new(at, fmt.Sprintf("`%s` never runs: at least %d nodes end before it, and the run stops after %d", id, before, limit)).
		WithRelated(set, "the limit").WithHelp("the shortest way to it is: " + way)
}

var stuckGuard = &Code{
	ID: "WFC432", Slug: "stuck-guard", Severity: Warning,
	Doc: `A loop's condition compares a variable that nothing in the loop changes, so it
has the same result in every round. The format has no counting: a variable changes
only when a handler sets it. The run itself counts in state.iteration.`,
	Bad: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n"+
		"  - {from: a, to: fix, condition: \"state.attempts < 3\"}\n  - {from: a, to: END}\n  - {from: fix, to: a}\n", "state: {variables: {attempts: 0}}\nlimits: {max_iterations: 9}\n"),
	Good: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"clean\"}\n"+
		"  - {from: a, to: fix, condition: \"dirty && state.iteration < 6\"}\n  - {from: a, to: END}\n  - {from: fix, to: a}\n", "limits: {max_iterations: 9}\n"),
}

// StuckGuard reports a comparison with a variable that a loop does not change.
func StuckGuard(at source.Span, variable string, loop []string, declared source.Span) *Diagnostic {
	return stuckGuard.new(at, fmt.Sprintf("nothing in the loop of %s changes `state.%s`, so this is the same in every round", quoteAll(loop), variable)).
		WithRelated(declared, "its first value").
		WithHelp("set it in `on_output` of a node in the loop, or count with `state.iteration`")
}

var unsetVariable = &Code{
	ID: "WFC440", Slug: "unset-variable", Severity: Warning,
	Doc: `A variable that has no first value may be read before a handler has set it. The
message shows a way on which that happens. It is empty in texts then, and smaller
or greater than nothing in conditions.

This is GL305 of the format's rules.`,
	Bad: graphExample("  a: {type: task, agent: self, prompt: Try, outputs: [done, blocked], on_output: {done: {set: {note: output}}}}\n"+
		"  b: {type: task, agent: self, prompt: \"Go on with (reference state.note)\", outputs: [done]}\n", "  - {from: START, to: a}\n  - {from: a, to: b}\n  - {from: b, to: END}\n", ""),
	Good: graphExample("  a: {type: task, agent: self, prompt: Try, outputs: [done, blocked], on_output: {done: {set: {note: output}}, blocked: {set: {note: output}}}}\n"+
		"  b: {type: task, agent: self, prompt: \"Go on with (reference state.note)\", outputs: [done]}\n", "  - {from: START, to: a}\n  - {from: a, to: b}\n  - {from: b, to: END}\n",
		"state: {variables: {note: \"\"}}\n"),
}

// UnsetVariable reports a variable that may be read without a value.
func UnsetVariable(at source.Span, name, node, way string, set source.Span) *Diagnostic {
	return unsetVariable.new(at, fmt.Sprintf("`state.%s` may have no value yet when `%s` reads it", name, node)).
		WithRelated(set, "set here").WithHelp("for example: " + way).WithHelp("declare it with a first value under `state.variables`")
}

var unusedVariable = &Code{
	ID: "WFC441", Slug: "unused-variable", Severity: Warning,
	Doc: `A variable is declared and nothing reads it: no condition, no text and no
completion condition.

This is GL306 of the format's rules.`,
	Bad:  graphExample(graphTask, graphEdges, "state: {variables: {notes: \"\"}}\n"),
	Good: graphGood,
}

// UnusedVariable reports a variable that nothing reads; written says that a
// handler sets it.
func UnusedVariable(at source.Span, name string, written bool) *Diagnostic {
	what := "set, but never read"
	if !written {
		what = "never set and never read"
	}
	return unusedVariable.new(at, fmt.Sprintf("`state.%s` is %s", name, what)).
		WithHelp(fmt.Sprintf("read it with `(reference state.%s)` or in a condition, or remove it", name))
}

var branchesWriteAlike = &Code{
	ID: "WFC442", Slug: "branches-write-alike", Severity: Error,
	Doc: `Two branches that run side by side set the same variable, so what one of them
found is lost. Both can append to a list.

This is GL307 of the format's rules.`,
	Bad: graphExample("  fan: {type: parallel, branches: [x, y], outputs: [all_done]}\n"+
		"  x: {type: task, agent: self, prompt: Look, outputs: [done], on_output: {done: {set: {found: output}}}}\n"+
		"  y: {type: task, agent: self, prompt: Look, outputs: [done], on_output: {done: {set: {found: output}}}}\n"+
		"  meet: {type: join, wait_for: [x, y], agent: self, prompt: \"Judge (reference state.found)\", outputs: [met]}\n", graphFanEdges, "state: {variables: {found: \"\"}}\n"),
	Good: graphExample("  fan: {type: parallel, branches: [x, y], outputs: [all_done]}\n"+
		"  x: {type: task, agent: self, prompt: Look, outputs: [done], on_output: {done: {append: {found: output}}}}\n"+
		"  y: {type: task, agent: self, prompt: Look, outputs: [done], on_output: {done: {append: {found: output}}}}\n"+
		"  meet: {type: join, wait_for: [x, y], agent: self, prompt: \"Judge (reference state.found)\", outputs: [met]}\n", graphFanEdges, "state: {variables: {found: []}}\n"),
}

// BranchesWriteAlike reports a branch that writes what another one writes.
func BranchesWriteAlike(at source.Span, name, first, second string, other source.Span) *Diagnostic {
	return branchesWriteAlike.new(at, fmt.Sprintf("`%s` and `%s` run side by side and both write `state.%s`", first, second, name)).
		WithRelated(other, "written here too").WithHelp("use a variable for each, or a list and `append` in both")
}

var branchReadsOld = &Code{
	ID: "WFC443", Slug: "branch-reads-old", Severity: Note,
	Doc: `A branch reads a variable that another branch of the same parallel node sets.
Handlers of branches run when all branches have ended, so it reads the value from
before the parallel node.`,
	Bad: graphExample("  fan: {type: parallel, branches: [x, y], outputs: [all_done]}\n"+
		"  x: {type: task, agent: self, prompt: Look, outputs: [done], on_output: {done: {set: {found: output}}}}\n"+
		"  y: {type: task, agent: self, prompt: \"Judge (reference state.found)\", outputs: [done]}\n"+
		graphJoin, graphFanEdges, "state: {variables: {found: \"\"}}\n"),
	Good: graphExample("  fan: {type: parallel, branches: [x, y], outputs: [all_done]}\n"+
		"  x: {type: task, agent: self, prompt: Look, outputs: [done], on_output: {done: {set: {found: output}}}}\n"+
		"  y: {type: task, agent: self, prompt: Look there, outputs: [done]}\n"+
		"  meet: {type: join, wait_for: [x, y], agent: self, prompt: \"Judge (reference state.found)\", outputs: [met]}\n", graphFanEdges, "state: {variables: {found: \"\"}}\n"),
}

// BranchReadsOld reports a branch that reads what a sibling sets.
func BranchReadsOld(at source.Span, name, reader, writer string, set source.Span) *Diagnostic {
	return branchReadsOld.new(at, fmt.Sprintf("`%s` reads `state.%s` as it was before: `%s` sets it when all branches have ended", reader, name, writer)).
		WithRelated(set, "set here")
}

var inexpressibleOutput = &Code{
	ID: "WFC444", Slug: "inexpressible-output", Severity: Warning,
	Doc: `A command's exit code tells success from failure and no more: with exit code 0 the
output is the first that stands for a success, otherwise the first that stands for
a failure. To end with another one, the command has to print [OUTPUT:name].`,
	Bad:  graphExample("  a: {type: task, agent: bash, command: ./grade.sh, outputs: [high, low, fail]}\n", graphEdges, ""),
	Good: graphExample("  a: {type: task, agent: bash, command: \"./grade.sh; echo '[OUTPUT:low]'\", outputs: [high, low, fail]}\n", graphEdges, ""),
}

// InexpressibleOutput reports an output that a command's exit code does not
// give.
func InexpressibleOutput(at source.Span, node, label string) *Diagnostic {
	return inexpressibleOutput.new(at, fmt.Sprintf("no exit code makes `%s` end with `%s`", node, label)).
		WithHelp(fmt.Sprintf("have the command print `[OUTPUT:%s]`", label))
}

var undeclaredMarker = &Code{
	ID: "WFC445", Slug: "undeclared-marker", Severity: Warning,
	Doc: `A prompt tells the agent to end with an output that the node does not have. A
reply with such a marker is of no use, and the node fails.`,
	Bad:  graphExample("  a: {type: task, agent: self, prompt: \"Review. End with [OUTPUT:clean] or [OUTPUT:drity]\", outputs: [clean, dirty]}\n", graphEdges, ""),
	Good: graphExample("  a: {type: task, agent: self, prompt: \"Review. End with [OUTPUT:clean] or [OUTPUT:dirty]\", outputs: [clean, dirty]}\n", graphEdges, ""),
}

// UndeclaredMarker reports a marker in a prompt for an output that is none of
// the node's.
func UndeclaredMarker(at source.Span, node, label string, known []string) *Diagnostic {
	d := undeclaredMarker.new(at, fmt.Sprintf("the prompt asks for the output `%s`, which `%s` does not have", label, node))
	if near := Nearest(label, known); near != "" {
		return d.WithHelp("did you mean `" + near + "`?")
	}
	return d.WithHelp("its outputs are " + quoteAll(known))
}

var untoldOutput = &Code{
	ID: "WFC446", Slug: "untold-output", Severity: Note,
	Doc: `The prompt does not mention one of the node's outputs, and it is none that agents
come to use by themselves, such as done, blocked or clean. So the agent cannot know
that it may end so, unless its first answer tells no output and it is asked again.`,
	Bad:  graphExample("  a: {type: task, agent: self, prompt: Implement it, outputs: [done, needs_work]}\n", graphEdges, ""),
	Good: graphExample("  a: {type: task, agent: self, prompt: \"Implement it. End with [OUTPUT:done] or [OUTPUT:needs_work]\", outputs: [done, needs_work]}\n", graphEdges, ""),
}

// UntoldOutput reports an output that a prompt does not mention.
func UntoldOutput(at source.Span, node, label string) *Diagnostic {
	return untoldOutput.new(at, fmt.Sprintf("the prompt of `%s` does not mention its output `%s`", node, label)).
		WithHelp(fmt.Sprintf("say in the prompt when to end with `[OUTPUT:%s]`", label))
}
