package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

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

// OverlappingEdges reports the later of two edges that hold at the same time.
func OverlappingEdges(at source.Span, label, values string, first source.Span) *diag.Diagnostic {
	when := "after `" + label + "`"
	if values != "" {
		when += " when " + values
	}
	return codes.OverlappingEdges.New(at, fmt.Sprintf("this condition overlaps an earlier one %s: the earlier edge wins", when)).
		WithRelated(first, "the earlier condition")
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

// StuckGuard reports a comparison with a variable that the loop never changes.
func StuckGuard(at source.Span, variable string, loop []string, declared source.Span) *diag.Diagnostic {
	return codes.UnchangingLoop.New(at, fmt.Sprintf("nothing in the loop of %s changes `state.%s`", quoteAll(loop), variable)).
		WithRelated(declared, "its initial value").
		WithHelp("set it in `on_output` of a node in the loop, or count with `state.iteration`")
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

// UndeclaredMarker reports a marker in a prompt for an output that the node does not
// declare.
func UndeclaredMarker(at source.Span, node, label string, known []string) *diag.Diagnostic {
	return offerOr(codes.UndeclaredMarker.New(at, fmt.Sprintf("unknown output `%s` of `%s` in the prompt", label, node)), nameWithin(at, label), label, known, "use one of "+quoteAll(known))
}
