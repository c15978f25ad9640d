package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// NoStart reports a graph without a first node.
func NoStart(at source.Span) *diag.Diagnostic {
	return report("WFC410", at, "no edge leads from START, so no node is first").
		WithHelp("add an edge such as `{from: START, to: NODE}`")
}

// NoEnd reports a graph that leads nowhere.
func NoEnd(at source.Span) *diag.Diagnostic {
	return report("WFC411", at, "no way from START leads to END").WithHelp("add an edge such as `{from: NODE, to: END}`")
}

// UnreachableNode reports a node to which no edges lead.
func UnreachableNode(at source.Span, id string) *diag.Diagnostic {
	return report("WFC412", at, fmt.Sprintf("no way from START leads to `%s`", id)).
		WithHelp("add an edge to it, or remove it")
}

// DeadEnd reports a node from which no edges lead to the end.
func DeadEnd(at source.Span, id string) *diag.Diagnostic {
	return report("WFC413", at, fmt.Sprintf("no way leads from `%s` to END", id))
}

// Trap reports a node from which no way leads on to the end, when a run comes
// there in a certain way; always says that no other way to it is known.
func Trap(at source.Span, id, way string, always bool) *diag.Diagnostic {
	when := "can never end when a run comes there like this: "
	if always {
		when = "can never end, however a run comes there, for example: "
	}
	return report("WFC414", at, fmt.Sprintf("a run that is at `%s` %s%s", id, when, way))
}

// BranchesWithoutJoin reports a parallel node whose branches do not meet. join is
// the node at which they should, or "" when there is none; to is where a way
// around it leads.
func BranchesWithoutJoin(at source.Span, id, join, to string) *diag.Diagnostic {
	if join == "" {
		return report("WFC415", at, fmt.Sprintf("no join waits for the branches of `%s`", id)).
			WithHelp("add a join with `wait_for` and an edge to it")
	}
	return report("WFC415", at, fmt.Sprintf("a way leads from `%s` to %s without the join `%s` of its branches", id, to, join))
}

// JoinMissesBranch reports branches that a join does not wait for.
func JoinMissesBranch(at source.Span, join, parallel string, missing []string) *diag.Diagnostic {
	return report("WFC416", at, fmt.Sprintf("`%s` does not wait for %s of `%s`", join, quoteAll(missing), parallel)).
		WithHelp("a join waits for all branches of its parallel node")
}

// WaitsForNoBranch reports a node that a join cannot wait for.
func WaitsForNoBranch(at source.Span, id string) *diag.Diagnostic {
	return report("WFC417", at, fmt.Sprintf("`%s` is a branch of no parallel node, so no join waits for it", id))
}

// JoinWithoutParallel reports a join that is reached around its parallel node.
func JoinWithoutParallel(at source.Span, join, parallel string) *diag.Diagnostic {
	return report("WFC418", at, fmt.Sprintf("a way leads from START to `%s` without `%s`, whose branches it waits for", join, parallel))
}

// MoreBranches reports a parallel node whose branches do not all run at once.
func MoreBranches(at source.Span, id string, branches, most int, limit source.Span) *diag.Diagnostic {
	return report("WFC419", at, fmt.Sprintf("`%s` has %d branches, of which %d run at once", id, branches, most)).
		WithRelated(limit, "the limit")
}

// UnlimitedLoop reports nodes in a circle without a limit.
func UnlimitedLoop(at source.Span, nodes []string) *diag.Diagnostic {
	what := "`" + nodes[0] + "` can follow itself"
	if len(nodes) > 1 {
		what = quoteAll(nodes) + " can follow each other in a circle"
	}
	return report("WFC420", at, what+", and nothing limits how often").WithHelp("set `limits.max_iterations`")
}

// UncoveredOutput reports an output after which no edge may hold; values is the
// state in which that is so, or "".
func UncoveredOutput(at source.Span, node, label, values, way string) *diag.Diagnostic {
	message := fmt.Sprintf("no edge leads on from `%s` after `%s`", node, label)
	if values != "" {
		message += " when " + values
	}
	d := report("WFC421", at, message)
	if way != "" {
		d.WithHelp("for example: " + way)
	}
	return d.WithHelp("add an edge for it; one without a condition, as the last, is taken when no other is")
}

// ShadowedEdge reports an edge that earlier ones leave nothing to.
func ShadowedEdge(at source.Span, to string) *diag.Diagnostic {
	return report("WFC422", at, fmt.Sprintf("the edge to `%s` is never taken: whenever its condition holds, an earlier edge is", to)).
		WithHelp("put it before those edges")
}

// OverlappingEdges reports the later one of two edges that hold at once.
func OverlappingEdges(at source.Span, label, values string, first source.Span) *diag.Diagnostic {
	when := "after `" + label + "`"
	if values != "" {
		when += " when " + values
	}
	return report("WFC423", at, fmt.Sprintf("this condition and an earlier one both hold %s; the earlier edge is taken", when)).
		WithRelated(first, "the earlier one")
}

// ImpossibleCondition reports a condition that never holds.
func ImpossibleCondition(at source.Span, node string) *diag.Diagnostic {
	return report("WFC424", at, fmt.Sprintf("this condition never holds: no output of `%s` and no state satisfies it", node)).
		WithHelp("did you mean `any(…)` or `||`?")
}

// DeadEdge reports an edge that no run takes.
func DeadEdge(at source.Span, from, to string) *diag.Diagnostic {
	return report("WFC425", at, fmt.Sprintf("no run takes the edge from `%s` to `%s`: its condition holds in no state that a run can come to", from, to))
}

// DeadOutput reports an output of a decision that never comes; other is the one
// that always does, and way a way to the decision.
func DeadOutput(at source.Span, node, label, other, way string) *diag.Diagnostic {
	return report("WFC426", at, fmt.Sprintf("`%s` never ends with `%s`: whenever a run comes to it, it ends with `%s`", node, label, other)).
		WithHelp("for example: " + way)
}

// IdleInterrupt reports an interrupt that asks nobody.
func IdleInterrupt(at source.Span, node string) *diag.Diagnostic {
	return report("WFC427", at, fmt.Sprintf("nobody is ever asked here: the condition holds in no state in which a run comes to `%s`", node))
}

// UnmetGoal reports a completion condition that never holds where runs end.
func UnmetGoal(at source.Span, text string) *diag.Diagnostic {
	return report("WFC428", at, fmt.Sprintf("`%s` holds at no place where a run can end", text))
}

// UnreachableSuccess reports a graph whose runs never are a success; way is one
// that ends.
func UnreachableSuccess(at source.Span, way string) *diag.Diagnostic {
	d := report("WFC429", at, "no run can be a success: no completion condition holds at any place where a run can end")
	if way != "" {
		d.WithHelp("for example: " + way + " → END")
	}
	return d
}

// LimitTooLow reports a limit that no run keeps; success says that only runs
// count that are a success.
func LimitTooLow(at source.Span, limit, shortest int, way string, success bool) *diag.Diagnostic {
	what := "the shortest way to END"
	if success {
		what = "the shortest way to a success"
	}
	return report("WFC430", at, fmt.Sprintf("no run can keep this limit: on %s %d nodes end, and at most %d may", what, shortest, limit)).
		WithHelp("that way is: " + way + " → END").WithHelp(fmt.Sprintf("set it to %d at least", shortest))
}

// NodeBeyondLimit reports a node that comes after the limit; before is how many
// nodes end before it.
func NodeBeyondLimit(at source.Span, id string, before, limit int, way string, set source.Span) *diag.Diagnostic {
	return report("WFC431", at, fmt.Sprintf("`%s` never runs: at least %d nodes end before it, and the run stops after %d", id, before, limit)).
		WithRelated(set, "the limit").WithHelp("the shortest way to it is: " + way)
}

// StuckGuard reports a comparison with a variable that a loop does not change.
func StuckGuard(at source.Span, variable string, loop []string, declared source.Span) *diag.Diagnostic {
	return report("WFC432", at, fmt.Sprintf("nothing in the loop of %s changes `state.%s`, so this is the same in every round", quoteAll(loop), variable)).
		WithRelated(declared, "its first value").
		WithHelp("set it in `on_output` of a node in the loop, or count with `state.iteration`")
}

// UnsetVariable reports a variable that may be read without a value.
func UnsetVariable(at source.Span, name, node, way string, set source.Span) *diag.Diagnostic {
	return report("WFC440", at, fmt.Sprintf("`state.%s` may have no value yet when `%s` reads it", name, node)).
		WithRelated(set, "set here").WithHelp("for example: " + way).WithHelp("declare it with a first value under `state.variables`")
}

// UnusedVariable reports a variable that nothing reads; written says that a
// handler sets it.
func UnusedVariable(at source.Span, name string, written bool) *diag.Diagnostic {
	what := "set, but never read"
	if !written {
		what = "never set and never read"
	}
	return report("WFC441", at, fmt.Sprintf("`state.%s` is %s", name, what)).
		WithHelp(fmt.Sprintf("read it with `(reference state.%s)` or in a condition, or remove it", name))
}

// BranchesWriteAlike reports a branch that writes what another one writes.
func BranchesWriteAlike(at source.Span, name, first, second string, other source.Span) *diag.Diagnostic {
	return report("WFC442", at, fmt.Sprintf("`%s` and `%s` run side by side and both write `state.%s`", first, second, name)).
		WithRelated(other, "written here too").WithHelp("use a variable for each, or a list and `append` in both")
}

// BranchReadsOld reports a branch that reads what a sibling sets.
func BranchReadsOld(at source.Span, name, reader, writer string, set source.Span) *diag.Diagnostic {
	return report("WFC443", at, fmt.Sprintf("`%s` reads `state.%s` as it was before: `%s` sets it when all branches have ended", reader, name, writer)).
		WithRelated(set, "set here")
}

// InexpressibleOutput reports an output that a command's exit code does not
// give.
func InexpressibleOutput(at source.Span, node, label string) *diag.Diagnostic {
	return report("WFC444", at, fmt.Sprintf("no exit code makes `%s` end with `%s`", node, label)).
		WithHelp(fmt.Sprintf("have the command print `[OUTPUT:%s]`", label))
}

// UndeclaredMarker reports a marker in a prompt for an output that is none of
// the node's.
func UndeclaredMarker(at source.Span, node, label string, known []string) *diag.Diagnostic {
	d := report("WFC445", at, fmt.Sprintf("the prompt asks for the output `%s`, which `%s` does not have", label, node))
	if near := Nearest(label, known); near != "" {
		return d.WithHelp("did you mean `" + near + "`?")
	}
	return d.WithHelp("its outputs are " + quoteAll(known))
}

// UntoldOutput reports an output that a prompt does not mention.
func UntoldOutput(at source.Span, node, label string) *diag.Diagnostic {
	return report("WFC446", at, fmt.Sprintf("the prompt of `%s` does not mention its output `%s`", node, label)).
		WithHelp(fmt.Sprintf("say in the prompt when to end with `[OUTPUT:%s]`", label))
}
