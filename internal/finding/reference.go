package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// UnknownNodeReference reports a reference to an unknown node; name is the place of its id. The
// newer rule of archon refuses it.
func UnknownNodeReference(at, name source.Span, id string, known []string, newer bool) *diag.Diagnostic {
	d := codes.UnknownNodeReference.New(at, fmt.Sprintf("unknown node `%s`", id))
	if newer {
		d.Severity = diag.Error
	} else {
		d.Message += ": the reference becomes an empty string"
	}
	offerNearestName(d, nameWithin(name, id), id, known)
	return d
}

// UnknownNodeInCondition reports a condition on an unknown node.
func UnknownNodeInCondition(at, name source.Span, id string, known []string) *diag.Diagnostic {
	return suggestNearestName(codes.UnknownNode.New(at, fmt.Sprintf("unknown node `%s` in a condition", id)), nameWithin(name, id), id, known)
}

// SelfReference reports a node that reads its own output.
func SelfReference(at source.Span, id string) *diag.Diagnostic {
	return codes.ReferenceOrder.New(at, fmt.Sprintf("`%s` reads its own output, which does not exist yet", id)).
		WithHelp("use `$LOOP_PREV_OUTPUT` in a loop's prompt for the output of the previous iteration")
}

// DescendantReference reports a node that reads the output of a later node.
func DescendantReference(at source.Span, reader, producer string, declared source.Span) *diag.Diagnostic {
	return codes.ReferenceOrder.New(at, fmt.Sprintf("`%s` reads the output of `%s`, which runs after it", reader, producer)).
		WithRelated(declared, fmt.Sprintf("`%s` waits for `%s`", producer, reader))
}

// UndeclaredDependency reports a node that reads a node it does not depend on.
func UndeclaredDependency(at source.Span, reader, producer string, fix *diag.Fix) *diag.Diagnostic {
	return addNeed(codes.UndeclaredDependency.New(at, fmt.Sprintf("`%s` reads the output of `%s` without depending on it", reader, producer)), reader, producer, fix)
}

// OrderCycle reports a reference that closes a cycle of references.
func OrderCycle(at source.Span, reader, producer string, other source.Span) *diag.Diagnostic {
	return codes.ReferenceOrder.New(at, fmt.Sprintf("`%s` reads the output of `%s`, which waits for `%s`", reader, producer, reader)).
		WithRelated(other, fmt.Sprintf("`%s` waits because of this reference", producer))
}

// UnknownField reports a field that the producer's schema does not declare.
func UnknownField(at source.Span, node, field string, fields []string, schema source.Span) *diag.Diagnostic {
	return declaredFields(codes.UnknownField.New(at, fmt.Sprintf("unknown field `%s` of `%s`: this node always fails", field, node)), at, field, fields, schema)
}

// declaredFields adds the declared fields and the one that is probably meant.
func declaredFields(d *diag.Diagnostic, at source.Span, field string, fields []string, schema source.Span) *diag.Diagnostic {
	d.WithRelated(schema, "the schema declares the fields here")
	if near := plain.Nearest(field, fields); near != "" {
		return Meant(d, nameWithin(at, field), near, near)
	}
	if len(fields) == 0 {
		return d.WithHelp("declare it in `properties`, which is empty")
	}
	return d.WithHelp("use one of " + quoteAll(fields))
}

// UnknownFieldInCondition reports a condition on a field that the producer's
// schema does not declare.
func UnknownFieldInCondition(at source.Span, node, field string, fields []string, schema source.Span) *diag.Diagnostic {
	return declaredFields(codes.NoSuchField.New(at, fmt.Sprintf("unknown field `%s` of `%s` in a condition", field, node)), at, field, fields, schema)
}

// NoFields reports a field of an output without fields; why is a whole clause.
func NoFields(at source.Span, node, field, why string, declared source.Span) *diag.Diagnostic {
	return codes.NoSuchField.New(at, fmt.Sprintf("unknown field `%s` of `%s`: %s", field, node, why)).
		WithRelated(declared, fmt.Sprintf("`%s` is defined here", node))
}

// RunOnReference reports characters that directly follow a reference.
func RunOnReference(at source.Span, reference, tail string) *diag.Diagnostic {
	return codes.RunOnReference.New(at, fmt.Sprintf("this means `%s` followed by `%s`", reference, tail)).
		WithHelp("separate them with a space, or remove `" + tail + "`")
}

// NestedField reports a path that continues after a field.
// isError makes it an error.
func NestedField(at source.Span, reference, tail string, isError bool) *diag.Diagnostic {
	d := codes.NestedField.New(at, fmt.Sprintf("this means `%s` followed by `%s`: references reach only top-level fields", reference, tail)).
		WithHelp("declare the inner value as a top-level field of the node that produces it")
	if isError {
		d.Severity = diag.Error
	}
	return d
}

// MisspeltReference reports a string that is probably meant as a reference.
func MisspeltReference(at source.Span, text, meant string) *diag.Diagnostic {
	return codes.LiteralReference.New(at, fmt.Sprintf("`%s` is not a reference: it stays unchanged", text)).
		WithFix("write `"+meant+"`", at, meant)
}

// BracedReference reports a name in braces; shell says that it is in a bash script.
func BracedReference(at source.Span, name string, shell bool) *diag.Diagnostic {
	message := fmt.Sprintf("`${%s}` is not replaced: braces make it literal text", name)
	if shell {
		message = fmt.Sprintf("`${%s}` is an unset shell variable", name)
	}
	return codes.LiteralReference.New(at, message).WithFix("write `$"+name+"`", at, "$"+name)
}

// UnknownVariable reports a name that is close to that of a variable.
func UnknownVariable(at source.Span, name, near string) *diag.Diagnostic {
	return Meant(codes.MisspeltName.New(at, fmt.Sprintf("unknown variable `$%s`: it reaches the agent unchanged", name)), at, "$"+near, "$"+near)
}

// VariableInMessage reports a variable where only references are replaced.
func VariableInMessage(at source.Span, name string) *diag.Diagnostic {
	return codes.LiteralReference.New(at, fmt.Sprintf("`$%s` is not replaced here: only references to outputs are", name)).
		WithHelp("let a bash node between this node and what it depends on print it, and refer to the output of that node")
}

// UnnamableNode reports a reference to a node whose id cannot be referenced.
func UnnamableNode(at source.Span, id string, declared source.Span) *diag.Diagnostic {
	return codes.UnreadableName.New(at, fmt.Sprintf("node `%s` cannot be referenced: this stays unchanged", id)).
		WithRelated(declared, "rename the node: letters, digits, `_` and `-`, starting with a letter or `_`")
}

// RunOnVariable reports characters that directly follow a variable. set says that a script
// sets a variable with the whole name.
func RunOnVariable(at source.Span, name, tail string, set bool) *diag.Diagnostic {
	d := codes.RunOnReference.New(at, fmt.Sprintf("this means `$%s` followed by `%s`", name, tail))
	if set {
		return d.WithFix("write `${"+name+tail+"}` for the shell variable", at, "${"+name+tail+"}")
	}
	return d.WithFix("write `$"+name+"` without `"+tail+"`", at, "$"+name)
}

// UnknownInput reports a reference to an input that nothing supplies; name is the place
// of its name.
func UnknownInput(at, name source.Span, input string, known []string) *diag.Diagnostic {
	d := codes.UnknownInput.New(at, fmt.Sprintf("unknown input `%s`", input))
	if near := plain.Nearest(input, known); near != "" {
		return Meant(d, nameWithin(name, input), near, near)
	}
	if len(known) == 0 {
		return d.WithHelp("declare it under `inputs:`")
	}
	return d.WithHelp("use one of " + quoteAll(known) + ", or declare it under `inputs:`")
}

// SameVariable reports two names of inputs or bindings with the same environment
// variable.
func SameVariable(at source.Span, name, first, variable string, firstAt source.Span) *diag.Diagnostic {
	return codes.DuplicateName.New(at, fmt.Sprintf("`%s` and `%s` have the same environment variable `%s`", first, name, variable)).
		WithRelated(firstAt, fmt.Sprintf("`%s` is here", first)).
		WithHelp("rename one of them")
}

// InputName reports an invalid name of an input or a binding.
func InputName(at source.Span, name string) *diag.Diagnostic {
	return codes.InvalidName.New(at, fmt.Sprintf("invalid input name `%s`", name)).
		WithHelp("use letters, digits, `_` and `-`, starting with a letter or `_`")
}

// BindingValue reports a value of `with:` that cannot be passed; why is a whole clause.
func BindingValue(at source.Span, path, why string) *diag.Diagnostic {
	return codes.WrongValue.New(at, fmt.Sprintf("invalid value of `%s`: %s", path, why)).
		WithHelp("write a string, a number, a bool, a list, or `{from: $node.output, if_skipped: value}`")
}

// BindingOrder reports a value of `with:` that reads a node which the reader does not
// depend on.
func BindingOrder(at source.Span, reader, producer string, fix *diag.Fix) *diag.Diagnostic {
	return addNeed(codes.ReferenceOrder.New(at, fmt.Sprintf("`%s` passes the output of `%s` without depending on it", reader, producer)), reader, producer, fix)
}

// UnusedBinding reports a name under `with:` that nothing reads; where is the file or
// the key that could read it.
func UnusedBinding(at source.Span, path, where string) *diag.Diagnostic {
	return codes.UnusedValue.New(at, fmt.Sprintf("`%s` is unused: %s does not read it", path, where))
}

// BareReference warns of a reference to a variable of the state that lacks `state.`.
func BareReference(at source.Span, written, name string) *diag.Diagnostic {
	return codes.LiteralReference.New(at, fmt.Sprintf("`%s` is not a reference: it is literal text", written)).
		WithFix("write `state."+name+"`", at, "state."+name)
}

// ForeignReference warns of a reference in the syntax of another format; native is how this
// one writes it, or "" if its prompts have no such reference.
func ForeignReference(at source.Span, written, dialect, native string) *diag.Diagnostic {
	d := codes.LiteralReference.New(at, fmt.Sprintf("`%s` is not a reference in %s: it is literal text", written, dialect))
	if native == "" {
		return d.WithHelp("let the node set a variable of the state, and write `(reference state.NAME)`")
	}
	return d.WithFix("write `"+native+"`", at, native)
}
