package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// UnknownNodeReference reports a reference to a node that does not exist. near
// is the id that was probably meant, or ""; fix may be nil.
func UnknownNodeReference(at source.Span, id, near string, fix *diag.Fix) *diag.Diagnostic {
	d := report("WFC250", at, fmt.Sprintf("there is no node `%s`: the reference is replaced by empty text", id))
	return meant(d, near, fix)
}

// meant adds the name that was probably meant and the fix that writes it.
func meant(d *diag.Diagnostic, near string, fix *diag.Fix) *diag.Diagnostic {
	if near != "" {
		d.WithHelp("did you mean `" + near + "`?")
	}
	return withFix(d, fix)
}

// withFix adds a fix that may be nil.
func withFix(d *diag.Diagnostic, fix *diag.Fix) *diag.Diagnostic {
	if fix != nil {
		d.Fixes = append(d.Fixes, *fix)
	}
	return d
}

// UnknownNodeInCondition reports a condition on a node that does not exist.
func UnknownNodeInCondition(at source.Span, id, near string, fix *diag.Fix) *diag.Diagnostic {
	return meant(report("WFC251", at, fmt.Sprintf("there is no node `%s` to compare", id)), near, fix)
}

// SelfReference reports a node that reads its own output.
func SelfReference(at source.Span, id string) *diag.Diagnostic {
	return report("WFC252", at, fmt.Sprintf("`%s` reads its own output, which is not there before it ends", id)).
		WithHelp("in a loop's prompt, `$LOOP_PREV_OUTPUT` is the output of the iteration before")
}

// DescendantReference reports a node that reads a node behind it.
func DescendantReference(at source.Span, reader, producer string, declared source.Span) *diag.Diagnostic {
	return report("WFC253", at, fmt.Sprintf("`%s` reads the output of `%s`, which runs after it", reader, producer)).
		WithRelated(declared, fmt.Sprintf("`%s` waits for `%s`", producer, reader))
}

// UndeclaredDependency reports a node that reads a node it does not depend on.
func UndeclaredDependency(at source.Span, reader, producer string, fix *diag.Fix) *diag.Diagnostic {
	return withFix(report("WFC254", at, fmt.Sprintf("`%s` reads the output of `%s` but does not depend on it", reader, producer)).
		WithHelp(fmt.Sprintf("add `%s` to the `depends_on` of `%s`; until then it only waits for it", producer, reader)), fix)
}

// OrderCycle reports a reference that closes a cycle of references.
func OrderCycle(at source.Span, reader, producer string, other source.Span) *diag.Diagnostic {
	return report("WFC255", at, fmt.Sprintf("`%s` reads the output of `%s`, which already waits for `%s` because of another reference", reader, producer, reader)).
		WithRelated(other, fmt.Sprintf("`%s` waits because of this reference", producer))
}

// UnknownField reports a field that the producer's schema does not declare.
func UnknownField(at source.Span, node, field string, fields []string, schema source.Span) *diag.Diagnostic {
	d := report("WFC256", at, fmt.Sprintf("the output of `%s` has no field `%s`, so this node always fails", node, field))
	return declaredFields(d, at, field, fields, schema)
}

// declaredFields says which fields there are and which was probably meant.
func declaredFields(d *diag.Diagnostic, at source.Span, field string, fields []string, schema source.Span) *diag.Diagnostic {
	d.WithRelated(schema, "its fields are declared here")
	if near := Nearest(field, fields); near != "" {
		name := source.Span{File: at.File, Start: at.End - len(field), End: at.End}
		d.WithHelp("did you mean `" + near + "`?")
		if name.Text() == field {
			d.WithFix("replace with `"+near+"`", name, near, false)
		}
		return d
	}
	if len(fields) == 0 {
		return d.WithHelp("its `properties` are empty")
	}
	return d.WithHelp("it has `" + strings.Join(fields, "`, `") + "`")
}

// UnknownFieldInCondition reports a condition on a field that the producer's
// schema does not declare.
func UnknownFieldInCondition(at source.Span, node, field string, fields []string, schema source.Span) *diag.Diagnostic {
	d := report("WFC267", at, fmt.Sprintf("the output of `%s` has no field `%s` to compare", node, field))
	return declaredFields(d, at, field, fields, schema)
}

// NoFields reports a field of an output that has none; why says why not.
func NoFields(at source.Span, node, field, why string, declared source.Span) *diag.Diagnostic {
	return report("WFC257", at, fmt.Sprintf("the output of `%s` has no field `%s`: %s", node, field, why)).
		WithRelated(declared, fmt.Sprintf("`%s` is defined here", node))
}

// RunOnReference reports text glued to the end of a reference.
func RunOnReference(at source.Span, reference, tail string) *diag.Diagnostic {
	return report("WFC258", at, fmt.Sprintf("this reads as `%s` followed by the text `%s`", reference, tail)).
		WithHelp("separate them, or remove the text")
}

// NestedField reports a path behind a field.
func NestedField(at source.Span, reference, tail string) *diag.Diagnostic {
	return report("WFC259", at, fmt.Sprintf("this reads as `%s` followed by the text `%s`: only top-level fields can be referenced", reference, tail)).
		WithHelp("make the inner value a field of its own in the node that produces it")
}

// MisspeltReference reports text that was probably meant as a reference.
func MisspeltReference(at source.Span, text, meant string) *diag.Diagnostic {
	return report("WFC260", at, fmt.Sprintf("`%s` is no reference and stays as it is", text)).
		WithFix("write `"+meant+"`", at, meant, false)
}

// BracedReference reports a name in braces; shell says that it stands in bash.
func BracedReference(at source.Span, name string, shell bool) *diag.Diagnostic {
	message := fmt.Sprintf("`${%s}` is not replaced: the braces make it plain text", name)
	if shell {
		message = fmt.Sprintf("`${%s}` is an unset shell variable", name)
	}
	return report("WFC261", at, message).WithFix("write `$"+name+"`", at, "$"+name, false)
}

// UnknownVariable reports a name that is close to a variable's.
func UnknownVariable(at source.Span, name, near string) *diag.Diagnostic {
	return report("WFC262", at, fmt.Sprintf("`$%s` is no variable and reaches the agent as it is", name)).
		WithHelp("did you mean `$"+near+"`?").
		WithFix("replace with `$"+near+"`", at, "$"+near, false)
}

// VariableInMessage reports a variable where only references are replaced.
func VariableInMessage(at source.Span, name string) *diag.Diagnostic {
	return report("WFC263", at, fmt.Sprintf("`$%s` is not replaced here: only references to outputs are", name)).
		WithHelp("let a bash node print it, and refer to that node's output")
}

// EmptyVariable reports a variable outside the place where it has a value.
func EmptyVariable(at source.Span, name, place string) *diag.Diagnostic {
	return report("WFC264", at, fmt.Sprintf("`$%s` is always empty here: it has a value only in %s", name, place))
}

// UnnamableNode reports a reference to a node whose id cannot be referenced.
func UnnamableNode(at source.Span, id string, declared source.Span) *diag.Diagnostic {
	return report("WFC265", at, fmt.Sprintf("the node `%s` cannot be referenced, so this stays as it is", id)).
		WithRelated(declared, "rename the node: letters, digits, `_` and `-`, starting with a letter or `_`")
}

// RunOnVariable reports text glued to the end of a variable.
func RunOnVariable(at source.Span, name, tail string, shell bool) *diag.Diagnostic {
	d := report("WFC266", at, fmt.Sprintf("this reads as `$%s` followed by the text `%s`", name, tail))
	if shell {
		return d.WithFix("write `${"+name+tail+"}` for the shell variable", at, "${"+name+tail+"}", false)
	}
	return d
}
