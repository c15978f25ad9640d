package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// ReservedName reports a node or a variable with a reserved name; what is "a node"
// or the like.
func ReservedName(at source.Span, what, name, why string) *diag.Diagnostic {
	return codes.ReservedName.New(at, fmt.Sprintf("reserved name `%s` for %s: %s", name, what, why))
}

// BadName reports a name that is not an identifier; what is "a node" or the like.
func BadName(at source.Span, what, name string, hyphens bool) *diag.Diagnostic {
	may := "letters, digits, `_` and `-`"
	if !hyphens {
		may = "letters, digits and `_`"
	}
	return codes.InvalidName.New(at, fmt.Sprintf("invalid name `%s` for %s", name, what)).
		WithHelp("start with a letter or `_`, and use only " + may)
}

// UnknownAgent reports an agent that nodes of a kind, such as "a task", cannot use.
func UnknownAgent(at source.Span, name, kind string, known []string) *diag.Diagnostic {
	d := codes.UnknownAgent.New(at, fmt.Sprintf("unknown agent `%s` for %s", name, kind))
	if offerNearestName(d, at, name, known) {
		return d
	}
	d.Shared = true
	return d.WithHelp("use one of " + quoteAll(known)).WithHelp(defineAgent(name))
}

// DuplicateOutput reports an output that a node declares twice.
func DuplicateOutput(at source.Span, name string, first source.Span) *diag.Diagnostic {
	return codes.DuplicateName.New(at, fmt.Sprintf("duplicate output `%s`", name)).
		WithRelated(first, "first declared here")
}

// UnknownTemplate reports a template that no file defines.
func UnknownTemplate(at source.Span, name string, known []string) *diag.Diagnostic {
	d := codes.UnknownTemplate.New(at, fmt.Sprintf("unknown template `%s`", name))
	switch {
	case offerNearestName(d, at, name, known):
		return d
	case len(known) > 0:
		return d.WithHelp("use one of " + quoteAll(known))
	}
	return d.WithHelp("define it in a YAML file in `.graph-loop/templates`")
}

// UnknownEdgeEnd reports an edge from or to a node that does not exist.
func UnknownEdgeEnd(at source.Span, id string, known []string) *diag.Diagnostic {
	return suggestNearestName(codes.UnknownNode.New(at, fmt.Sprintf("unknown node `%s` in an edge", id)), at, id, known)
}

// MisplacedEdge reports an edge from END or to START; at is the place of that end.
func MisplacedEdge(at source.Span, end string) *diag.Diagnostic {
	if end == "END" {
		return codes.MisplacedEdge.New(at, "an edge cannot leave `END`: the run is over there")
	}
	return codes.MisplacedEdge.New(at, "an edge cannot lead to `START`: it only marks the entry").
		WithHelp("lead it to the node that should run next")
}

// UnknownOutput reports a condition or a handler with an unknown output or node, in words.
func UnknownOutput(at source.Span, problem, name string, outputs []string) *diag.Diagnostic {
	return oneOf(codes.UnknownOutput.New(at, problem), at, name, outputs)
}

// UnknownState reports a variable of the state that does not exist. at is the
// name with `state.` before it.
func UnknownState(at source.Span, name string, known []string) *diag.Diagnostic {
	return oneOf(codes.UnknownState.New(at, fmt.Sprintf("unknown state variable `%s`", name)), at, name, known)
}

// DuplicateEdge reports an edge that repeats another one.
func DuplicateEdge(at source.Span, from, to string, first source.Span) *diag.Diagnostic {
	return codes.DuplicateName.New(at, fmt.Sprintf("duplicate edge from `%s` to `%s`", from, to)).
		WithRelated(first, "first edge")
}

// UnknownNodeIn reports the id of an unknown node; where is its place, as in " in an interrupt",
// or "".
func UnknownNodeIn(at source.Span, id, where string, known []string) *diag.Diagnostic {
	return oneOf(codes.UnknownNode.New(at, fmt.Sprintf("unknown node `%s`%s", id, where)), at, id, known)
}

// BranchEdge reports an edge from or to a branch of a parallel.
func BranchEdge(at source.Span, branch, parallel, join string, into bool) *diag.Diagnostic {
	if into {
		return codes.MisplacedEdge.New(at, fmt.Sprintf("an edge cannot lead to branch `%s`: only `%s` starts it", branch, parallel)).
			WithHelp(fmt.Sprintf("lead the edge to `%s`", parallel))
	}
	return codes.MisplacedEdge.New(at, fmt.Sprintf("branch `%s` of `%s` can only lead to the join `%s`", branch, parallel, join)).
		WithHelp(fmt.Sprintf("start the edge at `%s`", join))
}

// OutputCount reports a node with a wrong number of outputs; kind is "a decision" or
// the like.
func OutputCount(at source.Span, kind string, want, got int) *diag.Diagnostic {
	d := codes.OutputCount.New(at, fmt.Sprintf("%s must have exactly %s, got %d", kind, Count(want, "output"), got))
	if want == 1 {
		return d.WithHelp("keep one: nothing could choose between several")
	}
	return d.WithHelp("declare one for a condition that holds, and one for a condition that does not")
}

// GuardNotText reports a condition that is not a string; kind is its type.
func GuardNotText(at source.Span, path, kind string) *diag.Diagnostic {
	return codes.ConditionNotText.New(at, fmt.Sprintf("`%s` must be a quoted string, got %s", path, kind))
}

// GuardType reports operands of incompatible types, in words; site is the origin of
// the other type.
func GuardType(at source.Span, problem string, site source.Span, why string) *diag.Diagnostic {
	return codes.ConditionType.New(at, problem).WithRelated(site, why)
}

// AppendToScalar reports an append to a variable that is not a list.
func AppendToScalar(at source.Span, name, kind string, site source.Span) *diag.Diagnostic {
	return codes.AssignedType.New(at, fmt.Sprintf("cannot append to `%s`: it is %s", name, kind)).
		WithRelated(site, "it is "+kind+" here").
		WithHelp(fmt.Sprintf("use `set`, or declare `%s` as a list", name))
}

// AssignedType reports a value whose type differs from that of its variable; site is
// the origin of the variable's type.
func AssignedType(at source.Span, name, kind, got string, site source.Span) *diag.Diagnostic {
	return codes.AssignedType.New(at, fmt.Sprintf("`%s` must be %s, got %s", name, kind, got)).
		WithRelated(site, "it is "+kind+" here")
}

// UndeclaredState reports the first of the places that set an undeclared variable.
func UndeclaredState(places []source.Span, name string, declared []string) *diag.Diagnostic {
	d := codes.UndeclaredState.New(places[0], fmt.Sprintf("undeclared state variable `%s`", name))
	if near := plain.Nearest(name, declared); near != "" {
		Meant(d, places[0], near, near)
		for _, at := range places[1:] {
			d.Fixes[0].Edits = append(d.Fixes[0].Edits, diag.Edit{Span: at, New: near, Decoded: true})
		}
	}
	return d.WithHelp("declare it under `state.variables` with an initial value")
}

// QuotedOutput reports the word output in quotes.
func QuotedOutput(at source.Span) *diag.Diagnostic {
	return codes.QuotedOutput.New(at, "in quotes `output` is a word, not the text of the node").
		WithSourceFix("remove the quotes", at, "output")
}

// NearOutput reports a word that resembles output.
func NearOutput(at source.Span, word string) *diag.Diagnostic {
	return suggestNear(codes.QuotedOutput.New(at, fmt.Sprintf("`%s` is a word, not the text of the node", word)), at, "output")
}

// StateVariable reports a key under state that is meant as a variable.
func StateVariable(at source.Span, name string) *diag.Diagnostic {
	return codes.WrongKey.New(at, fmt.Sprintf("state variable `%s` must be under `state.variables`", name)).
		WithHelp(fmt.Sprintf("move it there: `state: {variables: {%s: …}}`", name))
}
