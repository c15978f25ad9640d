package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

// NoStart reports a graph without a first node.
func NoStart(at source.Span) *diag.Diagnostic {
	return codes.NoStart.New(at, "no edge leads from START: the graph has no first node").
		WithHelp("add an edge such as `{from: START, to: NODE}`")
}

// NoEnd reports a graph without a path to END.
func NoEnd(at source.Span) *diag.Diagnostic {
	return codes.NoEnd.New(at, "no path leads from START to END").WithHelp("add an edge such as `{from: NODE, to: END}`")
}

// UnreachableNode reports a node without a path from START.
func UnreachableNode(at source.Span, id string) *diag.Diagnostic {
	return codes.UnreachableNode.New(at, fmt.Sprintf("no path leads from START to `%s`", id)).
		WithHelp("add an edge to the node, or remove it")
}

// DeadEnd reports a node without a path to END.
func DeadEnd(at source.Span, id string) *diag.Diagnostic {
	return codes.DeadEnd.New(at, fmt.Sprintf("no path leads from `%s` to END", id)).
		WithHelp("add an edge that leads toward END")
}

// Trap reports a node that a run cannot leave for END after it arrives by a certain
// path; always says that every known path to the node has this effect.
func Trap(at source.Span, id, way string, always bool) *diag.Diagnostic {
	when := "after some paths"
	if always {
		when = "after any path"
	}
	return codes.Trap.New(at, fmt.Sprintf("a run at `%s` can never reach END %s", id, when)).
		WithHelp("follow this path: " + way)
}

// BranchesWithoutJoin reports a parallel node whose branches do not meet. join is
// their join, or "" if they have none; to is the end of a path that avoids it.
func BranchesWithoutJoin(at source.Span, id, join, to string) *diag.Diagnostic {
	if join == "" {
		return codes.BranchesWithoutJoin.New(at, fmt.Sprintf("no join waits for the branches of `%s`", id)).
			WithHelp("add a join with `wait_for` and an edge to it")
	}
	return codes.BranchesWithoutJoin.New(at, fmt.Sprintf("a path leads from `%s` to %s without the join `%s`", id, to, join))
}

// JoinMissesBranch reports branches that a join does not wait for.
func JoinMissesBranch(at source.Span, join, parallel string, missing []string) *diag.Diagnostic {
	return codes.JoinBranches.New(at, fmt.Sprintf("`%s` does not wait for %s of `%s`", join, quoteAll(missing), parallel)).
		WithHelp("list all branches of the parallel node in `wait_for`")
}

// WaitsForNoBranch reports a node in wait_for that is not a branch.
func WaitsForNoBranch(at source.Span, id string) *diag.Diagnostic {
	return codes.JoinBranches.New(at, fmt.Sprintf("`%s` is not a branch of any parallel node", id)).
		WithHelp("remove it from `wait_for`")
}

// JoinWithoutParallel reports a join with a path that avoids its parallel node.
func JoinWithoutParallel(at source.Span, join, parallel string) *diag.Diagnostic {
	return codes.JoinWithoutParallel.New(at, fmt.Sprintf("a path leads from START to join `%s` without `%s`", join, parallel))
}

// MoreBranches reports a parallel node whose branches do not all run at once.
func MoreBranches(at source.Span, id string, branches, most int, limit source.Span) *diag.Diagnostic {
	return codes.MoreBranchesThanRun.New(at, fmt.Sprintf("`%s` has %d branches, but only %d run at once", id, branches, most)).
		WithRelated(limit, "the limit")
}

// UnlimitedLoop reports a cycle of nodes without a limit.
func UnlimitedLoop(at source.Span, nodes []string) *diag.Diagnostic {
	return codes.UnlimitedLoop.New(at, quoteAll(nodes)+" can repeat without limit").
		WithHelp("set `limits.max_iterations`")
}

// UncoveredOutput reports an output after which no edge may hold; values describes
// the state of such a case, or is "".
func UncoveredOutput(at source.Span, node, label, values, way string) *diag.Diagnostic {
	message := fmt.Sprintf("no edge leaves `%s` after `%s`", node, label)
	if values != "" {
		message += " when " + values
	}
	d := codes.UncoveredOutput.New(at, message)
	if way != "" {
		d.WithHelp("follow this path: " + way)
	}
	return d.WithHelp("add an edge for this case, or a last edge without a condition")
}

// ShadowedEdge reports an edge that an earlier one always precludes.
func ShadowedEdge(at source.Span, to string) *diag.Diagnostic {
	return codes.ShadowedEdge.New(at, fmt.Sprintf("the edge to `%s` is never taken: an earlier edge always wins", to)).
		WithHelp("move it before the earlier edges")
}

// OverlappingEdges reports the later of two edges that hold at the same time.
func OverlappingEdges(at source.Span, label, values string, first source.Span) *diag.Diagnostic {
	when := "after `" + label + "`"
	if values != "" {
		when += " when " + values
	}
	return codes.OverlappingEdges.New(at, fmt.Sprintf("this condition overlaps an earlier one %s: the earlier edge wins", when)).
		WithRelated(first, "the earlier condition")
}

// ImpossibleCondition reports a condition that never holds.
func ImpossibleCondition(at source.Span, node string) *diag.Diagnostic {
	return codes.ImpossibleCondition.New(at, fmt.Sprintf("this condition never holds, whatever the state and the output of `%s`", node)).
		WithHelp("use `any(…)` or `||` if one of its comparisons is enough")
}

// DeadEdge reports an edge that no run takes.
func DeadEdge(at source.Span, from, to string) *diag.Diagnostic {
	return codes.DeadCondition.New(at, fmt.Sprintf("no run takes the edge from `%s` to `%s`: its condition never holds", from, to))
}

// DeadOutput reports an output that a decision never has; other is its output in
// every run, and way a path to the decision.
func DeadOutput(at source.Span, node, label, other, way string) *diag.Diagnostic {
	return codes.DeadCondition.New(at, fmt.Sprintf("`%s` never ends with `%s`: in every run it ends with `%s`", node, label, other)).
		WithHelp("follow this path: " + way)
}

// IdleInterrupt reports an interrupt that never asks anybody.
func IdleInterrupt(at source.Span, node string) *diag.Diagnostic {
	return codes.DeadCondition.New(at, fmt.Sprintf("the interrupt at `%s` never asks: its condition is always false there", node))
}

// UnmetGoal reports a completion condition that never holds where a run can end.
func UnmetGoal(at source.Span, text string) *diag.Diagnostic {
	return codes.DeadCondition.New(at, fmt.Sprintf("completion condition `%s` never holds where a run can end", text))
}

// UnreachableSuccess reports a graph whose runs never succeed; way is a path to END.
func UnreachableSuccess(at source.Span, way string) *diag.Diagnostic {
	d := codes.UnreachableSuccess.New(at, "no run can succeed: no completion condition holds where runs end")
	if way != "" {
		d.WithHelp("follow this path: " + way + " → END")
	}
	return d
}

// LimitTooLow reports a limit that every run exceeds; success says that only
// successful runs count.
func LimitTooLow(at source.Span, limit, shortest int, way string, success bool) *diag.Diagnostic {
	path := "shortest path"
	if success {
		path = "shortest successful path"
	}
	return codes.LimitTooLow.New(at, fmt.Sprintf("limit %d is too low: the %s has %d nodes", limit, path, shortest)).
		WithHelp("follow this path: " + way + " → END").WithHelp(fmt.Sprintf("set it to at least %d", shortest))
}

// NodeBeyondLimit reports a node that the limit cuts off; before is the number of
// nodes that end before it.
func NodeBeyondLimit(at source.Span, id string, before, limit int, way string, set source.Span) *diag.Diagnostic {
	return codes.NodeBeyondLimit.New(at, fmt.Sprintf("`%s` never runs: %d nodes come before it, the limit is %d", id, before, limit)).
		WithRelated(set, "the limit").WithHelp("follow the shortest path to it: " + way)
}

// StuckGuard reports a comparison with a variable that the loop never changes.
func StuckGuard(at source.Span, variable string, loop []string, declared source.Span) *diag.Diagnostic {
	return codes.UnchangingLoop.New(at, fmt.Sprintf("nothing in the loop of %s changes `state.%s`", quoteAll(loop), variable)).
		WithRelated(declared, "its initial value").
		WithHelp("set it in `on_output` of a node in the loop, or count with `state.iteration`")
}

// UnsetVariable reports a variable that a node may read before it has a value.
func UnsetVariable(at source.Span, name, node, way string, set source.Span) *diag.Diagnostic {
	return codes.UnsetVariable.New(at, fmt.Sprintf("`state.%s` may have no value when `%s` reads it", name, node)).
		WithRelated(set, "set here").WithHelp("follow this path: " + way).WithHelp("declare it with an initial value under `state.variables`")
}

// UnusedVariable reports a variable that is never read; written says that a handler
// sets it.
func UnusedVariable(at source.Span, name string, written bool) *diag.Diagnostic {
	use := "set but never read"
	if !written {
		use = "never set and never read"
	}
	return codes.UnusedValue.New(at, fmt.Sprintf("`state.%s` is %s", name, use)).
		WithHelp(fmt.Sprintf("read it with `(reference state.%s)` or in a condition, or remove it", name))
}

// BranchesWriteAlike reports a branch that sets the same variable as another one.
func BranchesWriteAlike(at source.Span, name, first, second string, other source.Span) *diag.Diagnostic {
	return codes.BranchesWriteAlike.New(at, fmt.Sprintf("`%s` and `%s` run in parallel and both set `state.%s`", first, second, name)).
		WithRelated(other, "also set here").WithHelp("use one variable per branch, or `append` to a list in both")
}

// BranchReadsOld reports a branch that reads a variable that a sibling sets.
func BranchReadsOld(at source.Span, name, reader, writer string, set source.Span) *diag.Diagnostic {
	return codes.BranchReadsOld.New(at, fmt.Sprintf("`%s` reads the old `state.%s`: `%s` sets it after all branches", reader, name, writer)).
		WithRelated(set, "set here")
}

// InexpressibleOutput reports an output that no exit code of the command selects.
func InexpressibleOutput(at source.Span, node, label string) *diag.Diagnostic {
	return codes.InexpressibleOutput.New(at, fmt.Sprintf("no exit code of `%s` selects the output `%s`", node, label)).
		WithHelp(fmt.Sprintf("print `[OUTPUT:%s]` in the command", label))
}

// UndeclaredMarker reports a marker in a prompt for an output that the node does not
// declare.
func UndeclaredMarker(at source.Span, node, label string, known []string) *diag.Diagnostic {
	d := codes.UndeclaredMarker.New(at, fmt.Sprintf("unknown output `%s` of `%s` in the prompt", label, node))
	return offerOr(d, nameWithin(at, label), label, known, "use one of "+quoteAll(known))
}

// UntoldOutput reports an output that the prompt never mentions.
func UntoldOutput(at source.Span, node, label string) *diag.Diagnostic {
	return codes.UntoldOutput.New(at, fmt.Sprintf("the prompt of `%s` never mentions its output `%s`", node, label)).
		WithHelp(fmt.Sprintf("say in the prompt when to end with `[OUTPUT:%s]`", label))
}
