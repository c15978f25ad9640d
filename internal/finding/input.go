package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// UnknownInput reports a reference to an input that nothing supplies; name is the place
// of its name.
func UnknownInput(at, name source.Span, input string, known []string) *diag.Diagnostic {
	d := report("WFC290", at, fmt.Sprintf("unknown input `%s`", input))
	if near := Nearest(input, known); near != "" {
		d.WithHelp("did you mean `" + near + "`?")
		if name.Text() == input {
			d.WithFix("replace with `"+near+"`", name, near, false)
		}
		return d
	}
	if len(known) == 0 {
		return d.WithHelp("declare it under `inputs:`")
	}
	return d.WithHelp("use one of " + quoteAll(known) + ", or declare it under `inputs:`")
}

// SameVariable reports two names of inputs or bindings with the same environment
// variable.
func SameVariable(at source.Span, name, first, variable string, firstAt source.Span) *diag.Diagnostic {
	return report("WFC291", at, fmt.Sprintf("`%s` and `%s` have the same environment variable `%s`", first, name, variable)).
		WithRelated(firstAt, fmt.Sprintf("`%s` is here", first)).
		WithHelp("rename one of them")
}

// InputName reports an invalid name of an input or a binding.
func InputName(at source.Span, name string) *diag.Diagnostic {
	return report("WFC221", at, fmt.Sprintf("invalid input name `%s`", name)).
		WithHelp("use letters, digits, `_` and `-`, starting with a letter or `_`")
}

// ReservedID reports a node id that has another meaning in references.
func ReservedID(at source.Span, id string) *diag.Diagnostic {
	return report("WFC220", at, fmt.Sprintf("node id `%s` is reserved: `$%s.name` reads an input", id, id)).
		WithHelp("rename the node")
}

// BindingValue reports a value of `with:` that cannot be passed; why is a whole clause.
func BindingValue(at source.Span, path, why string) *diag.Diagnostic {
	return report("WFC292", at, fmt.Sprintf("invalid value of `%s`: %s", path, why)).
		WithHelp("write a string, a number, a bool, a list, or `{from: $node.output, if_skipped: value}`")
}

// BindingOrder reports a value of `with:` that reads a node which the reader does not
// depend on.
func BindingOrder(at source.Span, reader, producer string, fix *diag.Fix) *diag.Diagnostic {
	return addNeed(report("WFC293", at, fmt.Sprintf("`%s` passes the output of `%s` without depending on it", reader, producer)), reader, producer, fix)
}

// UnusedBinding reports a name under `with:` that nothing reads; where is the file or
// the key that could read it.
func UnusedBinding(at source.Span, path, where string) *diag.Diagnostic {
	return report("WFC294", at, fmt.Sprintf("`%s` is unused: %s does not read it", path, where))
}

// UnknownResult reports a `returns` that names no node. If the workflow cannot do
// without it, that is an error.
func UnknownResult(at source.Span, id string, known []string, isError bool) *diag.Diagnostic {
	d := report("WFC295", at, fmt.Sprintf("unknown node `%s` in `returns`", id))
	if isError {
		d.Severity = diag.Error
	}
	offer(d, at, id, known)
	return d
}

// OutcomeField reports an `outcome_field` that is not a required bool of the result;
// why is a whole clause, and schema the place to change, if any.
func OutcomeField(at source.Span, why, help string, schema source.Span) *diag.Diagnostic {
	d := report("WFC296", at, "invalid `outcome_field`: "+why).WithHelp(help)
	if schema.IsValid() {
		d.WithRelated(schema, "the schema of the result is here")
	}
	return d
}

// UntilField reports an `until_field` that cannot end its loop; why is a whole clause, and
// schema the place to change, if any.
func UntilField(at source.Span, field, why string, schema source.Span) *diag.Diagnostic {
	d := report("WFC299", at, "invalid `until_field`: "+why).
		WithHelp("declare `" + field + "` with `type: boolean` in the `output_format`, and add it to `required`")
	if schema.IsValid() {
		d.WithRelated(schema, "the schema is here")
	}
	return d
}

// WholeComparison reports a comparison of the whole reply of an agent; canDeclare says
// that the node can have an output_format.
func WholeComparison(at source.Span, node string, canDeclare bool) *diag.Diagnostic {
	d := report("WFC327", at, fmt.Sprintf("this compares the whole reply of `%s`, which is free text", node))
	if canDeclare {
		return d.WithHelp(fmt.Sprintf("add an `output_format` to `%s`, and compare one of its fields", node))
	}
	return d.WithHelp("compare the output of a `bash` or `script` node that checks the reply")
}

// TierWithoutEffort reports a tier or alias with an effort whose agent takes none.
func TierWithoutEffort(at source.Span, tier, effort, agent string) *diag.Diagnostic {
	return report("WFC702", at, fmt.Sprintf("`%s` does not support the effort `%s` of the model `%s`: it is ignored", agent, effort, tier)).
		WithHelp("remove `effort` from the model in `wfc.yaml`, or give it another agent")
}

// LoweredEffort reports an effort that an agent does not have, and the nearest weaker
// one that it has.
func LoweredEffort(at source.Span, effort, agent, lower string) *diag.Diagnostic {
	return report("WFC715", at, fmt.Sprintf("`%s` has no effort `%s`: it gets `%s`", agent, effort, lower))
}
