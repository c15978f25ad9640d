package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// ReservedName reports a node or a variable with a name that has a meaning of
// its own; what says which, as "a node".
func ReservedName(at source.Span, what, name, why string) *diag.Diagnostic {
	return report("WFC220", at, fmt.Sprintf("%s cannot be called `%s`: %s", what, name, why))
}

// BadName reports a name that is no identifier; what says of what, as "a node".
func BadName(at source.Span, what, name string, hyphens bool) *diag.Diagnostic {
	may := "letters, digits, `_` and `-`"
	if !hyphens {
		may = "letters, digits and `_`"
	}
	return report("WFC221", at, fmt.Sprintf("`%s` cannot be the name of %s", name, what)).
		WithHelp("names start with a letter or `_` and hold " + may)
}

// UnknownAgent reports an agent that a node of a kind, such as "a task", cannot
// have.
func UnknownAgent(at source.Span, name, kind string, known []string) *diag.Diagnostic {
	d := report("WFC222", at, fmt.Sprintf("there is no agent `%s` for %s; known are %s", name, kind, quoteAll(known)))
	if near := Nearest(name, known); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d.WithHelp("define it under `agents` in `wfc.yaml`")
}

// DuplicateOutput reports an output that a node already has.
func DuplicateOutput(at source.Span, name string, first source.Span) *diag.Diagnostic {
	return report("WFC223", at, fmt.Sprintf("the node already has an output `%s`", name)).
		WithRelated(first, "first named here")
}

// UnknownTemplate reports a template that no file defines.
func UnknownTemplate(at source.Span, name string, known []string) *diag.Diagnostic {
	d := report("WFC224", at, fmt.Sprintf("there is no template `%s`", name))
	if near := Nearest(name, known); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	if len(known) > 0 {
		return d.WithHelp("there are " + quoteAll(known))
	}
	return d.WithHelp("templates are kept in YAML files in `.graph-loop/templates`")
}

// UnknownEdgeEnd reports an edge from or to a node that does not exist.
func UnknownEdgeEnd(at source.Span, id string, known []string) *diag.Diagnostic {
	d := report("WFC225", at, fmt.Sprintf("there is no node `%s`", id))
	if near := Nearest(id, known); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

// EdgeDirection reports an edge from END or to START, whose place this is.
func EdgeDirection(at source.Span, end string) *diag.Diagnostic {
	if end == "END" {
		return report("WFC226", at, "no edge can leave `END`: the run is over there")
	}
	return report("WFC226", at, "no edge can lead to `START`: it only says where the run begins").
		WithHelp("let it lead to the node that is to be next")
}

// UnknownOutput reports a name in a condition that is none of the outputs that
// it could be, in words.
func UnknownOutput(at source.Span, problem, name string, outputs []string) *diag.Diagnostic {
	return oneOf(report("WFC227", at, problem), at, name, outputs)
}

// oneOf adds which of the known names was probably meant, or all of them.
func oneOf(d *diag.Diagnostic, at source.Span, name string, known []string) *diag.Diagnostic {
	if near := Nearest(name, known); near != "" {
		d.WithHelp("did you mean `" + near + "`?")
		if place, ok := nameWithin(at, name); ok {
			d.WithFix("replace with `"+near+"`", place, near, false)
		}
		return d
	}
	if len(known) > 0 && len(known) <= maxListed {
		d.WithHelp("there are " + quoteAll(known))
	}
	return d
}

// maxListed is how many names a message lists when none of them is near.
const maxListed = 12

// nameWithin finds the place of a name at the end of a span, before a quote.
func nameWithin(at source.Span, name string) (source.Span, bool) {
	text := at.Text()
	i := strings.LastIndex(text, name)
	if i < 0 || name == "" || strings.Trim(text[i+len(name):], `'" )`) != "" {
		return source.Span{}, false
	}
	return source.Span{File: at.File, Start: at.Start + i, End: at.Start + i + len(name)}, true
}

// UnknownHandler reports a handler for an output that its node does not have.
func UnknownHandler(at source.Span, node, name string, outputs []string) *diag.Diagnostic {
	return oneOf(report("WFC228", at, fmt.Sprintf("`%s` has no output `%s`", node, name)), at, name, outputs)
}

// UnknownGoal reports a goal that names no output of a node, in words.
func UnknownGoal(at source.Span, problem, name string, known []string) *diag.Diagnostic {
	return oneOf(report("WFC229", at, problem), at, name, known)
}

// UnknownState reports a variable of the state that does not exist. at is the
// name with `state.` before it.
func UnknownState(at source.Span, name string, known []string) *diag.Diagnostic {
	return oneOf(report("WFC230", at, fmt.Sprintf("there is no state variable `%s`", name)), at, name, known)
}

// DuplicateEdge reports an edge that another one already is.
func DuplicateEdge(at source.Span, from, to string, first source.Span) *diag.Diagnostic {
	return report("WFC232", at, fmt.Sprintf("there is already such an edge from `%s` to `%s`", from, to)).
		WithRelated(first, "the first one")
}

// UnknownBranch reports an entry of branches or wait_for that is no node.
func UnknownBranch(at source.Span, id string, known []string) *diag.Diagnostic {
	return oneOf(report("WFC233", at, fmt.Sprintf("there is no node `%s`", id)), at, id, known)
}

// BadBranch reports a node that cannot be a branch; why is a whole clause.
func BadBranch(at source.Span, id, why string, first source.Span) *diag.Diagnostic {
	return report("WFC234", at, fmt.Sprintf("`%s` cannot be a branch here: %s", id, why)).
		WithRelated(first, "see here")
}

// BranchEdge reports an edge from or to a branch of a parallel.
func BranchEdge(at source.Span, branch, parallel, join string, into bool) *diag.Diagnostic {
	if into {
		return report("WFC235", at, fmt.Sprintf("no edge can lead to `%s`: it is a branch, which `%s` starts", branch, parallel)).
			WithHelp(fmt.Sprintf("let the edge lead to `%s`", parallel))
	}
	return report("WFC235", at, fmt.Sprintf("`%s` is a branch of `%s`, so its only edge could lead to `%s`, where the branches meet", branch, parallel, join)).
		WithHelp(fmt.Sprintf("let the edge begin at `%s`", join))
}

// UnknownInterruptNode reports an interrupt at a node that does not exist.
func UnknownInterruptNode(at source.Span, id string, known []string) *diag.Diagnostic {
	return oneOf(report("WFC236", at, fmt.Sprintf("there is no node `%s`", id)), at, id, known)
}

// InterruptShape reports an interrupt that cannot be asked, in words.
func InterruptShape(at source.Span, problem string) *diag.Diagnostic {
	return report("WFC237", at, problem)
}

// OutputCount reports a node, as "a decision", with a number of outputs that is
// not the one it has to have.
func OutputCount(at source.Span, kind string, want, got int) *diag.Diagnostic {
	if want == 1 {
		return report("WFC238", at, fmt.Sprintf("%s has exactly 1 output, not %d: nothing could choose among them", kind, got))
	}
	return report("WFC238", at, fmt.Sprintf("%s has exactly %d outputs, not %d: one when its condition holds, one when not", kind, want, got))
}

// NoSkipRoute reports an interrupt whose node cannot be skipped.
func NoSkipRoute(at source.Span, node string) *diag.Diagnostic {
	return report("WFC239", at, fmt.Sprintf("`%s` cannot be skipped: without its output there is no telling which of its edges to take", node)).
		WithHelp("give it an edge without a condition, or write `required: true`")
}

// UnknownVersion reports a version of the format that is not known.
func UnknownVersion(at source.Span, version string) *diag.Diagnostic {
	return report("WFC240", at, fmt.Sprintf("version `%s` of the format is not known; the file is read as version 1.0", version))
}

// SwappedOutputs reports a decision whose outputs look exchanged.
func SwappedOutputs(at source.Span, first, second string) *diag.Diagnostic {
	return report("WFC241", at, fmt.Sprintf("`%s` is the output when the condition holds, `%s` when it does not", first, second)).
		WithHelp(fmt.Sprintf("did you mean `[%s, %s]`?", second, first))
}
